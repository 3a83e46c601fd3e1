//! Paints the fields of a draft with their origins, and its secrets with the decision on each.

use egui::Ui;
use egui::text::{LayoutJob, TextFormat};

use super::incident_data::{FIELD_HEIGHT, ImportViewState, describe_origin, short_origin};
use author::import::{DraftField, FieldOrigin, SecretChoice};
use document::text::{counted, visible};
use widgets::icons;
use widgets::theme::{self, Tokens, tokens};
use widgets::{Line, List, Row, RowShape, RowSlot, Segment, StyledText};
use workbench::{Action, Actions, ImportAction, ImportDesk};

/// Maximum number of characters shown of a value.
const MAX_VALUE_CHARS: usize = 400;
/// Maximum height of a draft's secrets before they scroll.
const MAX_SECRETS_HEIGHT: f32 = 220.0;

/// A secret, with room for the choice at its right.
const SECRET_ROW: RowShape = RowShape {
    height: theme::TOOL_ROW_SEGMENTS,
    lines: &[theme::TOOL_ROW_SEGMENTS / 2.0],
    margins: (theme::PADDING, 180.0),
    ..RowShape::ONE_LINE
};

const FIELD_ROW: RowShape =
    RowShape { height: FIELD_HEIGHT, lines: &[17.0, 38.0], ..RowShape::TWO_LINES };

/// Draws the fields of the selected draft.
pub(super) fn fields_ui(
    ui: &mut Ui,
    desk: &ImportDesk,
    view: &ImportViewState,
    actions: &mut Actions,
) {
    secrets_ui(ui, desk, actions);
    notes_ui(ui, desk);
    let Some((preview, tops)) = view.fields() else {
        return widgets::awaited(ui, 6, FIELD_HEIGHT, desk.preview_failure());
    };
    List::new("Fields of the draft", &FIELD_ROW, preview.fields.len())
        .of(preview.draft)
        .tops(&|field| tops[field])
        .show(ui, |slot| {
            let row = field_row(&preview.fields[slot.index], slot.rect.height(), tokens(slot.ui));
            slot.show(row);
        });
}

fn field_row(field: &DraftField, height: f32, colors: &Tokens) -> Row {
    let origin_text = describe_origin(field.origin.as_ref());
    // A value may be a whole conversation, of which two lines are shown at most.
    let value: String = field.value.chars().take(MAX_VALUE_CHARS).collect();
    let value = visible(&value);
    let mut name = format!("{}: {value}", field.label);
    let mut origin = StyledText::new();
    let short_text = short_origin(field.origin.as_ref());
    if !origin_text.is_empty() {
        name = format!("{name}, from {origin_text}");
        let font = match field.origin {
            Some(FieldOrigin::Generated(_)) => theme::regular(theme::LABEL),
            _ => theme::mono(theme::LABEL),
        };
        origin.push(icons::CORNER_DOWN_RIGHT, theme::icon(theme::ICON_TAG), colors.muted);
        origin = origin.after(theme::ICON_GAP, &short_text, font, colors.muted);
    }
    let format = TextFormat::simple(theme::mono(theme::LABEL), colors.text);
    let value = LayoutJob::single_section(value.into_owned(), format);
    let rows = if height > FIELD_HEIGHT { 2 } else { 1 };
    let label = Line::new(&field.label, theme::medium(theme::ROW), colors.text_strong);
    Row::new(name).line(label.right(origin).right_share(0.7)).line(StyledText::wrapped(value, rows))
}

/// Draws what did not fit into the session.
fn notes_ui(ui: &mut Ui, desk: &ImportDesk) {
    let draft = desk.incident.drafts.get(desk.selected);
    let Some(draft) = draft.filter(|draft| !draft.notes.is_empty()) else { return };
    let heading = format!("{} to check", counted(draft.notes.len(), "thing", "things"));
    let body: Vec<String> = draft.notes.iter().take(3).map(|note| format!("{note}.")).collect();
    egui::Frame::new().inner_margin(12).show(ui, |ui| {
        widgets::banner(ui, theme::Tone::Note, icons::INFO, &heading, &visible(&body.join(" ")));
    });
}

/// Draws the secrets of the selected draft.
fn secrets_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let secrets = desk.incident.secrets_of(desk.selected);
    if secrets.is_empty() {
        return;
    }
    let height = MAX_SECRETS_HEIGHT.min(secrets.len() as f32 * theme::TOOL_ROW_SEGMENTS);
    List::new("Secrets of the draft", &SECRET_ROW, secrets.len())
        .of(desk.selected)
        .max_height(height)
        .show(ui, |slot| secret_ui(slot, desk, secrets[slot.index], actions));
    widgets::hair_line(ui);
}

fn secret_ui(slot: &mut RowSlot<'_>, desk: &ImportDesk, index: usize, actions: &mut Actions) {
    let Some(secret) = desk.secrets.get(index) else { return };
    let colors = tokens(slot.ui);
    // A secret may be in several drafts, but only its places in this one can be seen.
    let draft_places = secret.places.iter().filter(|(draft, _)| *draft == desk.selected);
    let places: Vec<&str> = draft_places.map(|(_, pointer)| pointer.as_str()).collect();
    let (icon, color) = match secret.choice {
        SecretChoice::Open => (icons::TRIANGLE_ALERT, colors.warning),
        SecretChoice::Redact => (icons::EYE_OFF, colors.good),
        SecretChoice::Keep => (icons::EYE, colors.muted),
    };
    let name = format!("{} {}", secret.kind.name, secret.hint);
    let (label, places) = (visible(&name), places.join(", "));
    let words = StyledText::new()
        .with(&label, theme::regular(theme::ROW), colors.text_strong)
        .after(theme::GAP, &visible(&places), theme::mono(theme::LABEL), colors.muted);
    slot.show(Row::new(format!("{label}, {places}")).line(Line::from(words).icon(icon, color)));
    let choice = slot.rect.with_max_x(slot.rect.right() - theme::PADDING);
    widgets::place_right(slot.ui, choice, |ui| choice_ui(ui, index, &name, secret.choice, actions));
}

fn choice_ui(ui: &mut Ui, index: usize, name: &str, choice: SecretChoice, actions: &mut Actions) {
    const CHOICES: [(SecretChoice, &str); 2] =
        [(SecretChoice::Redact, "Redact"), (SecretChoice::Keep, "Keep")];
    let names = CHOICES.map(|(_, words)| format!("{words} {name}"));
    let segments = [0, 1].map(|i| Segment::text(CHOICES[i].1).name(&names[i]));
    // While nothing is decided, no button is on.
    let selection = CHOICES.iter().position(|(other, _)| *other == choice).unwrap_or(CHOICES.len());
    ui.push_id(("secret", index), |ui| {
        let segment = widgets::segmented(ui, &segments, selection);
        if let Some((choice, _)) = segment.and_then(|i| CHOICES.get(i)) {
            actions.push(Action::from(ImportAction::Decide(Some(index), *choice)));
        }
    });
}
