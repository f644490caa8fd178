//! The facade of icr: open a repository, sync its store, take a snapshot, ask. Plain data in and out.
//!
//! A [`Snapshot`] is one view (a tree, and for a worktree what is uncommitted there) and never changes or writes. An
//! [`Engine`] says which views there are and brings the store up to date.

mod bench_pack;
mod bench_retrieval;
mod change;
mod cochange;
mod commands;
mod deadline;
mod doctor;
mod engine;
mod error;
mod error_samples;
mod files;
mod filling;
mod git_facts;
mod globs;
mod graph;
mod grep;
mod hint;
mod history;
mod history_search;
mod identity;
mod language;
mod line_diff;
mod lines;
mod located;
mod log;
mod meaning;
mod memory;
mod models;
mod monitor;
mod neighbors;
mod opening;
mod options;
mod outline;
mod packing;
mod process_limits;
mod project_commands;
mod references;
mod repositories;
mod repository_store;
mod requests;
#[cfg(test)]
mod run_progress_tests;
mod search;
mod snapshot;
mod snapshot_context;
mod snapshot_source;
mod status;
mod symbols;
mod syncing;
mod test_paths;
mod timed_view;
mod vectors;
mod warm;
mod written_names;

pub use bench_pack::{CommitsLeftOut, PackBench, PackBenchBudget, PackBenchMethod, PackBenchRequest, bench_packs};
pub use bench_retrieval::{
    AbsentPlace, CategoryScores, ExpectedPlace, Golden, GoldenAnswer, GoldenChange, GoldenError, GoldenRow,
    QuestionAnswer, QuestionsError, RerankCandidate, RetrievalBench, RetrievalQuestion, RetrievalRequest,
    RetrievalScores, bench_retrieval, read_questions,
};
pub use change::{
    AcceptProblem, CalibratedBin, CalibrationReport, ChangeSource, ImpactRequest, ImpactRules, MethodScores, PushBase,
    Replay, ReplayRequest, ReplayRow, RuleFiles, Task, TaskScores, WarningScores, accept_list_problems, impact, replay,
};
pub use cochange::{Cochange, FileActivity, FilePair, PartnerFile, Partners, PartnersRequest, cochange, partners};
pub use commands::project_commands;
pub use deadline::Deadline;
pub use doctor::{DoctorFinding, Severity, examine};
pub use engine::Engine;
pub use error::Error;
#[doc(hidden)]
pub use error_samples::errors_naming_commands;
pub use files::{
    Excerpt, MapNode, MapRequest, MapSummary, OversizeScope, ReadRequest, Slice, SliceRequest, map, oversize_code,
    provenance_within, read, slice,
};
pub use filling::FillOutcome;
pub use git_facts::GitFacts;
pub use graph::{
    GraphEdge, GraphImport, GraphReference, ImportGraph, LEAST_WEIGHT, Progress, ReferenceGraph, import_graph,
    reference_graph,
};
pub use grep::{GrepHit, GrepRequest, GrepResults, grep};
pub use hint::Hint;
pub use history::HistoryOptions;
pub use icr_db::EdgeKind;
pub use icr_git::{is_marked_as_repository, names_every_file, read_clone_file};
pub use icr_ingest::{BlobPass, CollectReport, FillReport, Observer, RunPart, SilentObserver, SyncReport, WriteStep};
pub use icr_lang::{
    ChunkLimits, TextId, ThreadReading, give_up_on, languages, observe_readings, reading_threads, text_of_this_thread,
};
pub use identity::IdRecording;

pub use icr_memory::PinPriority;
pub use icr_model::{Contract, Gap, LineSpan, Provenance, RepoPath, SymbolKind, Visibility};
pub use icr_pack::{
    AGGREGATE_OPS, AggregateAnswer, AggregateOp, AggregateRequest, CalibrationSource, ContextMap, Error as PackError,
    ExpansionLimits, MapReduced, ModeUsed as PackModeUsed, PackMode, PinRank, PlanBudget, PlanRequest, PlanScope,
    PromptMap, Script, SearchPlan, SubQueryBonus, aggregate, plan,
};
pub use icr_rank::{Basis, Channel, Emphasis, Fusion, RERANK_FEATURES, Strength};
pub use icr_vector::{IndexUse as VectorIndex, Options as VectorOptions};
pub use language::language_of;
pub use line_diff::{FileLines, HunkLines, LineDiff, LineDiffRequest, line_diff};
pub use located::LocatedRepository;
pub use log::{Log, LogCommit, LogRequest, NamedCommit, log};
pub use memory::{
    AbsentCode, AmbiguousName, BindRequest, ClonePins, CreatedPin, DerivedItem, KeptItem, KeptList, MemoriesInView,
    MemoryBreakdown, MemoryPlace, MemoryStats, MemoryUsage, Moment, NewPin, PinContent, PinContentRequest, PinFilter,
    PinItem, PinList, PinListRequest, PinRemoval, PinRequest, Staleness, ambiguous_names, bind_code, code_states,
    derived_memory, list_kept, list_pins, may_name_code, memories_about, memories_in_view, memory_stats, new_pin,
    pin_content,
};
pub use models::{Backend, EmbeddingOptions};
pub use monitor::{Monitor, Names, Pass};
pub use neighbors::{Neighbor, NeighborImport, Neighbors, NeighborsRequest, neighbors};
pub use options::{OpenOptions, RulesBefore};
pub use outline::{
    FileOutline, Outline, OutlineContract, OutlineNode, OutlineRequest, OutlineSymbol, Outlines, outline, outlines,
};
pub use packing::{
    ContextAnswer, ContextRequest, EasyQuestion, GateCalibration, GateThresholds, MapReduceAnswer, MapReduceMetadata,
    MapReduceRequest, PackAnswer, PackBudgets, PackExpansion, PackMetadata, PackRequest, PackRules, PackSearch, Pin,
    PromptRequest, ThresholdSource, calibrate_gate, context, map_reduce, pack, pack_with_pins, pins, prompt_context,
    search_with_pins, unknown_focus,
};
pub use process_limits::process_limits;
pub use project_commands::{CommandKind, ProjectCommand, ProjectCommands};
pub use references::{
    DefinitionPlace, ReferencePlace, References, ReferencesRequest, Use, add_uses, references, references_with_uses,
};
pub use repositories::{RepositoryEntry, remove_repository, repositories};
pub use repository_store::RepositoryStore;
pub use requests::{ServedBy, ServedSyncRequest, SyncRequests};
pub use search::{
    LONGEST_QUERY, RankingOptions, SearchHit, SearchMode, SearchRequest, SearchResults, SearchScope, SearchSpan,
    TranscriptTurn, TranscriptTurns, search,
};
pub use snapshot::{Dump, Snapshot};
pub use snapshot_source::{Freshness, ViewSelector};
pub use status::{IndexStatus, LanguageCount, status};
pub use symbols::{SymbolHit, SymbolRequest, SymbolResults, symbols};
pub use syncing::{BusyStorePolicy, SyncOptions};
pub use vectors::{VectorSpace, close_vectors, vector_spaces};
pub use warm::Warm;
pub use written_names::MissingMember;
