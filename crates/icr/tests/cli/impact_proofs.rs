//! A verdict of breaking shows the use that breaks; what is no proof is none, whatever it looks like.

use icr_fixture::Fixture;
use serde_json::Value;

use crate::run::Icr;

/// The verdict on a change of `before` into `after`, then the broken uses as `path:line`.
#[track_caller]
fn check(what: &str, before: &str, after: &str, expected: &str) {
    let fixture = Fixture::new(before);
    fixture.write(after);
    let answer = Icr::new(&fixture).json(&["impact"]);
    let changes = answer["contract_impact"]["changes"].as_array().unwrap();
    let uses = changes.iter().flat_map(|change| change["uses"].as_array().unwrap());
    let place = |broken: &Value| format!(" {}:{}", broken["path"].as_str().unwrap(), broken["line"]);
    let mut places: Vec<String> = uses.map(place).collect();
    places.dedup();
    let verdict = answer["verdict"].as_str().unwrap();
    assert_eq!(format!("{verdict}{}", places.concat()), expected, "{what}: {answer:#}");
}

#[test]
fn a_required_parameter_breaks_calls_in_the_same_file_too() {
    let before = "//- a.py\ndef send(text):\n    return text\n\n\ndef greet():\n    return send(\"hello\")\n";
    let after = |call: &str| {
        format!("//- a.py\ndef send(text, to):\n    return text + to\n\n\ndef greet():\n    return {call}\n")
    };
    check("left as it was", before, &after("send(\"hello\")"), "breaking a.py:6");
    check("mended", before, &after("send(\"hello\", \"Ada\")"), "may_break");
    let optional = before.replace("text)", "text, to=None)");
    check("an optional one", before, &optional, "clean");
}

#[test]
fn a_call_is_held_against_the_parameters_of_other_files() {
    let before = "//- a.py\ndef send(text):\n    return text\n//- b.py\nfrom a import send\n\nsend(\"hello\")\n//- c.py\nfrom a import send\n\nparts = [\"hello\"]\nsend(*parts)\n";
    check("one of two is read", before, "//- a.py\ndef send(text, to):\n    return text + to\n", "breaking b.py:3");
    let spread =
        before.split("//- b.py").next().unwrap().to_owned() + "//- c.py" + before.split("//- c.py").nth(1).unwrap();
    check("any number", &spread, "//- a.py\ndef send(text, to):\n    return text + to\n", "may_break");
}

#[test]
fn a_required_parameter_breaks_calls_in_the_same_file_whatever_the_visibility() {
    let java = "//- p/A.java\npackage p;\nclass Utils {\n  static int raw(String a) {\n    return 1;\n  }\n}\nclass N {\n  int d() {\n    return Utils.raw(\"x\");\n  }\n}\n";
    let more = |text: &str| text.replace("raw(String a)", "raw(String a, int b)");
    check("of the package, in Java", java, &more(java), "breaking p/A.java:9");
    check("mended", java, &more(java).replace("raw(\"x\")", "raw(\"x\", 2)"), "clean");
    let namesake = java.replace("  int d()", "  int raw() {\n    return 2;\n  }\n  int d()");
    check("a namesake beside it", &namesake, &more(&namesake), "breaking p/A.java:12");
    let csharp = "//- a.cs\nclass U\n{\n    internal static int Raw(string a) { return 1; }\n}\nclass N\n{\n    int D() { return U.Raw(\"x\"); }\n}\n";
    check("internal, in C#", csharp, &csharp.replace("string a", "string a, int b"), "breaking a.cs:7");
    for visibility in ["internal", "private"] {
        let kotlin = format!(
            "//- p/a.kt\npackage p\n\n{visibility} fun rawThing(a: String): Int = 1\n\ninternal fun d(): Int = rawThing(\"x\")\n"
        );
        let after = kotlin.replace("a: String", "a: String, b: Int");
        check(visibility, &kotlin, &after, "breaking p/a.kt:5");
        check("mended", &kotlin, &after.replace("(\"x\")", "(\"x\", b = 2)"), "clean");
    }
    let member = "//- p/a.kt\npackage p\n\ninternal class W {\n    private fun rawThing(a: String): Int = 1\n    fun d(): Int = rawThing(\"x\")\n}\n";
    check("a private member", member, &member.replace("a: String", "a: String, b: Int"), "breaking p/a.kt:5");
}

#[test]
fn a_call_in_the_same_file_that_cannot_be_read_may_break() {
    let python = "//- a.py\ndef _send(text):\n    return text\n\n\ndef _greet(parts):\n    return _send(*parts)\n";
    check("any number", python, &python.replace("(text)", "(text, to)"), "may_break");
    let kotlin = "//- p/a.kt\npackage p\n\nprivate fun rawThing(a: String, run: () -> Int): Int = run()\n\ninternal fun d(): Int = rawThing(\"x\") { 1 }\n";
    let after = kotlin.replace("a: String,", "a: String, b: Int,");
    check("a block behind", kotlin, &after, "may_break");
    let fixture = Fixture::new(kotlin);
    fixture.write(&after);
    let text = Icr::new(&fixture).prints(&["impact"]);
    assert!(!text.contains("no contract changed"), "{text}");
}

#[test]
fn a_call_that_names_the_type_is_told_from_namesakes_of_other_types() {
    let java = "//- p/Utils.java\npackage p;\nfinal class Utils {\n  static int raw(String a) { return 1; }\n}\n//- p/N.java\npackage p;\nclass N {\n  int d() { return Utils.raw(\"x\"); }\n}\n//- p/M.java\npackage p;\nclass M {\n  static int raw(String s) { return 2; }\n  int d() { return raw(\"x\"); }\n}\n";
    let after = java.replace("raw(String a)", "raw(String a, int must)");
    check("Java", java, &after, "breaking p/N.java:3");
}

#[test]
fn an_import_says_which_of_several_definitions_is_called() {
    let method = |parameters: &str| format!("    public static int size({parameters}) {{\n        return x;\n    }}\n");
    let class = |name: &str, parameters: &str| {
        format!("//- a/{name}.java\npackage a;\n\npublic class {name} {{\n{}}}\n", method(parameters))
    };
    let user = "//- p/U.java\npackage p;\n\nimport static a.B.size;\n\npublic class U {\n    public int go() {\n        return size(1);\n    }\n}\n";
    let before = format!("{}{}{user}", class("B", "int x"), class("C", "int x, int y"));
    check("a static import", &before, &class("B", "int x, int y"), "breaking p/U.java:7");
    let before = "//- a.py\ndef send(text):\n    return text\n//- c.py\ndef send(text, to):\n    return text + to\n//- b.py\nfrom a import send\n\nsend(\"hello\")\n";
    check("a function", before, "//- a.py\ndef send(text, to):\n    return text + to\n", "breaking b.py:3");
}

#[test]
fn a_name_that_a_library_offered_may_be_used_elsewhere() {
    let manifest = |rest: &str| {
        format!("//- Cargo.toml\n[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    let published = manifest("description = \"A kit.\"\nlicense = \"MIT\"\n");
    let root = "//- src/lib.rs\npub mod a;\npub mod b;\n";
    let code = |name: &str| {
        format!(
            "//- src/a.rs\npub fn {name}() -> u8 {{\n    7\n}}\n//- src/b.rs\nuse crate::a::{name};\n\npub fn go() -> u8 {{\n    {name}()\n}}\n"
        )
    };
    let before = |manifest: &str, root: &str| format!("{manifest}{root}{}", code("first"));
    check("of a library", &before(&published, root), &code("second"), "may_break");
    check("of a package that nobody can fetch", &before(&manifest(""), root), &code("second"), "clean");
    let hidden = root.replace("pub mod a", "mod a");
    check("in a module of its own", &before(&published, &hidden), &code("second"), "clean");
    let passed_on = format!("{hidden}pub use a::*;\n");
    check("passed on", &before(&published, &passed_on), &code("second"), "may_break");

    let go = |module: &str, name: &str| {
        format!(
            "//- go.mod\nmodule {module}\n//- a/a.go\npackage a\n\nfunc {name}() int {{\n\treturn 7\n}}\n//- b/b.go\npackage b\n\nimport \"{module}/a\"\n\nfunc Go() int {{\n\treturn a.{name}()\n}}\n"
        )
    };
    check("an address", &go("example.com/kit", "First"), &go("example.com/kit", "Second"), "may_break");
    check("a name alone", &go("kit", "First"), &go("kit", "Second"), "clean");
}

#[test]
fn what_implements_a_declaration_changes_with_it() {
    let code = |ty: &str, declared: &str| {
        format!(
            "//- Cargo.toml\n[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\nmod a;\npub mod b;\npub mod c;\n//- src/a.rs\npub trait Size {{\n    fn size(&self) -> {declared};\n}}\n//- src/b.rs\nuse crate::a::Size;\n\npub struct Part;\n\nimpl Size for Part {{\n    fn size(&self) -> {ty} {{\n        7\n    }}\n}}\n//- src/c.rs\nuse crate::a::Size;\n\npub fn go(of: &dyn Size) -> bool {{\n    of.size() > 0\n}}\n"
        )
    };
    let fixture = Fixture::new(&code("u8", "u8"));
    fixture.write(&code("u16", "u16"));
    let answer = Icr::new(&fixture).json(&["impact"]);
    let changes = answer["contract_impact"]["changes"].as_array().unwrap();
    let implemented =
        changes.iter().find(|change| change["path"] == "src/b.rs").expect("the method of the type changed");
    assert_eq!(implemented["effect"], "holds", "{answer:#}");
}

#[test]
fn a_private_member_has_no_users_outside_of_its_module() {
    let before = "//- Cargo.toml\n[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub mod a;\npub mod b;\n//- src/a.rs\npub struct Part {\n    size: Option<u8>,\n}\n\nimpl Part {\n    pub fn new() -> Part {\n        Part { size: None }\n    }\n}\n//- src/b.rs\nuse crate::a::Part;\n\npub struct Whole {\n    size: u8,\n}\n\npub fn go(whole: &Whole) -> (Part, u8) {\n    (Part::new(), whole.size)\n}\n";
    let after = before.replacen("size: Option<u8>", "size: u8", 1).replacen("size: None", "size: 0", 1);
    check("a field", before, &after, "review");
}

#[test]
fn an_argument_by_place_that_another_parameter_takes_is_a_break() {
    let file = |list: &str| format!("//- a.py\ndef send({list}):\n    return str(text)\n");
    let user = |call: &str| format!("//- b.py\nfrom a import send\n\n{call}\n");
    let before = |call: &str| file("text, to, by=None") + &user(call);
    let after = file("text, by=None");
    check("by place", &before("send(1, 2)"), &after, "breaking b.py:3");
    check("by name", &before("send(1, to=2)"), &after, "breaking b.py:3");
    check("too many", &before("send(1, 2, 3)"), &after, "breaking b.py:3");
    check("another name", &before("send(1, 2)"), &file("text, whom, by=None"), "review");
}

#[test]
fn a_name_that_is_gone_breaks_those_who_import_it() {
    let before = "//- a.py\ndef send(text):\n    return text\n//- b.py\nfrom a import send\n\nsend(\"hello\")\n";
    let gone = "//- a.py\ndef deliver(text):\n    return text\n";
    check("renamed", before, gone, "breaking b.py:1 b.py:3");
    let mended = format!("{gone}//- b.py\nfrom a import deliver\n\ndeliver(\"hello\")\n");
    check("mended", before, &mended, "clean");
    let outside = format!("{gone}//- b.py\nfrom post import send\n\nsend(\"hello\")\n");
    check("taken from elsewhere", before, &outside, "clean");
    let offered = "//- a.py\nfrom c import send\n//- c.py\ndef send(text):\n    return text\n";
    check("offered on", before, offered, "review");
}

#[test]
fn an_export_that_is_gone_breaks_those_who_import_it_whatever_its_definition_is_called() {
    let before = "//- a.ts\nexport default class Engine {}\nfunction compute() {}\nexport { compute as calculate };\n//- b.ts\nimport Car from \"./a\";\nnew Car();\n//- c.ts\nimport { calculate as sum } from \"./a\";\nsum();\n";
    let file = |line: &str, export: &str| format!("//- a.ts\n{line}\nfunction compute() {{}}\n{export}\n");
    let class = "export default class Engine {}";
    let export = "export { compute as calculate };";
    check("another name", before, &file(class, "export { compute as count };"), "breaking c.ts:1");
    check("no default any more", before, &file("export class Engine {}", export), "breaking b.ts:1");
    check("a default of another name", before, &file("export default class Motor {}", export), "review");
    check("a default without a name", before, &file("export default class {}", export), "review");
    let separate = file("class Engine {}", "export { compute as calculate, Engine as default };");
    check("the same in other words", before, &separate, "review");
    let on = file(class, "export { calculate } from \"./d\";") + "//- d.ts\nexport function calculate() {}\n";
    check("offered on", before, &on, "may_break");
    let mended =
        file(class, "export { compute as count };") + "//- c.ts\nimport { count as sum } from \"./a\";\nsum();\n";
    check("mended", before, &mended, "review");
    let renamed = file(class, "export { total as calculate };").replace("compute", "total");
    check("the definition has another name, the export has not", before, &renamed, "review");
}

#[test]
fn what_is_passed_on_no_more_breaks_those_who_took_it_from_there() {
    let before = "//- a.ts\nexport function alpha() {}\nexport const gamma = 1;\n//- index.ts\nexport { alpha } from \"./a\";\nexport { gamma as delta } from \"./a\";\n//- b.ts\nimport { alpha, delta } from \"./index\";\nalpha();\n";
    let first = "export { alpha } from \"./a\";\n";
    check("one line less", before, &format!("//- index.ts\n{first}"), "breaking b.ts:1");
    let other = format!("//- index.ts\n{first}export {{ gamma as epsilon }} from \"./a\";\n");
    check("another name", before, &other, "breaking b.ts:1");
    let outside = format!("//- index.ts\n{first}export {{ delta }} from \"elsewhere\";\n");
    check("from outside", before, &outside, "clean");
    let all = "//- index.ts\nexport { gamma as delta } from \"./a\";\nexport * from \"./a\";\n";
    check("with all others", before, all, "clean");

    let before = "//- pkg/__init__.py\nfrom .m import alpha as beta\nfrom .m import gamma\n//- pkg/m.py\ndef alpha():\n    pass\n\n\ndef gamma():\n    pass\n//- main.py\nfrom pkg import beta\n\nbeta()\n";
    check("no alias", before, "//- pkg/__init__.py\nfrom .m import gamma\n", "breaking main.py:1");
    check("what nobody took", before, "//- pkg/__init__.py\nfrom .m import alpha as beta\n", "clean");
    let module = "//- pkg/__init__.py\nfrom .m import gamma\n//- pkg/beta.py\nx = 1\n";
    let fixture = Fixture::new(before);
    fixture.write(module);
    assert_ne!(Icr::new(&fixture).json(&["impact"])["verdict"], "breaking", "a module of the name");
}

#[test]
fn an_export_of_which_nobody_can_tell_may_break() {
    let before = "//- m.js\nfunction alpha() {}\nmodule.exports = { b: alpha };\n//- u.js\nconst { b } = require(\"./m\");\nb();\n";
    let spread = "//- m.js\nfunction alpha() {}\nconst all = { b: alpha };\nmodule.exports = { ...all };\n";
    check("spread", before, spread, "may_break");
    let long = format!("//- a.ts\nconst x = \"{}\"; export {{ x as b }};\n", "z".repeat(200_000));
    let before = "//- a.ts\nconst x = 1;\nexport { x as b };\n//- b.ts\nimport { b } from \"./a\";\n";
    check("not read", before, &long, "unknown");
    let before = "//- a.ts\nfunction alpha() {}\nexport default alpha;\n//- b.ts\nimport x from \"./a\";\nx();\n";
    let fixture = Fixture::new(before);
    fixture.write("//- a.ts\nexport { default } from \"outside\";\n");
    assert_ne!(Icr::new(&fixture).json(&["impact"])["verdict"], "breaking", "from outside");
}

#[test]
fn what_others_of_the_name_are_is_no_proof() {
    let before = "//- a.ts\nexport type NoInfer<T> = [T][T extends any ? 0 : never];\n//- b.ts\nimport { NoInfer } from \"./a\";\n\nexport function take<T>(value: NoInfer<T>): void {}\n";
    let after =
        "//- a.ts\nexport type Other = string;\n//- b.ts\nexport function take<T>(value: NoInfer<T>): void {}\n";
    let fixture = Fixture::new(before);
    fixture.write(after);
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_ne!(answer["verdict"], "breaking", "a name of the language: {answer:#}");

    let before = "//- shop/Clock.java\npackage shop;\n\npublic class Clock {\n    public static final int MONTH = 1;\n    public static final int YEAR = 2;\n}\n//- shop/Use.java\npackage shop;\n\nimport java.util.Calendar;\n\nclass Use {\n    int read(Calendar calendar) {\n        return calendar.get(Calendar.MONTH);\n    }\n\n    int year() {\n        return Clock.YEAR;\n    }\n}\n";
    let after =
        "//- shop/Clock.java\npackage shop;\n\npublic class Clock {\n    public static final int YEAR = 2;\n}\n";
    let fixture = Fixture::new(before);
    fixture.write(after);
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_ne!(answer["verdict"], "breaking", "a member of another type: {answer:#}");
    check("a member of the type", before, &after.replace("YEAR", "MONTH"), "breaking shop/Use.java:11");
}

#[test]
fn variants_and_fields_break_where_their_type_is_named() {
    let before = "//- src/lib.rs\npub mod mode;\npub mod other;\npub mod user;\n//- src/mode.rs\npub enum Mode {\n    Always,\n    Never,\n}\n//- src/other.rs\npub enum Other {\n    Never,\n}\n//- src/user.rs\nuse crate::mode::Mode;\nuse crate::other::Other;\n\npub fn is_off(mode: &Mode, other: &Other) -> bool {\n    matches!(mode, Mode::Never) || matches!(other, Other::Never)\n}\n";
    check(
        "a variant that another type has too",
        before,
        "//- src/mode.rs\npub enum Mode {\n    Always,\n    Off,\n}\n",
        "breaking src/user.rs:5",
    );
}

#[test]
fn calls_of_overloads_and_private_members_are_told_by_what_is_sure() {
    let store = "//- Store.java\npackage p;\nfinal class Store {\n    void put(String key, Number n) {}\n    void put(String key, Character c) {}\n}\n";
    let user =
        "//- Use.java\npackage p;\nclass Use {\n    void go(Store store) {\n        store.put(\"a\", 1);\n    }\n}\n";
    let changed = store.replace("Character c", "Character c, int more");
    check("an overload that may not be meant", &format!("{store}{user}"), &changed, "may_break");
    let reader = "//- Reader.java\npackage p;\nclass Reader implements java.io.Closeable {\n    public void close() { fill(); }\n    private void fill() {}\n}\n";
    check("a private method", reader, &reader.replace("void fill", "void refill"), "breaking Reader.java:3");
    let header = "//- kit.h\nint load(int n);\n//- kit.c\n#include \"kit.h\"\nint load(int n) { return n; }\n";
    let main = "//- main.c\n#include \"kit.h\"\nint main(void) { return load(1); }\n";
    let wider = header.replace("int n", "int n, int more");
    check("behind a header", &format!("{header}{main}"), &wider, "breaking main.c:2");
}

#[test]
fn a_public_item_without_users_may_break_and_a_private_one_does_not() {
    let before = "//- a.go\npackage a\n\nfunc Send(text string) string {\n\treturn text\n}\n\nfunc trim(text string) string {\n\treturn text\n}\n";
    check("public", before, &before.replace("func Send", "func Deliver"), "may_break");
    check("lower-case in Go", before, &before.replace("func trim", "func strip"), "clean");
}

#[test]
fn bases_are_followed_as_far_as_they_are_of_the_repository() {
    let with_base = |base: &str, own: &str, name: &str| {
        format!(
            "//- a.py\n{base}\n\nclass Leaf(Base):\n    def {name}(self):\n        return 1\n{own}\n    def show(self):\n        return self.render_all()\n"
        )
    };
    let check_base = |what: &str, base: &str, own: &str, expected: &str| {
        let (before, after) = (with_base(base, own, "render_all"), with_base(base, own, "draw_all"));
        check(what, &before, &after, expected);
    };
    let root = "class Root:\n    pass\n\nclass Base(Root):\n    pass\n";
    check_base("a base of the file", root, "", "breaking a.py:13");
    check_base("a base from outside", "from kit import Base\n", "", "may_break");
    check_base("a base of a base from outside", &root.replace("(Root)", "(Root, Other)"), "", "may_break");
    let defined = root.replace("(Root):\n    pass", "(Root):\n    def render_all(self):\n        return 2");
    check_base("a base that has the name", &defined, "", "may_break");
    let any = "\n    def __getattr__(self, name):\n        return None\n";
    check_base("a member for all names", root, any, "may_break");
}

#[test]
fn a_use_that_the_change_adds_of_what_it_takes_away_is_broken() {
    let before = "//- a.ts\nexport function foo(n: number): number {\n  return n;\n}\n//- b.ts\nimport { foo } from \"./a\";\nexport const b = foo(1);\n";
    let renamed = "//- a.ts\nexport function bar(n: number): number {\n  return n;\n}\n//- b.ts\nimport { bar } from \"./a\";\nexport const b = bar(1);\n";
    let added = "//- c.ts\nimport { foo } from \"./a\";\nexport const c = foo(3);\n";
    check("a new file", before, &format!("{renamed}{added}"), "breaking c.ts:1 c.ts:2");
    check("mended", before, renamed, "clean");
    let before = "//- a.py\ndef foo(a):\n    return a\n//- b.py\nfrom a import foo\n\nfoo(1)\n";
    let after = "//- a.py\ndef foo(a, b):\n    return a + b\n//- b.py\nfrom a import foo\n\nfoo(1, 2)\n//- c.py\nfrom a import foo\n\nfoo(1)\n";
    check("a new call", before, after, "breaking c.py:3");
}

#[test]
fn each_change_of_a_promise_has_uses_of_its_own() {
    let before = "//- a.py\ndef send(text):\n    return text\n//- b.py\nfrom a import send\n\nsend(\"hello\")\n";
    let fixture = Fixture::new(before);
    fixture.write("//- a.py\ndef send(body, to):\n    return body + to\n");
    let answer = Icr::new(&fixture).json(&["impact"]);
    let changes = answer["contract_impact"]["changes"].as_array().unwrap();
    let uses = |class: &str| {
        let change = changes.iter().find(|change| change["class"] == class).unwrap();
        change["uses"].as_array().unwrap().len()
    };
    assert_eq!((uses("parameter_added_required"), uses("parameter_renamed")), (1, 0), "{answer:#}");
}

#[test]
fn an_import_that_leads_nowhere_is_broken_in_every_language() {
    let before = "//- src/a/Util.kt\npackage a\n\nfun checkAll(n: Int): Int = n\n//- src/b/Other.kt\npackage b\n\nimport a.checkAll\n\nfun other(): Int = checkAll(1)\n";
    let after = "//- src/a/Util.kt\npackage a\n\nfun checkEach(n: Int): Int = n\n";
    check("Kotlin", before, after, "breaking src/b/Other.kt:3");
    let mended =
        format!("{after}//- src/b/Other.kt\npackage b\n\nimport a.checkEach\n\nfun other(): Int = checkEach(1)\n");
    check("Kotlin, mended", before, &mended, "clean");
}

#[test]
fn a_directory_that_moves_away_from_who_imports_it_breaks_them() {
    let fixture = Fixture::new(
        "//- src/tools/index.ts\nexport function tool(): number {\n  return 1;\n}\n//- src/main.ts\nimport \"./tools\";\n",
    );
    fixture.git(&["mv", "src/tools", "src/kit"]);
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(answer["verdict"], "breaking", "{answer:#}");
    assert_eq!(answer["contract_impact"]["changes"][0]["uses"][0]["path"], "src/main.ts", "{answer:#}");
}

#[test]
fn who_calls_the_caller_of_a_changed_helper_is_to_be_reviewed() {
    let before = "//- a.py\ndef _trim(text):\n    return text.strip()\n\n\ndef send(text):\n    return _trim(text)\n//- b.py\nfrom a import send\n\n\ndef greet():\n    return send(\"hello\")\n";
    check("used elsewhere", before, &before.replace("text.strip()", "text.rstrip()"), "review");
    let alone = before.split("//- b.py").next().unwrap();
    check("used by nobody", alone, &alone.replace("text.strip()", "text.rstrip()"), "clean");
    let fixture = Fixture::new(before);
    fixture.write(&before.replace("text.strip()", "text.rstrip()"));
    let report = Icr::new(&fixture).prints(&["impact"]);
    assert!(report.contains("\nDependents: 0, and 1 file through the changed files\n"), "{report}");
    assert!(report.contains("  b.py  2 steps, through `a.py`\n"), "{report}");
}

#[test]
fn comments_that_a_compiler_obeys_are_code() {
    let before = "//- go.mod\nmodule kit\n//- a.go\n// Kit.\n\n//go:build go1.22\n\npackage kit\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar text string\n";
    check("a constraint", before, &before.replace("go1.22", "go1.22 && !tinygo"), "clean");
    check("a file to embed", before, &before.replace("a.txt", "b.txt"), "clean");
    check("another comment", before, &before.replace("// Kit.", "// A kit."), "cosmetic");
    let python = "//- a.py\nclass A:\n    def match(  # type: ignore\n        self, a=1\n    ):\n        return a\n//- b.py\nfrom a import A\n\nA().match(2)\n";
    check("a comment among parameters", python, &python.replace("  # type: ignore", ""), "cosmetic");
}

#[test]
fn a_module_that_makes_up_names_may_still_have_one_that_is_gone() {
    let module =
        "//- a.py\ndef __getattr__(name):\n    raise AttributeError(name)\n\n\ndef send(text):\n    return text\n";
    let user = "//- b.py\nfrom a import send\n\nsend(\"hello\")\n";
    let renamed = module.replace("def send", "def deliver");
    check("made up perhaps", &format!("{module}{user}"), &format!("{renamed}{user}"), "may_break");
}

#[test]
fn a_file_that_moves_away_from_who_requires_it_breaks_them() {
    let fixture = Fixture::new(
        "//- lib/kit/mime.rb\nmodule Kit\n  module Mime\n    def self.type\n      1\n    end\n  end\nend\n//- lib/kit/files.rb\nrequire_relative 'mime'\n\nmodule Kit\n  class Files\n    def type\n      Mime.type\n    end\n  end\nend\n",
    );
    fixture.write("//- lib/kit/support/.keep\n");
    fixture.git(&["mv", "lib/kit/mime.rb", "lib/kit/support/mime.rb"]);
    let moved = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(moved["verdict"], "breaking", "{moved:#}");
    let change = &moved["contract_impact"]["changes"][0];
    assert_eq!((&change["class"], &change["uses"][0]["path"]), (&"moved".into(), &"lib/kit/files.rb".into()));
    let files =
        std::fs::read_to_string(fixture.root().join("lib/kit/files.rb")).unwrap().replace("'mime'", "'support/mime'");
    fixture.write(&format!("//- lib/kit/files.rb\n{files}"));
    let mended = Icr::new(&fixture).json(&["impact"]);
    assert_ne!(mended["verdict"], "breaking", "{mended:#}");
}

#[test]
fn a_type_outside_of_all_namespaces_has_users_in_each() {
    let guard =
        "//- src/Guard.cs\nstatic class Guard\n{\n    public static void AgainstNull(object value)\n    {\n    }\n}\n";
    let user = "//- src/Core/Log.cs\nnamespace Kit.Core;\n\npublic class Log\n{\n    public void Write(object value)\n    {\n        Guard.AgainstNull(value);\n    }\n}\n";
    let wider = guard.replace("object value)", "object value, int depth)");
    check("a use in a namespace", &format!("{guard}{user}"), &wider, "breaking src/Core/Log.cs:7");
    let body = guard.replace("    {\n    }", "    {\n        _ = value;\n    }");
    check("another body", &format!("{guard}{user}"), &body, "review");
    let other = user.replace("Guard.AgainstNull(value)", "MyGuard.AgainstNullOrEmpty(\"Guard.AgainstNull\")");
    check("another name", &format!("{guard}{other}"), &wider, "clean");
    let mended = format!("{wider}{}", user.replace("AgainstNull(value)", "AgainstNull(value, 1)"));
    check("mended", &format!("{guard}{user}"), &mended, "clean");
}

#[test]
fn a_member_that_others_write_after_its_type_may_break_them_even_if_the_way_is_not_known() {
    // The project opens the namespace for all its files.
    let project = "//- src/Kit.csproj\n<Project><ItemGroup><Using Include=\"Kit.Checks\" /></ItemGroup></Project>\n";
    let guard = "//- src/Guard.cs\nnamespace Kit.Checks;\nstatic class Guard\n{\n    public static void AgainstNull(object value)\n    {\n    }\n}\n";
    let user = "//- src/Core/Log.cs\nnamespace Kit.Core;\n\npublic class Log\n{\n    public void Write(object value)\n    {\n        Guard.AgainstNull(value);\n    }\n}\n";
    let wider = guard.replace("object value)", "object value, int depth)");
    let before = format!("{project}{guard}{user}");
    check("a use in another namespace", &before, &wider, "may_break");
    let other = user.replace("Guard.AgainstNull(value)", "MyGuard.AgainstNullOrEmpty(\"Guard.AgainstNull\")");
    check("another name", &format!("{project}{guard}{other}"), &wider, "clean");
    check(
        "mended",
        &before,
        &format!("{wider}{}", user.replace("AgainstNull(value)", "AgainstNull(value, 1)")),
        "clean",
    );
}

#[test]
fn who_makes_a_value_depends_on_its_constructor() {
    let box_and_use = [
        "//- a.py\nclass Box:\n    def __init__(self, n):\n        self.n = n + 1\n//- b.py\nfrom a import Box\n\n\ndef make():\n    return Box(1)\n",
        "//- a.rb\nclass Box\n  def initialize(n)\n    @n = n + 1\n  end\nend\n//- b.rb\nrequire_relative 'a'\n\ndef make\n  Box.new(1)\nend\n",
        "//- a.js\nexport class Box {\n  constructor(n) {\n    this.n = n + 1;\n  }\n}\n//- b.js\nimport { Box } from \"./a.js\";\nexport const make = () => new Box(1);\n",
        "//- src/Box.php\n<?php\nnamespace Kit;\nclass Box {\n    public function __construct(int $n) {\n        $this->n = $n + 1;\n    }\n}\n//- src/Make.php\n<?php\nnamespace Kit;\nfunction make() {\n    return new Box(1);\n}\n",
    ];
    for before in box_and_use {
        check("another sum", before, &before.replace("n + 1", "n + 2"), "review");
    }
}

#[test]
fn an_import_that_may_be_taken_from_a_package_now_is_not_proved_to_be_broken() {
    let before = "//- vendored.py\nimport os\n//- b.py\nimport vendored\n";
    let fixture = Fixture::new(before);
    fixture.git(&["rm", "-q", "vendored.py"]);
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(answer["verdict"], "may_break", "{answer:#}");
}

#[test]
fn a_class_that_is_not_where_its_autoload_rule_looks_may_break_its_users() {
    let rules = "//- composer.json\n{\"autoload\": {\"psr-4\": {\"Kit\\\\\": \"src/\"}}}\n";
    let class = "<?php\nnamespace Kit;\nclass Box {\n    public function size() {\n        return 1;\n    }\n}\n";
    let user = "//- src/Make.php\n<?php\nnamespace Kit;\nclass Make {\n    public function make() {\n        return new Box();\n    }\n}\n";
    let moved = |to: &str, class: &str| {
        let fixture = Fixture::new(&format!("{rules}//- src/Box.php\n{class}{user}"));
        std::fs::remove_file(fixture.root().join("src/Box.php")).unwrap();
        fixture.write(&format!("//- {to}\n{class}"));
        Icr::new(&fixture).json(&["impact"])
    };
    let lost = moved("lib/Box.php", class);
    assert_eq!(lost["verdict"], "may_break", "{lost:#}");
    let detail = lost["contract_impact"]["changes"][0]["detail"].as_str().unwrap();
    assert!(detail.ends_with("where no PSR-4 or PSR-0 rule of `composer.json` looks for its class"), "{detail}");
    assert_eq!(lost["contract_impact"]["changes"][0]["consumers_untouched"], 1, "{lost:#}");
    // A class that takes the name of its new place is looked for there.
    let renamed = moved("src/Deep/Box.php", &class.replace("namespace Kit;", "namespace Kit\\Deep;"));
    assert!(!renamed["contract_impact"].to_string().contains("PSR-4"), "{renamed:#}");
}

#[test]
fn an_extension_of_types_from_outside_has_users_when_it_is_gone() {
    let before = "//- src/NumberExtensions.cs\nnamespace Kit;\npublic static class NumberExtensions\n{\n    public static string ToRoman(this int input) => \"\";\n}\n//- src/Use.cs\nnamespace Kit;\nclass Use\n{\n    string F(int n) => n.ToRoman() + 42.ToRoman();\n}\n";
    let renamed = before.replacen("ToRoman", "ToLatin", 1);
    let fixture = Fixture::new(before);
    fixture.write(&renamed);
    let answer = Icr::new(&fixture).json(&["impact"]);
    let verdict = answer["verdict"].as_str().unwrap();
    assert!(["may_break", "breaking"].contains(&verdict), "{answer:#}");
    check("another body", before, &before.replacen("=> \"\"", "=> \"I\"", 1), "review");
}

#[test]
fn one_name_of_what_is_required_breaks_when_it_is_gone() {
    let before = "//- u.js\nexports.trim = (text) => text;\nexports.pad = (text) => text;\n//- a.js\nconsole.log(require('./u').trim('a'));\n//- b.js\nconst pad = require('./u').pad;\npad('b');\n";
    check("the one used in place", before, &before.replace("exports.trim", "exports.strip"), "breaking a.js:1");
    check("the one with a variable", before, &before.replace("exports.pad", "exports.fill"), "breaking b.js:1 b.js:2");
}

#[test]
fn a_function_that_a_rust_path_names_in_full_breaks_it_when_it_is_gone() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\nversion = \"0.1.0\"\nedition = \"2021\"\n//- src/lib.rs\npub mod theme;\n//- src/theme.rs\npub fn scheme(n: u32) -> u32 {\n    n\n}\n\npub fn theme() {}\n//- src/main.rs\nfn main() {\n    let scheme = kit::theme::scheme(1);\n    println!(\"{scheme}\");\n}\n";
    check("renamed", rust, &rust.replace("fn scheme", "fn colors"), "breaking src/main.rs:2");
    let kept = "pub use self::scheme as colors;\n\npub fn scheme(n: u32)";
    check("with another name beside it", rust, &rust.replace("pub fn scheme(n: u32)", kept), "clean");
}

#[test]
fn callers_through_an_interface_are_reached() {
    let csharp = "//- src/ILog.cs\nnamespace Kit;\npublic interface ILog { void Write(string text); }\n//- src/Log.cs\nnamespace Kit;\npublic class Log : ILog\n{\n    public void Write(string text) { Keep(text); }\n    void Keep(string text) { }\n}\n//- src/Net.cs\nnamespace Kit;\npublic class Net : ILog\n{\n    public void Write(string text) { }\n}\n//- src/Use.cs\nnamespace Kit;\nclass Use\n{\n    void F(ILog log) => log.Write(\"a\");\n}\n";
    let fixture = Fixture::new(csharp);
    fixture.write(&csharp.replace("Keep(text);", "Keep(text + text);"));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(answer["verdict"], "review", "{answer:#}");
    let reached = answer["transitive_dependents"].as_array().unwrap();
    let paths: Vec<&Value> = reached.iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["src/Use.cs"], "{answer:#}");
}

#[test]
fn values_given_to_a_module_of_javascript_break_when_they_are_gone() {
    let js = "//- u.js\nexports.limit = 3;\nexports.names = [\"a\"].concat(\"b\");\n//- a.js\nconst u = require('./u');\nconsole.log(u.names);\n";
    check("one in use", js, &js.replace("exports.names = [\"a\"].concat(\"b\");\n", ""), "breaking a.js:2");
    check("one without users here", js, &js.replace("exports.limit = 3;\n", ""), "may_break");
}

#[test]
fn a_doubtful_line_is_not_broken_because_another_line_of_its_file_is() {
    // `add` of an unknown value is more likely that of a set or a list.
    let ruby = "//- a.rb\nclass Box\n  def add(n)\n    n\n  end\nend\n//- b.rb\nrequire_relative 'a'\n\ndef make(other)\n  box = Box.new\n  box.add(1)\n  other.add(2)\nend\n";
    check("one line of two", ruby, &ruby.replace("(n)", "(n, of)"), "breaking b.rb:5");
}

#[test]
fn calls_without_a_required_argument_break_in_languages_that_refuse_them() {
    let php = "//- src/Box.php\n<?php\nnamespace Kit;\nclass Box {\n    public function fill(int $n) {\n        return $n;\n    }\n}\n//- src/Make.php\n<?php\nnamespace Kit;\nclass Make {\n    public function make(Box $box) {\n        return $box->fill(1);\n    }\n}\n";
    check("PHP", php, &php.replace("int $n", "int $n, int $of"), "breaking src/Make.php:5");
    check("PHP drops what is too much", php, &php.replace("int $n", ""), "review");
    let ruby = "//- a.rb\nclass Box\n  def fill_up(n)\n    n\n  end\nend\n//- b.rb\nrequire_relative 'a'\n\ndef make\n  box = Box.new\n  box.fill_up(1)\nend\n";
    check("Ruby", ruby, &ruby.replace("(n)", "(n, of)"), "breaking b.rb:5");
    check("a block", ruby, &ruby.replace("(n)", "(n, &block)"), "review");
    let made = "//- a.rb\nclass Box\n  def initialize(n)\n    @n = n\n  end\nend\n//- b.rb\nrequire_relative 'a'\n\ndef make\n  Box.new(1)\nend\n";
    check("a constructor", made, &made.replace("(n)", "(n, of)"), "breaking b.rb:4");
    check(
        "without brackets",
        &made.replace("new(1)", "new 1"),
        &made.replace("(n)", "(n, of)").replace("new(1)", "new 1"),
        "may_break",
    );
}

#[test]
fn what_may_come_from_outside_is_no_proof() {
    // The base of the base is not of the repository.
    let php = "//- src/Case.php\n<?php\nnamespace Kit;\nclass Case_ extends \\Other\\Case_ {\n    protected function tear(): void {\n        parent::tear();\n    }\n}\n//- src/BoxCase.php\n<?php\nnamespace Kit;\nclass BoxCase extends Case_ {\n    protected function tear(): void {\n        parent::tear();\n    }\n}\n";
    let without = php.replacen("    protected function tear(): void {\n        parent::tear();\n    }\n", "", 1);
    check("PHP", php, &without, "may_break");
    let ruby = "//- help.rb\nRUBY_ENGINE = 'ruby' unless defined? RUBY_ENGINE\n//- use.rb\nrequire_relative 'help'\nputs RUBY_ENGINE\n";
    let fixture = Fixture::new(ruby);
    fixture.write("//- help.rb\n# nothing\n");
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_ne!(answer["verdict"], "breaking", "{answer:#}");
}

#[test]
fn a_module_that_other_files_open_too_is_not_gone_with_one_of_them() {
    let gone = |before: &str, path: &str| {
        let fixture = Fixture::new(before);
        fixture.git(&["rm", "-q", path]);
        let answer = Icr::new(&fixture).json(&["impact"]);
        let changes = answer["contract_impact"]["changes"].as_array().unwrap().clone();
        changes.into_iter().map(|change| change["symbol"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let ruby = "//- lib/kit/a.rb\nmodule Kit\n  class A\n  end\nend\n//- lib/kit/b.rb\nmodule Kit\n  class B\n  end\nend\n//- lib/kit.rb\nrequire_relative 'kit/a'\nmodule Kit\n  def self.make\n    Kit::A.new\n  end\nend\n//- lib/use.rb\nrequire_relative 'kit'\nKit.make\n";
    assert_eq!(gone(ruby, "lib/kit/b.rb"), ["Kit.B"]);
    let cpp = "//- a.h\nnamespace kit {\nclass A {};\n}\n//- b.h\nnamespace kit {\nclass B {};\n}\n//- use.cc\n#include \"a.h\"\nkit::A made;\n";
    assert_eq!(gone(cpp, "b.h"), ["kit.B"]);
    // The last file that opens it takes it away.
    let last =
        gone("//- b.rb\nmodule Kit\n  class B\n  end\nend\n//- use.rb\nrequire_relative 'b'\nKit::B.new\n", "b.rb");
    assert!(last.contains(&"Kit".to_owned()), "{last:?}");
}

#[test]
fn a_member_that_only_its_own_file_uses_is_missed_there() {
    let java = "//- src/Make.java\npackage kit;\nclass Make {\n    abstract static class Part {\n        abstract void fill();\n        void run() {\n            fill();\n        }\n    }\n}\n";
    check("renamed", java, &java.replacen("void fill", "void pour", 1), "breaking src/Make.java:6");
    check("mended", java, &java.replace("fill()", "pour()"), "clean");
    let others = java.replace("}\n}\n", "}\n    static class Other {\n        void fill() {}\n    }\n}\n");
    check("a namesake of another type", &others, &others.replacen("void fill", "void pour", 1), "may_break");
    let fixture = Fixture::new(&others);
    fixture.write(&others.replacen("void fill", "void pour", 1));
    let text = Icr::new(&fixture).prints(&["impact"]);
    assert!(text.contains("used in its own file"), "{text}");
}

#[test]
fn an_inherited_member_that_is_gone_is_missed_though_another_type_has_one_of_the_name() {
    let csharp = "//- src/Rule.cs\nnamespace Kit;\npublic class Rule\n{\n    protected string Localized() => null;\n}\n//- src/Size.cs\nnamespace Kit;\npublic class Size : Rule\n{\n    string Text() => Localized();\n}\n//- src/Note.cs\nnamespace Kit;\npublic class Note\n{\n    public string Localized() => null;\n}\n";
    check("renamed", csharp, &csharp.replacen("Localized", "Translated", 1), "may_break");
}

#[test]
fn a_definition_that_no_longer_fits_its_declaration_may_break() {
    let go = "//- go.mod\nmodule kit\n//- a.go\npackage kit\n\ntype setter interface {\n\tset(n int)\n}\n\ntype form struct{}\n\nvar _ setter = form{}\n\nfunc (f form) set(n int) {}\n";
    check("an interface of Go", go, &go.replace("(f form) set", "(f form) put"), "may_break");
    check("both", go, &go.replace("set(n int)", "put(n int)"), "clean");
    let java = "//- src/Log.java\npackage kit;\ninterface Log {\n    void write(String text);\n}\n//- src/Net.java\npackage kit;\nclass Net implements Log {\n    public void write(String text) {}\n}\n";
    check("another name", java, &java.replace("public void write", "public void send"), "breaking src/Net.java:2");
    let more = java.replace("public void write(", "public void write(int n, ");
    check("one parameter more", java, &more, "breaking src/Net.java:2");
    let base = java.replace("class Net implements", "class Net extends Other implements");
    check("a base may have it", &base, &base.replace("public void write", "public void send"), "may_break");
    let later = java.replace("class Net", "abstract class Net");
    check("left to others", &later, &later.replace("public void write", "public void send"), "may_break");
    check("the interface too", java, &java.replace("void write(", "void write(int n, "), "clean");
    let other = java.replace("class Net implements Log", "class Net").replace("public void write", "public void send");
    check("no interface any more", java, &other, "clean");
    let cpp = "//- box.h\nclass Box {\n  void fill();\n  void run();\n};\n//- box.cc\n#include \"box.h\"\nvoid Box::run() {\n  fill();\n}\nvoid Box::fill() {}\n";
    check("the body", cpp, &cpp.replace("Box::fill", "Box::pour"), "may_break");
    check("the declaration", cpp, &cpp.replace("  void fill();", "  void pour();"), "breaking box.cc:5");
    let fixture = Fixture::new(cpp);
    fixture.write(&cpp.replace("Box::fill", "Box::pour"));
    let text = Icr::new(&fixture).prints(&["impact"]);
    assert!(text.contains("still declared at `box.h:2`"), "{text}");
}

#[test]
fn callers_through_a_protocol_are_reached() {
    let swift = "//- Sources/Kit/Encoding.swift\npublic protocol Encoding {\n    func encode(_ text: String) -> String\n}\npublic struct Plain: Encoding {\n    public func encode(_ text: String) -> String { text }\n}\n//- Sources/Kit/Session.swift\nclass Session {\n    let encoding: any Encoding\n    func run() { encoding.encode(\"a\") }\n}\n";
    let fixture = Fixture::new(swift);
    fixture.write(&swift.replace("String { text }", "String { text + text }"));
    let answer = Icr::new(&fixture).json(&["impact"]);
    let reached = answer["transitive_dependents"].as_array().unwrap();
    let paths: Vec<&Value> = reached.iter().map(|file| &file["path"]).collect();
    assert_eq!(paths, ["Sources/Kit/Session.swift"], "{answer:#}");
}

#[test]
fn a_trait_method_that_is_gone_breaks_what_implements_it() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\npub mod a;\npub mod b;\n//- src/a.rs\npub trait Draw {\n    fn draw(&self) -> u32;\n}\npub struct Box;\nimpl Draw for Box {\n    fn draw(&self) -> u32 {\n        1\n    }\n}\n//- src/b.rs\nuse crate::a::Draw;\npub struct Line;\nimpl Draw for Line {\n    fn draw(&self) -> u32 {\n        2\n    }\n}\n";
    check(
        "renamed",
        rust,
        &rust.replacen("fn draw(&self) -> u32;", "fn paint(&self) -> u32;", 1),
        "breaking src/a.rs:5 src/b.rs:3 src/a.rs:6 src/b.rs:4",
    );
    check("everywhere", rust, &rust.replace("fn draw", "fn paint"), "may_break");
    check(
        "one that implements it",
        rust,
        &rust.replacen("fn draw(&self) -> u32 {\n        2", "fn paint(&self) -> u32 {\n        2", 1),
        "breaking src/b.rs:3",
    );
}

#[test]
fn a_member_of_a_rust_type_is_missed_though_other_types_have_one_of_the_name() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\npub mod a;\npub mod b;\npub mod c;\n//- src/a.rs\n#[derive(Debug)]\npub struct Printer;\nimpl Default for Printer {\n    fn default() -> Self {\n        Self\n    }\n}\nimpl Printer {\n    pub fn new() -> Self {\n        Self\n    }\n    pub fn themes(&self) -> u32 {\n        1\n    }\n    pub fn to_string(&self) -> u32 {\n        1\n    }\n}\n//- src/b.rs\npub struct Assets;\nimpl Assets {\n    pub fn themes(&self) -> u32 {\n        2\n    }\n    pub fn to_string(&self) -> u32 {\n        1\n    }\n}\n//- src/c.rs\nuse crate::a::Printer;\npub fn run() -> u32 {\n    let printer = Printer::new();\n    printer.themes() + printer.to_string()\n}\n";
    let renamed = |name: &str| rust.replacen(&format!("fn {name}"), &format!("fn all_{name}"), 1);
    check("a method of its own", rust, &renamed("themes"), "breaking src/c.rs:4");
    check("what every type may have", rust, &renamed("to_string"), "may_break");
}

#[test]
fn a_known_base_does_not_hide_that_a_member_is_gone() {
    let python = "//- a.py\nfrom abc import ABC\n\n\nclass Bar(ABC):\n    def update(self):\n        return 1\n//- b.py\nclass Other:\n    def update(self):\n        return 1\n//- c.py\nfrom a import Bar\n\n\ndef run():\n    bar = Bar()\n    bar.update()\n";
    let renamed = |text: &str| text.replacen("def update", "def advance", 1);
    check("ABC", python, &renamed(python), "breaking c.py:6");
    let unknown = python.replace("from abc import ABC", "from kit import Widget").replace("ABC", "Widget");
    check("an unknown one", &unknown, &renamed(&unknown), "may_break");
}

#[test]
fn a_constructor_that_is_gone_or_changed_is_told() {
    let java = "//- src/Box.java\npackage kit;\npublic class Box {\n    private Box(int a) {}\n    public Box(String a, int b) {}\n    static Box make() { return new Box(1); }\n}\n//- src/Use.java\npackage kit;\nclass Use {\n    Box box = new Box(\"a\", 2);\n}\n";
    check("gone", java, &java.replace("    public Box(String a, int b) {}\n", ""), "may_break");
    let all = java.replace("Box", "Crate").replace("src/Crate.java", "src/Box.java");
    check("renamed with its type", java, &all, "clean");
    let one = java.replace("    public Box(String a, int b) {}\n", "").replace("new Box(\"a\", 2)", "null");
    check("private, in its own file", &one, &one.replace("Box(int a)", "Box(int a, int b)"), "breaking src/Box.java:4");
}

#[test]
fn who_only_mentions_a_type_does_not_use_its_constructor() {
    let java = "//- src/Box.java\npackage kit;\npublic class Box {\n    Box(int a) {}\n    static Box make() { return new Box(1); }\n}\n//- src/Use.java\npackage kit;\nclass Use {\n    void use(Box box) {}\n}\n";
    let after = java.replace("Box(int a)", "Box(int a, int b)").replace("new Box(1)", "new Box(1, 2)");
    check("a parameter of the type", java, &after, "clean");
    let heir = "//- src/Heir.java\npackage kit;\nclass Heir extends Box {\n    Heir() { super(1); }\n}\n";
    check("an heir", &format!("{java}{heir}"), &format!("{after}{heir}"), "may_break");
    let maker = "//- src/Maker.java\npackage kit;\nclass Maker {\n    Box box = new Box(1);\n}\n";
    check("a maker", &format!("{java}{maker}"), &format!("{after}{maker}"), "breaking src/Maker.java:3");
}

#[test]
fn a_block_of_members_that_moves_takes_no_type_with_it() {
    let block = "impl Named for Shell {\n    fn name(&self, all: &[&str]) -> String {\n        let first = all.first().copied().unwrap_or_default();\n        format!(\"{first}-{}\", all.len())\n    }\n}\n";
    let shell = "pub enum Shell {\n    Bash,\n    Zsh,\n}\n";
    let project = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\npub mod named;\npub mod shells;\npub mod user;\npub trait Named {\n    fn name(&self, all: &[&str]) -> String;\n}\n//- src/user.rs\nuse crate::shells::Shell;\npub fn first() -> Shell {\n    Shell::Bash\n}\n";
    let side =
        |named: &str, shells: &str| format!("{project}//- src/named.rs\n// Named.\n{named}//- src/shells.rs\n{shells}");
    let before = side("", &format!("{shell}{block}"));
    check("the block alone", &before, &side(block, shell), "clean");
    let fixture = Fixture::new(&before);
    fixture.write(&side(&format!("{shell}{block}"), "// Gone.\n"));
    assert_eq!(Icr::new(&fixture).json(&["impact"])["verdict"], "breaking", "the type too");
}

#[test]
fn a_method_called_get_is_missed_too() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\npub mod a;\npub mod b;\n//- src/a.rs\npub struct Limited;\nimpl Limited {\n    pub(crate) fn get(&self) -> u32 {\n        1\n    }\n}\n//- src/b.rs\nuse crate::a::Limited;\npub fn run(limited: &Limited) -> u32 {\n    limited.get()\n}\n";
    check("renamed", rust, &rust.replacen("fn get", "fn fetch", 1), "may_break");
}

#[test]
fn overloads_are_no_sign_that_a_declaration_is_left() {
    let java = "//- src/Log.java\npackage kit;\ninterface Log {\n    void write(String text);\n}\n//- src/Net.java\npackage kit;\nclass Net implements Log {\n    public void write(String text) {}\n    void write(int n, String text) {}\n}\n";
    check("one more", java, &java.replace("void write(int n, String", "void write(int n, int of, String"), "clean");
    check("gone", java, &java.replace("    void write(int n, String text) {}\n", ""), "clean");
    let typescript = "//- log.ts\nexport interface Log {\n  write(text: string): void;\n}\nexport class Net implements Log {\n  write(text: string): void {}\n}\n";
    check(
        "fewer parameters",
        typescript,
        &typescript.replace("write(text: string): void {}", "write(): void {}"),
        "may_break",
    );
    let fixture = Fixture::new(typescript);
    fixture.write(&typescript.replace("write(text: string): void {}", "write(): void {}"));
    let answer = Icr::new(&fixture).json(&["impact"]);
    assert_eq!(answer["contract_impact"]["changes"][0]["declared_at"], Value::Null, "{answer:#}");
}

#[test]
fn a_member_that_is_required_now_is_missed_where_types_lack_it() {
    let rust = "//- Cargo.toml\n[package]\nname = \"kit\"\n//- src/lib.rs\npub mod a;\npub mod b;\n//- src/a.rs\npub trait Sink {\n    fn begin(&self) -> bool {\n        true\n    }\n    fn end(&self);\n}\n//- src/b.rs\nuse crate::a::Sink;\npub struct Lines;\nimpl Lines {\n    pub fn begin(&self) {}\n}\nimpl Sink for Lines {\n    fn end(&self) {}\n}\npub struct Whole;\nimpl Sink for Whole {\n    fn begin(&self) -> bool {\n        false\n    }\n    fn end(&self) {}\n}\n";
    let bare = |text: &str| text.replacen("-> bool {\n        true\n    }", "-> bool;", 1);
    check("a body is gone", rust, &bare(rust), "breaking src/b.rs:6");
    let written = rust.replacen("impl Sink for Lines {", "impl Sink for Lines {\n    begins!();", 1);
    check("a macro may write it", &written, &bare(&written), "may_break");
    let java = "//- src/Runner.java\npackage kit;\npublic abstract class Runner {\n    public abstract void run();\n}\n//- src/Half.java\npackage kit;\nabstract class Half extends Runner {\n}\n//- src/Whole.java\npackage kit;\nclass Whole extends Half {\n    public void run() {}\n}\n//- src/Weighed.java\npackage kit;\nclass Weighed extends Half {\n    public void run() {}\n    public double weight() { return 1; }\n}\n";
    let weighed =
        java.replacen("abstract void run();", "abstract void run();\n    public abstract double weight();", 1);
    check("a new abstract method", java, &weighed, "breaking src/Whole.java:2");
    let inherited = weighed.replace(
        "class Half extends Runner {",
        "class Half extends Runner {\n    public double weight() { return 2; }",
    );
    check("a base has it", java, &inherited, "may_break");
    let csharp = "//- src/ILog.cs\nnamespace Kit;\npublic interface ILog\n{\n    void Write();\n}\n//- src/Net.cs\nnamespace Kit;\npublic class Net : ILog\n{\n    public void Write() { }\n    void ILog.Flush() { }\n}\n//- src/File.cs\nnamespace Kit;\npublic class File : ILog\n{\n    public void Write() { }\n}\n//- src/Part.cs\nnamespace Kit;\npublic partial class Part : ILog\n{\n    public void Write() { }\n}\n";
    check(
        "in C#",
        csharp,
        &csharp.replacen("void Write();", "void Write();\n    void Flush();", 1),
        "breaking src/File.cs:2",
    );
    let kotlin = "//- src/Source.kt\npackage kit\ninterface Source {\n    fun read(): Int\n}\n//- src/Plain.kt\npackage kit\nclass Plain : Source {\n    override fun read() = 1\n}\n//- src/Given.kt\npackage kit\nclass Given(source: Source) : Source by source\n";
    check(
        "in Kotlin",
        kotlin,
        &kotlin.replacen("fun read(): Int", "fun read(): Int\n    fun close()", 1),
        "breaking src/Plain.kt:2",
    );
    let bodied = kotlin.replacen("fun read(): Int", "fun read(): Int\n    fun close() {}", 1);
    check("with a body", kotlin, &bodied, "clean");
}

/// `path:line` of what lacks a member after a change.
fn lacked_by(before: &str, after: &str) -> Vec<String> {
    let fixture = Fixture::new(before);
    fixture.write(after);
    let answer = Icr::new(&fixture).json(&["impact"]);
    let changes = answer["contract_impact"]["changes"].as_array().unwrap().iter();
    let places = changes.flat_map(|change| change["lacked_by"].as_array().unwrap().clone());
    places.map(|place| place.as_str().unwrap().to_owned()).collect()
}

#[test]
fn types_that_may_lack_a_required_member_are_named() {
    let python = "//- base.py\nfrom abc import ABC, abstractmethod\n\n\nclass Base(ABC):\n    @abstractmethod\n    def run(self):\n        ...\n//- leaf.py\nfrom base import Base\n\n\nclass Leaf(Base):\n    def run(self):\n        return 1\n\n\nclass Other(Base):\n    def run(self):\n        return 1\n\n    stop = run\n";
    let more =
        python.replacen("        ...\n", "        ...\n\n    @abstractmethod\n    def stop(self):\n        ...\n", 1);
    assert_eq!(lacked_by(python, &more), ["leaf.py:4"]);
    let swift = "//- Sources/Kit/Log.swift\npublic protocol Log {\n    func write()\n}\n//- Sources/Kit/Net.swift\npublic struct Net: Log {\n    public func write() {}\n}\nextension Int: Log {\n    public func write() {}\n    public func flush() {}\n}\n//- Sources/Kit/Use.swift\nfunc use() {}\n";
    let more = swift.replacen("func write()\n", "func write()\n    func flush()\n", 1);
    assert_eq!(lacked_by(swift, &more), ["Sources/Kit/Net.swift:1"]);
    let given = more.replace("func use() {}", "extension Log {\n    func flush() {}\n}");
    assert!(lacked_by(swift, &given).is_empty());
    let typescript = "//- log.ts\nexport interface Log {\n  write(): void;\n}\n//- net.ts\nimport { Log } from './log';\nexport class Net implements Log {\n  write(): void {}\n}\nexport class Whole implements Log {\n  write(): void {}\n  flush = () => {};\n}\n";
    let more = typescript.replacen("write(): void;", "write(): void;\n  flush(): void;", 1);
    assert_eq!(lacked_by(typescript, &more), ["net.ts:2"]);
    let go = "//- go.mod\nmodule kit\n//- a/a.go\npackage a\n\ntype Log interface {\n\tWrite()\n\tFlush()\n}\n//- b/b.go\npackage b\n\ntype Net struct{}\n\nfunc (n *Net) Write() {}\nfunc (n *Net) Flush() {}\n\ntype Half struct{}\n\nfunc (h *Half) Flush() {}\n";
    assert_eq!(lacked_by(go, &go.replacen("Flush()\n", "Flush()\n\tClose()\n", 1)), ["b/b.go:3"]);
    let fixture = Fixture::new(go);
    fixture.write(&go.replacen("Flush()\n", "Flush()\n\tClose()\n", 1));
    let text = Icr::new(&fixture).prints(&["impact"]);
    assert!(text.contains("not defined by what inherits it at `b/b.go:3`"), "{text}");
}
