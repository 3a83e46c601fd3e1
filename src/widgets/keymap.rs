//! The keys of commands, for views that show them.

use std::sync::Arc;

use egui::{Id, Ui};

use workbench::{Command, Keymap};

fn id() -> Id {
    Id::unique("keymap")
}

/// Makes the keys available to all views of this frame.
pub fn publish(ctx: &egui::Context, keymap: &Keymap) {
    ctx.data_mut(|data| {
        let current: &mut Arc<Keymap> = data.get_temp_mut_or_default(id());
        // Cloned only after a change of the settings, not in every frame.
        if **current != *keymap {
            *current = Arc::new(keymap.clone());
        }
    });
}

/// Returns the key caps of the shortcut that is shown with a command; empty if it has none.
pub fn caps(ui: &Ui, command: Command) -> Vec<String> {
    ui.data(|data| data.get_temp::<Arc<Keymap>>(id())).unwrap_or_default().caps(command)
}
