//! Who imports whom, who refers to what, and what changes together, as the commands print it.

use icr_fixture::Fixture;

use crate::run::Icr;

const PROJECT: &str = "\
//- app/__init__.py
from .core import Order as Order
//- app/core.py
import os
from .store import load
from .gone import lost


class Order:
    def settle(self):
        return load(self)
//- app/store.py
def load(order):
    return order
//- tests/test_core.py
from app import Order


def test_settle():
    assert Order().settle()
//- web/tsconfig.json
{ not json
//- web/page.ts
import type { Label } from './label'
export * from './label'
//- web/label.ts
export type Label = string
";

fn project() -> Fixture {
    let fixture = Fixture::new(PROJECT);
    fixture.write("//- app/store.py\ndef load(order):\n    return [order]\n//- tests/test_core.py\nfrom app import Order\n\n\ndef test_settle():\n    assert Order().settle() == []\n");
    fixture.commit("Orders are lists");
    fixture
}

/// Standard output and standard error of command lines on the project above.
fn print(lines: &[&[&str]]) -> String {
    let fixture = project();
    let icr = Icr::new(&fixture);
    let mut printed = String::new();
    for args in lines {
        let ran = icr.run(args);
        printed.push_str(&format!("$ icr {} => {}\n{}{}\n", args.join(" "), ran.code, ran.stdout, ran.stderr));
    }
    icr.filtered(&printed)
}

#[test]
fn graph() {
    insta::assert_snapshot!(print(&[&["graph"], &["graph", "--refs"]]), @r"
    $ icr graph => 0
    app/__init__.py:1 -> app/core.py  import
    app/core.py:2 -> app/store.py  import
    tests/test_core.py:1 -> app/__init__.py  import
    web/page.ts:1 -> web/label.ts  import
    web/page.ts:2 -> web/label.ts  reexport
    app/core.py:3 -> .gone  unresolved
    note: `web/tsconfig.json` cannot be read: key must be a string at line 1 column 3

    $ icr graph --refs => 0
    app/__init__.py -> app/core.py  3×
    app/core.py -> app/store.py  3×
    tests/test_core.py -> app/core.py  3×
    web/page.ts -> web/label.ts  3×
    ");
}

#[test]
fn graph_as_json_keeps_apart_what_lies_outside_and_what_is_missing() {
    let fixture = project();
    let graph = Icr::new(&fixture).json(&["graph"]);
    assert_eq!(graph["external"][0]["specifier"], "os");
    assert_eq!(graph["unresolved"][0]["specifier"], ".gone");
    let edges = graph["edges"].as_array().expect("a graph has edges");
    let edge = |from: &str, to: &str, kind: &str| {
        let found = edges.iter().find(|edge| edge["from"] == from && edge["to"] == to && edge["kind"] == kind);
        found.unwrap_or_else(|| panic!("no {kind} of {to} in {from}")).clone()
    };
    assert_eq!(edge("web/page.ts", "web/label.ts", "import")["type_only"], true);
    assert_eq!(edge("web/page.ts", "web/label.ts", "reexport")["type_only"], false);
    assert_eq!(edge("tests/test_core.py", "app/__init__.py", "import")["test"], true);
    assert_eq!(graph["provenance"]["gaps"][0]["gap"], "unreadable_manifest");
}

#[test]
fn refs() {
    insta::assert_snapshot!(
        print(&[
            &["refs", "Order"],
            &["refs", "Order.settle"],
            &["refs", "load", "--path", "app/store.py", "--line", "1"],
            &["refs", "loads"],
            &["refs", "store", "--path", "app/core.py"],
            &["refs", "load", "--path", "app/stor.py"],
        ]),
        @r"
    $ icr refs Order => 0
    app/core.py:6  class Order
        tests/test_core.py  2×  1 5
             1  from app import Order
             5  assert Order().settle() == []
        app/__init__.py  2×  1
             1  from .core import Order as Order

    $ icr refs Order.settle => 0
    app/core.py:7  method Order.settle
        tests/test_core.py  1×  5
             5  assert Order().settle() == []

    $ icr refs load --path app/store.py --line 1 => 0
    app/store.py:1  function load
        app/core.py  2×  2 8
             2  from .store import load
             8  return load(self)

    $ icr refs loads => 1
    error: no file in the view of the worktree on `main` defines `loads`
    hint: did you mean `load`?

    $ icr refs store --path app/core.py => 1
    error: `app/core.py` defines no `store`

    $ icr refs load --path app/stor.py => 1
    error: `app/stor.py` is not in the view of the worktree on `main`
    hint: did you mean `app/store.py`?
    "
    );
}

#[test]
fn neighbors() {
    insta::assert_snapshot!(
        print(&[
            &["neighbors", "app/core.py", "--depth", "2"],
            &["neighbors", "app/store.py", "-n", "0"],
            &["neighbors", "core.py"],
        ]),
        @r"
        $ icr neighbors app/core.py --depth 2 => 0
        imported by (2)
            app/__init__.py  import
                tests/test_core.py  import, test, via app/__init__.py
        imports (1)
            app/store.py  import
        outside (1): os
        unresolved (1): .gone
        changed together (1 commit)
            app/__init__.py  1x  100 %
            web/label.ts  1x  100 %
            web/page.ts  1x  100 %
            web/tsconfig.json  1x  100 %
            app/store.py  1x  100 %
            tests/test_core.py  1x  100 %

        $ icr neighbors app/store.py -n 0 => 0
        imported by (1)
            app/core.py  import
        imports (0)

        $ icr neighbors core.py => 1
        error: `core.py` is not in the view of the worktree on `main`
        hint: did you mean `app/core.py`?
        "
    );
}

#[test]
fn cochange() {
    insta::assert_snapshot!(print(&[&["cochange"], &["cochange", "app/store.py"], &["cochange", "nowhere.py"]]), @r"
    $ icr cochange => 0
    app/store.py  tests/test_core.py  (2x)
    1 of 1 pair in 2 commits; commits of more than 20 files are not counted

    $ icr cochange app/store.py => 0
    tests/test_core.py  (2x)  100 %  2024-01-01
    app/__init__.py     (1x)   50 %  2024-01-01
    app/core.py         (1x)   50 %  2024-01-01
    web/label.ts        (1x)   50 %  2024-01-01
    web/page.ts         (1x)   50 %  2024-01-01
    web/tsconfig.json   (1x)   50 %  2024-01-01
    app/store.py: 2 commits of 2, 2 recent, last on 2024-01-01; commits of more than 20 files are not counted

    $ icr cochange nowhere.py => 1
    error: `nowhere.py` is not in the view of the worktree on `main`
    hint: `icr map` lists what is there
    ");
}

#[test]
fn pictures_are_whole_and_need_nothing_from_outside() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    for args in [&["graph"][..], &["graph", "--refs"], &["neighbors", "app/core.py", "--depth", "3"]] {
        let dot = icr.prints(&[args, &["--dot"]].concat());
        assert!(dot.starts_with("digraph icr {") && dot.contains("app/core.py"), "{dot}");
        let page = icr.prints(&[args, &["--html"]].concat());
        assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"), "{args:?}");
        assert!(page.contains("<svg") && page.contains("app/core.py"), "{args:?}");
        let addresses: Vec<_> = page.match_indices("://").collect();
        let outside = addresses.iter().filter(|(at, _)| !page[*at..].starts_with("://www.w3.org/2000/svg"));
        assert_eq!(outside.count(), 0, "{args:?}");
    }
}

#[test]
fn a_revision_is_asked_like_the_worktree() {
    let fixture = project();
    fixture.write("//- app/store.py\nfrom .core import Order\ndef load(order):\n    return order\n");
    let icr = Icr::new(&fixture);
    let importers = |args: &[&str]| {
        let found = icr.json(&[args, &["neighbors", "app/core.py"]].concat());
        let importers = found["importers"].as_array().expect("neighbors have importers").clone();
        importers.iter().map(|file| file["path"].as_str().unwrap_or("?").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(importers(&[]), ["app/__init__.py", "app/store.py"]);
    assert_eq!(importers(&["--at", "HEAD"]), ["app/__init__.py"]);
}

#[test]
fn a_picture_and_json_exclude_each_other() {
    let fixture = project();
    let icr = Icr::new(&fixture);
    assert!(icr.fails(2, &["graph", "--json", "--dot"]).contains("cannot be used with"));
    assert!(icr.fails(2, &["neighbors", "app/core.py", "--html", "--dot"]).contains("cannot be used with"));
}

#[test]
fn a_name_of_one_letter_has_references() {
    let fixture = Fixture::new(
        "//- store.py\nclass Point:\n    def __init__(self):\n        self.x = 1\n//- use.py\nfrom store import Point\n\ndef read(point: Point):\n    return point.x\n",
    );
    let answer = Icr::new(&fixture).json(&["refs", "x", "--path", "store.py", "--line", "3"]);
    assert_eq!(answer["references"][0]["path"], "use.py", "{answer:#}");
    assert_eq!(answer["references"][0]["lines"], serde_json::json!([4]), "{answer:#}");
}

#[test]
fn a_name_that_very_many_files_define_wants_a_path() {
    let files: String = (0..65).map(|number| format!("//- m{number:02}.py\ndef run(): pass\n")).collect();
    let fixture = Fixture::new(&(files + "//- use.py\nfrom m00 import run\nrun()\n"));
    let icr = Icr::new(&fixture);
    let said = icr.fails(2, &["refs", "run"]);
    insta::assert_snapshot!(said, @r"
    error: `run` is defined in 65 files; references are looked for where at most 64 define it
    hint: name the file that is meant with `--path`, for example `m00.py` or `m01.py` or `m02.py`
    ");
    assert_eq!(icr.json(&["refs", "run", "--path", "m00.py"])["references"][0]["path"], "use.py");
}

#[test]
fn a_name_with_dots_is_that_of_a_member_or_else_of_a_module() {
    let fixture = Fixture::new(
        "//- lib/a.ex\ndefmodule App.Tide do\n  def rise(x), do: x\nend\n//- lib/b.ex\nalias App.Tide\nTide.rise(1)\n\
         //- guide.md\n# App.Tide.rise\n",
    );
    let icr = Icr::new(&fixture);
    let uses = |symbol: &str| {
        let answer = icr.json(&["refs", symbol]);
        (answer["definitions"][0]["path"].clone(), answer["references"][0]["lines"].clone())
    };
    assert_eq!(uses("App.Tide"), ("lib/a.ex".into(), serde_json::json!([1])));
    assert_eq!(uses("App.Tide.rise"), ("lib/a.ex".into(), serde_json::json!([2])));
}

#[test]
fn an_override_is_shown_where_it_has_its_name() {
    let fixture = Fixture::new(
        "//- Base.kt\npackage a\nopen class Base {\n  open fun moor() = 1\n}\n\
         //- Other.kt\npackage a\nclass Other : Base() {\n  @Throws(Exception::class)\n  override fun moor() = 2\n}\n",
    );
    let answer = Icr::new(&fixture).json(&["refs", "moor", "--path", "Base.kt"]);
    assert_eq!(answer["references"][0]["lines"], serde_json::json!([4]), "{answer:#}");
}
