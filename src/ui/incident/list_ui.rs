//! Paints the drafts, each with whether it is saved, whether it already exists, and its number of secrets, and the calls of the selected
//! one or of a fixture, of which one can be chosen as the one that went wrong.

use egui::{Rect, Ui, vec2};

use super::fixture_ui::earlier_calls_ui;
use super::incident_data::duplicate_label;
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

/// A call of what is made, as it is listed.
struct CallEntry {
    label: String,
    /// At the right: the tool, or the status of a tool response.
    note: String,
    verdict: BlockVerdict,
    /// Milliseconds.
    length: f32,
}

/// Returns how many calls are listed, and the chosen one.
fn calls(desk: &ImportDesk) -> (usize, Option<usize>) {
    if desk.makes_fixture() {
        return (desk.calls.rows.len(), Some(desk.fixture.call));
    }
    let draft = desk.incident.drafts.get(desk.selected);
    let count = draft.map_or(0, |draft| draft.session.tool_responses.len());
    (count, desk.incident.last_call(desk.selected))
}

fn is_kept(desk: &ImportDesk, call: usize) -> bool {
    if desk.makes_fixture() {
        return desk.fixture_range().contains(&call);
    }
    desk.incident.last_call(desk.selected).is_none_or(|last| call <= last)
}

fn call_entry(desk: &ImportDesk, call: usize) -> Option<CallEntry> {
    if desk.makes_fixture() {
        let row = desk.calls.rows.get(call)?;
        let (label, tool) = (row.summary.label(), row.summary.tool.as_deref());
        let words = Some(&*row.summary.quote).filter(|quote| !quote.is_empty());
        let label = if label.is_empty() { "Content not stored" } else { label };
        let note = tool.filter(|_| words.is_some()).unwrap_or_default();
        let (note, verdict) = match row {
            row if row.is_unanswered => ("no answer stored", BlockVerdict::Unanswered),
            row if row.is_wrong => (note, BlockVerdict::Wrong),
            _ => (note, BlockVerdict::Right),
        };
        return Some(CallEntry {
            label: visible(words.unwrap_or(label)).into_owned(),
            note: visible(note).into_owned(),
            verdict,
            length: row.duration_ms.unwrap_or_default() as f32,
        });
    }
    let response = desk.incident.drafts.get(desk.selected)?.session.tool_responses.get(call)?;
    Some(CallEntry {
        label: visible(&response.tool).into_owned(),
        note: match response.status {
            // Flakestorm has status 0 for a tool that gave no answer.
            Some(..=0) => "no answer".to_owned(),
            Some(status @ 400..) => format!("status {status}"),
            _ => String::new(),
        },
        verdict: match response.status {
            Some(..=0 | 400..) => BlockVerdict::Wrong,
            _ => BlockVerdict::Right,
        },
        length: response.latency_ms.unwrap_or_default().max(0) as f32,
    })
}

/// Draws the strip of the calls, if there are any.
pub(super) fn strip_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let (count, chosen) = calls(desk);
    let block = |call: usize| {
        let entry = call_entry(desk, call)?;
        let verdict = match chosen {
            Some(chosen) if call == chosen => BlockVerdict::Wrong,
            _ if !is_kept(desk, call) => BlockVerdict::NotReached,
            _ => entry.verdict,
        };
        Some(CallBlock { verdict, length: entry.length })
    };
    let blocks: Vec<CallBlock> = (0..count).filter_map(block).collect();
    if blocks.is_empty() {
        return;
    }
    let clicked = widgets::padded(ui, |ui| widgets::call_strip(ui, &blocks, chosen));
    actions.extend(clicked.map(ImportAction::ChooseCall).map(Action::from));
    widgets::hair_line(ui);
}

/// Draws the list of the calls, if there are any.
pub(super) fn calls_ui(ui: &mut Ui, desk: &ImportDesk, actions: &mut Actions) {
    let (count, chosen) = calls(desk);
    if count == 0 {
        return;
    }
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::subtitle(ui, "The call that went wrong");
    });
    widgets::hair_line(ui);
    let height = ui.available_height() - theme::DESK_HEADER;
    List::new("Calls of the draft", &CALL_ROW, count)
        .of(desk.selected)
        .max_height(height.min(count as f32 * CALL_ROW.height))
        .selection(chosen, Some)
        .show(ui, |slot| {
            let Some(row) = call_row(slot.ui, desk, slot.index, chosen) else { return };
            let choose = ImportAction::ChooseCall(slot.index);
            widgets::on_click(&slot.show(row), choose, actions);
        });
    if desk.makes_fixture() {
        earlier_calls_ui(ui, desk, actions);
    }
}

fn call_row(ui: &Ui, desk: &ImportDesk, call: usize, chosen: Option<usize>) -> Option<Row> {
    let colors = tokens(ui);
    let entry = call_entry(desk, call)?;
    let number = (call + 1).to_string();
    let is_chosen = chosen == Some(call);
    let (icon, color) =
        if is_chosen { (icons::CIRCLE_DOT, colors.accent) } else { (icons::CIRCLE, colors.muted) };
    // What is left out is quieter than what is kept.
    let label_color = if is_kept(desk, call) { colors.text_strong } else { colors.muted };
    let is_fixture = desk.makes_fixture();
    let label_font =
        if is_fixture { theme::regular(theme::ROW) } else { theme::mono(theme::LABEL) };
    let words = StyledText::new().with(&number, theme::mono(theme::LABEL), colors.muted).after(
        theme::SECTION_GAP,
        &entry.label,
        label_font,
        label_color,
    );
    let note_font =
        if is_fixture { theme::mono(theme::LABEL) } else { theme::regular(theme::LABEL) };
    let note_color = if is_fixture { colors.muted } else { colors.warning };
    let right = StyledText::new().with(&entry.note, note_font, note_color);
    let name = format!("Call {number}, {}, {}", entry.label, entry.note);
    let line = Line::from(words).icon(icon, color).right(right);
    Some(Row::new(name.trim_end_matches(", ").to_owned()).selected(is_chosen).line(line))
}
