//! Paints the dialog of a step.

use egui::text::LayoutJob;
use egui::{Align, Layout, Margin, Ui, vec2};

use super::step_data::{StepCell, StepData, StepEntry};
use crate::unsaved::{ChangeFolds, file_ui};
use document::text::thousands;
use widgets::dialog::{DialogHead, close_button, default_button, dialog};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, StyledText, icons, keymap};
use workbench::{Action, Actions, Command, StepDecision};

const ROW_HEIGHT: f32 = 40.0;
/// Maximum rows of a sentence, which are more than any has.
const MAX_SENTENCE_ROWS: usize = 100;
/// The space between the two cells, with the arrow.
const CELL_GAP: f32 = 32.0;

/// Draws the dialog over the desk. Enter saves only if the default button is armed, or the user has moved the focus to it.
pub fn step_ui(ui: &mut Ui, data: &mut StepData, is_armed: bool, actions: &mut Actions) {
    let head = DialogHead { icon: icons::WAND_SPARKLES, title: &data.title, detail: &data.does };
    let mut folds = std::mem::take(&mut data.folds);
    let body = |ui: &mut Ui, actions: &mut Actions| {
        sentences_ui(ui, data);
        if let Some(cells) = &data.cells {
            cells_ui(ui, cells);
        }
        data.entries.iter().for_each(|entry| entry_ui(ui, entry, actions, &mut folds));
        if data.more > 0 {
            widgets::muted(ui, &format!("and {} more", thousands(data.more)));
        }
        ui.add_space(theme::GAP);
    };
    dialog(ui, "step", head, actions, body, |ui, actions| {
        foot_ui(ui, &data.save, is_armed, actions);
    });
    data.folds = folds;
}

fn foot_ui(ui: &mut Ui, save: &str, is_armed: bool, actions: &mut Actions) {
    widgets::muted(ui, "Undo later with");
    let caps = keymap::caps(ui, Command::Undo);
    widgets::key_caps(ui, &caps);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let save = Button::primary(save).icon(icons::SAVE);
        // A dialog that opens while the user types must not save with the next Enter.
        let is_clicked = if is_armed {
            default_button(ui, save.enter()).clicked()
        } else {
            ui.add(save).clicked()
        };
        if is_clicked {
            actions.push(Action::DecideStep(StepDecision::Save));
        }
        let keep = Button::secondary("Keep unsaved")
            .tooltip("Applies the changes, and does not write the files");
        widgets::on_click(&ui.add(keep), Action::DecideStep(StepDecision::KeepUnsaved), actions);
        close_button(ui, "Cancel", actions);
    });
}

/// Draws the sentence on what is not changed, and the remarks.
fn sentences_ui(ui: &mut Ui, data: &StepData) {
    let tokens = tokens(ui);
    let lines = [(icons::CHECK, data.leaves, tokens.muted)].into_iter();
    let remarks = data.remarks.iter();
    let lines = lines.chain(remarks.map(|r| (icons::TRIANGLE_ALERT, r.as_str(), tokens.warning)));
    for (icon, text, color) in lines {
        let (font, text_color) = tokens.body();
        let job = LayoutJob::simple(text.to_owned(), font, text_color, f32::INFINITY);
        let sentence = || StyledText::wrapped(job.clone(), MAX_SENTENCE_ROWS);
        let below = widgets::height_below(ui, sentence(), ui.available_width() - theme::INDENT);
        // The icon belongs to the first line, however many there are.
        let line = Line::from(sentence()).icon(icon, color);
        line.show_wrapped(ui, theme::TEXT_LINE + 2.0, below, text);
    }
    ui.add_space(theme::GAP);
}

fn cells_ui(ui: &mut Ui, [old_cell, new_cell]: &[StepCell; 2]) {
    ui.horizontal(|ui| {
        ui.add_space(theme::INDENT);
        ui.spacing_mut().item_spacing.x = (CELL_GAP - theme::ICON) / 2.0;
        let width = ((ui.available_width() - CELL_GAP) / 2.0).floor();
        cell_ui(ui, width, "Before", old_cell);
        widgets::icon(ui, icons::ARROW_RIGHT, theme::ICON, tokens(ui).muted);
        cell_ui(ui, width, "After", new_cell);
    });
    ui.add_space(theme::GAP + 4.0);
}

fn cell_ui(ui: &mut Ui, width: f32, title: &str, cell: &StepCell) {
    let tokens = tokens(ui);
    let tone = tokens.tone(cell.tone);
    let mut text = StyledText::of(title, tokens.body());
    let mut words = format!("{title}: ");
    if !cell.tool.is_empty() {
        text = text.with_gap(&cell.tool, tokens.heading());
        words += &format!("{} ", cell.tool);
    }
    let role = match (cell.is_code, cell.tone) {
        (true, Tone::Plain) => (theme::mono(theme::ROW), tokens.text_strong),
        (true, _) => (theme::mono(theme::ROW), tone),
        (false, _) => (theme::regular(theme::BODY), tokens.text_strong),
    };
    let line = Line::from(text.with_gap(&cell.text, role)).icon(cell.icon, tone);
    ui.allocate_ui(vec2(width, ROW_HEIGHT), |ui| {
        widgets::card_with(ui, tokens.input, Margin::symmetric(11, 0), |ui| {
            line.show_named(ui, ROW_HEIGHT - 2.0, &(words + &cell.text));
        });
    });
}

fn entry_ui(ui: &mut Ui, entry: &StepEntry, actions: &mut Actions, folds: &mut ChangeFolds) {
    let tag = |ui: &mut Ui, _: &mut Actions| {
        if entry.has_earlier_edits {
            let tag = widgets::tag(ui, icons::CIRCLE_DOT, "With earlier edits", Tone::Accent);
            tag.on_hover_text(
                "The file has unsaved edits of earlier steps. They are saved with it, and not shown here.",
            );
        }
    };
    let extent = |ui: &mut Ui| {
        let role = (theme::regular(theme::ROW), tokens(ui).text);
        StyledText::of(&entry.extent, role).show(ui);
    };
    file_ui(ui, &entry.file, folds, actions, tag, extent, |_, _| {});
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use protocol::Theme;
    use widgets::theme::install;

    fn dialog(is_armed: bool) -> Harness<'static, Actions> {
        let mut data = StepData::default();
        data.title = "Stamp 2 recordings".to_owned();
        data.save = "Save 2 files".to_owned();
        let paint = move |ui: &mut Ui, actions: &mut Actions| {
            install(ui.ctx(), Theme::Dark);
            step_ui(ui, &mut data, is_armed, actions);
        };
        let mut harness =
            Harness::builder().with_size([900.0, 600.0]).build_ui_state(paint, Vec::new());
        harness.run();
        harness
    }

    #[test]
    fn keys_that_were_meant_for_a_field_press_no_button() {
        let expected = [Action::DecideStep(StepDecision::Save)];
        let mut harness = dialog(true);
        harness.key_press(egui::Key::Enter);
        harness.run();
        assert_eq!(harness.state().as_slice(), expected);

        let mut harness = dialog(false);
        for key in [egui::Key::A, egui::Key::Space, egui::Key::Enter] {
            harness.key_press(key);
            harness.run();
        }
        assert!(harness.state().is_empty());
        // A focus that the user moved to the button is meant.
        harness.get_by_label("Save 2 files").focus();
        harness.run();
        harness.key_press(egui::Key::Enter);
        harness.run();
        assert_eq!(harness.state().as_slice(), expected);
    }
}
