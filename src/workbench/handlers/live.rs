//! Commands for running programs: waiting requests, and calls that are recorded or served.

use std::sync::Arc;

use super::dispatch::{HandlerOrReason, action, action_after, action_if, handler_if, require};
use crate::core::command::declared::by_section::Live;
use crate::{AnswerMethod, CallsAction, LiveAction, QueueAction, Workbench};
use document::FileKind;
use protocol::ListenerKind;

impl Workbench {
    pub(super) fn live_handler(&self, command: Live) -> HandlerOrReason {
        let is_open = require(self.core.project.is_some(), "open a folder first");
        let answer = |action| {
            let is_seen = self.live.shows_queue(&self.core) && self.live.queue.selected().is_some();
            action_if(is_seen, "no request is shown", LiveAction::Queue(action))
        };
        let show_form =
            |kind| action_after(is_open, LiveAction::Calls(CallsAction::ShowForm(kind)));
        let stop = |kind, reason| {
            let is_on = self.live.calls.listener(kind).is_on();
            action_if(is_on, reason, LiveAction::Calls(CallsAction::Stop(kind)))
        };
        match command {
            Live::WatchQueue => action_after(is_open, LiveAction::Queue(QueueAction::Pick)),
            Live::StopWatching => {
                let is_watched = !self.live.queue.watched.is_empty();
                handler_if(is_watched, "no queue is watched", |workbench| {
                    workbench.live.queue.stop_shown(&mut workbench.core);
                })
            }
            Live::AnswerByTool => answer(QueueAction::Answer(AnswerMethod::Tool)),
            Live::AnswerByText => answer(QueueAction::Answer(AnswerMethod::Text)),
            Live::AnswerByRecording => answer(QueueAction::Answer(AnswerMethod::Recording)),
            Live::AnswerByRule => answer(QueueAction::Answer(AnswerMethod::Rule)),
            Live::WriteAnswer => answer(QueueAction::Write),
            Live::KeepAsRule => answer(QueueAction::DraftRule),
            Live::CompareNearest => answer(QueueAction::Compare),
            Live::RecordCalls => show_form(ListenerKind::Recorder),
            Live::StopRecording => stop(ListenerKind::Recorder, "the recorder is not running"),
            Live::ServeCalls => show_form(ListenerKind::Server),
            Live::ServeSelected => {
                let path = self.servable().ok_or("select a tape or a recording first")?;
                action(LiveAction::Calls(CallsAction::ShowServeForm(path)))
            }
            Live::StopServing => stop(ListenerKind::Server, "the server is not running"),
            Live::CopyBaseUrl => {
                let is_on = !self.live.calls.addresses().is_empty();
                let reason = "neither the recorder nor the server is running";
                action_if(is_on, reason, LiveAction::Calls(CallsAction::CopyUrl))
            }
        }
    }

    /// The path that can be served: the selected tape, or the folder of the selected recording.
    fn servable(&self) -> Option<Arc<str>> {
        let item = self.selected()?;
        match item.kind {
            FileKind::Tape => Some(Arc::clone(&item.path)),
            // A recording is the answer to one call; a client that makes several needs the others of its folder.
            FileKind::Recording => {
                let folder = item.path.rsplit_once('/').map_or(".", |(folder, _)| folder);
                Some(folder.into())
            }
            _ => None,
        }
    }
}
