//! Finds sessions, in separate files and in configurations.

use crate::engine::current::read_edited;
use crate::engine::run::{Lane, Task, TaskContext};
use crate::format::{Document, DocumentBody, FileKind};
use crate::ops::Item;
use crate::ops::session::{ResolvedSession, SessionPlace, resolve_sessions};
use crate::text::visible;
use crate::workbench::{DocId, EngineEvent, ListSessions, ListedSession, SessionId, SessionsEvent};

impl Task for ListSessions {
    fn lane() -> Lane {
        Lane::Newest("sessions")
    }

    /// The row of a configuration that cannot be read shows that.
    fn run(&self, context: &TaskContext) -> Option<EngineEvent> {
        let project = context.project.as_deref()?;
        let mut listed = Vec::new();
        for (doc, item) in self.items.iter() {
            if context.is_cancelled() {
                return None;
            }
            match item.kind {
                FileKind::Session => listed.push(ListedSession {
                    id: SessionId::file(doc),
                    name: visible(item.label()).into(),
                    place: visible(&item.root_path).into(),
                }),
                FileKind::Config => {
                    let document = read_edited(project, &self.texts, doc, item);
                    listed.extend(
                        document.map_or_else(
                            |_| Vec::new(),
                            |document| list_inline(&document, doc, item),
                        ),
                    );
                }
                _ => {}
            }
        }
        listed.sort_by(|a, b| a.place.cmp(&b.place));
        let listed = SessionsEvent::Listed(self.key, Ok(listed.into()));
        Some(EngineEvent::Sessions(listed))
    }

    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Sessions(SessionsEvent::Listed(self.key, Err(reason)))
    }
}

/// Returns the sessions inside a configuration.
fn list_inline(document: &Document, doc: DocId, item: &Item) -> Vec<ListedSession> {
    let DocumentBody::Config(config) = &document.body else {
        return Vec::new();
    };
    let one = |(at, session): (usize, ResolvedSession)| {
        let SessionPlace::Inline(id) = session.place else {
            return None;
        };
        let place = format!("{}, session {}", item.root_path, at + 1);
        Some(ListedSession {
            id: SessionId { doc, pointer: document.tree.node(session.node).pointer().into() },
            name: match &id {
                Some(id) => visible(id).into(),
                None => format!("Session {}", at + 1).into(),
            },
            place: visible(&place).into(),
        })
    };
    let sessions = resolve_sessions(config).into_iter().enumerate();
    sessions.filter_map(one).collect()
}
