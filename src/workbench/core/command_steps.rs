//! Steps that commands of the command line took in the open project, and the request to undo the last one.

use crate::core::Core;
use crate::core::effect::Effect;
use author::command_step::{CommandStep, UndoMode};
use document::Severity;
use document::text::visible;
use protocol::{ListCommandSteps, UndoCommandStep};

impl Core {
    /// Requests the steps again, when they are about to be shown.
    pub(crate) fn list_command_steps(&mut self) {
        // Commands run in other processes, so the list may be out of date.
        self.command_steps.clear();
        self.is_undo_refused = false;
        self.request(Effect::run(ListCommandSteps));
    }

    /// Requests to undo the last step. The files change on disk, and are read again as after any other change there.
    pub(crate) fn undo_command_step(&mut self, mode: UndoMode) {
        if let Some(step) = self.command_steps.first().cloned() {
            self.request(Effect::run(UndoCommandStep { step, mode }));
        }
    }

    pub(crate) fn on_command_steps(
        &mut self,
        steps: Vec<CommandStep>,
        undo_result: Option<Result<String, String>>,
    ) {
        self.command_steps = steps;
        self.is_undo_refused = matches!(undo_result, Some(Err(_)));
        if let Some(command) = undo_result.and_then(|undo_result| self.or_notify(undo_result)) {
            self.notify(Severity::Note, format!("Undone: {}", visible(&command)));
        }
    }
}
