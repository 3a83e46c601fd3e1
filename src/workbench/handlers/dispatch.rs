//! Dispatches commands to their handlers, or gives the reason why one is disabled.

use crate::{
    Action, Command, CommandSection, DialogKind, Effect, Overlay, SectionCommand, Workbench,
};
use document::Severity;

/// The reason why a command is disabled, in a few words.
pub(super) type Reason = &'static str;

/// The handler of a command if it is enabled, else the reason.
// It runs at once after the check, so it may keep what the check has found.
pub(super) type HandlerOrReason = Result<Box<dyn FnOnce(&mut Workbench)>, Reason>;

/// Returns the reason unless the requirement is met.
pub(super) fn require(is_there: bool, reason: Reason) -> Result<(), Reason> {
    if is_there { Ok(()) } else { Err(reason) }
}

/// Returns the handler of a command that is always enabled.
pub(super) fn handler(handler: impl FnOnce(&mut Workbench) + 'static) -> HandlerOrReason {
    Ok(Box::new(handler))
}

/// Returns the handler if the requirement is met, else the reason.
pub(super) fn handler_if(
    is_there: bool,
    reason: Reason,
    handler: impl FnOnce(&mut Workbench) + 'static,
) -> HandlerOrReason {
    handler_after(require(is_there, reason), handler)
}

/// Returns the handler if a shared check succeeds, else its reason.
pub(super) fn handler_after(
    need: Result<(), Reason>,
    handler: impl FnOnce(&mut Workbench) + 'static,
) -> HandlerOrReason {
    need.and_then(|()| self::handler(handler))
}

/// Returns a handler that carries out an action.
pub(super) fn action(action: impl Into<Action>) -> HandlerOrReason {
    let action = action.into();
    handler(|w| w.act(action))
}

/// Returns a handler that carries out an action if the requirement is met, else the reason.
pub(super) fn action_if(met: bool, reason: Reason, action: impl Into<Action>) -> HandlerOrReason {
    action_after(require(met, reason), action)
}

/// Returns a handler that carries out an action if a shared check succeeds, else its reason.
pub(super) fn action_after(need: Result<(), Reason>, next: impl Into<Action>) -> HandlerOrReason {
    need.and_then(|()| action(next))
}

impl Workbench {
    /// Whether the subject of a command is covered by the palette, a form or another overlay. Such a command must not
    /// change what the user cannot see.
    pub fn is_covered(&self, command: Command) -> bool {
        match self.core.overlay {
            None => false,
            // The dialog must apply what it shows.
            Some(Overlay::Step) if command.section() == CommandSection::Edit => true,
            Some(Overlay::Step) if matches!(command, Command::Save | Command::Revert) => true,
            Some(_) => is_about_what_is_shown(command.section()),
        }
    }

    pub(crate) fn run(&mut self, verb: Command) {
        if self.is_covered(verb) {
            return;
        }
        let is_refused = verb.needs_valid_fields() && !self.sessions.apply_drafts(&mut self.core);
        // A deferred command runs when the pending edits are applied.
        if is_refused || self.core.pending_changes.defer(verb) {
            return;
        }
        match self.handler(verb) {
            Ok(handler) => handler(self),
            Err(reason) => {
                let name = verb.name().trim_end_matches('…');
                self.core.refuse(Severity::Note, format!("{name}: {reason}."));
            }
        }
    }

    pub(super) fn handler(&self, command: Command) -> HandlerOrReason {
        match command.within() {
            SectionCommand::File(command) => self.file_handler(command),
            SectionCommand::Edit(command) => self.edit_handler(command),
            SectionCommand::Go(command) => self.go_handler(command),
            SectionCommand::List(command) => self.list_handler(command),
            SectionCommand::Tape(command) => self.tape_handler(command),
            SectionCommand::Session(command) => self.session_handler(command),
            SectionCommand::Playback(command) => self.playback_handler(command),
            SectionCommand::Problem(command) => self.problem_handler(command),
            SectionCommand::Compare(command) => self.compare_handler(command),
            SectionCommand::Review(command) => self.review_handler(command),
            SectionCommand::Live(command) => self.live_handler(command),
            SectionCommand::Run(command) => self.run_handler(command),
            SectionCommand::Window(command) => self.window_handler(command),
        }
    }

    /// Chooses a folder to open, and runs a command when it is read.
    pub(super) fn pick_folder_then(&mut self, title: &'static str, command: Command) {
        let run = move || Box::new(Action::Run(command));
        let open = move |folder| Action::OpenThen(vec![folder], run());
        self.core.request(Effect::pick(title, DialogKind::Folder, open));
    }

    /// Shows an overlay, or closes it if it is shown.
    pub(super) fn toggle_overlay(&mut self, overlay: Overlay) {
        self.core.keep_step_below(overlay);
        self.core.overlay = (self.core.overlay != Some(overlay)).then_some(overlay);
    }
}

fn is_about_what_is_shown(section: CommandSection) -> bool {
    use CommandSection::{Edit, File, Go, Run, Window};
    !matches!(section, File | Edit | Go | Run | Window)
}
