//! Which candidates stand in a pack: pins, then the best choice, then what fits into what is left.

use crate::candidate::{Candidate, Cosine};
use crate::knapsack::{Item, fill_budget};
use crate::mmr::{Selected, Wording, distinct_places, diversify, text_similarity};

use super::render::Piece;
use super::{OmissionReason, PackRequest};

/// What redundancy takes at most.
const REDUNDANCY_SHARE: f64 = 0.5;

/// Words in common, or lines, from which two candidates say the same: forty words with one exchanged.
const NEAR_COPY: f64 = 0.9;

/// Fewest lines of a cut that are worth a heading.
const CUT_LINES_LEAST: usize = 4;

/// What was decided about each candidate.
pub(super) struct Choice<'a> {
    /// In the order of the pack.
    pub(super) pieces: Vec<Piece<'a>>,
    /// Of the pins and the `k` best: pins first, then by relevance and novelty.
    pub(super) omitted: Vec<(&'a Candidate, OmissionReason)>,
    /// Different places among the candidates.
    pub(super) considered: usize,
}

/// Chooses blocks that cost at most `room` tokens together.
pub(super) fn choose<'a>(
    request: &PackRequest,
    room: u32,
    candidates: &'a [Candidate],
    cosine: &Cosine<'_>,
) -> Choice<'a> {
    let distinct: Vec<&Candidate> = distinct_places(candidates).into_iter().map(|place| &candidates[place]).collect();
    let considered = distinct.len();
    let (mut pins, others): (Vec<_>, Vec<_>) = distinct.into_iter().partition(|candidate| candidate.is_pinned());
    pins.sort_by(|a, b| a.by_pin(b));
    let share = if request.pinned_only { room } else { room.min(pin_budget(request)) };
    let (mut pieces, mut omitted) = place_pins(&pins, share);
    if !request.pinned_only {
        let left = room - pieces.iter().map(Piece::tokens).sum::<u32>();
        let rest = Rest::of(request, &others, &pieces, left, cosine);
        let (chosen, left_out) = rest.chosen();
        pieces.extend(chosen);
        omitted.extend(left_out);
    }
    Choice { pieces, omitted, considered }
}

/// Tokens that pins may take beside others.
fn pin_budget(request: &PackRequest) -> u32 {
    (f64::from(request.budget_tokens) * request.pin_share.clamp(0.0, 1.0)) as u32
}

/// Newest first, each whole where it fits and cut where only a part of it does.
fn place_pins<'a>(pins: &[&'a Candidate], share: u32) -> (Vec<Piece<'a>>, Vec<(&'a Candidate, OmissionReason)>) {
    let (mut pieces, mut omitted) = (Vec::new(), Vec::new());
    let mut left = share;
    for pin in pins {
        match Piece::beginning(pin, left, CUT_LINES_LEAST) {
            Some(piece) => {
                left -= piece.tokens();
                pieces.push(piece);
            }
            None => omitted.push((*pin, OmissionReason::PinShare)),
        }
    }
    (pieces, omitted)
}

/// Candidates that are not pinned, in the order of relevance and novelty.
struct Rest<'a> {
    rows: Vec<Row<'a>>,
    left: u32,
}

struct Row<'a> {
    candidate: &'a Candidate,
    /// By its score, what it is and what stands before it.
    value: f64,
    /// The row, before this one, that says the same.
    copied: Option<Copied>,
    decided: Option<Piece<'a>>,
}

#[derive(Clone, Copy)]
enum Copied {
    Pin,
    Row(usize),
}

impl<'a> Rest<'a> {
    fn of(request: &PackRequest, others: &[&'a Candidate], pins: &[Piece<'a>], left: u32, cosine: &Cosine<'_>) -> Self {
        let seeds: Vec<&Candidate> = pins.iter().map(|piece| piece.candidate).collect();
        let selected = diversify(others, &seeds, request.k, request.lambda, cosine);
        let seed_wordings: Vec<Wording> = seeds.iter().map(|seed| Wording::of(seed)).collect();
        let mut wordings: Vec<Wording> = Vec::new();
        let mut rows: Vec<Row<'a>> = Vec::new();
        for Selected { index, redundancy } in selected {
            let candidate = others[index];
            let wording = Wording::of(candidate);
            let is_alike =
                |other: &Wording, place: &Candidate| text_similarity(&wording, other, (candidate, place)) >= NEAR_COPY;
            let pin = (0..seeds.len()).find(|at| is_alike(&seed_wordings[*at], seeds[*at]));
            let row = (0..rows.len()).find(|at| is_alike(&wordings[*at], rows[*at].candidate));
            let copied = pin.map(|_| Copied::Pin).or(row.map(Copied::Row));
            wordings.push(wording);
            let contract = if candidate.is_contract { request.contract_factor } else { 1.0 };
            let value = candidate.relevance() * contract * (1.0 - REDUNDANCY_SHARE * redundancy);
            rows.push(Row { candidate, value, copied, decided: None });
        }
        Self { rows, left }
    }

    fn chosen(mut self) -> (Vec<Piece<'a>>, Vec<(&'a Candidate, OmissionReason)>) {
        self.choose_exactly();
        self.let_copies_stand_in();
        self.cut_one();
        let omitted = (0..self.rows.len()).filter(|at| self.rows[*at].decided.is_none());
        let omitted = omitted.map(|at| (self.rows[at].candidate, self.reason(at))).collect();
        (self.rows.into_iter().filter_map(|row| row.decided).collect(), omitted)
    }

    /// What is longer than all the room takes part with its beginning, and is worth that part of its value.
    fn choose_exactly(&mut self) {
        let left = self.left;
        let offered = self.rows.iter().map(|row| {
            let piece = Piece::beginning(row.candidate, left, CUT_LINES_LEAST).filter(|_| row.copied.is_none())?;
            let kept = f64::from(piece.tokens()) / f64::from(Piece::whole(row.candidate).tokens().max(1));
            Some((piece, row.value * kept.min(1.0)))
        });
        let (rows, offered): (Vec<usize>, Vec<_>) =
            offered.enumerate().filter_map(|(at, offer)| offer.map(|offer| (at, offer))).unzip();
        let items: Vec<Item> =
            offered.iter().map(|(piece, value)| Item { value: *value, tokens: piece.tokens() }).collect();
        for chosen in fill_budget(&items, left) {
            self.decide(rows[chosen], offered[chosen].0);
        }
    }

    /// A copy whose original was too long, or not worth its length, says the same in its place.
    fn let_copies_stand_in(&mut self) {
        for at in 0..self.rows.len() {
            if let Some(Copied::Row(original)) = self.rows[at].copied
                && !self.is_said(original)
                && self.rows[at].candidate.relevance() > 0.0
            {
                let piece = Piece::whole(self.rows[at].candidate);
                if piece.tokens() <= self.left {
                    self.decide(at, piece);
                }
            }
        }
    }

    /// The best of what was left out fills what is left with its beginning.
    fn cut_one(&mut self) {
        let open = (0..self.rows.len()).filter(|at| self.rows[*at].decided.is_none());
        let mut beginnings = open.filter(|at| self.reason(*at) == OmissionReason::Budget).filter_map(|at| {
            Piece::beginning(self.rows[at].candidate, self.left, CUT_LINES_LEAST).map(|piece| (at, piece))
        });
        if let Some((at, piece)) = beginnings.next() {
            self.decide(at, piece);
        }
    }

    fn decide(&mut self, at: usize, piece: Piece<'a>) {
        self.left -= piece.tokens();
        self.rows[at].decided = Some(piece);
    }

    /// Whether a row, or what it copies or what copies it, stands in the pack.
    fn is_said(&self, original: usize) -> bool {
        let says_it = |row: &Row<'_>| matches!(row.copied, Some(Copied::Row(at)) if at == original);
        self.rows[original].decided.is_some()
            || self.rows.iter().any(|row| row.decided.is_some() && says_it(row))
            || match self.rows[original].copied {
                None => false,
                Some(Copied::Pin) => true,
                Some(Copied::Row(before)) => self.is_said(before),
            }
    }

    fn reason(&self, at: usize) -> OmissionReason {
        let row = &self.rows[at];
        let is_said = match row.copied {
            Some(Copied::Pin) => true,
            Some(Copied::Row(original)) => self.is_said(original),
            None => self.is_said(at),
        };
        if is_said {
            OmissionReason::NearCopy
        } else if row.candidate.relevance() <= 0.0 {
            OmissionReason::NotRelevant
        } else {
            OmissionReason::Budget
        }
    }
}
