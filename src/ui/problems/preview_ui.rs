//! Paints what the fix of the selected place changes, or the place itself.

use egui::{Align, Frame, Layout, Ui};

use super::problems_data::{PreviewText, ProblemPreview, ProblemsData};
use super::problems_ui::ProblemsState;
use document::text::counted;
use widgets::code::{CodeFocus, code_ui};
use widgets::sheet::{SheetFocus, sheet_ui};
use widgets::theme::{self, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions};

/// Draws the selected place.
pub(super) fn preview_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    let Some(preview) = &data.preview else { return };
    // Folds are positions in the changes of one file.
    if state.folds_of != Some(preview.id.doc) {
        (state.folds_of, state.folds) = (Some(preview.id.doc), Default::default());
    }
    head_ui(ui, preview, actions);
    match &preview.text {
        PreviewText::Awaited => widgets::skeleton_rows(ui, 8, theme::TEXT_LINE),
        PreviewText::Failed(reason) => widgets::empty_sentence(ui, reason),
        PreviewText::Fix(sheet, _) => {
            let mut sheet_actions = Vec::new();
            sheet_ui(ui, sheet, &SheetFocus::default(), &mut sheet_actions);
            for action in sheet_actions {
                match action {
                    Action::ToggleFold { fold, .. } => {
                        state.folds.insert(fold);
                    }
                    // Other actions of a sheet go to a comparison, which is not open here.
                    Action::Copy(_) => actions.push(action),
                    _ => {}
                }
            }
        }
        PreviewText::Place(code) => {
            Frame::new().fill(tokens(ui).input).show(ui, |ui| {
                // A short text must not leave a part of the panel in another colour.
                ui.set_min_size(ui.available_size());
                let mut marks = code.marks.iter();
                // Several rules may report the same span.
                let mark = marks.find(|m| m.span == preview.span && *m.message == *preview.message);
                let focus = CodeFocus {
                    span: Some(preview.span),
                    message: Some(&preview.message),
                    severity: mark.map(|mark| mark.severity),
                };
                code_ui(ui, code, focus, &mut state.code);
            });
        }
    }
}

fn head_ui(ui: &mut Ui, preview: &ProblemPreview, actions: &mut Actions) {
    let (title, note) = match &preview.text {
        PreviewText::Fix(_, lines) => ("After the fix", counted(*lines, "line", "lines")),
        _ => ("Place", String::new()),
    };
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title_note(ui, (title, theme::TITLE), (&note, theme::ROW));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = Button::ghost("Open file").icon(icons::EXTERNAL_LINK);
            let response = ui.add(button.tooltip(&preview.path_line));
            widgets::on_click(&response, Action::Reveal(preview.id.doc, preview.span), actions);
        });
    });
    widgets::hair_line(ui);
}
