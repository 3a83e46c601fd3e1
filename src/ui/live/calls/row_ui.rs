//! Paints a call as a row of its table.

use egui::{Rect, Stroke, Ui, vec2};

use super::bars_ui::{CallTimeline, bars_ui};
use super::call_row_text::{self, IconWord};
use super::calls_ui::{CallsContext, calls_action};
use crate::ops::live::log::LogRow as _;
use crate::ops::live::record::ProxyOutcome;
use crate::ops::live::serve::ServedCallEnd;
use crate::ops::live::{record, serve};
use crate::ui::theme::{self, Tokens, Tone, tokens};
use crate::ui::widgets::{self, Column, Columns, Line, PlacedColumns, Row, RowSlot};
use crate::workbench::{Action, CallId, CallsAction, Command, ListenerKind};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum CallColumn {
    Time,
    Call,
    Chunks,
    State,
    Result,
}

/// Places the columns of a table. `chunks` is the heading of the bars.
pub(super) fn place_columns<'a>(
    ui: &Ui,
    which: ListenerKind,
    chunks: &'a str,
) -> PlacedColumns<'a, CallColumn> {
    const TIME: f32 = 76.0;
    const STATE: f32 = 124.0;
    const RESULT: f32 = 136.0;
    let width = ui.available_width() - theme::PADDING - theme::GAP;
    // In a narrow window the name of a call must stay legible.
    let bars = ((width - TIME - STATE - RESULT) / 2.0).clamp(60.0, 176.0);
    let (name, result) = match which {
        ListenerKind::Recorder => ("recorded calls", "Result"),
        ListenerKind::Server => ("served calls", "Served by"),
    };
    let columns = [
        Column::new(CallColumn::Time, "Time", TIME).gap(0.0),
        Column::rest(CallColumn::Call, "Call", 0.0),
        Column::new(CallColumn::Chunks, "Chunks over time", bars).title(chunks),
        Column::new(CallColumn::State, "State", STATE),
        Column::new(CallColumn::Result, result, RESULT),
    ];
    let left = ui.max_rect().left() + theme::PADDING;
    Columns::new(name, &columns).place(ui, left, width)
}

/// Paints the line below a row.
pub(super) fn row_line(ui: &Ui, y: f32) {
    let stroke = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(ui.max_rect().x_range(), y - 0.5, stroke);
}

/// Draws a call. `scale_nanos` is the time that the width of the chunk column represents.
pub(super) fn row_ui(
    slot: &mut RowSlot<'_>,
    context: &CallsContext<'_>,
    id: CallId,
    (columns, scale_nanos): (&PlacedColumns<'_, CallColumn>, u64),
    actions: &mut Vec<Action>,
) {
    let desk = context.desk;
    let found = match id.listener {
        ListenerKind::Recorder => desk.recorded.get(id).map(|call| {
            let words = call_row_text::recorded_row(call, context.now, &context.zone);
            (words, recorded_timeline(context, call, scale_nanos), call.pieces)
        }),
        ListenerKind::Server => desk.served.get(id).map(|call| {
            let words = call_row_text::served_row(call, context.now, &context.zone);
            (words, served_timeline(context, call, scale_nanos), call.chunks)
        }),
    };
    let Some((words, along, chunks)) = found else {
        return;
    };
    let colors = tokens(slot.ui);
    let (mono, small) = (theme::mono(theme::LABEL), theme::mono(theme::SMALL));
    let result = match (words.result.icon, words.result.tone) {
        ("", Tone::Note) => Line::new(&words.result.word, mono.clone(), colors.accent),
        ("", _) => Line::new(&words.result.word, theme::regular(theme::ROW), colors.text),
        _ => mark_line(&words.result, colors),
    };
    let row = Row::new(words.name())
        .selected(desk.selected == Some(id))
        .cell(columns.cell(CallColumn::Time))
        .line(Line::new(&words.at, mono, colors.text))
        .cell(columns.cell(CallColumn::Call))
        .line(Line::new(&words.title, theme::medium(theme::ROW), colors.text_strong))
        .line(Line::detail(&words.about, colors))
        .cell(columns.cell(CallColumn::State))
        .line(mark_line(&words.state, colors))
        .line(Line::new(&words.numbers, small, colors.muted))
        .cell(columns.cell(CallColumn::Result))
        .line(result)
        .line(Line::detail(&words.detail, colors));
    let response = slot.show(row);
    let track = Rect::from_x_y_ranges(columns.cell(CallColumn::Chunks), slot.rect.y_range());
    track_ui(slot.ui, track, &along, chunks);
    if response.clicked() {
        actions.push(calls_action(CallsAction::Select(id)));
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
}

fn recorded_timeline<'a>(
    context: &CallsContext<'_>,
    call: &'a record::RecordedCall,
    scale_nanos: u64,
) -> CallTimeline<'a> {
    use ProxyOutcome::{Cancelled, CutOff, Stopped};
    let now = call_row_text::nanos_since(call.began.at, context.now);
    CallTimeline {
        bars: &call.bars,
        scale_nanos,
        now_nanos: call.is_streaming().then_some(now),
        until_nanos: None,
        cut_nanos: match &call.ended {
            Some((CutOff(_) | Cancelled | Stopped, at)) => Some(*at),
            _ => None,
        },
    }
}

fn served_timeline<'a>(
    context: &CallsContext<'_>,
    call: &'a serve::ServedCall,
    scale_nanos: u64,
) -> CallTimeline<'a> {
    let now = call_row_text::nanos_since(call.began.at, context.now);
    CallTimeline {
        bars: &call.bars,
        scale_nanos,
        now_nanos: call.is_streaming().then_some(now),
        until_nanos: Some(call.planned_nanos),
        cut_nanos: match &call.ended {
            Some((ServedCallEnd::HungUp | ServedCallEnd::AsRecorded(200), at)) => Some(*at),
            _ => None,
        },
    }
}

/// Paints a call's chunks on its timeline.
fn track_ui(ui: &Ui, cell: Rect, along: &CallTimeline<'_>, chunks: usize) {
    let track = Rect::from_min_max(cell.min + vec2(0.0, 8.0), cell.max - vec2(theme::GAP, 11.0));
    if chunks == 0 && along.now_nanos.is_none() && along.cut_nanos.is_none() {
        let style = (theme::regular(theme::LABEL), tokens(ui).muted);
        let line = widgets::line(ui, "none", style.0, style.1, track.width());
        widgets::paint_line(ui.painter(), cell.left_center(), line);
    } else {
        bars_ui(ui, track, along);
    }
}

/// Creates an icon and its word. Good and plain states keep the text colour.
fn mark_line(mark: &IconWord, colors: &Tokens) -> Line {
    let (icon, word) = match mark.tone {
        Tone::Plain => (colors.muted, colors.text),
        Tone::Good => (colors.good, colors.text),
        Tone::Note => (colors.accent, colors.accent),
        tone => (colors.tone(tone), colors.tone(tone)),
    };
    Line::icon_word((mark.icon, icon), (&mark.word, word))
}
