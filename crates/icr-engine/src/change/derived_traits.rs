//! Traits of Rust that a type derives on one side of a change and that a block implements for it on the other: for users
//! both are one.

use std::collections::BTreeSet;

use icr_impact::symbols::{DefinitionSide, FileSides, SymbolChange, definition_rules};
use icr_model::{Shape, SymbolKind};

/// A type and a trait, by their names.
type TypeAndTrait = (String, String);

/// What types derive and what is implemented for them, as far as a change changes it.
#[derive(Debug, Default)]
pub(crate) struct DerivedTraits {
    /// What changed types derive before the change, and after it.
    derived: [BTreeSet<TypeAndTrait>; 2],
    /// What blocks implement that the change removes, and that it adds.
    written: [BTreeSet<TypeAndTrait>; 2],
    /// Removed blocks whose trait their type derives now, by file and number.
    replaced: BTreeSet<(usize, u32)>,
}

impl DerivedTraits {
    /// Those of `symbols`; `shape` gives the contract of a side.
    pub(crate) fn of(symbols: &[SymbolChange], shape: &dyn Fn(&DefinitionSide, bool) -> Shape) -> Self {
        let mut traits = Self::default();
        let can_derive = |side: &&DefinitionSide| definition_rules(&side.language).derives_traits;
        for symbol in symbols {
            let sides = [symbol.old.as_ref(), symbol.new.as_ref()];
            let is_whole = sides.iter().all(Option::is_some);
            for (at, side) in sides.into_iter().enumerate() {
                let Some(side) = side.filter(can_derive) else { continue };
                let found = match side.kind {
                    SymbolKind::Implementation if !is_whole => &mut traits.written[at],
                    SymbolKind::Enum | SymbolKind::Struct => &mut traits.derived[at],
                    _ => continue,
                };
                let shape = shape(side, at == 0);
                let is_block = side.kind == SymbolKind::Implementation;
                let names = shape.bases.iter().filter_map(|base| derivable(base));
                let names = names.filter(|name| !is_block || binds_all(&shape, name));
                found.extend(names.map(|name| (side.name.clone(), name.to_owned())));
            }
        }
        let is_replaced = |old: &&DefinitionSide| {
            let is_block = can_derive(old) && old.kind == SymbolKind::Implementation;
            let derives = |base: &String| {
                let pair = derivable(base).map(|name| (old.name.clone(), name.to_owned()));
                pair.is_some_and(|pair| traits.written[0].contains(&pair) && traits.derived[1].contains(&pair))
            };
            is_block && shape(old, true).bases.iter().any(derives)
        };
        let removed = symbols.iter().filter(|symbol| symbol.new.is_none()).filter_map(|symbol| symbol.old.as_ref());
        traits.replaced = removed.filter(is_replaced).map(|old| (old.file, old.symbol)).collect();
        traits
    }

    /// Whether the change removed a block, or a member of one, that the type derives instead.
    pub(crate) fn replaces(&self, change: &SymbolChange, files: &[FileSides<'_>]) -> bool {
        let Some(old) = change.old.as_ref().filter(|_| change.new.is_none()) else { return false };
        let symbol = files[old.file].old.and_then(|side| side.facts.symbols.get(old.symbol as usize));
        let block = symbol.and_then(|symbol| symbol.parent).unwrap_or(old.symbol);
        self.replaced.contains(&(old.file, block))
    }

    /// Takes the traits out of the contracts of a type that it derives on one side only, and that a block implements for
    /// it on the other.
    pub(crate) fn remove_from(&self, change: &SymbolChange, shapes: [&mut Shape; 2]) {
        for (shape, (side, written)) in
            shapes.into_iter().zip([&change.old, &change.new].into_iter().zip(self.written.iter().rev()))
        {
            let is_type = |side: &&DefinitionSide| matches!(side.kind, SymbolKind::Enum | SymbolKind::Struct);
            let Some(side) =
                side.as_ref().filter(is_type).filter(|side| definition_rules(&side.language).derives_traits)
            else {
                continue;
            };
            let is_written = |base: &String| {
                derivable(base).is_some_and(|name| written.contains(&(side.name.clone(), name.to_owned())))
            };
            shape.bases.retain(|base| !is_written(base));
        }
    }
}

/// The name of a trait that a derive may provide; one with type arguments is another.
fn derivable(base: &str) -> Option<&str> {
    Some(base.rsplit("::").next().unwrap_or(base)).filter(|name| !name.contains('<'))
}

/// Whether a block implements a trait only where all type parameters have it, as a derive does.
fn binds_all(shape: &Shape, name: &str) -> bool {
    let is_type = |parameter: &&String| !parameter.starts_with('\'') && !parameter.starts_with("const ");
    let has_it = |parameter: &String| {
        let bounds = parameter.split_once(':').map_or("", |(_, bounds)| bounds);
        bounds.split('+').any(|bound| derivable(bound.trim()) == Some(name))
    };
    shape.type_parameters.iter().filter(is_type).all(has_it)
}
