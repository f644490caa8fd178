//! The worth of lines: how likely the user is to need them.

/// Evidence for lines of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinesEvidence {
    /// Score of the file in the search, divided by that of the best file, in `0.0..=1.0`.
    pub file_score: f64,
    /// Match between the lines and the question, divided by that of the best lines of all files, in `0.0..=1.0`.
    pub says: f64,
    /// The part of that match which the rest of the file lacks, divided by that of the best lines of all files, in
    /// `0.0..=1.0`.
    pub says_within: f64,
    /// Match of the lines before and after these, in units of [`LinesEvidence::says`].
    pub neighbours_say: f64,
    /// Score of the best span of the file in the search results that overlaps the lines, divided by that of the best
    /// file; 0 if there is none.
    pub span_score: f64,
    /// Number of stretches of lines in the file. In a file with many, each one is less likely to be meant.
    pub of_file: usize,
    /// The file is of a kind that is seldom the answer, and the question does not ask for that kind.
    pub is_penalised: bool,
}

/// Exponent of the file's score. It was measured on packs of 4,000 tokens in two ways: first, for the messages of 327
/// commits of 16 repositories, the share of what the commit changes that the pack holds; second, the share of the
/// answers that it holds for 127 public questions about one. Without this exponent the pack holds 0.13 and 0.07 less.
/// The weights below were found on half of both sets and rounded. They hold 0.07 and 0.08 more than 50-line windows in
/// the order of file scores and BM25 together. Each weight times 0.7 or 1.4 is within 0.02.
const FILE: f64 = 4.0;

/// Weight of the match itself. Alone it adds 0.01 to the first measure, if files are long and their names say little.
const SAYS: f64 = 1.5;

/// Weight of the match compared with the rest of the file: 0.03 and 0.02 by itself.
const WITHIN: f64 = 2.0;

/// Weight of the lines before and after: 0.01 of the second measure, whose answers are long.
const NEIGHBOURS: f64 = 1.0;

/// Weight of the search's own spans: 0.01 of both measures.
const SPAN: f64 = 0.5;

/// Exponent of the number of stretches in the file: 0.03 and 0.01 of the two measures.
const OF_FILE: f64 = -0.6;

/// Penalty in addition to the one in the file's score: 0.01 of the first measure.
const PENALISED: f64 = -2.5;

/// Smallest share of the best file's score that still makes a difference.
const FILE_LEAST: f64 = 1e-3;

impl LinesEvidence {
    /// Worth of the lines, above 0. It is comparable within one answer only and says nothing about their length.
    pub fn worth(&self) -> f64 {
        let share = |score: f64| if score.is_finite() { score.clamp(0.0, 1.0) } else { 0.0 };
        let penalised = if self.is_penalised { PENALISED } else { 0.0 };
        let sum = FILE * share(self.file_score).max(FILE_LEAST).ln()
            + SAYS * share(self.says)
            + WITHIN * share(self.says_within)
            + NEIGHBOURS * share(self.neighbours_say / 2.0) * 2.0
            + SPAN * share(self.span_score)
            + OF_FILE * (self.of_file.max(1) as f64).ln()
            + penalised;
        sum.exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVIDENCE: LinesEvidence = LinesEvidence {
        file_score: 0.8,
        says: 0.5,
        says_within: 0.5,
        neighbours_say: 0.5,
        span_score: 0.3,
        of_file: 9,
        is_penalised: false,
    };

    #[test]
    fn each_kind_of_evidence_counts_in_its_direction() {
        let worth = EVIDENCE.worth();
        assert!(LinesEvidence { file_score: 0.9, ..EVIDENCE }.worth() > worth);
        assert!(LinesEvidence { says: 0.6, ..EVIDENCE }.worth() > worth);
        assert!(LinesEvidence { says_within: 0.6, ..EVIDENCE }.worth() > worth);
        assert!(LinesEvidence { neighbours_say: 0.6, ..EVIDENCE }.worth() > worth);
        assert!(LinesEvidence { span_score: 0.4, ..EVIDENCE }.worth() > worth);
        assert!(LinesEvidence { of_file: 10, ..EVIDENCE }.worth() < worth);
        assert!(LinesEvidence { is_penalised: true, ..EVIDENCE }.worth() < worth);
    }

    #[test]
    fn any_evidence_has_a_finite_worth() {
        for score in [0.0, -1.0, 2.0, f64::NAN, f64::INFINITY] {
            let evidence = LinesEvidence { file_score: score, says: score, says_within: score, ..EVIDENCE };
            let evidence = LinesEvidence { neighbours_say: score, span_score: score, ..evidence };
            let worth = LinesEvidence { of_file: 0, ..evidence }.worth();
            assert!(worth.is_finite() && worth > 0.0, "{score}: {worth}");
        }
    }
}
