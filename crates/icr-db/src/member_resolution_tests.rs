//! Which definitions access paths lead to, and what definitions answer to.

use std::sync::Arc;

use icr_model::RepoPath;

use crate::testing::{format_place, view_of};
use crate::{NameMeaning, QueryGraph, TypeMembers};

/// Files that refer to what `definer` defines as `name` in `holder`: `path lines`, with the share where it is not all.
#[track_caller]
fn check(files: &str, definer: &str, (holder, name): (&str, &str), expected: &[&str]) {
    let graph = QueryGraph::new(Arc::new(view_of(files)));
    let found = graph.referring(&definer.into(), name, Some(holder)).unwrap();
    let found: Vec<String> = found.iter().map(format_place).collect();
    assert_eq!(found, expected);
}

/// What `name` means in the file at `path`, mention by mention.
#[track_caller]
fn check_meanings(files: &str, path: &str, name: &str, expected: &[(NameMeaning, &[u32])]) {
    let graph = QueryGraph::new(Arc::new(view_of(files)));
    let mut found: Vec<(NameMeaning, Vec<u32>)> = graph
        .meanings(&RepoPath::from(path), name)
        .unwrap()
        .into_iter()
        .map(|used| (used.meaning, used.lines))
        .collect();
    found.sort_by(|one, other| one.1.cmp(&other.1));
    let expected: Vec<(NameMeaning, Vec<u32>)> =
        expected.iter().map(|(meaning, lines)| (*meaning, lines.to_vec())).collect();
    assert_eq!(found, expected);
}

const STORES: &str = "\
//- a.py
class Store:
    def close(self): pass
    def open(self) -> 'Store': return Store()
class Cache(Store):
    pass
def make():
    return Store()
//- b.py
class Other:
    def close(self): pass
";

#[test]
fn members_of_a_type_are_its_own_or_else_those_that_it_inherits() {
    let files = format!("{STORES}//- c.py\nimport socket\nclass Link(socket.socket): pass\n");
    let graph = QueryGraph::new(Arc::new(view_of(&files)));
    let members = |path: &str, at, name| graph.members_of_type(&path.into(), at, name).unwrap();
    let (store, cache, make) = (0, 3, 4);
    let close = vec![(RepoPath::from("a.py"), 1)];
    assert_eq!(members("a.py", store, "close").found, close);
    assert_eq!(members("a.py", cache, "close").found, close, "inherited");
    assert_eq!(members("a.py", cache, "halt"), TypeMembers::default());
    assert_eq!(members("c.py", 0, "halt"), TypeMembers { found: Vec::new(), is_open: true });
    for no_type in [make, 99] {
        assert_eq!(members("a.py", no_type, "close"), TypeMembers::default());
    }
}

#[test]
fn members_are_those_of_the_type_that_the_text_says() {
    let use_of = |text: &str| {
        format!("{STORES}//- use.py\nimport socket\nfrom a import Store, Cache, make\nfrom b import Other\n{text}")
    };
    let typed = use_of(
        "def run(store: Store, other: Other, sock: socket.socket, raw):
    store.close()
    other.close()
    sock.close()
    made = make()
    made.close()
    Cache().close()
    'x'.close()
    store.open().close()
",
    );
    check(&typed, "a.py", ("Store", "close"), &["use.py 5,9,10"]);
    check(&typed, "b.py", ("Other", "close"), &["use.py 6"]);
    // Nothing says what this is, and an everyday name of two types says nothing either.
    let untyped = use_of("def run(raw):\n    raw.close()\n");
    check(&untyped, "a.py", ("Store", "close"), &[]);
}

#[test]
fn a_property_of_kotlin_has_the_type_of_its_value() {
    let widgets = "\
//- Widget.kt
package kit
class Widget { fun push() {} }
class Other { fun push() {} }
";
    let uses = |text: &str| format!("{widgets}//- Use.kt\npackage kit\n{text}");
    let properties = uses(
        "class Names {
  private val direct = Widget()
  val other = Other()
  fun run() {
    direct.push()
    other.push()
    top.push()
  }
}
val top = Widget()
",
    );
    check(&properties, "Widget.kt", ("Widget", "push"), &["Use.kt 6,8"]);
    check(&properties, "Widget.kt", ("Other", "push"), &["Use.kt 7"]);
}

#[test]
fn an_interface_has_the_members_of_those_that_it_extends() {
    let java = "\
//- A.java
package kit;
interface Widget { void push(); }
interface Sized<T> { void size(); }
interface Sub extends Widget, Sized<String> { void other(); }
interface Leaf extends Sub {}
class Use {
  void run(Sub one, Leaf two) {
    one.push();
    two.push();
    one.size();
  }
}
";
    check(java, "A.java", ("Widget", "push"), &["A.java 8,9"]);
    check(java, "A.java", ("Sized", "size"), &["A.java 10"]);
    let kotlin =
        "//- A.kt\ninterface Widget { fun push() }\ninterface Sub : Widget\nfun run(one: Sub) {\n  one.push()\n}\n";
    check(kotlin, "A.kt", ("Widget", "push"), &["A.kt 4"]);
    let csharp = "//- A.cs\ninterface Widget { void Push(); }\ninterface Sub : Widget {}\n\
                  class Use {\nvoid Run(Sub one) { one.Push(); }\n}\n";
    check(csharp, "A.cs", ("Widget", "Push"), &["A.cs 4"]);
}

#[test]
fn of_one_name_in_a_file_the_holder_says_which_is_meant() {
    let files = "\
//- a.rs
pub struct One;
pub struct Two;
impl One { pub fn run(&self) {} }
impl Two { pub fn run(&self) {} }
//- lib.rs
mod a;
use a::{One, Two};
fn go(one: &One, two: Two) {
    one.run();
    two.run();
}
";
    check(files, "a.rs", ("One", "run"), &["lib.rs 4"]);
    check(files, "a.rs", ("Two", "run"), &["lib.rs 5"]);
}

#[test]
fn overriding_refers_to_what_is_overridden() {
    let files = "\
//- Base.java
package p;
abstract class Base { abstract void run(int n); void stop() {} }
//- Leaf.java
package p;
class Leaf extends Base {
  void run(int n) { super.stop(); }
}
//- Lone.java
package p;
class Lone { void run(int n) {} }
";
    check(files, "Base.java", ("Base", "run"), &["Leaf.java 3"]);
    check(files, "Base.java", ("Base", "stop"), &["Leaf.java 3"]);
}

#[test]
fn a_type_of_go_implements_an_interface_whose_methods_it_has() {
    let files = "\
//- a/a.go
package a
type Runner interface {
	Run()
	Stop()
}
//- b/b.go
package b
type Both struct{}
func (b *Both) Run() {}
//- b/c.go
package b
func (b *Both) Stop() {}
//- c/c.go
package c
type Half struct{}
func (h *Half) Run() {}
";
    check(files, "a/a.go", ("Runner", "Run"), &["b/b.go 3"]);
}

#[test]
fn what_a_header_declares_and_a_source_defines_is_one() {
    let files = "\
//- a.h
int load(int n);
//- a.c
#include \"a.h\"
int load(int n) { return n; }
//- main.c
#include \"a.h\"
int main(void) { return load(1); }
";
    check(files, "a.c", ("", "load"), &["main.c 2"]);
    check(files, "a.h", ("", "load"), &["a.c 2", "main.c 2"]);
}

#[test]
fn paths_of_rust_lead_through_modules_in_place() {
    let files = "\
//- Cargo.toml
[package]
name = \"tool\"
//- src/lib.rs
pub mod util;
pub mod main_loop;
//- src/util.rs
pub struct Kit;
impl Kit { pub fn new() -> Self { Kit } pub fn run(&self) {} }
pub fn help() {}
//- src/main_loop.rs
pub fn go() {
    crate::util::help();
    let kit = crate::util::Kit::new();
    kit.run();
}
";
    check(files, "src/util.rs", ("", "help"), &["src/main_loop.rs 2"]);
    check(files, "src/util.rs", ("Kit", "run"), &["src/main_loop.rs 4"]);
}

#[test]
fn keys_of_an_object_are_members_of_what_it_is_handed_to() {
    let files = "\
//- store.ts
export interface Options { reducer: string; depth?: number }
export function configure(options: Options) {}
//- use.ts
import { configure, Options } from './store'
configure({ reducer: 'a', depth: 1 })
const options: Options = { reducer: 'b' }
export function read({ depth }: Options) { return depth }
";
    check(files, "store.ts", ("Options", "reducer"), &["use.ts 2,3"]);
    check(files, "store.ts", ("Options", "depth"), &["use.ts 2,4"]);
}

#[test]
fn a_member_that_its_type_lacks_is_missing() {
    let files = format!(
        "{STORES}//- use.py\nfrom a import Store\ndef run(store: Store, raw):\n    store.gone()\n    raw.gone()\n    store.close()\n//- c.py\ndef gone(): pass\n"
    );
    check_meanings(&files, "use.py", "gone", &[(NameMeaning::Missing, &[3]), (NameMeaning::Nothing, &[4])]);
    check_meanings(&files, "use.py", "close", &[(NameMeaning::Known, &[5])]);
}

#[test]
fn types_in_circles_come_to_an_end() {
    let files = "\
//- a.py
from b import B
class A(B): pass
def one(): return two()
def two(): return one()
//- b.py
from a import A
class B(A): pass
//- use.py
from a import A, one
A().close()
one().close()
//- c.py
class C:
    def close(self): pass
";
    check(files, "c.py", ("C", "close"), &[]);
    let files = "\
//- a.ts
export type One = Two
export type Two = One
//- b.ts
export class Other { close() {} }
//- use.ts
import { One } from './a'
export function run(one: One) { one.close().close() }
";
    check(files, "b.ts", ("Other", "close"), &[]);
}

#[test]
fn what_is_outside_of_all_namespaces_is_seen_without_a_statement() {
    let guard = "//- src/Guard.cs\nstatic class Guard { public static void Check(object value) {} }\n";
    let user = "//- src/Log.cs\nnamespace Kit;\nclass Log { void Write(object value) { Guard.Check(value); } }\n";
    check(&format!("{guard}{user}"), "src/Guard.cs", ("Guard", "Check"), &["src/Log.cs 2"]);
    // The class of the file's own namespace comes first.
    let own = "//- src/Own.cs\nnamespace Kit;\nstatic class Guard { public static void Check(object value) {} }\n";
    check(&format!("{guard}{user}{own}"), "src/Guard.cs", ("Guard", "Check"), &[]);
    check(&format!("{guard}{user}{own}"), "src/Own.cs", ("Guard", "Check"), &["src/Log.cs 2"]);
    // So does that of the project.
    let other = "//- tools/Guard.cs\nstatic class Guard { public static void Check(object value) {} }\n";
    let projects = "//- src/Kit.csproj\n<Project/>\n//- tools/Tools.csproj\n<Project/>\n";
    let both = format!("{guard}{user}{other}{projects}");
    check(&both, "src/Guard.cs", ("Guard", "Check"), &["src/Log.cs 2"]);
    check(&both, "tools/Guard.cs", ("Guard", "Check"), &[]);

    let helper = "//- helpers.php\n<?php\nfunction env_of($name) {}\nclass Holder {}\n";
    let used = "//- src/a.php\n<?php\nnamespace Kit;\nfunction f() { env_of('A'); return new Holder(); }\n";
    check(&format!("{helper}{used}"), "helpers.php", ("", "env_of"), &["src/a.php 3"]);
    check(&format!("{helper}{used}"), "helpers.php", ("", "Holder"), &[]);
    let beside = used.replace("namespace Kit;", "");
    check(&format!("{helper}{beside}"), "helpers.php", ("", "Holder"), &["src/a.php 3"]);

    let java =
        "//- Box.java\nclass Box { static void fill() {} }\n//- Main.java\nclass Main { void run() { Box.fill(); } }\n";
    check(java, "Box.java", ("Box", "fill"), &["Main.java 1"]);
    check(&java.replace("Main.java\n", "Main.java\npackage kit;\n"), "Box.java", ("Box", "fill"), &[]);
}

#[test]
fn variables_of_ruby_and_php_have_the_type_of_their_value() {
    let class = |file: &str, name: &str| {
        format!("//- lib/kit/{file}.rb\nmodule Kit\n  class {name}\n    def finish\n    end\n  end\nend\n")
    };
    let user = "//- test/use.rb\nmade = Kit::Response.new(1)\nmade.finish\nKit::Mock.new.finish\n";
    let ruby = format!("{}{}{user}", class("response", "Response"), class("mock", "Mock"));
    check(&ruby, "lib/kit/response.rb", ("Response", "finish"), &["test/use.rb 2"]);
    check(&ruby, "lib/kit/mock.rb", ("Mock", "finish"), &["test/use.rb 3"]);

    let class =
        |name: &str| format!("//- src/{name}.php\n<?php\nnamespace Kit;\nclass {name} {{ function finish() {{}} }}\n");
    let user = "//- src/use.php\n<?php\nnamespace Kit;\nfunction f(Mock $mock) {\n$made = new Response(1);\n$made->finish();\n$mock->finish();\n}\n";
    let php = format!("{}{}{user}", class("Response"), class("Mock"));
    check(&php, "src/Response.php", ("Response", "finish"), &["src/use.php 5"]);
    check(&php, "src/Mock.php", ("Mock", "finish"), &["src/use.php 6"]);
}

#[test]
fn extension_methods_of_csharp_are_members_of_any_type() {
    let extensions = "//- src/NumberExtensions.cs\nnamespace Kit;\npublic static class NumberExtensions { public static string ToRoman(this int input) => \"\"; }\n";
    let user = "//- src/Use.cs\nusing Kit;\nnamespace App;\nclass Use {\nvoid F(int n) { n.ToRoman();\n42.ToRoman();\nstring.Join(1); }\n}\n";
    check(
        &format!("{extensions}{user}"),
        "src/NumberExtensions.cs",
        ("NumberExtensions", "ToRoman"),
        &["src/Use.cs 4,5"],
    );
    let animal =
        |name: &str| format!("//- src/{name}.cs\nnamespace Kit;\nclass {name} {{ public void Speak() {{}} }}\n");
    let zoo = "//- src/Zoo.cs\nnamespace Kit;\nclass Zoo {\nvoid F() { var cat = new Cat();\ncat.Speak(); }\nvoid G() { var dog = new Dog();\ndog.Speak(); }\n}\n";
    let all = format!("{}{}{zoo}", animal("Cat"), animal("Dog"));
    check(&all, "src/Cat.cs", ("Cat", "Speak"), &["src/Zoo.cs 4"]);
    check(&all, "src/Dog.cs", ("Dog", "Speak"), &["src/Zoo.cs 6"]);
}

#[test]
fn functions_of_php_are_no_methods() {
    let text = "//- src/Text.php\n<?php\nnamespace Kit;\nclass Text {\nfunction substr($a) { return substr($a, 1); }\nfunction both($a) { return 'x' . $this->substr($a); }\n}\n//- src/use.php\n<?php\nnamespace Kit;\nfunction f(Text $t) { return 'a' . $t->substr('b') . substr('c', 1); }\n";
    check(text, "src/Text.php", ("Text", "substr"), &["src/Text.php 5", "src/use.php 3"]);
}

#[test]
fn a_module_that_is_another_one_leads_there() {
    let express = "//- lib/express.js\nexports = module.exports = createApplication;\nfunction createApplication() {}\n//- index.js\nmodule.exports = require('./lib/express');\n//- test/a.js\nvar express = require('../index');\nexpress();\n";
    check(express, "lib/express.js", ("", "createApplication"), &["lib/express.js 1", "test/a.js 2"]);
}

const REQUESTS: &str = "\
//- request.rb
class Request
  def params
    @params
  end
  def scheme
    params.first
  end
end
//- basic.rb
require_relative 'request'
class Basic
  class Credentials < Request
    def username
      params.last
    end
  end
  def params
    1
  end
  def call
    params + 1
  end
end
class Other
  def call(request)
    params
    request.params
  end
end
";

#[test]
fn a_bare_name_is_a_member_of_the_type_around_it() {
    // Nothing around lines 17 and 18 has such a member, so both are guesses.
    check(REQUESTS, "request.rb", ("Request", "params"), &["basic.rb 5,17:0.25,18:0.50", "request.rb 6"]);
    check(REQUESTS, "basic.rb", ("Basic", "params"), &["basic.rb 12,17:0.50,18:0.50"]);
}

#[test]
fn types_around_a_bare_name_are_those_of_its_language() {
    let base = "//- src/Base.cs\nnamespace Kit;\npublic class Base { protected void Write() {} }\n\
                //- src/Other.cs\nnamespace Kit;\npublic class Other { public void Write() {} }\n";
    let used = "//- src/Log.cs\nnamespace Kit;\npublic class Log : Base {\n  class Part {\n    void Go() => Write();\n  }\n\
                \x20 void Go() => Write();\n  void Stop(Other other) { other.Write(); }\n}\n\
                public class Alone {\n  void Go() => Write();\n}\n";
    let all = format!("{base}{used}");
    check(&all, "src/Base.cs", ("Base", "Write"), &["src/Log.cs 4,6,10:0.25"]);
    check(&all, "src/Other.cs", ("Other", "Write"), &["src/Log.cs 7,10:0.25"]);
    let cpp = "//- kit.h\nclass Base { public: void close(); };\nclass Pipe : public Base { public: void run(); };\n\
               class File { public: void close(); };\n\
               //- pipe.cpp\n#include \"kit.h\"\nvoid Pipe::run() {\n  close();\n}\n";
    check(cpp, "kit.h", ("Base", "close"), &["pipe.cpp 3"]);
    check(cpp, "kit.h", ("File", "close"), &[]);
    let apart = "//- a.cc\nnamespace kit {\nclass Cache { void drop(); void run(); };\nclass Other { void drop(); };\n\
                 void Cache::drop() {}\nvoid Cache::run() {\n  drop();\n}\n}\n";
    check(apart, "a.cc", ("Cache", "drop"), &["a.cc 6"]);
    check(apart, "a.cc", ("Other", "drop"), &[]);
}

#[test]
fn what_is_gone_from_a_module_of_rust_is_missing_in_a_path_to_it() {
    let files = "//- Cargo.toml\n[package]\nname = \"kit\"\n\
                 //- src/lib.rs\npub mod theme;\n//- src/theme.rs\npub fn other() {}\npub fn theme() {}\npub enum Scheme { Dark }\n\
                 //- src/main.rs\nfn main() {\n  kit::theme::scheme();\n  kit::theme::other();\n  kit::theme::Scheme::Dark;\n}\n";
    let scheme = files.replace("other() {}", "other() {}\npub fn scheme() {}\npub struct Set { pub scheme: u8 }");
    check(&scheme.replace("theme() {}", "theme() -> Set {}"), "src/theme.rs", ("", "scheme"), &["src/main.rs 2"]);
    check_meanings(files, "src/main.rs", "scheme", &[(NameMeaning::Missing, &[2])]);
    check_meanings(files, "src/main.rs", "other", &[(NameMeaning::Known, &[3])]);
    check_meanings(files, "src/main.rs", "Dark", &[(NameMeaning::Known, &[4])]);
}

#[test]
fn a_type_of_go_that_is_a_list_has_only_the_methods_given_to_it() {
    let go = "//- go.mod\nmodule kit\n//- a.go\npackage kit\ntype pairs []int\nfunc (p pairs) size() int { return 1 }\n\
              //- b.go\npackage kit\nfunc run(p pairs) {\n\tp.size()\n\tp.gone()\n}\n";
    check(go, "a.go", ("pairs", "size"), &["b.go 3"]);
    check_meanings(go, "b.go", "gone", &[(NameMeaning::Missing, &[4])]);
}

#[test]
fn a_member_that_only_one_file_defines_is_likely_meant() {
    let ruby = "//- app/user.rb\nclass User\n  def confirmed?\n  end\n  def get\n  end\nend\n\
                //- lib/hook.rb\ndef run(record)\n  record.confirmed?\n  record.get\nend\n";
    check(ruby, "app/user.rb", ("User", "confirmed?"), &["lib/hook.rb 2 0.50"]);
    check(ruby, "app/user.rb", ("User", "get"), &[]);
}

#[test]
fn private_members_are_not_overridden() {
    let java = "//- Base.java\nclass Base { private void push() {} void pull() {} }\n\
                //- Leaf.java\nclass Leaf extends Base {\nprivate void push() {}\nvoid pull() {}\n}\n";
    check(java, "Base.java", ("Base", "push"), &[]);
    check(java, "Base.java", ("Base", "pull"), &["Leaf.java 3"]);
}

#[test]
fn types_that_share_a_line_or_a_name_are_kept_apart() {
    let beside = "//- A.java\nclass A {\n  void go() { stop(); }\n  void stop() {}\n} class B {\n  void stop() {}\n  void go() { stop(); }\n}\n";
    check(beside, "A.java", ("A", "stop"), &["A.java 2"]);
    check(beside, "A.java", ("B", "stop"), &["A.java 6"]);
    let inner = "//- A.java\nclass A {\n  class Builder { void make() {}\n    void go() { make(); } }\n}\n\
                 class C {\n  class Builder {\n    void make() {}\n    void go() {\n make(); } }\n}\n";
    check(inner, "A.java", ("Builder", "make"), &["A.java 3,9"]);
    let local =
        "//- A.java\nclass A {\n  void stop() {}\n  void go() {\n    class B { void run() { stop(); } }\n  }\n}\n";
    check(local, "A.java", ("A", "stop"), &["A.java 4"]);
}

#[test]
fn files_of_one_swift_module_see_each_other_across_directories() {
    let swift = "//- Package.swift\nimport PackageDescription\n\
                 let package = Package(name: \"Kit\", targets: [.target(name: \"Kit\", path: \"Source\"), \
                 .target(name: \"Other\", path: \"Other\")])\n\
                 //- Source/Parts/Form.swift\npublic class Form { func close() {} }\nfunc assemble() {}\n\
                 //- Source/Core/Session.swift\nclass Session {\nlet form: Form\nfunc run() {\nform.close()\nassemble()\n}\n}\n\
                 //- Source/Core/Form+More.swift\nextension Form { func more() {} }\n\
                 //- Other/Use.swift\nclass Use { let form: Form }\n";
    check(
        swift,
        "Source/Parts/Form.swift",
        ("", "Form"),
        &["Source/Core/Form+More.swift 1", "Source/Core/Session.swift 2"],
    );
    check(swift, "Source/Parts/Form.swift", ("Form", "close"), &["Source/Core/Session.swift 4"]);
    check(swift, "Source/Parts/Form.swift", ("", "assemble"), &["Source/Core/Session.swift 5"]);
    let test = format!(
        "{swift}//- Tests/FormTests.swift\n@testable import Kit\nclass FormTests {{\nfunc test() {{\nrun {{ door in door.swing() }}\n}}\n}}\n\
                        //- Source/Parts/Door.swift\nclass Door {{ func swing() {{}} }}\n//- Source/Parts/Gate.swift\nclass Gate {{ func swing() {{}} }}\n"
    );
    check(&test, "Source/Parts/Door.swift", ("Door", "swing"), &["Tests/FormTests.swift 4 0.50"]);
    // Nothing says of which target the files of such an application are.
    let app = "//- App/Parts/Form.swift\nclass Form {}\n//- App/Core/Session.swift\nclass Session { let form: Form }\n";
    check(app, "App/Parts/Form.swift", ("", "Form"), &["App/Core/Session.swift 1"]);
}

#[test]
fn a_declaration_and_its_body_are_one_in_namespaces_too() {
    let cpp = "//- box.h\nnamespace kit {\nclass Box {\n void fill();\n void run();\n};\nint scale(int n);\n}\n\
               //- box.cc\n#include \"box.h\"\nnamespace kit {\nvoid Box::run() {\n  fill();\n}\n\
               void Box::fill() {}\nint scale(int n) { return n; }\n}\n";
    check(cpp, "box.h", ("Box", "fill"), &["box.cc 4,6"]);
    check(cpp, "box.cc", ("Box", "fill"), &["box.cc 4"]);
    check(cpp, "box.h", ("kit", "scale"), &["box.cc 7"]);
    let ahead = cpp
        .replace("#include \"box.h\"", "#include \"edit.h\"\n#include \"box.h\"\nclass Box::Builder {};")
        .replace("class Box {", "class Box;\nclass Box {\nfriend class Box;");
    let ahead = format!("//- edit.h\nnamespace kit {{\nclass Box;\n}}\n{ahead}");
    check(&ahead, "box.h", ("Box", "fill"), &["box.cc 6,8"]);
}

#[test]
fn a_value_may_have_a_subtype_of_its_type() {
    let python = "//- a.py\nclass Base:\n    pass\nclass Middle(Base):\n    pass\nclass Leaf(Middle):\n    def fold_up(self): pass\n\
                  //- b.py\nfrom a import Base, Leaf\ndef run(one: Base):\n    if isinstance(one, Leaf):\n        one.fold_up()\n        one.gone_by()\n\
                  //- c.py\nclass Other:\n    def gone_by(self): pass\n";
    check(python, "a.py", ("Leaf", "fold_up"), &["b.py 4"]);
    check_meanings(python, "b.py", "gone_by", &[(NameMeaning::Missing, &[5])]);
}

#[test]
fn a_bare_name_that_only_other_types_have_is_a_guess() {
    let csharp = "//- Rule.cs\nnamespace Kit;\nclass Rule {}\n\
                  //- Size.cs\nnamespace Kit;\nclass Size : Rule {\nstring Text() => Localized();\n}\n\
                  //- Note.cs\nnamespace Kit;\nclass Note { string Localized() => null; }\n";
    check_meanings(csharp, "Size.cs", "Localized", &[(NameMeaning::MayBeKnown, &[3])]);
    let beside = "//- A.java\nclass A {\n  void go() { stop(); }\n}\nclass B {\n  void stop() {}\n}\n";
    check_meanings(beside, "A.java", "stop", &[(NameMeaning::MayBeKnown, &[2])]);
    let own = "//- A.kt\nfun stop() {}\nclass A {\n  fun go() { stop() }\n}\n";
    check_meanings(own, "A.kt", "stop", &[(NameMeaning::Known, &[3])]);
}

#[test]
fn members_that_are_imported_by_name_are_meant_by_bare_names() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\nmod a;\nmod c;\nmod d;\n\
                //- src/a.rs\npub enum Color { Red, Blue }\npub mod inner {\npub fn fill() { drain() }\npub fn drain() {}\n}\n\
                //- src/c.rs\nuse crate::a::Color::{Blue, Red};\nuse crate::a::inner::fill;\nfn run() {\nfill();\nlet color = Red;\n}\n\
                //- src/d.rs\nuse crate::a::Color::*;\nfn run() {\nlet color = Red;\n}\n";
    check(rust, "src/a.rs", ("Color", "Red"), &["src/c.rs 1,5", "src/d.rs 3"]);
    check(rust, "src/a.rs", ("inner", "fill"), &["src/c.rs 2,4"]);
    check(rust, "src/a.rs", ("inner", "drain"), &["src/a.rs 3"]);
    let elixir = "//- kit.ex\ndefmodule Kit do\n  def fill(n), do: n\nend\n\
                  //- use.ex\ndefmodule Use do\n  import Kit, only: [fill: 1]\n  def run, do: fill(1)\nend\n";
    check(elixir, "kit.ex", ("Kit", "fill"), &["use.ex 3"]);
    let kotlin = "//- Color.kt\npackage kit\nenum class Color { RED, BLUE }\n\
                  //- Use.kt\npackage app\nimport kit.Color.RED\nfun run() = paint(RED)\n";
    check(kotlin, "Color.kt", ("Color", "RED"), &["Use.kt 2,3:0.50"]);
}

#[test]
fn a_local_variable_or_a_path_of_rust_is_no_method() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\nmod a;\nmod sink;\n\
                //- src/a.rs\npub struct Printer;\nimpl Printer {\npub fn sink(&self) {}\n}\n\
                fn run(printer: Printer) {\nlet sink = 1;\nprinter.sink();\ntake(sink);\ncrate::sink::open();\n}\n\
                //- src/sink.rs\npub fn open() {}\n";
    check(rust, "src/a.rs", ("Printer", "sink"), &["src/a.rs 7"]);
}

#[test]
fn a_name_that_passes_a_value_on_is_no_member() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\npub struct Box;\nfn run(one: Box) {\none.get();\n}\n";
    check_meanings(rust, "src/lib.rs", "get", &[(NameMeaning::Nothing, &[3])]);
}

#[test]
fn a_type_inside_of_a_class_of_many_parts_has_users_in_other_files() {
    let part = |number: u32| {
        format!("//- Mapper.{number}.cs\nnamespace Kit\n{{\n  public static partial class Mapper {{ }}\n}}\n")
    };
    let parts: String = (0..12).map(part).collect();
    let csharp = format!(
        "{parts}//- Mapper.Settings.cs\nnamespace Kit\n{{\n  public static partial class Mapper\n  {{\n    public static class Settings {{ public static int Size; }}\n  }}\n}}\n\
         //- Use.cs\nnamespace Kit\n{{\n  class Use\n  {{\n    int Run() => Mapper.Settings.Size;\n  }}\n}}\n"
    );
    check(&csharp, "Mapper.Settings.cs", ("Mapper", "Settings"), &["Use.cs 5"]);
}
