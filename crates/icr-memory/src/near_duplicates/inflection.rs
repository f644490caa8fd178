//! Finds the base forms of English words.

/// Verbs whose forms in -ed and -ing mean the same action, sorted. Forms that are also nouns of another meaning
/// (staging, billing, tracing, testing) are left out.
const VERBS: &[&str] = &[
    "accept",
    "add",
    "agree",
    "allow",
    "apply",
    "archive",
    "ask",
    "assign",
    "attach",
    "avoid",
    "block",
    "cache",
    "call",
    "cause",
    "change",
    "check",
    "choose",
    "clean",
    "close",
    "collect",
    "commit",
    "compare",
    "compile",
    "compute",
    "configure",
    "connect",
    "consider",
    "contain",
    "convert",
    "copy",
    "create",
    "decide",
    "delete",
    "depend",
    "deploy",
    "deprecate",
    "describe",
    "download",
    "encrypt",
    "expire",
    "explain",
    "expose",
    "fail",
    "fetch",
    "fix",
    "follow",
    "generate",
    "handle",
    "hash",
    "ignore",
    "implement",
    "import",
    "include",
    "insert",
    "install",
    "keep",
    "limit",
    "list",
    "live",
    "load",
    "lock",
    "make",
    "match",
    "merge",
    "migrate",
    "move",
    "need",
    "open",
    "own",
    "parse",
    "pick",
    "plan",
    "post",
    "prefer",
    "prevent",
    "print",
    "process",
    "publish",
    "push",
    "queue",
    "reach",
    "read",
    "receive",
    "record",
    "refactor",
    "refuse",
    "reject",
    "release",
    "remove",
    "rename",
    "replace",
    "report",
    "request",
    "require",
    "resolve",
    "restart",
    "retry",
    "return",
    "revert",
    "rotate",
    "run",
    "save",
    "scan",
    "send",
    "serve",
    "share",
    "show",
    "split",
    "start",
    "stop",
    "store",
    "stream",
    "support",
    "switch",
    "sync",
    "trigger",
    "update",
    "upgrade",
    "upload",
    "use",
    "validate",
    "wait",
    "wrap",
    "write",
];

/// Irregular forms with their base, sorted.
const IRREGULAR: &[(&str, &str)] = &[
    ("built", "build"),
    ("chose", "choose"),
    ("chosen", "choose"),
    ("kept", "keep"),
    ("made", "make"),
    ("ran", "run"),
    ("sent", "send"),
    ("shown", "show"),
    ("written", "write"),
    ("wrote", "write"),
];

/// All words that a lower-case English `word` may be a form of, itself first: `fixed` of fix and fixe, `uses` of use
/// and us.
pub(crate) fn bases(word: &str) -> Vec<String> {
    let mut bases = vec![word.to_owned()];
    let mut add = |base: &str, ending: &str| {
        if base.chars().count() >= 2 {
            bases.push(format!("{base}{ending}"));
        }
    };
    if let Ok(at) = IRREGULAR.binary_search_by_key(&word, |row| row.0) {
        add(IRREGULAR[at].1, "");
    }
    if let Some(owner) = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")) {
        add(owner, "");
    }
    if let Some(base) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")) {
        add(base, "y");
    }
    if let Some(base) = word.strip_suffix('s') {
        add(base, "");
    }
    if let Some(base) = word.strip_suffix("es") {
        add(base, "");
    }
    if let Some(base) = word.strip_suffix("ed").or_else(|| word.strip_suffix("ing")) {
        add(base, "");
        add(base, "e");
        let mut back = base.chars().rev();
        if let (Some(last), Some(before)) = (back.next(), back.next())
            && last == before
        {
            add(&base[..base.len() - last.len_utf8()], "");
        }
    }
    bases
}

/// The common stem of all forms of a lower-case English `word` with the same meaning: the singular of a noun, the base
/// of a verb.
pub(crate) fn stem(word: &str) -> String {
    let bases = bases(word);
    let is_verb = |base: &&String| VERBS.binary_search(&base.as_str()).is_ok();
    if let Some(verb) = bases.iter().find(is_verb) {
        return verb.clone();
    }
    let length = word.chars().count();
    if length <= 3 || ["ss", "us", "is", "as"].iter().any(|end| word.ends_with(end)) {
        return word.to_owned();
    }
    if let Some(base) = word.strip_suffix("ies").filter(|base| base.len() >= 2) {
        return format!("{base}y");
    }
    if ["sses", "shes", "ches", "xes", "zes"].iter().any(|end| word.ends_with(end)) {
        return word[..word.len() - 2].to_owned();
    }
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s"));
    owner.or_else(|| word.strip_suffix('s')).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(forms: &[&str], base: &str) {
        for form in forms {
            assert_eq!(stem(form), base, "{form}");
        }
    }

    #[test]
    fn forms_of_one_word_have_one_stem() {
        check(&["use", "uses", "used", "using"], "use");
        check(&["fix", "fixes", "fixed", "fixing"], "fix");
        check(&["cache", "caches", "cached", "caching"], "cache");
        check(&["retry", "retries", "retried", "retrying"], "retry");
        check(&["stop", "stops", "stopped", "stopping"], "stop");
        check(&["choose", "chose", "chosen", "choosing"], "choose");
        check(&["database", "databases", "database's"], "database");
        check(&["index", "indexes"], "index");
        check(&["policy", "policies"], "policy");
    }

    #[test]
    fn other_words_stay_apart() {
        for (one, other) in
            [("stage", "staging"), ("bill", "billing"), ("trace", "tracing"), ("user", "use"), ("bus", "bu")]
        {
            assert_ne!(stem(one), stem(other));
        }
        check(&["class"], "class");
        check(&["status"], "status");
        check(&["redis"], "redis");
    }

    #[test]
    fn short_words_and_other_scripts_have_bases_too() {
        for word in ["", "s", "es", "ing", "ed", "éé", "ééing", "数据s"] {
            assert_eq!(bases(word).first().map(String::as_str), Some(word));
            stem(word);
        }
    }

    #[test]
    fn tables_are_sorted() {
        assert!(VERBS.is_sorted());
        assert!(IRREGULAR.is_sorted());
    }
}
