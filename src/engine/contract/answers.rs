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
pub(super) fn chosen_answer(looking: &ContractLookup<'_>) -> Option<TestedAnswer> {
    match &looking.request.key.answer {
        AnswerSource::Kept => recorded_answer(looking),
        AnswerSource::Document(doc, pointer) => {
            let item = looking.request.items.get(*doc)?;
            let found = file_answers(&looking.read(*doc, item).ok()?).into_iter();
            Some(answer_from_offer(found.into_iter().find(|it| it.pointer == **pointer)?, item))
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
fn recorded_answer(looking: &ContractLookup<'_>) -> Option<TestedAnswer> {
    let document = &looking.request.document;
    let session = session_at(document, &looking.request.key.id.pointer)?;
    if let Some(answer) = incident_answer(document, session) {
        return Some(TestedAnswer {
            text: answer.text.into(),
            latency_ms: answer.latency_ms,
            since: AnswerOrigin::Failed,
            place: "".into(),
        });
    }
    let context = session.context.map(|node| document.node(node));
    let made_of = context.and_then(|context| answer_from_recordings(looking, context));
    made_of.or_else(|| answer_from_report(looking, text(&session.input)?))
}

fn answer_from_recordings(looking: &ContractLookup<'_>, context: Node<'_>) -> Option<TestedAnswer> {
    let is_made_of =
        |turn: &Node<'_>| turn.get("provenance").and_then(Node::as_str) == Some("recordings");
    let made_of = context.items().find(is_made_of)?;
    let set = made_of.get("set").and_then(Node::as_str)?;
    let files: Vec<&str> = made_of.get("files")?.items().filter_map(Node::as_str).collect();
    // The last call of a conversation has its final answer, which the contract is about.
    files.iter().rev().find_map(|file| {
        let is_it = |item: &Item| {
            item.kind == FileKind::Recording && item.file_name() == *file && item.set() == set
        };
        let (doc, item) = looking.items().find(|(_, item)| is_it(item))?;
        let document = looking.read(doc, item).ok()?;
        Some(answer_from_offer(file_answers(&document).into_iter().next()?, item))
    })
}

fn answer_from_report(looking: &ContractLookup<'_>, input: &str) -> Option<TestedAnswer> {
    let mut reports: Vec<_> =
        looking.items().filter(|(_, it)| it.kind == FileKind::Report).collect();
    // The latest first: the last failure is the one to fix.
    reports.sort_by(|a, b| b.1.recorded_at.cmp(&a.1.recorded_at));
    reports.into_iter().take(MAX_REPORTS).find_map(|(doc, item)| {
        let document = looking.read(doc, item).ok()?;
        let mut failed = file_answers(&document).into_iter();
        let offer = failed.find(|it| {
            it.origin == AnswerOrigin::Failed && it.question.as_deref() == Some(input)
        })?;
        Some(answer_from_offer(offer, item))
    })
}

fn answer_from_offer(offer: FileAnswer, item: &Item) -> TestedAnswer {
    TestedAnswer {
        text: offer.answer.text.into(),
        latency_ms: offer.answer.latency_ms,
        since: offer.origin,
        place: if offer.title.is_empty() {
            visible(&item.root_path).into()
        } else {
            format!("{}, {}", visible(&offer.title), visible(&item.root_path)).into()
        },
    }
}
