//! Runs effects: each is passed to the engine or to the desktop.

use super::{AppShell, DialogAnswer, SystemServices};
use crate::workbench::{Effect, EngineEvent};

impl<S: SystemServices> AppShell<S> {
    /// Runs the workbench's effects; slow work is passed to the engine.
    pub(super) fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Run(request) => self.engine.run(request),
                Effect::Cancel(request) => self.engine.cancel(request),
                Effect::Pick(dialog) => {
                    let answer = DialogAnswer {
                        to_shell: self.dialog.0.clone(),
                        dialog: dialog.clone(),
                        ctx: ctx.clone(),
                    };
                    self.system.pick(dialog, answer);
                }
                Effect::Copy(text) => ctx.copy_text(text),
                Effect::Remember(remembered) => {
                    if let Err(reason) = self.system.remember(&remembered) {
                        let effects = self.workbench.receive(EngineEvent::Failed(reason));
                        debug_assert!(effects.is_empty());
                    }
                }
                Effect::Quit => {
                    self.closing = true;
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
        }
    }
}
