//! Chooses the lines of a pack: pins, the lines with the highest worth, and in any case the first spans of the search.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use crate::candidate::{PackCandidate, PinRank};
use crate::wording::Wording;

use super::render::{Block, also_defined, tokens};
use super::{OmissionReason, OmittedLines, PackRequest};

/// Words in common from which two candidates say the same: forty words with one exchanged.
const NEAR_COPY: f64 = 0.9;

/// Fewest lines of a cut that are worth a heading.
const CUT_LINES_LEAST: usize = 4;

/// Number of candidates that did not fit after which no smaller one is tried.
const MISSES: usize = 10;

/// Shares of the room that are kept for the first span of the search, and for each of the next two, until they are in
/// the pack: one whole definition, and the beginnings of two more. If all three were kept whole, a pack of 2,000 tokens
/// for a commit message would hold 0.02 less of what the commit changes; a pack of 8,000 would lose nothing.
const FIRST_LEAD: f64 = 0.25;
const OTHER_LEAD: f64 = 0.08;

/// Fewest tokens that are kept for such a span: a heading and some lines.
const LEAD_LEAST: u32 = 100;

/// If the first line of such a span costs more than the share of the span, at most this share of the room is kept for
/// it.
const LEAD_LINE: f64 = 0.3;

/// Most omitted candidates that are listed, besides pins: those that a larger budget would show next.
const OMITTED: usize = 20;

/// Most other definitions that are named per file of the pack.
const ALSO_DEFINED: usize = 6;

/// What was decided about the candidates.
pub(super) struct Choice<'a> {
    /// In the order of the pack: pins, newest first, then the other files, best first, each in the order of its lines.
    pub(super) blocks: Vec<Block<'a>>,
    /// Pins and the best other candidates that are not in the pack: pins first, then by worth.
    pub(super) omitted: Vec<OmittedLines<'a>>,
    /// Lines that name other definitions in the files of the pack, within the tokens that are left.
    pub(super) also_defined: String,
    /// Different places among the candidates.
    pub(super) considered: usize,
}

/// Chooses blocks that cost at most `room` tokens together.
pub(super) fn choose<'a>(request: &PackRequest, room: u32, candidates: &'a [PackCandidate]) -> Choice<'a> {
    let mut order: Vec<&PackCandidate> = candidates.iter().collect();
    order.sort_by(|one, other| one.by_worth(other));
    let considered = different_places(&order);
    let mut filling = Filling { request, left: room, chosen: Vec::new(), wordings: Vec::new() };
    let mut omitted = filling.place_pins(&order, room);
    if !request.pinned_only {
        omitted.extend(filling.place_others(&order));
    }
    let chosen = filling.chosen;
    let blocks = blocks(&chosen);
    let also_defined = other_definitions(&order, &blocks, filling.left);
    Choice { blocks, omitted, also_defined, considered }
}

/// A candidate of a pack.
struct ChosenCandidate<'a> {
    block: Block<'a>,
    candidate: &'a PackCandidate,
    tokens: u32,
}

/// A pack that is being filled.
struct Filling<'a, 'r> {
    request: &'r PackRequest,
    left: u32,
    /// In the order in which they were chosen.
    chosen: Vec<ChosenCandidate<'a>>,
    /// The words of these, in the same order.
    wordings: Vec<Wording>,
}

/// A candidate that was neither chosen nor omitted yet.
struct OpenCandidate<'a> {
    candidate: &'a PackCandidate,
    /// The worth, reduced by its similarity to chosen candidates, as far as it was compared.
    worth: f64,
    /// Largest similarity to a chosen candidate, of those that it was compared with.
    redundancy: f64,
    /// Number of chosen candidates that it was compared with.
    compared: usize,
    wording: Option<Wording>,
}

impl<'a> Filling<'a, '_> {
    /// Places the pins: the highest priority first, and of one priority the newest first. A pin that does not fit as a
    /// whole is reduced to the lines that are worth most. Returns the lines that were left out.
    fn place_pins(&mut self, order: &[&'a PackCandidate], room: u32) -> Vec<OmittedLines<'a>> {
        let share = if self.request.pinned_only { room } else { room.min(self.pin_budget()) };
        let others = room - share;
        self.left = share;
        let mut pins: BTreeMap<(std::cmp::Reverse<Option<PinRank>>, &str), Vec<&PackCandidate>> = BTreeMap::new();
        for pin in order.iter().copied().filter(|candidate| candidate.is_pinned()) {
            pins.entry((std::cmp::Reverse(pin.pin), &pin.path)).or_default().push(pin);
        }
        let mut omitted = Vec::new();
        for lines in pins.values() {
            let mut absent: Vec<&PackCandidate> = Vec::new();
            for candidate in lines {
                if !self.is_there(candidate) && !self.place(candidate, Some(CUT_LINES_LEAST)) {
                    absent.push(candidate);
                }
            }
            absent.sort_by_key(|candidate| candidate.start_line);
            omitted.extend(OmittedLines::merge_adjacent(&absent, OmissionReason::PinShare));
        }
        self.left += others;
        omitted
    }

    fn pin_budget(&self) -> u32 {
        (f64::from(self.request.budget_tokens) * self.request.pin_share.clamp(0.0, 1.0)) as u32
    }

    /// Places the best candidates first, with their worth reduced by their similarity to the chosen ones, until nothing
    /// more fits. Then places the first spans of the search that are still missing, in the room that was kept for them.
    fn place_others(&mut self, order: &[&'a PackCandidate]) -> Vec<OmittedLines<'a>> {
        let mut omitted: Vec<OmittedLines<'a>> = Vec::new();
        let found = || order.iter().copied().filter(|candidate| !candidate.is_pinned());
        let mut leads: Vec<&PackCandidate> = found().filter(|candidate| candidate.lead.is_some()).collect();
        leads.sort_by_key(|candidate| candidate.lead);
        let kept: Vec<(&PackCandidate, u32)> =
            leads.into_iter().map(|lead| (lead, kept_for(lead, self.left))).collect();
        let contract =
            |candidate: &PackCandidate| if candidate.is_contract { self.request.contract_factor } else { 1.0 };
        let open = |candidate: &'a PackCandidate| {
            let worth = candidate.counted_worth() * contract(candidate);
            OpenCandidate { candidate, worth, redundancy: 0.0, compared: 0, wording: None }
        };
        let mut heap: BinaryHeap<OpenCandidate<'a>> = found().map(open).collect();
        let mut misses = 0;
        while let Some(mut open) = heap.pop() {
            if self.is_there(open.candidate) {
                continue;
            }
            if let Some(reason) = self.omission_reason(&mut open, misses) {
                // The next candidates are worth less and do not fit either; after copies, there may still be something
                // new.
                let is_full = omitted.len() >= OMITTED;
                if is_full && reason != OmissionReason::NearCopy {
                    break;
                }
                if !is_full {
                    omitted.push(OmittedLines::from_candidate(open.candidate, reason));
                }
                continue;
            }
            let novelty = 1.0 - (1.0 - self.request.lambda.clamp(0.0, 1.0)) * open.redundancy;
            open.worth = open.candidate.counted_worth() * contract(open.candidate) * novelty;
            if heap.peek().is_some_and(|next| next.cmp(&open) == Ordering::Greater) {
                heap.push(open);
            } else {
                let others = kept.iter().filter(|(lead, _)| !std::ptr::eq(*lead, open.candidate));
                let least_lines = (misses == 0).then_some(CUT_LINES_LEAST);
                if !self.place_beside(others, open.candidate, least_lines) {
                    misses += 1;
                    omitted.push(OmittedLines::from_candidate(open.candidate, OmissionReason::Budget));
                }
            }
        }
        for (at, (lead, _)) in kept.iter().enumerate() {
            if !self.is_there(lead) && !self.is_said(lead) {
                self.place_beside(kept[at + 1..].iter(), lead, Some(1));
            }
        }
        omitted.retain(|omitted| !self.is_there(omitted.candidate));
        omitted
    }

    /// Why a candidate is left out when its turn comes; `None` if it should be placed. `misses` counts the candidates that
    /// did not fit so far.
    fn omission_reason(&self, open: &mut OpenCandidate<'a>, misses: usize) -> Option<OmissionReason> {
        if open.worth <= 0.0 {
            Some(OmissionReason::NotRelevant)
        } else if misses == MISSES {
            Some(OmissionReason::Budget)
        } else if self.compare(open) >= NEAR_COPY {
            Some(OmissionReason::NearCopy)
        } else {
            None
        }
    }

    /// As [`Filling::place`], without the room that is kept for `others` that are not there yet.
    fn place_beside<'k>(
        &mut self,
        others: impl Iterator<Item = &'k (&'a PackCandidate, u32)>,
        candidate: &'a PackCandidate,
        least_lines: Option<usize>,
    ) -> bool
    where
        'a: 'k,
    {
        let absent = others.filter(|(lead, _)| !self.is_there(lead));
        let kept = absent.map(|(_, tokens)| tokens).sum::<u32>().min(self.left);
        self.left -= kept;
        let is_placed = self.place(candidate, least_lines);
        self.left += kept;
        is_placed
    }

    /// Whether a chosen candidate is a copy of this one.
    fn is_said(&self, candidate: &PackCandidate) -> bool {
        let wording = Wording::of(&candidate.text);
        self.wordings.iter().any(|chosen| wording.similarity(chosen) >= NEAR_COPY)
    }

    /// Compares a candidate with those that were chosen since the last comparison. Returns its redundancy.
    fn compare(&self, open: &mut OpenCandidate<'a>) -> f64 {
        let wording = open.wording.get_or_insert_with(|| Wording::of(&open.candidate.text));
        let similar = self.wordings[open.compared..].iter().map(|chosen| wording.similarity(chosen));
        open.redundancy = similar.fold(open.redundancy, f64::max);
        open.compared = self.wordings.len();
        open.redundancy
    }

    /// Whether lines of the candidate are in the pack already.
    fn is_there(&self, candidate: &PackCandidate) -> bool {
        self.chosen.iter().any(|chosen| chosen.candidate.overlaps(candidate))
    }

    /// Adds a candidate if it fits, or else its beginning, if that may be shortened to `least_lines`. Returns whether
    /// it was added.
    fn place(&mut self, candidate: &'a PackCandidate, least_lines: Option<usize>) -> bool {
        let whole = Block::from_candidate(candidate);
        let neighbour = self.chosen.iter().position(|chosen| are_neighbours(chosen, candidate));
        // Lines next to lines of the pack need no heading of their own.
        let cost = neighbour.map_or_else(
            || whole.tokens(),
            |at| {
                let other = &self.chosen[at];
                let is_before = other.candidate.start_line < candidate.start_line;
                let (first, second) = if is_before { (&other.block, &whole) } else { (&whole, &other.block) };
                let mut both = first.clone();
                both.extend(second.clone());
                both.tokens().saturating_sub(other.tokens)
            },
        );
        let (block, cost) = if cost <= self.left {
            (whole, cost)
        } else {
            let cut = |lines| Block::beginning(candidate, self.left, lines);
            let Some(block) = least_lines.and_then(cut).filter(|block| block.cut_lines > 0) else { return false };
            let cost = block.tokens();
            (block, cost)
        };
        self.left -= cost;
        self.wordings.push(Wording::of(&candidate.text));
        let tokens = block.tokens();
        self.chosen.push(ChosenCandidate { block, candidate, tokens });
        true
    }
}

/// Tokens that are kept, of `room`, for one of the first spans of the search: its cost, limited to its share.
fn kept_for(lead: &PackCandidate, room: u32) -> u32 {
    let share = if lead.lead == Some(0) { FIRST_LEAD } else { OTHER_LEAD };
    let of_room = |share: f64| (f64::from(room) * share) as u32;
    let first_line = Block::first_line(lead).tokens().min(of_room(LEAD_LINE));
    Block::from_candidate(lead).tokens().min(of_room(share).max(LEAD_LEAST).max(first_line))
}

/// Whether the candidate comes directly after or before the chosen one, so that both form one block.
fn are_neighbours(chosen: &ChosenCandidate<'_>, candidate: &PackCandidate) -> bool {
    let own = chosen.candidate;
    let follows =
        |first: &PackCandidate, second: &PackCandidate| first.end_line.checked_add(1) == Some(second.start_line);
    own.path == candidate.path
        && own.pin == candidate.pin
        && (chosen.block.cut_lines == 0 && follows(own, candidate) || follows(candidate, own))
}

/// The chosen candidates as blocks, in the order of the pack.
fn blocks<'a>(chosen: &[ChosenCandidate<'a>]) -> Vec<Block<'a>> {
    // Files in the order in which they were first chosen.
    let mut files: Vec<(&str, Option<PinRank>)> = Vec::new();
    for one in chosen {
        let file = (one.candidate.path.as_str(), one.candidate.pin);
        if !files.contains(&file) {
            files.push(file);
        }
    }
    let mut blocks: Vec<Block<'a>> = Vec::new();
    for (path, pin) in files {
        let of_file = |one: &&ChosenCandidate<'_>| one.candidate.path == path && one.candidate.pin == pin;
        let mut of_file: Vec<&ChosenCandidate<'a>> = chosen.iter().filter(of_file).collect();
        of_file.sort_by_key(|one| one.candidate.start_line);
        let mut before: Option<(u32, bool)> = None;
        for one in of_file {
            let follows =
                before.is_some_and(|(end, is_cut)| !is_cut && end.checked_add(1) == Some(one.candidate.start_line));
            match blocks.last_mut().filter(|_| follows) {
                Some(block) => block.extend(one.block.clone()),
                None => blocks.push(one.block.clone()),
            }
            before = Some((one.candidate.end_line, one.block.cut_lines > 0));
        }
    }
    blocks
}

/// Lines that name other definitions in the files of the pack, best first, within `left` tokens.
fn other_definitions(order: &[&PackCandidate], blocks: &[Block<'_>], left: u32) -> String {
    let mut files: Vec<&str> = Vec::new();
    for block in blocks {
        let path = block.leader().path.as_str();
        if !files.contains(&path) {
            files.push(path);
        }
    }
    let is_shown =
        |candidate: &PackCandidate| blocks.iter().flat_map(Block::parts).any(|part| part.overlaps(candidate));
    let shown_names: Vec<&str> =
        blocks.iter().flat_map(Block::parts).filter_map(|part| part.symbol.as_deref()).collect();
    let mut all = String::new();
    for path in files {
        let mut definitions: Vec<&PackCandidate> = Vec::new();
        let of_file = order.iter().copied().filter(|candidate| candidate.path == path);
        for candidate in of_file.filter(|candidate| !is_shown(candidate)) {
            let name = candidate.symbol.as_deref().unwrap_or_default();
            let is_named = definitions.iter().any(|other| other.symbol.as_deref() == Some(name));
            if candidate.begins_symbol() && !name.is_empty() && !shown_names.contains(&name) && !is_named {
                definitions.push(candidate);
            }
            if definitions.len() == ALSO_DEFINED {
                break;
            }
        }
        definitions.sort_by_key(|candidate| candidate.start_line);
        let longer = format!("{all}{}", also_defined(path, &definitions));
        if tokens(&longer) <= left {
            all = longer;
        }
    }
    all
}

/// Number of different places that the candidates, in order, have together.
fn different_places(order: &[&PackCandidate]) -> usize {
    let mut places: Vec<_> = order.iter().map(|candidate| candidate.place()).collect();
    places.sort_unstable();
    places.dedup();
    places.len()
}

impl PartialEq for OpenCandidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for OpenCandidate<'_> {}

impl PartialOrd for OpenCandidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The largest one is examined first.
impl Ord for OpenCandidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.worth.total_cmp(&other.worth).then_with(|| other.candidate.by_worth(self.candidate))
    }
}
