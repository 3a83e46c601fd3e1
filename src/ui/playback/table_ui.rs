//! The table of calls: the request on the left, the served recording on the right.

use egui::{Rect, Stroke, Ui, vec2};

use super::data::{PlaybackCallRow, PlaybackData, StatusLabel, rules_name};
use crate::ui::icons;
use crate::ui::library::tools_cell;
use crate::ui::theme::{self, Tokens, Tone, tokens};
use crate::ui::widgets::{
    self, Column, Columns, Line, List, PlacedColumns, Row, RowShape, RowSlot,
};
use crate::workbench::{Action, Command, Overlay, PlaybackAction, PlaybackResult};

/// Height of a call's row.
pub(super) const ROW: f32 = 40.0;
const CALL: RowShape = RowShape { height: ROW, lines: &[ROW / 2.0], ..RowShape::TWO_LINES };
/// Width of the call column, and the table width from which it is wide.
const CALLS: f32 = 300.0;
const CALLS_NARROW: f32 = 208.0;
const WIDE_FROM: f32 = 800.0;
/// Below this width a served recording has too little room, and other columns are hidden.
const SERVED: f32 = 132.0;

/// Width of the column of the arrow.
const ARROW: f32 = 44.0;

#[derive(Clone, Copy, PartialEq)]
enum CallColumn {
    Call,
    At,
    Tools,
    Arrow,
    Served,
    Step,
    Reused,
    Verdict,
    Other,
}

/// Places the columns. `beside` is the name of the column of the other run.
fn place_columns<'a>(ui: &Ui, beside: Option<&'a str>) -> PlacedColumns<'a, CallColumn> {
    let area = ui.available_rect_before_wrap();
    let (at, tools, arrow) =
        if area.width() >= WIDE_FROM { (56.0, 144.0, CALLS) } else { (48.0, 128.0, CALLS_NARROW) };
    let column = Column::new;
    let mut columns = vec![
        column(CallColumn::Call, "Call", at - theme::PADDING).gap(4.0),
        column(CallColumn::At, "At node", tools - at),
        column(CallColumn::Tools, "Offered tools", arrow - tools),
        column(CallColumn::Arrow, "", ARROW),
        Column::rest(CallColumn::Served, "Served recording", 60.0),
        column(CallColumn::Step, "Step", 116.0),
        column(CallColumn::Reused, "Reused", 116.0),
        column(CallColumn::Verdict, "Verdict", 148.0),
    ];
    columns.extend(beside.map(|name| column(CallColumn::Other, name, 188.0)));
    Columns::new("calls", &columns).hide(&[(CallColumn::Reused, SERVED)]).place(
        ui,
        area.left() + theme::PADDING,
        area.width() - theme::PADDING,
    )
}

/// Draws the listed calls.
pub(super) fn table_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    played: &PlaybackResult,
    actions: &mut Vec<Action>,
) {
    let area = ui.available_rect_before_wrap();
    let beside = data.desk.compared_rules.map(rules_name);
    let beside = played.compared_run.as_ref().map(|_| beside.as_deref().unwrap_or_default());
    let columns = place_columns(ui, beside);
    let border = columns.cell(CallColumn::Arrow).min;
    let colors = tokens(ui);
    ui.painter().rect_filled(area.with_max_x(border), 0.0, colors.panel);
    columns.heading(ui, None);
    if data.listed() == 0 {
        let words = if played.run.calls.is_empty() {
            "No requests to play."
        } else {
            "No matching calls. Press Esc to list all calls."
        };
        widgets::empty_state(ui, words, None);
        return;
    }
    List::new("Played calls", &CALL, data.listed())
        .selection(Some((played.number, data.desk.call)), |_| data.selected_row())
        .show(ui, |slot| {
            let call = data.call_at(slot.index);
            if let Some(row) = data.row(call) {
                row_ui(slot, &row, call, &columns, actions);
            }
        });
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().vline(border, area.y_range(), hair);
}

/// Returns the name of a row for screen readers.
fn accessible_name(row: &PlaybackCallRow) -> String {
    let served = row.served.as_deref().unwrap_or("nothing");
    let mut parts = vec![
        format!("Call {} {}", row.number, row.place),
        served.to_owned(),
        row.verdict.text.to_lowercase(),
    ];
    if let Some(step) = &row.step {
        parts.insert(2, step.text.to_lowercase());
    }
    parts.extend(row.reused.clone());
    parts.extend(row.other.as_ref().map(|other| format!("other run: {other}")));
    parts.join(", ")
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    row: &PlaybackCallRow,
    call: usize,
    columns: &PlacedColumns<'_, CallColumn>,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(slot.ui);
    let (mono, label) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let none = ("none", theme::regular(theme::ROW), colors.muted);
    let served = row.served.as_deref();
    let (served, font, color) = served.map_or(none, |it| (it, mono.clone(), colors.text_strong));
    let other = (icons::EQUAL_NOT, colors.note);
    let lines = [
        (CallColumn::Call, Some(Line::new(&row.number, mono, colors.text))),
        (CallColumn::At, Some(Line::title(&row.at, colors))),
        (CallColumn::Served, Some(Line::new(served, font, color))),
        (CallColumn::Step, row.step.as_ref().map(|it| status_line(it, colors))),
        (CallColumn::Reused, row.reused.as_ref().map(|it| Line::new(it, label, colors.warning))),
        (CallColumn::Verdict, Some(status_line(&row.verdict, colors))),
        (CallColumn::Other, row.other.as_ref().map(|it| Line::icon_word(other, (it, colors.text)))),
    ];
    let mut content = Row::new(accessible_name(row)).selected(row.selected);
    for (column, line) in lines {
        let cell = columns.cell(column);
        if let Some(line) = line.filter(|_| cell.span() > 0.0) {
            content = content.cell(cell).line(line);
        }
    }
    let response = slot.show(content);
    let cell = |column| Rect::from_x_y_ranges(columns.cell(column), slot.rect.y_range());
    tools_cell(slot.ui, cell(CallColumn::Tools), &row.tools, colors.text);
    let arrow = cell(CallColumn::Arrow).left_center() + vec2(ARROW / 2.0, 0.0);
    let icon = icons::ARROW_RIGHT;
    widgets::paint_icon(slot.ui.painter(), arrow, icon, theme::ICON, colors.muted);
    if response.clicked() || response.secondary_clicked() {
        actions.push(Action::from(PlaybackAction::ShowCall(call)));
    }
    widgets::context_menu(&response, |ui| menu_ui(ui, row, actions));
}

fn menu_ui(ui: &mut Ui, row: &PlaybackCallRow, actions: &mut Vec<Action>) {
    let open = widgets::menu_command(ui, Command::OpenSelected, Ok(()));
    if row.served.is_some() && open.clicked() {
        actions.push(Action::Run(Command::OpenSelected));
        ui.close();
    }
    let has_link = row.served.is_some();
    if has_link && widgets::menu_command(ui, Command::CopyLink, Ok(())).clicked() {
        actions.push(Action::Run(Command::CopyLink));
        ui.close();
    }
    let edit = widgets::menu_item(ui, icons::PENCIL_LINE, "Edit this request…", &[], None);
    if edit.clicked() {
        actions.push(Action::SetOverlay(Some(Overlay::TypedRequest)));
        ui.close();
    }
}

/// Creates an icon and its text; for a good status only the icon is coloured.
fn status_line(look: &StatusLabel, colors: &Tokens) -> Line {
    let (icon, word) = match look.tone {
        Tone::Plain => (colors.muted, colors.text),
        Tone::Good => (colors.good, colors.text),
        tone => (colors.tone(tone), colors.tone(tone)),
    };
    Line::icon_word((look.icon, icon), (&look.text, word))
}
