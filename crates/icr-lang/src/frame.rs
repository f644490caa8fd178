//! The state that the walk keeps for each open node.

use icr_model::{Contract, Span, Visibility};

use crate::access_paths::DeclarationPart;
use crate::definitions::NONE;
use crate::grammar::flag;

/// Comments and annotations directly before a node, as byte offsets.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeadingTrivia {
    /// First byte; [`NONE`] if there are none.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Range of the doc comments; empty if there are none.
    pub(crate) doc_start: u32,
    pub(crate) doc_end: u32,
    /// First annotation; [`NONE`] if there is none.
    pub(crate) annotation: u32,
}

/// No comment or annotation before the node.
pub(crate) const NO_LEAD: LeadingTrivia =
    LeadingTrivia { start: NONE, end: 0, doc_start: 0, doc_end: 0, annotation: NONE };

/// An open node, with the state that its children need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    pub(crate) kind: u16,
    /// Field in its parent, if some path pattern needs it.
    pub(crate) field: u16,
    pub(crate) flags: u32,
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Comments and annotations before the node.
    pub(crate) lead: LeadingTrivia,
    /// Comments and annotations before its next child.
    pub(crate) pending: LeadingTrivia,
    /// End of its last child; the start of the node if it has none.
    pub(crate) previous_end: u32,
    /// End of the last content that is not a comment, also inside its last child; the start of the node if there is
    /// none.
    pub(crate) content_end: u32,
    /// Whether the last child was a comment.
    pub(crate) after_comment: bool,
    /// First of the annotations at the end of the children so far; [`NONE`] if the last child was not an annotation.
    pub(crate) annotation: u32,
    /// First byte after the annotations among the children; [`NONE`] if there are none.
    pub(crate) behind_annotations: u32,
    /// Definitions of the node itself: a range of indices.
    pub(crate) own: (u32, u32),
    /// First definition of its last child that is not a comment; [`NONE`] if that child is not a definition.
    pub(crate) previous: u32,
    /// The node's own definition, else the innermost definition around it.
    pub(crate) symbol: u32,
    /// Whether it is inside a function in that definition.
    pub(crate) local: bool,
    pub(crate) in_error: bool,
    pub(crate) only_child: bool,
    /// Import statement around the node.
    pub(crate) statement: u32,
    /// Prefix of the import tree around the node.
    pub(crate) scope: u32,
    /// Declared name of the file (package, module) that inner names are joined to.
    pub(crate) provided: u32,
    /// Contract that a wrapper gives to its content.
    pub(crate) contract: Option<Contract>,
    /// For a function: the mark to pass to [`crate::occurrences::Occurrences::end_function`].
    pub(crate) function: u32,
    /// Visibility of the following members, in languages with visibility sections.
    pub(crate) section: Option<Visibility>,
    /// What the node says about the node around it.
    pub(crate) part: DeclarationPart,
}

impl Frame {
    /// The frame of a node with that position and kind, inside `outer`.
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

/// The place of a definition among others.
pub(crate) struct DefinitionContext {
    pub(crate) span: Span,
    pub(crate) signature_start: u32,
    pub(crate) lead: LeadingTrivia,
    pub(crate) exported: bool,
    /// Visibility from the section of members around it.
    pub(crate) visibility: Option<Visibility>,
    pub(crate) contract: Option<Contract>,
}

impl DefinitionContext {
    /// The place of the definition at `frame` below the open frames, including wrappers.
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

    /// The place of a definition that is inside nothing.
    pub(crate) fn bare(span: Span) -> Self {
        Self { span, signature_start: span.start, lead: NO_LEAD, exported: false, visibility: None, contract: None }
    }
}
