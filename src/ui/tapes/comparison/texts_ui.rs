//! Paints the texts of both tapes side by side: around the selected difference, or up to the playhead.

use egui::text::{CCursor, LayoutJob, TextFormat};
use egui::{Align, Label, Rect, ScrollArea, Stroke, Ui, pos2};

use super::data::{TextPair, TextPiece, describe_progress, take_name};
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps};
use crate::ui::tapes::tapes_ui::TapeProps;
use crate::ui::tapes::text_ui::{PlayedText, played_text_ui};
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, StyledText};

/// State kept between frames: the texts, and the step they belong to.
#[derive(Debug, Default)]
pub(super) struct TextsState {
    step: Option<(usize, usize)>,
    texts: TextPair,
    /// The chunks that were last scrolled into view.
    followed: [Option<usize>; 2],
}

/// Draws both texts: this tape on the left, the other tape on the right.
pub(super) fn texts_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    takes: &ComparedTake,
    differing: &DifferingSteps,
    state: &mut TextsState,
) {
    let over = &props.desk.comparison;
    let at = differing.steps().get(over.at).copied().unwrap_or_default();
    let of = Some((std::ptr::from_ref(takes).addr(), at));
    let follows = state.step != of;
    if follows {
        state.step = of;
        state.texts = if takes.steps().is_empty() {
            TextPair::default()
        } else {
            TextPair::around_step(props.tape, takes, at)
        };
    }
    let rect = ui.available_rect_before_wrap();
    let (left, right) = rect.split_left_right_at_fraction(0.5);
    let other = over.other.as_ref().map(|take| take_name(take, props.library));
    let line = Stroke::new(1.0, tokens(ui).hair);
    ui.painter().vline(left.right() - 0.5, rect.y_range(), line);
    let names = ["This tape", other.as_deref().unwrap_or_default()];
    if over.is_at_playhead {
        // The pieces are shown and scrolled to again when a difference is selected.
        state.step = None;
        let transport = &props.desk.transport;
        let other = takes.other();
        let played = [(props.tape, transport.arrived), {
            let schedule = other.schedule(transport.pace);
            (other, schedule.arrived(transport.nanos))
        }];
        let progress = describe_progress(played, transport.pace);
        for (side, (tape, arrived)) in played.into_iter().enumerate() {
            let played = PlayedText { tape, arrived };
            widgets::place(ui, [left, right][side], |ui| {
                side_head_ui(ui, side, names[side], &progress[side]);
                let followed = &mut state.followed[side];
                played_text_ui(ui, ("played text", side), played, true, followed);
            });
        }
        return;
    }
    for (side, pieces) in state.texts.sides.iter().enumerate() {
        widgets::place(ui, [left, right][side], |ui| {
            side_ui(ui, side, names[side], pieces, follows);
        });
    }
}

/// Draws the name of a tape, and how far it is.
fn side_head_ui(ui: &mut Ui, side: usize, name: &str, progress: &str) {
    let colors = tokens(ui);
    let color = [colors.accent, colors.note][side];
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let title = theme::semibold(theme::BODY);
        let font = theme::regular(theme::LABEL);
        StyledText::new()
            .with(name, title, color)
            .after(theme::GAP, progress, font, colors.muted)
            .show(ui);
    });
    widgets::hair_line(ui);
}

fn side_ui(ui: &mut Ui, side: usize, name: &str, pieces: &[TextPiece], follows: bool) {
    side_head_ui(ui, side, name, "");
    let area = ScrollArea::vertical().id_salt(("texts", side)).auto_shrink(false);
    area.show(ui, |ui| {
        let margin = egui::Margin::symmetric(16, 12);
        egui::Frame::new().inner_margin(margin).show(ui, |ui| {
            ui.set_width(ui.available_width());
            let here = pieces_ui(ui, side, pieces);
            if let Some(here) = here.filter(|_| follows) {
                ui.scroll_to_rect(here, Some(Align::Center));
            }
        });
    });
}

/// Lays out the pieces; returns where the selected difference begins.
fn pieces_ui(ui: &mut Ui, side: usize, pieces: &[TextPiece]) -> Option<Rect> {
    let colors = tokens(ui);
    let word = [colors.removed_word, colors.added_word][side];
    let mut job = LayoutJob::default();
    job.wrap.max_width = ui.available_width();
    let (mut ends, mut here, mut cursor) = (Vec::new(), None, 0);
    for piece in pieces {
        if piece.is_here {
            here = here.or(Some(cursor));
        }
        let mut format = TextFormat {
            line_height: Some(24.0),
            valign: Align::Center,
            color: if piece.is_here { colors.text_strong } else { colors.text },
            font_id: theme::mono(theme::LABEL),
            ..TextFormat::default()
        };
        if piece.is_here {
            format.background = colors.selected;
        }
        if piece.is_marked {
            format.background = word;
            format.underline = Stroke::new(1.0, colors.text_strong);
        }
        job.append(&piece.text, 0.0, format);
        cursor += piece.text.chars().count();
        if piece.ends_chunk {
            ends.push((cursor, piece.is_here));
        }
    }
    if job.text.is_empty() {
        let font = theme::regular(theme::ROW);
        job.append("No text here", 0.0, TextFormat::simple(font, colors.muted));
    }
    let galley = ui.painter().layout_job(job);
    let response = ui.add(Label::new(galley.clone()).selectable(true));
    let corner = response.rect.min;
    for (cursor, is_here) in ends {
        let place: Rect = galley.pos_from_cursor(CCursor::new(cursor));
        let (x, y) = (corner.x + place.right(), corner.y + place.center().y);
        let stroke =
            if is_here { Stroke::new(2.0, colors.ring) } else { Stroke::new(1.0, colors.strong) };
        let line = [pos2(x, y - 8.0), pos2(x, y + 8.0)];
        ui.painter().line_segment(line, stroke);
    }
    let place = here.map(|cursor| galley.pos_from_cursor(CCursor::new(cursor)));
    place.map(|place| place.translate(corner.to_vec2()))
}
