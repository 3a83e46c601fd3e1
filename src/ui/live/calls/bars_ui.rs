//! Paints the timeline of a call: a bar for each chunk, the current time, and the expected rest.

use egui::{Rect, Stroke, Ui, pos2, vec2};

use crate::ops::live::bars::ChunkBars;
use crate::ui::theme::{self, tokens};
use crate::ui::{icons, widgets};

/// The timeline of a call, in nanoseconds since the call began.
pub(super) struct CallTimeline<'a> {
    pub(super) bars: &'a ChunkBars,
    /// The time that the whole width represents.
    pub(super) scale_nanos: u64,
    /// The current time; `None` if the call has ended.
    pub(super) now_nanos: Option<u64>,
    /// The expected end; `None` if unknown.
    pub(super) until_nanos: Option<u64>,
    /// When the answer was cut off.
    pub(super) cut_nanos: Option<u64>,
}

/// Height of the longest chunk.
const MAX_BAR_HEIGHT: f32 = 18.0;

/// Paints the timeline in `rect`, above a base line.
pub(super) fn bars_ui(ui: &Ui, rect: Rect, along: &CallTimeline<'_>) {
    let colors = tokens(ui);
    let painter = ui.painter();
    let foot = rect.bottom();
    let hair = Stroke::new(1.0, colors.line);
    painter.hline(rect.x_range(), foot - 0.5, hair);
    let room = f64::from(rect.width() - 2.0);
    let scale = along.scale_nanos.max(1) as f64;
    let x = |nanos: u64| {
        let share = (nanos as f64 / scale).min(1.0);
        (rect.left() + (share * room) as f32).round()
    };
    let color = match along.now_nanos {
        Some(_) => colors.accent,
        None => colors.strong,
    };
    for (at, share) in along.bars.marks() {
        let height = (share.sqrt() * MAX_BAR_HEIGHT).max(3.0).round();
        let bar = Rect::from_min_size(pos2(x(at), foot - height), vec2(2.0, height));
        painter.rect_filled(bar, 0.0, color);
    }
    if let Some(now) = along.now_nanos {
        let left = x(now);
        let end = along.until_nanos.map_or(rect.right(), x);
        let dashes = [pos2(left + 5.0, foot - 8.5), pos2(end, foot - 8.5)];
        if end > left + 5.0 {
            let dashed =
                egui::Shape::dashed_line(&dashes, Stroke::new(1.0, colors.strong), 2.0, 2.0);
            painter.extend(dashed);
        }
        let mark =
            Rect::from_min_max(pos2(left, foot - MAX_BAR_HEIGHT - 2.0), pos2(left + 2.0, foot));
        painter.rect_filled(mark, 0.0, colors.text_strong);
    }
    if let Some(cut) = along.cut_nanos {
        let center = pos2((x(cut) + 6.0).min(rect.right() - 6.0), foot - 9.0);
        widgets::paint_icon(painter, center, icons::X, theme::ICON, colors.error);
    }
}
