//! Commands for running programs: waiting requests, and calls that are recorded or served.

use std::sync::Arc;

use super::dispatch::{HandlerOrReason, handler_after, handler_if, require};
use crate::core::command::declared::by_section::Live;
use crate::desks::live::{AnswerMethod, CallsAction, LiveAction, QueueAction};
use crate::state::Workbench;
use document::FileKind;
use protocol::ListenerKind;

impl Workbench {
    pub(super) fn live_handler(&self, command: Live) -> HandlerOrReason {
        let is_open = self.core.project.is_some();
        match command {
            Live::WatchQueue => handler_if(is_open, "open a folder first", |it| {
                it.act_on_queue(QueueAction::Pick);
            }),
            Live::StopWatching => {
                let is_watched = !self.live.queue.watched.is_empty();
                handler_if(is_watched, "no queue is watched", |it| {
                    it.live.queue.stop_shown(&mut it.core);
                })
            }
            Live::AnswerByTool => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerMethod::Tool));
            }),
            Live::AnswerByText => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerMethod::Text));
            }),
            Live::AnswerByRecording => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerMethod::Recording));
            }),
            Live::AnswerByRule => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerMethod::Rule));
            }),
            Live::WriteAnswer => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Write);
            }),
            Live::KeepAsRule => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::DraftRule);
            }),
            Live::CompareNearest => handler_after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Compare);
            }),
            Live::RecordCalls => handler_if(is_open, "open a folder first", |it| {
                it.act_on_calls(CallsAction::ShowForm(ListenerKind::Recorder));
            }),
            Live::StopRecording => {
                let is_on = self.live.calls.listener(ListenerKind::Recorder).is_on();
                handler_if(is_on, "the recorder is not running", |it| {
                    it.act_on_calls(CallsAction::Stop(ListenerKind::Recorder));
                })
            }
            Live::ServeCalls => handler_if(is_open, "open a folder first", |it| {
                it.act_on_calls(CallsAction::ShowForm(ListenerKind::Server));
            }),
            Live::ServeSelected => {
                let is_there = self.servable().is_some();
                let reason = "select a tape or a recording first";
                handler_if(is_there, reason, Self::serve_selected)
            }
            Live::StopServing => {
                let is_on = self.live.calls.listener(ListenerKind::Server).is_on();
                handler_if(is_on, "the server is not running", |it| {
                    it.act_on_calls(CallsAction::Stop(ListenerKind::Server));
                })
            }
            Live::CopyBaseUrl => {
                let is_on = !self.live.calls.addresses().is_empty();
                handler_if(is_on, "neither the recorder nor the server is running", |it| {
                    it.act_on_calls(CallsAction::CopyUrl);
                })
            }
        }
    }

    fn needs_request(&self) -> Result<(), &'static str> {
        let is_shown = self.live.shows_queue(&self.core) && self.live.queue.selected().is_some();
        require(is_shown, "no request is shown")
    }

    fn serve_selected(&mut self) {
        if let Some(path) = self.servable() {
            self.act_on_calls(CallsAction::ShowServeForm(path));
        }
    }

    fn act_on_queue(&mut self, action: QueueAction) {
        self.live.act(&mut self.core, LiveAction::Queue(action));
    }

    fn act_on_calls(&mut self, action: CallsAction) {
        self.live.act(&mut self.core, LiveAction::Calls(action));
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
