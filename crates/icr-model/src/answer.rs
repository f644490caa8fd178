//! What every answer says about itself: where it was computed from, and what is missing from it.

use std::fmt;

use serde::Serialize;

/// Something that is missing from an answer or limits it, with the reason.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, schemars::JsonSchema)]
#[serde(tag = "gap", rename_all = "snake_case")]
pub enum Gap {
    /// Files of the view whose blobs are not indexed yet.
    Unindexed {
        /// Number of files.
        files: u64,
    },
    /// Uncommitted files that were too many to be indexed for this answer.
    UncommittedLeftOut {
        /// Number of files.
        files: u64,
    },
    /// Files of the view that were not searched because the time for the answer was over.
    Unsearched {
        /// Number of files.
        files: u64,
    },
    /// Changed files whose git attributes name an external filter driver. icr runs no such driver and does not read
    /// these files.
    ExternalFilter {
        /// Number of files.
        files: u64,
    },
    /// Objects that the repository names but does not have: a partial clone, or damage.
    MissingObject {
        /// Number of objects (blobs).
        objects: u64,
    },
    /// Files that git or icr could not read.
    Unreadable {
        /// Number of files.
        files: u64,
    },
    /// Files above the size limit.
    Oversize {
        /// Number of files.
        files: u64,
    },
    /// Files of an unfinished merge that are in conflict, so that they have no single content.
    Conflicted {
        /// Number of files.
        files: u64,
    },
    /// Commits whose changes cannot be determined here: a partial clone lacks their trees, or the trees are too large.
    /// Such commits do not count.
    UnknownChanges {
        /// Number of commits.
        commits: u64,
    },
    /// History is cut off: the clone is shallow.
    ShallowHistory,
    /// A manifest that says how modules are named does not parse, so the imports that it would explain stay
    /// unresolved.
    UnreadableManifest {
        /// Path of the manifest.
        path: String,
        /// Why it does not parse.
        reason: String,
    },
    /// A graph walk was stopped early: one level has more files than the walk follows.
    StoppedWalk {
        /// Steps from where the walk began, 1 for direct neighbours.
        level: u32,
        /// Files of this level that were followed.
        followed: u64,
        /// All files of this level.
        files: u64,
    },
    /// Some references to definitions were not looked for: there were too many definitions, or a name occurs in so
    /// many files that it says nothing.
    StoppedReferences {
        /// Names for which only the files that import the defining file were looked at.
        names: Vec<String>,
    },
    /// Warnings use the threshold that icr ships with, because none was worked out for this repository yet.
    Uncalibrated,
    /// No vectors were asked for, so nothing is found by meaning.
    NoVectors,
    /// The model that the configuration names cannot run; the built-in one answers in its place.
    NoModel {
        /// Name of the model.
        model: String,
        /// Why it cannot run, and what to change.
        reason: String,
    },
    /// The model has not embedded all chunks that were looked at.
    NotEmbedded {
        /// Name of the model.
        model: String,
        /// Chunks among those looked at that are not embedded yet.
        chunks: u64,
        /// Chunks looked at.
        looked_at: u64,
    },
    /// The nearest vectors were found with trees (an approximate search), which may miss some.
    Approximate,
    /// There are no transcripts to search: no agent that icr knows has a session of this repository.
    NoTranscripts,
    /// Transcripts are not searched, because the user's configuration says so.
    TranscriptsOff,
    /// Session files of agents that were not read to the end: they are too many or too large for one question, or the
    /// system refused to read them. Some may belong to other repositories.
    UnreadTranscripts {
        /// Number of session files.
        sessions: u64,
    },
    /// Records of transcripts that are damaged, too long or of an unknown shape.
    UnknownRecords {
        /// Number of records.
        records: u64,
    },
    /// The question has no word that an index could hold, and no model can search by its meaning.
    NoWords,
    /// Every word of the question is a stop word (a grammar word that all texts contain), and no definition has such a
    /// name.
    OnlyStopWords,
    /// The question is longer than the part of a question that is searched.
    CutQuestion {
        /// Bytes that were searched, counted from the beginning of the question.
        bytes: u64,
    },
    /// The store could not be written, so the next question has to do the same work again.
    ReadOnlyStore,
    /// Private keys and service tokens that are masked in the answer.
    Masked {
        /// Number of masked keys and tokens.
        credentials: u64,
    },
}

/// Writes what is missing as a sentence without its full stop.
impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words())
    }
}

impl Gap {
    /// Whether this gap makes the answer incomplete. The other gaps only say how the answer was made or what the
    /// question was like, and the answer would contain no more without them: a default threshold instead of the
    /// repository's own, vectors and transcripts that somebody switched off, a question with nothing to look for, and
    /// masked credentials.
    pub fn counts_when_strict(&self) -> bool {
        match self {
            Self::Uncalibrated
            | Self::NoVectors
            | Self::TranscriptsOff
            | Self::NoWords
            | Self::OnlyStopWords
            | Self::CutQuestion { .. }
            | Self::Masked { .. } => false,
            Self::Unindexed { .. }
            | Self::UncommittedLeftOut { .. }
            | Self::Unsearched { .. }
            | Self::ExternalFilter { .. }
            | Self::MissingObject { .. }
            | Self::Unreadable { .. }
            | Self::Oversize { .. }
            | Self::Conflicted { .. }
            | Self::UnknownChanges { .. }
            | Self::ShallowHistory
            | Self::UnreadableManifest { .. }
            | Self::StoppedWalk { .. }
            | Self::StoppedReferences { .. }
            | Self::NoModel { .. }
            | Self::NotEmbedded { .. }
            | Self::Approximate
            | Self::NoTranscripts
            | Self::UnreadTranscripts { .. }
            | Self::UnknownRecords { .. }
            | Self::ReadOnlyStore => true,
        }
    }

    fn words(&self) -> String {
        let of = |count: &u64, one, many| format!("{count} {}", if *count == 1 { one } else { many });
        match self {
            Self::Unindexed { files } => {
                format!("{} not indexed yet; `icr index` indexes them", of(files, "file is", "files are"))
            }
            Self::UncommittedLeftOut { files } => format!(
                "{} too many to index for this answer; they are in it once they are committed",
                of(files, "uncommitted file is", "uncommitted files are")
            ),
            Self::Unsearched { files } => {
                format!("{} not searched: the time limit had passed", of(files, "file was", "files were"))
            }
            Self::ExternalFilter { files } => format!(
                "{} shown as committed: an external filter is configured, and icr runs none",
                of(files, "changed file is", "changed files are")
            ),
            Self::MissingObject { objects } => {
                format!(
                    "{} not in this repository, or damaged there (partial clone, or what `git fsck` finds)",
                    of(objects, "object is", "objects are")
                )
            }
            Self::Unreadable { files } => format!("{} not be read", of(files, "file could", "files could")),
            Self::Oversize { files } => {
                format!("{} above `watcher.max_file_size_kb` and not read", of(files, "file is", "files are"))
            }
            Self::Conflicted { files } => {
                format!("{} in conflict; the text of the worktree was used", of(files, "file is", "files are"))
            }
            Self::UnknownChanges { commits } => format!(
                "the changes of {} are not known: trees are missing from this repository (partial clone) or too large to compare",
                of(commits, "commit", "commits")
            ),
            Self::ShallowHistory => "the clone is shallow: history is cut off".to_owned(),
            Self::Masked { credentials } => format!(
                "{} masked; `security.mask_credentials = false` in your own configuration shows them",
                of(credentials, "credential is", "credentials are")
            ),
            Self::UnreadableManifest { path, reason } => format!("`{path}` cannot be read: {reason}"),
            Self::StoppedWalk { level, followed, files } => {
                format!("following references was stopped at step {level}: {followed} of its {files} files were followed")
            }
            Self::StoppedReferences { names } if names.is_empty() => {
                "not every changed definition was followed: there are too many".to_owned()
            }
            Self::StoppedReferences { names } => {
                let shown: Vec<String> = names.iter().take(3).map(|name| format!("`{name}`")).collect();
                let more = if names.len() > shown.len() { " and others" } else { "" };
                format!(
                    "many files mention {}{more}; only files that import it were searched",
                    shown.join(", ")
                )
            }
            Self::Uncalibrated => {
                "warnings use the built-in threshold; `icr index` computes one for this repository (for an older commit, `icr index --at COMMIT`)".to_owned()
            }
            Self::NoVectors => "search by meaning is switched off".to_owned(),
            Self::NoModel { model, reason } => {
                format!("the model `{model}` cannot run, the built-in one answers: {reason}")
            }
            Self::NotEmbedded { model, chunks, looked_at } => {
                format!(
                    "`{model}` has not embedded {chunks} of the {looked_at} searched chunks; `icr index` continues"
                )
            }
            Self::Approximate => "the vector search was approximate, so it may have missed some files".to_owned(),
            Self::NoTranscripts => "there are no transcripts to search".to_owned(),
            Self::TranscriptsOff => {
                "transcripts are not searched: `transcripts.enabled` is false in your configuration".to_owned()
            }
            Self::UnreadTranscripts { sessions } => {
                format!("{} not read to the end", of(sessions, "session file of agents was", "session files of agents were"))
            }
            Self::UnknownRecords { records } => format!(
                "{} left out: damaged, above 1 MiB or of an unknown shape",
                of(records, "record of transcripts was", "records of transcripts were")
            ),
            Self::NoWords => "the query has no word to search for; use letters or digits".to_owned(),
            Self::OnlyStopWords => {
                "the query has only words such as `the` and `is`; add one that says what you search for".to_owned()
            }
            Self::CutQuestion { bytes } => {
                format!("the query is long: only its first {} searched", of(bytes, "byte was", "bytes were"))
            }
            Self::ReadOnlyStore => {
                "the store cannot be written, so the next question does the same work again".to_owned()
            }
        }
    }
}

/// Where an answer was computed from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Provenance {
    /// 16 hexadecimal digits, the same for all worktrees and clones of one repository.
    pub repo_id: String,
    /// Tree id of the committed part of the view; `None` for an unborn HEAD.
    pub tree: Option<String>,
    /// Commit of that tree, if the view was named by a commit.
    pub commit: Option<String>,
    /// Changed, added and deleted files of the worktree that the view adds to the tree, or would if they were not above
    /// the size limit.
    pub dirty: u64,
    /// What the answer lacks; empty when nothing is missing.
    pub gaps: Vec<Gap>,
}

impl Provenance {
    /// A copy with the gaps of one answer added to those of its view. Counts of the same kind of gap are added up.
    #[must_use]
    pub fn with_gaps(&self, gaps: &[Gap]) -> Self {
        let mut all = self.clone();
        for gap in gaps {
            let same = all.gaps.iter_mut().find(|other| std::mem::discriminant(*other) == std::mem::discriminant(gap));
            match (same, gap) {
                (Some(Gap::MissingObject { objects }), Gap::MissingObject { objects: more }) => *objects += more,
                (Some(Gap::Unreadable { files }), Gap::Unreadable { files: more }) => *files += more,
                // Both counts cover the same history, and one contains the other, so they are not added.
                (Some(Gap::UnknownChanges { commits }), Gap::UnknownChanges { commits: other }) => {
                    *commits = (*commits).max(*other);
                }
                (Some(same), gap) if *same == *gap => {}
                _ => all.gaps.push(gap.clone()),
            }
        }
        all.gaps.sort();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_one_kind_are_added_up() {
        let provenance = Provenance {
            repo_id: String::new(),
            tree: None,
            commit: None,
            dirty: 0,
            gaps: vec![Gap::MissingObject { objects: 1 }, Gap::ShallowHistory],
        };
        let all = provenance.with_gaps(&[Gap::Unreadable { files: 1 }, Gap::MissingObject { objects: 2 }]);
        assert_eq!(all.gaps, [Gap::MissingObject { objects: 3 }, Gap::Unreadable { files: 1 }, Gap::ShallowHistory]);
        let unknown = |commits| Gap::UnknownChanges { commits };
        let twice = provenance.with_gaps(&[unknown(2), unknown(3), unknown(1)]);
        assert_eq!(twice.gaps, [Gap::MissingObject { objects: 1 }, unknown(3), Gap::ShallowHistory]);
        assert_eq!(provenance.with_gaps(&[]), provenance);
    }
}
