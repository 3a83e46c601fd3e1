//! The button that re-records breaking recordings.

use egui::Ui;

use document::text::thousands;
use protocol::DocId;
use widgets::{Button, icons};
use workbench::{Action, Actions, TerminalAction};

/// Adds the button, as wide as the layout, if something breaks.
pub(crate) fn regenerate_ui(ui: &mut Ui, docs: &[DocId], is_primary: bool, actions: &mut Actions) {
    let text = match docs.len() {
        // Recording again costs money, so it is offered only for what breaks.
        0 => return,
        1 => "Regenerate the one that breaks…".to_owned(),
        count => format!("Regenerate the {} that break…", thousands(count)),
    };
    let tip = "Shows the project's command. It runs only when you click Run.";
    let button = if is_primary { Button::primary(&text) } else { Button::secondary(&text) };
    let width = ui.available_width();
    if ui.add(button.icon(icons::SQUARE_TERMINAL).tooltip(tip).width(width)).clicked() {
        actions.push(Action::from(TerminalAction::Regenerate(docs.to_vec())));
    }
}
