//! The answer to check against a contract.

use std::sync::Arc;

use super::root_files::ContractLookup;
use author::contract::{AnswerOrigin, FileAnswer, file_answers, incident_answer};
use author::session::session_at;
use calls::Item;
use document::text::visible;
use document::{FileKind, Node, text};
use protocol::{AnswerSource, TestedAnswer};

/// The most reports that are searched for an answer to the session's input.
// Each report is read and parsed again whenever another session is selected.
const MAX_REPORTS: usize = 16;

/// Returns the chosen answer, else the recorded one; `None` when there is neither.
pub(super) fn chosen_answer(lookup: &ContractLookup<'_>) -> Option<TestedAnswer> {
    match &lookup.request.key.answer {
        AnswerSource::Kept => recorded_answer(lookup),
        AnswerSource::Document(doc, pointer) => {
            let item = lookup.request.items.get(*doc)?;
            let answers = file_answers(&lookup.read(*doc, item).ok()?).into_iter();
            Some(answer_from_offer(answers.into_iter().find(|a| a.pointer == **pointer)?, item))
        }
        AnswerSource::Given(text, latency_ms) => Some(TestedAnswer {
            text: Arc::clone(text),
            latency_ms: *latency_ms,
            since: AnswerOrigin::Given,
            place: "".into(),
        }),
    }
}

/// Returns the incident's own answer: from the session, from the recordings it was made from, or from a report with the same input.
fn recorded_answer(lookup: &ContractLookup<'_>) -> Option<TestedAnswer> {
    let document = &lookup.request.document;
    let session = session_at(document, &lookup.request.key.id.pointer)?;
    if let Some(answer) = incident_answer(document, session) {
        return Some(TestedAnswer {
            text: answer.text.into(),
            latency_ms: answer.latency_ms,
            since: AnswerOrigin::Failed,
            place: "".into(),
        });
    }
    let context = session.context.map(|node| document.node(node));
    let answer = context.and_then(|context| answer_from_recordings(lookup, context));
    answer.or_else(|| answer_from_report(lookup, text(&session.input)?))
}

fn answer_from_recordings(lookup: &ContractLookup<'_>, context: Node<'_>) -> Option<TestedAnswer> {
    let is_made_of =
        |turn: &Node<'_>| turn.get("provenance").and_then(Node::as_str) == Some("recordings");
    let turn = context.items().find(is_made_of)?;
    let set = turn.get("set").and_then(Node::as_str)?;
    let files: Vec<&str> = turn.get("files")?.items().filter_map(Node::as_str).collect();
    // The last call of a conversation has its final answer, which the contract is about.
    files.iter().rev().find_map(|file| {
        let is_named_recording = |item: &Item| {
            item.kind == FileKind::Recording && item.file_name() == *file && item.set() == set
        };
        let (doc, item) = lookup.items().find(|(_, item)| is_named_recording(item))?;
        let document = lookup.read(doc, item).ok()?;
        Some(answer_from_offer(file_answers(&document).into_iter().next()?, item))
    })
}

fn answer_from_report(lookup: &ContractLookup<'_>, input: &str) -> Option<TestedAnswer> {
    let mut reports: Vec<_> =
        lookup.items().filter(|(_, item)| item.kind == FileKind::Report).collect();
    // The latest first: the last failure is the one to fix.
    reports.sort_by(|a, b| b.1.recorded_at.cmp(&a.1.recorded_at));
    reports.into_iter().take(MAX_REPORTS).find_map(|(doc, item)| {
        let document = lookup.read(doc, item).ok()?;
        let mut answers = file_answers(&document).into_iter();
        let offer = answers
            .find(|a| a.origin == AnswerOrigin::Failed && a.question.as_deref() == Some(input))?;
        Some(answer_from_offer(offer, item))
    })
}

fn answer_from_offer(offer: FileAnswer, item: &Item) -> TestedAnswer {
    TestedAnswer {
        text: offer.answer.text.into(),
        latency_ms: offer.answer.latency_ms,
        since: offer.origin,
        place: if offer.title.is_empty() {
            visible(item.root_path()).into()
        } else {
            format!("{}, {}", visible(&offer.title), visible(item.root_path())).into()
        },
    }
}
