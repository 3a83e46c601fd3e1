//! Markdown for a comment on a pull request: a table of the problems, notes collapsed, never longer than a comment may be.

use super::report::{CheckReport, CheckedFile};
use super::sarif::encoded;
use crate::markdown::{cell, code, inline};
use calls::file_part::FilePart;
use document::text::count;
use document::{Problem, Severity};

/// The longest comment that GitHub accepts. It counts characters; bytes are never fewer.
const MAX_BYTES: usize = 65_536;

/// Number of bytes that are reserved for everything but the rows.
const FRAME_BYTES: usize = 1_024;

const TABLE_HEAD: &str = "| Level | Place | Problem | Show |\n| --- | --- | --- | --- |\n";

pub(super) fn text(report: &CheckReport) -> String {
    let title = inline(&report.summary.sentence());
    let rows: Vec<(Severity, String)> =
        (report.problems()).map(|(file, problem)| (problem.severity, row(file, problem))).collect();
    let is_listed = select(&rows, MAX_BYTES.saturating_sub(FRAME_BYTES + title.len()));
    let table = |is_in: fn(Severity) -> bool| {
        let rows = rows.iter().zip(&is_listed).filter(|((s, _), has_row)| **has_row && is_in(*s));
        rows.map(|((_, row), _)| row.as_str()).collect::<String>()
    };
    let mut text = format!("### {title}\n");
    let problems = table(|severity| severity > Severity::Note);
    if !problems.is_empty() {
        text.push_str(&format!("\n{TABLE_HEAD}{problems}"));
    }
    let notes = table(|severity| severity == Severity::Note);
    if !notes.is_empty() {
        let summary = count(notes.lines().count(), "note");
        text.push_str(&format!(
            "\n<details><summary>{summary}</summary>\n\n{TABLE_HEAD}{notes}\n</details>\n"
        ));
    }
    let omitted_count = is_listed.iter().filter(|is_listed| !**is_listed).count();
    if omitted_count > 0 {
        let problems = count(omitted_count, "more problem");
        let verb = if omitted_count == 1 { "is" } else { "are" };
        text.push_str(&format!(
            "\n{problems} {verb} not listed here, because a comment must not be longer; `retake check` lists all.\n"
        ));
    }
    text
}

/// Selects the rows that fit into a number of bytes: errors before warnings, warnings before notes.
fn select(rows: &[(Severity, String)], mut room: usize) -> Vec<bool> {
    let mut is_listed = vec![false; rows.len()];
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        for ((_, row), is_listed) in
            (rows.iter().zip(&mut is_listed)).filter(|((level, _), _)| *level == severity)
        {
            match room.checked_sub(row.len()) {
                Some(new_room) => (room, *is_listed) = (new_room, true),
                // After the first row that does not fit, no later row is listed in its place.
                None => room = 0,
            }
        }
    }
    is_listed
}

fn row(file: &CheckedFile, problem: &Problem) -> String {
    let path = file.item.root_path();
    let show = FilePart::of_problem(file.item, problem)
        .open_command(path)
        // A bar ends a cell of a table, also inside of backquotes.
        .map(|command| code(&command).replace('|', "\\|"));
    format!(
        "| {} | [{}:{}]({}#L{}) | {} (`{}`) | {} |\n",
        problem.severity,
        // From the project root, so that the link leads to the file in the repository.
        cell(path),
        problem.place.line,
        encoded(path),
        problem.place.line,
        cell(&problem.message),
        problem.rule,
        show.unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::report::testing::{items, report};
    use document::RuleId;

    #[test]
    fn problems_are_in_a_table_and_notes_are_collapsed() {
        insta::assert_snapshot!(text(&report(&items())), @r#"
        ### 2 errors, 1 warning, 1 note in 3 items (3 files)

        | Level | Place | Problem | Show |
        | --- | --- | --- | --- |
        | error | [fixtures/set/a, 50% &lt;b&gt;.json:3](fixtures/set/a%2C%2050%25%20%3Cb%3E.json#L3) | Ends &amp; "too" early\\u{1b} (`syntax`) | `retake 'fixtures/set/a, 50% <b>.json#line=3'` |
        | warning | [fixtures/set/a, 50% &lt;b&gt;.json:9](fixtures/set/a%2C%2050%25%20%3Cb%3E.json#L9) | The source has changed (`source-stale`) | `retake 'fixtures/set/a, 50% <b>.json#line=9'` |
        | error | [fixtures/set/a, 50% &lt;b&gt;.json:9](fixtures/set/a%2C%2050%25%20%3Cb%3E.json#L9) | Is negative (`delay-invalid`) | `retake 'fixtures/set/a, 50% <b>.json#line=9'` |

        <details><summary>1 note</summary>

        | Level | Place | Problem | Show |
        | --- | --- | --- | --- |
        | note | [fixtures/ü.json:1](fixtures/%C3%BC.json#L1) | Is shared (`signature-shared`) | `retake 'fixtures/ü.json#line=1'` |

        </details>
        "#);
    }

    #[test]
    fn a_comment_is_never_too_long_and_says_how_much_is_left_out() {
        let mut items = items();
        let problem = Problem::whole_file(RuleId::Secret, "ü|[x](y)`".repeat(40));
        items[0].change_problems(|problems| problems.extend(std::iter::repeat_n(problem, 3_000)));
        let text = text(&report(&items));
        assert!(text.len() <= MAX_BYTES && text.len() > MAX_BYTES / 2, "{}", text.len());
        assert_eq!(text.matches("| error |").count(), 2, "errors come first");
        let is_row = |line: &&str| {
            ["| error |", "| warning |", "| note |"].iter().any(|level| line.starts_with(level))
        };
        let listed_count = text.lines().filter(is_row).count();
        let last = text.lines().last().unwrap();
        let total = report(&items).problems().count();
        let omission = count(total - listed_count, "more problem");
        assert!(last.starts_with(&format!("{omission} are not listed")), "{last}");
    }
}
