//! Modules that are built into the programs that run JavaScript.

/// Modules that Node provides without a scheme prefix (`require("module").builtinModules` of Node 22, without subpaths
/// and names that begin with `_`).
const BUILTINS: [&str; 42] = [
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// Schemes of addresses that do not lead to files of the repository.
const SCHEMES: [&str; 18] = [
    "astro",
    "blob",
    "bun",
    "chrome",
    "cloudflare",
    "data",
    "deno",
    "ext",
    "file",
    "http",
    "https",
    "jsr",
    "mailto",
    "node",
    "npm",
    "resource",
    "virtual",
    "wasi",
];

/// Whether Node provides a module of this name.
pub(super) fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// Whether an address with this scheme is outside of the repository.
pub(super) fn is_address(scheme: &str) -> bool {
    SCHEMES.contains(&scheme)
}
