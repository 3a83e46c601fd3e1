//! Changes of cassettes that fix the failures of a run: all changes of one file as one step, played before it is offered.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::fixes::{CassetteChange, CassetteFix, describe_changes};
use super::kept_answers::KeptAnswers;
use super::later_calls::LaterCalls;
use super::nearest::NearestCall;
use super::order::OrderChange;
use super::{CassetteFiles, compares_body};
use crate::client::{
    CassettePlayer, CassetteState, ClientRules, HttpRequest, RecordedRequest, RequestBody,
};
use crate::triage::CauseGroup;
use document::Document;
use document::edit::{Edit, correct_lengths, plan_all, read_again, with_copy};
use document::files::FileStep;
use document::text::Source;

/// The changes of cassettes for each cause of a run, and for all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CassettePlan {
    /// In the order of the causes.
    pub causes: Vec<CassetteSteps>,
    pub all: CassetteSteps,
}

/// Changes of cassettes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CassetteSteps {
    pub steps: Vec<FileStep>,
    /// In a few words, in the imperative.
    pub title: String,
    /// Without a full stop.
    pub sentence: String,
    /// The positions of the failures whose requests find an answer in the changed files.
    pub answered: Vec<usize>,
    /// The positions of the failures whose requests are not known, so that they are not played.
    pub unplayed: Vec<usize>,
}

impl CassettePlan {
    /// Plans the changes for the failures of some causes. `fix_at` returns the fix of a failure with its position, if it has one.
    pub(crate) fn new<'f>(
        groups: &[CauseGroup],
        fix_at: impl Fn(usize) -> Option<(usize, &'f CassetteFix)>,
        files: &CassetteFiles,
    ) -> Self {
        let fixes = |groups: &[CauseGroup]| {
            let failures = groups.iter().flat_map(|group| &group.failures);
            failures.filter_map(|at| fix_at(*at)).collect::<Vec<_>>()
        };
        let of_group = |group| steps(&fixes(std::slice::from_ref(group)), files);
        Self { causes: groups.iter().map(of_group).collect(), all: steps(&fixes(groups), files) }
    }
}

/// A change of a call.
#[derive(Clone, Debug)]
pub(super) struct CallChange {
    pub(super) path: Arc<str>,
    /// Its position, from 0.
    pub(super) index: usize,
    pub(super) pointer: String,
    /// The edits of its request; none if it is to answer once more.
    pub(super) edits: Vec<Edit>,
    /// The calls behind it.
    pub(super) later: LaterCalls,
    /// Whether the call stays, and a copy of it is changed.
    pub(super) is_copy: bool,
    pub(super) proof: Proof,
}

/// A request, and the number of times that a cassette must answer it.
#[derive(Clone, Debug)]
pub(super) struct Proof {
    pub(super) request: HttpRequest,
    pub(super) rules: ClientRules,
    pub(super) plays: usize,
}

impl Proof {
    /// Returns the request that was sent; `None` if what the client compares of it is not known.
    pub(super) fn new(near: &NearestCall, rules: ClientRules) -> Option<Self> {
        let recorded = &near.call.request;
        let mut request = near.sent.as_sent(Some(recorded));
        request.url.as_ref()?;
        if matches!(request.body, RequestBody::Unknown) {
            if !near.has_same_body && compares_body(&rules) {
                return None;
            }
            request.body = recorded.body.clone();
        }
        Some(Self { request, rules, plays: 1 })
    }

    /// Returns how often a cassette answers the request, at most once for each of its calls.
    pub(super) fn count_plays(&self, document: &Document) -> usize {
        self.plays_of(RecordedRequest::all(document)).len()
    }

    /// Returns those of some calls that answer the request.
    pub(super) fn calls<'r>(&self, recorded: &'r [RecordedRequest]) -> Vec<&'r RecordedRequest> {
        let plays = self.plays_of(recorded.to_vec());
        recorded.iter().filter(|call| plays.contains(&call.index)).collect()
    }

    /// Returns the call that answers the request first.
    fn first_play(&self, document: &Document) -> Option<usize> {
        self.plays_of(RecordedRequest::all(document)).first().copied()
    }

    /// Returns the calls that answer the request, sent repeatedly.
    fn plays_of(&self, recorded: Vec<RecordedRequest>) -> Vec<usize> {
        let most_plays = recorded.len();
        let player = CassettePlayer::new(recorded, CassetteState::Loaded, self.rules.clone());
        let Ok(mut player) = player else { return Vec::new() };
        (0..most_plays).map_while(|_| player.answer(&self.request).outcome.played()).collect()
    }

    pub(super) fn holds(&self, document: &Document) -> bool {
        self.count_plays(document) >= self.plays
    }
}

/// Plans the changes for some failures, given with their positions.
fn steps(fixes: &[(usize, &CassetteFix)], files: &CassetteFiles) -> CassetteSteps {
    let mut plan = CassetteSteps::default();
    let all: Vec<&CassetteFix> = fixes.iter().map(|(_, fix)| *fix).collect();
    plan.title = all.iter().find_map(|fix| fix.title()).unwrap_or_default().to_owned();
    plan.sentence = describe_changes(&all).unwrap_or_default();
    let mut by_path: BTreeMap<&Arc<str>, Vec<(usize, &CallChange)>> = BTreeMap::new();
    for (at, fix) in fixes {
        match &fix.change {
            None => {}
            Some(CassetteChange::Call(call)) => {
                by_path.entry(&call.path).or_default().push((*at, call));
            }
            Some(CassetteChange::Reorder(OrderChange { path, text })) => {
                if let Some(document) = files.documents.get(path) {
                    plan.answered.push(*at);
                    let step = write(path, document, text);
                    plan.steps.extend(Some(step).filter(|step| !plan.steps.contains(step)));
                }
            }
            Some(CassetteChange::Rename { from, to, proof }) => {
                let step = FileStep::Rename { from: Arc::clone(from), to: Arc::clone(to) };
                // Two tests cannot both get one cassette.
                let is_other = |other: &FileStep| other.path() == from && *other != step;
                if plan.steps.iter().any(is_other) {
                    continue;
                }
                let document = files.documents.get(from);
                match proof.as_ref().zip(document) {
                    Some((proof, document)) if proof.holds(document) => plan.answered.push(*at),
                    Some(_) => {}
                    None => plan.unplayed.push(*at),
                }
                if !plan.steps.contains(&step) {
                    plan.steps.push(step);
                }
            }
        }
    }
    let mut kept_answers = Vec::new();
    for (path, changes) in by_path {
        // A file whose calls are put in another order has one change.
        let is_planned = plan.steps.iter().any(|step| step.path() == path);
        let document = files.documents.get(path).filter(|_| !is_planned);
        kept_answers.extend(document.and_then(|doc| plan.change_calls(path, &changes, doc)));
    }
    plan.steps.extend(files.ledger.as_ref().and_then(|ledger| ledger.mark(&kept_answers)));
    plan
}

impl CassetteSteps {
    /// Plans the changes of a file. Returns its changed calls whose answers stay.
    fn change_calls<'c>(
        &mut self,
        path: &'c Arc<str>,
        changes: &[(usize, &CallChange)],
        document: &'c Document,
    ) -> Option<KeptAnswers<'c>> {
        let calls: Vec<&CallChange> = changes.iter().map(|(_, call)| *call).collect();
        let new_text = changed_text(document, &calls)?;
        let new_document = document::read(Source::new(new_text.as_str()), path);
        let answered = changes.iter().filter(|(_, call)| call.proof.holds(&new_document));
        self.answered.extend(answered.map(|(at, _)| *at));
        self.steps.push(write(path, document, &new_text));
        let changed_calls = calls.iter().filter(|call| !call.edits.is_empty());
        let indices = changed_calls.clone().filter_map(|call| call.proof.first_play(&new_document));
        let copies_before =
            |index: usize| calls.iter().filter(|call| call.is_copy && call.index < index).count();
        let later_calls = changed_calls.clone().flat_map(|call| &call.later.changed);
        let later_indices = later_calls.map(|later| later.index + copies_before(later.index));
        let calls: BTreeSet<usize> = indices.chain(later_indices).map(|index| index + 1).collect();
        let old_text = document.source().text();
        (!calls.is_empty()).then_some(KeptAnswers { path, old_text, new_text, calls })
    }
}

fn write(path: &Arc<str>, document: &Document, text: &str) -> FileStep {
    FileStep::Write {
        path: Arc::clone(path),
        before: Some(document.source().text().as_bytes().into()),
        after: Some(text.as_bytes().into()),
    }
}

/// Edits of a call with its position, whether it is a copy, and its pointer.
type PlacedEdits<'c> = (usize, bool, &'c str, &'c [Edit]);

/// Returns the text of a cassette after some changes of its calls, each made once; `None` if they cannot be made.
pub(super) fn changed_text<'c>(document: &Document, changes: &[&'c CallChange]) -> Option<String> {
    let mut unique: Vec<&'c CallChange> = Vec::new();
    for change in changes {
        let is_same = |other: &&CallChange| {
            other.index == change.index
                && other.is_copy == change.is_copy
                && other.edits == change.edits
        };
        if !unique.iter().any(is_same) {
            unique.push(change);
        }
    }
    let to_edited =
        |change: &&'c CallChange| (change.index, change.is_copy, &*change.pointer, &*change.edits);
    let mut edited: Vec<PlacedEdits<'c>> = unique.iter().map(to_edited).collect();
    for later in unique.iter().flat_map(|change| &change.later.changed) {
        // What a log shows of the call itself comes first.
        if !edited.iter().any(|(index, is_copy, ..)| *index == later.index && !is_copy) {
            edited.push((later.index, false, &later.pointer, &later.edits));
        }
    }
    edited.sort_by_key(|(index, is_copy, ..)| (*index, *is_copy));
    let mut text = document.source().text().to_owned();
    // From the last to the first, so that the places of the others stay.
    for (_, _, pointer, _) in edited.iter().rev().filter(|(_, is_copy, ..)| *is_copy) {
        with_copy(&read_again(&document.tree, &text), pointer).ok()?.apply(&mut text);
    }
    let tree = read_again(&document.tree, &text);
    let mut edits = Vec::new();
    let mut copies = 0;
    for (_, is_copy, old_pointer, call_edits) in edited {
        let (list, position) = old_pointer.rsplit_once('/')?;
        let before = copies;
        copies += usize::from(is_copy);
        let new_position = || Some(position.parse::<usize>().ok()? + copies);
        // Without a copy before it, a call may be in no list.
        let pointer = match before + copies {
            0 => old_pointer.to_owned(),
            _ => format!("{list}/{}", new_position()?),
        };
        let moved = |edit: &Edit| {
            let rest = edit.pointer().strip_prefix(old_pointer)?;
            Some(edit.at(format!("{pointer}{rest}")))
        };
        edits.extend(call_edits.iter().map(moved).collect::<Option<Vec<_>>>()?);
    }
    let edit = plan_all(&tree, &edits).ok()?;
    let mut new_text = text;
    if let Some(edit) = edit {
        edit.apply(&mut new_text);
    }
    Some(correct_lengths(&tree, new_text))
}
