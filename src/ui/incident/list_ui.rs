//! Paints the list of drafts, each with whether it is saved, whether it already exists, and its number of secrets.

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::incident_data::duplicate_label;
use document::text::{counted, thousands, visible};
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText};
use workbench::{Actions, ImportAction, ImportDesk};

const DRAFT_ROW: RowShape =
    RowShape { lines: &[15.0, 31.0], margins: (44.0, theme::GAP), ..RowShape::TWO_LINES };

/// Draws the list. A click shows a draft, a click on its checkbox selects it for saving.
pub(super) fn list_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let colors = tokens(ui);
    let drafts = desk.incident.drafts.len();
    widgets::strip(ui, theme::ROW_TWO_LINES, |ui| {
        let toggle = Button::icon_only(icons::LIST_CHECKS, "Select all new drafts or none");
        widgets::on_click(&ui.add(toggle), ImportAction::ToggleAll, actions);
        let selection = format!("{} of {} selected", desk.included().len(), thousands(drafts));
        StyledText::new().with(&selection, theme::regular(theme::ROW), colors.text).show(ui);
    });
    widgets::hair_line(ui);
    // The calls of the draft have at least half of the height.
    let height = ui.available_height() / 2.0;
    List::new("Drafts", &DRAFT_ROW, drafts)
        .max_height(height.min(drafts as f32 * theme::ROW_TWO_LINES))
        .selection(Some(desk.selected), Some)
        .show(ui, |slot| row_ui(slot, desk, actions));
}

/// Returns the line below a draft's name.
fn draft_marks(desk: &ImportDesk, draft: usize) -> String {
    let incident = &desk.incident;
    let duplicate = incident.duplicates.get(draft).and_then(Option::as_ref);
    let fault = incident.drafts.get(draft).and_then(|d| d.fault());
    let mut words = match fault {
        Some(fault) => fault.to_owned(),
        None => duplicate_label(duplicate).unwrap_or_else(|| "New".to_owned()),
    };
    let secrets = incident.secrets_of(draft).len();
    if secrets > 0 {
        words = format!("{}, {words}", counted(secrets, "secret", "secrets"));
    }
    words
}

fn row_ui(slot: &mut RowSlot<'_>, desk: &ImportDesk, actions: &mut Actions) {
    let draft = slot.index;
    let Some(entry) = desk.incident.drafts.get(draft) else { return };
    let tokens = tokens(slot.ui);
    let id = visible(&entry.session.id);
    let marks = draft_marks(desk, draft);
    let is_included = desk.is_included(draft);
    let name_color = if is_included { tokens.text_strong } else { tokens.muted };
    let label = match &entry.session.name {
        Some(name) => format!("{}  {id}", visible(name)),
        None => id.to_string(),
    };
    let color = if desk.undecided_secrets(draft) > 0 { tokens.warning } else { tokens.muted };
    let row = Row::new(format!("Draft {id}, {marks}"))
        .selected(desk.selected == draft)
        .line(Line::new(&label, theme::regular(theme::BODY), name_color))
        .line(Line::new(&marks, theme::regular(theme::LABEL), color));
    widgets::on_click(&slot.show(row), ImportAction::Select(draft), actions);
    // After the row: egui gives a click to what was added last, so that the checkbox does not also select the draft.
    box_ui(slot.ui, slot.rect, (draft, &id, is_included), actions);
}

/// Draws the checkbox of a draft.
fn box_ui(ui: &Ui, row: Rect, draft: (usize, &str, bool), actions: &mut Actions) {
    let (draft, id, is_included) = draft;
    let center = pos2(row.left() + 24.0, row.center().y);
    let rect = Rect::from_center_size(center, vec2(theme::CONTROL, theme::CONTROL));
    let response = ui.interact(rect, ui.scope_id().with(("take", draft)), Sense::click());
    let name = format!("Select {id}");
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, is_included, &name));
    let tokens = tokens(ui);
    let (icon, color) = if is_included {
        (icons::SQUARE_CHECK, tokens.accent)
    } else {
        (icons::SQUARE, tokens.muted)
    };
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, color);
    widgets::focus_ring(ui, &response, theme::RADIUS_KEY);
    widgets::on_click(&response, ImportAction::Toggle(draft), actions);
}
