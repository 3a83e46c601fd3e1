//! Evaluates the contract of a session, and finds the answers that it can be tested on.

use std::sync::Arc;

use crate::contract::look_up_contract;
use crate::disk::guard::guard_file;
use crate::run::{TaskContext, Work};
use author::contract::{AnswerOrigin, file_answers};
use calls::Item;
use document::text::visible;
use document::{Document, FileKind};
use protocol::{
    ContractEvent, ContractRequest, DocId, EngineEvent, FindAnswers, FoundAnswers, Lane,
    OfferedAnswer, SessionsEvent,
};

/// The most answers that are offered at once.
const MAX_OFFERS: usize = 60;
/// The most characters of an answer that are shown.
const EXCERPT_CHARS: usize = 160;

/// Finds a session's contract and evaluates it.
pub(crate) fn check_contract(request: ContractRequest) -> Work {
    Work::answering(
        Lane::Newest("contract"),
        request,
        |request, context| {
            Some(Ok(Arc::new(look_up_contract(context.project.as_deref()?, request))))
        },
        |request, report| {
            let found = ContractEvent::Found(request.key.clone(), report);
            EngineEvent::Sessions(SessionsEvent::Contract(found))
        },
    )
}

pub(crate) fn find_answers(request: FindAnswers) -> Work {
    Work::answering(Lane::Newest("answers"), request, offer_answers, |request, found| {
        let found = ContractEvent::Answers(request.query.clone(), found);
        EngineEvent::Sessions(SessionsEvent::Contract(found))
    })
}

/// Returns the answers with a text. Reports are read; for recordings and tapes, the item is sufficient.
fn offer_answers(
    request: &FindAnswers,
    context: &TaskContext,
) -> Option<Result<Arc<FoundAnswers>, String>> {
    let project = context.project.as_deref()?;
    let words = request.query.to_lowercase();
    let mut found: Vec<OfferedAnswer> = Vec::new();
    let mut more = 0;
    for (doc, item) in request.items.iter() {
        if context.is_cancelled() {
            return None;
        }
        let of_item = match item.kind {
            FileKind::Report => {
                let document = guard_file(&item.root_path, || project.read(doc.index(), item));
                document.map_or_else(
                    // The library shows that the report cannot be read.
                    |_| Vec::new(),
                    |document| offers_from_document(&document, doc, item, &request.question),
                )
            }
            FileKind::Recording | FileKind::Tape => vec![offer_from_item(doc, item)],
            _ => continue,
        };
        let fits = |it: &OfferedAnswer| {
            let parts = [&it.title, &it.place, &it.excerpt];
            parts.iter().any(|part| part.to_lowercase().contains(&words))
        };
        found.extend(of_item.into_iter().filter(fits));
        // Keep the best ones and bound the memory.
        if found.len() > 8 * MAX_OFFERS {
            more += truncate_offers(&mut found);
        }
    }
    more += truncate_offers(&mut found);
    Some(Ok(Arc::new(FoundAnswers { found, more })))
}

/// Sorts the best first, drops the rest, and returns how many were dropped.
fn truncate_offers(found: &mut Vec<OfferedAnswer>) -> usize {
    let rank =
        |it: &OfferedAnswer| (!it.is_same, it.since != AnswerOrigin::Failed, it.excerpt.is_empty());
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
