//! The table of credential formats, one row each.

/// A format that identifies a credential by its text alone: hardly any other text looks like it.
pub(crate) struct Format {
    /// A substring of every credential of this format. A text without it is not searched with the pattern.
    pub(crate) literal: &'static str,
    /// The regular expression for a whole credential. If it has a group `secret`, only that group is masked.
    pub(crate) pattern: &'static str,
    /// An example of the format, with `…` for random letters and digits, so that no scanner reports it as a leak.
    #[cfg(test)]
    pub(crate) example: &'static str,
}

macro_rules! formats {
    ($($literal:literal, $pattern:literal, $example:literal;)*) => {
        &[$(Format { literal: $literal, pattern: $pattern, #[cfg(test)] example: $example },)*]
    };
}

/// The lengths are those issued so far, or a little less: the prefix identifies the format.
pub(crate) const FORMATS: &[Format] = formats! {
    // PEM (RFC 7468) and armored PGP keys (RFC 9580), also in source code, where each line may be a string.
    "PRIVATE KEY", r#"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?<secret>[A-Za-z0-9+/=\s\\"',;:|.>-]*?)-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"#, "-----BEGIN RSA PRIVATE KEY-----\n…\n-----END RSA PRIVATE KEY-----";
    // Signed JSON Web Tokens (RFC 7519): header and claims are JSON objects, in base64url.
    "eyJ", r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}", "eyJ….eyJ….…";
    // AWS, manual of IAM, "Understanding unique ID prefixes".
    "AKIA", r"\bAKIA[A-Z2-7]{16}\b", "AKIAABCDEFGH234567XY";
    "ASIA", r"\bASIA[A-Z2-7]{16}\b", "ASIAABCDEFGH234567XY";
    // Azure Storage, "Configure connection strings".
    "AccountKey=", r"\bAccountKey=(?<secret>[A-Za-z0-9+/]{86}==)", "AccountKey=…………==";
    // GitHub, "GitHub's token formats".
    "gh", r"\bgh[pousr]_[A-Za-z0-9]{30,}", "ghp_…";
    "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{40,}", "github_pat_……";
    // GitLab, "Token prefixes".
    "gl", r"\bgl(?:pat|oas|dt|rt|cbt|ptt|ft|imt|agent|soat)-[A-Za-z0-9_.-]{20,}", "glpat-…";
    // OpenAI, whose keys contain its name in base64; then Anthropic.
    "T3BlbkFJ", r"\bsk-[A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,}", "sk-proj-…T3BlbkFJ…";
    "sk-ant-", r"\bsk-ant-[a-z]+[0-9]{2}-[A-Za-z0-9_-]{24,}", "sk-ant-api03-…";
    // Groq, xAI and Hugging Face.
    "gsk_", r"\bgsk_[A-Za-z0-9]{30,}", "gsk_…";
    "xai-", r"\bxai-[A-Za-z0-9]{40,}", "xai-……";
    "hf_", r"\bhf_[A-Za-z0-9]{30,}", "hf_…";
    // Stripe, "API keys" and "Check the webhook signatures".
    "k_", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{20,}", "sk_live_…";
    "whsec_", r"\bwhsec_[A-Za-z0-9+/]{24,}=*", "whsec_…";
    // Slack, "Token types" and "Incoming webhooks".
    "xox", r"\bxox[abeoprs](?:\.xox[bp])?-[0-9]+-[A-Za-z0-9-]{10,}", "xoxb-123456789012-…";
    "xapp-", r"\bxapp-[0-9]-[A-Z0-9]+-[0-9]+-[A-Za-z0-9]{10,}", "xapp-1-A0123-456-…";
    "hooks.slack.com/", r"\bhooks\.slack\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9]+/[A-Za-z0-9]+/[A-Za-z0-9]{16,})", "hooks.slack.com/services/T0123/B0123/…";
    // Google: API keys, access tokens and secrets of OAuth clients.
    "AIza", r"\bAIza[A-Za-z0-9_-]{35}", "AIza…";
    "ya29.", r"\bya29\.[A-Za-z0-9_-]{20,}", "ya29.…";
    "GOCSPX-", r"\bGOCSPX-[A-Za-z0-9_-]{20,}", "GOCSPX-…";
    // Registries: npm, PyPI (macaroons of pypi.org in base64), crates.io and Docker Hub.
    "npm_", r"\bnpm_[A-Za-z0-9]{36}", "npm_…";
    "pypi-AgE", r"\bpypi-AgE[A-Za-z0-9_-]{40,}", "pypi-AgE……";
    "cio", r"\bcio[A-Za-z0-9]{32}\b", "cioabcdefgh01234567ABCDEFGH01234567";
    "dckr_pat_", r"\bdckr_pat_[A-Za-z0-9_-]{20,}", "dckr_pat_…";
    // DigitalOcean, SendGrid, Telegram and HashiCorp Vault.
    "_v1_", r"\bdo[opr]_v1_[0-9a-f]{64}", "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    "SG.", r"\bSG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{30,}", "SG.….…";
    ":AA", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}", "12345678:AA…";
    "hv", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}", "hvs.…";
    // Secret keys of age (the encryption tool).
    "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[A-Z0-9]{50,}", "AGE-SECRET-KEY-1ABCDEFGH01234567ABCDEFGH01234567ABCDEFGH01234567ABCD";
};
