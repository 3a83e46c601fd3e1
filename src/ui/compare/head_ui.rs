//! The controls above two sides: back, steps through changes, and the choice between sides and unified.

use egui::Ui;

use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText};
use workbench::{Actions, Command, InspectorTab};

/// Adds the button back to the list.
pub(crate) fn back_button(ui: &mut Ui, actions: &mut Actions) {
    let button =
        Button::icon_only(icons::ARROW_LEFT, "Back to the list").keys(vec!["Esc".to_owned()]);
    widgets::command_button(ui, button, Command::Close, actions);
}

/// Adds `Change 1 of 6` with the buttons to the previous and the next one. Widgets are added from right to left, as in all headers.
pub(crate) fn stepper(ui: &mut Ui, noun: &str, index: usize, count: usize, actions: &mut Actions) {
    let empty_reason = (count == 0).then_some("there are no differences");
    let last_reason = (index + 1 >= count).then_some("this is the last one");
    let first_reason = (index == 0).then_some("this is the first one");
    for (icon, command, reason) in [
        (icons::CHEVRON_DOWN, Command::NextChange, empty_reason.or(last_reason)),
        (icons::CHEVRON_UP, Command::PreviousChange, empty_reason.or(first_reason)),
    ] {
        let availability = reason.map_or(Ok(()), Err);
        let button = Button::icon_only(icon, command.name()).command(command, availability);
        widgets::command_button(ui, button, command, actions);
    }
    let tokens = tokens(ui);
    let font = || theme::regular(theme::ROW);
    let words = match count {
        0 => StyledText::new().with(&format!("No {}", noun.to_lowercase()), font(), tokens.muted),
        _ => StyledText::new()
            .with(&format!("{noun} "), font(), tokens.text)
            .with(&(index + 1).to_string(), theme::semibold(theme::ROW), tokens.text_strong)
            .with(&format!(" of {count}"), font(), tokens.text),
    };
    words.show(ui);
}

/// The formats of two calls, as in the tabs of the inspector.
pub(crate) const FORMATS: [InspectorTab; 3] =
    [InspectorTab::Conversation, InspectorTab::Tree, InspectorTab::Text];

/// Returns the name of a format.
pub(crate) fn format_name(tab: InspectorTab) -> &'static str {
    match tab {
        InspectorTab::Tree => "JSON",
        InspectorTab::Text => "Text",
        // A comparison shows conversations where the inspector shows problems.
        InspectorTab::Conversation | InspectorTab::Problems => "Conversation",
    }
}
