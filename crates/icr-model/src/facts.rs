//! Facts of one blob: what its bytes say, independent of its path, commit or the time.

use serde::{Deserialize, Serialize};

use crate::wire::Wire;
use crate::{LineSpan, Span};

/// Identifies the encoding of [`Facts`]. It is part of a store's format, so that stores with two encodings can exist
/// side by side. It names the formats around the encoding and holds a digest of the code that encodes.
pub const FACTS_ENCODING: &str = concat!("zstd postcard-1 ", env!("ICR_FACTS_ENCODING"));

/// Compression level of zstd. It is zstd's default; a higher level costs more time than the space it saves here is
/// worth.
const LEVEL: i32 = 3;

/// Largest plain encoding that is accepted, so that damaged lengths allocate little memory. A blob is at most a few
/// megabytes.
const LARGEST: usize = 1 << 28;

/// The facts of one blob, read in one language.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Facts {
    /// Whether the blob is text, binary or too large.
    pub content: ContentKind,
    /// Name of the language that was used, as in the language table; `text` when there is no grammar.
    pub language: String,
    /// Bytes of the blob.
    pub bytes_total: u32,
    /// Lines of the blob, as [`crate::LineIndex`] counts them.
    pub lines_total: u32,
    /// Bytes under syntax errors; 0 without a grammar.
    pub error_bytes: u32,
    /// Chunks in order of their start. Together they hold every byte that is not white space exactly once; only chunks
    /// of text that is split by size overlap.
    pub chunks: Vec<Chunk>,
    /// Definitions in order of (start, longest first), so a parent precedes its members.
    pub symbols: Vec<Symbol>,
    /// Imports in order of their start.
    pub imports: Vec<Import>,
    /// Identifier occurrences grouped by (name, role, receiver), sorted.
    pub references: Vec<ReferenceGroup>,
    /// Packages, namespaces and modules that the blob declares itself to be part of; and, in languages where every
    /// namespace sees the types outside of all namespaces, the names of these behind [`Facts::GLOBAL_NAMESPACE`].
    pub provides: Vec<String>,
    /// Definitions that the blob exports under a name other than their own, in order of the text.
    pub exports: Vec<ExportAlias>,
}

/// An exported name that differs from the name inside the blob: `export { local as name }`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExportAlias {
    /// The name that others import: [`ExportAlias::DEFAULT`], [`ExportAlias::MODULE`], or a name.
    pub name: String,
    /// The name inside the blob; [`ExportAlias::DEFAULT`] for a default export that may have no name.
    pub local: String,
}

impl ExportAlias {
    /// The name of the default export (`export default`), which an import takes without naming it.
    pub const DEFAULT: &'static str = "default";
    /// The name for the module itself (`module.exports =`).
    pub const MODULE: &'static str = "module.exports";
}

/// Whether a blob has text to index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub enum ContentKind {
    /// Text. Bytes that are valid UTF-8 are read as UTF-8.
    #[default]
    Text,
    /// Not text: a NUL byte near its start, or a pointer to content elsewhere (git LFS).
    Binary,
    /// Above the size limit; not read.
    Oversize,
}

/// A span that is indexed, ranked, embedded and packed as one unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Byte range. It begins and ends at line borders, except where the text has no lines.
    pub span: Span,
    /// The same range in lines.
    pub lines: LineSpan,
    /// What the chunk is.
    pub kind: ChunkKind,
    /// Index in [`Facts::symbols`] of the definition that names the chunk.
    pub symbol: Option<u32>,
}

/// What a chunk is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
pub enum ChunkKind {
    /// One whole definition with its doc comment.
    Symbol,
    /// Several small neighbouring definitions or gaps.
    Merged,
    /// A part of a large definition, cut at statement borders.
    Part,
    /// Text between definitions.
    Gap,
    /// A window of lines of text without a grammar.
    Window,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name as written.
    pub name: String,
    /// Kind in terms shared by all languages.
    pub kind: SymbolKind,
    /// The whole definition without its doc comment.
    pub span: Span,
    /// Lines of `span`.
    pub lines: LineSpan,
    /// First byte of the name.
    pub name_start: u32,
    /// From the start of the definition to its body.
    pub signature: Span,
    /// Its doc comment or docstring.
    pub doc: Option<Span>,
    /// Index in [`Facts::symbols`] of the definition that encloses this one.
    pub parent: Option<u32>,
    /// Name of the type that has this definition as a member, when another blob defines that type (Go's methods).
    pub receiver: Option<String>,
    /// Access path of the type or value of the definition, or, for a function, of the value that a call gives:
    /// `Server`, `store.open()`. The empty path stands for values that have only members of the language itself.
    /// `None` when the text does not say.
    pub path: Option<String>,
    /// Access paths of the types that it inherits from, in the order of the text.
    pub bases: Vec<String>,
    /// Contract label, if the language says that the definition is a contract.
    pub contract: Option<Contract>,
    /// Who may use it, as far as the text says.
    pub visibility: Visibility,
    /// Digest of the tokens of the signature, without comments and layout. It has 32 bits because every symbol stores
    /// one; two different signatures are taken for the same in one of four billion cases.
    pub signature_hash: u32,
    /// Digest of the remaining tokens, comments and layout left out.
    pub body_hash: u32,
}

/// Kinds of definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SymbolKind {
    /// Free function.
    Function,
    /// Function with a receiver.
    Method,
    /// Class, also a record or an object.
    Class,
    /// Struct or union.
    Struct,
    /// Enumeration.
    Enum,
    /// Variant of an enumeration.
    Variant,
    /// Interface or protocol.
    Interface,
    /// Trait.
    Trait,
    /// Type alias.
    Type,
    /// Named value that does not change.
    Constant,
    /// Named value.
    Variable,
    /// Field or property.
    Field,
    /// Module, namespace or package.
    Module,
    /// Macro.
    Macro,
    /// Block of members for a type (`impl`).
    Implementation,
    /// Heading of a document.
    Section,
    /// Key of a data file.
    Key,
}

impl SymbolKind {
    /// All kinds, in the order of the type.
    pub const ALL: [Self; 17] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Variant,
        Self::Interface,
        Self::Trait,
        Self::Type,
        Self::Constant,
        Self::Variable,
        Self::Field,
        Self::Module,
        Self::Macro,
        Self::Implementation,
        Self::Section,
        Self::Key,
    ];

    /// The name used in answers and filters, and in query captures (`@definition.<name>`).
    pub fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Interface => "interface",
            Self::Trait => "trait",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Field => "field",
            Self::Module => "module",
            Self::Macro => "macro",
            Self::Implementation => "implementation",
            Self::Section => "section",
            Self::Key => "key",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// What makes a definition a contract: something that other code is written against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Contract {
    /// Interface.
    Interface,
    /// Class with abstract members.
    AbstractClass,
    /// Structural protocol.
    Protocol,
    /// Trait.
    Trait,
    /// Type alias.
    TypeAlias,
    /// Class that consists of its fields: dataclass, record, typed dictionary.
    Dataclass,
    /// Schema of messages or documents.
    Schema,
    /// Class mapped to a table.
    Model,
    /// Struct.
    Struct,
    /// Enumeration.
    Enum,
}

impl Contract {
    /// All labels, in the order of the type.
    pub const ALL: [Self; 10] = [
        Self::Interface,
        Self::AbstractClass,
        Self::Protocol,
        Self::Trait,
        Self::TypeAlias,
        Self::Dataclass,
        Self::Schema,
        Self::Model,
        Self::Struct,
        Self::Enum,
    ];

    /// The name used in answers and filters, and in query captures (`@contract.<name>`).
    pub fn name(self) -> &'static str {
        match self {
            Self::Interface => "interface",
            Self::AbstractClass => "abstract_class",
            Self::Protocol => "protocol",
            Self::Trait => "trait",
            Self::TypeAlias => "type_alias",
            Self::Dataclass => "dataclass",
            Self::Schema => "schema",
            Self::Model => "model",
            Self::Struct => "struct",
            Self::Enum => "enum",
        }
    }

    /// The label of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|label| label.name() == name)
    }
}

/// Who may use a definition, as far as its own text says.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everyone may use it.
    Public,
    /// Only this part of the program may use it: `pub(crate)`, `protected`, package-private, `internal`.
    Restricted,
    /// Only its own scope or file may use it.
    Private,
    /// The text does not say.
    #[default]
    Unspecified,
}

/// An import statement, or one clause of it that names another module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Import {
    /// Module that is named, as written and without quotes: `./a`, `..pkg.mod`, `std::fs`, `stdio.h` for `<stdio.h>`.
    pub specifier: String,
    /// Names taken from the module; empty when the module itself is imported.
    pub names: Vec<ImportName>,
    /// What kind of statement it is.
    pub kind: ImportKind,
    /// Whether the import is for types only and is erased before the program runs.
    pub type_only: bool,
    /// Whether the names are re-exported to whoever imports this file.
    pub reexport: bool,
    /// First line of the statement.
    pub line: u32,
}

/// A name taken by an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ImportName {
    /// Name in the imported module; `*` for all names.
    pub name: String,
    /// Name in the importing file, when it differs.
    pub alias: Option<String>,
}

/// Kinds of import statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ImportKind {
    /// Import of a module or of names from it.
    Import,
    /// Inclusion searched from the including file first (`"a.h"`).
    Include,
    /// Inclusion searched in the include directories only (`<a.h>`).
    SystemInclude,
    /// Declaration of a child module that lives in another file (`mod a;`).
    Module,
}

/// Occurrences of one identifier in one role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferenceGroup {
    /// The identifier.
    pub name: String,
    /// The role.
    pub role: Role,
    /// Access path of the value that the identifier is a member of, as far as the text says. The path begins with the
    /// name of a module, a type or a value that no function declares, and has steps from there. A local name is
    /// replaced by the path of its type or of the value assigned to it, and `self` or `this` by its type. The empty
    /// path stands for literals.
    pub receiver: Option<String>,
    /// Lines of the occurrences, ascending. A line is repeated for each occurrence on it.
    pub lines: Vec<u32>,
}

/// What an identifier is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Called by its bare name, or expanded as a macro. In languages whose syntax does not show the difference, also
    /// called on a value.
    Call,
    /// Named as a type, base or trait.
    Type,
    /// Named in an import.
    Import,
    /// Named as a member of a value, a type or a module (`a.name`, `a::name`), called or not.
    Member,
    /// Any other mention that is not a definition.
    Other,
}

/// The error for bytes that are not encoded facts.
#[derive(Debug, thiserror::Error)]
#[error("stored facts do not decode: {reason}")]
pub struct DecodeError {
    reason: String,
}

impl Symbol {
    /// Whether more follows its signature than the sign that ends it: a body, a value.
    #[must_use]
    pub fn has_body(&self) -> bool {
        self.signature.end + 1 < self.span.end
    }
}

impl Facts {
    /// The namespace around all others, as C# writes it before a name; see [`Facts::provides`].
    pub const GLOBAL_NAMESPACE: &'static str = "global::";

    /// Encodes the facts: columns in postcard, compressed, after the length of the plain bytes.
    pub fn encode(&self) -> Vec<u8> {
        let plain =
            postcard::to_stdvec(&Wire::of(self)).expect("columns hold only sequences and numbers, which always encode");
        let mut bytes = (plain.len() as u32).to_le_bytes().to_vec();
        let compressed = COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(&plain));
        bytes.extend(compressed.expect("compressing in memory fails only without memory"));
        bytes
    }

    /// Decodes facts encoded by [`Facts::encode`].
    ///
    /// # Errors
    ///
    /// [`DecodeError`] for any other bytes.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let plain = plain(bytes)?;
        let wire: Wire = postcard::from_bytes(&plain).map_err(DecodeError::new)?;
        wire.into_facts().ok_or_else(|| DecodeError::new("their columns do not fit together"))
    }

    /// Names from the outermost enclosing definition to `symbol`, joined by dots: `Server.handle`.
    ///
    /// # Panics
    ///
    /// When `symbol` is not an index of [`Facts::symbols`].
    pub fn qualified_name(&self, symbol: u32) -> String {
        let mut names = vec![self.symbols[symbol as usize].name.as_str()];
        let mut at = symbol;
        // The number of steps is limited to the number of symbols, so that damaged facts cannot cause an endless loop.
        for _ in 0..self.symbols.len() {
            let Some(parent) = self.symbols[at as usize].parent else { break };
            names.push(&self.symbols[parent as usize].name);
            at = parent;
        }
        names.extend(self.symbols[at as usize].receiver.as_deref());
        names.reverse();
        names.join(".")
    }

    /// Whether the definition is a field that is inside a method because the method assigns its first value.
    ///
    /// # Panics
    ///
    /// When `symbol` is not an index of [`Facts::symbols`].
    pub fn is_assigned_field(&self, symbol: u32) -> bool {
        let field = &self.symbols[symbol as usize];
        if field.kind != SymbolKind::Field {
            return false;
        }
        let around = self.symbols[..symbol as usize].iter().rev().find(|around| around.span.contains(field.span));
        let is_function = |kind| matches!(kind, SymbolKind::Function | SymbolKind::Method);
        around.is_some_and(|around| is_function(around.kind))
    }

    /// Definitions whose first byte is in the chunk: a search of the chunk can find these by name.
    pub fn symbols_of<'a>(&'a self, chunk: &Chunk) -> impl Iterator<Item = &'a Symbol> {
        let span = chunk.span;
        let first = self.symbols.partition_point(|symbol| symbol.span.start < span.start);
        self.symbols[first..].iter().take_while(move |symbol| symbol.span.start < span.end)
    }
}

/// The plain bytes of encoded facts.
pub(crate) fn plain(bytes: &[u8]) -> Result<Vec<u8>, DecodeError> {
    let (size, frame) = bytes.split_first_chunk().ok_or_else(|| DecodeError::new("they have no length"))?;
    let size = u32::from_le_bytes(*size) as usize;
    if size > LARGEST {
        return Err(DecodeError::new(format!("{size} bytes are more than facts ever have")));
    }
    DECOMPRESSOR.with_borrow_mut(|decompressor| decompressor.decompress(frame, size)).map_err(DecodeError::new)
}

/// Creates a compressor that adds a checksum of the plain bytes, so that a bit that flipped on disk is detected.
fn compressor() -> std::io::Result<zstd::bulk::Compressor<'static>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

thread_local! {
    /// Kept for each thread, because making one costs as much as compressing the facts of an ordinary blob.
    static COMPRESSOR: std::cell::RefCell<zstd::bulk::Compressor<'static>> =
        std::cell::RefCell::new(compressor().expect("level and checksum are valid settings"));

    /// Kept for each thread, because making one for each blob took a twelfth of an impact report, which reads the
    /// facts of a thousand blobs.
    static DECOMPRESSOR: std::cell::RefCell<zstd::bulk::Decompressor<'static>> =
        std::cell::RefCell::new(zstd::bulk::Decompressor::new().expect("a context is made as long as there is memory"));
}

impl DecodeError {
    pub(crate) fn new(reason: impl ToString) -> Self {
        Self { reason: reason.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn facts() -> Facts {
        let lines = LineSpan { start: 1, end: 3 };
        let symbol = |name: &str, parent| Symbol {
            name: name.to_owned(),
            kind: SymbolKind::Method,
            span: Span::new(0, 30),
            lines,
            name_start: 3,
            signature: Span::new(0, 10),
            doc: None,
            parent,
            receiver: None,
            path: None,
            bases: Vec::new(),
            contract: None,
            visibility: Visibility::Public,
            signature_hash: u32::MAX,
            body_hash: 1,
        };
        Facts {
            language: "rust".to_owned(),
            bytes_total: 30,
            lines_total: 3,
            symbols: vec![symbol("Server", None), symbol("handle", Some(0))],
            chunks: vec![Chunk { span: Span::new(0, 30), lines, kind: ChunkKind::Symbol, symbol: Some(0) }],
            references: vec![ReferenceGroup {
                name: "open".to_owned(),
                role: Role::Call,
                receiver: Some("store.make()".to_owned()),
                lines: vec![1, 1, 300],
            }],
            ..Facts::default()
        }
    }

    #[test]
    fn encoding_round_trips() {
        let facts = facts();
        assert_eq!(Facts::decode(&facts.encode()).unwrap(), facts);
    }

    #[test]
    fn qualified_names_follow_parents() {
        assert_eq!(facts().qualified_name(1), "Server.handle");
    }

    #[test]
    fn a_receiver_that_is_defined_elsewhere_is_part_of_the_name() {
        let mut facts = facts();
        facts.symbols[1] = Symbol { parent: None, receiver: Some("Server".to_owned()), ..facts.symbols[1].clone() };
        assert_eq!(facts.qualified_name(1), "Server.handle");
    }

    #[test]
    fn names_of_kinds_and_contracts_round_trip() {
        assert!(SymbolKind::ALL.iter().all(|kind| SymbolKind::from_name(kind.name()) == Some(*kind)));
        assert!(Contract::ALL.iter().all(|label| Contract::from_name(label.name()) == Some(*label)));
    }

    fn any_facts() -> impl Strategy<Value = Facts> {
        let span = || (0..5_000_u32, 0..900_u32).prop_map(|(start, length)| Span::new(start, start + length));
        let lines = || (1..400_u32, 0..90_u32).prop_map(|(start, count)| LineSpan { start, end: start + count });
        let name = || prop::sample::select(vec!["a", "open", "Server", "größe", "with\nline"]);
        let kinds = (
            prop::sample::select(SymbolKind::ALL.to_vec()),
            prop::option::of(prop::sample::select(Contract::ALL.to_vec())),
        );
        let symbol =
            (name(), kinds, span(), lines(), (span(), prop::option::of(span()), 0..6_000_u32), any::<(u32, u32)>());
        let symbols = prop::collection::vec(symbol, 0..12).prop_map(|symbols| {
            type Row =
                (&'static str, (SymbolKind, Option<Contract>), Span, LineSpan, (Span, Option<Span>, u32), (u32, u32));
            let symbol =
                |(row, (name, (kind, contract), span, lines, (signature, doc, name_start), hashes)): (usize, Row)| {
                    Symbol {
                        name: name.to_owned(),
                        kind,
                        span,
                        lines,
                        name_start,
                        signature,
                        doc,
                        parent: if row % 3 == 1 { Some(row as u32 - 1) } else { None },
                        receiver: (row % 3 == 2).then(|| "Elsewhere".to_owned()),
                        path: (row % 4 > 1).then(|| "make()".repeat(row % 4 - 2)),
                        bases: vec!["Base".to_owned(); row % 3],
                        contract,
                        visibility: Visibility::Restricted,
                        signature_hash: hashes.0,
                        body_hash: hashes.1,
                    }
                };
            symbols.into_iter().enumerate().map(symbol).collect::<Vec<_>>()
        });
        let chunk =
            (span(), lines()).prop_map(|(span, lines)| Chunk { span, lines, kind: ChunkKind::Part, symbol: None });
        let group = (name(), prop::collection::vec(0..9_000_u32, 0..6)).prop_map(|(name, mut lines)| {
            lines.sort_unstable();
            ReferenceGroup {
                name: name.to_owned(),
                role: Role::Type,
                receiver: lines.first().map(|line| format!("r{line}")),
                lines,
            }
        });
        (symbols, prop::collection::vec(chunk, 0..6), prop::collection::vec(group, 0..6)).prop_map(
            |(symbols, chunks, mut references)| {
                references.sort_by(|a, b| a.name.cmp(&b.name));
                Facts { symbols, chunks, references, language: "c".to_owned(), ..Facts::default() }
            },
        )
    }

    #[test]
    fn a_flipped_bit_is_an_error() {
        let good = facts().encode();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            // The first bytes give the length. A length that is larger than needed does no harm.
            assert!(Facts::decode(&bad).map_or(true, |decoded| decoded == facts()), "byte {at}");
        }
    }

    proptest! {
        #[test]
        fn any_facts_come_back(facts in any_facts()) {
            let encoded = facts.encode();
            prop_assert_eq!(Facts::decode_statements(&encoded).unwrap(), facts.statements());
            prop_assert_eq!(Facts::decode(&encoded).unwrap(), facts);
        }

        #[test]
        fn damaged_bytes_are_an_error_and_never_a_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0..200_usize) {
            let _ = Facts::decode(&bytes);
            let mut good = facts().encode();
            good.truncate(cut);
            bytes.truncate(4);
            good.splice(0..bytes.len().min(good.len()), bytes);
            let _ = Facts::decode(&good);
        }
    }
}
