//! Paints the dialog of a step.

use egui::{Align, CornerRadius, Layout, Rect, Role, Sense, Stroke, StrokeKind, Ui, pos2, vec2};

use super::step_data::{StepCell, StepData, StepEntry};
use crate::unsaved::{FoldRequest, changes_ui, file_row};
use document::text::thousands;
use widgets::dialog::{DialogHead, close_button, default_button, dialog};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, StyledText, icons, keymap};
use workbench::{Action, Actions, Command, StepDecision};

const ROW_HEIGHT: f32 = 40.0;
/// The space between the two cells, with the arrow.
const CELL_GAP: f32 = 32.0;

/// Draws the dialog over the desk. Enter saves only if the default button is armed, or the user has moved the focus to it.
pub fn step_ui(ui: &mut Ui, data: &mut StepData, is_armed: bool, actions: &mut Actions) {
    let head = DialogHead { icon: icons::WAND_SPARKLES, title: &data.title, detail: &data.does };
    let mut requests = Vec::new();
    let body = |ui: &mut Ui, actions: &mut Actions| {
        sentences_ui(ui, data);
        if let Some(cells) = &data.cells {
            cells_ui(ui, cells);
        }
        for entry in &data.entries {
            ui.push_id(entry.doc, |ui| entry_ui(ui, entry, actions, &mut requests));
        }
        if data.more > 0 {
            let words = format!("and {} more", thousands(data.more));
            StyledText::new().with(&words, theme::regular(theme::ROW), tokens(ui).muted).show(ui);
        }
        ui.add_space(theme::GAP);
    };
    dialog(ui, "step", head, actions, body, |ui, actions| {
        foot_ui(ui, &data.save, is_armed, actions);
    });
    // After the dialog, whose body borrows the data.
    for request in requests {
        data.folds.apply(request);
    }
}

fn foot_ui(ui: &mut Ui, save: &str, is_armed: bool, actions: &mut Actions) {
    let color = tokens(ui).muted;
    StyledText::new().with("Undo later with", theme::regular(theme::ROW), color).show(ui);
    let caps = keymap::caps(ui, Command::Undo);
    widgets::key_caps(ui, &caps);
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let save = Button::primary(save).icon(icons::SAVE);
        // A dialog that opens while the user types must not save with the next Enter.
        let is_clicked = if is_armed {
            let save = save.keys(vec!["Enter".to_owned()]).show_keys();
            default_button(ui, save).clicked()
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
        let font = theme::regular(theme::BODY);
        let width = ui.available_width() - theme::INDENT;
        let job = egui::text::LayoutJob::simple(text.to_owned(), font, tokens.text, width);
        let galley = ui.painter().layout_job(job);
        let (rect, response) = widgets::allocate_row(ui, galley.size().y + 6.0, Sense::hover());
        widgets::describe(&response, Role::Label, text);
        // The icon belongs to the first line, however many there are.
        let row = galley.rows.first().map_or(theme::TEXT_LINE, |row| row.height());
        let center = pos2(rect.left() + 7.0, rect.top() + row / 2.0);
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON, color);
        ui.painter().galley(pos2(rect.left() + theme::INDENT, rect.top()), galley, tokens.text);
    }
    ui.add_space(theme::GAP);
}

fn cells_ui(ui: &mut Ui, [old_cell, new_cell]: &[StepCell; 2]) {
    let color = tokens(ui).muted;
    let (rect, _) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    let rect = rect.with_min_x(rect.left() + theme::INDENT);
    let width = ((rect.width() - CELL_GAP) / 2.0).floor();
    let left = Rect::from_min_size(rect.min, vec2(width, ROW_HEIGHT));
    let right =
        Rect::from_min_size(pos2(rect.right() - width, rect.top()), vec2(width, ROW_HEIGHT));
    cell_ui(ui, left, "Before", old_cell);
    let middle = pos2(rect.center().x, rect.center().y);
    widgets::paint_icon(ui.painter(), middle, icons::ARROW_RIGHT, theme::ICON, color);
    cell_ui(ui, right, "After", new_cell);
    ui.add_space(theme::GAP + 4.0);
}

fn cell_ui(ui: &mut Ui, rect: Rect, title: &str, cell: &StepCell) {
    let tokens = tokens(ui);
    let response = ui.interact(rect, ui.scope_id().with(title), Sense::hover());
    let words = if cell.tool.is_empty() {
        format!("{title}: {}", cell.text)
    } else {
        format!("{title}: {} {}", cell.tool, cell.text)
    };
    widgets::describe(&response, Role::Label, &words);
    let radius = CornerRadius::same(theme::RADIUS_CARD);
    let line = Stroke::new(1.0, tokens.line);
    let painter = ui.painter();
    painter.rect(rect, radius, tokens.input, line, StrokeKind::Inside);
    let center = pos2(rect.left() + 19.0, rect.center().y);
    let tone = tokens.tone(cell.tone);
    widgets::paint_icon(painter, center, cell.icon, theme::ICON, tone);
    let mut line = StyledText::new().with(title, theme::regular(theme::BODY), tokens.text);
    if !cell.tool.is_empty() {
        line = line.after(theme::GAP, &cell.tool, theme::semibold(theme::BODY), tokens.text_strong);
    }
    let (font, color) = match (cell.is_code, cell.tone) {
        (true, Tone::Plain) => (theme::mono(theme::ROW), tokens.text_strong),
        (true, _) => (theme::mono(theme::ROW), tone),
        (false, _) => (theme::regular(theme::BODY), tokens.text_strong),
    };
    let line = line.after(theme::GAP, &cell.text, font, color);
    let origin = pos2(rect.left() + 34.0, rect.center().y);
    let galley = line.galley(ui, rect.right() - 12.0 - origin.x);
    widgets::paint_line(ui.painter(), origin, galley);
}

fn entry_ui(ui: &mut Ui, entry: &StepEntry, actions: &mut Actions, folds: &mut Vec<FoldRequest>) {
    row_ui(ui, entry, folds);
    if entry.is_open {
        changes_ui(ui, entry.doc, (entry.sheet.as_ref(), entry.more), actions, folds, |_, _| {});
    }
}

fn row_ui(ui: &mut Ui, entry: &StepEntry, requests: &mut Vec<FoldRequest>) {
    let color = tokens(ui).text;
    let document = (entry.doc, entry.kind);
    let path = (&*entry.folder, &*entry.name);
    let tag = |ui: &mut Ui| {
        if entry.has_earlier_edits {
            let tag = widgets::tag(ui, icons::CIRCLE_DOT, "With earlier edits", Tone::Accent);
            tag.on_hover_text(
                "The file has unsaved edits of earlier steps. They are saved with it, and not shown here.",
            );
        }
    };
    file_row(ui, document, path, entry.is_open, requests, tag, |ui| {
        StyledText::new().with(&entry.extent, theme::regular(theme::ROW), color).show(ui);
    });
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
