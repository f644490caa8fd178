//! Cuts a text that is longer than the model's window.

use std::ops::Range;

/// Pieces that two neighbouring windows share, so that text at a cut is complete in at least one window.
pub(crate) const OVERLAP: usize = 50;

/// Ranges of at most `room` pieces each that together cover `0..pieces`. Neighbours share at least [`OVERLAP`] pieces,
/// or half of `room` if that is less. There are as few windows as possible, of nearly equal length, so that none is a
/// stub. Empty if `pieces` is 0; `room` is at least 1.
pub(crate) fn windows(pieces: usize, room: usize) -> Vec<Range<usize>> {
    if pieces == 0 {
        return Vec::new();
    }
    let overlap = OVERLAP.min(room / 2);
    let total = if pieces <= room { 1 } else { (pieces - overlap).div_ceil(room - overlap) };
    let length = (pieces + (total - 1) * overlap).div_ceil(total);
    // The last ends with the text; the others are spread evenly before it.
    let start = |at: usize| at * (pieces - length) / (total - 1).max(1);
    (0..total).map(|at| start(at)..start(at) + length).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(pieces: usize, room: usize, expected: &[(usize, usize)]) {
        let found: Vec<_> = windows(pieces, room).into_iter().map(|window| (window.start, window.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_text_that_fits_is_one_window_and_nothing_is_none() {
        check(0, 254, &[]);
        check(1, 254, &[(0, 1)]);
        check(254, 254, &[(0, 254)]);
    }

    #[test]
    fn a_longer_text_is_cut_evenly() {
        check(255, 254, &[(0, 153), (102, 255)]);
        check(458, 254, &[(0, 254), (204, 458)]);
        check(459, 254, &[(0, 187), (136, 323), (272, 459)]);
    }

    proptest! {
        #[test]
        fn windows_cover_the_text_fit_and_share_enough(pieces in 1_usize..5_000, room in 1_usize..600) {
            let windows = windows(pieces, room);
            prop_assert_eq!(windows[0].start, 0);
            prop_assert_eq!(windows[windows.len() - 1].end, pieces);
            for window in &windows {
                prop_assert!(!window.is_empty() && window.len() <= room, "{:?}", windows);
            }
            for pair in windows.windows(2) {
                prop_assert!(pair[0].start < pair[1].start, "{:?}", windows);
                prop_assert!(pair[1].start + OVERLAP.min(room / 2) <= pair[0].end, "{:?}", windows);
            }
        }
    }
}
