//! What the walk keeps of the nodes around it.

use icr_model::{Contract, Span, Visibility};

use crate::access_paths::DeclarationPart;
use crate::definitions::NONE;
use crate::grammar::flag;

/// Comments and annotations right before a node, as byte offsets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeadingTrivia {
    /// First byte; [`NONE`] when nothing stands there.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Doc comments; empty when none.
    pub(crate) doc_start: u32,
    pub(crate) doc_end: u32,
    /// First annotation; [`NONE`] when none.
    pub(crate) annotation: u32,
}

/// Nothing stands before.
pub(crate) const NO_LEAD: LeadingTrivia =
    LeadingTrivia { start: NONE, end: 0, doc_start: 0, doc_end: 0, annotation: NONE };

/// An open node: what its children need to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) kind: u16,
    /// Field in its parent, where some path pattern asks for it.
    pub(crate) field: u16,
    pub(crate) flags: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// What stood before the node.
    pub(crate) lead: LeadingTrivia,
    /// What stands before its next child.
    pub(crate) pending: LeadingTrivia,
    /// End of its last child; its own start before any.
    pub(crate) previous_end: u32,
    /// End of the last that is no comment, within its last child too; its own start before any.
    pub(crate) content_end: u32,
    /// The last child was a comment.
    pub(crate) after_comment: bool,
    /// First of the annotations that were the last children; [`NONE`] when the last child was none.
    pub(crate) annotation: u32,
    /// First byte behind annotations among the children; [`NONE`] without any.
    pub(crate) behind_annotations: u32,
    /// Definitions that the node is: a range of indices.
    pub(crate) own: (u32, u32),
    /// First definition that its last child is that is no comment; [`NONE`] when that is none.
    pub(crate) previous: u32,
    /// Innermost definition that the node is or stands in.
    pub(crate) symbol: u32,
    /// In a function that stands in that definition.
    pub(crate) local: bool,
    pub(crate) in_error: bool,
    pub(crate) only_child: bool,
    /// Import statement around the node.
    pub(crate) statement: u32,
    /// Prefix of the import tree around the node.
    pub(crate) scope: u32,
    /// Name of the file that names inside are joined to.
    pub(crate) provided: u32,
    /// Contract that a wrapper claims for what it holds.
    pub(crate) contract: Option<Contract>,
    /// Mark of the function that the node is.
    pub(crate) function: u32,
    /// Visibility of members from here on, where sections say it.
    pub(crate) section: Option<Visibility>,
    /// What it says of the node around it.
    pub(crate) part: DeclarationPart,
}

impl Frame {
    /// The frame of a node of that place and kind under `outer`.
    pub(crate) fn open(outer: Option<&Frame>, kind: u16, flags: u32, span: Span, lead: LeadingTrivia) -> Self {
        let keeps_own = flags & flag::VISIBILITY != 0;
        let leaves_section = flags & flag::PUBLIC != 0 && flags & flag::WRAPPER == 0;
        Self {
            kind,
            field: 0,
            flags,
            start: span.start,
            end: span.end,
            lead,
            pending: NO_LEAD,
            previous_end: span.start,
            content_end: span.start,
            after_comment: false,
            annotation: NONE,
            behind_annotations: NONE,
            own: outer.filter(|_| keeps_own).map_or((0, 0), |outer| outer.own),
            previous: NONE,
            symbol: outer.map_or(NONE, |outer| outer.symbol),
            local: outer.is_some_and(|outer| outer.local),
            in_error: outer.is_some_and(|outer| outer.in_error),
            only_child: false,
            statement: outer.map_or(NONE, |outer| outer.statement),
            scope: outer.map_or(NONE, |outer| outer.scope),
            provided: outer.map_or(NONE, |outer| outer.provided),
            contract: None,
            function: NONE,
            part: DeclarationPart::Nothing,
            section: if leaves_section { Some(Visibility::Public) } else { outer.and_then(|outer| outer.section) },
        }
    }
}

/// Where a definition stands.
pub(crate) struct DefinitionContext {
    pub(crate) span: Span,
    pub(crate) signature_start: u32,
    pub(crate) lead: LeadingTrivia,
    pub(crate) exported: bool,
    /// That of the section of members around it.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) contract: Option<Contract>,
}

impl DefinitionContext {
    /// The place of the definition at `frame` under the open frames, with the wrappers among them.
    pub(crate) fn of(frame: &Frame, open: &[Frame]) -> Self {
        let mut place =
            Self { lead: frame.lead, visibility: frame.section, ..Self::bare(Span::new(frame.start, frame.end)) };
        let mut signature_grows = true;
        for wrapper in open.iter().rev() {
            let single = wrapper.flags & flag::WRAPPER_SINGLE != 0 && wrapper.only_child;
            if wrapper.flags & flag::WRAPPER == 0 && !single {
                break;
            }
            place.span = Span::new(wrapper.start, wrapper.end.max(place.span.end));
            place.exported |= wrapper.flags & flag::PUBLIC != 0;
            place.contract = place.contract.or(wrapper.contract);
            if wrapper.lead.start != NONE {
                place.lead = wrapper.lead;
            }
            let annotated = wrapper.behind_annotations != NONE;
            place.signature_start = match (signature_grows, annotated) {
                (true, true) => wrapper.behind_annotations,
                (true, false) => wrapper.start,
                (false, _) => place.signature_start,
            };
            signature_grows &= !annotated;
        }
        place
    }

    /// The place of a definition with nothing around it.
    pub(crate) fn bare(span: Span) -> Self {
        Self { span, signature_start: span.start, lead: NO_LEAD, exported: false, visibility: None, contract: None }
    }
}
