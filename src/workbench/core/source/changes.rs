//! Changes of a machine as rows: a description, the place in the text, and the recordings that break.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::affected::AffectedRecordings;
use crate::Library;
use check::change::Change;
use compare::source::{ChangedLines, LineKind, SourceChange, SourceDiff, lines_of};
use document::diff::Side;
use document::text::{Source, Span, counted, listed, lower_first, thousands, visible};
use machine::{
    ChangedPart, MachineChange, MachineChangeKind, MachineDiff, MachineSubject, renamed_tools,
};
use play::playback::fixes::Fix;
use protocol::{DocId, SourceComparison};

/// Maximum number of nodes with changed tools that a row names.
const MAX_NAMED_NODES: usize = 3;

/// The changes of a source as rows, with the recordings made from it.
#[derive(Clone, Debug, Default)]
pub struct SourceChanges {
    /// The revision of the library that they were made from.
    library: Option<u64>,
    pub affected: AffectedRecordings,
    /// The changes that break most recordings first, then those of which it is unknown whether they break any, then the others;
    /// each in the order of their lines.
    pub lines: Vec<SourceChangeLine>,
}

/// A row of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceChangeLine {
    /// Its position before sorting: changes of the machine first, then those only in the text.
    pub number: usize,
    /// The change, in parts.
    pub title: Vec<ChangeTextPiece>,
    /// The place and the effect: `Line 37, breaks nothing`.
    pub detail: String,
    /// Number of recordings that break at the nodes whose tools it changes.
    pub breaks: usize,
    pub sign: SourceChangeSign,
    /// The text changes that contain it, in the order of the text.
    pub changes: Vec<usize>,
    /// Its place in the text of a side.
    pub place: Option<(Side, Span)>,
    /// Tools that it renamed and that recordings still offer under the old name.
    pub renames: Vec<ToolRename>,
    rank: SourceChangeRank,
}

/// A tool that has another name since its node was renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRename {
    pub from: Arc<str>,
    pub to: Arc<str>,
    /// Number of recordings that offer it under its old name.
    pub offering: usize,
}

/// The position of a row in the list: by its effect, then by its line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SourceChangeRank {
    breaks: Reverse<usize>,
    effect: SourceChangeEffect,
    line: u32,
}

/// Whether a change that breaks no recording could break one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum SourceChangeEffect {
    #[default]
    Unknown,
    None,
    /// The machine ignores it.
    Ignored,
}

/// A part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeTextPiece {
    pub text: String,
    /// Whether it is a name or a value.
    pub strong: bool,
}

/// The kind of change of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    #[default]
    Changed,
    /// A change that the machine ignores.
    Comment,
}

impl SourceChangeLine {
    /// Returns the change as one string.
    pub fn sentence(&self) -> String {
        self.title.iter().map(|piece| piece.text.as_str()).collect()
    }

    /// Returns the parts of the change without its values, which the texts show.
    pub fn short_title(&self) -> Vec<ChangeTextPiece> {
        let mut pieces = Vec::new();
        for piece in &self.title {
            let value = piece.text.find(" is now").filter(|_| !piece.strong);
            pieces.push(piece.clone());
            if let (Some(value), Some(last)) = (value, pieces.last_mut()) {
                last.text.truncate(value);
                break;
            }
        }
        pieces
    }

    /// Returns the change as a part of a sentence, with names between backticks.
    fn cause(&self) -> String {
        let names: Vec<&str> =
            self.title.iter().filter(|piece| piece.strong).map(|piece| &*piece.text).collect();
        match (self.sign, &names[..]) {
            (SourceChangeSign::Renamed, [old, new]) => format!("`{old}` became `{new}`"),
            _ => {
                let pieces = self.short_title().into_iter().enumerate();
                let texts = pieces.map(|(index, piece)| match (piece.strong, index) {
                    (true, _) => format!("`{}`", piece.text),
                    (false, 0) => lower_first(&piece.text),
                    (false, _) => piece.text,
                });
                texts.collect()
            }
        }
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
        let parts =
            [self.detail.clone(), self.breaks_label()].into_iter().filter(|part| !part.is_empty());
        for (part, separator) in parts.zip([": ", ", "]) {
            name.push_str(separator);
            name.push_str(&part);
        }
        name
    }
}

impl SourceChanges {
    /// Collects the changes of the source of a recording; only its recordings while it is not compared yet.
    pub(crate) fn new(library: &Library, doc: DocId, source: Option<&SourceComparison>) -> Self {
        let item = library.get(doc).and_then(|item| item.source.as_ref());
        let hash = item.and_then(|s| s.recorded_hash.as_deref());
        let file = item.and_then(|s| s.file.as_deref());
        let recordings = AffectedRecordings::collect(library, file.unwrap_or_default(), hash);
        Self {
            library: Some(library.revision),
            lines: source.map_or_else(Vec::new, |s| change_lines(s, &recordings)),
            affected: recordings,
        }
    }

    /// Returns the renames that recordings do not follow yet, each once.
    pub fn renames(&self) -> Vec<&ToolRename> {
        let mut renames: Vec<&ToolRename> = Vec::new();
        for rename in self.lines.iter().flat_map(|line| &line.renames) {
            if !renames.contains(&rename) {
                renames.push(rename);
            }
        }
        renames
    }

    /// Returns the changes that break recordings, as a part of a sentence; empty if none is known: `respond became reply`.
    pub fn causes(&self) -> String {
        let causes = self.lines.iter().filter(|line| line.breaks > 0);
        let names: Vec<String> = causes.map(SourceChangeLine::cause).collect();
        match &names[..] {
            [] => String::new(),
            [first, second] => format!("{first}, and {second}"),
            [first, .., _] => {
                format!("{first}, and {} more changes", thousands(names.len() - 1))
            }
            [only] => only.clone(),
        }
    }

    /// Returns whether they were made from the library as it is.
    pub(crate) fn is_current(&self, library: &Library) -> bool {
        self.library == Some(library.revision)
    }
}

impl ToolRename {
    /// Returns the edit of the recordings made from the source.
    pub fn change(&self, recordings: &AffectedRecordings) -> (Change, Vec<DocId>) {
        let docs = recordings.stale.clone();
        let rename = Fix::RenameTool {
            from: self.from.clone(),
            to: self.to.clone(),
            recordings: (0..docs.len()).collect(),
        };
        (Change::Fix(rename), docs)
    }
}

/// Returns the rows of a source comparison.
fn change_lines(source: &SourceComparison, uses: &AffectedRecordings) -> Vec<SourceChangeLine> {
    let Some(machine) = &source.machine else { return Vec::new() };
    let text = source.diff.as_ref().map(ChangedLines::new);
    let mut covered_changes = BTreeSet::new();
    let mut rows = Vec::new();
    for change in &machine.changes {
        let changes = text.as_ref().map(|text| text_changes_of(text, change)).unwrap_or_default();
        covered_changes.extend(changes.iter().copied());
        let mut row = machine_line(source, change, changes, uses);
        if let Some(diff) = &source.diff {
            row.changes.extend(uses_of_new_name(diff, change));
            // The row may already contain a change with a use of the new name.
            row.changes.sort_unstable();
            row.changes.dedup();
        }
        rows.push(row);
    }
    if let Some(diff) = &source.diff {
        rows.extend(other_lines(diff, machine, &covered_changes));
    }
    for (number, row) in rows.iter_mut().enumerate() {
        row.number = number;
    }
    rows.sort_by_key(|row| row.rank);
    rows
}

/// Returns the text changes that contain a change of the machine.
fn text_changes_of(lines: &ChangedLines<'_>, change: &MachineChange) -> Vec<usize> {
    let sides = [(Side::Right, change.spans.now), (Side::Left, change.spans.then)];
    let spans = sides.into_iter().filter_map(|(side, span)| Some((side, span?)));
    let changes = spans.flat_map(|(side, span)| lines.within(side, span));
    // One change of the text may contain both sides.
    changes.collect::<BTreeSet<_>>().into_iter().collect()
}

/// Returns the text changes in which the new name of a node replaces the old one.
fn uses_of_new_name(diff: &SourceDiff, change: &MachineChange) -> Vec<usize> {
    let Some([old, new]) = new_name(change) else { return Vec::new() };
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    let has = |index: usize, side: Side, name: &str| {
        diff.text.changes[diff.changes[index].change].rows.clone().any(|row| {
            let line = diff.text.row_text(row, side);
            let mut words = line.unwrap_or_default().split(|c| !is_letter(c));
            words.any(|word| word == name)
        })
    };
    let changes = 0..diff.changes.len();
    let is_rename = |index: &usize| has(*index, Side::Left, old) && has(*index, Side::Right, new);
    changes.filter(is_rename).collect()
}

/// Returns the old and the new name of a renamed node, without its parents.
fn new_name(edit: &MachineChange) -> Option<[&str; 2]> {
    let (MachineSubject::Node(old), MachineChangeKind::Renamed(new)) = (&edit.subject, &edit.kind)
    else {
        return None;
    };
    // Tools are named after the last part of a dotted name.
    let names = [old, new].map(|name| name.rsplit('.').next().unwrap_or(name));
    // A node that only moved keeps its tools.
    (names[0] != names[1]).then_some(names)
}

fn machine_line(
    source: &SourceComparison,
    change: &MachineChange,
    changes: Vec<usize>,
    recordings: &AffectedRecordings,
) -> SourceChangeLine {
    let break_counts = change.offers.iter().filter_map(|node| recordings.breaks_at.get(&**node));
    // A change that the recordings follow already does not break them; if they still break, another change does it.
    let is_followed = is_renamed_in_recordings(change, recordings);
    let breaks = if is_followed { 0 } else { break_counts.sum() };
    let place = match (change.spans.now, change.spans.then) {
        (Some(span), _) => Some((Side::Right, span)),
        (None, old) => old.map(|span| (Side::Left, span)),
    };
    let lines = place.and_then(|(side, span)| Some((side, lines_of(text_of(source, side)?, span))));
    let mut words: Vec<String> = Vec::new();
    words.extend(lines.map(|(side, (first, last))| compare::source::place(side, first, last)));
    let mut effect = SourceChangeEffect::Unknown;
    match change.offers.as_slice() {
        // Without the old text it is unknown whether the change has an effect on tools.
        [] if source.recorded.is_err() => {}
        [] => {
            effect = SourceChangeEffect::None;
            words.push("breaks nothing".to_owned());
        }
        _ if breaks > 0 => {}
        _ if is_followed => {
            effect = SourceChangeEffect::None;
            words.push("already renamed in the recordings".to_owned());
        }
        nodes if nodes.len() > MAX_NAMED_NODES => {
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
        changes,
        place,
        renames: tool_renames(change, recordings),
        rank: SourceChangeRank {
            breaks: Reverse(breaks),
            effect,
            // Changes without a place come last.
            line: lines.map_or(u32::MAX, |(_, (first, _))| first),
        },
        ..SourceChangeLine::default()
    }
}

fn text_of(source: &SourceComparison, side: Side) -> Option<&Source> {
    match side {
        Side::Left => source.recorded.as_ref().ok().map(|s| &s.text),
        Side::Right => source.current.as_ref().ok().map(|s| &s.text),
    }
}

/// Returns whether recordings offer the tools of a renamed node under the new name, and none under the old one.
fn is_renamed_in_recordings(change: &MachineChange, recordings: &AffectedRecordings) -> bool {
    let Some([old, new]) = new_name(change) else { return false };
    let offers = |name: &str| recordings.offering.contains_key(name);
    renamed_tools(old, new).all(|[from, _]| !offers(&from))
        && renamed_tools(old, new).any(|[_, to]| offers(&to))
}

/// Returns the tools that are named after a renamed node and that recordings offer under its old name.
fn tool_renames(change: &MachineChange, uses: &AffectedRecordings) -> Vec<ToolRename> {
    let Some([old, new]) = new_name(change) else { return Vec::new() };
    let renames = renamed_tools(old, new).filter_map(|[from, to]| {
        Some(ToolRename { offering: *uses.offering.get(&*from)?, from: from.into(), to: to.into() })
    });
    renames.collect()
}

/// Splits a sentence at its backticks.
fn split_sentence(sentence: &str) -> Vec<ChangeTextPiece> {
    let parts = sentence.split('`').enumerate();
    let pieces =
        // Names are between backticks, so every second part is one.
        parts.map(|(index, text)| ChangeTextPiece { text: text.to_owned(), strong: index % 2 == 1 });
    pieces.filter(|piece| !piece.text.is_empty()).collect()
}

fn change_sign(change: &MachineChange) -> SourceChangeSign {
    let is_edge = matches!(change.subject, MachineSubject::Edge(..) | MachineSubject::Label(_));
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
    cover: &BTreeSet<usize>,
) -> Vec<SourceChangeLine> {
    let other_changes = diff.changes.iter().enumerate().filter(|(index, _)| !cover.contains(index));
    // If the whole machine was parsed, text outside of its changes has no effect on it.
    let (quiet_changes, unread_changes): (Vec<_>, Vec<_>) = other_changes
        .partition(|(_, change)| machine.remark.is_none() || change.lines == LineKind::Comment);
    let mut rows: Vec<SourceChangeLine> =
        unread_changes.into_iter().map(|(index, change)| text_line(index, change)).collect();
    rows.extend(quiet_line(&quiet_changes, machine));
    rows
}

fn quiet_line(rest: &[(usize, &SourceChange)], machine: &MachineDiff) -> Option<SourceChangeLine> {
    let (_, first) = rest.first()?;
    let has =
        |remark: bool| rest.iter().any(|(_, change)| (change.lines == LineKind::Comment) == remark);
    let mut changes = machine.changes.iter();
    let is_renamed = changes.any(|change| matches!(change.kind, MachineChangeKind::Renamed(_)));
    let kinds: Vec<&str> = [
        (has(true), "comments"),
        (has(false) && !is_renamed, "layout"),
        (has(false) && is_renamed, "uses of new names"),
    ]
    .into_iter()
    .filter_map(|(is_present, kind)| is_present.then_some(kind))
    .collect();
    let title = document::text::upper_first(&listed(&kinds)) + " only";
    let words = match rest.len() {
        1 => first.place(),
        count => {
            format!("{} and {}", first.place(), counted(count - 1, "more place", "more places"))
        }
    };
    Some(SourceChangeLine {
        title: split_sentence(&title),
        detail: words,
        sign: SourceChangeSign::Comment,
        changes: rest.iter().map(|(index, _)| *index).collect(),
        rank: SourceChangeRank {
            effect: SourceChangeEffect::Ignored,
            ..SourceChangeRank::default()
        },
        ..SourceChangeLine::default()
    })
}

/// Returns a row for a change of which only the lines are known.
fn text_line(index: usize, change: &SourceChange) -> SourceChangeLine {
    let size = change.size;
    let mixed_count = size.words + size.wordless + size.replaced;
    let sign = match (size.added, size.removed) {
        (1.., 0) if mixed_count == 0 => SourceChangeSign::Added,
        (0, 1..) if mixed_count == 0 => SourceChangeSign::Removed,
        _ if change.lines == LineKind::Edge => SourceChangeSign::Edge,
        _ => SourceChangeSign::Changed,
    };
    let title = match (&change.heading, change.lines) {
        (Some(heading), _) => visible(heading).into_owned(),
        (None, LineKind::Edge) => "Edges".to_owned(),
        (None, _) => "Outside of any node".to_owned(),
    };
    SourceChangeLine {
        title: vec![ChangeTextPiece { text: title, strong: true }],
        detail: change.describe(),
        sign,
        changes: vec![index],
        rank: SourceChangeRank { line: change.first, ..SourceChangeRank::default() },
        ..SourceChangeLine::default()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use calls::source::SourceOrigin;
    use machine::{Machine, StoredNames};
    use protocol::{CurrentSource, SourceAsRecorded};

    const OLD_MACHINE: &str = "machine \"Tickets\"

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
    const NEW_MACHINE: &str = "machine \"Tickets and refunds\"

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

    fn source(old: Result<&str, &str>, new: Result<&str, &str>) -> SourceComparison {
        let (old, new) = (old.map(Source::new), new.map(Source::new));
        let stored_names = StoredNames {
            nodes: vec!["choose".to_owned(), "respond".to_owned()],
            ..StoredNames::default()
        };
        let machine = new.as_ref().ok().map(|new| match &old {
            Ok(old) => MachineDiff::new(&Machine::read(old), &Machine::read(new)),
            Err(_) => MachineDiff::from_stored(&stored_names, &Machine::read(new)),
        });
        let pair = old.as_ref().ok().zip(new.as_ref().ok());
        SourceComparison {
            recorded_hash: "7".repeat(64),
            diff: pair.map(|(old, new)| SourceDiff::new(old, new)),
            machine,
            recorded: old
                .map_err(str::to_owned)
                .map(|text| SourceAsRecorded { text, origin: SourceOrigin::WorkingTree }),
            current: new.map_err(str::to_owned).map(|text| CurrentSource {
                text,
                path: "a.dygram".to_owned(),
                hash: "8".repeat(64),
                seconds: None,
            }),
            recorded_facts: Vec::new(),
        }
    }

    fn rows_of(old: Result<&str, &str>, new: Result<&str, &str>) -> String {
        let recordings = AffectedRecordings {
            breaks_at: BTreeMap::from([("choose".into(), 2)]),
            offering: BTreeMap::from([
                ("transition_to_respond".into(), 2),
                ("read_wait".into(), 1),
            ]),
            ..AffectedRecordings::default()
        };
        let rows = change_lines(&source(old, new), &recordings);
        let row_text = |row: SourceChangeLine| {
            let strong_texts: Vec<&str> = row
                .title
                .iter()
                .filter(|piece| piece.strong)
                .map(|piece| piece.text.as_str())
                .collect();
            let renames: Vec<String> = (row.renames.iter())
                .map(|rename| {
                    format!(" ({} is now {}, {})", rename.from, rename.to, rename.offering)
                })
                .collect();
            let (sign, name) = (row.sign, row.name());
            format!("{:?} {sign:?} {strong_texts:?} {name}{}", row.changes, renames.concat())
        };
        let rows: Vec<String> = rows.into_iter().map(row_text).collect();
        rows.join("\n")
    }

    #[test]
    fn changes_are_sorted_by_the_recordings_they_break_and_then_by_line() {
        insta::assert_snapshot!(rows_of(Ok(OLD_MACHINE), Ok(NEW_MACHINE)), @r#"
        [2, 4] Renamed ["respond", "reply"] Node respond renamed to reply: Line 6, 2 recordings break (transition_to_respond is now transition_to_reply, 2)
        [4] EdgeAdded ["choose", "refund"] Edge choose → refund added: Line 12, 2 recordings break
        [4] EdgeRemoved ["choose", "wait"] Edge choose → wait removed: Line 12 (before), 2 recordings break
        [0] Title ["Tickets and refunds", "Tickets"] Title of the machine is now Tickets and refunds, was Tickets: Line 1, breaks nothing
        [1] Changed ["choose", "Who can help?", "Who helps?"] Prompt of choose is now Who can help?, was Who helps?: Line 4, breaks nothing
        [3] Added ["refund"] Node refund added: Lines 9 to 10, breaks nothing
        [3] Removed ["wait"] Node wait removed: Lines 9 to 10 (before), breaks nothing
        "#);
    }

    #[test]
    fn a_rename_that_the_recordings_follow_breaks_none_and_the_other_causes_are_named() {
        let changes = |tool: &str| {
            let recordings = AffectedRecordings {
                breaks_at: BTreeMap::from([("choose".into(), 2)]),
                offering: BTreeMap::from([(tool.into(), 2)]),
                ..AffectedRecordings::default()
            };
            let lines = change_lines(&source(Ok(OLD_MACHINE), Ok(NEW_MACHINE)), &recordings);
            let changes = SourceChanges { affected: recordings, lines, ..SourceChanges::default() };
            let rename = changes.lines.iter().find(|line| line.sign == SourceChangeSign::Renamed);
            let renames = changes.renames().len();
            format!("{}\n{renames} renames\n{}", rename.unwrap().name(), changes.causes())
        };
        insta::assert_snapshot!(changes("transition_to_respond"), @r"
        Node respond renamed to reply: Line 6, 2 recordings break
        1 renames
        `respond` became `reply`, and 2 more changes
        ");
        insta::assert_snapshot!(changes("transition_to_reply"), @r"
        Node respond renamed to reply: Line 6, already renamed in the recordings
        0 renames
        edge `choose` → `refund` added, and edge `choose` → `wait` removed
        ");
    }

    #[test]
    fn changes_that_the_machine_ignores_are_one_row() {
        let new =
            OLD_MACHINE.replace("// later", "// sooner").replace("task wait {\n}", "task wait {}");
        insta::assert_snapshot!(rows_of(Ok(OLD_MACHINE), Ok(&new)), @"[0, 1] Comment [] Comments and layout only: Line 9 and 1 more place");
    }

    #[test]
    fn unparsable_changes_are_shown_by_their_lines() {
        let new = OLD_MACHINE.replace("// later", "] = ) later").replace("Be brief", "Be kind");
        insta::assert_snapshot!(rows_of(Ok(OLD_MACHINE), Ok(&new)), @r#"
        [1] Changed ["Outside of any node"] Outside of any node: Line 14, punctuation or white space
        [0] Changed ["respond", "Be kind.", "Be brief."] Prompt of respond is now Be kind., was Be brief.: Line 7, breaks nothing
        "#);
    }

    #[test]
    fn without_the_old_text_the_names_in_the_recording_are_compared() {
        insta::assert_snapshot!(rows_of(Err("never committed"), Ok(NEW_MACHINE)), @r#"
        [] Added ["reply"] Node reply added: Lines 6 to 8
        [] Added ["refund"] Node refund added: Lines 9 to 10
        [] Added ["close"] Node close added: Line 13
        [] Removed ["respond"] Node respond removed
        "#);
        insta::assert_snapshot!(rows_of(Ok(OLD_MACHINE), Err("gone")), @"");
    }
}
