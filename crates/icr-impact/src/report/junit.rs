//! JUnit XML.

use std::fmt::Write;

use super::About;
use super::finding::{Check, ReportFinding, Urgency, findings};
use super::visible_text::visible;
use super::words::{format_count, risk, sides};
use crate::{Impact, RiskLevel};

/// Findings that a case lists; servers keep reports in memory.
const MAX_LISTED: usize = 1_000;

/// A test suite `icr impact` with a case for each check. A case fails if the run fails on one of its findings, by
/// default on broken contracts. Otherwise it passes and lists its findings in its output. Cases for code that was not
/// analysed and for an unknown risk are skipped.
pub fn junit(impact: &Impact, about: &About<'_>) -> String {
    let all = findings(impact, about.gate);
    let of = |wanted: fn(&ReportFinding<'_>) -> bool| all.iter().filter(|finding| wanted(finding)).collect::<Vec<_>>();
    let broken = of(|finding| finding.is_break);
    let contracts = of(|finding| matches!(finding.check, Check::Contract(_)) && !finding.is_break);
    let missing = of(|finding| finding.check == Check::Missing);
    let dependents = of(|finding| finding.check == Check::Dependent);
    let incomplete = of(|finding| finding.check == Check::Incomplete);
    let cases = [
        findings_case("breaking contracts", &broken, "contract", "broken for files that the change leaves alone"),
        findings_case("other contracts", &contracts, "contract", "changed"),
        findings_case("missing files", &missing, "file", "that may have been forgotten"),
        findings_case("dependents", &dependents, "file", "to check"),
        of_reading(impact, &incomplete),
        of_risk(impact),
    ];
    let count = |element: &str| cases.iter().filter(|case| case.contains(element)).count();
    let (failures, skipped) = (count("<failure "), count("<skipped "));
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"", cases.len());
    let properties = properties(impact, about);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"icr impact\" {counts}>\n  \
         <testsuite name=\"icr impact\" {counts}>\n{properties}{}  </testsuite>\n</testsuites>\n",
        cases.concat()
    )
}

fn properties(impact: &Impact, about: &About<'_>) -> String {
    let mut rows = vec![
        ("version", about.version.to_owned()),
        ("verdict", impact.verdict.word().to_owned()),
        ("sides", sides(impact)),
        ("summary", impact.summary.clone()),
    ];
    rows.extend(about.repo.iter().map(|repo| ("repo", repo.clone())));
    rows.extend(about.gaps.iter().map(|gap| ("gap", gap.clone())));
    let mut xml = "    <properties>\n".to_owned();
    for (name, value) in rows {
        writeln!(xml, "      <property name=\"{name}\" value=\"{}\"/>", escaped(&value))
            .expect("a string takes any text");
    }
    xml + "    </properties>\n"
}

/// A case that fails when the run fails on one of `found`.
fn findings_case(name: &str, found: &[&ReportFinding<'_>], thing: &str, what: &str) -> String {
    let errors = found.iter().filter(|finding| finding.urgency == Urgency::Error).count() as u64;
    if errors == 0 {
        return passing(name, &format_findings(found));
    }
    let message = format!("{} {what}", format_count(errors, thing));
    case(
        name,
        &format!(
            "      <failure message=\"{message}\" type=\"{name}\">{}</failure>\n",
            escaped_lines(&format_findings(found))
        ),
    )
}

fn passing(name: &str, output: &str) -> String {
    if output.is_empty() {
        return format!("    <testcase classname=\"icr impact\" name=\"{name}\"/>\n");
    }
    case(name, &format!("      <system-out>{}</system-out>\n", escaped_lines(output)))
}

/// What was not looked into can neither pass nor fail where it is code, unless the run fails on it.
fn of_reading(impact: &Impact, incomplete: &[&ReportFinding<'_>]) -> String {
    let name = "files looked into";
    let code = impact.incomplete.iter().filter(|file| file.code).count() as u64;
    if code == 0 || incomplete.iter().any(|finding| finding.urgency == Urgency::Error) {
        return findings_case(name, incomplete, "file", "of code not looked into in full");
    }
    let message = format!("{} of code not looked into in full", format_count(code, "file"));
    case(
        name,
        &format!(
            "      <skipped message=\"{message}\"/>\n      <system-out>{}</system-out>\n",
            escaped_lines(&format_findings(incomplete))
        ),
    )
}

fn of_risk(impact: &Impact) -> String {
    let name = "risk";
    if impact.risk.level == RiskLevel::Unknown {
        let why = escaped(&impact.risk.unknown.join("; "));
        return case(name, &format!("      <skipped message=\"the risk is not known: {why}\"/>\n"));
    }
    let parts = impact.risk.parts.iter().map(|part| format!("{}: {}\n", part.name, visible(&part.reason)));
    passing(name, &format!("{}\n{}", risk(impact), parts.collect::<String>()))
}

fn case(name: &str, inside: &str) -> String {
    format!("    <testcase classname=\"icr impact\" name=\"{name}\">\n{inside}    </testcase>\n")
}

/// A line for each finding. None begins with text of the change, as hosts that show a log read commands there.
fn format_findings(found: &[&ReportFinding<'_>]) -> String {
    let mut lines = String::new();
    for finding in found.iter().take(MAX_LISTED) {
        let line = finding.lines.map_or(String::new(), |(first, _)| format!(":{first}"));
        writeln!(lines, "- {}{line}: {}", visible(finding.path), finding.message).expect("a string takes any text");
    }
    if found.len() > MAX_LISTED {
        writeln!(lines, "and {} more", found.len() - MAX_LISTED).expect("a string takes any text");
    }
    lines
}

/// As the value of an attribute or the text of an element, on one line. Control characters, which XML 1.0 does not have
/// at all, are shown as pictures.
fn escaped(text: &str) -> String {
    escaped_lines(&visible(text))
}

/// As [`escaped`], for text whose line breaks are ours.
fn escaped_lines(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
