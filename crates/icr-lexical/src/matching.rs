//! From terms to scored documents: one code path for chunks and paths, on disk and in memory.
//!
//! A score must not depend on how documents are distributed over segments, on deleted documents or on other content of
//! the index. So document frequencies are counted over the live documents of all segments before any document is
//! scored, and the score of a document is summed in the order of the terms, field by field.

use tantivy::schema::Field;

use crate::bm25::{inverse_document_frequency, length_norms, term_score};
use crate::error::Error;
use crate::reader::{LexicalReader, LiveDocuments, live_postings};

/// A scored field, with the number of its tokens in live documents.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScoredField {
    pub(crate) field: Field,
    pub(crate) tokens: u64,
}

/// A live document that has at least one of the terms.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Match<const FIELDS: usize> {
    pub(crate) segment: u32,
    pub(crate) document: u32,
    /// Last term that was counted for this document, so that a term in several fields is counted once.
    last_term: u32,
    /// A bit for each of the first 64 terms.
    pub(crate) matched: u64,
    /// BM25 sum of each field.
    pub(crate) scores: [f64; FIELDS],
}

/// Number of live documents that have a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TermDocuments<const FIELDS: usize> {
    /// Number with the term in any of the fields.
    pub any: u64,
    /// Number with the term in each field.
    pub fields: [u64; FIELDS],
}

/// All live documents with at least one of `terms`, and the number of documents with each term. Term `i` has the weight
/// `weights[i]`; terms beyond the end have the weight 1.
pub(crate) fn matches<const FIELDS: usize>(
    reader: &LexicalReader,
    live: &[LiveDocuments],
    documents: u64,
    fields: [ScoredField; FIELDS],
    terms: &[String],
    weights: &[f64],
) -> Result<(Vec<Match<FIELDS>>, Vec<TermDocuments<FIELDS>>), Error> {
    let norms =
        fields.map(|field| length_norms(documents, field.tokens, tantivy::fieldnorm::FieldNormReader::id_to_fieldnorm));
    let mut found = MatchedDocuments::new(reader);
    let mut counts = Vec::with_capacity(terms.len());
    let mut postings = Vec::new();
    for (term_no, term) in terms.iter().enumerate() {
        let weight = weights.get(term_no).copied().unwrap_or(1.0);
        let mut count = TermDocuments { any: 0, fields: [0; FIELDS] };
        for (at, field) in fields.iter().enumerate() {
            read_postings(reader, live, field.field, term, &mut postings)?;
            count.fields[at] = postings.len() as u64;
            let rarity = inverse_document_frequency(documents, count.fields[at]);
            for posting in &postings {
                let document = found.document(posting.segment, posting.document);
                let norm = norms[at][usize::from(posting.length_id)];
                document.scores[at] += weight * term_score(rarity, posting.frequency, norm);
                if document.last_term != term_no as u32 {
                    document.last_term = term_no as u32;
                    document.matched |= 1_u64.checked_shl(term_no as u32).unwrap_or(0);
                    count.any += 1;
                }
            }
        }
        counts.push(count);
    }
    Ok((found.matches, counts))
}

/// The `limit` highest of `ranked`, and all others that tie with the last of them, highest first.
///
/// The selection depends on the ranks alone; callers break ties by properties of the documents.
pub(crate) fn highest<T>(mut ranked: Vec<(f64, T)>, limit: usize) -> Vec<(f64, T)> {
    let Some(last) = limit.checked_sub(1) else { return Vec::new() };
    if ranked.len() > limit {
        let (_, (threshold, _), _) = ranked.select_nth_unstable_by(last, |left, right| right.0.total_cmp(&left.0));
        let threshold = *threshold;
        ranked.retain(|(rank, _)| rank.total_cmp(&threshold).is_ge());
    }
    ranked.sort_by(|left, right| right.0.total_cmp(&left.0));
    ranked
}

/// One posting of a term in a live document.
struct Posting {
    segment: u32,
    document: u32,
    frequency: u32,
    /// Length of the field in the document, rounded by the index to one of 256 values.
    length_id: u8,
}

/// Replaces the content of `postings` by the postings of `term` in `field` in live documents, over all segments.
fn read_postings(
    reader: &LexicalReader,
    live: &[LiveDocuments],
    field: Field,
    term: &str,
    postings: &mut Vec<Posting>,
) -> Result<(), Error> {
    postings.clear();
    for (segment_no, (segment, live)) in reader.segments.iter().zip(live).enumerate() {
        if live.count() == 0 {
            continue;
        }
        segment.reading("reading postings", |reader| {
            let lengths = reader.get_fieldnorms_reader(field)?;
            live_postings(reader, field, term, live, |document, frequency| {
                let length_id = lengths.fieldnorm_id(document);
                postings.push(Posting { segment: segment_no as u32, document, frequency, length_id });
            })
        })?;
    }
    Ok(())
}

/// Matches in order of their first term, with an index from documents to matches.
struct MatchedDocuments<const FIELDS: usize> {
    matches: Vec<Match<FIELDS>>,
    /// For each segment and document one more than the index of its match; 0 if it has none.
    places: Vec<Vec<u32>>,
}

impl<const FIELDS: usize> MatchedDocuments<FIELDS> {
    fn new(reader: &LexicalReader) -> Self {
        // Fresh zeroed pages take no memory until a document on them matches.
        let places = reader.segments.iter().map(|segment| vec![0; segment.documents_total()]).collect();
        Self { matches: Vec::new(), places }
    }

    #[inline]
    fn document(&mut self, segment: u32, document: u32) -> &mut Match<FIELDS> {
        let place = &mut self.places[segment as usize][document as usize];
        if *place == 0 {
            self.matches.push(Match { segment, document, last_term: u32::MAX, matched: 0, scores: [0.0; FIELDS] });
            *place = self.matches.len() as u32;
        }
        &mut self.matches[*place as usize - 1]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_come_with_all_that_tie_with_the_last() {
        let ranked = || [3.0, 1.0, 2.0, 2.0, 5.0, 2.0].into_iter().zip("abcdef".chars()).collect::<Vec<_>>();
        let letters = |limit| {
            let mut kept: String = highest(ranked(), limit).into_iter().map(|(_, letter)| letter).collect();
            // The order among equal ranks is not part of the result.
            let mut tied: Vec<char> = kept.split_off(kept.len().min(2)).chars().collect();
            tied.sort_unstable();
            kept.extend(tied);
            kept
        };
        for (limit, expected) in
            [(0, ""), (1, "e"), (2, "ea"), (3, "eacdf"), (5, "eacdf"), (6, "eabcdf"), (99, "eabcdf")]
        {
            assert_eq!(letters(limit), expected, "limit {limit}");
        }
    }
}
