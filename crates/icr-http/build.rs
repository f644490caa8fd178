//! Lists the files of the page, which become part of the binary.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs, io};

#[expect(clippy::disallowed_methods, reason = "cargo tells build scripts so")]
fn main() -> io::Result<()> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?;
    let page = Path::new(&root).join("page");
    println!("cargo::rerun-if-changed={}", page.display());
    let mut names: Vec<_> = fs::read_dir(&page)?.map(|entry| Ok(entry?.file_name())).collect::<io::Result<_>>()?;
    names.sort();
    let mut files = String::from("/// The files of the page, by path.\nconst FILES: &[PageFile] = &[\n");
    for name in names {
        let name = name.into_string().map_err(|name| io::Error::other(format!("`{}` is no text", name.display())))?;
        let kind = match name.rsplit_once('.').map(|(_, ending)| ending) {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            _ => continue,
        };
        let path = page.join(&name);
        let line = format!("    PageFile {{ path: \"/{name}\", kind: {kind:?}, content: include_str!({path:?}) }},");
        writeln!(files, "{line}").map_err(io::Error::other)?;
    }
    files.push_str("];\n");
    fs::write(Path::new(&env::var("OUT_DIR").map_err(io::Error::other)?).join("page_files.rs"), files)
}
