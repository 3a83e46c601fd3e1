//! Finds the answers that a contract can be tested on.

use std::sync::Arc;

use crate::engine::disk::guard::guard_file;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::{Document, FileKind};
use crate::ops::Item;
use crate::ops::contract::{AnswerOrigin, file_answers};
use crate::text::visible;
use crate::workbench::{
    ContractEvent, DocId, EngineEvent, FindAnswers, FoundAnswers, OfferedAnswer, SessionsEvent,
};

/// The most answers that are offered at once.
const MAX_OFFERS: usize = 60;
/// The most characters of an answer that are shown.
const EXCERPT_CHARS: usize = 160;

impl Task for FindAnswers {
    fn lane() -> Lane {
        Lane::Newest("answers")
    }

    /// Reports are read; for recordings and tapes, the item is sufficient.
    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let words = self.query.to_lowercase();
        let mut found: Vec<OfferedAnswer> = Vec::new();
        let mut more = 0;
        for (doc, item) in self.items.iter() {
            if context.is_cancelled() {
                return None;
            }
            let of_item = match item.kind {
                FileKind::Report => {
                    let document = guard_file(&item.root_path, || project.read(doc.index(), item));
                    document.map_or_else(
                        |_| Vec::new(),
                        |document| offers_from_document(&document, doc, item, &self.question),
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
        let found = Ok(Arc::new(FoundAnswers { found, more }));
        let found = ContractEvent::Answers(self.query.clone(), found);
        Some(EngineEvent::Sessions(SessionsEvent::Contract(found)))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        let failed = ContractEvent::Answers(self.query.clone(), Err(reason));
        EngineEvent::Sessions(SessionsEvent::Contract(failed))
    }
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
