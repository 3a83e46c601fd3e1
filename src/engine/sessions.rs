//! Finds sessions for the window, in separate files and in configurations, on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::engine::disk::project::Project;
use crate::engine::event_sender::BackgroundJob;
use crate::engine::runner::Engine;
use crate::format::{self, DocumentBody, FileKind};
use crate::ops::Item;
use crate::ops::session::{SessionPlace, resolve_sessions};
use crate::text::{Source, visible};
use crate::workbench::{DocId, EngineEvent, ListSessions, ListedSession, SessionId, SessionsEvent};

impl Engine {
    /// Finds all sessions; the result arrives as [`SessionsEvent::Listed`]. Cancels a search that is still running.
    pub fn list_sessions(&mut self, wanted: ListSessions) {
        self.sessions.stop();
        let Some(project) = self.project.clone() else {
            return;
        };
        let sender = self.sender.clone();
        let job = BackgroundJob::start("retake sessions", move |cancel| {
            if let Some(listed) = list(&project, &wanted, cancel) {
                let listed = SessionsEvent::Listed(wanted.key, listed.into());
                sender.send(EngineEvent::Sessions(listed), cancel);
            }
        });
        match job {
            Ok(job) => self.sessions = job,
            Err(error) => self.fail(format!("Cannot start a thread to find sessions: {error}")),
        }
    }
}

/// Returns all sessions by their places; `None` when it was cancelled. The row of a configuration that cannot be read shows that.
fn list(
    project: &Project,
    wanted: &ListSessions,
    cancel: &AtomicBool,
) -> Option<Vec<ListedSession>> {
    let mut listed = Vec::new();
    for (doc, item) in wanted.items.iter() {
        if cancel.load(Ordering::Relaxed) {
            return None;
        }
        match item.kind {
            FileKind::Session => listed.push(ListedSession {
                id: SessionId::file(doc),
                name: visible(item.label()).into(),
                place: visible(&item.root_path).into(),
            }),
            FileKind::Config => {
                let text = wanted.texts.iter().find(|(edited, _)| *edited == doc);
                let text = text.map(|(_, text)| text);
                let found =
                    catch_unwind(AssertUnwindSafe(|| list_inline(project, doc, item, text)));
                listed.extend(found.unwrap_or_default());
            }
            _ => {}
        }
    }
    listed.sort_by(|a, b| a.place.cmp(&b.place));
    Some(listed)
}

/// Returns the sessions inside a configuration.
fn list_inline(
    project: &Project,
    doc: DocId,
    item: &Arc<Item>,
    text: Option<&Source>,
) -> Vec<ListedSession> {
    let document = match text {
        Some(text) => Ok(format::read(text.clone(), item.file_name())),
        None => project.read(doc.index(), item),
    };
    let Ok(document) = document else {
        return Vec::new();
    };
    let DocumentBody::Config(config) = &document.body else {
        return Vec::new();
    };
    let one = |(at, session): (usize, crate::ops::session::ResolvedSession)| {
        let SessionPlace::Inline(id) = session.place else {
            return None;
        };
        let place = format!("{}, session {}", item.root_path, at + 1);
        Some(ListedSession {
            id: SessionId {
                doc,
                pointer: document.tree.node(session.node).pointer().into(),
            },
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
