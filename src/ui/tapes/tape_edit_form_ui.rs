//! Paints the form of an edit above the timeline, with a preview of the resulting statistics.

use egui::{Id, Ui};

use super::tapes_data::{Props, format_seconds};
use calls::tape::edits::TapeEdit;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, TextField, icons};
use workbench::{Action, Actions, TapeEditForm, TapeEditKind, TapesAction};

/// Draws the buttons that open the forms.
pub(super) fn open_form_button_ui(ui: &mut Ui, props: Props<'_>, actions: &mut Actions) {
    let button = Button::secondary("Shape timing")
        .icon(icons::WAND_SPARKLES)
        .trailing(icons::CHEVRON_DOWN)
        .tooltip("Change the delays and the chunk sizes of the selected range or the whole tape");
    widgets::menu(&ui.add(button), |ui| {
        for kind in TapeEditKind::ALL {
            let entry = widgets::menu_item(ui, "", &format!("{}…", kind.name()), &[], None);
            shape_ui(ui, entry.rect, shape_of(*kind));
            if entry.clicked() {
                actions.push(Action::from(TapesAction::EditForm(Some(TapeEditForm::new(*kind)))));
                ui.close();
            }
        }
        let range = props.desk.chosen();
        // Without a range, trimming would keep the whole tape.
        let is_missing = props.desk.transport.range.is_none();
        let reason = is_missing.then_some("drag over the timeline to select a range first");
        if widgets::menu_action(ui, icons::MINUS, "Trim to range", reason) {
            actions.push(TapesAction::EditTape(TapeEdit::Trim { keep: range }).into());
        }
    });
}

/// Returns the result of an edit of five equal delays, as heights in an icon.
fn shape_of(kind: TapeEditKind) -> [f32; 5] {
    match kind {
        TapeEditKind::Scale => [3.0, 5.0, 7.0, 9.0, 11.0],
        TapeEditKind::Shift => [1.0, 1.0, 8.0, 8.0, 8.0],
        TapeEditKind::Steady => [6.0; 5],
        TapeEditKind::SlowStart => [12.0, 3.0, 3.0, 3.0, 3.0],
        TapeEditKind::Stall => [3.0, 3.0, 12.0, 3.0, 3.0],
        TapeEditKind::Burst => [10.0, 1.0, 1.0, 10.0, 1.0],
    }
}

/// Draws a shape in place of the icon of a menu entry.
fn shape_ui(ui: &Ui, entry: egui::Rect, shape: [f32; 5]) {
    let base = entry.center().y + 6.0;
    let stroke = egui::Stroke::new(2.0, tokens(ui).muted);
    for (index, height) in shape.iter().enumerate() {
        ui.painter().vline(entry.left() + 9.0 + 3.0 * index as f32, base - height..=base, stroke);
    }
}

/// Draws the open form, if any.
pub(super) fn tape_edit_form_ui(ui: &mut Ui, props: Props<'_>, actions: &mut Actions) {
    let Some(form) = props.desk.form.as_ref() else { return };
    // Not simply the selected ones: some edits apply to the whole tape.
    let chunks = props.desk.form_is_for(form.kind);
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let extent = match chunks.len() {
            1 => format!("of chunk {}", chunks.start + 1),
            _ => format!("of chunks {} to {}", chunks.start + 1, chunks.end),
        };
        widgets::title_note(ui, (form.kind.name(), theme::BODY), (&extent, theme::ROW));
        field_ui(ui, form, actions);
        totals_preview_ui(ui, props);
        widgets::at_right(ui, |ui| {
            widgets::on_click(&ui.add(Button::primary("Apply")), TapesAction::Apply, actions);
            let cancel = Button::secondary("Cancel").keys(vec!["Esc".to_owned()]);
            let response = ui.add(cancel.tooltip("Changes nothing"));
            widgets::on_click(&response, TapesAction::EditForm(None), actions);
        });
    });
    widgets::hair_line(ui);
}

fn field_ui(ui: &mut Ui, form: &TapeEditForm, actions: &mut Actions) {
    let name = form.kind.field();
    let mut new_form = form.clone();
    let field = TextField::new(Id::unique("tape form"), name, &mut new_form.value).mono().show(
        ui,
        72.0,
        |_| {},
        |_| {},
    );
    if widgets::is_entered(ui, &field) {
        actions.push(Action::from(TapesAction::Apply));
    }
    if field.changed() {
        actions.push(Action::from(TapesAction::EditForm(Some(new_form))));
    }
    widgets::small(ui, name);
}

/// Draws the change of the totals.
fn totals_preview_ui(ui: &mut Ui, props: Props<'_>) {
    let tokens = tokens(ui);
    let old_seconds = format_seconds(props.tape.stats().total_nanos);
    let (words, color) = match props.desk.preview() {
        Some(Ok(timing)) => {
            let new_seconds = format_seconds(timing.stats().total_nanos);
            (format!("{old_seconds} s → {new_seconds} s"), tokens.text_strong)
        }
        Some(Err(reason)) => (reason.clone(), tokens.warning),
        None => (format!("{old_seconds} s"), tokens.muted),
    };
    ui.add_space(theme::GAP);
    StyledText::new().with(&words, theme::mono(theme::LABEL), color).show(ui);
}
