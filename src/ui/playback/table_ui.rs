//! The table of calls: the request on the left, the served recording on the right.

use egui::{Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use super::data::{PlaybackCallRow, PlaybackData, StatusLabel, rules_name};
use super::desk_ui::PlaybackView;
use crate::ui::icons;
use crate::ui::library::tools_cell;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, RowSelection};
use crate::workbench::{Action, Command, Overlay, PlaybackAction, PlaybackResult};

/// Height of a call's row.
pub(super) const ROW: f32 = 40.0;
/// Width of the call column, and the table width from which it is wide.
const CALLS: f32 = 300.0;
const CALLS_NARROW: f32 = 208.0;
const WIDE_FROM: f32 = 800.0;
/// Below this width a served recording has too little room, and other columns are hidden.
const SERVED: f32 = 132.0;

/// Positions of the columns, from the left edge of the table.
struct PlaybackColumns {
    calls: f32,
    at: Rect,
    tools: Rect,
    arrow: f32,
    served: Rect,
    step: Rect,
    reused: Option<Rect>,
    verdict: Rect,
    other: Option<Rect>,
}

impl PlaybackColumns {
    fn new(left: f32, width: f32, has_other: bool) -> Self {
        let column = |from: f32, to: f32| {
            Rect::from_min_max(pos2(left + from, 0.0), pos2(left + to - theme::GAP, ROW))
        };
        let is_wide = width >= WIDE_FROM;
        let calls = if is_wide { CALLS } else { CALLS_NARROW };
        let at = if is_wide {
            (56.0, 144.0)
        } else {
            (48.0, 128.0)
        };
        let other = if has_other { 188.0 } else { 0.0 };
        let (step, reused, verdict) = (116.0, 116.0, 148.0);
        let served = calls + 44.0;
        let fixed = served + step + verdict + other;
        let has_reused = width - fixed - reused >= SERVED;
        let reused = if has_reused { reused } else { 0.0 };
        let room = (width - fixed - reused).max(60.0);
        let step_at = served + room;
        let reused_at = step_at + step;
        let verdict_at = reused_at + reused;
        let other_at = verdict_at + verdict;
        Self {
            calls: left + calls,
            at: column(at.0, at.1),
            tools: column(at.1, calls),
            arrow: left + calls + 22.0,
            served: column(served, step_at),
            step: column(step_at, reused_at),
            reused: has_reused.then(|| column(reused_at, verdict_at)),
            verdict: column(verdict_at, other_at),
            other: has_other.then(|| column(other_at, width)),
        }
    }
}

/// Draws the listed calls.
pub(super) fn table_ui(
    ui: &mut Ui,
    data: &PlaybackData<'_>,
    played: &PlaybackResult,
    view: &mut PlaybackView,
    actions: &mut Vec<Action>,
) {
    let area = ui.available_rect_before_wrap();
    let columns = PlaybackColumns::new(area.left(), area.width(), played.compared_run.is_some());
    let colors = tokens(ui);
    ui.painter()
        .rect_filled(area.with_max_x(columns.calls), 0.0, colors.panel);
    heading_ui(ui, data, &columns);
    if data.listed() == 0 {
        let words = if played.run.calls.is_empty() {
            "No requests to play."
        } else {
            "No matching calls. Press Esc to list all calls."
        };
        widgets::empty_state(ui, words, None);
        return;
    }
    let rows = ScrollArea::vertical().id_salt("calls").auto_shrink(false);
    rows.show_rows(ui, ROW, data.listed(), |ui, range| {
        let top = ui.max_rect().top() - range.start as f32 * ROW;
        for number in range {
            let call = data.call_at(number);
            if let Some(row) = data.row(call) {
                row_ui(ui, &row, call, &columns, actions);
            }
        }
        let shown = (played.number, data.desk.call);
        if view.shown_row.replace(shown) != Some(shown)
            && let Some(selected) = data.selected_row()
        {
            let at = pos2(ui.max_rect().left(), top + selected as f32 * ROW);
            ui.scroll_to_rect(Rect::from_min_size(at, vec2(1.0, ROW)), None);
        }
    });
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().vline(columns.calls, area.y_range(), hair);
}

fn heading_ui(ui: &mut Ui, data: &PlaybackData<'_>, columns: &PlaybackColumns) {
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let colors = tokens(ui);
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let beside = data.desk.compared_rules.map(rules_name).unwrap_or_default();
    let call = Rect::from_min_max(
        pos2(rect.left() + theme::PADDING, 0.0),
        pos2(columns.at.left() - 4.0, 0.0),
    );
    let headings = [
        (Some(call), "Call"),
        (Some(columns.at), "At node"),
        (Some(columns.tools), "Offered tools"),
        (Some(columns.served), "Served recording"),
        (Some(columns.step), "Step"),
        (columns.reused, "Reused"),
        (Some(columns.verdict), "Verdict"),
        (columns.other, beside.as_str()),
    ];
    for (column, text) in headings {
        let Some(column) = column else { continue };
        let font = theme::medium(theme::LABEL);
        let line = widgets::line(ui, text, font, colors.muted, column.width());
        widgets::paint_line(ui.painter(), pos2(column.left(), rect.center().y), line);
    }
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
    parts.extend(
        row.other
            .as_ref()
            .map(|other| format!("other run: {other}")),
    );
    parts.join(", ")
}

fn row_ui(
    ui: &mut Ui,
    row: &PlaybackCallRow,
    call: usize,
    columns: &PlaybackColumns,
    actions: &mut Vec<Action>,
) {
    let chosen = if row.selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let response = widgets::row(ui, ROW, chosen, &accessible_name(row));
    let rect = response.rect;
    let colors = tokens(ui);
    let middle = rect.center().y;
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let cell = |column: Rect| column.translate(vec2(0.0, rect.top()));
    let text = |column: Rect, text: &str, font, color| {
        let line = widgets::line(ui, text, font, color, column.width());
        widgets::paint_line(ui.painter(), pos2(column.left(), middle), line);
    };
    let number = Rect::from_min_max(
        pos2(rect.left() + theme::PADDING, 0.0),
        pos2(columns.at.left() - 4.0, 0.0),
    );
    text(number, &row.number, theme::mono(theme::LABEL), colors.text);
    text(
        columns.at,
        &row.at,
        theme::regular(theme::BODY),
        colors.text_strong,
    );
    tools_cell(ui, cell(columns.tools), &row.tools, colors.text);
    let arrow = pos2(columns.arrow, middle);
    widgets::paint_icon(
        ui.painter(),
        arrow,
        icons::ARROW_RIGHT,
        theme::ICON,
        colors.muted,
    );
    match &row.served {
        Some(served) => text(
            columns.served,
            served,
            theme::mono(theme::LABEL),
            colors.text_strong,
        ),
        None => text(
            columns.served,
            "none",
            theme::regular(theme::ROW),
            colors.muted,
        ),
    }
    if let Some(step) = &row.step {
        status_label_ui(ui, cell(columns.step), step);
    }
    if let (Some(column), Some(reused)) = (columns.reused, &row.reused) {
        text(column, reused, theme::regular(theme::LABEL), colors.warning);
    }
    status_label_ui(ui, cell(columns.verdict), &row.verdict);
    if let (Some(column), Some(other)) = (columns.other, &row.other) {
        let icon = (icons::EQUAL_NOT, colors.note);
        widgets::paint_icon_word(ui, cell(column), icon, (other, colors.text));
    }
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    if response.clicked() || response.secondary_clicked() {
        actions.push(Action::Playback(PlaybackAction::ShowCall(call)));
    }
    widgets::context_menu(&response, |ui| menu_ui(ui, row, actions));
}

fn menu_ui(ui: &mut Ui, row: &PlaybackCallRow, actions: &mut Vec<Action>) {
    let open = widgets::menu_command(ui, Command::OpenSelected, Ok(()));
    if row.served.is_some() && open.clicked() {
        actions.push(Action::Run(Command::OpenSelected));
        ui.close();
    }
    let edit = widgets::menu_item(ui, icons::PENCIL_LINE, "Edit this request…", &[], None);
    if edit.clicked() {
        actions.push(Action::SetOverlay(Some(Overlay::TypedRequest)));
        ui.close();
    }
}

/// Paints an icon and its text; for a good status only the icon is coloured.
pub(super) fn status_label_ui(ui: &Ui, rect: Rect, look: &StatusLabel) {
    let colors = tokens(ui);
    let (icon, word) = match look.tone {
        Tone::Plain => (colors.muted, colors.text),
        Tone::Good => (colors.good, colors.text),
        tone => (colors.tone(tone), colors.tone(tone)),
    };
    widgets::paint_icon_word(ui, rect, (look.icon, icon), (&look.text, word));
}
