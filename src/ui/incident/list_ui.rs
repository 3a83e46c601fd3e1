//! Paints the drafts, each with whether it is saved, whether it already exists, and its number of secrets, and the calls of the selected
//! one, of which one can be chosen as the one that went wrong.

use egui::{Rect, Ui, vec2};

use super::incident_data::duplicate_label;
use author::import::SessionDraft;
use author::session::NewToolResponse;
use document::text::{counted, thousands, visible};
use widgets::theme::{self, tokens};
use widgets::{
    BlockVerdict, Button, CallBlock, Line, List, Row, RowShape, RowSlot, StyledText, icons,
};
use workbench::{Action, Actions, ImportAction, ImportDesk};

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
    let center = slot.rect.left_center() + vec2(24.0, 0.0);
    let place = Rect::from_center_size(center, vec2(theme::CONTROL, theme::CONTROL));
    let check_id = slot.ui.scope_id().with(("take", draft));
    let name = format!("Select {id}");
    let response = widgets::check_mark(slot.ui, place, check_id, &name, is_included);
    widgets::on_click(&response, ImportAction::Toggle(draft), actions);
}

const CALL_ROW: RowShape =
    RowShape { height: 40.0, lines: &[20.0], hair: true, ..RowShape::ONE_LINE };

fn selected(desk: &ImportDesk) -> Option<(&SessionDraft, Option<usize>)> {
    let draft = desk.incident.drafts.get(desk.selected)?;
    Some((draft, desk.incident.last_call(desk.selected)))
}

/// Draws the strip of the calls, if the draft has any.
pub(super) fn strip_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let Some((draft, last)) = selected(desk) else { return };
    let calls = draft.session.tool_responses.iter().enumerate();
    let blocks: Vec<CallBlock> = calls
        .map(|(call, response)| CallBlock {
            verdict: match last {
                Some(last) if call == last => BlockVerdict::Wrong,
                Some(last) if call > last => BlockVerdict::NotReached,
                _ if matches!(response.status, Some(..=0 | 400..)) => BlockVerdict::Wrong,
                _ => BlockVerdict::Right,
            },
            length: response.latency_ms.unwrap_or_default().max(0) as f32,
        })
        .collect();
    if blocks.is_empty() {
        return;
    }
    let chosen = widgets::padded(ui, |ui| widgets::call_strip(ui, &blocks, last));
    actions.extend(chosen.map(ImportAction::ChooseCall).map(Action::from));
    widgets::hair_line(ui);
}

/// Draws the list of the calls, if the draft has any.
pub(super) fn calls_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let Some((draft, last)) = selected(desk) else { return };
    let calls = &draft.session.tool_responses;
    if calls.is_empty() {
        return;
    }
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::subtitle(ui, "The call that went wrong");
    });
    widgets::hair_line(ui);
    List::new("Calls of the draft", &CALL_ROW, calls.len())
        .of(desk.selected)
        .selection(last, Some)
        .show(ui, |slot| {
            let row = call_row(slot.ui, slot.index, &calls[slot.index], last);
            let choose = ImportAction::ChooseCall(slot.index);
            widgets::on_click(&slot.show(row), choose, actions);
        });
}

fn call_row(ui: &Ui, call: usize, response: &NewToolResponse, last: Option<usize>) -> Row {
    let colors = tokens(ui);
    let number = (call + 1).to_string();
    let tool = visible(&response.tool);
    let status = match response.status {
        // Flakestorm has status 0 for a tool that gave no answer.
        Some(..=0) => "no answer".to_owned(),
        Some(status @ 400..) => format!("status {status}"),
        _ => String::new(),
    };
    let (icon, color) = if last == Some(call) {
        (icons::CIRCLE_DOT, colors.accent)
    } else {
        (icons::CIRCLE, colors.muted)
    };
    // What is left out is quieter than what is kept.
    let is_kept = last.is_none_or(|last| call <= last);
    let name_color = if is_kept { colors.text_strong } else { colors.muted };
    let font = || theme::mono(theme::LABEL);
    let words = StyledText::new().with(&number, font(), colors.muted).after(
        theme::SECTION_GAP,
        &tool,
        font(),
        name_color,
    );
    let right = StyledText::new().with(&status, theme::regular(theme::LABEL), colors.warning);
    Row::new(format!("Call {number}, {tool}, {status}").trim_end_matches(", ").to_owned())
        .selected(last == Some(call))
        .line(Line::from(words).icon(icon, color).right(right))
}
