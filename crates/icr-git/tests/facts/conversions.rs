//! Git's own conversions are applied, external ones never.

use icr_fixture::Fixture;
use icr_git::Error;

use crate::show::{check_overlay, open};

#[test]
fn an_unchanged_checkout_with_crlf_has_an_empty_overlay() {
    let fixture = Fixture::new("//- a.rs\nfn a() {}\nfn b() {}\n");
    fixture.git(&["config", "core.autocrlf", "true"]);
    fixture.delete("a.rs");
    fixture.git(&["checkout", "-q", "a.rs"]);
    assert!(std::fs::read(fixture.root().join("a.rs")).unwrap().windows(2).any(|pair| pair == b"\r\n"));
    check_overlay(&fixture, "");
    fixture.write_bytes("a.rs", b"fn a() {}\r\nfn c() {}\r\n");
    fixture.write_bytes("new.rs", b"fn n() {}\r\n");
    check_overlay(&fixture, "a.rs = fn a() {}\\nfn c() {}\\n\nnew.rs = fn n() {}\\n");
}

#[test]
fn crlf_that_was_committed_stays() {
    let fixture = Fixture::empty();
    fixture.write_bytes("a.rs", b"fn a() {}\r\n");
    fixture.commit("crlf");
    fixture.git(&["config", "core.autocrlf", "true"]);
    fixture.write_bytes("a.rs", b"fn b() {}\r\n");
    check_overlay(&fixture, "a.rs = fn b() {}\\r\\n");
}

#[test]
fn attributes_say_how_lines_end() {
    let fixture = Fixture::new(
        "//- .gitattributes\n*.bat text eol=crlf\n*.bin -text\n*.auto text=auto\n//- a.bat\necho\n//- sub/.gitattributes\n*.rs text\n",
    );
    for path in ["a.bat", "b.bin", "c.auto", "d.rs", "sub/e.rs"] {
        fixture.write_bytes(path, b"x\r\ny\r\n");
    }
    fixture.write_bytes("binary.auto", b"\0\r\n");
    check_overlay(
        &fixture,
        "a.bat = x\\ny\\n\nb.bin = x\\r\\ny\\r\\n\nbinary.auto = \0\\r\\n\nc.auto = x\\ny\\n\nd.rs = x\\r\\ny\\r\\n\nsub/e.rs = x\\ny\\n",
    );
}

#[test]
fn idents_are_collapsed_and_encodings_become_utf_8() {
    let fixture = Fixture::new("//- .gitattributes\n*.c ident\n*.txt working-tree-encoding=UTF-16LE\n");
    fixture.write("//- a.c\n// $Id: 0123 $\n");
    fixture.write_bytes("b.txt", b"h\0i\0\n\0");
    check_overlay(&fixture, "a.c = // $Id$\\n\nb.txt = hi\\n");
}

#[test]
fn a_file_with_an_external_filter_keeps_the_committed_version() {
    let fixture =
        Fixture::new("//- .gitattributes\n*.secret filter=crypt\n[attr]big filter=lfs\n*.dat big\n//- plain\n1\n");
    let ran = fixture.home().join("ran");
    let touch = format!("touch '{}'; cat", ran.display());
    fixture.write("//- a.secret\nencrypted\n//- big.dat\npointer\n");
    fixture.commit("as another clone made it");
    for key in
        ["filter.crypt.clean", "filter.crypt.smudge", "filter.crypt.process", "filter.lfs.clean", "filter.lfs.process"]
    {
        fixture.git(&["config", key, &touch]);
    }
    fixture.write("//- a.secret\ndecrypted\n//- big.dat\nbig\n//- new.secret\ndecrypted\n//- plain\n2\n");
    let _ = std::fs::remove_file(&ran);
    check_overlay(&fixture, "plain = 2\\n\nExternalFilter { files: 3 }\n");
    let mut reader = open(fixture.root()).worktree_reader().unwrap();
    let mut out = Vec::new();
    let error = reader.read(&"a.secret".into(), 1_000, &mut out).unwrap_err();
    assert!(matches!(&error, Error::ExternalFilter { driver, .. } if driver == "crypt"), "{error:?}");
    assert!(out.is_empty());
    assert!(!ran.exists(), "a filter driver was run");
}

#[test]
fn a_deleted_file_with_an_external_filter_is_deleted() {
    let fixture = Fixture::new("//- .gitattributes\n*.dat filter=lfs\n//- big.dat\npointer\n");
    fixture.delete("big.dat");
    check_overlay(&fixture, "big.dat deleted");
}
