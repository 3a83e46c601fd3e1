//! Paints a recorded value over or beside the one that was sent, with the words that differ.

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, Frame, Label, Margin, Ui, vec2};

use document::diff::Side;
use document::text::{Span, visible};
use widgets::theme::{self, tokens};

/// A value that differs, named by its meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangedValue {
    pub(crate) label: &'static str,
    pub(crate) icon: &'static str,
    /// The value in the request; empty if it has none.
    pub(crate) sent: String,
    /// The value in the recording; empty if it has none.
    pub(crate) recorded: String,
}

/// Space around a text.
const MARGIN: Margin = Margin::symmetric(16, 6);
/// Width of the sign before a text, with its gap.
const SIGN_WIDTH: f32 = 16.0;

/// Returns the height of one side in a column of this width.
pub(super) fn value_height(ui: &Ui, value: &ChangedValue, side: Side, width: f32) -> f32 {
    let text = if side == Side::Right { &value.sent } else { &value.recorded };
    let width = width - f32::from(MARGIN.left + MARGIN.right) - SIGN_WIDTH;
    let font = theme::regular(theme::BODY);
    let galley = ui.painter().layout(visible(text).into_owned(), font, Color32::WHITE, width);
    galley.size().y + f32::from(MARGIN.top + MARGIN.bottom)
}

/// Draws one side, as wide as the layout and at least `height` high; a side without a value is hatched. `Side::Right` is what was sent.
pub(crate) fn value_ui(ui: &mut Ui, value: &ChangedValue, side: Side, height: f32) {
    let colors = tokens(ui);
    let (sent, recorded) = (visible(&value.sent), visible(&value.recorded));
    let (removed, added) = document::diff::marks(&recorded, &sent);
    let (text, marks, sign, color, [line, word]) = match side {
        Side::Right => {
            let fills = [colors.added_line, colors.added_word];
            (&sent, added, "+", colors.good, fills)
        }
        Side::Left => {
            let fills = [colors.removed_line, colors.removed_word];
            (&recorded, removed, "−", colors.error, fills)
        }
    };
    let width = ui.available_width();
    if text.is_empty() {
        let height = height.max(theme::TEXT_LINE + 12.0);
        let (rect, _) = widgets::allocate_row(ui, height, egui::Sense::hover());
        return widgets::hatch(ui, rect);
    }
    Frame::new().fill(line).inner_margin(MARGIN).show(ui, |ui| {
        ui.set_width(width - f32::from(MARGIN.left + MARGIN.right));
        ui.set_min_height((height - f32::from(MARGIN.top + MARGIN.bottom)).max(0.0));
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
            ui.label(theme::text(sign, theme::mono_bold(theme::ROW), color));
            // A row does not wrap by itself, and what differs may be at the end.
            ui.add(Label::new(marked(text, &marks, colors.text_strong, word)).wrap());
        });
    });
}

/// Lays out a text with a background behind the words that differ.
fn marked(text: &str, marks: &[Span], color: egui::Color32, word: egui::Color32) -> LayoutJob {
    let mut job = LayoutJob::default();
    let format = TextFormat { font_id: theme::regular(theme::BODY), color, ..Default::default() };
    let mut end = 0;
    for mark in marks {
        job.append(&text[end..mark.range().start], 0.0, format.clone());
        let background = word;
        job.append(&text[mark.range()], 0.0, TextFormat { background, ..format.clone() });
        end = mark.range().end;
    }
    job.append(&text[end..], 0.0, format);
    job
}
