//! What reports look like, and that they stay well-formed whatever a change is called.

mod hostile;
mod machines;
mod people;
pub(super) mod sample;
mod sarif_rules;
mod xml;

use super::*;

fn gaps() -> Vec<String> {
    vec!["3 files are not indexed yet".to_owned()]
}

fn about(gaps: &[String]) -> About<'_> {
    let link = LinkTemplate::new(Host::Github, "https://github.com/octo/app", "2222222222");
    About { repo: Some("octo/app".to_owned()), version: "0.1.0", gaps, link, gate: None }
}

#[track_caller]
fn rendered(impact: &Impact, format: Format, limit: &Limit) -> String {
    render(impact, format, &about(&gaps()), limit).expect("every format but the page is made here")
}

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
