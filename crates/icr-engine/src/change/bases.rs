//! Whether a type may inherit a member from a base that the repository does not define.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use icr_db::{NameMeaning, may_provide};
use icr_impact::symbols::{DefinitionSide, definition_rules};
use icr_model::{Facts, RepoPath, Shape, SymbolKind};

use crate::change::callers::Callers;
use crate::change::uses::TEXT_BYTES_MOST;
use crate::{Error, Snapshot};

/// Methods that make any member name valid, such as catch-all accessors.
const CATCH_ALL: [&str; 5] = ["__call", "__getattr__", "__getattribute__", "method_missing", "respond_to_missing?"];

/// Most types that are followed from a type to its bases.
const TYPES: usize = 16;

/// Examines the bases of types in the view before a change.
pub(crate) struct Bases<'a> {
    view: &'a Snapshot,
    callers: &'a Callers<'a>,
    shapes: RefCell<HashMap<RepoPath, Rc<Vec<Shape>>>>,
}

impl<'a> Bases<'a> {
    pub(crate) fn new(view: &'a Snapshot, callers: &'a Callers<'a>) -> Self {
        Self { view, callers, shapes: RefCell::default() }
    }

    /// Whether the type that contains `member` may inherit another member of that name: from an external base, from a
    /// base that has such a member, or from a member that answers for all names.
    ///
    /// Cost: each file with a type on the way is parsed once.
    pub(crate) fn may_inherit(&self, member: &DefinitionSide) -> Result<bool, Error> {
        let is_data = matches!(member.kind, SymbolKind::Field | SymbolKind::Variant);
        if member.kind == SymbolKind::Variant || is_data && definition_rules(&member.language).fields_are_own {
            return Ok(false);
        }
        let Some(facts) = self.callers.facts(&member.path)? else { return Ok(true) };
        let Some(parent) = facts.symbols.get(member.symbol as usize).and_then(|symbol| symbol.parent) else {
            return Ok(false);
        };
        let mut types = vec![(member.path.clone(), parent)];
        let mut seen: BTreeSet<(RepoPath, u32)> = BTreeSet::new();
        while let Some((path, at)) = types.pop() {
            if !seen.insert((path.clone(), at)) {
                continue;
            }
            let Some(facts) = self.callers.facts(&path)? else { return Ok(true) };
            let of_it = facts.symbols.iter().enumerate().filter(|(_, symbol)| symbol.parent == Some(at));
            let is_other = |number: usize| path != member.path || number != member.symbol as usize;
            let mut named = of_it.filter(|(number, _)| is_other(*number)).map(|(_, symbol)| symbol.name.as_str());
            if seen.len() > TYPES || named.any(|name| name == member.name || CATCH_ALL.contains(&name)) {
                return Ok(true);
            }
            for base in self.shapes(&path, &facts)?.get(at as usize).iter().flat_map(|shape| &shape.bases) {
                let base = base.split(['<', '[', '(', '=']).next().unwrap_or_default().trim();
                let is_of_view =
                    || -> Result<bool, Error> { Ok(!self.view.graph()?.defining_itself(last_name(base))?.is_empty()) };
                match self.definition_of(base, &path)? {
                    Some(found) => types.push(found),
                    None if is_of_view()? => return Ok(true),
                    None if may_provide(&member.language, &base.replace("::", "."), &member.name) => return Ok(true),
                    None => {}
                }
            }
        }
        Ok(false)
    }

    /// The type of the repository that `base` means in the file at `path`, if there is exactly one.
    fn definition_of(&self, base: &str, path: &RepoPath) -> Result<Option<(RepoPath, u32)>, Error> {
        let name = last_name(base);
        let graph = self.view.graph()?;
        let uses = graph.meanings(path, name)?;
        if uses.is_empty() || uses.iter().any(|used| used.meaning != NameMeaning::Known) {
            return Ok(None);
        }
        let definers = graph.defining_itself(name)?;
        let [definer] = definers.as_slice() else { return Ok(None) };
        let Some(facts) = self.callers.facts(definer)? else { return Ok(None) };
        let mut named = (0..facts.symbols.len() as u32).filter(|at| facts.symbols[*at as usize].name == name);
        let (first, second) = (named.next(), named.next());
        Ok(first.filter(|_| second.is_none()).map(|at| (definer.clone(), at)))
    }

    /// Number of parameters of definition number `at` of the file at `path`; `None` if it is not known.
    pub(crate) fn parameters_total(&self, path: &RepoPath, at: u32) -> Result<Option<usize>, Error> {
        let Some(facts) = self.callers.facts(path)? else { return Ok(None) };
        Ok(self.shapes(path, &facts)?.get(at as usize).map(|shape| shape.parameters.len()))
    }

    fn shapes(&self, path: &RepoPath, facts: &Facts) -> Result<Rc<Vec<Shape>>, Error> {
        if let Some(known) = self.shapes.borrow().get(path) {
            return Ok(Rc::clone(known));
        }
        let text = self.view.view.text_at(path)?.filter(|text| text.len() <= TEXT_BYTES_MOST).unwrap_or_default();
        let shapes = Rc::new(icr_lang::compared_text(&facts.language, &text, facts).shapes);
        self.shapes.borrow_mut().insert(path.clone(), Rc::clone(&shapes));
        Ok(shapes)
    }
}

pub(crate) fn last_name(path: &str) -> &str {
    path.rsplit(['.', ':', '\\']).next().unwrap_or_default()
}
