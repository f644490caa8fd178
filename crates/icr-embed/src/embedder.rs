//! The interface between texts and embedding models.

use crate::{Descriptor, Error};

/// An embedding model. A vector depends on its text alone, never on the other texts of the same call.
pub trait Embedder: Send + Sync {
    /// The properties of the model that shape its vectors.
    fn descriptor(&self) -> &Descriptor;

    /// The vectors of each text, all of length 1. A text longer than the model's window has one vector for each window;
    /// no text has zero vectors. A text without tokens known to the model gets the zero vector.
    ///
    /// # Errors
    ///
    /// The error of the runtime or of the remote service.
    fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<Vec<f32>>>, Error>;

    /// Best number of passages for one call. A local model gains nothing from large calls, and small ones keep all
    /// processors busy to the end. A remote service costs one wait for each call.
    fn passages_at_once(&self) -> usize {
        4
    }

    /// The vector of a question, of length 1. A question longer than the window gets the vector of its beginning. A
    /// question without tokens known to the model gets the zero vector.
    ///
    /// # Errors
    ///
    /// As [`Embedder::passages`].
    fn question(&self, text: &str) -> Result<Vec<f32>, Error>;
}
