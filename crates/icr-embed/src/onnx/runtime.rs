//! Finds and tries the library that runs models before it is used.

use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use icr_model::even_after_panic;
use libloading::Library;
use ort::environment::Environment;

use crate::Error;

/// Least minor version of ONNX Runtime 1: the one whose interface the program is built against (`ort`'s `api-24`).
const LEAST_MINOR: u32 = ort::MINOR_VERSION;

/// Environment variable that names the library.
const VARIABLE: &str = "ORT_DYLIB_PATH";

/// Directory of a downloaded runtime, beside the models.
const DIRECTORY: &str = "runtime";

/// Names that the system's loader is asked for, tried last.
#[cfg(target_os = "windows")]
const SYSTEM_NAMES: &[&str] = &["onnxruntime.dll"];
#[cfg(target_os = "macos")]
const SYSTEM_NAMES: &[&str] = &["libonnxruntime.dylib", "libonnxruntime.1.dylib"];
#[cfg(not(any(target_os = "windows", target_os = "macos")))]
const SYSTEM_NAMES: &[&str] = &["libonnxruntime.so", "libonnxruntime.so.1"];

/// A runtime in use.
#[derive(Clone)]
pub(crate) struct Runtime {
    pub(crate) environment: Environment,
    /// Version, such as `1.31.1`.
    pub(crate) version: String,
}

/// The version of the runtime that an embedder would use, such as `1.31.1`, without using it.
///
/// Looked for as [`crate::OnnxEmbedder::open`] does, in the directory `runtime` of `models_dir`. Loads the library.
///
/// # Errors
///
/// [`Error::Runtime`] if no library is usable. It names each that was tried.
pub fn runtime_version(models_dir: &Path, runtime: Option<&Path>) -> Result<String, Error> {
    let (_, version) = find(&candidates(runtime, named_by_environment(), models_dir))?;
    Ok(version)
}

/// The library that `ORT_DYLIB_PATH` names.
#[expect(clippy::disallowed_methods, reason = "where the library says itself that it is looked for")]
fn named_by_environment() -> Option<PathBuf> {
    std::env::var_os(VARIABLE).map(PathBuf::from)
}

/// The runtime of this process. The first call searches: `explicit`, the library that `ORT_DYLIB_PATH` names,
/// `models_dir/runtime/`, the system's names. The user chose the first two, so if one of them is given and not usable,
/// no other is tried.
///
/// A process has one runtime. A later call with another path gets that runtime if both paths lead to the same library,
/// otherwise an error.
///
/// # Errors
///
/// [`Error::Runtime`] when no library can be used. Nothing panics: each is loaded and asked for its version before `ort`
/// sees it.
pub(crate) fn runtime(models_dir: &Path, explicit: Option<&Path>) -> Result<Runtime, Error> {
    static CURRENT: Mutex<Option<(PathBuf, Runtime)>> = Mutex::new(None);
    let mut current = even_after_panic(CURRENT.lock());
    if let Some((path, runtime)) = current.as_ref() {
        return match explicit {
            Some(other) if !is_same_file(path, other) => {
                find(&Candidates::Only(other.to_owned()))?;
                let reason = format!("{} is in use by this process, which can have one", path.display());
                Err(wrong(other, reason))
            }
            _ => Ok(runtime.clone()),
        };
    }
    let (path, version) = find(&candidates(explicit, named_by_environment(), models_dir))?;
    let builder = ort::init_from(&path).map_err(|error| wrong(&path, error.to_string()))?;
    // Failures are returned as errors. The library's own log output would mix with the program's answers.
    let environment = builder
        .with_name("icr")
        .with_telemetry(false)
        .with_logger(Arc::new(|_, _, _, _, _| {}))
        .build()
        .map_err(|error| wrong(&path, format!("cannot be started: {error}")))?;
    let runtime = Runtime { environment, version };
    *current = Some((path, runtime.clone()));
    Ok(runtime)
}

/// Places to search.
#[derive(Debug, PartialEq, Eq)]
enum Candidates {
    /// The one that the user named.
    Only(PathBuf),
    /// Several; the first usable one is taken.
    Several(Vec<PathBuf>),
}

fn candidates(explicit: Option<&Path>, variable: Option<PathBuf>, models_dir: &Path) -> Candidates {
    let said = explicit.map(Path::to_owned).or(variable.filter(|path| !path.as_os_str().is_empty()));
    match said {
        // `ort` resolves a relative path from the program's directory, but users mean the current directory.
        Some(path) if path.is_file() => Candidates::Only(std::path::absolute(&path).unwrap_or(path)),
        Some(path) => Candidates::Only(path),
        None => {
            let fetched = libraries_in(&models_dir.join(DIRECTORY));
            Candidates::Several(fetched.into_iter().chain(SYSTEM_NAMES.iter().map(|name| of_system(name))).collect())
        }
    }
}

/// The library of that name beside the program, which `ort` prefers; otherwise the name alone, which the loader
/// resolves.
fn of_system(name: &str) -> PathBuf {
    let program = std::env::current_exe().ok();
    let beside = program.and_then(|program| Some(program.parent()?.join(name))).filter(|path| path.is_file());
    beside.unwrap_or_else(|| PathBuf::from(name))
}

/// Files of `directory` that have the library's name, the highest name first.
fn libraries_in(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_library_name));
    paths.sort_by(|a, b| b.cmp(a));
    paths
}

/// Whether `name` is a name such as `libonnxruntime.so.1.31.1`, not that of an execution provider library or of a part
/// file.
fn is_library_name(name: &str) -> bool {
    let rest = name.strip_prefix("lib").unwrap_or(name).strip_prefix("onnxruntime");
    let is_version = |text: &str| text.chars().all(|character| character.is_ascii_digit() || character == '.');
    rest.is_some_and(|rest| {
        rest == ".dll" || rest.strip_prefix(".so").or(rest.strip_suffix(".dylib")).is_some_and(is_version)
    })
}

fn find(candidates: &Candidates) -> Result<(PathBuf, String), Error> {
    let paths = match candidates {
        Candidates::Only(path) => return Ok((path.clone(), version_of(path)?)),
        Candidates::Several(paths) => paths,
    };
    let mut reasons = Vec::new();
    for path in paths {
        match version_of(path) {
            Ok(version) => return Ok((path.clone(), version)),
            Err(Error::Runtime { path, reason }) => reasons.push(format!("{}: {reason}", path.display())),
            Err(other) => return Err(other),
        }
    }
    let reason = format!("none can be used ({}); `icr model fetch` gets one", reasons.join("; "));
    Err(wrong(Path::new(SYSTEM_NAMES[0]), reason))
}

/// The part of `OrtApiBase` that has been the same since its first version (onnxruntime_c_api.h).
#[repr(C)]
struct ApiBase {
    get_api: unsafe extern "system" fn(version: u32) -> *const std::ffi::c_void,
    get_version_string: unsafe extern "system" fn() -> *const c_char,
}

/// Loads the library at `path` and asks for its version.
fn version_of(path: &Path) -> Result<String, Error> {
    // The loader resolves a name without a directory. Everything else must be a file, although the loader might accept
    // more.
    if path.components().count() > 1 && !path.is_file() {
        return Err(wrong(path, "there is no such file"));
    }
    // SAFETY: loading runs the library's initialisers. The path is the user's own word, or that of a library which the
    // system or `icr model fetch` put there; no content of a repository reaches it.
    let library = unsafe { Library::new(path) }.map_err(|error| wrong(path, format!("cannot be loaded: {error}")))?;
    // SAFETY: `OrtGetApiBase` has had this signature in every version; a library without the name gives an error.
    let get_base = unsafe { library.get::<unsafe extern "system" fn() -> *const ApiBase>(b"OrtGetApiBase\0") }
        .map_err(|_| wrong(path, "is no ONNX Runtime: it has no function `OrtGetApiBase`"))?;
    // SAFETY: as above; it gives a pointer to a static table, or null.
    let Some(base) = (unsafe { get_base().as_ref() }) else {
        return Err(wrong(path, "`OrtGetApiBase` gave nothing"));
    };
    // SAFETY: the function gives a static text that ends with a zero byte.
    let version = unsafe { (base.get_version_string)() };
    if version.is_null() {
        return Err(wrong(path, "says no version"));
    }
    // SAFETY: not null, and as above.
    let version = unsafe { CStr::from_ptr(version) }.to_string_lossy().into_owned();
    if !is_recent(&version) {
        return Err(wrong(path, format!("is version {version}; 1.{LEAST_MINOR} or later is needed")));
    }
    // SAFETY: gives null for a version of the interface that it does not have.
    if unsafe { (base.get_api)(LEAST_MINOR) }.is_null() {
        return Err(wrong(path, format!("is version {version} and lacks the interface of 1.{LEAST_MINOR}")));
    }
    // The runtime has its own threads and state. It is loaded again at once, so unloading it gains nothing.
    std::mem::forget(library);
    Ok(version)
}

/// Whether a version such as `1.31.1` has the required interface.
fn is_recent(version: &str) -> bool {
    let mut parts = version.split(['.', '-', '+']).map(str::parse::<u32>);
    matches!((parts.next(), parts.next()), (Some(Ok(1)), Some(Ok(minor))) if minor >= LEAST_MINOR)
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    real(a) == real(b)
}

fn wrong(path: &Path, reason: impl Into<String>) -> Error {
    Error::Runtime { path: path.to_owned(), reason: reason.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn reason_of(path: &Path) -> String {
        match version_of(path) {
            Err(Error::Runtime { path: named, reason }) => {
                assert_eq!(named, path);
                reason
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_no_runtime_is_an_error_that_says_why() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(reason_of(&directory.path().join("absent.so")), "there is no such file");
        assert_eq!(reason_of(directory.path()), "there is no such file");
        for contents in [&b""[..], b"not a library", b"\x7fELF\x02\x01\x01"] {
            let path = directory.path().join("libonnxruntime.so");
            std::fs::write(&path, contents).unwrap();
            assert!(reason_of(&path).starts_with("cannot be loaded: "), "{contents:?}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn another_library_is_told_from_a_runtime() {
        assert_eq!(reason_of(Path::new("libc.so.6")), "is no ONNX Runtime: it has no function `OrtGetApiBase`");
    }

    /// Compiles a library whose `OrtGetApiBase` returns `base`, and which has nothing else of a runtime.
    #[cfg(target_os = "linux")]
    #[expect(clippy::disallowed_methods, reason = "a compiler makes the library")]
    fn library(directory: &Path, base: &str) -> PathBuf {
        let source = directory.join("runtime.c");
        let path = directory.join("libonnxruntime.so");
        let code = format!(
            "static const void *api(unsigned version) {{ return version > 20 ? 0 : \"an interface\"; }}
             static const char *old(void) {{ return \"1.20.1\"; }}
             static const char *recent(void) {{ return \"1.24.0\"; }}
             static const char *silent(void) {{ return 0; }}
             struct base {{ const void *(*api)(unsigned); const char *(*version)(void); }};
             static const struct base old_base = {{ api, old }}, hollow_base = {{ api, recent }}, silent_base = {{ api, silent }};
             const struct base *OrtGetApiBase(void) {{ (void)old_base, (void)hollow_base, (void)silent_base; return {base}; }}"
        );
        std::fs::write(&source, code).unwrap();
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let status =
            std::process::Command::new(compiler).args(["-shared", "-fPIC", "-o"]).arg(&path).arg(&source).status();
        assert!(status.unwrap().success(), "the compiler that links this program compiles C");
        path
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_runtime_of_another_version_is_named_with_the_one_that_is_needed() {
        for (base, expected) in [
            ("&old_base", "is version 1.20.1; 1.24 or later is needed"),
            ("&hollow_base", "is version 1.24.0 and lacks the interface of 1.24"),
            ("&silent_base", "says no version"),
            ("0", "`OrtGetApiBase` gave nothing"),
        ] {
            let directory = tempfile::tempdir().unwrap();
            assert_eq!(reason_of(&library(directory.path(), base)), expected);
        }
    }

    #[test]
    fn versions_are_compared_by_number() {
        for (version, expected) in [
            ("1.31.1", true),
            ("1.24.0", true),
            ("1.100.0", true),
            ("1.24-dev", true),
            ("1.23.9", false),
            ("1.9.0", false),
            ("2.0.0", false),
            ("1", false),
            ("", false),
            ("one.two", false),
        ] {
            assert_eq!(is_recent(version), expected, "{version}");
        }
    }

    #[test]
    fn the_user_s_word_is_final_and_an_empty_variable_is_none() {
        let models = Path::new("models");
        let only = |path: &str| Candidates::Only(PathBuf::from(path));
        assert_eq!(candidates(Some(Path::new("a/b.so")), Some("c/d.so".into()), models), only("a/b.so"));
        assert_eq!(candidates(None, Some("c/d.so".into()), models), only("c/d.so"));
        assert!(matches!(candidates(None, Some("".into()), models), Candidates::Several(_)));
    }

    #[test]
    fn a_fetched_runtime_comes_before_the_system_s_the_newest_first() {
        let models = tempfile::tempdir().unwrap();
        let directory = models.path().join(DIRECTORY);
        std::fs::create_dir(&directory).unwrap();
        for name in [
            "libonnxruntime.so.1.24.0",
            "libonnxruntime.so.1.31.1",
            "libonnxruntime_providers_shared.so",
            "libonnxruntime.1.31.1.dylib",
            "libonnxruntime.so.part",
            "onnxruntime.sha256",
            "LICENSE",
        ] {
            std::fs::write(directory.join(name), "").unwrap();
        }
        let Candidates::Several(paths) = candidates(None, None, models.path()) else { panic!("nothing was said") };
        let names: Vec<_> = paths.iter().take(3).filter_map(|path| path.file_name()?.to_str()).collect();
        assert_eq!(names, ["libonnxruntime.so.1.31.1", "libonnxruntime.so.1.24.0", "libonnxruntime.1.31.1.dylib"]);
        assert_eq!(paths.len(), 3 + SYSTEM_NAMES.len());
    }

    #[test]
    fn where_nothing_can_be_used_each_place_is_named() {
        let models = tempfile::tempdir().unwrap();
        let places = Candidates::Several(vec![models.path().join("a.so"), models.path().join("b.so")]);
        let message = find(&places).unwrap_err().to_string();
        assert!(message.contains("a.so: there is no such file; "), "{message}");
        assert!(message.ends_with("b.so: there is no such file); `icr model fetch` gets one"), "{message}");
    }
}
