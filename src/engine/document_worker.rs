//! Plans edits of texts for the window.

use std::sync::Arc;

use crossbeam_channel::{Sender, unbounded};

use crate::engine::disk::project::Project;
use crate::engine::edit_planner::{TextQuestion, TextSnapshot, answer};
use crate::engine::event_sender::{BackgroundJob, EventSender};
use crate::engine::runner::Engine;

/// The thread that plans edits of texts.
pub(super) struct DocumentWorkers {
    requests: Sender<TextRequest>,
    _thread: BackgroundJob,
}

/// A request about a text of a project.
struct TextRequest {
    project: Arc<Project>,
    text: TextSnapshot,
    question: TextQuestion,
}

impl DocumentWorkers {
    /// Starts the thread.
    pub(super) fn start(sender: &EventSender) -> std::io::Result<Self> {
        let (requests, received) = unbounded::<TextRequest>();
        let to_window = sender.clone();
        let thread = BackgroundJob::start("retake edits", move |cancel| {
            for request in received {
                let event = answer(&request.project, &request.text, &request.question);
                if !to_window.send(event, cancel) {
                    break;
                }
            }
        })?;
        Ok(Self {
            requests,
            _thread: thread,
        })
    }
}

impl Engine {
    /// Sends a request about a text that is being edited; the result arrives as an event of the same name.
    pub fn query_text(&self, text: TextSnapshot, question: TextQuestion) {
        if let Some(project) = self.project.clone() {
            // The thread runs for as long as this handle exists.
            let _ = self.documents.requests.send(TextRequest {
                project,
                text,
                question,
            });
        }
    }
}
