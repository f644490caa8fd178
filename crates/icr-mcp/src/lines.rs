//! Splits bytes into lines, in bounded memory however long a line is.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

use crate::message_id::{MessageId, MessageIdScan};

/// Longest line that is read as a message. The streamable HTTP transport of the protocol's Rust library has the same
/// limit.
pub(crate) const LINE_BYTES_MOST: usize = 16 << 20;

/// One line of the input.
#[derive(Debug, PartialEq)]
pub(crate) enum InputLine {
    /// As it came, without its end.
    Whole(Vec<u8>),
    /// A line longer than [`LINE_BYTES_MOST`]. Its text was dropped; if it is a request, its id is kept.
    TooLong {
        /// Id of the request in the line, if it could be found.
        id: Option<MessageId>,
        /// Length of the line without its end.
        bytes_total: u64,
    },
}

/// Reads lines. The end of the input ends a line as well.
pub(crate) struct LineReader<R> {
    reader: BufReader<R>,
    /// The current line so far.
    line: Vec<u8>,
    /// State of the current line once it is too long.
    overlong: Option<OverlongLine>,
}

/// What is remembered of a line that is too long.
#[derive(Default)]
struct OverlongLine {
    scan: MessageIdScan,
    bytes_total: u64,
}

impl OverlongLine {
    fn take(&mut self, bytes: &[u8]) {
        self.scan.take(bytes);
        self.bytes_total += bytes.len() as u64;
    }
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::new(reader), line: Vec::new(), overlong: None }
    }

    /// The next line; `None` at the end of the input. Nothing is lost when the future is dropped before it is ready.
    ///
    /// # Errors
    ///
    /// Those of the reader.
    pub(crate) async fn next(&mut self) -> io::Result<Option<InputLine>> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                let is_begun = self.overlong.is_some() || !self.line.is_empty();
                return Ok(is_begun.then(|| self.end_line()));
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let text = &available[..newline.unwrap_or(available.len())];
            if let Some(overlong) = &mut self.overlong {
                overlong.take(text);
            } else if self.line.len() + text.len() > LINE_BYTES_MOST {
                let overlong = self.overlong.insert(OverlongLine::default());
                // Releases the memory of the line too: the next one is most likely short.
                overlong.take(&std::mem::take(&mut self.line));
                overlong.take(text);
            } else {
                self.line.extend_from_slice(text);
            }
            let consumed = text.len() + usize::from(newline.is_some());
            self.reader.consume(consumed);
            if newline.is_some() {
                return Ok(Some(self.end_line()));
            }
        }
    }

    fn end_line(&mut self) -> InputLine {
        match self.overlong.take() {
            Some(OverlongLine { scan, bytes_total }) => InputLine::TooLong { id: scan.request_id(), bytes_total },
            None => InputLine::Whole(std::mem::take(&mut self.line)),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt;

    use super::*;

    async fn lines(input: impl AsyncRead + Unpin) -> Vec<InputLine> {
        let mut reader = LineReader::new(input);
        let mut lines = Vec::new();
        while let Some(line) = reader.next().await.expect("memory can be read") {
            lines.push(line);
        }
        lines
    }

    fn whole_line(text: &str) -> InputLine {
        InputLine::Whole(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn the_end_of_the_input_ends_the_last_line() {
        assert_eq!(lines(&b""[..]).await, []);
        assert_eq!(lines(&b"one\n\ntwo\n"[..]).await, [whole_line("one"), whole_line(""), whole_line("two")]);
        assert_eq!(lines(&b"one\ntwo"[..]).await, [whole_line("one"), whole_line("two")]);
    }

    #[tokio::test]
    async fn a_line_of_the_longest_length_is_whole_and_one_byte_more_is_too_long() {
        let longest = vec![b'x'; LINE_BYTES_MOST];
        let input =
            longest.as_slice().chain(&b"\n"[..]).chain(&b"x"[..]).chain(longest.as_slice()).chain(&b"\nnext\n"[..]);
        let bytes_total = LINE_BYTES_MOST as u64 + 1;
        assert_eq!(
            lines(input).await,
            [InputLine::Whole(longest.clone()), InputLine::TooLong { id: None, bytes_total }, whole_line("next")]
        );
    }

    #[tokio::test]
    async fn the_id_of_a_long_request_is_found_on_either_side_of_its_text() {
        let text = vec![b'x'; LINE_BYTES_MOST];
        let before = &b"{\"id\":\"first\",\"method\":\"m\",\"params\":\""[..];
        let after = &b"{\"method\":\"m\",\"params\":\""[..];
        let input =
            before.chain(&text[..]).chain(&b"\"}\n"[..]).chain(after).chain(&text[..]).chain(&b"\",\"id\":7}"[..]);
        let ids: Vec<Option<MessageId>> = lines(input)
            .await
            .into_iter()
            .map(|line| match line {
                InputLine::TooLong { id, .. } => id,
                InputLine::Whole(_) => panic!("both lines are too long"),
            })
            .collect();
        let ids: Vec<_> = ids.iter().flatten().map(MessageId::as_json).collect();
        assert_eq!(ids, [r#""first""#, "7"]);
    }
}
