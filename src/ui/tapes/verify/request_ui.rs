//! Paints the request field: paste a request or choose a file.

use egui::{Frame, Id, Key, Margin, Modifiers, Ui};

use crate::ui::dialog::text_area;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::Button;
use crate::workbench::{Action, TapesAction, VerifyAction, VerifySource};

const WIDTH: f32 = 720.0;

/// The typed request.
#[derive(Debug, Default)]
pub(super) struct RequestDraft(String);

/// Draws the field and its buttons.
pub(super) fn request_ui(ui: &mut Ui, draft: &mut RequestDraft, actions: &mut Vec<Action>) {
    let mut push = |action| actions.push(Action::from(TapesAction::Verify(action)));
    Frame::new().inner_margin(Margin::symmetric(16, 12)).show(ui, |ui| {
        ui.set_max_width(WIDTH.min(ui.available_width()));
        let words = "Paste a request as JSON, drop a file on the window, or choose a file. For a tape, the request recorded in it is used.";
        let words = egui::RichText::new(words).font(theme::regular(theme::BODY));
        ui.label(words.color(tokens(ui).text));
        ui.add_space(theme::GAP);
        text_area(ui, Id::unique("request to verify"), "The request", &mut draft.0);
        let reason = draft.0.trim().is_empty().then_some("paste a request first");
        ui.horizontal(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            let verify = Button::primary("Verify").icon(icons::FILE_CHECK).disabled(reason);
            let verify = verify.keys(vec!["Ctrl".to_owned(), "Enter".to_owned()]);
            let is_pressed = ui.add(verify.show_keys()).clicked();
            let by_key = |input: &mut egui::InputState| {
                reason.is_none() && input.consume_key(Modifiers::COMMAND, Key::Enter)
            };
            if is_pressed || ui.input_mut(by_key) {
                push(VerifyAction::Compare(VerifySource::Text(draft.0.as_str().into())));
            }
            let file = Button::secondary("Choose a file…").icon(icons::FOLDER_OPEN);
            if ui.add(file).clicked() {
                push(VerifyAction::Pick);
            }
        });
    });
}
