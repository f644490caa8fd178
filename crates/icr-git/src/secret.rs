//! Files that hold credentials by convention. They are never indexed, read or returned, and no option changes that.

/// How a row of [`SECRETS`] is compared; case is always ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    /// Name of a directory at any depth, or several nested ones; all files below it are secret.
    Directory,
    /// Name of a file.
    Name,
    /// Prefix of the name of a file or directory.
    Prefix,
    /// Suffix of the name of a file.
    Suffix,
    /// Last components of a path.
    Tail,
}

/// Sorted by rule, then text; texts are in lower case.
const SECRETS: [(Rule, &str); 76] = [
    (Rule::Directory, ".aws"),
    (Rule::Directory, ".azure"),
    (Rule::Directory, ".config/gcloud"),
    (Rule::Directory, ".gnupg"),
    (Rule::Directory, ".kube"),
    (Rule::Directory, ".password-store"),
    (Rule::Directory, ".ssh"),
    (Rule::Directory, ".terraform.d"),
    (Rule::Name, ".bash_history"),
    (Rule::Name, ".boto"),
    (Rule::Name, ".dockercfg"),
    (Rule::Name, ".htpasswd"),
    (Rule::Name, ".my.cnf"),
    (Rule::Name, ".mysql_history"),
    (Rule::Name, ".netrc"),
    (Rule::Name, ".node_repl_history"),
    (Rule::Name, ".npmrc"),
    (Rule::Name, ".pgpass"),
    (Rule::Name, ".psql_history"),
    (Rule::Name, ".pypirc"),
    (Rule::Name, ".python_history"),
    (Rule::Name, ".rediscli_history"),
    (Rule::Name, ".rhosts"),
    (Rule::Name, ".s3cfg"),
    (Rule::Name, ".sh_history"),
    (Rule::Name, ".sqlite_history"),
    (Rule::Name, ".terraformrc"),
    (Rule::Name, ".vault-token"),
    (Rule::Name, ".yarnrc.yml"),
    (Rule::Name, ".zsh_history"),
    (Rule::Name, "_netrc"),
    (Rule::Name, "client_secret.json"),
    (Rule::Name, "client_secrets.json"),
    (Rule::Name, "credentials.json"),
    (Rule::Name, "credentials.tfrc.json"),
    (Rule::Name, "kubeconfig"),
    (Rule::Name, "pgpass.conf"),
    (Rule::Name, "rclone.conf"),
    (Rule::Name, "secrets.json"),
    (Rule::Name, "secrets.yaml"),
    (Rule::Name, "secrets.yml"),
    (Rule::Name, "secring.gpg"),
    (Rule::Name, "service-account.json"),
    (Rule::Name, "terraform.tfstate"),
    (Rule::Name, "terraform.tfstate.backup"),
    (Rule::Name, "wp-config.php"),
    (Rule::Prefix, ".env"),
    (Rule::Prefix, ".git-credentials"),
    (Rule::Prefix, ".vault_pass"),
    (Rule::Prefix, "id_dsa"),
    (Rule::Prefix, "id_ecdsa"),
    (Rule::Prefix, "id_ed25519"),
    (Rule::Prefix, "id_rsa"),
    (Rule::Suffix, ".env"),
    (Rule::Suffix, ".jks"),
    (Rule::Suffix, ".kdb"),
    (Rule::Suffix, ".kdbx"),
    (Rule::Suffix, ".key"),
    (Rule::Suffix, ".keystore"),
    (Rule::Suffix, ".ovpn"),
    (Rule::Suffix, ".p12"),
    (Rule::Suffix, ".p8"),
    (Rule::Suffix, ".pem"),
    (Rule::Suffix, ".pfx"),
    (Rule::Suffix, ".ppk"),
    (Rule::Suffix, "secret.tfvars"),
    (Rule::Suffix, "secrets.tfvars"),
    (Rule::Tail, ".cargo/credentials"),
    (Rule::Tail, ".cargo/credentials.toml"),
    (Rule::Tail, ".config/gh/hosts.yml"),
    (Rule::Tail, ".docker/config.json"),
    (Rule::Tail, ".gem/credentials"),
    (Rule::Tail, ".git/config"),
    (Rule::Tail, ".gradle/gradle.properties"),
    (Rule::Tail, ".m2/settings-security.xml"),
    (Rule::Tail, ".m2/settings.xml"),
];

/// Whether `path`, components separated by `/`, is secret. A directory is secret if everything below it is.
pub(crate) fn is_secret(path: &[u8]) -> bool {
    let path = path.to_ascii_lowercase();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let starts = std::iter::once(0).chain((1..path.len()).filter(|at| path[at - 1] == b'/'));
    let has_secret_component = starts.map(|start| &path[start..]).any(|rest| {
        SECRETS.iter().any(|(rule, text)| match rule {
            Rule::Directory => {
                rest.strip_prefix(text.as_bytes()).is_some_and(|below| below.is_empty() || below.starts_with(b"/"))
            }
            // A directory such as `.env.d` or `id_rsa_keys` contains the same kind of files.
            Rule::Prefix => rest.starts_with(text.as_bytes()),
            Rule::Name | Rule::Suffix | Rule::Tail => false,
        })
    });
    has_secret_component
        || SECRETS.iter().any(|(rule, text)| match rule {
            Rule::Name => name == text.as_bytes(),
            Rule::Suffix => name.ends_with(text.as_bytes()),
            Rule::Tail => {
                let before = path.strip_suffix(text.as_bytes());
                before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
            }
            Rule::Directory | Rule::Prefix => false,
        })
}

/// The rows as text, as input of the digest of a view's policy.
pub(crate) fn rules() -> impl Iterator<Item = String> {
    SECRETS.iter().map(|(rule, text)| format!("{rule:?} {text}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_and_in_lower_case() {
        assert!(SECRETS.is_sorted());
        assert!(SECRETS.iter().all(|(_, text)| *text == text.to_lowercase()));
    }

    #[test]
    fn secrets_are_found_at_any_depth_and_in_any_case() {
        for path in [
            ".env",
            ".ENV",
            "a/.env.local",
            ".env.example",
            ".envrc",
            "config/server.PEM",
            "x.key",
            "deep/id_rsa",
            "id_rsa.pub",
            "id_ed25519_sk",
            "Credentials.json",
            ".aws/config",
            "home/.SSH/known_hosts",
            "a/.docker/config.json",
            ".netrc",
            ".npmrc",
            "k.p12",
            "k.pfx",
            "debug.keystore",
            "k.jks",
            ".git-credentials",
            ".htpasswd",
            "p.kdbx",
            ".gnupg/pubring.kbx",
            ".env.d/production",
            "AuthKey_ABC.p8",
            ".s3cfg",
            "home/.boto",
            "home/.config/gcloud/credentials.db",
            ".config/gcloud",
            "deploy/kubeconfig",
            ".kube/config",
            ".bash_history",
            "home/.zsh_history",
            ".terraform.d/credentials.tfrc.json",
            ".git-credentials.bak",
            "ansible/.vault_pass.txt",
            ".pypirc",
            ".dockercfg",
            "deploy/prod.env",
            "secrets.tfvars",
            "config/secrets.yml",
            "web/client_secret.json",
            ".config/gh/hosts.yml",
            "home/.m2/settings.xml",
            "site/wp-config.php",
            "live/db.secret.tfvars",
        ] {
            assert!(is_secret(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn ordinary_names_are_not_secret() {
        for path in [
            "src/env.rs",
            "environment.py",
            "src/key.rs",
            "keys.json",
            "my_credentials.json.md",
            "pem.py",
            "docker/config.json",
            "aws/config",
            "ssh/client.go",
            "hid_rsa.c",
            "src/x.key.rs",
            ".config/gcloud-notes",
            "config/gcloud/x",
            "x.config/gcloud/x",
            "kubeconfig/load.go",
            "src/kubeconfig.go",
            "a.p80",
            "env",
            "prod.tfvars",
        ] {
            assert!(!is_secret(path.as_bytes()), "{path}");
        }
    }
}
