//! Which mentions of a name are led to which definition.

use std::collections::BTreeMap;
use std::sync::Arc;

use icr_model::RepoPath;

use crate::testing::{format_place, view_of};
use crate::{NamedDefinition, QueryGraph, ReferringLimits};

/// Files that refer to what `definer` defines as `name`: `path lines`, with the share where it is not all.
#[track_caller]
fn check(files: &str, definer: &str, name: &str, expected: &[&str]) {
    let graph = QueryGraph::new(Arc::new(view_of(files)));
    let found: Vec<String> = graph
        .referring(&definer.into(), name, None)
        .unwrap()
        .into_iter()
        .filter(|place| place.path != RepoPath::from(definer))
        .map(|place| format_place(&place))
        .collect();
    assert_eq!(found, expected);
}

fn named(path: &str, name: &str) -> NamedDefinition {
    NamedDefinition { path: path.into(), name: name.to_owned(), holder: None }
}

/// Edges of the whole view: `from -> to count weight`.
#[track_caller]
fn check_edges(files: &str, expected: &[&str]) {
    let source = Arc::new(view_of(files));
    let paths = source.paths();
    let graph = QueryGraph::new(source);
    let found: Vec<String> = paths
        .iter()
        .zip(graph.all_references(&paths, &|| ()).unwrap())
        .flat_map(|(from, edges)| {
            edges.into_iter().map(move |edge| format!("{from} -> {} {} {:.2}", edge.to, edge.count, edge.weight))
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn an_imported_name_is_led_to_its_module_under_its_alias_too() {
    let files = "\
//- a.py
def load(): pass
//- b.py
from a import load
load()
//- c.py
from a import load as fetch
fetch()
load()
//- d.py
load()
";
    check(files, "a.py", "load", &["b.py 1,2", "c.py 1,2"]);
}

#[test]
fn re_exports_lead_on_to_who_defines() {
    let files = "\
//- app/__init__.py
from .core import Context as Context
//- app/core.py
class Context: pass
//- use.py
import app
from app import Context
app.Context()
Context()
//- other.py
import app
app.Context()
";
    check(files, "app/core.py", "Context", &["app/__init__.py 1,1", "other.py 2", "use.py 2,3,4"]);
    check(files, "app/__init__.py", "Context", &[]);
}

#[test]
fn what_is_offered_under_another_name_is_led_to_its_own() {
    let files = "\
//- engine.ts
export default class Engine {}
//- fn.ts
function compute() {}
function helper() {}
export { compute as calculate, helper as default };
//- index.ts
export { calculate as total } from './fn';
export { default as Motor } from './engine';
export * from './fn';
//- use.ts
import Car from './engine';
import assist, { calculate as sum } from './fn';
import { total, Motor, calculate } from './index';
new Car();
assist();
sum();
total();
new Motor();
calculate();
//- other.ts
import { Motor as M } from './index';
new M();
compute();
";
    check(files, "engine.ts", "Engine", &["index.ts 2", "other.ts 1,2", "use.ts 1,3,4,8"]);
    check(files, "fn.ts", "compute", &["index.ts 1", "use.ts 2,2,3,3,6,7,9"]);
    check(files, "fn.ts", "helper", &["use.ts 2,5"]);
}

#[test]
fn a_module_that_is_one_function_or_class_is_called_by_the_name_of_its_import() {
    let files = "\
//- build.js
module.exports = function build() {};
//- keep.js
function save() {}
class Store { get() {} }
module.exports = { keep: save, Store };
//- shop.js
class Shop { open() {} }
module.exports = Shop;
//- use.js
const make = require('./build');
const { keep: hold } = require('./keep');
const Place = require('./shop');
const Default = require('./shop');
make();
hold();
new Place().open();
//- modern.js
import Shop from './shop';
new Shop().open();
";
    check(files, "build.js", "build", &["use.js 5"]);
    check(files, "keep.js", "save", &["use.js 2,6"]);
    check(files, "shop.js", "Shop", &["modern.js 1,2", "use.js 7"]);
    check(files, "shop.js", "open", &["modern.js 2", "use.js 7"]);
}

#[test]
fn macros_are_seen_in_their_crate_and_paths_outwards_lead_out_of_modules() {
    let files = "\
//- core/Cargo.toml
[package]
name = \"core\"
//- core/src/lib.rs
#[macro_use]
mod macros;
mod shapes;
fn area() -> u32 { square!(3) }
//- core/src/macros.rs
macro_rules! square { ($x:expr) => { $x * $x } }
//- core/src/shapes.rs
fn other() -> u32 { square!(2) }
mod inner {
    fn go() { super::other(); }
}
//- app/Cargo.toml
[package]
name = \"app\"
//- app/src/main.rs
fn main() { square!(4) }
";
    check(files, "core/src/macros.rs", "square", &["core/src/lib.rs 4", "core/src/shapes.rs 1"]);
    let graph = QueryGraph::new(Arc::new(view_of(files)));
    let own = graph.referring(&"core/src/shapes.rs".into(), "other", None).unwrap();
    assert_eq!(own.iter().map(format_place).collect::<Vec<_>>(), ["core/src/shapes.rs 3"]);
}

#[test]
fn names_of_a_package_are_led_on_under_their_alias() {
    let files = "\
//- pkg/__init__.py
from .impl import run as execute
//- pkg/impl.py
def run(): pass
//- app.py
import pkg
from pkg import execute as go
pkg.execute()
go()
";
    check(files, "pkg/impl.py", "run", &["app.py 2,3,4", "pkg/__init__.py 1"]);
}

#[test]
fn wildcard_re_exports_are_followed_and_circles_end() {
    let files = "\
//- index.ts
export * from './shapes'
export * from './ring'
//- ring.ts
export * from './index'
//- shapes.ts
export class Circle {}
//- main.ts
import { Circle } from './index'
new Circle()
";
    check(files, "shapes.ts", "Circle", &["main.ts 1,2"]);
}

#[test]
fn a_name_that_the_file_defines_itself_is_its_own() {
    let files = "\
//- a.ts
export function open() {}
//- b.ts
import * as a from './a'
function open() {}
open()
a.open()
";
    check(files, "a.ts", "open", &["b.ts 4"]);
}

#[test]
fn members_are_led_to_types_that_the_file_can_have_values_of() {
    let files = "\
//- model.py
class Order:
    def settle(self): pass
//- near.py
from model import Order
def pay(order): order.settle()
//- far.py
def pay(order): order.settle()
";
    check(files, "model.py", "settle", &["near.py 2"]);
}

#[test]
fn definitions_of_a_member_that_can_all_be_meant_share_it() {
    let files = "\
//- a.py
class A:
    def settle(self): pass
//- b.py
class B:
    def settle(self): pass
//- use.py
import a, b
def pay(order): order.settle()
";
    check(files, "a.py", "settle", &["use.py 2 0.50"]);
}

#[test]
fn everyday_members_are_mostly_those_of_the_language() {
    let files = "\
//- a.py
class Log:
    def write(self): pass
//- use.py
import a
def save(file): file.write()
";
    check(files, "a.py", "write", &["use.py 2 0.25"]);
}

#[test]
fn a_bare_name_is_no_member() {
    let files = "\
//- a.ts
export class Suite { test() {} }
//- b.ts
import { Suite } from './a'
test('it', () => new Suite())
";
    check(files, "a.ts", "test", &[]);
    check(files, "a.ts", "Suite", &["b.ts 1,2"]);
}

#[test]
fn a_package_sees_itself_without_an_import() {
    let files = "\
//- go.mod
module example.com/m
//- store/open.go
package store
func Open() {}
//- store/use.go
package store
func use() { Open() }
//- main.go
package main
import \"example.com/m/store\"
func main() { store.Open() }
//- other/own.go
package other
func run() { Open() }
";
    check(files, "store/open.go", "Open", &["main.go 3", "store/use.go 2"]);
}

#[test]
fn uses_of_a_crate_lead_to_the_file_that_defines() {
    let files = "\
//- Cargo.toml
[package]
name = \"app\"
//- src/lib.rs
mod error;
pub use error::Failure;
pub mod run;
//- src/error.rs
pub struct Failure;
//- src/run.rs
use crate::Failure;
pub fn run() -> Failure { Failure }
";
    check(files, "src/error.rs", "Failure", &["src/lib.rs 2", "src/run.rs 1,2,2"]);
}

#[test]
fn edges_count_mentions_and_the_import_itself() {
    let files = "\
//- a.ts
export const first = 1
export const second = 2
//- b.ts
import { first, second } from './a'
first + second + first
//- c.ts
import './a'
";
    check_edges(files, &["b.ts -> a.ts 6 6.00", "c.ts -> a.ts 1 1.00"]);
}

#[test]
fn a_file_that_does_not_exist_refers_to_nothing() {
    let graph = QueryGraph::new(Arc::new(view_of("//- a.py\nx = 1\n")));
    assert!(graph.referring(&"nowhere.py".into(), "x", None).unwrap().is_empty());
}

#[test]
fn names_of_one_digest_are_told_apart() {
    let files = "\
//- a.ts
export const costarring = 1
//- b.ts
export const liquid = 2
//- use.ts
import * as a from './a'
import * as b from './b'
a.costarring + b.liquid
";
    check(files, "a.ts", "costarring", &["use.ts 3"]);
    check(files, "b.ts", "liquid", &["use.ts 3"]);
    check(files, "a.ts", "liquid", &[]);
}

#[test]
fn a_view_that_moved_answers_as_a_new_one() {
    let steps = [
        ("use.py", "from app import load\nload()\ndef pay(order): order.settle()\n"),
        ("app/__init__.py", "from .other import load\nfrom .store import *\n"),
        ("app/other.py", "def load(): pass\nclass Bill:\n    def settle(self): pass\n"),
        ("app/store.py", "class Order:\n    def settle(self): pass\ndef load(): pass\n"),
        ("use.py", "import app.store\napp.store.load()\ndef pay(order): order.settle()\n"),
        ("app/__init__.py", ""),
    ];
    let mut files = BTreeMap::from([
        ("app/__init__.py", "from .store import load\n"),
        ("app/other.py", ""),
        ("app/store.py", "def load(): pass\n"),
        ("use.py", ""),
    ]);
    let paths: Vec<RepoPath> = files.keys().map(|path| (*path).into()).collect();
    let view = |files: &BTreeMap<&str, &str>| {
        let text: String = files.iter().map(|(path, text)| format!("//- {path}\n{text}")).collect();
        Arc::new(view_of(&text))
    };
    let answers = |graph: &QueryGraph| {
        let asked = ["load", "settle"].map(|name| named("app/store.py", name));
        (
            graph.all_references(&paths, &|| ()).unwrap(),
            graph.referring_to_all(&asked, ReferringLimits { common: 100, files: 1_000 }).unwrap(),
        )
    };
    let mut graph = QueryGraph::new(view(&files));
    let mut before = answers(&graph);
    for (path, text) in steps {
        files.insert(path, text);
        graph.move_to(view(&files), &[path.into()]).unwrap();
        let after = answers(&graph);
        assert_eq!(after, answers(&QueryGraph::new(view(&files))), "after {path}");
        assert_ne!(after, before, "{path} changes nothing");
        before = after;
    }
}

#[test]
fn of_a_name_that_many_files_mention_only_importers_and_files_asked_for_others_are_looked_at() {
    let mut text =
        "//- a.py\ndef load(): pass\ndef rare(): pass\n//- importer.py\nfrom a import load\nload()\n".to_owned();
    for number in 0..9 {
        text += &format!("//- m{number}.py\nload()\n");
    }
    text += "//- z.py\nfrom a import rare, load\nrare()\nload()\n";
    let graph = QueryGraph::new(Arc::new(view_of(&text)));
    let asked = ["load", "rare"].map(|name| named("a.py", name));
    let found = |common, files| {
        let found = graph.referring_to_all(&asked, ReferringLimits { common, files }).unwrap();
        let shown = found.iter().map(|one| {
            let paths: Vec<_> = one.files.iter().map(|file| file.path.to_string()).collect();
            (paths.join(" "), one.is_partial)
        });
        shown.collect::<Vec<_>>()
    };
    let row = |paths: &str, is_partial| (paths.to_owned(), is_partial);
    assert_eq!(found(100, 100), [row("importer.py z.py", false), row("z.py", false)]);
    assert_eq!(found(5, 100), [row("importer.py z.py", true), row("z.py", false)]);
    // `z.py` is looked at for the rarer name, and there is room for no more.
    assert_eq!(found(5, 1), [row("z.py", true), row("z.py", false)]);
}

#[test]
fn a_module_of_elixir_is_named_in_full_or_from_an_alias_of_one_around_it() {
    let files = "\
//- lib/render.ex
defmodule App.Deep.Render do
  def draw(x), do: x
  def shared(x), do: x
end
//- lib/full.ex
defmodule App.Full do
  def go(x) do
    App.Deep.Render.draw(x)
    x |> App.Deep.Render.draw()
    Elixir.App.Deep.Render.draw(x)
    Enum.map(x, &App.Deep.Render.draw/1)
  end
end
//- lib/around.ex
defmodule App.Around do
  alias App.Deep
  alias App.Deep, as: D
  def go(x), do: Deep.Render.draw(D.Render.shared(x))
end
//- lib/other.ex
defmodule App.Other do
  alias App.Deep.Render
  def draw(x), do: App.Missing.Render.draw(x)
  def shared(x), do: Else.shared(x)
end
";
    check(files, "lib/render.ex", "draw", &["lib/around.ex 4", "lib/full.ex 3,4,5,6"]);
    check(files, "lib/render.ex", "shared", &["lib/around.ex 4"]);
    check(files, "lib/render.ex", "App.Deep.Render", &["lib/full.ex 3,4,6", "lib/other.ex 2"]);
}

#[test]
fn an_import_by_the_last_part_of_a_path_names_it() {
    let files = "\
//- app/Text.kt
package app
class Text {
  companion object {
    fun String.encode(): Text = Text()
  }
}
fun String.plain(): String = this
fun local() = \"c\".encode()
//- app/inner/Use.kt
package app.inner
import app.Text
import app.Text.Companion.encode
import app.plain
val SLASH = \"/\".encode()
val OTHER = \"/\".plain()
val NONE = \"/\".trim()
//- app/inner/None.kt
package app.inner
val SLASH = \"/\".encode()
//- app/Beside.kt
package app
fun beside(s: String) = s.plain()
//- app/inner/All.kt
package app.inner
import app.*
val OTHER = \"/\".plain()
//- app/Use.java
package other;
import app.Text;
class Use { Text text; }
";
    check(files, "app/Text.kt", "encode", &["app/inner/Use.kt 3,5"]);
    check(files, "app/Text.kt", "plain", &["app/Beside.kt 2", "app/inner/All.kt 3", "app/inner/Use.kt 4,6"]);
    check(files, "app/Text.kt", "Text", &["app/Use.java 2,3", "app/inner/Use.kt 2"]);
}
