//! Where a file can be read on a host.

use icr_model::is_hexadecimal;

use super::uri;

/// What hosts a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepositoryHost {
    // tidy: sorted
    /// Bitbucket Cloud.
    Bitbucket,
    /// Forgejo or Gitea.
    Forgejo,
    /// GitHub.
    Github,
    /// GitLab.
    Gitlab,
    // tidy: end
}

/// A row of [`HOSTS`]: the host, the text between the repository and the commit, the text before the first line, and
/// the text between the first and the last line.
type RepositoryHostRow = (RepositoryHost, &'static str, &'static str, &'static str);

const HOSTS: &[RepositoryHostRow] = &[
    // tidy: sorted
    (RepositoryHost::Bitbucket, "/src/", "#lines-", ":"),
    (RepositoryHost::Forgejo, "/src/commit/", "#L", "-L"),
    (RepositoryHost::Github, "/blob/", "#L", "-L"),
    (RepositoryHost::Gitlab, "/-/blob/", "#L", "-"),
    // tidy: end
];

/// Turns a path and lines into the address of a page that shows them at a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkTemplate {
    before_path: String,
    first_line: &'static str,
    last_line: &'static str,
}

impl LinkTemplate {
    /// Links into the repository at `repository` (`https://github.com/owner/name`) as of `commit`, 7 to 64 hexadecimal
    /// digits. `None` when one of them is no such thing: an address that is shown to people is not guessed.
    pub fn new(host: RepositoryHost, repository: &str, commit: &str) -> Option<Self> {
        let is_commit = (7..=64).contains(&commit.len()) && is_hexadecimal(commit);
        let address = repository.trim_end_matches('/');
        let after_scheme = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/:%".contains(&byte);
        // With a user and a password in it an address is a secret.
        let is_address = !after_scheme.is_empty() && after_scheme.bytes().all(is_plain);
        let (_, between, first_line, last_line) = HOSTS.iter().find(|row| row.0 == host).expect("every host has a row");
        (is_commit && is_address).then(|| Self {
            before_path: format!("{address}{between}{commit}/"),
            first_line,
            last_line,
        })
    }

    /// Address of `path`, at its first and last line where given.
    pub fn url(&self, path: &str, lines: Option<(u32, u32)>) -> String {
        let mut url = format!("{}{}", self.before_path, uri::encoded(path));
        if let Some((first, last)) = lines {
            url.push_str(&format!("{}{first}", self.first_line));
            if last > first {
                url.push_str(&format!("{}{last}", self.last_line));
            }
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(host: RepositoryHost, expected: &str) {
        let link = LinkTemplate::new(host, "https://host.example/o/n/", "0123abcd").unwrap();
        assert_eq!(link.url("a b/c.rs", Some((3, 9))), format!("https://host.example/o/n{expected}"));
    }

    #[test]
    fn every_host_has_its_own_form() {
        check(RepositoryHost::Bitbucket, "/src/0123abcd/a%20b/c.rs#lines-3:9");
        check(RepositoryHost::Forgejo, "/src/commit/0123abcd/a%20b/c.rs#L3-L9");
        check(RepositoryHost::Github, "/blob/0123abcd/a%20b/c.rs#L3-L9");
        check(RepositoryHost::Gitlab, "/-/blob/0123abcd/a%20b/c.rs#L3-9");
    }

    #[test]
    fn lines_are_named_where_they_are_known() {
        let link = LinkTemplate::new(RepositoryHost::Github, "http://localhost:3000/o/n", "0123abcd").unwrap();
        assert_eq!(link.url("a", None), "http://localhost:3000/o/n/blob/0123abcd/a");
        assert_eq!(link.url("a", Some((3, 3))), "http://localhost:3000/o/n/blob/0123abcd/a#L3");
    }

    #[test]
    fn what_is_no_address_gives_no_link() {
        for (repository, commit) in [
            ("https://h/o", "main"),
            ("https://h/o", "0123ab"),
            ("https://user:secret@h/o", "0123abcd"),
            ("https://h/o)](x", "0123abcd"),
            ("javascript:alert(1)", "0123abcd"),
            ("git@h:o/n.git", "0123abcd"),
            ("https://", "0123abcd"),
        ] {
            assert_eq!(LinkTemplate::new(RepositoryHost::Github, repository, commit), None, "{repository} {commit}");
        }
    }
}
