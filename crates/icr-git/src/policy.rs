//! Which paths are members of a view.

use icr_model::{Recipe, RecipeBuilder, RepoPath};

use crate::ignore_rules::IgnoreRules;
use crate::secret;

/// Default size limit of a file, in bytes: 500 KiB. Larger files are nearly always generated or data.
pub const DEFAULT_MAX_FILE_BYTES: u64 = 500 * 1024;

/// Paths that are never source. They are ignored unless a later line with `!` includes them again.
const BUILT_IN: &str = ".hg/\n.svn/\n.jj/\n.icr/\nnode_modules/\n__pycache__/\n.DS_Store\n";

/// The user's settings for the members of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyOptions {
    /// Lines in the syntax of `.gitignore`; they come after the built-in lines and before those of ignore files.
    pub ignore_patterns: Vec<String>,
    /// Whether untracked files that git ignores are left out.
    pub respect_gitignore: bool,
    /// Whether `.icrignore` and `.icr/ignore` are read.
    pub respect_icrignore: bool,
    /// Largest file that is read, in bytes.
    pub max_file_bytes: u64,
    /// Lines in the syntax of `.gitignore` for further secret files, in addition to the built-in ones. No ignore file
    /// can undo them; a line with `!` undoes only earlier lines of this list.
    pub secret_patterns: Vec<String>,
    /// The same from a file of the clone. It can only add secret files: its lines with `!` do not count, and lines with
    /// `!` of the user do not undo it.
    pub clone_secret_patterns: Vec<String>,
    /// File extensions without the dot, in any case; only files with one of them are members. If empty, all files are.
    pub extensions: Vec<String>,
}

impl Default for PolicyOptions {
    fn default() -> Self {
        Self {
            ignore_patterns: Vec::new(),
            respect_gitignore: true,
            respect_icrignore: true,
            max_file_bytes: DEFAULT_MAX_FILE_BYTES,
            secret_patterns: Vec::new(),
            clone_secret_patterns: Vec::new(),
            extensions: Vec::new(),
        }
    }
}

/// Decides which paths are members of a view. Pure: the same paths are members at every revision and in every worktree.
#[derive(Debug, Clone)]
pub struct Policy {
    options: PolicyOptions,
    secrets: IgnoreRules,
    rules: IgnoreRules,
}

/// Whether `line`, in the syntax of `.gitignore`, names every file, as `*` and `**` do.
pub fn names_every_file(line: &str) -> bool {
    // Three sample names that have nothing in common.
    const NAMES: [&str; 5] = ["a", "Z9", "_.x", "-", "\u{e9}"];
    let mut rules = IgnoreRules::default();
    rules.add(line.as_bytes());
    NAMES.iter().all(|name| rules.ignores(name.as_bytes(), false))
}

/// How a path relates to a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Membership {
    /// A member of the view.
    Member,
    /// Left out by configuration.
    Ignored,
    /// Holds credentials by convention; always left out, whatever the configuration.
    Secret,
}

impl Default for Policy {
    fn default() -> Self {
        Self::new(PolicyOptions::default())
    }
}

impl Policy {
    /// The policy of `options`, before ignore files are added.
    pub fn new(mut options: PolicyOptions) -> Self {
        for extension in &mut options.extensions {
            *extension = extension.trim_start_matches('.').to_lowercase();
        }
        options.extensions.sort();
        options.extensions.dedup();
        let mut rules = IgnoreRules::default();
        rules.add(BUILT_IN.as_bytes());
        options.ignore_patterns.iter().for_each(|line| rules.add(line.as_bytes()));
        let mut secrets = IgnoreRules::default();
        options.secret_patterns.iter().for_each(|line| secrets.add(line.as_bytes()));
        // Appended at the end, since the last match decides.
        options.clone_secret_patterns.iter().for_each(|line| secrets.add_stricter(line.as_bytes()));
        Self { options, secrets, rules }
    }

    /// Adds the lines of an ignore file at the root (`.icrignore`, `.icr/ignore`) after all earlier ones. Does nothing
    /// if the options say that such files do not count.
    #[must_use]
    pub fn with_ignore_file(mut self, bytes: &[u8]) -> Self {
        if self.options.respect_icrignore {
            self.rules.add(bytes);
        }
        self
    }

    /// How the file at `path` relates to the view. The size limit is not checked here, since it needs the size.
    pub fn decide(&self, path: &RepoPath) -> Membership {
        let bytes = path.as_bytes();
        if secret::is_secret(bytes) || self.secrets.ignores(bytes, false) {
            return Membership::Secret;
        }
        if refusal(bytes).is_some() || !self.has_wanted_extension(path) || self.rules.ignores(bytes, false) {
            return Membership::Ignored;
        }
        Membership::Member
    }

    /// Whether no file below the directory can be a member.
    pub(crate) fn prunes(&self, directory: &[u8]) -> bool {
        secret::is_secret(directory)
            || self.secrets.ignores(directory, true)
            || refusal(directory).is_some()
            || self.rules.ignores(directory, true)
    }

    /// Size limit of a file, in bytes.
    pub fn max_file_bytes(&self) -> u64 {
        self.options.max_file_bytes
    }

    /// Whether untracked files that git ignores are left out.
    pub fn respects_gitignore(&self) -> bool {
        self.options.respect_gitignore
    }

    /// Digest of everything that the decisions depend on: options, patterns and built-in lists. Policies with equal
    /// digests have equal members.
    pub fn digest(&self) -> Recipe {
        let PolicyOptions { respect_gitignore, max_file_bytes, extensions, .. } = &self.options;
        let mut recipe = RecipeBuilder::default()
            .with("respect_gitignore", &[u8::from(*respect_gitignore)])
            .with("max_file_bytes", &max_file_bytes.to_be_bytes());
        recipe = extensions.iter().fold(recipe, |recipe, extension| recipe.with("extension", extension.as_bytes()));
        recipe = secret::rules().fold(recipe, |recipe, rule| recipe.with("secret", rule.as_bytes()));
        self.rules.digest(self.secrets.digest(recipe).with("ignored besides", b"")).build()
    }

    fn has_wanted_extension(&self, path: &RepoPath) -> bool {
        let wanted = &self.options.extensions;
        wanted.is_empty()
            || path
                .extension()
                .is_some_and(|extension| wanted.iter().any(|wanted| wanted.as_bytes().eq_ignore_ascii_case(extension)))
    }
}

/// Why a file of a worktree must not have this path, to complete "it cannot be read: …"; `None` for ordinary paths.
/// Trees may contain any bytes as names, and some file systems read more names as `.git` or as a path than git does.
pub(crate) fn refusal(path: &[u8]) -> Option<&'static str> {
    if path.contains(&0) {
        return Some("it contains a NUL byte");
    }
    path.split(|byte| *byte == b'/').find_map(|component| match component {
        b"" => Some("it is absolute or has an empty component"),
        b"." | b".." => Some("it leads out of the worktree"),
        _ if is_git_directory(component) => Some("it lies in a git directory"),
        _ if cfg!(windows) && component.iter().any(|byte| b"\\:".contains(byte)) => {
            Some("it leads out of the worktree")
        }
        _ => None,
    })
}

/// Whether a file system may take the name for `.git`: in any case, as the short name of Windows, with trailing dots
/// and spaces, or with characters that HFS+ ignores.
fn is_git_directory(component: &[u8]) -> bool {
    // The first byte excludes nearly all names without a copy.
    if component.first().is_some_and(|byte| byte.is_ascii() && !b".gG".contains(byte)) {
        return false;
    }
    let visible: String = String::from_utf8_lossy(component).chars().filter(|c| !is_ignored_by_hfs(*c)).collect();
    let visible = visible.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    visible.eq_ignore_ascii_case(".git") || visible.eq_ignore_ascii_case("git~1")
}

/// The code points that git's utf8.c lists in next_hfs_char.
fn is_ignored_by_hfs(character: char) -> bool {
    matches!(
        character,
        '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(policy: &Policy, expected: &[(&str, Membership)]) {
        for (path, membership) in expected {
            assert_eq!(policy.decide(&RepoPath::from(*path)), *membership, "{path}");
        }
    }

    fn with_patterns(patterns: &[&str]) -> Policy {
        let ignore_patterns = patterns.iter().map(|line| (*line).to_owned()).collect();
        Policy::new(PolicyOptions { ignore_patterns, ..Default::default() })
    }

    #[test]
    fn what_is_never_source_is_ignored_at_any_depth_unless_taken_back() {
        let vendored = "web/node_modules/x/index.js";
        check(&Policy::default(), &[(vendored, Membership::Ignored), ("src/node_modules.rs", Membership::Member)]);
        check(&with_patterns(&["!node_modules/"]), &[(vendored, Membership::Member)]);
    }

    #[test]
    fn later_lines_win_and_ignored_directories_stay_closed() {
        let policy = with_patterns(&["*.txt", "/build/"]).with_ignore_file(b"!keep.txt\n!build/keep.rs\n# note\n");
        check(
            &policy,
            &[
                ("a.txt", Membership::Ignored),
                ("a/keep.txt", Membership::Member),
                ("build/keep.rs", Membership::Ignored),
                ("src/build/x.rs", Membership::Member),
            ],
        );
    }

    #[test]
    fn secrets_cannot_be_taken_back() {
        check(&with_patterns(&["!.env", "!*.pem"]), &[(".env", Membership::Secret), ("x.pem", Membership::Secret)]);
    }

    #[test]
    fn secrets_of_the_user_and_of_the_clone_are_united_and_only_the_user_takes_own_ones_back() {
        let policy = |user: &[&str], clone: &[&str]| {
            let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
            let (secret_patterns, clone_secret_patterns) = (lines(user), lines(clone));
            Policy::new(PolicyOptions { secret_patterns, clone_secret_patterns, ..Default::default() })
        };
        let (secret, member) = (Membership::Secret, Membership::Member);
        check(&policy(&["*.sql"], &["/dumps/"]), &[("a.sql", secret), ("dumps/a", secret), ("b", member)]);
        check(&policy(&["*.sql", "!a.sql"], &[]), &[("a.sql", member), ("b.sql", secret)]);
        check(&policy(&["!.env", "!a.sql"], &["*.sql"]), &[(".env", secret), ("a.sql", secret)]);
        let tricks = ["!a.sql", "x\n!a.sql", "\u{feff}!a.sql", "b\r\n!*.sql"];
        check(&policy(&["*.sql"], &tricks), &[("a.sql", secret)]);
    }

    #[test]
    fn lines_that_name_every_file_are_told_from_those_that_name_many() {
        for line in ["*", "**", "/*", "/**", "**/*", "?*"] {
            assert!(names_every_file(line), "{line}");
        }
        for line in ["", "!*", "#*", "*/", "**/", "*.*", "src/**", "a*", "[a-z]*", "*a*", ".*"] {
            assert!(!names_every_file(line), "{line}");
        }
    }

    #[test]
    fn only_wanted_extensions_are_members() {
        let policy = Policy::new(PolicyOptions { extensions: vec![".RS".into(), "py".into()], ..Default::default() });
        check(
            &policy,
            &[
                ("a.rs", Membership::Member),
                ("a.PY", Membership::Member),
                ("a.c", Membership::Ignored),
                ("rs", Membership::Ignored),
            ],
        );
    }

    #[test]
    fn ignore_files_count_only_where_respected() {
        let ignoring = PolicyOptions { respect_icrignore: false, ..Default::default() };
        check(&Policy::new(ignoring).with_ignore_file(b"*.rs\n"), &[("a.rs", Membership::Member)]);
    }

    #[test]
    fn paths_that_no_worktree_can_hold_are_ignored() {
        for path in [
            "../a.rs",
            "a/../b.rs",
            "/a.rs",
            "a//b.rs",
            ".git/x",
            "a/.GIT/x",
            "a/.git./x",
            "git~1/x",
            ".g\u{200c}it/x",
            "a\0b",
        ] {
            assert_eq!(Policy::default().decide(&RepoPath::from(path)), Membership::Ignored, "{path:?}");
        }
        check(&Policy::default(), &[("..a/b.rs", Membership::Member), (".gitignore", Membership::Member)]);
    }

    #[test]
    fn equal_members_have_equal_digests() {
        let digest = |patterns: &[&str]| with_patterns(patterns).digest();
        assert_eq!(digest(&["*.txt"]), Policy::default().with_ignore_file(b"*.txt\n").digest());
        assert_ne!(digest(&["*.txt"]), digest(&["!*.txt"]));
        assert_ne!(digest(&["a", "!a"]), digest(&["!a", "a"]));
        let larger = Policy::new(PolicyOptions { max_file_bytes: 1, ..Default::default() });
        assert_ne!(larger.digest(), Policy::default().digest());
    }
}
