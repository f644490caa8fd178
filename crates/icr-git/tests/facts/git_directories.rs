//! Which git directories are used: git's own layouts are, and what was committed to look like one is not.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use icr_fixture::Fixture;
use icr_git::{Error, Policy, Repository};

use crate::show::open;

/// A clone beside the directories that its author wants to see: `victim`, without a repository, and `private`, with one.
struct Place {
    fixture: Fixture,
}

impl Place {
    fn new() -> Self {
        let fixture = Fixture::new("//- src/ok.rs\nfn ok() {}\n");
        fs::create_dir(fixture.home().join("victim")).unwrap();
        fs::write(fixture.home().join("victim/notes.rs"), "fn victim() {}\n").unwrap();
        fixture.clone_to("private", &[]);
        Self { fixture }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.fixture.home().join(path)
    }

    /// Commits files below `evil`; `$HOME` in their contents is the directory that holds everything.
    fn forge(&self, files: &[(&str, &str)]) {
        let home = self.fixture.home().to_str().unwrap();
        for (path, content) in files {
            self.fixture.write_bytes(&format!("evil/{path}"), content.replace("$HOME", home).as_bytes());
        }
        self.fixture.commit("innocent");
    }

    /// The error for each of `starts`, which are relative to the worktree; `$HOME` stands for what holds everything.
    #[track_caller]
    fn refuses(&self, starts: &[&str], expected: &str) {
        for start in starts {
            let error = Repository::discover(&self.fixture.root().join(start)).expect_err(start).to_string();
            let shown = error.replace(self.fixture.root().to_str().unwrap(), "$REPO");
            assert_eq!(shown.replace(self.fixture.home().to_str().unwrap(), "$HOME"), expected, "{start}");
        }
        assert_eq!(open(&self.fixture.root().join("src")).worktree_root(), Some(self.fixture.root()));
    }
}

const BARE: [(&str, &str); 3] = [("HEAD", "ref: refs/heads/main\n"), ("objects/x", ""), ("refs/x", "")];

const AMONG_FILES: &str = "`$REPO/evil` looks like a git directory, and lies among the files of the worktree `$REPO`";

#[test]
fn a_directory_of_the_clone_is_no_bare_repository() {
    let place = Place::new();
    place.forge(&[&BARE[..], &[("config", "[core]\n\tbare = true\n"), ("a/b.rs", "")]].concat());
    place.refuses(&["evil", "evil/a", "evil/objects", "evil/HEAD"], AMONG_FILES);
    let named = Repository::discover_named(&place.at("repo/evil"));
    assert_eq!(named.unwrap().git_dir(), place.fixture.root().join("evil"));
}

#[test]
fn a_directory_of_the_clone_names_no_worktree() {
    let place = Place::new();
    place.forge(&[&BARE[..], &[("config", "[core]\n\tbare = false\n\tworktree = $HOME/victim\n")]].concat());
    place.refuses(&["evil", "evil/refs"], AMONG_FILES);
    let error = Repository::discover_named(&place.at("repo/evil")).unwrap_err();
    assert!(matches!(&error, Error::ForeignWorktree { worktree, .. } if *worktree == place.at("victim")), "{error:?}");
}

#[test]
fn a_directory_of_the_clone_is_no_linked_worktree_elsewhere() {
    let place = Place::new();
    place.forge(&[("HEAD", "ref: refs/heads/main\n"), ("commondir", "../.git\n"), ("gitdir", "$HOME/victim/.git\n")]);
    place.refuses(&["evil"], AMONG_FILES);
    assert!(Repository::discover_named(&place.at("repo/evil")).is_err());
}

#[test]
fn a_directory_of_the_clone_belongs_to_no_other_repository() {
    for gitdir in ["$HOME/repo/evil/wt/.git\n", "$HOME/private/.git\n", "", "\0\n"] {
        let place = Place::new();
        place.forge(&[
            ("HEAD", "ref: refs/heads/main\n"),
            ("commondir", "$HOME/private/.git\n"),
            ("gitdir", gitdir),
            ("objects/x", ""),
            ("refs/x", ""),
            ("wt/a.rs", ""),
        ]);
        place.refuses(&["evil"], AMONG_FILES);
        let error = Repository::discover_named(&place.at("repo/evil")).unwrap_err();
        assert!(matches!(&error, Error::UnlinkedGitDirectory { .. }), "{error:?}");
    }
}

#[test]
fn a_bare_repository_of_the_clone_has_no_linked_worktrees() {
    let place = Place::new();
    let linked = [
        ("worktrees/w/HEAD", "ref: refs/heads/main\n"),
        ("worktrees/w/commondir", "../..\n"),
        ("worktrees/w/gitdir", "$HOME/private/.git\n"),
    ];
    place.forge(&[&BARE[..], &linked[..]].concat());
    place.refuses(&["evil/worktrees/w"], &AMONG_FILES.replace("evil", "evil/worktrees/w"));
    place.refuses(&["evil/worktrees"], AMONG_FILES);
}

#[test]
fn a_repository_names_no_worktree_that_is_not_its_own() {
    let place = Place::new();
    for worktree in [place.at("victim"), place.at("private"), place.at("")] {
        place.fixture.git(&["config", "core.worktree", worktree.to_str().unwrap()]);
        for start in ["repo", "repo/src", "repo/.git"] {
            let error = Repository::discover(&place.at(start)).unwrap_err();
            assert!(matches!(&error, Error::ForeignWorktree { .. }), "{start}: {error:?}");
        }
    }
    symlink(place.at("victim"), place.at("repo/link")).unwrap();
    place.fixture.git(&["config", "core.worktree", "../link"]);
    assert!(matches!(Repository::discover(&place.at("repo")).unwrap_err(), Error::ForeignWorktree { .. }));
    for own in ["..", "../src"] {
        place.fixture.git(&["config", "core.worktree", own]);
        open(&place.at("repo/.git"));
    }
}

#[test]
fn a_worktree_is_used_only_with_a_git_directory_that_names_it() {
    let place = Place::new();
    let linked = place.fixture.worktree("linked", "HEAD");
    let unpacked = place.at("unpacked");
    fs::create_dir(&unpacked).unwrap();
    fs::copy(linked.join(".git"), unpacked.join(".git")).unwrap();
    let error = Repository::discover(&unpacked).unwrap_err();
    assert!(matches!(&error, Error::UnlinkedGitDirectory { .. }), "{error:?}");
    place.fixture.git_in(&linked, &["worktree", "repair", unpacked.to_str().unwrap()]);
    assert_eq!(open(&unpacked).worktree_root(), Some(unpacked.as_path()));
}

#[test]
fn linked_worktrees_are_found_from_every_side() {
    let fixture = Fixture::new("//- a/b.rs\n1\n");
    let linked = fixture.worktree("linked", "HEAD");
    fixture.git(&["worktree", "add", "-q", "--detach", "inside", "HEAD"]);
    let inside = fixture.root().join("inside");
    for (worktree, name) in [(&linked, "linked"), (&inside, "inside")] {
        let git_dir = fixture.root().join(".git/worktrees").join(name);
        for start in [worktree.as_path(), &worktree.join("a"), &git_dir] {
            let repository = open(start);
            assert_eq!((repository.git_dir(), repository.worktree_root()), (git_dir.as_path(), Some(&**worktree)));
        }
    }
}

#[test]
fn worktrees_of_a_repository_are_those_that_name_it() {
    let fixture = Fixture::new("//- a.rs\n");
    let linked = fixture.worktree("linked", "HEAD").canonicalize().unwrap();
    let gone = fixture.worktree("gone", "HEAD");
    fs::remove_dir_all(gone).unwrap();
    let other = Fixture::new("//- b.rs\n");
    let claimed = fixture.root().join(".git/worktrees/claimed");
    fs::create_dir_all(&claimed).unwrap();
    fs::write(claimed.join("gitdir"), format!("{}\n", other.root().join(".git").display())).unwrap();
    fs::write(claimed.join("commondir"), "../..\n").unwrap();
    let root = fixture.root().canonicalize().unwrap();
    let mut expected = vec![linked.clone(), root.clone()];
    expected.sort();
    for start in [&root, &linked] {
        assert_eq!(open(start).worktree_roots(), expected, "{}", start.display());
    }
    let bare = fixture.clone_to("bare", &["--bare"]);
    assert_eq!(open(&bare).worktree_roots(), [] as [PathBuf; 0]);
}

#[test]
fn submodules_are_found_from_every_side() {
    let library = Fixture::new("//- lib.rs\nfn lib() {}\n");
    let fixture = Fixture::new("//- a.rs\n1\n");
    let url = format!("file://{}", library.root().display());
    fixture.git(&["submodule", "--quiet", "add", &url, "deep/lib"]);
    let (root, git_dir) = (fixture.root().join("deep/lib"), fixture.root().join(".git/modules/deep/lib"));
    for start in [&root, &git_dir, &git_dir.join("refs")] {
        let repository = open(start);
        assert_eq!((repository.git_dir(), repository.worktree_root()), (git_dir.as_path(), Some(root.as_path())));
    }
    let linked = fixture.home().join("linked");
    fixture.git_in(&root, &["worktree", "add", "-q", "--detach", linked.to_str().unwrap(), "HEAD"]);
    assert_eq!(open(&linked).common_dir(), git_dir);
    // Not checked out any more, and still known.
    fs::remove_file(root.join(".git")).unwrap();
    assert_eq!(open(&git_dir).worktree_root(), Some(root.as_path()));
}

#[test]
fn a_git_directory_may_lie_beside_its_worktree() {
    let fixture = Fixture::empty();
    let (git_dir, root) = (fixture.home().join("elsewhere.git"), fixture.home().join("work"));
    let option = format!("--separate-git-dir={}", git_dir.display());
    fixture.git_in(fixture.home(), &["init", "-q", &option, root.to_str().unwrap()]);
    for start in [&root, &git_dir] {
        assert_eq!(open(start).git_dir(), git_dir);
    }
    assert_eq!(open(&root).worktree_root(), Some(root.as_path()));
}

#[test]
fn what_an_unpacked_dot_git_points_to_is_used_as_git_uses_it() {
    let place = Place::new();
    let private = place.at("private/.git");
    for (name, is_link) in [("file", false), ("link", true)] {
        let unpacked = place.at(name);
        fs::create_dir(&unpacked).unwrap();
        match is_link {
            true => symlink(&private, unpacked.join(".git")).unwrap(),
            false => fs::write(unpacked.join(".git"), format!("gitdir: {}\n", private.display())).unwrap(),
        }
        let repository = open(&unpacked);
        assert_eq!((repository.git_dir(), repository.worktree_root()), (private.as_path(), Some(unpacked.as_path())));
        let of_git = place.fixture.git_in(&unpacked, &["rev-parse", "--absolute-git-dir"]);
        assert_eq!(fs::canonicalize(of_git).unwrap(), private);
    }
}

#[test]
fn bare_repositories_lie_anywhere_but_among_files() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let bare = fixture.clone_to("srv/git/project.git", &["--bare"]);
    for start in [&bare, &bare.join("refs/heads")] {
        assert_eq!((open(start).git_dir(), open(start).worktree_root()), (bare.as_path(), None));
    }
    // A bare repository with a worktree for each branch, named by a `.git` file or not.
    let hub = fixture.home().join("hub");
    let bare = fixture.clone_to("hub/.bare", &["--bare"]);
    let main = hub.join("main");
    fixture.git_in(&bare, &["worktree", "add", "-q", "--detach", main.to_str().unwrap(), "HEAD"]);
    for named in [false, true] {
        if named {
            fs::write(hub.join(".git"), "gitdir: ./.bare\n").unwrap();
            assert_eq!(open(&hub).git_dir(), bare);
        }
        assert_eq!(open(&bare).git_dir(), bare);
        assert_eq!((open(&main).common_dir(), open(&main).worktree_root()), (bare.as_path(), Some(main.as_path())));
    }
}

#[test]
fn a_repository_inside_of_another_is_its_own() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    let inner = fixture.clone_to("repo/vendor/inner", &[]);
    assert_eq!(open(&inner.join(".git/objects")).worktree_root(), Some(inner.as_path()));
    let bare = fixture.clone_to("repo/vendor/bare.git", &["--bare"]);
    assert!(matches!(Repository::discover(&bare).unwrap_err(), Error::GitDirectoryAmongFiles { .. }));
    assert_eq!(Repository::discover_named(&bare).unwrap().git_dir(), bare);
}

/// Names of the variables that tell the test below that it is the child of itself, and what it is to find.
const CHILD: &str = "ICR_GIT_TEST_CHILD";

#[test]
fn what_the_environment_names_is_used() {
    if let Some(expected) = std::env::var_os(CHILD) {
        let found = Repository::discover(Path::new(".")).inspect(|found| {
            assert!(found.head().unwrap().commit.is_some());
        });
        let found = found.map_or_else(|error| error.to_string(), |found| format!("{:?}", found.worktree_root()));
        assert_eq!(found, expected.to_str().unwrap());
        return;
    }
    let fixture = Fixture::new("//- a.rs\n1\n");
    let bare = fixture.clone_to("repo/vendor/bare.git", &["--bare"]);
    let (mine, elsewhere) = (fixture.root().join(".git"), fixture.home().join("elsewhere"));
    fs::create_dir(&elsewhere).unwrap();
    let check = |start: &Path, variables: &[(&str, &Path)], expected: &str| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "git_directories::what_the_environment_names_is_used"])
            .current_dir(start)
            .env(CHILD, expected)
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
    };
    check(&bare, &[("GIT_DIR", &bare)], "None");
    check(&bare, &[("GIT_DIR", Path::new("."))], "None");
    check(fixture.root(), &[("GIT_DIR", &mine)], &format!("{:?}", Some(fixture.root())));
    for namespace in ["of/others", "no..namespace"] {
        check(fixture.root(), &[("GIT_NAMESPACE", Path::new(namespace))], &format!("{:?}", Some(fixture.root())));
    }
    check(fixture.root(), &[("GIT_WORK_TREE", &elsewhere)], &format!("{:?}", Some(&elsewhere)));
    fixture.git(&["config", "core.worktree", elsewhere.to_str().unwrap()]);
    let refused = format!(
        "the git directory `{}` names `{}` as its worktree, which does not belong to it",
        mine.display(),
        elsewhere.display()
    );
    check(fixture.root(), &[("GIT_DIR", &mine)], &refused);
    check(fixture.root(), &[("GIT_DIR", &mine), ("GIT_WORK_TREE", &elsewhere)], &format!("{:?}", Some(&elsewhere)));
}

/// All that is said of the first thing that fails, where something does.
fn said_of(root: &Path) -> String {
    let asked = Repository::discover(root).and_then(|repository| {
        let head = repository.head()?;
        repository.overlay(&Policy::default(), head.tree)?;
        repository.tips()?;
        repository.root()?;
        let start: Vec<_> = head.commit.into_iter().collect();
        repository.history(&start, usize::MAX, |_| Ok::<_, Error>(None)).map(|_| ())
    });
    let Err(error) = asked else { return String::new() };
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |cause| cause.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[test]
fn what_a_linked_file_of_a_git_directory_holds_is_not_told() {
    const TOKEN: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let read = TOKEN.as_bytes().windows(6).map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let hidden: Vec<String> = read.chain(TOKEN.as_bytes().windows(4).map(hex)).collect();
    for text in
        [format!("{TOKEN}\n"), format!("DIRC\0\0\0\x02\0\0\0\0{TOKEN}"), format!("[core]\n\tbare = {TOKEN}\n\t{TOKEN}")]
    {
        for name in [
            "HEAD",
            "commondir",
            "config",
            "config.worktree",
            "gitdir",
            "index",
            "info/attributes",
            "info/exclude",
            "info/grafts",
            "objects/info/alternates",
            "objects/info/commit-graph",
            "packed-refs",
            "refs/heads/main",
            "shallow",
        ] {
            let fixture = Fixture::new("//- a.rs\n1\n");
            fs::write(fixture.home().join("token"), &text).unwrap();
            fixture.git(&["config", "extensions.worktreeConfig", "true"]);
            let place = fixture.root().join(".git").join(name);
            fs::create_dir_all(place.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&place);
            symlink(fixture.home().join("token"), &place).unwrap();
            let said = said_of(fixture.root());
            assert!(!hidden.iter().any(|hidden| said.contains(hidden)), "{name} {text:?}: {said}");
        }
        let fixture = Fixture::new("//- a.rs\n1\n");
        fs::write(fixture.home().join("token"), &text).unwrap();
        fixture.git(&["config", "include.path", fixture.home().join("token").to_str().unwrap()]);
        let said = said_of(fixture.root());
        assert!(!hidden.iter().any(|hidden| said.contains(hidden)), "{text:?}: {said}");
    }
}

#[test]
fn a_worktree_that_is_not_there_is_named() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    // Nobody writes the home directory for it.
    fixture.git(&["config", "core.worktree", "~/work"]);
    let error = Repository::discover(fixture.root()).unwrap_err();
    let expected = fixture.root().join(".git/~/work");
    assert!(matches!(&error, Error::WorktreeMissing { worktree, .. } if *worktree == expected), "{error:?}");
}

/// Whether files can be given to another user here.
fn give_away(path: &Path) -> bool {
    std::os::unix::fs::lchown(path, Some(own_user() + 1), None).is_ok()
}

#[test]
fn a_repository_of_another_user_is_used_only_where_git_would() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    for owned in [".git", ""] {
        let path = fixture.root().join(owned);
        if !give_away(&path) {
            icr_fixture::skip("a_repository_of_another_user", "only the administrator can give files to another user");
            return;
        }
        let error = Repository::discover(fixture.root()).unwrap_err();
        assert!(matches!(&error, Error::OtherOwner { path } if path == fixture.root()), "{error:?}");
        std::os::unix::fs::lchown(&path, Some(own_user()), None).unwrap();
        open(fixture.root());
    }
}

fn own_user() -> u32 {
    std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap())
}

#[test]
fn refs_and_packs_that_gix_would_read_whole_are_looked_at_before() {
    let fixture = Fixture::new("//- a.rs\n1\n");
    fixture.git(&["gc", "-q"]);
    let git_dir = fixture.root().join(".git");
    let large = |name: &str, bytes: u64| {
        let path = git_dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(&path).unwrap().set_len(bytes).unwrap();
    };
    let open = || Repository::discover(fixture.root());
    let tips = || open().unwrap().tips().map_err(|error| error.to_string());
    let expected = tips().unwrap();
    // A reflog may be long, and all its lines count.
    let log = git_dir.join("logs/refs/heads/long");
    fs::write(&log, [b"0".repeat(1 << 20), b"\n".to_vec(), fs::read(git_dir.join("logs/HEAD")).unwrap()].concat())
        .unwrap();
    assert_eq!(tips().unwrap(), expected);
    large("refs/heads/deep/other", (64 << 10) + 1);
    let said = tips().unwrap_err();
    assert!(said.contains("refs/heads/deep/other") && said.contains("up to 64 KiB"), "{said}");
    fs::remove_file(git_dir.join("refs/heads/deep/other")).unwrap();
    // Refs of `git replace` do not count, whatever they hold.
    large("refs/replace/aa", 1 << 30);
    assert!(open().unwrap().resolve("HEAD").unwrap().commit.is_some());
    fs::remove_file(git_dir.join("refs/replace/aa")).unwrap();
    let pipe = git_dir.join("objects/pack/pack-1234.pack");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let said = open().unwrap_err().to_string();
    assert!(said.contains("pack-1234.pack") && said.contains("is not an ordinary file"), "{said}");
}
