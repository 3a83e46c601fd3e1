//! Commands for edits, undo, and searching in text.

use super::dispatch::{HandlerOrReason, handler_if};
use crate::core::command::declared::by_section::Edit;
use crate::{Command, DeskView, FindRequest, InspectorTab, Overlay, StepDirection, Workbench};
use author::replace::{RenameKind, ReplaceKind};
use protocol::Desk;

impl Workbench {
    pub(super) fn edit_handler(&self, command: Edit) -> HandlerOrReason {
        let replace = |kind| {
            handler_if(!self.core.library.is_empty(), "nothing is open", move |bench| {
                bench.core.show_replace_form(kind, bench.subject());
            })
        };
        let find_next =
            |command| handler_if(self.shows_text(), "no text is shown", move |w| w.find(command));
        match command {
            Edit::Undo => {
                // Writes of files are undone only as long as the history has not changed since, so the latest is undone first.
                let was_edited = self.import.can_undo(&self.core)
                    || self.playback.can_undo_files(&self.core)
                    || self.core.journal.last().is_some();
                handler_if(was_edited, "nothing to undo", Self::undo_latest)
            }
            Edit::Redo => {
                let was_undone =
                    self.import.can_redo(&self.core) || self.core.journal.next().is_some();
                handler_if(was_undone, "nothing to redo", Self::redo_latest)
            }
            Edit::ShowHistory => {
                // Enabled even without steps: what the command line has written is read only when the history is shown.
                handler_if(self.core.project.is_some(), "nothing is open", |bench| {
                    bench.toggle_overlay(Overlay::History);
                    bench.core.list_command_steps();
                })
            }
            Edit::Find => handler_if(!self.core.library.is_empty(), "nothing is open", |bench| {
                bench.find(Command::Find);
            }),
            Edit::FindAndReplace => {
                let has_text = self.selected().is_some() || self.shows_text();
                handler_if(has_text, "select an item first", |w| w.find(Command::FindAndReplace))
            }
            Edit::ReplaceInFiles => replace(ReplaceKind::Text),
            Edit::RenameThroughout => replace(ReplaceKind::Rename(RenameKind::Tool)),
            Edit::FindNext => find_next(Command::FindNext),
            Edit::FindPrevious => find_next(Command::FindPrevious),
        }
    }

    fn undo_latest(&mut self) {
        if self.import.can_undo(&self.core) {
            self.import.reverse(&mut self.core);
        } else if self.playback.can_undo_files(&self.core) {
            self.playback.undo_files(&mut self.core);
        } else {
            self.core.undo(self.subject());
        }
    }

    fn redo_latest(&mut self) {
        if self.import.can_redo(&self.core) {
            self.import.reverse(&mut self.core);
        } else {
            self.core.redo(self.subject());
        }
    }

    /// Whether the text of the selected item is visible.
    pub(super) fn shows_text(&self) -> bool {
        let location = self.core.here();
        let is_listed = location.desk == Desk::Library && location.view == DeskView::List;
        self.core.shows(Desk::Sessions) && self.sessions.selected.is_some()
            || is_listed
                && self.core.list.selected.is_some()
                && self.core.inspector.is_shown()
                && self.core.tab == InspectorTab::Text
    }

    /// Runs a search command. Moves the cursor to the list's filter if no text is shown.
    pub(super) fn find(&mut self, command: Command) {
        let request = match command {
            Command::FindAndReplace => FindRequest::Replace,
            Command::FindNext => FindRequest::Go(StepDirection::Next),
            Command::FindPrevious => FindRequest::Go(StepDirection::Previous),
            _ if !self.shows_text() => return self.run(Command::FocusFilter),
            _ => FindRequest::Find,
        };
        self.core.find_request = Some(request);
        if self.core.shows(Desk::Sessions) {
            self.sessions.shows_text = true;
            return;
        }
        self.core.tab = InspectorTab::Text;
        self.core.inspector.show();
        self.core.go(Desk::Library, DeskView::List);
    }
}
