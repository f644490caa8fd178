//! What reports look like, and that they stay well-formed whatever a change is called.

mod hostile;
mod machines;
mod people;
mod sarif_rules;

use super::*;
use crate::fuzzing::report_checks::rendered;
pub(super) use crate::fuzzing::sample;

#[test]
fn every_format_but_the_page_is_made_here() {
    for format in Format::all() {
        let report = render(&sample::breaking(), format, &About::default(), &format.limit());
        assert_eq!(report.is_some_and(|report| report.ends_with('\n')), format != Format::Html, "{}", format.name());
    }
}

#[test]
fn equal_impacts_give_equal_reports() {
    for format in Format::all().filter(|format| *format != Format::Html) {
        let report = || rendered(&sample::breaking(), format, &format.limit());
        assert_eq!(report(), report());
    }
}
