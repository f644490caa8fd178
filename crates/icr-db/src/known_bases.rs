//! External types and traits that programs often inherit from, with the members that they provide.

/// A base that is defined outside of the repository.
struct KnownBase {
    /// Languages that call it so.
    languages: &'static [&'static str],
    /// Modules before its name, where the language writes them; a base without one counts too.
    modules: &'static [&'static str],
    /// Its name.
    name: &'static str,
    /// Members that it gives to what inherits from it, without those that it only asks for and those of [`GIVEN`].
    provides: &'static [&'static str],
}

const JAVA: &[&str] = &["java", "kotlin"];
const PYTHON: &[&str] = &["python"];
const RUST: &[&str] = &["rust"];
const SWIFT: &[&str] = &["swift"];

/// How programs write Python's module `typing`.
const TYPING: &[&str] = &["t", "typing", "typing_extensions"];

const EXCEPTION: &[&str] = &["add_note", "args", "with_traceback"];

/// From the documentation of the standard libraries.
const KNOWN_BASES: [KnownBase; 38] = [
    KnownBase { languages: &["csharp"], modules: &["System"], name: "IDisposable", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.lang"], name: "AutoCloseable", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.lang"], name: "Cloneable", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.lang"], name: "Comparable", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.lang"], name: "Object", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.lang"], name: "Runnable", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.io"], name: "Closeable", provides: &[] },
    KnownBase { languages: JAVA, modules: &["java.io"], name: "Serializable", provides: &[] },
    KnownBase { languages: PYTHON, modules: &["abc"], name: "ABC", provides: &[] },
    KnownBase { languages: PYTHON, modules: &["builtins"], name: "BaseException", provides: EXCEPTION },
    KnownBase { languages: PYTHON, modules: &["builtins"], name: "Exception", provides: EXCEPTION },
    KnownBase { languages: PYTHON, modules: &["builtins"], name: "RuntimeError", provides: EXCEPTION },
    KnownBase { languages: PYTHON, modules: &["builtins"], name: "TypeError", provides: EXCEPTION },
    KnownBase { languages: PYTHON, modules: &["builtins"], name: "ValueError", provides: EXCEPTION },
    KnownBase { languages: PYTHON, modules: &["builtins"], name: "object", provides: &[] },
    KnownBase { languages: PYTHON, modules: &["enum"], name: "Enum", provides: &["name", "value"] },
    KnownBase { languages: PYTHON, modules: TYPING, name: "Generic", provides: &[] },
    KnownBase {
        languages: PYTHON,
        modules: TYPING,
        name: "NamedTuple",
        provides: &["_asdict", "_field_defaults", "_fields", "_make", "_replace", "count", "index"],
    },
    KnownBase { languages: PYTHON, modules: TYPING, name: "Protocol", provides: &[] },
    KnownBase { languages: RUST, modules: &["std.clone"], name: "Clone", provides: &[] },
    KnownBase { languages: RUST, modules: &["fmt", "std.fmt"], name: "Debug", provides: &[] },
    KnownBase { languages: RUST, modules: &["std.default"], name: "Default", provides: &[] },
    KnownBase { languages: RUST, modules: &["fmt", "std.fmt"], name: "Display", provides: &[] },
    KnownBase { languages: RUST, modules: &["ops", "std.ops"], name: "Drop", provides: &[] },
    KnownBase { languages: RUST, modules: &["cmp", "std.cmp"], name: "Eq", provides: &[] },
    KnownBase { languages: RUST, modules: &["std.convert"], name: "From", provides: &[] },
    KnownBase { languages: RUST, modules: &["str", "std.str"], name: "FromStr", provides: &[] },
    KnownBase { languages: RUST, modules: &["hash", "std.hash"], name: "Hash", provides: &[] },
    KnownBase { languages: RUST, modules: &["std.convert"], name: "Into", provides: &[] },
    KnownBase { languages: RUST, modules: &["cmp", "std.cmp"], name: "Ord", provides: &[] },
    KnownBase { languages: RUST, modules: &["cmp", "std.cmp"], name: "PartialEq", provides: &[] },
    KnownBase { languages: RUST, modules: &["cmp", "std.cmp"], name: "PartialOrd", provides: &[] },
    KnownBase { languages: RUST, modules: &["marker", "std.marker"], name: "Send", provides: &[] },
    KnownBase { languages: RUST, modules: &["marker", "std.marker"], name: "Sync", provides: &[] },
    KnownBase { languages: RUST, modules: &["std.convert"], name: "TryFrom", provides: &[] },
    KnownBase { languages: SWIFT, modules: &["Swift"], name: "Equatable", provides: &[] },
    KnownBase { languages: SWIFT, modules: &["Swift"], name: "Sendable", provides: &[] },
    KnownBase { languages: SWIFT, modules: &["Swift"], name: "Hashable", provides: &["hash", "hashValue"] },
];

/// Members that types may have although neither their text nor their bases show it: of the root of all types, by
/// attributes (`derive`), or for all types of a kind.
const GIVEN: [(&[&str], &[&str]); 3] = [
    (&["csharp"], &["Equals", "GetHashCode", "GetType", "MemberwiseClone", "ToString"]),
    (
        &["java", "kotlin"],
        &["clone", "copy", "equals", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait"],
    ),
    (
        &["rust"],
        &[
            "clamp",
            "clone_from",
            "cmp",
            "default",
            "deref",
            "deserialize",
            "eq",
            "fmt",
            "ge",
            "gt",
            "hash",
            "hash_slice",
            "into",
            "le",
            "lt",
            "max",
            "min",
            "ne",
            "partial_cmp",
            "serialize",
            "to_string",
            "try_into",
            "type_id",
        ],
    ),
];

/// Whether an external base may give `member` to what inherits from it. `base` is its path without arguments, as the
/// code writes it, with `.` between names; an unknown base may give any member.
#[must_use]
pub fn may_provide(language: &str, base: &str, member: &str) -> bool {
    let (module, name) = base.rsplit_once('.').unwrap_or(("", base));
    let is_it = |known: &&KnownBase| {
        known.name == name
            && known.languages.contains(&language)
            && (module.is_empty() || known.modules.contains(&module))
    };
    KNOWN_BASES
        .iter()
        .find(is_it)
        .is_none_or(|known| known.provides.contains(&member) || may_be_given(language, member))
}

/// Whether types of the language may have `member` although neither their text nor their bases show it.
#[must_use]
pub fn may_be_given(language: &str, member: &str) -> bool {
    // Python calls these itself, and every type has most of them.
    if language == "python" && member.starts_with("__") && member.ends_with("__") {
        return true;
    }
    let mut given = GIVEN.iter().filter(|(languages, _)| languages.contains(&language));
    given.any(|(_, members)| members.contains(&member))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_is_known_in_its_language_and_by_its_module() {
        for (language, base, member) in [
            ("python", "Widget", "draw"),
            ("python", "asyncio.Protocol", "connection_lost"),
            ("python", "enum.Enum", "name"),
            ("csharp", "Exception", "Message"),
            ("csharp", "IDisposable", "ToString"),
            ("rust", "std.fmt.Display", "to_string"),
            ("ruby", "TypeError", "message"),
            ("python", "Exception", "__str__"),
        ] {
            assert!(may_provide(language, base, member), "{language} {base} {member}");
        }
        for (language, base, member) in [
            ("python", "t.Generic", "draw"),
            ("python", "ABC", "draw"),
            ("rust", "fmt.Display", "draw"),
            ("rust", "FromStr", "from_str"),
            ("java", "Runnable", "run"),
        ] {
            assert!(!may_provide(language, base, member), "{language} {base} {member}");
        }
    }
}
