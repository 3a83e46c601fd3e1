//! Paints the calls of the selected draft, of which one can be chosen as the one that went wrong.

use egui::Ui;

use author::import::SessionDraft;
use author::session::NewToolResponse;
use document::text::visible;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{BlockVerdict, CallBlock, Line, List, Row, RowShape, StyledText};
use workbench::{Action, Actions, ImportAction, ImportDesk};

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
        widgets::title_note(ui, ("The call that went wrong", theme::BODY), ("", theme::BODY));
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
    let words = StyledText::new().with(&number, theme::mono(theme::LABEL), colors.muted).after(
        theme::SECTION_GAP,
        &tool,
        theme::mono(theme::LABEL),
        name_color,
    );
    let right = StyledText::new().with(&status, theme::regular(theme::LABEL), colors.warning);
    Row::new(format!("Call {number}, {tool}, {status}").trim_end_matches(", ").to_owned())
        .selected(last == Some(call))
        .line(Line::from(words).icon(icon, color).right(right))
}
