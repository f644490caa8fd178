mod sample;

use super::*;

#[test]
fn every_format_but_the_page_is_made_here() {
    for format in Format::all() {
        let report = render(&sample::breaking(), format, &About::default(), &format.limit());
        assert_eq!(report.is_some_and(|report| report.ends_with('\n')), format != Format::Html, "{}", format.name());
    }
}
