//! JUnit XML, as GitLab, Jenkins and others show it: a test suite for each folder, a test case for each file.
//!
//! A case fails if its file has a problem that fails the check: an error, unless another level is set. These problems are the text
//! of a single `failure`, because readers show only the first one. All others are in the case's `system-out`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::report::{CheckReport, CheckedFile, help};
use crate::output::{shown, shown_path};
use calls::Item;
use document::Problem;

pub(super) fn text(report: &CheckReport) -> String {
    // Sorted, so that reports of two runs can be compared.
    let mut suites: BTreeMap<&str, Vec<&CheckedFile>> = BTreeMap::new();
    for file in &report.files {
        suites.entry(suite_name(file.item)).or_default().push(file);
    }
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(
        xml,
        "<testsuites name=\"retake check\" {} time=\"{:.3}\">",
        counts(&report.files.iter().collect::<Vec<_>>()),
        report.summary.elapsed_ms as f64 / 1000.0
    );
    for (folder, files) in suites {
        let name = escaped(&shown(folder)).into_owned();
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {}>", counts(&files));
        for file in files {
            case(&mut xml, &name, file);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

fn suite_name(item: &Item) -> &str {
    match item.path.rsplit_once('/') {
        None => ".",
        // The parent of a file in the root of a disk has no name.
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
    }
}

fn counts(files: &[&CheckedFile]) -> String {
    let fails = |file: &&&CheckedFile| file.item.problems.iter().any(|p| file.fails(p));
    let failures = files.iter().filter(fails).count();
    let tests = files.len();
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\"")
}

fn case(xml: &mut String, folder: &str, file: &CheckedFile) {
    let item = file.item;
    let _ = write!(
        xml,
        "    <testcase name=\"{}\" classname=\"{folder}\" file=\"{}\"",
        escaped(&shown(item.file_name())),
        escaped(&shown(&item.path))
    );
    if item.problems.is_empty() {
        xml.push_str("/>\n");
        return;
    }
    xml.push_str(">\n");
    let (failures, rest): (Vec<_>, Vec<_>) = item.problems.iter().partition(|p| file.fails(p));
    if let Some(first) = failures.first() {
        let suffix = match failures.len() {
            1 => String::new(),
            number => format!(" (and {} more)", number - 1),
        };
        let _ = writeln!(
            xml,
            "      <failure type=\"{}\" message=\"{}{suffix}\">{}</failure>",
            first.rule,
            escaped(&shown(&first.message)),
            escaped(&problem_lines(item, &failures))
        );
    }
    if !rest.is_empty() {
        let lines = problem_lines(item, &rest);
        let _ = writeln!(xml, "      <system-out>{}</system-out>", escaped(&lines));
    }
    xml.push_str("    </testcase>\n");
}

/// The problems as lines of text, each with its help.
fn problem_lines(item: &Item, problems: &[&Problem]) -> String {
    let mut text = String::new();
    for problem in problems {
        let (path, message) = (shown_path(&item.path), shown(&problem.message));
        let (level, rule, place) = (problem.severity, problem.rule, problem.place);
        let _ = writeln!(text, "{path}:{place}: {level}[{rule}] {message}");
        for line in help(problem).lines() {
            let _ = writeln!(text, "    {}", shown(line));
        }
    }
    text
}

/// Text for an element or an attribute in double quotes. Characters that XML cannot represent become U+FFFD.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| matches!(c, '\n' | ' '..='~') && !matches!(c, '<' | '>' | '&' | '"');
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut xml = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '<' => xml.push_str("&lt;"),
            '>' => xml.push_str("&gt;"),
            '&' => xml.push_str("&amp;"),
            '"' => xml.push_str("&quot;"),
            '\t' | '\n' | '\r' => xml.push(c),
            // XML 1.0 allows these not even as references.
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => xml.push('\u{fffd}'),
            _ => xml.push(c),
        }
    }
    Cow::Owned(xml)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::testing::{items, report};

    #[test]
    fn a_suite_a_folder_and_a_case_a_file() {
        insta::assert_snapshot!(text(&report(&items())), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="retake check" tests="3" failures="1" errors="0" skipped="0" time="0.000">
          <testsuite name="." tests="1" failures="0" errors="0" skipped="0">
            <testcase name="ü.json" classname="." file="ü.json">
              <system-out>ü.json:1:1: note[signature-shared] Is shared
            No change is necessary if the calls are made in the order of the file names; otherwise rename the files.
        </system-out>
            </testcase>
          </testsuite>
          <testsuite name="set" tests="2" failures="1" errors="0" skipped="0">
            <testcase name="a, 50% &lt;b&gt;.json" classname="set" file="set/a, 50% &lt;b&gt;.json">
              <failure type="syntax" message="Ends &amp; &quot;too&quot; early\u{1b} (and 1 more)">set/a, 50% &lt;b&gt;.json:3:7: error[syntax] Ends &amp; &quot;too&quot; early\u{1b}
            Fix the text at the marked place, or record the file again if writing it was interrupted.
        set/a, 50% &lt;b&gt;.json:9:2: error[delay-invalid] Is negative
            Write the delay as a number of nanoseconds, 0 or more.
        </failure>
              <system-out>set/a, 50% &lt;b&gt;.json:9:2: warning[source-stale] The source has changed
            1. Review: it
            2. Regenerate
        </system-out>
            </testcase>
            <testcase name="b.json" classname="set" file="set/b.json"/>
          </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn any_text_makes_well_formed_xml_and_comes_back() {
        let nasty = "<a b=\"c\">&amp;]]>'\0\u{b}\u{ffff}ü\t😀";
        let xml = format!("<a b=\"{0}\">{0}</a>", escaped(nasty));
        let document = roxmltree::Document::parse(&xml).unwrap();
        let expected = nasty.replace(['\0', '\u{b}', '\u{ffff}'], "\u{fffd}");
        assert_eq!(document.root_element().text(), Some(&*expected));

        let mut items = items();
        for item in &mut items {
            item.path = format!("{nasty}/{nasty}").into();
            let problem = Problem::whole_file(document::RuleId::Syntax, nasty);
            item.change_problems(|problems| problems.push(problem));
        }
        let xml = text(&report(&items));
        let document = roxmltree::Document::parse(&xml).unwrap();
        let suites = document.root_element();
        assert_eq!(suites.attribute("failures"), Some("3"));
        let cases = document.descendants().filter(|n| n.has_tag_name("testcase"));
        assert_eq!(cases.count(), 3);
    }
}
