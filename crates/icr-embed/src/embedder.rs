//! The seam between texts and the models that read them.

use crate::{Descriptor, Error};

/// A model that gives vectors. A vector depends on its text alone, never on what is asked beside it.
pub trait Embedder: Send + Sync {
    /// What shapes the vectors.
    fn descriptor(&self) -> &Descriptor;

    /// For each text its vectors, each of length 1: one for each window of a model that reads no more at once, never none.
    /// A text that says nothing to the model gives the zero vector.
    ///
    /// # Errors
    ///
    /// What the runtime or the other machine says.
    fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<Vec<f32>>>, Error>;

    /// Passages that are best given together. What is read on this machine costs the same alone, and few at once keep all
    /// processors busy to the end; another machine is waited for once for all that it is given.
    fn passages_at_once(&self) -> usize {
        4
    }

    /// The vector of a question, of length 1; of one longer than the window, the vector of its beginning. The zero vector
    /// for a question that says nothing to the model.
    ///
    /// # Errors
    ///
    /// As [`Embedder::passages`].
    fn question(&self, text: &str) -> Result<Vec<f32>, Error>;
}
