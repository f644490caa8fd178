//! The table of credential formats, one row each.

/// A format that identifies a credential by its text alone: hardly any other text looks like it.
pub(crate) struct Format {
    /// Every credential of this format has one of these substrings. A text without them is not searched with the pattern.
    /// Each has at least three letters, because shorter ones occur in most texts.
    pub(crate) literals: &'static [&'static str],
    /// At least this many letters of tokens stand behind that substring in a credential ([`is_token_letter`]). They tell
    /// it from the words of ordinary code.
    pub(crate) letters: usize,
    /// The regular expression for a whole credential. If it has a group `secret`, only that group is masked.
    pub(crate) pattern: &'static str,
    /// An example of the format, with `…` for random letters and digits, so that no scanner reports it as a leak.
    #[cfg(test)]
    pub(crate) example: &'static str,
}

macro_rules! formats {
    ($([$($literal:literal),+] $letters:literal, $pattern:literal, $example:literal;)*) => {
        &[$(Format { literals: &[$($literal),+], letters: $letters, pattern: $pattern, #[cfg(test)] example: $example },)*]
    };
}

/// The lengths are those issued so far, or a little less: the prefix identifies the format.
pub(crate) const FORMATS: &[Format] = formats! {
    // PEM (RFC 7468) and armored PGP keys (RFC 9580), also in source code, where each line may be a string.
    ["PRIVATE KEY"] 0, r#"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?<secret>[A-Za-z0-9+/=\s\\"',;:|.>-]*?)-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"#, "-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----";
    // Signed JSON Web Tokens (RFC 7519): header and claims are JSON objects, in base64url.
    ["eyJ"] 37, r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}", "eyJ….eyJ….…";
    // AWS, manual of IAM, "Understanding unique ID prefixes".
    ["AKIA"] 16, r"\bAKIA[A-Z2-7]{16}\b", "AKIAABCDEFGH234567XY";
    ["ASIA"] 16, r"\bASIA[A-Z2-7]{16}\b", "ASIAABCDEFGH234567XY";
    // Azure Storage, "Configure connection strings".
    ["AccountKey="] 88, r"\bAccountKey=(?<secret>[A-Za-z0-9+/]{86}==)", "AccountKey=…………==";
    // GitHub, "GitHub's token formats".
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"] 30, r"\bgh[pousr]_[A-Za-z0-9]{30,}", "ghp_…";
    ["github_pat_"] 40, r"\bgithub_pat_[A-Za-z0-9_]{40,}", "github_pat_……";
    // GitLab, "Token prefixes".
    ["glpat-", "gloas-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-"] 20, r"\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{20,}", "glpat-…";
    // OpenAI, whose keys contain its name in base64; then Anthropic.
    ["T3BlbkFJ"] 20, r"\bsk-[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}", "sk-proj-…T3BlbkFJ…";
    ["sk-ant-"] 28, r"\bsk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{24,}", "sk-ant-api03-…";
    // Groq, xAI and Hugging Face.
    ["gsk_"] 30, r"\bgsk_[A-Za-z0-9]{30,}", "gsk_…";
    ["xai-"] 40, r"\bxai-[A-Za-z0-9]{40,}", "xai-……";
    ["hf_"] 30, r"\bhf_[A-Za-z0-9]{30,}", "hf_…";
    // Stripe, "API keys" and "Check the webhook signatures".
    ["sk_live_", "sk_test_", "rk_live_", "rk_test_"] 20, r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,}", "sk_live_…";
    ["whsec_"] 24, r"\bwhsec_[A-Za-z0-9+/]{24,}=*", "whsec_…";
    // Slack, "Token types" and "Incoming webhooks".
    ["xox"] 14, r"\bxox[abeoprs](?:\.xox[bp])?-[0-9]+-[A-Za-z0-9-]{10,}", "xoxb-123456789012-…";
    ["xapp-"] 16, r"\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[A-Za-z0-9]{10,}", "xapp-1-A0123-456-…";
    ["hooks.slack.com/"] 29, r"\bhooks\.slack\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9]+/[A-Za-z0-9]+/[A-Za-z0-9]{16,})", "hooks.slack.com/services/T0123/B0123/…";
    // Google: API keys, access tokens and secrets of OAuth clients.
    ["AIza"] 35, r"\bAIza[A-Za-z0-9_-]{35}", "AIza…";
    ["ya29."] 20, r"\bya29\.[A-Za-z0-9_-]{20,}", "ya29.…";
    ["GOCSPX-"] 20, r"\bGOCSPX-[A-Za-z0-9_-]{20,}", "GOCSPX-…";
    // Registries: npm, PyPI (macaroons of pypi.org in base64), crates.io and Docker Hub.
    ["npm_"] 36, r"\bnpm_[A-Za-z0-9]{36}", "npm_…";
    ["pypi-AgE"] 40, r"\bpypi-AgE[A-Za-z0-9_-]{40,}", "pypi-AgE……";
    ["cio"] 32, r"\bcio[A-Za-z0-9]{32}\b", "cioabcdefgh01234567ABCDEFGH01234567";
    ["dckr_pat_"] 20, r"\bdckr_pat_[A-Za-z0-9_-]{20,}", "dckr_pat_…";
    // DigitalOcean, SendGrid, Telegram and HashiCorp Vault.
    ["dop_v1_", "doo_v1_", "dor_v1_"] 64, r"\bdo[opr]_v1_[0-9a-f]{64}", "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    ["SG."] 51, r"\bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}", "SG.….…";
    [":AA"] 32, r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}", "12345678:AA…";
    ["hvs.", "hvb.", "hvr."] 24, r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs.…";
    // Secret keys of age (the encryption tool).
    ["AGE-SECRET-KEY-1"] 50, r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}", "AGE-SECRET-KEY-1ABCDEFGH01234567ABCDEFGH01234567ABCDEFGH01234567ABCD";
};

/// Whether a byte is a letter of tokens: of those of [`FORMATS`], and of the names and signs in them.
pub(crate) fn is_token_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/' | b'+' | b'=')
}
