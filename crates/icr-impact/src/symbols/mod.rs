//! Which definitions a change changed, from both sides of every changed file.

mod compare;
mod conditions;
mod cross_file_pairing;
mod export_status;
pub(crate) mod language;
mod pairing;
mod residue;
mod side;
mod token_equality;
mod tokens;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod tests;

use icr_model::{Contract, Facts, LineSpan, RepoPath, Shape, Span, SymbolKind, Visibility};

use crate::contract::ContractFinding;
use crate::{ChangedSymbol, Severity, SymbolChangeKind};

pub use conditions::{GatedExport, gated_exports};
pub use export_status::exported;
pub use language::{DefinitionRules, OverrideMark, Publication, definition_rules};
pub use residue::{FileResidue, residues};

use compare::differing;
use pairing::{AnalyzedFiles, pair};

/// One side of a changed file.
#[derive(Debug, Clone, Copy)]
pub struct FileSide<'a> {
    /// Where it lies.
    pub path: &'a RepoPath,
    /// Facts that were extracted from the text.
    pub facts: &'a Facts,
    /// Its text.
    pub text: &'a [u8],
    /// What each entry of [`Facts::symbols`] guarantees; empty where that is not known.
    pub shapes: &'a [Shape],
    /// Digest of all its tokens, comments and layout left out; `None` when there is no grammar or it does not parse.
    pub token_digest: Option<u64>,
}

/// Both sides of a changed file; a renamed file is one with two paths.
#[derive(Debug, Clone, Copy)]
pub struct FileSides<'a> {
    /// Before the change; `None` for a new file.
    pub old: Option<FileSide<'a>>,
    /// After it; `None` for a deleted one.
    pub new: Option<FileSide<'a>>,
}

/// A definition that the change changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolChange {
    /// The worst of `facets`.
    pub change: SymbolChangeKind,
    /// All kinds of change that apply, worst first; [`SymbolChangeKind::Cosmetic`] only if it is the only one.
    pub facets: Vec<SymbolChangeKind>,
    /// Before the change; `None` for what is new.
    pub old: Option<DefinitionSide>,
    /// The definition after the change; `None` if it was removed.
    pub new: Option<DefinitionSide>,
    /// Whether its name or file changed only because those of its holder changed.
    pub follows: bool,
    /// The words by which others name it still do: it has its name, and its file is no part of its address, or the old
    /// file offers it on.
    pub same_address: bool,
    /// How its visibility changed, unless that of its holder changed in the same way.
    pub reach: Option<VisibilityChange>,
    /// For which builds it is no longer there, or newly there, unless that of its holder changed in the same way. What is
    /// gone has one if a variant for other builds is left.
    pub builds: Option<BuildChange>,
    /// The holder: the definition that contains it.
    pub holder: Option<Holder>,
}

/// How the builds changed that have a definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildChange {
    /// Whether more or fewer builds have it.
    pub reach: VisibilityChange,
    /// The condition, in words: before the change for what is gone, otherwise after it.
    pub condition: String,
}

/// One side of a changed definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefinitionSide {
    /// Index of its file in what [`changes`] was given.
    pub file: usize,
    /// Index in [`Facts::symbols`] of that side.
    pub symbol: u32,
    /// Path of that side.
    pub path: RepoPath,
    /// Language of that side, by the table of languages.
    pub language: String,
    /// Name.
    pub name: String,
    /// Qualified name: the names of its holders and its own, joined by `.`.
    pub qualified_name: String,
    /// Kind.
    pub kind: SymbolKind,
    /// Contract label.
    pub contract: Option<Contract>,
    /// The whole definition without its doc comment.
    pub span: Span,
    /// Lines of `span`.
    pub lines: LineSpan,
    /// Visibility, as far as the text tells.
    pub visibility: Visibility,
    /// Whether the language lets others use it.
    pub exported: bool,
    /// Whether more follows the signature than the sign that ends it: a body, a value.
    pub has_body: bool,
    /// Whether a `?` after its name marks it as optional.
    pub optional: bool,
}

/// The holder of a changed definition: the definition that contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Kind: of the new side where there is one.
    pub kind: SymbolKind,
    /// Contract label of that side.
    pub contract: Option<Contract>,
    /// Whether it was there before the change, under whatever name.
    pub existed: bool,
    /// Whether others may build it or match all of it: none of its fields was hidden, and nothing reserves additions.
    pub open: bool,
}

/// How a definition that stayed became visible to more or to fewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VisibilityChange {
    /// To fewer.
    Reduced,
    /// To more.
    Widened,
}

/// The definitions that differ between the sides of `files`, by path and line; equal inputs give equal lists.
///
/// Definitions local to a function count as its body and are not listed. A holder is listed for changes of its own
/// text, not for its executable members; a type is also listed for its fields and variants. Costs one pass over the
/// tokens of the files where definitions differ, and `O(n log n)` in the definitions.
pub fn changes(files: &[FileSides<'_>]) -> Vec<SymbolChange> {
    changes_with_types(files, &|_, _, _| None)
}

/// As [`changes`], with what the texts of definitions do not show: for the index of a file and of a definition on each of
/// its sides, `unseen` gives what else changed in it, such as a signature whose names stand for other types.
pub fn changes_with_types(
    files: &[FileSides<'_>],
    unseen: &dyn Fn(usize, u32, u32) -> Option<SymbolChangeKind>,
) -> Vec<SymbolChange> {
    let files = AnalyzedFiles::new(files);
    let pairs = pair(&files);
    let mut changes = differing(&files, &pairs, unseen);
    changes.sort_by(|one, other| one.place().cmp(&other.place()));
    changes
}

impl SymbolChange {
    /// The side to show: the new one, or the old one for a removed definition.
    pub fn display_side(&self) -> &DefinitionSide {
        self.new.as_ref().or(self.old.as_ref()).expect("a change has a side")
    }

    /// Whether the language lets others use it, or did before.
    pub fn exported(&self) -> bool {
        self.old.iter().chain(&self.new).any(|side| side.exported)
    }

    /// Whether it is a field or a variant. Then its holder is listed, too.
    pub fn is_part(&self) -> bool {
        use SymbolKind::{Constant, Field, Variable, Variant};
        let holds = |holder: Holder| !matches!(holder.kind, SymbolKind::Module | SymbolKind::Implementation);
        matches!(self.display_side().kind, Constant | Field | Variable | Variant) && self.holder.is_some_and(holds)
    }

    /// Whether an exported definition has another contract now, or was removed from its place;
    /// [`crate::ContractImpact::modified_contracts`] lists these. Every change of a signature counts, including an
    /// improvement. A part, such as a field, counts only if `findings` has an entry for it that is not an improvement.
    pub fn modifies_contract(&self, findings: &[ContractFinding]) -> bool {
        let of_contract = |facet: &SymbolChangeKind| match facet {
            SymbolChangeKind::Removed | SymbolChangeKind::Renamed | SymbolChangeKind::Signature => true,
            SymbolChangeKind::Moved => !self.same_address,
            SymbolChangeKind::Added | SymbolChangeKind::Body | SymbolChangeKind::Doc | SymbolChangeKind::Cosmetic => {
                false
            }
        };
        let of_part = || findings.iter().any(|finding| finding.class.severity() > Severity::Behaviour);
        let was_exported = self.old.as_ref().is_some_and(|old| old.exported);
        was_exported && self.facets.iter().any(of_contract) && (!self.is_part() || of_part())
    }

    /// The row of the answer, with the severity that [`crate::contract::severity`] gives.
    pub fn row(&self, severity: Severity) -> ChangedSymbol {
        let shown = self.display_side();
        let before = self.old.as_ref().filter(|_| self.new.is_some());
        ChangedSymbol {
            path: shown.path.to_string(),
            name: shown.name.clone(),
            qualified_name: shown.qualified_name.clone(),
            old_name: before.map(|old| old.qualified_name.clone()).filter(|name| *name != shown.qualified_name),
            old_path: before.filter(|old| old.path != shown.path).map(|old| old.path.to_string()),
            kind: shown.kind.name().to_owned(),
            change: self.change,
            severity,
            exported: self.exported(),
            line: shown.lines.start,
            end_line: shown.lines.end,
        }
    }

    /// What the list is sorted by.
    fn place(&self) -> (&RepoPath, u32, u32, &str, Option<(&RepoPath, u32)>) {
        let shown = self.display_side();
        let old = self.old.as_ref().map(|old| (&old.path, old.symbol));
        (&shown.path, shown.span.start, shown.symbol, &shown.qualified_name, old)
    }
}
