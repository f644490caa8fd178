//! Inclusions of C and C++: paths that are looked for beside the file and in the include roots.
//!
//! `compile_commands.json` gives the include roots, if it exists. Otherwise they are guessed from the place of the
//! included file: first roots that contain the including file, with their `include` and `src` directories, then
//! directories with the usual name of a root, then any directory.

use super::key::{Key, KeyScope, path_keys};
use super::scheme_of;
use crate::graph::PathInput;
use crate::manifests::compile_commands::{Roots, roots_of};
use crate::resolve::{ImportOutcome, Statement};
use crate::view::{GraphView, SortedPaths, file_name, join, normalised, parent};
use icr_model::ImportKind;

/// Name of the manifest with the compilers' command lines.
const COMPILE_COMMANDS: &str = "compile_commands.json";

/// Directories that are include roots by convention.
const ROOT_NAMES: [&str; 8] = ["api", "headers", "inc", "include", "includes", "public", "source", "src"];

/// Extensions of templates from which a build makes a header: `config.h` is made from `config.h.in`.
const TEMPLATE_ENDINGS: [&str; 2] = [".in", ".cmake"];

pub(super) fn resolve(view: GraphView<'_>, statement: &Statement<'_>) -> ImportOutcome {
    let quoted = match statement.import.kind {
        ImportKind::Include => true,
        ImportKind::SystemInclude => false,
        // A `using` names something that inclusions brought in, not a file.
        ImportKind::Import | ImportKind::Module => return ImportOutcome::External,
    };
    let specifier = statement.import.specifier.replace('\\', "/");
    let standard = is_standard(&specifier);
    match resolve_include(view, statement.path, &specifier, quoted, standard) {
        Some(path) => ImportOutcome::file(view, &path),
        None if quoted && !standard => ImportOutcome::Unresolved,
        None if is_ours(view, statement.path, &specifier) && !standard => ImportOutcome::Unresolved,
        None => ImportOutcome::External,
    }
}

/// An inclusion ends with the name of the file, so its last two segments are the file name and its extension.
pub(super) fn keys(view: GraphView<'_>, path: &str) -> Vec<Key> {
    if !is_includable(view, path) {
        return Vec::new();
    }
    // An inclusion that begins with dots may be relative to any include root.
    path_keys(path, &KeyScope::Repository)
}

pub(super) fn siblings(_: GraphView<'_>, _: &str) -> Vec<PathInput> {
    Vec::new()
}

pub(super) fn manifests(view: GraphView<'_>, path: &str) -> Vec<String> {
    view.nearest(path, COMPILE_COMMANDS).into_iter().collect()
}

/// Whether inclusions may name the file: sources, and files that no other scheme claims, such as tables and templates.
fn is_includable(view: GraphView<'_>, path: &str) -> bool {
    view.language(path).is_some_and(|language| scheme_of(language).is_none_or(|scheme| scheme.languages.contains(&"c")))
}

fn resolve_include(view: GraphView<'_>, from: &str, specifier: &str, quoted: bool, standard: bool) -> Option<String> {
    let directory = parent(from);
    let at = |root: &str| normalised(root, specifier).filter(|path| is_includable(view, path));
    if specifier.ends_with('/') {
        return None;
    }
    if quoted && let Some(path) = at(directory) {
        return Some(path);
    }
    if let Some(path) = said_roots(view, from).and_then(|roots| roots.in_order(quoted).find_map(at)) {
        return Some(path);
    }
    if specifier.split('/').any(|component| component == "..") {
        // Resolve it from each directory above, as from the file itself.
        return GraphView::directories_above(directory).find_map(at);
    }
    let plain = normalised("", specifier).filter(|plain| !plain.is_empty())?;
    let found = nearest(view, &view.files_ending(&plain), directory, &plain)?;
    let trusted = match found.tier {
        Tier::Around => !standard || quoted || found.below == 1,
        Tier::Root if standard && !quoted => false,
        Tier::Any if standard => false,
        Tier::Root => !is_generated(view, directory, &plain, &found),
        // If the inclusion has no directory, a file of that name anywhere may be another file; with `<…>` even more
        // so.
        Tier::Any => {
            let is_meant = found.alone || plain.contains('/') || quoted && !found.tied;
            is_meant && !is_generated(view, directory, &plain, &found)
        }
    };
    trusted.then_some(found.path)
}

/// Include roots from the manifest.
fn said_roots(view: GraphView<'_>, from: &str) -> Option<Roots> {
    roots_of(view, &view.nearest(from, COMPILE_COMMANDS)?, from)
}

/// How a guessed root is related to the including file, most trusted first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    /// The root contains the including file, or is an `include`-like directory directly in one that does.
    Around,
    /// The root has a usual name of a root.
    Root,
    /// None of these.
    Any,
}

/// A file that an inclusion may name, ordered by trust.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct IncludeCandidate {
    tier: Tier,
    /// Steps up from the including file's directory to the common ancestor.
    above: usize,
    /// Steps down from the common ancestor to the root.
    below: usize,
    path: String,
    /// Whether it is the only candidate.
    alone: bool,
    /// Whether another candidate is equally near.
    tied: bool,
}

/// The most trusted of `files`. All of them end with `specifier`, compared without case.
fn nearest(view: GraphView<'_>, files: &SortedPaths, directory: &str, specifier: &str) -> Option<IncludeCandidate> {
    let candidates = files.iter().filter_map(|file| {
        let path = file.as_str()?;
        let root = path.strip_suffix(specifier)?;
        let root = root.strip_suffix('/').unwrap_or(root);
        is_includable(view, path).then(|| candidate(directory, root, path))
    });
    let mut candidates: Vec<IncludeCandidate> = candidates.collect();
    candidates.sort_unstable();
    let distance = |candidate: &IncludeCandidate| (candidate.tier, candidate.above, candidate.below);
    let tied = candidates.len() > 1 && distance(&candidates[0]) == distance(&candidates[1]);
    let alone = candidates.len() == 1;
    Some(IncludeCandidate { alone, tied, ..candidates.into_iter().next()? })
}

fn candidate(directory: &str, root: &str, path: &str) -> IncludeCandidate {
    let components = |path: &str| path.split('/').filter(|part| !part.is_empty()).count();
    let shared = shared_components(directory, root);
    let above = components(directory) - shared;
    let below = components(root) - shared;
    let named = ROOT_NAMES.binary_search(&file_name(root)).is_ok();
    let tier = match (below, named) {
        (0, _) | (1, true) => Tier::Around,
        (_, true) => Tier::Root,
        (_, false) => Tier::Any,
    };
    IncludeCandidate { tier, above, below, path: path.to_owned(), alone: false, tied: false }
}

/// Number of leading components that two directories share.
fn shared_components(a: &str, b: &str) -> usize {
    let parts = |path| str::split(path, '/').filter(|part: &&str| !part.is_empty());
    parts(a).zip(parts(b)).take_while(|(a, b)| a == b).count()
}

/// Whether a template is nearer than the file that was found. Then the build makes the file that is meant.
fn is_generated(view: GraphView<'_>, directory: &str, specifier: &str, found: &IncludeCandidate) -> bool {
    TEMPLATE_ENDINGS.iter().any(|ending| {
        let template = format!("{specifier}{ending}");
        let nearest = nearest(view, &view.files_ending(&template), directory, &template);
        nearest.is_some_and(|template| (template.tier, template.above) <= (found.tier, found.above))
    })
}

/// Whether the directory in `<dir/file>` is a directory of the repository, below a root that contains the including
/// file.
fn is_ours(view: GraphView<'_>, from: &str, specifier: &str) -> bool {
    let named = parent(specifier);
    let has = |root: &str| normalised(root, named).is_some_and(|directory| !view.files_in(&directory).is_empty());
    !named.is_empty()
        && GraphView::directories_above(from)
            .any(|directory| has(directory) || has(&join(directory, "include")) || has(&join(directory, "src")))
}

/// Whether the specifier names a header of the languages or of the system.
fn is_standard(specifier: &str) -> bool {
    let in_system =
        specifier.split_once('/').is_some_and(|(first, _)| SYSTEM_DIRECTORIES.binary_search(&first).is_ok());
    in_system || STANDARD.binary_search(&specifier).is_ok()
}

/// Directories of system headers (those headers of POSIX.1-2017, of Linux and of macOS that are in a directory).
const SYSTEM_DIRECTORIES: [&str; 9] = ["arpa", "asm", "bits", "linux", "mach", "net", "netinet", "os", "sys"];

/// Headers of C23, of C++23, of POSIX.1-2017, and those that the usual systems add, sorted.
const STANDARD: [&str; 229] = [
    "aio.h",
    "algorithm",
    "alloca.h",
    "any",
    "ar.h",
    "argp.h",
    "arm_neon.h",
    "array",
    "assert.h",
    "atomic",
    "barrier",
    "bit",
    "bitset",
    "byteswap.h",
    "cassert",
    "ccomplex",
    "cctype",
    "cerrno",
    "cfenv",
    "cfloat",
    "charconv",
    "chrono",
    "cinttypes",
    "ciso646",
    "climits",
    "clocale",
    "cmath",
    "codecvt",
    "compare",
    "complex",
    "complex.h",
    "concepts",
    "condition_variable",
    "conio.h",
    "coroutine",
    "cpio.h",
    "cpuid.h",
    "crypt.h",
    "csetjmp",
    "csignal",
    "cstdalign",
    "cstdarg",
    "cstdbool",
    "cstddef",
    "cstdint",
    "cstdio",
    "cstdlib",
    "cstring",
    "ctgmath",
    "ctime",
    "ctype.h",
    "cuchar",
    "cwchar",
    "cwctype",
    "cxxabi.h",
    "deque",
    "direct.h",
    "dirent.h",
    "dlfcn.h",
    "elf.h",
    "emmintrin.h",
    "endian.h",
    "err.h",
    "errno.h",
    "error.h",
    "exception",
    "execinfo.h",
    "execution",
    "expected",
    "fcntl.h",
    "features.h",
    "fenv.h",
    "filesystem",
    "flat_map",
    "flat_set",
    "float.h",
    "fmtmsg.h",
    "fnmatch.h",
    "format",
    "forward_list",
    "fstream",
    "fts.h",
    "ftw.h",
    "functional",
    "future",
    "generator",
    "getopt.h",
    "glob.h",
    "grp.h",
    "iconv.h",
    "ifaddrs.h",
    "immintrin.h",
    "initializer_list",
    "intrin.h",
    "inttypes.h",
    "io.h",
    "iomanip",
    "ios",
    "iosfwd",
    "iostream",
    "iso646.h",
    "istream",
    "iterator",
    "langinfo.h",
    "latch",
    "libgen.h",
    "libintl.h",
    "limits",
    "limits.h",
    "link.h",
    "list",
    "locale",
    "locale.h",
    "malloc.h",
    "map",
    "math.h",
    "mdspan",
    "memory",
    "memory.h",
    "memory_resource",
    "mntent.h",
    "monetary.h",
    "mqueue.h",
    "mutex",
    "ndbm.h",
    "netdb.h",
    "new",
    "nl_types.h",
    "nmmintrin.h",
    "ntdef.h",
    "numbers",
    "numeric",
    "optional",
    "ostream",
    "paths.h",
    "pmmintrin.h",
    "poll.h",
    "print",
    "process.h",
    "pthread.h",
    "pwd.h",
    "queue",
    "random",
    "ranges",
    "ratio",
    "regex",
    "regex.h",
    "resolv.h",
    "sched.h",
    "scoped_allocator",
    "search.h",
    "semaphore",
    "semaphore.h",
    "set",
    "setjmp.h",
    "shared_mutex",
    "signal.h",
    "smmintrin.h",
    "source_location",
    "span",
    "spanstream",
    "spawn.h",
    "sstream",
    "stack",
    "stacktrace",
    "stdalign.h",
    "stdarg.h",
    "stdatomic.h",
    "stdbit.h",
    "stdbool.h",
    "stdckdint.h",
    "stddef.h",
    "stdexcept",
    "stdfloat",
    "stdint.h",
    "stdio.h",
    "stdio_ext.h",
    "stdlib.h",
    "stdnoreturn.h",
    "stop_token",
    "streambuf",
    "string",
    "string.h",
    "string_view",
    "strings.h",
    "stropts.h",
    "strstream",
    "syncstream",
    "sysexits.h",
    "syslog.h",
    "system_error",
    "tar.h",
    "term.h",
    "termios.h",
    "tgmath.h",
    "thread",
    "threads.h",
    "time.h",
    "tmmintrin.h",
    "trace.h",
    "tuple",
    "type_traits",
    "typeindex",
    "typeinfo",
    "uchar.h",
    "ucontext.h",
    "ulimit.h",
    "unistd.h",
    "unordered_map",
    "unordered_set",
    "unwind.h",
    "utility",
    "utime.h",
    "utmp.h",
    "utmpx.h",
    "valarray",
    "values.h",
    "variant",
    "vector",
    "version",
    "wchar.h",
    "wctype.h",
    "windows.h",
    "winsock.h",
    "winsock2.h",
    "wordexp.h",
    "ws2tcpip.h",
    "x86intrin.h",
    "xmmintrin.h",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(STANDARD.is_sorted() && ROOT_NAMES.is_sorted() && SYSTEM_DIRECTORIES.is_sorted());
    }

    #[test]
    fn roots_around_the_file_are_trusted_most() {
        for (directory, root, expected) in [
            ("src/a", "src/a", (Tier::Around, 0, 0)),
            ("src/a", "src", (Tier::Around, 1, 0)),
            ("src/a", "include", (Tier::Around, 2, 1)),
            ("src/a", "", (Tier::Around, 2, 0)),
            ("src", "deps/lua/src", (Tier::Root, 1, 3)),
            ("src", "deps/json", (Tier::Any, 1, 2)),
        ] {
            let found = candidate(directory, root, "x.h");
            assert_eq!((found.tier, found.above, found.below), expected, "{directory} {root}");
        }
    }
}
