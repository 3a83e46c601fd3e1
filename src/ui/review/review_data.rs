//! Data that the review desk shows of the selected pair.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::format_text::{path_below, renamed, short_path, stem, without_backticks};
use compare::recordings::DifferenceTarget;
use compare::review::{
    AlignedCalls, ChangeKey, ChangeSubject, ComparisonFault, FileFault, FirstDifference, Follows,
    PairComparison, PairKey, PairStatus, PairedBy, PartnerCandidate, ReviewGroup, ReviewVerdict,
    Reviewed, TakeChange, TurnStatus,
};
use document::diff::Side;
use document::diff::fold::OpenFolds;
use document::text::{common_folder, visible};
use protocol::{DocId, PairCall, PairDetails, PairText};
use widgets::AlignedBlock;
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent, SheetFocus};
use workbench::{Action, DiffLayout, InspectorTab, ReviewAction, ReviewDesk, Workbench};

/// Data of everything beside the queue.
#[derive(Debug, Default)]
pub(super) struct ReviewData {
    pub(super) pair: Option<PairData>,
    /// The change that a decision is about.
    pub(super) change: Option<ChangeData>,
    pub(super) sheet: Option<PairSheet>,
    /// The names of all pairs of the open group.
    pub(super) names: Vec<PairName>,
    made_from: Option<(u64, u64)>,
}

/// The name of a pair among those of its group.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PairName {
    /// Its path in the folder of its group; of a file that got another name, also the old one.
    pub(super) text: String,
    /// Its whole path, and the old one if it has another.
    pub(super) tip: String,
}

/// The selected pair.
#[derive(Debug)]
pub(super) struct PairData {
    pub(super) key: PairKey,
    /// Its place in its group, from 0.
    pub(super) place: usize,
    pub(super) doc: Option<DocId>,
    /// The turns of its conversation or the calls of its file, each with the action that selects it.
    pub(super) calls: Vec<(AlignedBlock, ReviewAction)>,
    /// The selected one of them.
    pub(super) call: usize,
    /// The first difference that matters, and the action that goes to it.
    pub(super) first: Option<(String, Action)>,
    /// Number of its own changes, without consequences of other changes.
    pub(super) changes: usize,
    /// Sentences about the pair as a whole.
    pub(super) remarks: Vec<String>,
    pub(super) has_conflict: bool,
    /// Whether the remarks are a warning: a version is damaged, or what was edited by hand is overwritten.
    pub(super) is_warning: bool,
    /// The decision that keeps what was edited by hand, if something of it is overwritten that can be kept by itself.
    pub(super) keep_edits: Option<ReviewVerdict>,
    /// Whether the source then and now can be shown.
    pub(super) leads_to_source: bool,
    pub(super) is_paired_by_hand: bool,
    pub(super) partners: Vec<PartnerCandidate>,
    pub(super) shows_partners: bool,
    pub(super) note: String,
    pub(super) group_note: GroupNote,
}

/// The note on the group of the pair.
#[derive(Debug)]
pub(super) struct GroupNote {
    pub(super) id: Arc<str>,
    pub(super) pairs: usize,
    pub(super) text: String,
}

/// The change that a decision is about, with its two values.
#[derive(Debug)]
pub(super) struct ChangeData {
    pub(super) key: ChangeKey,
    pub(super) sentence: String,
    pub(super) subject: ChangeSubject,
    /// `None` if both values are the same, as of a call that moved.
    pub(super) sheet: Option<Arc<Sheet>>,
    /// Offset of the section number under which its open folds are stored.
    pub(super) folds: usize,
    /// Whether its side can be chosen.
    pub(super) is_separable: bool,
    pub(super) is_from_old: bool,
    made_from: ChangeInputs,
}

/// The details of the pair, the change, the revision of the desk, and the layout.
type ChangeInputs = (Arc<PairDetails>, usize, u64, DiffLayout);

/// More than a pair has sections.
const MAX_SECTIONS: usize = 1 << 30;

/// The two recordings as a sheet.
#[derive(Debug)]
pub(super) struct PairSheet {
    pub(super) sheet: Arc<Sheet>,
    pub(super) focus: SheetFocus,
    /// Number of ignored differences, and the section under whose number they are opened.
    pub(super) noise: (usize, usize),
    pub(super) is_noise_open: bool,
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

/// The details of the pair, the shown call by its place in them, the change in focus, whose section is left out if nothing else differs
/// in it, the format, the layout, and the open folds.
type PairSheetInputs =
    (Arc<PairDetails>, usize, usize, InspectorTab, DiffLayout, BTreeMap<usize, OpenFolds>);

impl ReviewData {
    /// Synchronizes with the workbench; costs almost nothing if nothing changed.
    pub(super) fn update(&mut self, workbench: &Workbench, pane: DiffLayout) {
        let desk = &workbench.review;
        // The library counts too: the document of a pair may be opened or closed.
        let made_from = Some((desk.revision, workbench.core.library.revision));
        if self.made_from != made_from {
            self.made_from = made_from;
            self.pair = PairData::new(desk);
            self.names =
                desk.open_group().map_or_else(Vec::new, |(group, _)| pair_names(desk, group));
        }
        ChangeData::update(&mut self.change, desk, pane);
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

/// Returns the names of the pairs of a group. A file of which another one in the group has the name is listed with its folders.
fn pair_names(desk: &ReviewDesk, group: &ReviewGroup) -> Vec<PairName> {
    let pairs = || group.pairs.iter().filter_map(|index| desk.review.pairs.get(*index));
    let paths: Vec<&str> = pairs().map(|reviewed| reviewed.pair.path()).collect();
    let (folder, mut files) = (common_folder(&paths), BTreeMap::new());
    for path in &paths {
        *files.entry(stem(path)).or_insert(0) += 1;
    }
    let name = |reviewed: &Reviewed| {
        let path = reviewed.pair.path();
        let is_unique = files.get(&stem(path)) == Some(&1) && !reviewed.pair.is_renamed();
        let start = path.rfind('/').map_or(0, |slash| slash + 1);
        pair_name(reviewed, if is_unique { start } else { folder })
    };
    pairs().map(name).collect()
}

fn pair_name(reviewed: &Reviewed, folder: usize) -> PairName {
    let pair = &reviewed.pair;
    let (path, new) = (pair.path(), path_below(pair.path(), folder));
    let Some(old) = pair.old.as_ref().filter(|_| pair.is_renamed()) else {
        return PairName { text: new, tip: visible(path).into_owned() };
    };
    // A file that was moved from another folder keeps that folder in its old name.
    let is_beside = path.get(..folder) == old.path.get(..folder);
    let old_name = path_below(&old.path, if is_beside { folder } else { 0 });
    PairName {
        text: renamed(&old_name, &new),
        tip: format!("{}\nwas {}", visible(path), visible(&old.path)),
    }
}

impl PairData {
    fn new(desk: &ReviewDesk) -> Option<Self> {
        let (index, reviewed) = (desk.pair?, desk.selected()?);
        let (group, _) = desk.open_group()?;
        let comparison = &reviewed.compared;
        let details = desk.shown().and_then(Result::ok);
        let fault = comparison.fault.as_ref();
        let conflict = fault.and_then(ComparisonFault::of_new);
        let has_other_source =
            comparison.direct_changes().any(|change| change.subject == ChangeSubject::Source);
        let first = desk.review.first_difference_of(index);
        let (calls, call) = details.map_or_else(Default::default, |details| {
            match details.calls.len() {
                // A file of one call is a turn of a conversation in its folder; several calls are their own sequence.
                0 | 1 => turns(desk, details, index),
                _ => {
                    let aligned = first.as_ref().and_then(FirstDifference::aligned);
                    (calls(details, aligned), desk.shown_call())
                }
            }
        });
        let first = first.filter(|_| calls.len() > 1);
        Some(Self {
            key: reviewed.pair.key(),
            place: group.pairs.iter().position(|pair| *pair == index)?,
            doc: desk.doc,
            calls,
            call,
            first: first.and_then(|first| {
                let key = first.change?.key();
                let change = comparison.direct_changes().position(|change| change.key() == key)?;
                Some((first.sentence()?, ReviewAction::ShowChange(change).into()))
            }),
            changes: comparison.direct_changes().count(),
            remarks: remarks(desk, reviewed, has_other_source),
            keep_edits: comparison.keep_edits().filter(|_| loses_edits(desk, comparison)),
            // Of all faults only this one can be solved in the window.
            has_conflict: matches!(conflict, Some(FileFault::ConflictMarkers(_))),
            is_warning: fault.is_some_and(ComparisonFault::is_broken)
                || loses_edits(desk, comparison),
            leads_to_source: has_other_source && desk.doc.is_some(),
            is_paired_by_hand: desk.is_paired_by_hand(),
            partners: details.map_or_else(Vec::new, |details| details.partners.clone()),
            shows_partners: desk.shows_partners,
            note: desk.decision().map_or_else(String::new, |d| d.note.clone()),
            group_note: GroupNote {
                id: group.id.as_str().into(),
                pairs: group.pairs.len(),
                text: desk.decisions.group_note(&group.id).to_owned(),
            },
        })
    }
}

/// Returns the turns of the conversation of a pair, and which of them it is.
fn turns(
    desk: &ReviewDesk,
    details: &PairDetails,
    pair_index: usize,
) -> (Vec<(AlignedBlock, ReviewAction)>, usize) {
    let turn = |(place, (turn, status)): (usize, &(usize, TurnStatus))| {
        let pair = &desk.review.pairs.get(*turn)?.pair;
        let word = match status {
            TurnStatus::Equal => "equal",
            TurnStatus::First => "first change",
            TurnStatus::Follows => "follows",
        };
        let number = |take: bool| take.then_some(place + 1);
        let block = AlignedBlock {
            numbers: [number(pair.old.is_some()), number(pair.new.is_some())],
            is_changed: *status != TurnStatus::Equal,
            is_first: *status == TurnStatus::First,
            name: format!("{}, {word}", stem(pair.path())),
        };
        Some((block, ReviewAction::Select(pair.key())))
    };
    let turns = details.chain.iter().enumerate().filter_map(turn).collect();
    // The details may still be those of the previous pair.
    let index = details.chain.iter().position(|(turn, _)| *turn == pair_index);
    (turns, index.unwrap_or_default())
}

/// Returns the calls of a cassette.
fn calls(details: &PairDetails, first: Option<AlignedCalls>) -> Vec<(AlignedBlock, ReviewAction)> {
    let call = |(index, call): (usize, &PairCall)| {
        // This subject means that the call was added, removed or moved, which the mark says.
        let subjects = call.subjects.iter().filter(|s| **s != ChangeSubject::HttpCall);
        let subjects = subjects.map(|s| s.description()).collect::<Vec<&str>>().join(", ");
        let is_moved = call.subjects.contains(&ChangeSubject::HttpCall);
        let (number, word) = match (call.numbers.old, call.numbers.new) {
            (None, number) => (number, "added".to_owned()),
            (number, None) => (number, "removed".to_owned()),
            (_, number) if is_moved && subjects.is_empty() => (number, "moved".to_owned()),
            (_, number) if is_moved => (number, format!("moved, {subjects}")),
            (_, number) if subjects.is_empty() => (number, "equal".to_owned()),
            (_, number) => (number, subjects),
        };
        let is_first = first == Some(call.numbers);
        let mark = if is_first { ", first difference" } else { "" };
        let block = AlignedBlock {
            numbers: [call.numbers.old, call.numbers.new],
            is_changed: !call.subjects.is_empty(),
            is_first,
            name: format!("Call {}, {word}{mark}", number.unwrap_or_default()),
        };
        (block, ReviewAction::ShowCall(index))
    };
    details.calls.iter().enumerate().map(call).collect()
}

/// Returns whether the new take of the selected pair overwrites what was edited by hand, as far as it is decided.
fn loses_edits(desk: &ReviewDesk, comparison: &PairComparison) -> bool {
    let verdict = desk.decision().and_then(|decision| decision.verdict.as_ref());
    let is_kept = verdict.is_some_and(|v| v.is_decision() && v.keeps_edits(comparison));
    !comparison.edits.is_empty() && !is_kept
}

/// Returns what is to be known about a pair as a whole, in sentences.
fn remarks(desk: &ReviewDesk, reviewed: &Reviewed, has_other_source: bool) -> Vec<String> {
    let comparison = &reviewed.compared;
    if let Some(fault) = &comparison.fault {
        return vec![format!("{fault}.")];
    }
    let pair = &reviewed.pair;
    let mut sentences = Vec::new();
    let verb = if loses_edits(desk, comparison) { "Overwrites" } else { "Keeps" };
    sentences.extend(comparison.overwritten().map(|values| format!("{verb} {values}.")));
    match comparison.status {
        PairStatus::Added => sentences.push("Added: there is no old recording.".to_owned()),
        PairStatus::Removed => sentences.push("Removed: there is no new recording.".to_owned()),
        // Listed although nothing differs: git shows the file as changed.
        PairStatus::Same if comparison.bytes_only => sentences.push(
            "Same content, different bytes: only order, whitespace or spelling of values differs."
                .to_owned(),
        ),
        // The texts below say which.
        PairStatus::IgnoredOnly => sentences.push("Only noise differs.".to_owned()),
        _ => {}
    }
    let both = pair.old.as_ref().zip(pair.new.as_ref());
    if let Some((old, _)) = both.filter(|(old, new)| old.path != new.path) {
        sentences.push(format!("Moved from {}.", old.path));
    }
    if both.is_some() && pair.by != PairedBy::Path {
        sentences.push(format!("{}.", pair.by.description(comparison.kind)));
    }
    if comparison.direct_changes().next().is_none() {
        // Every message of a turn has the same cause.
        let cause = comparison.changes.iter().find_map(|change| match &change.follows {
            Some(Follows::Turn(turn)) => Some(short_path(turn)),
            _ => None,
        });
        sentences.extend(cause.map(|turn| format!("All that changed follows from {turn}.")));
    }
    match desk.shown().and_then(|details| details.ok()?.source_change.as_ref()) {
        Some(why) => sentences.push(format!("{}.", without_backticks(&why.message))),
        None if has_other_source => {
            sentences.push("The source changed between these recordings.".to_owned());
        }
        None => {}
    }
    sentences
}

impl ChangeData {
    fn update(data: &mut Option<Self>, desk: &ReviewDesk, pane: DiffLayout) {
        let number = desk.pane.change;
        let (Some(Ok(details)), Some(change)) = (desk.shown(), desk.change_in_focus()) else {
            *data = None;
            return;
        };
        let is_same = |(shown, change, revision, layout): &ChangeInputs| {
            Arc::ptr_eq(shown, details)
                && (*change, *revision, *layout) == (number, desk.revision, pane)
        };
        if data.as_ref().is_some_and(|data| is_same(&data.made_from)) {
            return;
        }
        let folds = 3 * MAX_SECTIONS + number;
        let sheet = details.values.get(number).and_then(Option::as_ref).map(|value| {
            let language = if value.is_text { Language::Prose } else { Language::Values };
            let content = SheetContent::Document(Arc::clone(&value.diff), language);
            Arc::new(Sheet::with_folds(content, &|_| desk.opened(folds), pane))
        });
        let key = change.key();
        *data = Some(Self {
            sentence: change.sentence.to_string(),
            subject: change.subject,
            sheet,
            folds,
            is_separable: change.is_separable(),
            is_from_old: desk.is_from_old(&key),
            key,
            made_from: (Arc::clone(details), number, desk.revision, pane),
        });
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
            (InspectorTab::Conversation | InspectorTab::Problems, Some(_), _) => {
                InspectorTab::Conversation
            }
            (_, _, Some(_)) => InspectorTab::Tree,
            _ => InspectorTab::Text,
        };
        let change = desk.pane.change;
        let opened = &desk.pane.opened;
        let is_same = |(old, old_call, old_change, tab, layout, folds): &PairSheetInputs| {
            // By address: details are replaced as a whole, and comparing texts would cost more than it saves.
            Arc::ptr_eq(old, details)
                && (*old_call, *old_change, *tab, *layout) == (call, change, shown_as, pane)
                && folds == opened
        };
        if !sheet.as_ref().is_some_and(|sheet| is_same(&sheet.made_from)) {
            let inputs = (Arc::clone(details), call, change, shown_as, pane, opened.clone());
            *sheet = Some(Self::new(desk, inputs));
        }
    }

    fn new(desk: &ReviewDesk, made_from: PairSheetInputs) -> Self {
        let (details, call, change, shown_as, pane, _) = &made_from;
        let (change, shown_as, pane) = (*change, *shown_as, *pane);
        let layout = match shown_as {
            InspectorTab::Tree => details.json.as_ref().unwrap_or(&details.text),
            _ => &details.text,
        };
        let is_yaml = desk.selected().is_some_and(|reviewed| {
            let path = reviewed.pair.path();
            path.ends_with(".yaml") || path.ends_with(".yml")
        });
        // The values are written as JSON, whatever the file is.
        let is_yaml_text = is_yaml && shown_as == InspectorTab::Text;
        let language = if is_yaml_text { Language::Yaml } else { Language::Json };
        let call = details.calls.get(*call);
        let conversation = call.and_then(|call| call.conversation.as_ref());
        let content = match (shown_as, conversation) {
            (InspectorTab::Conversation, Some(calls)) => SheetContent::Calls(Arc::clone(calls)),
            _ => SheetContent::Document(Arc::clone(&layout.diff), language),
        };
        let folds = match shown_as {
            // Folds of each format are kept apart, because their sections have other contents.
            InspectorTab::Conversation | InspectorTab::Problems => 0,
            InspectorTab::Tree => MAX_SECTIONS,
            InspectorTab::Text => 2 * MAX_SECTIONS,
        };
        let open_folds = |section: usize| desk.opened(folds + section);
        let differences = difference_numbers(desk, &content, call);
        let hidden = hidden_section(&content, differences.get(change).copied().flatten());
        let ignored = match &content {
            SheetContent::Calls(calls) => (calls.ignored.len(), calls.sections.len()),
            _ => (0, 0),
        };
        let sheet = Sheet::without(content, &open_folds, pane, hidden);
        let mut data = Self {
            sections: sections(desk, &sheet, call),
            places: places(&sheet, layout),
            differences,
            sheet: Arc::new(sheet),
            focus: SheetFocus::default(),
            noise: (ignored.0, folds + ignored.1),
            is_noise_open: open_folds(ignored.1).is_some_and(|open| open.contains(&0)),
            shown_as,
            has_conversation: details.calls.iter().any(|c| c.conversation.is_some()),
            has_json: details.json.is_some(),
            folds,
            made_from,
        };
        data.focus = data.focus_of(change);
        data
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

/// Returns the section that shows nothing but this difference, which is shown apart.
fn hidden_section(content: &SheetContent, difference: Option<usize>) -> Option<usize> {
    let SheetContent::Calls(calls) = content else { return None };
    let DifferenceTarget::Rows(section, _) = &calls.differences.get(difference?)?.target else {
        return None;
    };
    let shown = calls.differences.iter().filter(|d| d.target.is_in(*section));
    (shown.count() == 1).then_some(*section)
}

/// Returns whether one pointer is inside the other, or equal to it.
fn overlaps(other: &str, pointer: &str) -> bool {
    is_within(other, pointer) || is_within(pointer, other)
}

/// Returns for each change of the pair the difference between the calls that shows it.
fn difference_numbers(
    desk: &ReviewDesk,
    content: &SheetContent,
    call: Option<&PairCall>,
) -> Vec<Option<usize>> {
    let (SheetContent::Calls(calls), Some(reviewed)) = (content, desk.selected()) else {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ::compare::review::{Review, Take, TakePair, compare};

    #[test]
    fn a_file_with_another_number_shows_both_names() {
        let take = |path: &str| Some(Arc::new(Take::new(path, b"{}".to_vec())));
        let pair = TakePair {
            old: take("tapes/gpt-5-mini-2.json"),
            new: take("tapes/gpt-5-mini-10.json"),
            by: PairedBy::Content,
        };
        let comparison = compare(&pair, &[]);
        let review = Review::new(vec![(pair, comparison)]);
        for (folder, name) in [(6, "gpt-5-mini-2 → 10"), (0, "tapes/gpt-5-mini-2 → 10")] {
            assert_eq!(pair_name(&review.pairs[0], folder).text, name);
        }
    }
}
