use super::*;
use crate::diff::text::testing::render;
use proptest::prelude::*;

pub(crate) fn diff(left: &str, right: &str, outline: Outline) -> TextDiff {
    TextDiff::new(&Source::new(left), &Source::new(right), outline)
}

const OLD_MACHINE: &str = "machine \"Ticket triage\"\n\ncontext Ticket {\n    subject: \"\";\n    body: \"\";\n}\n\ncontext Customer {\n    name: \"\";\n}\n\ntask classify \"Choose a path\" {\n    prompt: \"Decide who should handle this ticket.\";\n}\n\ntask respond \"Answer the customer\" {\n    prompt: \"Write a short, friendly answer.\";\n}\n\nclassify -\"known issue\"-> respond;\nclassify -\"needs a person\"-> escalate;\nrespond -> close;\n";
const NEW_MACHINE: &str = "machine \"Ticket triage and refunds\"\n\ncontext Ticket {\n    subject: \"\";\n    body: \"\";\n}\n\ncontext Customer {\n    name: \"\";\n}\n\ntask classify \"Choose a path\" {\n    prompt: \"Decide who can handle the ticket.\";\n}\n\ntask reply \"Answer the customer\" {\n    prompt: \"Write a short, friendly answer.\";\n}\n\ntask refund \"Pay back\" {\n    limit<number>: 50;\n}\n\nclassify -\"known issue\"-> reply;\nclassify -\"wants money back\"-> refund;\nclassify -\"needs a person\"-> escalate;\nreply -> close;\nrefund -> close;\n";

#[test]
fn a_changed_source_reads_line_beside_line() {
    insta::assert_snapshot!(render(&diff(OLD_MACHINE, NEW_MACHINE, Outline::Machine)), @r#"
    ~  1 machine "Ticket triage"                  |  1 machine "Ticket triage[ and refunds]"
    =  2                                          |  2
    =  3 context Ticket {                         |  3 context Ticket {
    =  4     subject: "";                         |  4     subject: "";
      … 5 unchanged lines: Customer
    = 10 }                                        | 10 }
    = 11                                          | 11
    = 12 task classify "Choose a path" {          | 12 task classify "Choose a path" {
    ~ 13     prompt: "Decide who [should] handle [this] ticket.";| 13     prompt: "Decide who [can] handle [the] ticket.";
    = 14 }                                        | 14 }
    = 15                                          | 15
    ~ 16 task [respond] "Answer the customer" {   | 16 task [reply] "Answer the customer" {
    = 17     prompt: "Write a short, friendly answer.";| 17     prompt: "Write a short, friendly answer.";
    = 18 }                                        | 18 }
    = 19                                          | 19
    + //                                          | 20 task refund "Pay back" {
    + //                                          | 21     limit<number>: 50;
    + //                                          | 22 }
    + //                                          | 23
    ~ 20 classify -"known issue"-> [respond];     | 24 classify -"known issue"-> [reply];
    + //                                          | 25 classify -"wants money back"-> refund;
    = 21 classify -"needs a person"-> escalate;   | 26 classify -"needs a person"-> escalate;
    ~ 22 [respond] -> close;                      | 27 [reply] -> close;
    + //                                          | 28 refund -> close;
    "#);
}

#[test]
fn changes_are_described_by_size() {
    let lines: Vec<String> = diff(OLD_MACHINE, NEW_MACHINE, Outline::Machine)
        .changes
        .iter()
        .map(|change| change.size.to_string())
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    2 words
    2 words
    1 word
    1 word changed and 5 lines added
    1 word changed and 1 line added
    ");
}

#[test]
fn different_line_ends_are_noted_and_change_no_line() {
    let render_diff = |left: &str, right: &str| render(&diff(left, right, Outline::Plain));
    insta::assert_snapshot!(render_diff("a\nb\n", "a\r\nb\r\n"), @r"
    =  1 a                                        |  1 a
    =  2 b                                        |  2 b
    Line endings differ: LF on the left, CRLF on the right.
    ");
    insta::assert_snapshot!(render_diff("a\nb", "\u{feff}a\nb\n"), @r"
    =  1 a                                        |  1 a
    =  2 b                                        |  2 b
    Only the right side begins with a byte order mark.
    Only the right side ends with a line ending.
    ");
    insta::assert_snapshot!(render_diff("a\r\nb\n", "a\nb\r\n"), @r"
    =  1 a                                        |  1 a
    =  2 b                                        |  2 b
    Line endings differ: both sides mix several kinds.
    ");
    assert!(diff("", "", Outline::Plain).rows.is_empty());
}

#[test]
fn lines_that_occur_once_are_aligned_first() {
    let left = "{\n  \"a\": 1,\n  \"b\": 2\n},\n{\n  \"c\": 3\n},\n";
    let right =
        "{\n  \"b\": 2\n},\n{\n  \"d\": 4\n},\n{\n  \"c\": 3,\n  \"a\": 1\n},\n{\n  \"c\": 3\n},\n";
    insta::assert_snapshot!(render(&diff(left, right, Outline::Plain)), @r#"
    =  1 {                                        |  1 {
    -  2   "a": 1,                                | //
    =  3   "b": 2                                 |  2   "b": 2
    =  4 },                                       |  3 },
    =  5 {                                        |  4 {
    + //                                          |  5   "d": 4
    + //                                          |  6 },
    + //                                          |  7 {
    + //                                          |  8   "c": 3,
    + //                                          |  9   "a": 1
    + //                                          | 10 },
    + //                                          | 11 {
    =  6   "c": 3                                 | 12   "c": 3
    =  7 },                                       | 13 },
    "#);
}

/// A comparison that looks at each line beside each other would not end in a working day.
#[test]
fn hostile_texts_are_compared_to_the_end() {
    let two_lines = "a\nb\n".repeat(25_000);
    let three_lines = "b\nb\na\n".repeat(17_000);
    let numbered_lines: String = (0..50_000).map(|n| format!("line {n} of many\n")).collect();
    let shuffled_lines: String =
        (0..50_000).map(|n| format!("line {} of many\n", n * 7 % 50_000)).collect();
    let long_line = "word, ".repeat(200_000);
    let longer_line = "word; ".repeat(200_001);
    for (left, right) in [
        (&two_lines, &three_lines),
        (&numbered_lines, &shuffled_lines),
        (&numbered_lines, &two_lines),
        (&long_line, &longer_line),
    ] {
        assert!(!diff(left, right, Outline::Plain).is_same());
    }
}

fn reassembled(diff: &TextDiff, side: Side) -> Vec<String> {
    let numbers: Vec<u32> = diff.rows.iter().filter_map(|row| row.number(side)).collect();
    assert!(numbers.iter().copied().eq(1..=numbers.len() as u32));
    numbers
        .iter()
        .map(|number| diff.line(side, *number).to_owned() + line_end(diff.source(side), *number))
        .collect()
}

proptest! {
    #![proptest_config(crate::text::cases(256))]

    #[test]
    fn the_rows_hold_both_texts_whole(left in "([abc{}]{0,3}(\n|\r\n)?){0,12}", right in "([abc{}]{0,3}(\n|\r\n)?){0,12}") {
        let diff = diff(&left, &right, Outline::Json);
        prop_assert_eq!(reassembled(&diff, Side::Left).concat(), left);
        prop_assert_eq!(reassembled(&diff, Side::Right).concat(), right);
        for row in 0..diff.rows.len() {
            if diff.rows[row].is_same() {
                prop_assert_eq!(diff.row_text(row, Side::Left), diff.row_text(row, Side::Right));
            }
            prop_assert_eq!(diff.change_at(row).is_none(), diff.rows[row].is_same());
        }
    }

    #[test]
    fn a_text_does_not_differ_from_itself(text in "([ab]{0,3}(\n|\r|\r\n)?){0,12}") {
        let diff = diff(&text, &text, Outline::Plain);
        prop_assert!(diff.is_same() && diff.notes.is_empty());
    }
}
