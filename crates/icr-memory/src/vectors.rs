//! Stores vectors of memories as bytes, and compares them with the vector of a question.

use std::cell::RefCell;

use rusqlite::{Connection, OptionalExtension, params};

use crate::listing::NUMBER_MOST;
use crate::{Error, TextEmbedder};

/// Bytes of the scale at the beginning of a row, before its components.
const SCALE_BYTES: usize = 4;

/// Largest absolute value of a component.
const GREATEST: f32 = 127.0;

/// Writes the vector of a memory, and returns whether it has one: a text of which the model knows no word has none.
pub(crate) fn write_vector(
    connection: &Connection,
    embedder: &dyn TextEmbedder,
    no: i64,
    text: &str,
) -> Result<bool, Error> {
    let vector = embedder.embed(text);
    let space = match space_of(connection, embedder)? {
        Some(space) => space,
        None => {
            let add = "INSERT INTO spaces (name, dimensions) VALUES (?1, ?2)";
            connection.prepare_cached(add)?.insert(params![embedder.space(), embedder.dimensions() as i64])?
        }
    };
    let row = encoded(&vector);
    // An empty row means that there is no vector. Its change number tells processes with a cached vector to drop it.
    let write = "INSERT OR REPLACE INTO vectors (space, no, row) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(write)?.execute(params![space, no, row.as_deref().unwrap_or_default()])?;
    Ok(row.is_some())
}

/// Empties the vectors of a memory in all spaces, so that processes with cached vectors notice it.
pub(crate) fn empty_vectors(connection: &Connection, no: i64) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO vectors (space, no, row) SELECT space, no, x'' FROM vectors WHERE no = ?1 AND length(row) > 0";
    connection.prepare_cached(sql)?.execute([no]).map(drop)
}

/// The number of the embedder's space; `None` if no vector was ever stored in it.
pub(crate) fn space_of(connection: &Connection, embedder: &dyn TextEmbedder) -> Result<Option<i64>, Error> {
    let sql = "SELECT no FROM spaces WHERE name = ?1 AND dimensions = ?2";
    let values = params![embedder.space(), embedder.dimensions() as i64];
    Ok(connection.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?)
}

/// The vector of a memory; `None` if it has none in that space.
pub(crate) fn vector_of(connection: &Connection, space: i64, no: i64) -> Result<Option<Vec<f32>>, Error> {
    let sql = "SELECT row FROM vectors WHERE space = ?1 AND no = ?2";
    let row = connection.prepare_cached(sql)?.query_row([space, no], |row| row.get::<_, Vec<u8>>(0)).optional()?;
    Ok(row.and_then(|row| {
        let (scale, components) = split(&row)?;
        Some(components.iter().map(|byte| f32::from(*byte as i8) * scale).collect())
    }))
}

/// A process's cache of the vectors of one space. Each question first reads the vectors that were written since the
/// last one.
#[derive(Debug, Default)]
pub(crate) struct VectorCache {
    held: RefCell<HeldVectors>,
}

#[derive(Debug, Default)]
struct HeldVectors {
    space: i64,
    dimensions: usize,
    /// Number of the newest change that was read.
    change: i64,
    /// Scale of each vector, by row number of the memory; 0 if there is no vector.
    scales: Vec<f32>,
    /// Components of each vector, by row number of the memory; `dimensions` bytes each.
    components: Vec<i8>,
}

impl VectorCache {
    /// The cosine of each memory's vector with the vector of the question, by row number; 0 for a memory without a
    /// vector. Empty if the model knows no word of the question, or if the space has no vectors.
    pub(crate) fn cosines(
        &self,
        connection: &Connection,
        embedder: &dyn TextEmbedder,
        question: &str,
    ) -> Result<Vec<f32>, Error> {
        let Some(space) = space_of(connection, embedder)? else { return Ok(Vec::new()) };
        let Some(row) = encoded(&embedder.embed(question)) else { return Ok(Vec::new()) };
        let Some((scale, components)) = split(&row) else { return Ok(Vec::new()) };
        let question: Vec<i8> = components.iter().map(|byte| *byte as i8).collect();
        let mut held = self.held.borrow_mut();
        held.refresh(connection, space, embedder.dimensions())?;
        let mut cosines = vec![0.0; held.scales.len()];
        products(&question, &held.components, &mut cosines);
        for (cosine, of_memory) in cosines.iter_mut().zip(&held.scales) {
            *cosine *= scale * of_memory;
        }
        Ok(cosines)
    }
}

impl HeldVectors {
    fn refresh(&mut self, connection: &Connection, space: i64, dimensions: usize) -> Result<(), Error> {
        if (self.space, self.dimensions) != (space, dimensions) {
            *self = Self { space, dimensions, ..Self::default() };
        }
        let sql = "SELECT change, no, row FROM vectors WHERE change > ?1 AND space = ?2 ORDER BY change";
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([self.change, space])?;
        while let Some(row) = rows.next()? {
            let (change, no): (i64, i64) = (row.get(0)?, row.get(1)?);
            self.change = change;
            let bytes = row.get_ref(2)?.as_blob().unwrap_or_default();
            let Some(at) = usize::try_from(no).ok().filter(|_| no <= NUMBER_MOST) else { continue };
            let Some((scale, components)) = split(bytes).filter(|(_, components)| components.len() == dimensions)
            else {
                if let Some(scale) = self.scales.get_mut(at) {
                    *scale = 0.0;
                }
                continue;
            };
            if at >= self.scales.len() {
                self.scales.resize(at + 1, 0.0);
                self.components.resize((at + 1) * dimensions, 0);
            }
            self.scales[at] = scale;
            let place = &mut self.components[at * dimensions..(at + 1) * dimensions];
            place.iter_mut().zip(components).for_each(|(to, from)| *to = *from as i8);
        }
        Ok(())
    }
}

/// A vector as bytes; `None` if it is zero or not finite.
fn encoded(vector: &[f32]) -> Option<Vec<u8>> {
    let greatest = vector.iter().fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
    if !(greatest > 0.0 && greatest.is_finite()) {
        return None;
    }
    let scale = greatest / GREATEST;
    let mut row = Vec::with_capacity(SCALE_BYTES + vector.len());
    row.extend(scale.to_le_bytes());
    row.extend(vector.iter().map(|value| (value / scale).round() as i8 as u8));
    Some(row)
}

fn split(row: &[u8]) -> Option<(f32, &[u8])> {
    let (scale, components) = row.split_at_checked(SCALE_BYTES)?;
    let scale = f32::from_le_bytes(scale.try_into().ok()?);
    scale.is_finite().then_some((scale, components))
}

/// The dot products of `question` with each row of `rows`; the rows are as long as `question`.
fn products(question: &[i8], rows: &[i8], products: &mut [f32]) {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        // SAFETY: the processor has AVX2, which was asked just now.
        unsafe { products_avx2(question, rows, products) };
        return;
    }
    products_of(question, rows, products);
}

/// The same code, compiled for processors that multiply sixteen pairs at once.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn products_avx2(question: &[i8], rows: &[i8], products: &mut [f32]) {
    products_of(question, rows, products);
}

#[inline(always)]
fn products_of(question: &[i8], rows: &[i8], products: &mut [f32]) {
    for (row, product) in rows.chunks_exact(question.len()).zip(products) {
        let sum: i32 = question.iter().zip(row).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum();
        *product = sum as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_is_nearly_itself_after_it_was_kept() {
        let vector: Vec<f32> = (0..256).map(|at| (at as f32).sin() / 11.3).collect();
        let row = encoded(&vector).unwrap();
        let (scale, components) = split(&row).unwrap();
        for (component, value) in components.iter().zip(&vector) {
            assert!((f32::from(*component as i8) * scale - value).abs() <= scale / 2.0 + 1e-6);
        }
        assert_eq!(encoded(&[0.0; 4]), None);
        assert_eq!(encoded(&[f32::NAN, f32::INFINITY]), None);
        assert_eq!(split(&[1, 2]), None);
    }

    #[test]
    fn products_are_the_same_with_and_without_wide_instructions() {
        let number = |at: usize| ((at * 7919 + at / 3) % 255) as i32 - 127;
        let question: Vec<i8> = (0..256).map(|at| number(at) as i8).collect();
        let rows: Vec<i8> = (0..256 * 9).map(|at| number(at + 5) as i8).collect();
        let (mut wide, mut plain) = (vec![0.0; 9], vec![0.0; 9]);
        products(&question, &rows, &mut wide);
        products_of(&question, &rows, &mut plain);
        assert_eq!(wide, plain);
        let expected: i32 = question.iter().zip(&rows).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        assert_eq!(wide[0], expected as f32);
    }
}
