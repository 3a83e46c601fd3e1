//! Changes of a machine as rows: a description, the place in the text, and the recordings that break.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::ops::diff::Side;
use crate::ops::diff::source::{ChangedLines, LineKind, SourceChange, SourceDiff, lines_of, place};
use crate::ops::machine::{
    ChangedPart, MachineChange, MachineChangeKind, MachineDiff, MachineSubject,
};
use crate::text::{counted, listed, visible};
use crate::workbench::SourceComparison;

/// Maximum number of nodes with changed tools that a row names.
const NAMED: usize = 3;

/// A row of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceChangeLine {
    /// The change, in parts.
    pub title: Vec<ChangeTextPiece>,
    /// The place and the effect: `Line 37, breaks nothing`.
    pub detail: String,
    /// Number of recordings that break at the nodes whose tools it changes.
    pub breaks: usize,
    pub sign: SourceChangeSign,
    /// The index of the text change that contains it; `None` if no line shows it.
    pub change: Option<usize>,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeTextPiece {
    pub text: String,
    /// Whether it is a name or a value.
    pub strong: bool,
}

/// The kind of change of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceChangeSign {
    /// New.
    Added,
    Removed,
    /// A new edge.
    EdgeAdded,
    EdgeRemoved,
    Edge,
    Renamed,
    Title,
    Replaced,
    /// Another change.
    Changed,
    /// A change that the machine ignores.
    Comment,
}

impl SourceChangeLine {
    /// Returns the change as one string.
    pub fn sentence(&self) -> String {
        self.title.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Returns how many recordings break: `2 recordings break`; empty for none.
    pub fn breaks_label(&self) -> String {
        match self.breaks {
            0 => String::new(),
            1 => "1 recording breaks".to_owned(),
            count => counted(count, "", "recordings break"),
        }
    }

    /// Returns the whole row as text: ``Node `a` gone: Line 44 of then, 2 recordings break``.
    pub fn name(&self) -> String {
        let mut name = self.sentence();
        let parts = [self.detail.clone(), self.breaks_label()];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        for (part, before) in parts.zip([": ", ", "]) {
            name.push_str(before);
            name.push_str(&part);
        }
        name
    }
}

/// Returns the rows of a source comparison. `breaks_at` has the number of breaking recordings by node.
pub(super) fn change_lines(
    source: &SourceComparison,
    breaks_at: &BTreeMap<Arc<str>, usize>,
) -> Vec<SourceChangeLine> {
    let Some(machine) = &source.machine else {
        return Vec::new();
    };
    let lines = source.diff.as_ref().map(ChangedLines::new);
    let mut covered = BTreeSet::new();
    let mut rows = Vec::new();
    for change in &machine.changes {
        let held = lines.as_ref().map(|lines| text_changes_of(lines, change));
        let held = held.unwrap_or_default();
        rows.push(machine_line(
            source,
            change,
            held.first().copied(),
            breaks_at,
        ));
        covered.extend(held);
    }
    if let Some(diff) = &source.diff {
        rows.extend(other_lines(diff, machine, &covered));
    }
    rows
}

/// Returns the text changes that contain a change of the machine, those of the new text first.
fn text_changes_of(lines: &ChangedLines<'_>, change: &MachineChange) -> Vec<usize> {
    let sides = [
        (Side::Right, change.spans.now),
        (Side::Left, change.spans.then),
    ];
    let spans = sides
        .into_iter()
        .filter_map(|(side, span)| Some((side, span?)));
    spans
        .flat_map(|(side, span)| lines.within(side, span))
        .collect()
}

fn machine_line(
    source: &SourceComparison,
    change: &MachineChange,
    held: Option<usize>,
    breaks_at: &BTreeMap<Arc<str>, usize>,
) -> SourceChangeLine {
    let breaks = change
        .offers
        .iter()
        .filter_map(|node| breaks_at.get(&**node));
    let breaks = breaks.sum();
    let mut words: Vec<String> = machine_place(source, change).into_iter().collect();
    match change.offers.as_slice() {
        // Without the old text it is unknown whose tools it changes.
        [] if source.recorded.is_err() => {}
        [] => words.push("breaks nothing".to_owned()),
        _ if breaks > 0 => {}
        nodes if nodes.len() > NAMED => {
            words.push(format!("changes tools at {} nodes", nodes.len()));
        }
        nodes => {
            let names: Vec<_> = nodes.iter().map(|node| visible(node)).collect();
            words.push(format!("changes tools at {}", listed(&names)));
        }
    }
    SourceChangeLine {
        title: split_sentence(&change.to_string()),
        detail: words.join(", "),
        breaks,
        sign: change_sign(change),
        change: held,
    }
}

fn machine_place(source: &SourceComparison, change: &MachineChange) -> Option<String> {
    let (side, text, span) = match (change.spans.now, change.spans.then) {
        (Some(span), _) => (Side::Right, &source.current.as_ref().ok()?.text, span),
        (None, Some(span)) => (Side::Left, &source.recorded.as_ref().ok()?.text, span),
        (None, None) => return None,
    };
    let (first, last) = lines_of(text, span);
    Some(place(side, first, last))
}

/// Splits a sentence at its backticks.
fn split_sentence(sentence: &str) -> Vec<ChangeTextPiece> {
    let parts = sentence.split('`').enumerate();
    let pieces = parts.map(|(at, text)| ChangeTextPiece {
        text: text.to_owned(),
        strong: at % 2 == 1,
    });
    pieces.filter(|piece| !piece.text.is_empty()).collect()
}

fn change_sign(change: &MachineChange) -> SourceChangeSign {
    let is_edge = matches!(
        change.subject,
        MachineSubject::Edge(..) | MachineSubject::Label(_)
    );
    match (&change.kind, is_edge) {
        (MachineChangeKind::Added, true) => SourceChangeSign::EdgeAdded,
        (MachineChangeKind::Added, false) => SourceChangeSign::Added,
        (MachineChangeKind::Gone, true) => SourceChangeSign::EdgeRemoved,
        (MachineChangeKind::Gone, false) => SourceChangeSign::Removed,
        (MachineChangeKind::Renamed(_), _) => SourceChangeSign::Renamed,
        (MachineChangeKind::Part { .. }, true) => SourceChangeSign::Edge,
        (MachineChangeKind::Part { part, .. }, false) => match part {
            ChangedPart::Title => SourceChangeSign::Title,
            ChangedPart::Type => SourceChangeSign::Replaced,
            _ => SourceChangeSign::Changed,
        },
    }
}

/// Returns the text changes that belong to no change of the machine: one row for all without effect, and one each for
/// what could not be parsed.
fn other_lines(
    diff: &SourceDiff,
    machine: &MachineDiff,
    covered: &BTreeSet<usize>,
) -> Vec<SourceChangeLine> {
    let others = diff.changes.iter().enumerate();
    let others = others.filter(|(at, _)| !covered.contains(at));
    let (quiet, unread): (Vec<_>, Vec<_>) = others
        .partition(|(_, change)| machine.remark.is_none() || change.lines == LineKind::Comment);
    let mut rows: Vec<SourceChangeLine> = unread
        .into_iter()
        .map(|(at, change)| text_line(at, change))
        .collect();
    rows.extend(quiet_line(&quiet, machine));
    rows
}

fn quiet_line(quiet: &[(usize, &SourceChange)], machine: &MachineDiff) -> Option<SourceChangeLine> {
    let (at, first) = quiet.first()?;
    let has = |comment: bool| {
        let mut all = quiet.iter();
        all.any(|(_, change)| (change.lines == LineKind::Comment) == comment)
    };
    let mut changes = machine.changes.iter();
    let is_renamed = changes.any(|change| matches!(change.kind, MachineChangeKind::Renamed(_)));
    let kinds = [
        (has(true), "comments"),
        (has(false) && !is_renamed, "layout"),
        (has(false) && is_renamed, "uses of new names"),
    ];
    let kinds = kinds
        .into_iter()
        .filter_map(|(is, kind)| is.then_some(kind));
    let kinds: Vec<&str> = kinds.collect();
    let title = crate::text::upper_first(&listed(&kinds)) + " only";
    let words = match quiet.len() {
        1 => first.place(),
        count => format!(
            "{} and {}",
            first.place(),
            counted(count - 1, "more place", "more places")
        ),
    };
    Some(SourceChangeLine {
        title: split_sentence(&title),
        detail: words,
        breaks: 0,
        sign: SourceChangeSign::Comment,
        change: Some(*at),
    })
}

/// Returns a row for a change of which only the lines are known.
fn text_line(at: usize, change: &SourceChange) -> SourceChangeLine {
    let size = change.size;
    let mixed = size.words + size.wordless + size.replaced;
    let sign = match (size.added, size.removed) {
        (1.., 0) if mixed == 0 => SourceChangeSign::Added,
        (0, 1..) if mixed == 0 => SourceChangeSign::Removed,
        _ if change.lines == LineKind::Edge => SourceChangeSign::Edge,
        _ => SourceChangeSign::Changed,
    };
    let title = match (&change.heading, change.lines) {
        (Some(heading), _) => visible(heading).into_owned(),
        (None, LineKind::Edge) => "Edges".to_owned(),
        (None, _) => "Outside of any node".to_owned(),
    };
    SourceChangeLine {
        title: vec![ChangeTextPiece {
            text: title,
            strong: true,
        }],
        detail: change.describe(),
        breaks: 0,
        sign,
        change: Some(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::machine::{Machine, StoredNames};
    use crate::ops::source::SourceOrigin;
    use crate::text::Source;
    use crate::workbench::{CurrentSource, SourceAsRecorded};

    const THEN: &str = "machine \"Tickets\"

task choose {
    prompt: \"Who helps?\";
}
task respond \"Answer\" {
    prompt: \"Be brief.\";
}
task wait {
}
choose -\"known\"-> respond;
choose -\"new\"-> wait;
respond -> close;
// later
";
    const NOW: &str = "machine \"Tickets and refunds\"

task choose {
    prompt: \"Who can help?\";
}
task reply \"Answer\" {
    prompt: \"Be brief.\";
}
task refund {
}
choose -\"known\"-> reply;
choose -\"money\"-> refund;
reply -> close;
// never
";

    fn source(then: Result<&str, &str>, now: Result<&str, &str>) -> SourceComparison {
        let (then, now) = (then.map(Source::new), now.map(Source::new));
        let stored = StoredNames {
            nodes: vec!["choose".to_owned(), "respond".to_owned()],
            ..StoredNames::default()
        };
        let machine = now.as_ref().ok().map(|now| match &then {
            Ok(then) => MachineDiff::new(&Machine::read(then), &Machine::read(now)),
            Err(_) => MachineDiff::from_stored(&stored, &Machine::read(now)),
        });
        let both = then.as_ref().ok().zip(now.as_ref().ok());
        SourceComparison {
            file: "a.dygram".to_owned(),
            recorded_hash: "7".repeat(64),
            diff: both.map(|(then, now)| SourceDiff::new(then, now)),
            machine,
            recorded: then.map_err(str::to_owned).map(|text| SourceAsRecorded {
                text,
                origin: SourceOrigin::WorkingTree,
            }),
            current: now.map_err(str::to_owned).map(|text| CurrentSource {
                text,
                path: "a.dygram".to_owned(),
                hash: "8".repeat(64),
                seconds: None,
            }),
            drawing: None,
            recorded_facts: Vec::new(),
        }
    }

    fn rows_of(then: Result<&str, &str>, now: Result<&str, &str>) -> String {
        let breaks_at = BTreeMap::from([("choose".into(), 2)]);
        let rows = change_lines(&source(then, now), &breaks_at);
        let row_text = |row: SourceChangeLine| {
            let strong = row.title.iter().filter(|piece| piece.strong);
            let strong: Vec<&str> = strong.map(|piece| piece.text.as_str()).collect();
            let change = row.change.map_or("-".to_owned(), |at| at.to_string());
            format!("{change} {:?} {strong:?} {}", row.sign, row.name())
        };
        let rows: Vec<String> = rows.into_iter().map(row_text).collect();
        rows.join("\n")
    }

    #[test]
    fn machine_changes_show_their_place_and_the_recordings_they_break() {
        insta::assert_snapshot!(rows_of(Ok(THEN), Ok(NOW)), @r#"
        0 Title ["Tickets and refunds", "Tickets"] Title of the machine is now Tickets and refunds, was Tickets: Line 1, breaks nothing
        1 Changed ["choose", "Who can help?", "Who helps?"] Prompt of choose is now Who can help?, was Who helps?: Line 4, breaks nothing
        2 Renamed ["respond", "reply"] Node respond renamed to reply: Line 6, 2 recordings break
        3 Added ["refund"] Node refund added: Lines 9 to 10, breaks nothing
        3 Removed ["wait"] Node wait removed: Lines 9 to 10 (before), breaks nothing
        4 EdgeAdded ["choose", "refund"] Edge choose → refund added: Line 12, 2 recordings break
        4 EdgeRemoved ["choose", "wait"] Edge choose → wait removed: Line 12 (before), 2 recordings break
        "#);
    }

    #[test]
    fn changes_that_the_machine_ignores_are_one_row() {
        let now = THEN
            .replace("// later", "// sooner")
            .replace("task wait {\n}", "task wait {}");
        insta::assert_snapshot!(rows_of(Ok(THEN), Ok(&now)), @"0 Comment [] Comments and layout only: Line 9 and 1 more place");
    }

    #[test]
    fn unparsable_changes_are_shown_by_their_lines() {
        let now = THEN
            .replace("// later", "] = ) later")
            .replace("Be brief", "Be kind");
        insta::assert_snapshot!(rows_of(Ok(THEN), Ok(&now)), @r#"
        0 Changed ["respond", "Be kind.", "Be brief."] Prompt of respond is now Be kind., was Be brief.: Line 7, breaks nothing
        1 Changed ["Outside of any node"] Outside of any node: Line 14, punctuation or white space
        "#);
    }

    #[test]
    fn without_the_old_text_the_names_in_the_recording_are_compared() {
        insta::assert_snapshot!(rows_of(Err("never committed"), Ok(NOW)), @r#"
        - Added ["reply"] Node reply added: Lines 6 to 8
        - Added ["refund"] Node refund added: Lines 9 to 10
        - Added ["close"] Node close added: Line 13
        - Removed ["respond"] Node respond removed
        "#);
        insta::assert_snapshot!(rows_of(Ok(THEN), Err("gone")), @"");
    }
}
