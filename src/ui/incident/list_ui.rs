//! Paints the list of drafts, each with whether it is saved, whether it already exists, and its number of secrets.

use egui::{Rect, Role, ScrollArea, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::data::{ImportViewState, duplicate_label};
use crate::text::visible;
use crate::text::{counted, thousands};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, RowSelection, StyledText};
use crate::workbench::{Action, ImportAction, ImportDesk};

/// Where the text of a row begins.
const WORDS: f32 = 44.0;

/// Draws the list. A click shows a draft, a click on its checkbox selects it for saving.
pub(super) fn list_ui(
    ui: &mut Ui,
    desk: &ImportDesk,
    view: &mut ImportViewState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let drafts = desk.incident().drafts.len();
    widgets::strip(ui, theme::ROW_TWO_LINES, |ui| {
        let toggle = Button::icon_only(icons::LIST_CHECKS, "Select all new drafts or none");
        if ui.add(toggle).clicked() {
            actions.push(Action::Import(ImportAction::ToggleAll));
        }
        let taken = format!(
            "{} of {} selected",
            desk.included().len(),
            thousands(drafts)
        );
        StyledText::new()
            .with(&taken, theme::regular(theme::ROW), colors.text)
            .show(ui);
    });
    widgets::hair_line(ui);
    let mut area = ScrollArea::vertical().id_salt("drafts").auto_shrink(false);
    if view.shown != Some(desk.selected()) {
        view.shown = Some(desk.selected());
        let top = desk.selected() as f32 * theme::ROW_TWO_LINES;
        let middle = (ui.available_height() - theme::ROW_TWO_LINES) / 2.0;
        area = area.vertical_scroll_offset((top - middle).max(0.0));
    }
    area.show_rows(ui, theme::ROW_TWO_LINES, drafts, |ui, rows| {
        for draft in rows {
            row_ui(ui, desk, draft, actions);
        }
    });
}

/// Returns the line below a draft's name.
fn draft_marks(desk: &ImportDesk, draft: usize) -> String {
    let incident = desk.incident();
    let duplicate = incident.duplicates.get(draft).and_then(Option::as_ref);
    let fault = incident.drafts.get(draft).and_then(|it| it.fault());
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

fn row_ui(ui: &mut Ui, desk: &ImportDesk, draft: usize, actions: &mut Vec<Action>) {
    let Some(known) = desk.incident().drafts.get(draft) else {
        return;
    };
    let tokens = tokens(ui);
    let chosen = if desk.selected() == draft {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let id = visible(&known.session.id);
    let marks = draft_marks(desk, draft);
    let name = format!("Draft {id}, {marks}");
    let response = widgets::row(ui, theme::ROW_TWO_LINES, chosen, &name);
    let rect = response.rect;
    if response.clicked() {
        actions.push(Action::Import(ImportAction::Select(draft)));
    }
    let hair = Stroke::new(1.0, tokens.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let (left, right) = (rect.left() + WORDS, rect.right() - theme::GAP);
    let takes = desk.is_included(draft);
    let strong = if takes {
        tokens.text_strong
    } else {
        tokens.muted
    };
    let label = known.session.name.as_deref().unwrap_or(&id);
    let label = if known.session.name.is_some() {
        format!("{}  {id}", visible(label))
    } else {
        id.to_string()
    };
    let font = theme::regular(theme::BODY);
    let line = widgets::line(ui, &label, font, strong, right - left);
    widgets::paint_line(ui.painter(), pos2(left, rect.top() + 15.0), line);
    let color = if desk.undecided_secrets(draft) > 0 {
        tokens.warning
    } else {
        tokens.muted
    };
    let font = theme::regular(theme::LABEL);
    let line = widgets::line(ui, &marks, font, color, right - left);
    widgets::paint_line(ui.painter(), pos2(left, rect.top() + 31.0), line);
    box_ui(ui, rect, (draft, &id, takes), actions);
}

/// Draws the checkbox of a draft.
fn box_ui(ui: &mut Ui, row: Rect, draft: (usize, &str, bool), actions: &mut Vec<Action>) {
    let (draft, id, takes) = draft;
    let center = pos2(row.left() + 24.0, row.center().y);
    let rect = Rect::from_center_size(center, vec2(theme::CONTROL, theme::CONTROL));
    let response = ui.interact(rect, ui.auto_id_with(("take", draft)), Sense::click());
    let name = format!("Select {id}");
    response.widget_info(|| WidgetInfo::selected(Role::CheckBox, true, takes, &name));
    let tokens = tokens(ui);
    let (icon, color) = if takes {
        (icons::SQUARE_CHECK, tokens.accent)
    } else {
        (icons::SQUARE, tokens.muted)
    };
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_HEADING, color);
    widgets::focus_ring(ui, &response, theme::RADIUS_KEY);
    if response.clicked() {
        actions.push(Action::Import(ImportAction::Toggle(draft)));
    }
}
