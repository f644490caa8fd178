//! From a path as written in an import to the file that it means: extensions may be left out or replaced, and a file
//! may stand for its directory.

use crate::view::{GraphView, file_name, join, parent};

/// What kind of file imports. It decides which file is preferred when several match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavour {
    /// TypeScript: source files come before the files compiled from them, types before programs.
    Typed,
    /// JavaScript: the file with exactly the written name comes first.
    Script,
    /// Style sheets and pages: paths are relative even without `./`.
    Page,
}

/// Extensions that TypeScript adds, in its order; then those that bundlers are configured to add.
const TYPED_EXTENSIONS: [&str; 16] = [
    "ts", "tsx", "d.ts", "js", "jsx", "mts", "d.mts", "cts", "d.cts", "mjs", "cjs", "json", "vue", "svelte", "astro",
    "node",
];

/// The same extensions in the order of bundlers for JavaScript.
const SCRIPT_EXTENSIONS: [&str; 16] = [
    "js", "jsx", "mjs", "cjs", "json", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "d.ts", "d.mts", "d.cts",
    "node",
];

/// Extensions that style sheets leave out.
const STYLE_EXTENSIONS: [&str; 7] = ["scss", "sass", "less", "css", "styl", "pcss", "postcss"];

/// Extensions that imports write for compiled files, with the extensions of the files that are compiled to them.
const COMPILED: [(&str, &[&str]); 4] =
    [("js", &["ts", "tsx", "d.ts"]), ("jsx", &["tsx", "d.ts"]), ("mjs", &["mts", "d.mts"]), ("cjs", &["cts", "d.cts"])];

/// Platform suffixes before the extension of a file, as in React Native and TypeScript's `moduleSuffixes`.
const PLATFORMS: [&str; 6] = ["android", "ios", "macos", "native", "web", "windows"];

/// Extensions of other imported files, which imports write in full: data, texts, pictures. Sorted.
const ASSET_EXTENSIONS: [&str; 52] = [
    "avif",
    "bin",
    "bmp",
    "coffee",
    "csv",
    "ejs",
    "eot",
    "frag",
    "gif",
    "glb",
    "glsl",
    "gltf",
    "gql",
    "graphql",
    "handlebars",
    "hbs",
    "htm",
    "html",
    "ico",
    "jpeg",
    "jpg",
    "json5",
    "jsonc",
    "md",
    "mdx",
    "mp3",
    "mp4",
    "mustache",
    "ogg",
    "otf",
    "pdf",
    "png",
    "proto",
    "pug",
    "sql",
    "svg",
    "toml",
    "tsv",
    "ttf",
    "txt",
    "vert",
    "wasm",
    "wav",
    "webm",
    "webmanifest",
    "webp",
    "wgsl",
    "woff",
    "woff2",
    "xml",
    "yaml",
    "yml",
];

impl Flavour {
    pub(super) fn of(language: &str) -> Self {
        match language {
            "typescript" | "tsx" => Self::Typed,
            "javascript" => Self::Script,
            _ => Self::Page,
        }
    }

    fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::Typed => &TYPED_EXTENSIONS,
            Self::Script => &SCRIPT_EXTENSIONS,
            Self::Page => &STYLE_EXTENSIONS,
        }
    }
}

/// The files of one directory, for look-ups by name. One listing answers for all extensions, also for files that do
/// not exist.
struct Listing {
    files: crate::view::SortedPaths,
}

impl Listing {
    fn of(view: GraphView<'_>, directory: &str) -> Self {
        Self { files: view.files_in(directory) }
    }

    fn has(&self, path: &str) -> bool {
        self.files.binary_search_by(|file| file.as_bytes().cmp(path.as_bytes())).is_ok()
    }

    /// The first existing file of `stem` with one of `extensions`.
    fn first(&self, stem: &str, extensions: &[&str]) -> Option<String> {
        extensions.iter().map(|extension| format!("{stem}.{extension}")).find(|path| self.has(path))
    }
}

/// The files that `path` means: the file itself, or with another extension, or with an extension added. In order, one
/// for each platform, so mostly one.
pub(super) fn files(view: GraphView<'_>, path: &str, flavour: Flavour) -> Vec<String> {
    let name = file_name(path);
    if name.is_empty() {
        return Vec::new();
    }
    let listing = Listing::of(view, parent(path));
    let exact = || (can_be_named(name) && listing.has(path)).then(|| path.to_owned());
    let compiled = || {
        let (stem, extension) = path.rsplit_once('.')?;
        let (_, sources) = COMPILED.iter().find(|(written, _)| *written == extension)?;
        listing.first(stem, sources)
    };
    let found = if flavour == Flavour::Typed { compiled().or_else(exact) } else { exact().or_else(compiled) };
    let found = found.or_else(|| listing.first(path, flavour.extensions()));
    if let Some(found) = found.or_else(|| partial(&listing, path, flavour)) {
        return vec![found];
    }
    let for_platform = |platform| listing.first(&format!("{path}.{platform}"), flavour.extensions());
    PLATFORMS.iter().filter_map(for_platform).collect()
}

/// A partial style sheet, which is only imported and whose name begins with `_`.
fn partial(listing: &Listing, path: &str, flavour: Flavour) -> Option<String> {
    if flavour != Flavour::Page {
        return None;
    }
    let hidden = join(parent(path), &format!("_{}", file_name(path)));
    let exact = can_be_named(&hidden) && listing.has(&hidden);
    if exact { Some(hidden) } else { listing.first(&hidden, &STYLE_EXTENSIONS) }
}

/// The index file of `directory`.
pub(super) fn index(view: GraphView<'_>, directory: &str, flavour: Flavour) -> Vec<String> {
    let path = join(directory, "index");
    let listing = Listing::of(view, directory);
    let found = listing.first(&path, flavour.extensions()).or_else(|| partial(&listing, &path, flavour));
    if let Some(found) = found {
        return vec![found];
    }
    let for_platform = |platform| listing.first(&format!("{path}.{platform}"), flavour.extensions());
    PLATFORMS.iter().filter_map(for_platform).collect()
}

/// Whether an import can lead to a file of this name at all.
pub(super) fn can_be_named(name: &str) -> bool {
    let Some((_, extension)) = name.rsplit_once('.') else { return false };
    TYPED_EXTENSIONS.contains(&extension)
        || STYLE_EXTENSIONS.contains(&extension)
        || ASSET_EXTENSIONS.binary_search(&extension).is_ok()
}

/// Whether `path` is a style sheet.
pub(super) fn is_style_sheet(path: &str) -> bool {
    STYLE_EXTENSIONS.iter().any(|extension| has_extension(file_name(path), extension))
}

/// `path` without the extension that imports leave out (`.d.ts` is removed as a whole); `None` for an extension that
/// imports write.
pub(super) fn without_extension(path: &str) -> Option<&str> {
    let name = file_name(path);
    let known = TYPED_EXTENSIONS.iter().chain(&STYLE_EXTENSIONS);
    let longest = known.filter(|extension| has_extension(name, extension)).max_by_key(|extension| extension.len())?;
    Some(&path[..path.len() - longest.len() - 1])
}

fn has_extension(name: &str, extension: &str) -> bool {
    name.strip_suffix(extension).and_then(|stem| stem.strip_suffix('.')).is_some_and(|stem| !stem.is_empty())
}

/// All spellings with which [`files`] and [`index`] find the file at `path`, except the path itself: file names with
/// another extension or without one, and, marked with `true`, the directory that the file stands for.
pub(super) fn spellings(path: &str) -> Vec<(String, bool)> {
    let name = file_name(path);
    let mut found = Vec::new();
    let known = TYPED_EXTENSIONS.iter().chain(&STYLE_EXTENSIONS);
    for extension in known.filter(|extension| has_extension(name, extension)) {
        let stem = &path[..path.len() - extension.len() - 1];
        found.push((stem.to_owned(), false));
        let written = COMPILED.iter().filter(|(_, sources)| sources.contains(extension));
        found.extend(written.map(|(written, _)| (format!("{stem}.{written}"), false)));
        let platform = PLATFORMS.iter().find_map(|platform| stem.strip_suffix(platform)?.strip_suffix('.'));
        found.extend(platform.map(|stem| (stem.to_owned(), false)));
        for stem in [Some(stem), platform].into_iter().flatten() {
            if matches!(file_name(stem), "index" | "_index") {
                found.push((parent(stem).to_owned(), true));
            }
        }
    }
    let hidden: Vec<_> = std::iter::once(path.to_owned())
        .chain(found.iter().filter(|(_, is_directory)| !is_directory).map(|(spelling, _)| spelling.clone()))
        .filter_map(|spelling| Some((join(parent(&spelling), file_name(&spelling).strip_prefix('_')?), false)))
        .collect();
    found.extend(hidden);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assets_are_sorted() {
        assert!(ASSET_EXTENSIONS.is_sorted());
    }

    #[test]
    fn a_file_is_spelled_with_and_without_extensions() {
        let shown = |path| spellings(path).into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(" ");
        assert_eq!(shown("a/b.ts"), "a/b a/b.js");
        assert_eq!(shown("a/b.d.ts"), "a/b.d a/b.d.js a/b a/b.js a/b.jsx");
        assert_eq!(shown("a/index.tsx"), "a/index a/index.js a/index.jsx a");
        assert_eq!(shown("b.ios.js"), "b.ios b");
        assert_eq!(shown("a/_b.scss"), "a/_b a/b.scss a/b");
        assert_eq!(shown("a.svg"), "");
        assert_eq!(shown("a/.ts"), "");
    }

    #[test]
    fn only_some_files_can_be_named() {
        for (name, expected) in
            [("a.ts", true), ("a.svg", true), ("a.py", false), ("Makefile", false), ("a.d.ts", true)]
        {
            assert_eq!(can_be_named(name), expected, "{name}");
        }
    }
}
