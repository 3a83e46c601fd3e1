//! Data that the review desk shows of the selected pair.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::format_text::{short_path, stem, without_backticks};
use compare::recordings::RecordingComparison;
use compare::review::{
    ChangeKey, ChangeKind, ChangeSubject, ComparisonFault, FileFault, Follows, PairKey, PairStatus,
    PartnerCandidate, Reviewed, TakeChange, TurnStatus,
};
use document::FileKind;
use document::diff::Side;
use document::diff::fold::OpenFolds;
use document::text::common_folder;
use protocol::{DocId, PairCall, PairDetails, PairText};
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent, SheetFocus};
use workbench::{DecisionStatus, DiffLayout, InspectorTab, ReviewAction, ReviewDesk, Workbench};

/// Maximum number of listed changes.
const MAX_LISTED_CHANGES: usize = 200;
/// Number of turns of a conversation that are shown, the selected one included.
const MAX_TURNS: usize = 7;
/// Maximum number of followers that are named.
const MAX_NAMED_FILES: usize = 3;

/// Data of everything beside the queue.
#[derive(Debug, Default)]
pub(super) struct ReviewData {
    pub(super) pair: Option<PairData>,
    pub(super) sheet: Option<PairSheet>,
    /// The length of the folder that all pairs of the open group are in.
    pub(super) folder: usize,
    made_from: Option<(u64, u64)>,
}

/// The selected pair.
#[derive(Debug)]
pub(super) struct PairData {
    pub(super) key: PairKey,
    pub(super) title: String,
    /// Its place in its group: `1 of 148`.
    pub(super) ordinal: String,
    pub(super) doc: Option<DocId>,
    pub(super) kind: FileKind,
    pub(super) mark: DecisionStatus,
    pub(super) chain: Vec<ChainTurn>,
    /// Label of the chain: `Chain` for turns, `Calls` for calls of a cassette.
    pub(super) chain_label: &'static str,
    /// Number of its own changes, without consequences of other changes.
    pub(super) count: usize,
    pub(super) changes: Vec<PairChange>,
    pub(super) more: usize,
    /// A remark about the pair as a whole.
    pub(super) remark: Option<String>,
    pub(super) has_conflict: bool,
    /// Whether a version is damaged.
    pub(super) is_broken: bool,
    pub(super) why: Option<String>,
    pub(super) leads_to_source: bool,
    pub(super) follows: Vec<String>,
    pub(super) ignored: IgnoredData,
    pub(super) pairing: &'static str,
    pub(super) is_paired_by_hand: bool,
    pub(super) is_added: bool,
    pub(super) partners: Vec<PartnerCandidate>,
    pub(super) shows_partners: bool,
    pub(super) note: String,
    pub(super) group_note: Option<GroupNote>,
}

/// The note on the group of the pair, which is not shown for a group of one pair unless it has one.
#[derive(Debug)]
pub(super) struct GroupNote {
    pub(super) id: Arc<str>,
    pub(super) pairs: usize,
    pub(super) text: String,
}

/// A turn of the conversation of the pair, or a call of its file.
#[derive(Debug)]
pub(super) struct ChainTurn {
    /// Action that selects it.
    pub(super) action: ReviewAction,
    pub(super) name: String,
    pub(super) mark_label: String,
    pub(super) is_here: bool,
    /// Whether only one of both files has it.
    pub(super) is_unpaired: bool,
}

/// A change, described as a sentence.
#[derive(Debug)]
pub(super) struct PairChange {
    pub(super) key: ChangeKey,
    pub(super) sentence: String,
    pub(super) pointer: String,
    pub(super) kind: ChangeKind,
    pub(super) subject: ChangeSubject,
    pub(super) side: Side,
    /// Whether its side can be chosen.
    pub(super) is_separable: bool,
}

/// The ignored differences.
#[derive(Debug, Default)]
pub(super) struct IgnoredData {
    pub(super) count: usize,
    /// Such as `2 timestamps and 1 ID`.
    pub(super) summary: String,
    pub(super) lines: Vec<String>,
}

/// The two recordings as a sheet.
#[derive(Debug)]
pub(super) struct PairSheet {
    pub(super) sheet: Arc<Sheet>,
    pub(super) focus: SheetFocus,
    pub(super) shown_as: InspectorTab,
    pub(super) has_conversation: bool,
    pub(super) has_json: bool,
    /// Offset of section numbers under which open folds are stored, different for each format.
    pub(super) folds: usize,
    /// For each change of the pair, its places in the sheet.
    places: Vec<Vec<Range<usize>>>,
    differences: Vec<Option<usize>>,
    /// For each change, the section that contains it, if no difference shows it.
    sections: Vec<Option<usize>>,
    made_from: PairSheetInputs,
}

#[derive(Clone, Debug)]
struct PairSheetInputs {
    shown: Arc<PairDetails>,
    /// The shown call, by its place in the details.
    call: usize,
    shown_as: InspectorTab,
    pane: DiffLayout,
    opened: BTreeMap<usize, OpenFolds>,
}

impl ReviewData {
    /// Synchronizes with the workbench; costs almost nothing if nothing changed.
    pub(super) fn update(&mut self, workbench: &Workbench, pane: DiffLayout) {
        let desk = &workbench.review;
        // The library counts too: the document of a pair may be opened or closed.
        let made_from = Some((desk.revision, workbench.core.library.revision));
        if self.made_from != made_from {
            self.made_from = made_from;
            self.pair = PairData::new(workbench, desk);
            // Rows show paths below what all of the group have in common.
            let pairs = desk.open_group().map_or(&[][..], |(group, _)| &group.pairs);
            let paths = pairs.iter().filter_map(|index| desk.review.pairs.get(*index));
            let paths: Vec<&str> = paths.map(|p| p.pair.path()).collect();
            self.folder = common_folder(&paths);
        }
        PairSheet::update(&mut self.sheet, desk, workbench.core.tab, pane);
    }

    /// Returns the change of the pair to which a place of the sheet belongs.
    pub(super) fn change_of(&self, number: usize) -> Option<usize> {
        let sheet = self.sheet.as_ref()?;
        // Among calls `number` is the number of a difference; among texts, of a block of changed rows.
        if let SheetContent::Calls(_) = sheet.sheet.content {
            return sheet.differences.iter().position(|d| *d == Some(number));
        }
        let rows = &sheet.sheet.content.diff(0)?.changes.get(number)?.rows;
        let touches = |place: &Range<usize>| place.start < rows.end && rows.start < place.end;
        sheet.places.iter().position(|places| places.iter().any(touches))
    }
}

impl PairData {
    fn new(workbench: &Workbench, desk: &ReviewDesk) -> Option<Self> {
        let (index, reviewed) = (desk.pair?, desk.selected()?);
        let comparison = &reviewed.compared;
        let direct_changes: Vec<&TakeChange> = comparison.direct_changes().collect();
        let details = desk.shown().and_then(Result::ok);
        let doc = workbench.review.doc;
        let fault = comparison.fault.as_ref();
        let conflict = fault.and_then(ComparisonFault::of_new);
        // Of all faults only this one can be solved in the window.
        let conflict = matches!(conflict, Some(FileFault::ConflictMarkers(_)));
        let source = direct_changes.iter().any(|c| c.subject == ChangeSubject::Source);
        Some(Self {
            key: reviewed.pair.key(),
            title: short_path(reviewed.pair.path()),
            ordinal: ordinal(desk, index),
            doc,
            kind: comparison.kind,
            mark: desk.status(index),
            chain: details.map_or_else(Vec::new, |details| match details.calls.len() {
                // A file of one call is a turn of a conversation in its folder; several calls are their own sequence.
                0 | 1 => chain(desk, details, index),
                _ => calls(desk, details),
            }),
            chain_label: match comparison.kind {
                FileKind::Cassette => "Calls",
                _ => "Chain",
            },
            count: direct_changes.len(),
            more: direct_changes.len().saturating_sub(MAX_LISTED_CHANGES),
            changes: direct_changes
                .iter()
                .take(MAX_LISTED_CHANGES)
                .map(|c| PairChange::new(desk, c))
                .collect(),
            remark: remark(reviewed),
            has_conflict: conflict,
            is_broken: fault.is_some_and(ComparisonFault::is_broken),
            why: explanation(desk, source),
            leads_to_source: source && doc.is_some(),
            follows: follows(reviewed, details),
            ignored: IgnoredData::new(reviewed, desk.shows_ignored),
            pairing: reviewed.pair.by.description(reviewed.compared.kind),
            is_paired_by_hand: desk.is_paired_by_hand(),
            is_added: reviewed.pair.old.is_none(),
            partners: details.map_or_else(Vec::new, |details| details.partners.clone()),
            shows_partners: desk.shows_partners,
            note: desk.decision().map_or_else(String::new, |d| d.note.clone()),
            group_note: GroupNote::new(desk),
        })
    }
}

impl GroupNote {
    fn new(desk: &ReviewDesk) -> Option<Self> {
        let (group, _) = desk.open_group()?;
        let (text, pairs) = (desk.decisions.group_note(&group.id), group.pairs.len());
        (pairs > 1 || !text.is_empty()).then(|| Self {
            id: group.id.as_str().into(),
            pairs,
            text: text.to_owned(),
        })
    }
}

fn ordinal(desk: &ReviewDesk, index: usize) -> String {
    let group = desk.open_group().map(|(group, _)| &group.pairs);
    let place =
        group.and_then(|pairs| Some((pairs.iter().position(|p| *p == index)?, pairs.len())));
    place.map_or_else(String::new, |(place, count)| {
        let thousands = document::text::thousands;
        format!("{} of {}", thousands(place + 1), thousands(count))
    })
}

/// Returns the turns around the selected one.
fn chain(desk: &ReviewDesk, details: &PairDetails, pair_index: usize) -> Vec<ChainTurn> {
    if details.chain.len() < 2 {
        return Vec::new();
    }
    // The details may still be those of the previous pair.
    let index = details.chain.iter().position(|(turn, _)| *turn == pair_index).unwrap_or(0);
    let first = index.saturating_sub(MAX_TURNS / 2);
    let turn = |(turn, status): &(usize, TurnStatus)| {
        let pair = &desk.review.pairs.get(*turn)?.pair;
        Some(ChainTurn {
            action: ReviewAction::Select(pair.key()),
            name: stem(pair.path()),
            mark_label: match status {
                TurnStatus::Equal => "equal".to_owned(),
                TurnStatus::First => "first change".to_owned(),
                TurnStatus::Follows => "follows".to_owned(),
            },
            is_here: *turn == pair_index,
            is_unpaired: false,
        })
    };
    details.chain.iter().skip(first).take(MAX_TURNS).filter_map(turn).collect()
}

/// Returns the calls of a cassette around the shown one.
fn calls(desk: &ReviewDesk, details: &PairDetails) -> Vec<ChainTurn> {
    let index = desk.shown_call();
    // The end of the list is filled up, so that there are always as many as possible.
    let first =
        index.saturating_sub(MAX_TURNS / 2).min(details.calls.len().saturating_sub(MAX_TURNS));
    let calls = details.calls.iter().enumerate().skip(first).take(MAX_TURNS);
    let turns = calls.map(|(call_index, call)| {
        // This subject means that the call was added, removed or moved, which the mark says.
        let subjects = call.subjects.iter().filter(|s| **s != ChangeSubject::HttpCall);
        let words = subjects.take(2).map(|s| s.description()).collect::<Vec<&str>>().join(", ");
        let (name, mark_label) = match (call.numbers.old, call.numbers.new) {
            (None, Some(new)) => (format!("+ {new}"), "added".to_owned()),
            (Some(old), None) => (format!("− {old}"), "removed".to_owned()),
            (_, new) => {
                let is_moved = call.subjects.contains(&ChangeSubject::HttpCall);
                let word = match (is_moved, words.is_empty()) {
                    (true, true) => "moved".to_owned(),
                    (true, false) => format!("moved, {words}"),
                    (false, true) => "equal".to_owned(),
                    (false, false) => words,
                };
                (new.unwrap_or_default().to_string(), word)
            }
        };
        ChainTurn {
            action: ReviewAction::ShowCall(call_index),
            name,
            mark_label,
            is_here: call_index == index,
            is_unpaired: call.numbers.old.is_none() || call.numbers.new.is_none(),
        }
    });
    turns.collect()
}

impl PairChange {
    fn new(desk: &ReviewDesk, change: &TakeChange) -> Self {
        let key = change.key();
        Self {
            side: if desk.is_from_old(&key) { Side::Left } else { Side::Right },
            key,
            sentence: change.sentence.to_string(),
            pointer: change.pointer().to_owned(),
            kind: change.kind,
            subject: change.subject,
            is_separable: change.is_separable(),
        }
    }
}

/// Returns the remark about a pair as a whole, as a sentence.
fn remark(reviewed: &Reviewed) -> Option<String> {
    let comparison = &reviewed.compared;
    if let Some(fault) = &comparison.fault {
        return Some(format!("{fault}."));
    }
    let move_remark = || {
        let (old, new) = reviewed.pair.old.as_ref().zip(reviewed.pair.new.as_ref())?;
        (old.path != new.path).then(|| format!("Moved from {}.", old.path))
    };
    match comparison.status {
        PairStatus::Added => Some("Added: there is no old recording.".to_owned()),
        PairStatus::Removed => Some("Removed: there is no new recording.".to_owned()),
        // Listed although nothing differs: git shows the file as changed.
        PairStatus::Same if comparison.bytes_only => Some(
            "Same content, different bytes: only order, whitespace or spelling of values differs."
                .to_owned(),
        ),
        PairStatus::IgnoredOnly => Some("All differences are ignored.".to_owned()),
        _ => move_remark(),
    }
}

fn explanation(desk: &ReviewDesk, has_source: bool) -> Option<String> {
    let change = desk.shown().and_then(|r| r.ok()?.source_change.as_ref());
    match change {
        Some(why) => Some(format!("{}.", why.message)),
        None => has_source.then(|| "The source changed between these recordings.".to_owned()),
    }
}

/// Returns the consequences of the pair, and what in it is a consequence of something else.
fn follows(reviewed: &Reviewed, details: Option<&Arc<PairDetails>>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for change in &reviewed.compared.changes {
        let line = match &change.follows {
            None => continue,
            Some(Follows::Turn(turn)) => format!("Request, because of {}", short_path(turn)),
            Some(Follows::OfferedTools) => "Signature: tool names".to_owned(),
            Some(Follows::Messages) => "Signature: message count".to_owned(),
            Some(Follows::Context) => "Signature: context keys".to_owned(),
            Some(Follows::Call(cause)) => {
                let number = change.call.as_ref().and_then(|call| call.numbers[1]);
                match number {
                    Some(number) => format!("Call {number}, because of call {cause}"),
                    None => continue,
                }
            }
        };
        // Every message of a turn has the same cause.
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if let Some((count, names)) = details.map(|details| &details.followers).filter(|f| f.0 > 0) {
        let mut names: Vec<String> = names.iter().take(MAX_NAMED_FILES).map(|n| stem(n)).collect();
        if *count > names.len() {
            names.push(format!("{} more", count - names.len()));
        }
        lines.push(format!("Messages of {}", document::text::listed(&names)));
    }
    lines
}

impl IgnoredData {
    fn new(reviewed: &Reviewed, is_open: bool) -> Self {
        let words = reviewed.compared.ignored_counts();
        let lines = reviewed.compared.ignored_changes().take(MAX_LISTED_CHANGES);
        Self {
            count: reviewed.compared.ignored_changes().count(),
            summary: document::text::listed(&words),
            // Built only when shown: a re-recorded cassette ignores hundreds.
            lines: if is_open {
                lines.map(|change| without_backticks(&change.sentence)).collect()
            } else {
                Vec::new()
            },
        }
    }
}

impl PairSheet {
    fn update(sheet: &mut Option<Self>, desk: &ReviewDesk, tab: InspectorTab, pane: DiffLayout) {
        let Some(Ok(details)) = desk.shown() else {
            *sheet = None;
            return;
        };
        let call = desk.shown_call();
        let conversation = details.calls.get(call).and_then(|c| c.conversation.as_ref());
        let shown_as = match (tab, conversation, &details.json) {
            (InspectorTab::Text, ..) => InspectorTab::Text,
            (InspectorTab::Conversation | InspectorTab::Problems, Some(calls), _)
                // The conversation is shown by itself only if the change to decide is in it.
                if desk.pane.is_format_chosen || has_change(desk, calls, details.calls.get(call)) =>
            {
                InspectorTab::Conversation
            }
            (_, _, Some(_)) => InspectorTab::Tree,
            _ => InspectorTab::Text,
        };
        let is_same = |inputs: &PairSheetInputs| {
            // By address: details are replaced as a whole, and comparing texts would cost more than it saves.
            Arc::ptr_eq(&inputs.shown, details)
                && inputs.call == call
                && (inputs.shown_as, inputs.pane) == (shown_as, pane)
                && inputs.opened == desk.pane.opened
        };
        if !sheet.as_ref().is_some_and(|sheet| is_same(&sheet.made_from)) {
            let made_from = PairSheetInputs {
                shown: Arc::clone(details),
                call,
                shown_as,
                pane,
                opened: desk.pane.opened.clone(),
            };
            *sheet = Some(Self::new(desk, made_from));
        }
        if let Some(sheet) = sheet {
            // In every frame, since another change of the same pair needs no new sheet.
            sheet.focus = sheet.focus_of(desk.pane.change);
        }
    }

    fn new(desk: &ReviewDesk, made_from: PairSheetInputs) -> Self {
        let details = &made_from.shown;
        let layout = match made_from.shown_as {
            InspectorTab::Tree => details.json.as_ref().unwrap_or(&details.text),
            _ => &details.text,
        };
        let is_yaml = desk.selected().is_some_and(|reviewed| {
            let path = reviewed.pair.path();
            path.ends_with(".yaml") || path.ends_with(".yml")
        });
        // The values are written as JSON, whatever the file is.
        let language = if is_yaml && made_from.shown_as == InspectorTab::Text {
            Language::Yaml
        } else {
            Language::Json
        };
        let call = details.calls.get(made_from.call);
        let conversation = call.and_then(|call| call.conversation.as_ref());
        let content = match (made_from.shown_as, conversation) {
            (InspectorTab::Conversation, Some(calls)) => SheetContent::Calls(Arc::clone(calls)),
            _ => SheetContent::Document(Arc::clone(&layout.diff), language),
        };
        /// More than a pair has sections.
        const MAX_SECTIONS: usize = 1 << 30;
        let folds = match made_from.shown_as {
            // Folds of each format are kept apart, because their sections have other contents.
            InspectorTab::Conversation | InspectorTab::Problems => 0,
            InspectorTab::Tree => MAX_SECTIONS,
            InspectorTab::Text => 2 * MAX_SECTIONS,
        };
        let open_folds = |section: usize| desk.opened(folds + section);
        let sheet = Sheet::with_folds(content, &open_folds, made_from.pane);
        Self {
            differences: difference_numbers(desk, &sheet, call),
            sections: sections(desk, &sheet, call),
            places: places(&sheet, layout),
            sheet: Arc::new(sheet),
            focus: SheetFocus::default(),
            shown_as: made_from.shown_as,
            has_conversation: details.calls.iter().any(|c| c.conversation.is_some()),
            has_json: details.json.is_some(),
            folds,
            made_from,
        }
    }

    /// Returns when the recording of a side was recorded, as written in the file.
    pub(super) fn recorded_at(&self, side: Side) -> Option<&str> {
        let call = self.made_from.shown.calls.get(self.made_from.call)?;
        call.conversation.as_ref()?.facts(side).at.as_deref()
    }

    fn focus_of(&self, change: usize) -> SheetFocus {
        match &self.sheet.content {
            SheetContent::Calls(_) => {
                let difference = self.differences.get(change).copied().flatten();
                let section = self.sections.get(change).copied().flatten();
                match (difference, section) {
                    (Some(difference), _) => self.sheet.focus(difference),
                    (None, Some(section)) => self.sheet.focus_on_section(section),
                    (None, None) => SheetFocus::default(),
                }
            }
            _ => {
                let places = self.places.get(change).map_or(&[][..], |places| places);
                // All places of the change, so that it is in view as a whole.
                let rows =
                    places.iter().cloned().reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
                rows.map_or_else(SheetFocus::default, |rows| self.sheet.focus_on(&rows))
            }
        }
    }
}

/// Returns where the shown call has each side of a change; `None` if the change is in another one.
fn pointers<'c>(change: &'c TakeChange, call: Option<&PairCall>) -> Option<[Option<&'c str>; 2]> {
    match &change.call {
        Some(place) => {
            // A change of another call has no place in this sheet.
            let is_shown = call.is_some_and(|call| change.is_in(call.numbers));
            is_shown.then(|| place.shown_at.each_ref().map(Option::as_deref))
        }
        None => Some([&change.old, &change.new].map(|s| s.as_ref().map(|s| &*s.pointer))),
    }
}

/// Returns whether a conversation shows the change that is to be decided: what no model reads is only in the values.
fn has_change(desk: &ReviewDesk, calls: &RecordingComparison, call: Option<&PairCall>) -> bool {
    let Some([old, new]) = desk.change_in_focus().and_then(|c| pointers(c, call)) else {
        return true;
    };
    let mut differences = calls.differences.iter();
    let shows = |pointer: &str| differences.any(|d| overlaps(&d.pointer, pointer));
    // The new side first: only a removed value has no new side.
    new.or(old).is_some_and(shows)
}

/// Returns whether one pointer is inside the other, or equal to it.
fn overlaps(other: &str, pointer: &str) -> bool {
    is_within(other, pointer) || is_within(pointer, other)
}

/// Returns for each change of the pair the difference between the calls that shows it.
fn difference_numbers(
    desk: &ReviewDesk,
    sheet: &Sheet,
    call: Option<&PairCall>,
) -> Vec<Option<usize>> {
    let (SheetContent::Calls(calls), Some(reviewed)) = (&sheet.content, desk.selected()) else {
        return Vec::new();
    };
    let numbers = reviewed.compared.direct_changes().map(|change| {
        let [old, new] = pointers(change, call)?;
        let pointer = new.or(old)?;
        let differences = calls.differences.iter().enumerate();
        let candidates = differences.filter(|(_, d)| overlaps(&d.pointer, pointer));
        // The longest pointer is the closest: a whole answer may differ around the value, too.
        candidates.max_by_key(|(_, d)| d.pointer.len()).map(|(index, _)| index)
    });
    numbers.collect()
}

/// Returns whether a pointer equals another one or is inside it.
fn is_within(outer: &str, inner: &str) -> bool {
    let rest = inner.strip_prefix(outer);
    // At a slash only, or `/messages/1` would contain `/messages/10`.
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns for each change of the pair the section of the calls that contains it.
fn sections(desk: &ReviewDesk, sheet: &Sheet, call: Option<&PairCall>) -> Vec<Option<usize>> {
    let (SheetContent::Calls(calls), Some(reviewed)) = (&sheet.content, desk.selected()) else {
        return Vec::new();
    };
    let numbers = reviewed.compared.direct_changes().map(|change| {
        let sides = pointers(change, call)?;
        // In a call that was converted, only the surroundings of a value may be known.
        let is_near = change.call.is_some();
        let mut sections = calls.sections.iter();
        sections.position(|section| {
            let mut sides = section.pointers.iter().zip(sides);
            sides.any(|(section, pointer)| match (section, pointer) {
                (Some(section), Some(pointer)) => {
                    is_within(section, pointer) || is_near && is_within(pointer, section)
                }
                _ => false,
            })
        })
    });
    numbers.collect()
}

/// Returns for each change of the pair the rows of the texts that contain it.
fn places(sheet: &Sheet, layout: &PairText) -> Vec<Vec<Range<usize>>> {
    if matches!(sheet.content, SheetContent::Calls(_)) {
        return Vec::new();
    }
    let rows = |places: &[Option<document::text::Span>; 2]| {
        let rows = Side::BOTH.into_iter().zip(places);
        rows.filter_map(|(side, span)| sheet.rows_of(side, (*span)?)).collect()
    };
    layout.places.iter().map(rows).collect()
}
