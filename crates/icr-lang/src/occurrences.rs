//! Occurrences of identifiers, collected during the walk and grouped at its end.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use icr_model::{ReferenceGroup, Role};

use crate::access_paths::{AccessPaths, NO_PATH, PathId};

/// Occurrences of identifiers in one blob, and which of their names are local at the current place.
#[derive(Debug, Default)]
pub(crate) struct Occurrences {
    /// Number of the name with each digest. If another name already has the digest, the next free digest is used.
    numbers: HashMap<u64, u32, BuildHasherDefault<DigestHasher>>,
    /// By number: bytes of the name in the blob.
    names: Vec<(u32, u32)>,
    /// By number of the name: how many of the open functions declare it.
    declared: Vec<u32>,
    /// Names declared in the open functions, in order.
    declarations: Vec<u32>,
    /// Names of the declarations that are open.
    upcoming: Vec<u32>,
    /// For each open declaration, the length of `upcoming` when it began.
    opened: Vec<u32>,
    /// For each open function, the number of open declarations when it began.
    opened_outside: Vec<u32>,
    /// Number of the name, role, receiver and line in one integer each, so that sorting groups them.
    packed: Vec<u128>,
}

impl Occurrences {
    /// Clears everything but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.numbers.clear();
        self.names.clear();
        self.declared.clear();
        self.declarations.clear();
        self.upcoming.clear();
        self.opened.clear();
        self.opened_outside.clear();
        self.packed.clear();
    }

    /// Adds an occurrence of the name at `span` of `blob`, with that digest, on `line` in `role`, as a member of
    /// `receiver`.
    pub(crate) fn add(
        &mut self,
        blob: &[u8],
        span: (u32, u32),
        digest: u64,
        (role, receiver): (Role, PathId),
        line: u32,
    ) {
        let number = self.number(blob, span, digest);
        self.pack(number, role, receiver, line);
    }

    /// Adds a mention of the name with that number as a member of `receiver`, unless that path says nothing.
    pub(crate) fn add_member(&mut self, number: u32, receiver: PathId, line: u32) {
        if receiver < NO_PATH {
            self.pack(number, Role::Member, receiver, line);
        }
    }

    /// As [`Occurrences::add`] for a name that is not a member. Names that an open function declares are skipped.
    pub(crate) fn add_unless_local(&mut self, blob: &[u8], span: (u32, u32), digest: u64, role: Role, line: u32) {
        let number = self.number(blob, span, digest);
        if self.declared[number as usize] == 0 {
            self.pack(number, role, NO_PATH, line);
        }
    }

    /// Makes the name local until the innermost function ends. It is local at once or, inside a declaration, after
    /// that declaration, because the value of `let size = size()` still refers to the earlier `size`.
    pub(crate) fn declare(&mut self, blob: &[u8], span: (u32, u32), digest: u64) {
        let number = self.number(blob, span, digest);
        match self.is_declaring() {
            true => self.upcoming.push(number),
            false => self.make_local(number),
        }
    }

    /// Whether a declaration is open in the innermost function.
    fn is_declaring(&self) -> bool {
        self.opened.len() as u32 > self.opened_outside.last().copied().unwrap_or(0)
    }

    /// Opens a declaration, whose names are local when it ends.
    pub(crate) fn begin_declaration(&mut self) {
        self.opened.push(self.upcoming.len() as u32);
    }

    /// Ends the declaration that was opened last.
    pub(crate) fn end_declaration(&mut self) {
        let first = self.opened.pop().unwrap_or(0) as usize;
        if !self.is_declaring() {
            for number in self.upcoming.split_off(first.min(self.upcoming.len())) {
                self.make_local(number);
            }
        }
    }

    fn make_local(&mut self, number: u32) {
        self.declared[number as usize] += 1;
        self.declarations.push(number);
    }

    /// A mark for [`Occurrences::end_function`].
    pub(crate) fn begin_function(&mut self) -> u32 {
        self.opened_outside.push(self.opened.len() as u32);
        self.declarations.len() as u32
    }

    /// Ends the function that gave `mark`: names declared since then are no longer local.
    pub(crate) fn end_function(&mut self, mark: u32) {
        self.opened_outside.pop();
        for number in self.declarations.drain(mark as usize..) {
            self.declared[number as usize] -= 1;
        }
    }

    /// All occurrences, grouped by (name, role, receiver) and sorted.
    pub(crate) fn groups(&mut self, blob: &[u8], paths: &AccessPaths) -> Vec<ReferenceGroup> {
        self.packed.sort_unstable();
        let mut groups: Vec<ReferenceGroup> = Vec::new();
        let mut last = None;
        for packed in &self.packed {
            let (key, line) = (packed >> 32, *packed as u32);
            if last == Some(key) {
                groups.last_mut().expect("a group was opened for the key").lines.push(line);
                continue;
            }
            last = Some(key);
            let (named, receiver) = ((key >> 32) as u64, key as PathId);
            let name = String::from_utf8_lossy(self.name(blob, (named >> ROLE_BITS) as u32)).into_owned();
            let receiver = self.path(blob, paths, receiver);
            groups.push(ReferenceGroup { name, role: role_of(named), receiver, lines: vec![line] });
        }
        groups.sort_unstable_by(|one, other| {
            (&one.name, one.role, &one.receiver, &one.lines).cmp(&(
                &other.name,
                other.role,
                &other.receiver,
                &other.lines,
            ))
        });
        groups.dedup_by(|next, one| {
            // Different bytes that are not UTF-8 may give the same text, and so may paths that say nothing, so merge
            // such groups.
            let same = one.name == next.name && one.role == next.role && one.receiver == next.receiver;
            if same {
                one.lines.append(&mut next.lines);
                one.lines.sort_unstable();
            }
            same
        });
        groups
    }

    /// The text of a path.
    pub(crate) fn path(&self, blob: &[u8], paths: &AccessPaths, path: PathId) -> Option<String> {
        paths.text(path, |number| self.name(blob, number))
    }

    fn name<'a>(&self, blob: &'a [u8], number: u32) -> &'a [u8] {
        let (start, end) = self.names[number as usize];
        &blob[start as usize..end as usize]
    }

    /// The number of the name at that place.
    pub(crate) fn number(&mut self, blob: &[u8], (start, end): (u32, u32), digest: u64) -> u32 {
        let bytes = |(start, end): (u32, u32)| &blob[start as usize..end as usize];
        let mut digest = digest;
        loop {
            match self.numbers.get(&digest) {
                Some(number) if bytes(self.names[*number as usize]) == bytes((start, end)) => return *number,
                Some(_) => digest = digest.wrapping_add(1),
                None => break,
            }
        }
        let number = self.names.len() as u32;
        self.numbers.insert(digest, number);
        self.names.push((start, end));
        self.declared.push(0);
        number
    }

    fn pack(&mut self, number: u32, role: Role, receiver: PathId, line: u32) {
        let named = u64::from(number) << ROLE_BITS | role_number(role);
        self.packed.push((u128::from(named) << 32 | u128::from(receiver)) << 32 | u128::from(line));
    }
}

/// Bits of a role's number.
const ROLE_BITS: u32 = 3;

/// Roles by their number.
const ROLES: [Role; 5] = [Role::Call, Role::Type, Role::Import, Role::Member, Role::Other];

fn role_number(role: Role) -> u64 {
    match role {
        Role::Call => 0,
        Role::Type => 1,
        Role::Import => 2,
        Role::Member => 3,
        Role::Other => 4,
    }
}

/// The role whose number stands in the lowest bits of `key`.
fn role_of(key: u64) -> Role {
    ROLES[(key & ((1 << ROLE_BITS) - 1)) as usize]
}

/// Passes a digest through unchanged, because its bits are already well distributed.
#[derive(Debug, Default)]
pub(crate) struct DigestHasher(u64);

impl Hasher for DigestHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, digest: u64) {
        self.0 = digest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_one_digest_stay_apart() {
        let blob = b"ab cd ab";
        let mut occurrences = Occurrences::default();
        for (start, line) in [(0, 1), (3, 2), (6, 3)] {
            occurrences.add(blob, (start, start + 2), 7, (Role::Call, NO_PATH), line);
        }
        let groups = occurrences.groups(blob, &AccessPaths::default());
        let shape: Vec<_> = groups.iter().map(|group| (group.name.as_str(), group.lines.clone())).collect();
        assert_eq!(shape, [("ab", vec![1, 3]), ("cd", vec![2])]);
    }

    #[test]
    fn a_name_is_local_until_its_function_ends() {
        let blob = b"ab";
        let mut occurrences = Occurrences::default();
        let mark = occurrences.begin_function();
        occurrences.declare(blob, (0, 2), 1);
        occurrences.add_unless_local(blob, (0, 2), 1, Role::Other, 1);
        occurrences.end_function(mark);
        occurrences.add_unless_local(blob, (0, 2), 1, Role::Other, 2);
        assert_eq!(occurrences.groups(blob, &AccessPaths::default())[0].lines, [2]);
    }

    #[test]
    fn names_that_read_the_same_are_one_group() {
        let blob = b"\xff \xfe";
        let mut occurrences = Occurrences::default();
        occurrences.add(blob, (0, 1), 1, (Role::Other, NO_PATH), 2);
        occurrences.add(blob, (2, 3), 2, (Role::Other, NO_PATH), 1);
        let groups = occurrences.groups(blob, &AccessPaths::default());
        assert_eq!((groups.len(), &groups[0].lines[..]), (1, &[1, 2][..]));
    }
}
