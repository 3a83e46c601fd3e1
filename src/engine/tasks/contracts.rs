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
        |request, env| Some(Ok(Arc::new(look_up_contract(env.project.as_deref()?, request)))),
        |request, report| {
            let event = ContractEvent::Found(request.key.clone(), report);
            EngineEvent::Sessions(SessionsEvent::Contract(event))
        },
    )
}

pub(crate) fn find_answers(request: FindAnswers) -> Work {
    Work::answering(Lane::Newest("answers"), request, offer_answers, |request, answers| {
        let event = ContractEvent::Answers(request.query.clone(), answers);
        EngineEvent::Sessions(SessionsEvent::Contract(event))
    })
}

/// Returns the answers with a text. Reports are read; for recordings and tapes, the item is sufficient.
fn offer_answers(
    request: &FindAnswers,
    context: &TaskContext,
) -> Option<Result<Arc<FoundAnswers>, String>> {
    let project = context.project.as_deref()?;
    let words = request.query.to_lowercase();
    let mut offers: Vec<OfferedAnswer> = Vec::new();
    let mut more = 0;
    for (doc, item) in request.items.iter() {
        if context.is_cancelled() {
            return None;
        }
        let item_offers = match item.kind {
            FileKind::Report => {
                let document = guard_file(item.root_path(), || project.read(doc.index(), item));
                document.map_or_else(
                    // The library shows that the report cannot be read.
                    |_| Vec::new(),
                    |document| offers_from_document(&document, doc, item, &request.question),
                )
            }
            FileKind::Recording | FileKind::Tape => vec![offer_from_item(doc, item)],
            _ => continue,
        };
        let fits = |offer: &OfferedAnswer| {
            let parts = [&offer.title, &offer.place, &offer.excerpt];
            parts.iter().any(|part| part.to_lowercase().contains(&words))
        };
        offers.extend(item_offers.into_iter().filter(fits));
        // Keep the best ones and bound the memory.
        if offers.len() > 8 * MAX_OFFERS {
            more += truncate_offers(&mut offers);
        }
    }
    more += truncate_offers(&mut offers);
    Some(Ok(Arc::new(FoundAnswers { found: offers, more })))
}

/// Sorts the best first, drops the rest, and returns how many were dropped.
fn truncate_offers(offers: &mut Vec<OfferedAnswer>) -> usize {
    let rank = |offer: &OfferedAnswer| {
        (!offer.is_same, offer.since != AnswerOrigin::Failed, offer.excerpt.is_empty())
    };
    offers.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.place.cmp(&b.place)));
    let dropped_count = offers.len().saturating_sub(MAX_OFFERS);
    offers.truncate(MAX_OFFERS);
    dropped_count
}

fn offers_from_document(
    document: &Document,
    doc: DocId,
    item: &Item,
    input: &str,
) -> Vec<OfferedAnswer> {
    let offers = file_answers(document).into_iter().map(|offer| {
        let beginning: String = offer.answer.text.chars().take(EXCERPT_CHARS).collect();
        OfferedAnswer {
            doc,
            pointer: offer.pointer.into(),
            title: visible(&offer.title).into(),
            place: visible(item.root_path()).into(),
            excerpt: match beginning.trim() {
                "" => "(empty answer)".into(),
                beginning => visible(beginning).into(),
            },
            is_same: !input.is_empty() && offer.question.as_deref() == Some(input),
            since: offer.origin,
        }
    });
    offers.collect()
}

fn offer_from_item(doc: DocId, item: &Item) -> OfferedAnswer {
    OfferedAnswer {
        doc,
        pointer: "".into(),
        title: visible(item.label()).into(),
        place: visible(item.root_path()).into(),
        excerpt: "".into(),
        is_same: false,
        since: AnswerOrigin::Recorded,
    }
}
