//! Commands for running programs: waiting requests, and calls that are recorded or served.

use super::declared::by_section::Live;
use super::running::{Can, after, need, when};
use crate::workbench::event::Effect;
use crate::workbench::live::{AnswerWay, CallsAction, Listener, QueueAction};
use crate::workbench::state::Workbench;

impl Workbench {
    pub(super) fn live_deed(&self, command: Live) -> Can {
        let is_open = self.project.is_some();
        match command {
            Live::WatchQueue => when(is_open, "open a folder first", |it| {
                it.act_on_queue(QueueAction::Pick)
            }),
            Live::StopWatching => {
                let is_watched = !self.live.queue.watched().is_empty();
                when(is_watched, "no queue is watched", Self::stop_watching)
            }
            Live::AnswerByTool => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerWay::Tool))
            }),
            Live::AnswerByText => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerWay::Text))
            }),
            Live::AnswerByRecording => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerWay::Recording))
            }),
            Live::AnswerByRule => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Answer(AnswerWay::Rule))
            }),
            Live::WriteAnswer => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Write)
            }),
            Live::KeepAsRule => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::DraftRule)
            }),
            Live::CompareNearest => after(self.needs_request(), |it| {
                it.act_on_queue(QueueAction::Compare)
            }),
            Live::RecordCalls => when(is_open, "open a folder first", |it| {
                it.act_on_calls(CallsAction::Ask(Listener::Recorder))
            }),
            Live::StopRecording => {
                let is_on = self.live.calls.recorder().state().is_on();
                when(is_on, "the recorder is not running", |it| {
                    it.stop_listening(Listener::Recorder)
                })
            }
            Live::ServeCalls => when(is_open, "open a folder first", |it| {
                it.act_on_calls(CallsAction::Ask(Listener::Server))
            }),
            Live::ServeSelected => {
                let is_there = self.servable().is_some();
                let reason = "select a tape or a recording first";
                when(is_there, reason, Self::serve_selected)
            }
            Live::StopServing => {
                let is_on = self.live.calls.server().state().is_on();
                when(is_on, "the server is not running", |it| {
                    it.stop_listening(Listener::Server)
                })
            }
            Live::CopyBaseUrl => {
                let is_on = self.live.calls.pointed().is_some();
                when(
                    is_on,
                    "neither the recorder nor the server is running",
                    |it| it.act_on_calls(CallsAction::CopyVariable),
                )
            }
        }
    }

    fn needs_request(&self) -> Result<(), &'static str> {
        let is_shown = self.shows_queue() && self.live.queue.selected().is_some();
        need(is_shown, "no request is shown")
    }

    fn serve_selected(&mut self) -> Vec<Effect> {
        let path = self.servable();
        path.map_or_else(Vec::new, |path| {
            self.act_on_calls(CallsAction::AskToServe(path))
        })
    }
}
