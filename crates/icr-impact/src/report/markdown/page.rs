//! A page that never grows beyond a limit, and is never cut inside of anything.

use std::ops::{Add, Sub};

use super::super::Limit;
use super::super::words::MAX_ROWS;

/// Markdown that is added to in whole pieces while there is room.
pub(super) struct Page {
    text: String,
    /// Room that is left.
    room: Size,
    /// Titles of what found no room.
    left_out: Vec<&'static str>,
    /// What ends the page; `None` when there is no room for an ending.
    footer: Option<String>,
}

/// How long a text is, in what hosts count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    characters: usize,
    bytes: usize,
}

/// Largest size of the line that lists the titles of sections that did not fit; all titles together are shorter.
const ROOM_FOR_LEFT_OUT: usize = 500;

impl Page {
    /// An empty page, with room for `footer` and for what was left out, unless these would take half of it.
    pub(super) fn new(limit: &Limit, footer: &str) -> Self {
        let limit = Size { characters: limit.characters.max(200), bytes: limit.bytes.max(200) };
        let ending = Size::of(footer) + Size { characters: ROOM_FOR_LEFT_OUT, bytes: ROOM_FOR_LEFT_OUT };
        let has_ending = (ending + ending).fits(limit);
        let room = if has_ending { limit - ending } else { limit };
        Self { text: String::new(), room, left_out: Vec::new(), footer: has_ending.then(|| footer.to_owned()) }
    }

    /// Adds all of `piece`, or nothing of it when there is no room.
    pub(super) fn add(&mut self, piece: &str) -> bool {
        let fits = Size::of(piece).fits(self.room);
        if fits {
            self.text.push_str(piece);
            self.room = self.room - Size::of(piece);
        }
        fits
    }

    /// Adds `piece`, or remembers that it was left out.
    pub(super) fn section(&mut self, title: &'static str, piece: &str) {
        if !self.add(piece) {
            self.left_out.push(title);
        }
    }

    /// Adds a table of as many of the first `rows` as there is room for, at most [`MAX_ROWS`], and how many of the `total` are not
    /// shown. A row is a line without a line break.
    pub(super) fn table(&mut self, title: &'static str, head: &str, rows: impl Iterator<Item = String>, total: u64) {
        let rest = |shown: u64| format!("\nand {} more\n", total - shown);
        let before = (self.text.len(), self.room);
        let end = Size::of(&rest(0));
        if !end.fits(self.room) || !self.add(head) || !end.fits(self.room) {
            self.undo(before);
            self.left_out.push(title);
            return;
        }
        self.room = self.room - end;
        let shown = rows.take(MAX_ROWS).take_while(|row| self.add(&format!("{row}\n"))).count() as u64;
        self.room = self.room + end;
        if shown == 0 {
            self.undo(before);
            self.left_out.push(title);
        } else if shown < total {
            self.add(&rest(shown));
        }
    }

    /// Adds what `inside` adds, in at most a third of the room, folded under `heading` in HTML, or nothing when it adds
    /// nothing.
    pub(super) fn folded(&mut self, title: &'static str, heading: &str, inside: impl FnOnce(&mut Self)) {
        const END: &str = "\n</details>\n";
        let before = (self.text.len(), self.room);
        let start = format!("\n<details><summary>{heading}</summary>\n\n");
        if !(Size::of(&start) + Size::of(END)).fits(self.room) || !self.add(&start) {
            self.left_out.push(title);
            return;
        }
        let start = self.text.len();
        // A long list shall not take the room of all others.
        let share = (self.room - Size::of(END)).third();
        let kept = self.room - share;
        self.room = share;
        inside(self);
        self.room = self.room + kept;
        if self.text.len() == start {
            self.undo(before);
        } else {
            self.add(END);
        }
    }

    /// The page, with what was left out and the footer at its end.
    pub(super) fn finished(mut self) -> String {
        let Some(footer) = self.footer else { return self.text };
        if !self.left_out.is_empty() {
            self.text.push_str(&format!("\nLeft out to keep this short: {}.\n", self.left_out.join(", ")));
        }
        self.text + &footer
    }

    fn undo(&mut self, (length, room): (usize, Size)) {
        self.text.truncate(length);
        self.room = room;
    }
}

impl Size {
    fn of(text: &str) -> Self {
        Self { characters: text.chars().count(), bytes: text.len() }
    }

    fn third(self) -> Self {
        Self { characters: self.characters / 3, bytes: self.bytes / 3 }
    }

    fn fits(self, room: Self) -> bool {
        self.characters <= room.characters && self.bytes <= room.bytes
    }
}

impl Add for Size {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            characters: self.characters.saturating_add(other.characters),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

impl Sub for Size {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            characters: self.characters.saturating_sub(other.characters),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}
