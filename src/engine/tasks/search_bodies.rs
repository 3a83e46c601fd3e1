//! Searches the content of files.

use std::sync::Arc;

use crate::engine::disk::body_search::passes;
use crate::engine::disk::parallel::map_parallel;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::workbench::{EngineEvent, SearchBodies, SearchProgress, SearchedBodies};

/// How many files are searched before the first answer, and at most between two.
const FIRST_PART: usize = 64;
const MAX_PART: usize = 2048;

impl Task for SearchBodies {
    fn lane() -> Lane {
        Lane::Newest("search")
    }

    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let (wanted, query) = self.wanted()?;
        let mut searched = 0;
        let mut part = FIRST_PART;
        loop {
            let files = &wanted[searched..wanted.len().min(searched + part)];
            let fits = map_parallel("Searching", files, &context.cancel, |id| {
                let edited = self.edited.binary_search_by_key(id, |(doc, _)| *doc);
                match (edited, self.item(*id)) {
                    (Ok(at), Some(item)) => {
                        let content = self.edited[at].1.text().as_bytes();
                        query.matches(content, &item.path, &mut Vec::new())
                    }
                    (Err(_), Some(item)) => passes(project, id.index(), item, query),
                    (_, None) => false,
                }
            });
            searched += files.len();
            part = (part * 2).min(MAX_PART);
            let progress = SearchProgress { searched, all: wanted.len() };
            let found = files.iter().copied().zip(fits).collect();
            let event = EngineEvent::BodiesSearched(
                self.number,
                Ok(Arc::new(SearchedBodies { found, progress })),
            );
            if searched == wanted.len() {
                return Some(event);
            }
            if !context.send(event) {
                return None;
            }
        }
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::BodiesSearched(self.number, Err(reason))
    }
}
