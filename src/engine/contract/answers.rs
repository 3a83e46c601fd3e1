//! Answers to check against a contract: the chosen one, and those that the user can choose.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lookup::ContractLookup;
use crate::engine::disk::project::Project;
use crate::format::{Document, FileKind, Node, text};
use crate::ops::Item;
use crate::ops::contract::{AnswerOrigin, FileAnswer, file_answers, incident_answer};
use crate::ops::session::session_at;
use crate::text::visible;
use crate::workbench::{
    AnswerSource, DocId, FindAnswers, FoundAnswers, OfferedAnswer, TestedAnswer,
};

/// The most answers that are offered at once.
const MAX_OFFERS: usize = 60;
/// The most reports that are searched for an answer to the session's input.
const MAX_REPORTS: usize = 16;
/// The most characters of an answer that are shown.
const EXCERPT_CHARS: usize = 160;

/// Returns the chosen answer, else the recorded one; `None` when there is neither.
pub(super) fn chosen_answer(looking: &ContractLookup<'_>) -> Option<TestedAnswer> {
    match &looking.request.answer {
        AnswerSource::Kept => recorded_answer(looking),
        AnswerSource::Document(doc, pointer) => {
            let item = looking.request.items.get(*doc)?;
            let document = looking.read(*doc, item).ok()?;
            let found = file_answers(&document).into_iter();
            let offer = found.into_iter().find(|it| it.pointer == **pointer)?;
            Some(answer_from_offer(offer, item))
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
    let session = session_at(document, &looking.request.id.pointer)?;
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
    let files: Vec<&str> = made_of
        .get("files")?
        .items()
        .filter_map(Node::as_str)
        .collect();
    files.iter().rev().find_map(|file| {
        let is_it = |item: &Item| {
            item.kind == FileKind::Recording && item.file_name() == *file && item.set() == set
        };
        let (doc, item) = looking.items().find(|(_, item)| is_it(item))?;
        let document = looking.read(doc, item).ok()?;
        Some(answer_from_offer(
            file_answers(&document).into_iter().next()?,
            item,
        ))
    })
}

fn answer_from_report(looking: &ContractLookup<'_>, input: &str) -> Option<TestedAnswer> {
    let reports = looking
        .items()
        .filter(|(_, it)| it.kind == FileKind::Report);
    let mut reports: Vec<_> = reports.collect();
    // The latest first: the last failure is the one to fix.
    reports.sort_by(|a, b| b.1.recorded_at.cmp(&a.1.recorded_at));
    reports
        .into_iter()
        .take(MAX_REPORTS)
        .find_map(|(doc, item)| {
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

/// Finds the answers that can be chosen; `None` when it was cancelled. Reports are read; for recordings and tapes, the item
/// is sufficient.
pub(super) fn find(
    project: &Project,
    wanted: &FindAnswers,
    cancel: &AtomicBool,
) -> Option<FoundAnswers> {
    let words = wanted.query.to_lowercase();
    let mut found: Vec<OfferedAnswer> = Vec::new();
    let mut more = 0;
    for (doc, item) in wanted.items.iter() {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        let of_item = match item.kind {
            FileKind::Report => {
                let read = || project.read(doc.index(), item);
                let document = catch_unwind(AssertUnwindSafe(read));
                match document {
                    Ok(Ok(document)) => {
                        offers_from_document(&document, doc, item, &wanted.question)
                    }
                    _ => Vec::new(),
                }
            }
            FileKind::Recording | FileKind::Tape => vec![offer_from_item(doc, item)],
            _ => continue,
        };
        let fits = |it: &OfferedAnswer| {
            let parts = [&it.title, &it.place, &it.excerpt];
            parts
                .iter()
                .any(|part| part.to_lowercase().contains(&words))
        };
        found.extend(of_item.into_iter().filter(fits));
        // Keep the best ones and bound the memory.
        if found.len() > 8 * MAX_OFFERS {
            more += truncate_offers(&mut found);
        }
    }
    more += truncate_offers(&mut found);
    Some(FoundAnswers { found, more })
}

/// Sorts the best first, drops the rest, and returns how many were dropped.
fn truncate_offers(found: &mut Vec<OfferedAnswer>) -> usize {
    let rank = |it: &OfferedAnswer| {
        (
            !it.is_same,
            it.since != AnswerOrigin::Failed,
            it.excerpt.is_empty(),
        )
    };
    found.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.place.cmp(&b.place)));
    let more = found.len().saturating_sub(MAX_OFFERS);
    found.truncate(MAX_OFFERS);
    more
}

fn offers_from_document(
    document: &Document,
    doc: DocId,
    item: &Item,
    input: &str,
) -> Vec<OfferedAnswer> {
    let offered = file_answers(document).into_iter().map(|offer| {
        let begins: String = offer.answer.text.chars().take(EXCERPT_CHARS).collect();
        OfferedAnswer {
            doc,
            pointer: offer.pointer.into(),
            title: visible(&offer.title).into(),
            place: visible(&item.root_path).into(),
            excerpt: match begins.trim() {
                "" => "(empty answer)".into(),
                begins => visible(begins).into(),
            },
            is_same: !input.is_empty() && offer.question.as_deref() == Some(input),
            since: offer.origin,
        }
    });
    offered.collect()
}

fn offer_from_item(doc: DocId, item: &Item) -> OfferedAnswer {
    OfferedAnswer {
        doc,
        pointer: "".into(),
        title: visible(item.label()).into(),
        place: visible(&item.root_path).into(),
        excerpt: "".into(),
        is_same: false,
        since: AnswerOrigin::Recorded,
    }
}
