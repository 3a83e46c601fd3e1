//! Paints the fields of a draft with their origins, and its secrets with the decision on each.

use egui::text::{LayoutJob, TextFormat, TextWrapping};
use egui::{ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2};

use super::data::{FIELD, ImportViewState, describe_origin};
use crate::ops::import::{DraftField, FieldOrigin, SecretChoice};
use crate::text::{counted, visible};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, List, RowShape, RowSlot, Segment, StyledText};
use crate::workbench::{Action, ImportAction, ImportDesk};

/// Maximum number of bytes shown of a value.
const SHOWN: usize = 400;
/// Maximum height of a draft's secrets before they scroll.
const SECRETS: f32 = 220.0;

/// Draws the fields of the selected draft.
pub(super) fn fields_ui(
    ui: &mut Ui,
    desk: &ImportDesk,
    view: &ImportViewState,
    actions: &mut Vec<Action>,
) {
    secrets_ui(ui, desk, actions);
    notes_ui(ui, desk);
    let Some((preview, tops)) = view.fields() else {
        return widgets::skeleton_rows(ui, 6, FIELD);
    };
    List::new(
        "Fields of the draft",
        &RowShape::ONE_LINE,
        preview.fields.len(),
    )
    .of(preview.draft)
    .tops(&|field| tops[field])
    .show(ui, |slot| field_ui(slot, &preview.fields[slot.index]));
}

fn field_ui(slot: &RowSlot<'_>, field: &DraftField) {
    let (ui, rect) = (&*slot.ui, slot.rect);
    let colors = tokens(ui);
    let response = ui.interact(rect, ui.scope_id().with(slot.index), Sense::hover());
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let (left, right) = (rect.left() + theme::PADDING, rect.right() - theme::PADDING);
    let came_from = describe_origin(field.origin.as_ref());
    let value: String = field.value.chars().take(SHOWN).collect();
    let value = visible(&value);
    let name = if came_from.is_empty() {
        format!("{}: {value}", field.label)
    } else {
        format!("{}: {value}, from {came_from}", field.label)
    };
    response.widget_info(|| WidgetInfo::labeled(egui::Role::Label, true, &name));

    let top = rect.top() + 17.0;
    let font = theme::medium(theme::ROW);
    let label = widgets::line(ui, &field.label, font, colors.text_strong, right - left);
    let beside = left + label.size().x + theme::SECTION_GAP;
    widgets::paint_line(ui.painter(), pos2(left, top), label);
    let font = match field.origin {
        Some(FieldOrigin::Generated(_)) => theme::regular(theme::LABEL),
        _ => theme::mono(theme::LABEL),
    };
    let words = widgets::line(ui, &came_from, font, colors.muted, right - beside - 20.0);
    let start = right - words.size().x;
    widgets::paint_line(ui.painter(), pos2(start, top), words);
    if !came_from.is_empty() {
        let (center, icon) = (pos2(start - 12.0, top), icons::CORNER_DOWN_RIGHT);
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, colors.muted);
    }

    let format = TextFormat::simple(theme::mono(theme::LABEL), colors.text);
    let mut job = LayoutJob::single_section(value.into_owned(), format);
    job.wrap = TextWrapping {
        max_width: right - left,
        max_rows: if rect.height() > FIELD { 2 } else { 1 },
        break_anywhere: false,
        overflow_character: Some('…'),
    };
    let galley = ui.painter().layout_job(job);
    let at = pos2(left, rect.top() + 30.0);
    ui.painter().galley(at, galley, colors.text);
}

/// Draws what did not fit into the session.
fn notes_ui(ui: &mut Ui, desk: &ImportDesk) {
    let draft = desk.incident.drafts.get(desk.selected);
    let Some(draft) = draft.filter(|draft| !draft.notes.is_empty()) else {
        return;
    };
    let heading = counted(draft.notes.len(), "thing", "things");
    let heading = format!("{heading} to check");
    let body = draft.notes.iter().take(3).map(|note| format!("{note}."));
    let body: Vec<String> = body.collect();
    egui::Frame::new().inner_margin(12).show(ui, |ui| {
        widgets::banner(
            ui,
            theme::Tone::Note,
            icons::INFO,
            &heading,
            &visible(&body.join(" ")),
        );
    });
}

/// Draws the secrets of the selected draft.
fn secrets_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Vec<Action>) {
    let own = desk.incident.secrets_of(desk.selected);
    if own.is_empty() {
        return;
    }
    let height = SECRETS.min(own.len() as f32 * theme::TOOL_ROW_SEGMENTS);
    let area = ScrollArea::vertical()
        .id_salt("draft secrets")
        .max_height(height);
    area.show_rows(ui, theme::TOOL_ROW_SEGMENTS, own.len(), |ui, rows| {
        for at in own.get(rows).unwrap_or_default() {
            secret_ui(ui, desk, *at, actions);
        }
    });
    widgets::hair_line(ui);
}

fn secret_ui(ui: &mut Ui, desk: &ImportDesk, at: usize, actions: &mut Vec<Action>) {
    let Some(secret) = desk.secrets.get(at) else {
        return;
    };
    let colors = tokens(ui);
    let here = secret
        .places
        .iter()
        .filter(|(draft, _)| *draft == desk.selected);
    let places: Vec<&str> = here.map(|(_, pointer)| pointer.as_str()).collect();
    let (icon, color) = match secret.choice {
        SecretChoice::Open => (icons::TRIANGLE_ALERT, colors.warning),
        SecretChoice::Redact => (icons::EYE_OFF, colors.good),
        SecretChoice::Keep => (icons::EYE, colors.muted),
    };
    widgets::strip(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        let name = format!("{} {}", secret.kind.name, secret.hint);
        let layout = egui::Layout::right_to_left(egui::Align::Center);
        ui.with_layout(layout, |ui| {
            choice_ui(ui, at, &name, secret.choice, actions);
            let layout = egui::Layout::left_to_right(egui::Align::Center);
            ui.with_layout(layout, |ui| {
                StyledText::new()
                    .with(icon, theme::icon(theme::ICON), color)
                    .after(
                        theme::GAP,
                        &visible(&name),
                        theme::regular(theme::ROW),
                        colors.text_strong,
                    )
                    .after(
                        theme::GAP,
                        &visible(&places.join(", ")),
                        theme::mono(theme::LABEL),
                        colors.muted,
                    )
                    .show(ui);
            });
        });
    });
}

fn choice_ui(ui: &mut Ui, at: usize, name: &str, choice: SecretChoice, actions: &mut Vec<Action>) {
    const CHOICES: [(SecretChoice, &str); 2] = [
        (SecretChoice::Redact, "Redact"),
        (SecretChoice::Keep, "Keep"),
    ];
    let names = CHOICES.map(|(_, words)| format!("{words} {name}"));
    let segments = [0, 1].map(|at| Segment::text(CHOICES[at].1).name(&names[at]));
    // While nothing is decided, no button is on.
    let chosen = CHOICES
        .iter()
        .position(|(known, _)| *known == choice)
        .unwrap_or(CHOICES.len());
    ui.push_id(("secret", at), |ui| {
        let pressed = widgets::segmented(ui, &segments, chosen);
        if let Some((choice, _)) = pressed.and_then(|at| CHOICES.get(at)) {
            actions.push(Action::Import(ImportAction::Decide(Some(at), *choice)));
        }
    });
}
