//! Paints a call as a row of its table.

use egui::{Color32, FontId, Rect, Stroke, Ui, pos2};

use super::bars_ui::{CallTimeline, bars_ui};
use super::call_row_text::{self, CallRowText, IconWord};
use super::calls_ui::{CallsContext, calls_action};
use crate::ops::live::log::LogRow as _;
use crate::ops::live::record::ProxyOutcome;
use crate::ops::live::serve::ServedCallEnd;
use crate::ops::live::{record, serve};
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, RowSelection};
use crate::workbench::{Action, CallId, CallsAction, Command, ListenerKind};

/// Widths of the columns: chunks, state, result.
const CHUNKS: f32 = 176.0;
const STATE: f32 = 124.0;
const RESULT: f32 = 136.0;
/// Distance of a call's name from the left edge.
const CALL: f32 = 92.0;

/// Positions of the columns of a row.
pub(super) struct CallColumns {
    pub(super) call: f32,
    pub(super) chunks: f32,
    pub(super) state: f32,
    pub(super) result: f32,
    pub(super) end: f32,
}

impl CallColumns {
    /// Computes the columns of a table in `rect`.
    pub(super) fn new(rect: Rect) -> Self {
        let end = rect.right() - 8.0;
        let result = end - RESULT;
        let state = result - STATE;
        // In a narrow window the name of a call must stay legible.
        let room = state - (rect.left() + CALL);
        let chunks = state - CHUNKS.min(room / 2.0).max(60.0);
        Self {
            call: rect.left() + CALL,
            chunks,
            state,
            result,
            end,
        }
    }
}

/// Paints the line below a row.
pub(super) fn row_line(ui: &Ui, y: f32) {
    let stroke = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().hline(ui.max_rect().x_range(), y - 0.5, stroke);
}

/// Draws a call in `rect`. `scale_nanos` is the time that the width of the chunk column represents.
pub(super) fn row_ui(
    ui: &mut Ui,
    context: &CallsContext<'_>,
    (id, rect, scale_nanos): (CallId, Rect, u64),
    actions: &mut Vec<Action>,
) {
    let desk = context.desk;
    let found = match id.listener {
        ListenerKind::Recorder => desk.recorded.get(id).map(|call| {
            let words = call_row_text::recorded_row(call, context.now, &context.zone);
            (
                words,
                recorded_timeline(context, call, scale_nanos),
                call.pieces,
            )
        }),
        ListenerKind::Server => desk.served.get(id).map(|call| {
            let words = call_row_text::served_row(call, context.now, &context.zone);
            (
                words,
                served_timeline(context, call, scale_nanos),
                call.chunks,
            )
        }),
    };
    let Some((words, along, chunks)) = found else {
        return;
    };
    let chosen = if desk.selected == Some(id) {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let response = widgets::place(ui, rect, |ui| {
        widgets::row(ui, theme::ROW_TWO_LINES, chosen, &words.name())
    });
    if response.clicked() {
        actions.push(calls_action(CallsAction::Select(id)));
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
    cells_ui(ui, rect, &words);
    track_ui(ui, rect, &along, chunks);
    row_line(ui, rect.bottom());
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
fn track_ui(ui: &Ui, rect: Rect, along: &CallTimeline<'_>, chunks: usize) {
    let columns = CallColumns::new(rect);
    let track = Rect::from_min_max(
        pos2(columns.chunks, rect.top() + 8.0),
        pos2(columns.state - 16.0, rect.bottom() - 11.0),
    );
    if chunks == 0 && along.now_nanos.is_none() && along.cut_nanos.is_none() {
        let style = (theme::regular(theme::LABEL), tokens(ui).muted);
        let line = widgets::line(ui, "none", style.0, style.1, track.width());
        widgets::paint_line(ui.painter(), pos2(track.left(), rect.center().y), line);
    } else {
        bars_ui(ui, track, along);
    }
}

fn cells_ui(ui: &Ui, rect: Rect, words: &CallRowText) {
    let colors = tokens(ui);
    let columns = CallColumns::new(rect);
    let (upper, lower) = (rect.top() + 14.0, rect.top() + 31.0);
    let label = || (theme::regular(theme::LABEL), colors.muted);

    let at = (rect.left() + theme::PADDING, columns.call + 8.0);
    let mono = (theme::mono(theme::LABEL), colors.text);
    cell_ui(ui, at, rect.center().y, &words.at, mono);

    let call = (columns.call, columns.chunks);
    let title = (theme::medium(theme::ROW), colors.text_strong);
    cell_ui(ui, call, upper, &words.title, title);
    cell_ui(ui, call, lower, &words.about, label());

    let state = (columns.state, columns.result);
    let small = (theme::mono(theme::SMALL), colors.muted);
    mark_ui(ui, state, upper, &words.state);
    cell_ui(ui, state, lower, &words.numbers, small);

    let result = (columns.result, columns.end);
    match (words.result.icon, words.result.tone) {
        ("", Tone::Note) => {
            let style = (theme::mono(theme::LABEL), colors.accent);
            cell_ui(ui, result, upper, &words.result.word, style);
        }
        ("", _) => {
            let style = (theme::regular(theme::ROW), colors.text);
            cell_ui(ui, result, upper, &words.result.word, style);
        }
        _ => mark_ui(ui, result, upper, &words.result),
    }
    cell_ui(ui, result, lower, &words.detail, label());
}

fn cell_ui(
    ui: &Ui,
    (left, right): (f32, f32),
    y: f32,
    text: &str,
    (font, color): (FontId, Color32),
) {
    let line = widgets::line(ui, text, font, color, right - left - 8.0);
    widgets::paint_line(ui.painter(), pos2(left, y), line);
}

/// Paints an icon and its word. Good and plain states keep the text colour.
fn mark_ui(ui: &Ui, (left, right): (f32, f32), y: f32, mark: &IconWord) {
    let colors = tokens(ui);
    let word = match mark.tone {
        Tone::Plain | Tone::Good => colors.text,
        Tone::Note => colors.accent,
        tone => colors.tone(tone),
    };
    let icon = match mark.tone {
        Tone::Plain => colors.muted,
        Tone::Note => colors.accent,
        tone => colors.tone(tone),
    };
    let rect = Rect::from_min_max(pos2(left, y - 10.0), pos2(right - 4.0, y + 10.0));
    widgets::paint_icon_word(ui, rect, (mark.icon, icon), (&mark.word, word));
}
