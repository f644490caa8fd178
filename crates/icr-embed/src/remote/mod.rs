//! Vectors from a remote service, or from a server on this machine.
//!
//! Only a call of a [`RemoteEmbedder`] sends anything, and it sends the texts. So one is made only where the user's own
//! configuration says so, never because of a repository's configuration.

mod address;
mod answer;
mod clock;
pub(crate) mod connection;
mod provider;
mod requests;
mod secret;
mod windows;

use std::sync::Arc;
use std::time::Duration;

pub use address::Address;
pub use clock::{Clock, SystemClock};
pub use provider::Provider;
pub use secret::Secret;

use crate::{Descriptor, Embedder, Error, Pooling};
use provider::{EmbeddingRequest, TextRole};
use requests::{Limit, Requests};
use windows::{BYTES_PER_MODEL_TOKEN, windows};

/// Settings of a remote service.
#[derive(Debug, Clone)]
pub struct RemoteOptions {
    /// Kind of service.
    pub provider: Provider,
    /// Address of the service, without the path that the provider adds: `https://api.openai.com/v1`.
    pub address: Address,
    /// Name of the model at the service.
    pub model: String,
    /// Numbers in a vector, 64 to 4,096.
    pub dims: u16,
    /// Whether the service is told to shorten its vectors to `dims`. Many servers refuse to be told.
    pub ask_dims: bool,
    /// Key that is sent with every request; servers on this machine need none.
    pub api_key: Option<Secret>,
    /// Time limit for a question, including all attempts and pauses; at most 5 minutes.
    pub question_limit: Duration,
    /// Time limit for each attempt to embed a batch; at most 5 minutes.
    pub batch_limit: Duration,
    /// Most retries of a request, at most 10: after `429`, `5xx` and lost connections.
    pub retries: u32,
    /// Texts in one request, from 1 to the limit of the provider.
    pub batch: usize,
    /// Model tokens that the model reads at once, at least 32; longer texts are sent in parts. `None` sends them whole.
    pub window: Option<u32>,
    /// Text put before a question.
    pub query_prefix: String,
    /// Text put before a passage.
    pub passage_prefix: String,
    /// Whether unencrypted connections to other machines are allowed. To this machine they always are.
    pub plain_http: bool,
}

impl RemoteOptions {
    /// What is asked unless configured otherwise: 5 s for a question, 30 s for a batch of 128, 3 retries, texts whole.
    pub fn new(provider: Provider, address: Address, model: &str, dims: u16) -> Self {
        Self {
            provider,
            address,
            model: model.to_owned(),
            dims,
            ask_dims: false,
            api_key: None,
            question_limit: Duration::from_secs(5),
            batch_limit: Duration::from_secs(30),
            retries: 3,
            batch: 128,
            window: None,
            query_prefix: String::new(),
            passage_prefix: String::new(),
            plain_http: false,
        }
    }
}

/// An embedder that asks a remote service.
pub struct RemoteEmbedder {
    descriptor: Descriptor,
    options: RemoteOptions,
    requests: Requests,
}

impl RemoteEmbedder {
    /// Checks the options. Nothing is sent.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a setting out of its bounds; [`Error::Remote`] for another machine without encryption where
    /// the options do not allow it.
    pub fn new(options: RemoteOptions) -> Result<Self, Error> {
        Self::with_clock(options, Arc::new(SystemClock::default()))
    }

    /// As [`RemoteEmbedder::new`], with `clock` for the pauses between attempts.
    ///
    /// # Errors
    ///
    /// As [`RemoteEmbedder::new`].
    pub fn with_clock(options: RemoteOptions, clock: Arc<dyn Clock>) -> Result<Self, Error> {
        check(&options)?;
        let address = options.address.join(options.provider.row().path);
        let descriptor = Descriptor {
            name: options.model.clone(),
            revision: format!("{} {address}", options.provider.name()),
            dims: options.dims,
            window: options.window,
            pooling: Pooling::Remote,
            query_prefix: options.query_prefix.clone(),
            passage_prefix: options.passage_prefix.clone(),
        };
        let requests = Requests::new(address, options.api_key.clone(), options.retries, clock);
        Ok(Self { descriptor, options, requests })
    }

    /// The vectors of `texts`, which are one batch and not blank.
    fn batch(&self, texts: &[String], side: TextRole, limit: Limit) -> Result<Vec<Vec<f32>>, Error> {
        let row = self.options.provider.row();
        let dims = self.options.ask_dims.then_some(self.options.dims);
        let body = (row.body)(&EmbeddingRequest { model: &self.options.model, texts, side, dims }).to_string();
        let answer = self.requests.post(body.as_bytes(), limit)?;
        answer::vectors(&answer, row.read, texts.len(), self.options.dims)
            .map_err(|reason| self.requests.error(&reason))
    }

    fn nothing(&self) -> Vec<f32> {
        vec![0.0; usize::from(self.options.dims)]
    }
}

impl Embedder for RemoteEmbedder {
    fn descriptor(&self) -> &Descriptor {
        &self.descriptor
    }

    fn passages(&self, texts: &[&str]) -> Result<Vec<Vec<Vec<f32>>>, Error> {
        let mut asked: Vec<(usize, String)> = Vec::new();
        for (number, text) in texts.iter().enumerate() {
            let parts = windows(text, self.options.window);
            asked.extend(parts.into_iter().map(|part| (number, format!("{}{part}", self.options.passage_prefix))));
        }
        let (numbers, parts): (Vec<usize>, Vec<String>) = asked.into_iter().unzip();
        let mut vectors = vec![Vec::new(); texts.len()];
        let mut done = 0;
        while done < parts.len() {
            let end = done + self.length_of_batch(&parts[done..]);
            let found =
                self.batch(&parts[done..end], TextRole::Passage, Limit::EachAttempt(self.options.batch_limit))?;
            for (number, vector) in numbers[done..end].iter().zip(found) {
                vectors[*number].push(vector);
            }
            done = end;
        }
        // Services refuse blank texts. Their vector is zero without a request.
        for vectors in vectors.iter_mut().filter(|vectors| vectors.is_empty()) {
            vectors.push(self.nothing());
        }
        Ok(vectors)
    }

    fn passages_at_once(&self) -> usize {
        usize::MAX
    }

    fn question(&self, text: &str) -> Result<Vec<f32>, Error> {
        let Some(begin) = windows(text, self.options.window).into_iter().next() else { return Ok(self.nothing()) };
        let text = format!("{}{begin}", self.options.query_prefix);
        let mut vectors = self.batch(&[text], TextRole::Question, Limit::Whole(self.options.question_limit))?;
        Ok(vectors.swap_remove(0))
    }
}

impl RemoteEmbedder {
    /// How many of `parts` go into one request, at least one.
    fn length_of_batch(&self, parts: &[String]) -> usize {
        let bytes_max = self.options.provider.row().model_tokens_max * BYTES_PER_MODEL_TOKEN;
        let mut bytes = 0;
        let fitting = parts.iter().take(self.options.batch).take_while(|part| {
            bytes += part.len();
            bytes <= bytes_max
        });
        fitting.count().max(1)
    }
}

/// Whether every option is within its bounds.
fn check(options: &RemoteOptions) -> Result<(), Error> {
    /// Longest time limit that can be configured.
    const LIMIT_MAX: Duration = Duration::from_secs(300);
    let wrong = |name, reason: String| Err(Error::Setting { name, reason });
    if options.model.trim().is_empty() {
        return wrong("the remote model", "it has no name; set the one that the service knows".to_owned());
    }
    if !(64..=4_096).contains(&options.dims) {
        return wrong("the dimension", format!("it is {}; it can be 64 to 4096", options.dims));
    }
    let texts_max = options.provider.row().texts_max;
    if !(1..=texts_max).contains(&options.batch) {
        return wrong("the batch size", format!("it is {}; it can be 1 to {texts_max}", options.batch));
    }
    if options.retries > 10 {
        return wrong("the number of retries", format!("it is {}; it can be 0 to 10", options.retries));
    }
    if let Some(window) = options.window.filter(|window| *window < 32) {
        return wrong("the window", format!("it is {window} model tokens; it can be 32 or more"));
    }
    for (name, limit) in
        [("the limit of a question", options.question_limit), ("the limit of a batch", options.batch_limit)]
    {
        if limit.is_zero() || limit > LIMIT_MAX {
            return wrong(name, format!("it is {} s; it can be more than 0 and up to 300 s", limit.as_secs_f32()));
        }
    }
    if options.address.is_plain() && !options.address.is_loopback() && !options.plain_http {
        let reason = "texts and keys would go to another machine without encryption; use `https`, or allow plain HTTP";
        return Err(Error::Remote { address: options.address.to_string(), reason: reason.to_owned() });
    }
    Ok(())
}
