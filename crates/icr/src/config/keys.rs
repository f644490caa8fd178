//! The table of configuration keys: parsing, messages, `config show`, the reference page and the tests derive from it.

use std::ops::RangeInclusive;

use icr_engine::{ImpactRules, PackBudgets};
use icr_impact::report::gate;

use super::table::{Alias, Grammar, Key};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

const KEPT_BY_USER: &str = "memories belong to the user and are shared by all projects";
const CREDENTIALS: &str = "what it switches off protects the user";
const TRANSCRIPTS: &str = "transcripts belong to the user and lie outside of the repository";
const NETWORK: &str = "only the user decides what leaves this machine";
const RUNS: &str = "it decides which programs run on this machine";
const BOUNDS: &str = "only the user decides how much time and memory icr takes";
const REACH: &str = "it decides what other programs may reach";

// Names of features that are not built yet, for the sentence "… is not built".
const EXTRACTION: &str = "the extraction of memories by hooks";

/// Every key, sorted by name.
// One row per line, so that the table can be read by columns.
#[rustfmt::skip]
pub(crate) static KEYS: &[Key] = &[
    Key::integer("chunking.max_tokens", 1200, (500, 4000), "Hard cap of a chunk, in model tokens."),
    Key::integer("chunking.min_tokens", 200, (50, 500), "Smaller neighbours are merged up to this size, in model tokens; none is dropped."),
    Key::integer("chunking.overlap_tokens", 50, (0, 200), "Overlap of text that is split by size, in model tokens; whole symbols never overlap."),
    Key::bool("chunking.preserve_symbols", true, "Cut at symbol boundaries where the language has a grammar.")
        .note("accepted and not used: chunks are always cut at symbol boundaries where there is a grammar, because results are named by their symbols"),
    Key::integer("chunking.target_tokens", 500, (200, 1000), "Size that merging and splitting aim at, in model tokens."),
    Key::float("contract.boost_factor", 1.5, (1.0, 5.0), "Factor on the value of a contract when a pack is chosen."),
    Key::bool("contract.enabled", true, "Let interfaces, traits, types, schemas and the like count for more in packs."),
    Key::list("contract.patterns", &[], "Names of base classes and decorators whose definitions also count as contracts; globs.")
        .note("accepted and not used: the grammar of each language says what a contract is"),
    Key::word("embedding.backend", "static", &["static", "onnx", "remote", "none"], "Where vectors come from.")
        .mapped_words(&[
            ("local_onnx", "onnx"),
            ("sentence_transformer", "onnx"),
            ("openai", "remote"),
            ("anthropic", "remote"),
            ("custom", "remote"),
        ])
        .only(&["static", "onnx", "none"], NETWORK)
        .environment(&[Alias::Switch("ICR_NO_EMBEDDINGS", "none"), Alias::Switch("ICM_NO_EMBEDDINGS", "none")]),
    Key::integer("embedding.batch_size", 32, (1, 256), "Texts per request of the `remote` backend.").never(NETWORK),
    Key::integer("embedding.dimension", 384, (64, 4096), "Components of a vector of an imported or remote model; the `static` table has 256."),
    Key::duration("embedding.fill_budget", MINUTE, (0, DAY), "Time one sync may spend on `onnx` vectors, most important chunks first.").never(BOUNDS),
    Key::integer("embedding.max_tokens", 512, (128, 8192), "Longest text of one vector of the `remote` backend, in model tokens, where it is set; imported models know their own.").never(NETWORK),
    Key::text("embedding.model_name", "all-MiniLM-L6-v2", "Model of the `onnx` and `remote` backends.").never(NETWORK),
    Key::path("embedding.model_path", "", "Directory of imported models; unset: the directory `models` of the icr home."),
    Key::bool("embedding.normalize", true, "Scale vectors to unit length.")
        .note("accepted and not used: vectors always have unit length, because nearness is the cosine"),
    Key::word("embedding.remote_api", "openai", &["openai", "voyage"], "Wire format of the `remote` backend.").never(NETWORK),
    Key::integer("embedding.rescore_candidates", 50, (0, 500), "First candidates that are scored again with `onnx` vectors."),
    Key::path("embedding.runtime_path", "", "ONNX Runtime library; unset: the system's.").environment(&[Alias::Value("ORT_DYLIB_PATH")]),
    Key::text("embeddings.model", "", "Name of `embedding.model_name` in files written for icm.").never(NETWORK).maps_to("embedding.model_name", 1.0),
    Key::float("extraction.dedup_jaccard", 0.6, (0.0, 1.0), "Sentences that share more of their words than this are one.").never(KEPT_BY_USER),
    Key::bool("extraction.enabled", false, "Let the agent hooks extract memories by rule.").never(KEPT_BY_USER).later(EXTRACTION),
    Key::integer("extraction.max_kept", 20, (1, 1000), "Sentences kept of one text.").never(KEPT_BY_USER),
    Key::integer("extraction.max_scored", 30, (1, 10_000), "Sentences scored of one text.").never(KEPT_BY_USER),
    Key::integer("extraction.max_sentence_chars", 500, (20, 5000), "Longer sentences are left out, in characters.").never(KEPT_BY_USER),
    Key::integer("extraction.min_sentence_chars", 20, (1, 500), "Shorter sentences are left out, in characters.").never(KEPT_BY_USER),
    Key::float("extraction.threshold", 3.0, (0.0, 20.0), "Sentences with a lower score are dropped.").never(KEPT_BY_USER),
    Key::duration("git.catch_up", 10 * SECOND, (0, 10 * MINUTE), "How long a query may bring the index up to date first; what is then missing is named.").never(BOUNDS),
    Key::integer("git.cochange_commits", 2000, (1, 2000), "Newest commits that count for files changed together in `cochange` and `impact`; the index keeps 2,000."),
    Key::integer("git.cochange_max_files", 20, (2, 100), "Commits with more files do not count for files changed together in `cochange` and `impact`."),
    Key::word_list(
        "git.hooks",
        &["post-checkout", "post-commit", "post-merge", "post-receive", "post-rewrite"],
        &["post-applypatch", "post-checkout", "post-commit", "post-merge", "post-receive", "post-rewrite"],
        "Hooks that `icr hooks install` writes.",
    )
    .never(RUNS),
    Key::duration("git.keep_unused", 30 * DAY, (DAY, 3650 * DAY), "How long `gc` keeps what no clone reaches and no binary uses."),
    Key::integer("git.recent_days", 90, (1, 3650), "Window of recent changes in `cochange`, before the time of HEAD, in days."),
    Key::integer("hooks.deadline_ms", 2000, (50, 60_000), "Time an agent hook may take, in milliseconds; then it prints nothing. At a prompt and after a tool more than 2000 count as 2000, at the end of a session as 1000, else as 4000; the start of a session has a key of its own.").never(BOUNDS),
    Key::bool("hooks.enabled", true, "Let agent and git hooks do anything at all.")
        .only(&["false"], "a repository may switch hooks off and never on")
        .environment(&[Alias::Switch("ICR_DISABLE_HOOKS", "false")]),
    Key::bool("hooks.ledger", true, "Keep decisions, invariants and todos of an answer's `Ledger:` block.").never(KEPT_BY_USER),
    Key::integer("hooks.max_bullets", 5, (0, 20), "Memories shown at a prompt."),
    Key::integer("hooks.max_context_tokens", 300, (0, 2000), "Context shown at a prompt, in model tokens."),
    Key::integer("hooks.refresh_files", 20, (0, 1000), "Changed files that the session start refreshes itself.")
        .note("accepted and not used: the session start follows changes for half a second, however many they are, and leaves the rest to a sync"),
    Key::duration("hooks.session_start_deadline", MINUTE, (0, 10 * MINUTE), "Time the session start may take; values above 4 s count as 4 s, because hosts stop waiting soon after.").never(BOUNDS),
    Key::integer("hooks.stale_days", 7, (1, 365), "Age at which the session start calls an index stale, in days."),
    Key::accept_list("impact.accept", "Changes of contracts that are accepted: entries with a `reason`, a `path` (glob) or a `symbol` (qualified name or glob) or both, a `class` of changes unless all are meant, and `until`, a last day. A change is judged by the entries of `.icr.toml` before it."),
    Key::word_list("impact.break_categories", &["api", "file", "wire"], &["api", "file", "wire"], "Categories of contract changes that count in the verdict unless `--break` names others."),
    Key::bool("impact.calibrate", true, "Let `index` fit probabilities and the threshold of warnings to the repository's own history; else those that icr ships with hold."),
    Key::integer("impact.depth", 2, integer_bounds(&ImpactRules::DEPTH), "Hops from a changed file to a dependent, where none are asked for."),
    Key::text("impact.fail_on", "", "Findings that make `icr impact` exit with 1 where `--fail-on` names none; `icr ci` has its own, which the change that it judges cannot set.").grammar(CONDITIONS),
    Key::float("impact.false_alarm_rate", 0.05, (0.0, 0.5), "Share of complete commits that a missing-change warning may blame; `index` works out the threshold for it from past ones, with room for chance."),
    Key::float("impact.hop_decay", 0.5, (0.0, 1.0), "Factor on strength for every hop after the first."),
    Key::integer("impact.max_edges", 500, integer_bounds(&ImpactRules::EDGES), "Edges of the graph in a report, where none are asked for."),
    Key::integer("impact.max_expected", 100, integer_bounds(&ImpactRules::EXPECTED), "Files in the ranking of those expected to change."),
    Key::integer("impact.max_missing", 3, integer_bounds(&ImpactRules::MISSING), "Missing-change warnings in a report; how often they are right is measured with three."),
    Key::integer("impact.max_nodes", 100, integer_bounds(&ImpactRules::NODES), "Dependents in a report and nodes of its graph, where none are asked for."),
    Key::integer("impact.max_review", 20, integer_bounds(&ImpactRules::REVIEW), "Files suggested for review."),
    Key::path("logging.file", "", "Log file; unset: below the directory `logs` of the icr home for hooks and servers, else stderr."),
    Key::word("logging.format", "text", &["text", "json"], "Form of a log line; `json` is one object per line."),
    Key::word("logging.level", "warn", &["off", "error", "warn", "info", "debug", "trace"], "Least important message that is logged.")
        .mapped_words(&[("critical", "error"), ("warning", "warn")])
        .environment(&[
            Alias::Value("ICR_LOG_LEVEL"),
            Alias::Switch("ICR_TRACE", "trace"),
            Alias::Switch("ICR_DEBUG", "debug"),
            Alias::Value("ICM_LOG"),
        ]),
    Key::list("mcp.allowed_roots", &[], "Repositories a client may name besides the server's own; empty: those registered.").never(REACH),
    Key::duration("mcp.call_timeout", 5 * SECOND, (100, 30 * SECOND), "Time of a tool call; packs and plans have their own.").never(BOUNDS),
    Key::duration("mcp.catch_up", SECOND, (0, 30 * SECOND), "Longest catch-up before a tool call is answered; then the answer says what it lacks.").never(BOUNDS),
    Key::bool("mcp.compact", false, "Answer without saying how it was found."),
    Key::integer("mcp.hard_response_tokens", 25_000, (1000, 25_000), "A response is never longer, in model tokens."),
    Key::text("mcp.http_bind", "127.0.0.1:4000", "Address of `serve --http`: a port of 127.0.0.1 or [::1].").never(REACH),
    Key::integer("mcp.max_in_flight", 8, (1, 256), "Calls answered at once; more are told to come back.").never(BOUNDS),
    Key::path("mcp.socket_path", "", "Unix socket that hooks ask.")
        .note("accepted and not used: the socket lies below `run` in the icr home, where hooks find it without reading a configuration"),
    Key::integer("mcp.soft_response_tokens", 8000, (500, 25_000), "A longer response is cut with a notice, in model tokens."),
    Key::word_list("mcp.toolsets", &["code", "memory"], &["core", "code", "memory", "run"], "Sets of tools a client is shown.").never(REACH),
    Key::integer("memory.access_cap", 5, (0, 1000), "Accesses that slow the decay of a memory; more do not count.").never(KEPT_BY_USER),
    Key::integer("memory.consolidate_hint", 7, (1, 1000), "Entries after which a topic is said to need consolidation.").never(KEPT_BY_USER),
    Key::path("memory.db_path", "", "Memory database; unset: `memory.db` in the icr home.")
        .never(KEPT_BY_USER)
        .environment(&[Alias::Value("ICR_DB_PATH"), Alias::Value("ICM_DB")]),
    Key::float("memory.decay_per_day", 0.05, (0.0, 0.5), "Weight a medium memory loses in a day.").never(KEPT_BY_USER),
    Key::float("memory.dedup_cosine", 0.95, (0.5, 1.0), "Near memories are merged at this cosine and at `memory.dedup_jaccard`.").never(KEPT_BY_USER),
    Key::float("memory.dedup_jaccard", 0.6, (0.0, 1.0), "Near memories are merged at this share of common words.").never(KEPT_BY_USER),
    Key::float("memory.link_cosine", 0.75, (0.0, 1.0), "A new memory is linked to those at least this near, by cosine.").never(KEPT_BY_USER),
    Key::integer("memory.max_links", 5, (0, 50), "Links a new memory gets by itself.").never(KEPT_BY_USER),
    Key::duration("memory.max_pin_ttl", 30 * DAY, (MINUTE, 3650 * DAY), "Longest life of a pin set by `pin --ttl`.").never(KEPT_BY_USER),
    Key::integer("memory.nudge_after_calls", 10, (0, 1000), "Tool calls without a store after which a hint is added; 0: never.").never(KEPT_BY_USER),
    Key::bool("memory.per_project", true, "Prefer memories of the project that asks.").never(KEPT_BY_USER),
    Key::float("memory.prune_threshold", 0.1, (0.0, 1.0), "Weight below which `prune` deletes medium and low memories.").never(KEPT_BY_USER),
    Key::bool("memory.read_only", false, "Never write the memory database.")
        .never(KEPT_BY_USER)
        .environment(&[Alias::Value("ICR_READONLY"), Alias::Value("ICM_READONLY")]),
    Key::integer("memory.stale_days", 14, (1, 3650), "A memory of low weight is stale after this time without access, in days.").never(KEPT_BY_USER),
    Key::float("memory.stale_weight", 0.5, (0.0, 1.0), "Weight below which a memory can be stale.").never(KEPT_BY_USER),
    Key::float("memory.weight_bm25", 0.3, (0.0, 1.0), "Weight of words when memories are recalled; unset: a default for each model.").never(KEPT_BY_USER),
    Key::float("memory.weight_embedding", 0.7, (0.0, 1.0), "Weight of vectors when memories are recalled; unset, what is known of the model decides (the built-in table: 0.1).").never(KEPT_BY_USER),
    Key::text("network.api_base_url", "", "Address of the `remote` embedding endpoint.").never(NETWORK),
    Key::text("network.api_key", "", "Key of the `remote` embedding endpoint; better set by the environment.").never(NETWORK).secret(),
    Key::bool("network.enabled", false, "Allow network access at all.").never(NETWORK),
    Key::integer("network.max_retries", 3, (0, 10), "Further attempts after a failed request.").never(NETWORK),
    Key::integer("network.timeout_seconds", 30, (5, 300), "Time of one request, in seconds.").never(NETWORK),
    Key::float("pack.contract_bonus", 0.2, (0.0, 1.0), "Share of the contract factor in an item's value.")
        .note("accepted and not used: a contract's value is multiplied once, by `contract.boost_factor`"),
    Key::integer("pack.default_budget_tokens", PackBudgets::USUAL as i64, (PackBudgets::LEAST as i64, 128_000), "Budget of a pack when none is asked for, in model tokens."),
    Key::bool("pack.include_citations", true, "List the citations of a pack."),
    Key::bool("pack.include_metadata", true, "Say how a pack was made."),
    Key::integer("pack.max_budget_tokens", 32_000, (4000, PackBudgets::MOST as i64), "Largest budget that may be asked for, in model tokens."),
    Key::float("pack.pin_share", 0.5, (0.0, 1.0), "Share of a pack's budget that pins may take."),
    Key::float("pack.pinned_bonus", 0.2, (0.0, 1.0), "Share of the pin factor in an item's value.")
        .note("accepted and not used: what is pinned stands in a pack whatever its value, within `pack.pin_share`"),
    Key::float("pack.score_weight", 0.6, (0.0, 1.0), "Share of the search score in an item's value.")
        .note("accepted and not used: an item's value is its score times what it is, and nothing is added"),
    Key::integer("recall.context_limit", 10, (1, 50), "Memories in a preamble."),
    Key::bool("recall.cross_branch", true, "Also recall memories about code that the branch lacks; they say so.").never(KEPT_BY_USER),
    Key::integer("recall.limit", 5, (1, 20), "Memories in an answer when no number is asked for."),
    Key::integer("recall.max_item_chars", 400, (40, 4000), "Longest memory in a preamble, in characters."),
    Key::integer("recall.max_total_chars", 4000, (400, 40_000), "Longest preamble, in characters."),
    Key::float("retrieval.entropy_temperature", 1.0, (0.1, 10.0), "Factor on the softmax temperature of the entropy gate."),
    Key::integer("retrieval.final_results", 10, (1, 100), "Files that `search` shows when `-n` does not say how many."),
    Key::word("retrieval.fusion", "weighted", &["weighted", "rrf"], "How channels are fused: weighted sum or reciprocal rank."),
    Key::integer("retrieval.gate_candidates", 50, (5, 500), "Best candidates that the entropy gate looks at."),
    Key::float("retrieval.half_life_days", 20.794, (0.7, 252.0), "Half-life of recency, in days; another way to set `retrieval.recency_tau_days`.")
        // A decay exp(-t/τ) halves every τ·ln 2.
        .maps_to("retrieval.recency_tau_days", std::f64::consts::LOG2_E),
    Key::integer("retrieval.initial_candidates", 100, (10, 1000), "Candidates taken from each channel."),
    Key::float("retrieval.mmr_lambda", 1.0, (0.0, 1.0), "Worth against variety in packs: at 1, only copies of what is in the pack are left out."),
    Key::float("retrieval.recency_tau_days", 30.0, (1.0, 365.0), "Time in which recency falls to 1/e, in days."),
    Key::bool("retrieval.reranker_enabled", true, "Read the first 20 files again: their names and definitions against the question."),
    Key::text("retrieval.reranker_model", "", "Imported model that scores candidates again.")
        .never(NETWORK)
        .note("accepted and not used: the model of `embedding.model_name` scores the first candidates again"),
    Key::float("retrieval.weight_bm25", 0.3, (0.0, 1.0), "Weight of word evidence; doubling it doubles that evidence."),
    Key::float("retrieval.weight_contract", 0.1, (0.0, 1.0), "Weight of being a contract.")
        .note("accepted and not used: it told nothing apart in measured searches; contracts count in packs, by `contract.boost_factor`"),
    Key::float("retrieval.weight_embedding", 0.4, (0.0, 1.0), "Weight of vector evidence; doubling it doubles that evidence."),
    Key::float("retrieval.weight_focus", 0.05, (0.0, 1.0), "Weight of being below a focus path."),
    Key::float("retrieval.weight_pinned", 0.05, (0.0, 1.0), "Weight of being pinned."),
    Key::float("retrieval.weight_recency", 0.1, (0.0, 1.0), "Weight of a recent change."),
    Key::integer("rlm.budget_per_iteration", 2000, (500, 10_000), "Budget of one step of a plan, in model tokens.")
        .note("accepted and not used: a plan is bounded by `rlm.max_steps`, `rlm.max_peek_lines` and `rlm.max_candidates`"),
    Key::float("rlm.duplicate_boost", 0.2, (0.0, 1.0), "Added to the score per doubling of the sub-queries that found a candidate."),
    Key::bool("rlm.enabled", false, "Let `auto` search again with other words if scores are close; measured, this gained nothing."),
    Key::float("rlm.entropy_threshold", 2.5, (0.0, 10.0), "Entropy from which a plan is chosen, in nats over 50 candidates."),
    Key::list("rlm.generate_command", &[], "Program and arguments that `map-reduce` asks in place of extraction; empty: none.")
        .never(RUNS)
        .note("accepted and not used: `map-reduce` quotes what it finds and starts no program"),
    Key::duration("rlm.map_reduce_timeout", 20 * SECOND, (100, 30 * SECOND), "Time of a `map-reduce`.").never(BOUNDS),
    Key::integer("rlm.max_candidates", 50, (1, 50), "Candidates of a plan."),
    Key::integer("rlm.max_iterations", 5, (1, 20), "Rounds of a plan.")
        .note("accepted and not used: a plan is bounded by `rlm.max_steps`, `rlm.max_peek_lines` and `rlm.max_candidates`"),
    Key::integer("rlm.max_peek_lines", 1200, (1, 1200), "Lines a plan may read."),
    Key::integer("rlm.max_steps", 12, (1, 12), "Steps of a plan."),
    Key::float("rlm.source_diversity_bonus", 0.1, (0.0, 1.0), "Added to the score per further channel that found a candidate."),
    Key::duration("rlm.timeout", 8 * SECOND, (100, 30 * SECOND), "Time of a pack or plan.").never(BOUNDS),
    Key::list("run.allow", &[], "Programs `run` may start besides those of the project's own commands.").never(RUNS),
    Key::bool("run.enabled", false, "Allow `run` and the tool `run_command`.").never(RUNS),
    Key::integer("run.max_output_kb", 100, (1, 10_000), "Output kept of each stream, in KiB; the rest is cut with a mark.").never(RUNS),
    Key::integer("run.max_timeout_seconds", 120, (1, 3600), "Longest time that may be asked for, in seconds.").never(RUNS),
    Key::bool("run.network", false, "Let commands use the network.").never(RUNS),
    Key::list("run.readable", &[], "More files and directories that commands may read: whole paths.").never(RUNS),
    Key::bool("run.require_sandbox", false, "Run nothing where the system cannot keep commands from other files and from the network.").never(RUNS),
    Key::integer("run.timeout_seconds", 60, (1, 3600), "Time of a program when none is asked for, in seconds.").never(RUNS),
    Key::list("run.writable", &[], "More files and directories that commands may write: whole paths.").never(RUNS),
    Key::bool("security.mask_credentials", true, "Show `[masked]` in place of private keys and tokens of well-known services in whatever is shown of code and history, but where a file is asked for as it is (`icr read`, `env_peek`).").never(CREDENTIALS),
    Key::list("security.secret_patterns", &[], "Globs of files that are never indexed or read, besides the built-in list, which cannot be shortened. Those of all layers count; `!` removes one of your own; a `!` in `.icr.toml` is ignored."),
    Key::integer("storage.cache_size_mb", 64, (8, 512), "Most memory that a connection to the index database keeps pages in, in MB.").never(BOUNDS),
    Key::path("storage.db_path", "", "Index database of older versions.")
        .note("accepted and not used: an index is several files, whose place below the icr home is fixed"),
    Key::integer("storage.hnsw_ef_construction", 200, (50, 500), "Build effort of an HNSW graph.")
        .note("accepted and not used: trees are built with one fixed effort"),
    Key::integer("storage.hnsw_ef_search", 100, (10, 500), "Query effort of an HNSW graph.").maps_to("vector.search_k", 10.0),
    Key::integer("storage.hnsw_m", 16, (4, 64), "Degree of an HNSW graph.").maps_to("vector.trees", 1.0),
    Key::integer("storage.max_vectors_per_repo", 250_000, (1000, 10_000_000), "Transformer vectors kept for one repository; the `static` ones have no limit."),
    Key::hex("storage.repo_id", 16, "Identity of the repository, for caches of CI; unset: from its oldest commit.")
        .never("it decides which repository's index is used")
        .environment(&[Alias::Value("ICR_REPO_ID")]),
    Key::word("storage.vector_dtype", "float16", &["float16", "float32"], "Stored precision of transformer vectors.")
        .note("accepted and not used: vectors are stored as int8 for the scan and float16 for the exact score"),
    Key::bool("storage.wal_mode", true, "Write-ahead log of the databases.")
        .note("accepted and not used: the databases always have a write-ahead log, because readers never wait"),
    Key::bool("telemetry.enabled", true, "Trace calls in a local database, for `icr traces` and `icr metrics`; nothing leaves this machine.")
        .only(&["false"], "a repository may switch counting off and never on"),
    Key::path("telemetry.metrics_path", "", "Metrics database of older versions.")
        .note("accepted and not used: metrics are counted over the traces, which lie in the icr home"),
    Key::integer("telemetry.retention_days", 30, (1, 365), "Age at which metrics are deleted, in days.").never("metrics belong to the user")
        .note("accepted and not used: metrics are counted over the traces, which `telemetry.traces_retention_days` keeps"),
    Key::integer("telemetry.traces_retention_days", 7, (1, 365), "Age at which traces are deleted, in days.").never("traces belong to the user"),
    Key::bool("transcripts.enabled", true, "Let the scopes `transcript` and `all` of a search read what agents keep of sessions in the repository; nothing of it is copied.").never(TRANSCRIPTS),
    Key::integer("vector.crossover_chunks", 500_000, (1000, 100_000_000), "Live chunks from which `auto` builds trees."),
    Key::word("vector.index", "auto", &["auto", "scan", "arroy"], "How near vectors are found: scan of all, trees, or by size."),
    Key::integer("vector.search_k", 1000, (10, 100_000), "Candidates the trees give to the exact score.")
        .note("accepted and not used: trees are asked for as many candidates as were measured to find what a scan finds"),
    Key::integer("vector.trees", 16, (1, 256), "Trees of the vector index.")
        .note("accepted and not used: there are always 20 trees, so that equal vectors have equal trees"),
    Key::integer("watcher.debounce_ms", 500, (100, 5000), "Quiet time before changes are taken, in milliseconds."),
    Key::bool("watcher.enabled", true, "Let servers watch the worktree."),
    Key::list("watcher.ignore_patterns", &[], "Globs of files that are left out, besides the ignore files."),
    Key::integer("watcher.max_file_size_kb", 500, (10, 10_000), "Largest file that is indexed, in KiB; larger ones are left out."),
    Key::bool("watcher.respect_gitignore", true, "Leave out untracked files that git ignores."),
    Key::bool("watcher.respect_icrignore", true, "Leave out files named by `.icrignore` or `.icr/ignore`."),
    Key::list("watcher.watch_extensions", &[], "File name extensions that are indexed, without dot; empty: every text file."),
];

/// Pairs of whole-number keys of which the first must not exceed the second.
///
/// If the first has its built-in value, it is lowered to the second, so that a user who lowers a bound need not know
/// the keys below it.
pub(crate) static ORDERED: &[(&str, &str)] = &[
    ("chunking.target_tokens", "chunking.max_tokens"),
    ("chunking.min_tokens", "chunking.target_tokens"),
    ("extraction.min_sentence_chars", "extraction.max_sentence_chars"),
    ("mcp.soft_response_tokens", "mcp.hard_response_tokens"),
    ("pack.default_budget_tokens", "pack.max_budget_tokens"),
    ("recall.max_item_chars", "recall.max_total_chars"),
    ("retrieval.final_results", "retrieval.initial_candidates"),
    ("run.timeout_seconds", "run.max_timeout_seconds"),
];

/// Conditions under which a run fails.
const CONDITIONS: Grammar = Grammar {
    name: "conditions as `--fail-on` takes them",
    check: |text| gate::parse(text).map(drop).map_err(|error| error.to_string()),
};

/// The bounds that the engine itself has.
const fn integer_bounds(range: &RangeInclusive<u32>) -> (i64, i64) {
    (*range.start() as i64, *range.end() as i64)
}
