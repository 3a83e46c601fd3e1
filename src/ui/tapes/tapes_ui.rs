//! Paints the tapes desk: the list on the left, the selected tape on the right.

use std::time::Duration;

use egui::{Color32, Frame, Rect, Sense, Stroke, Ui, pos2, vec2};

use super::chunks_ui::{ChunkDraft, chunks_ui};
use super::head_ui::{head_ui, statistics_ui, transport_ui};
use super::tape_edit_form_ui::tape_edit_form_ui;
use super::tapes_data::{Props, summary};
use super::text_ui::{TapeTextState, text_ui};
use super::timeline_ui::{TimelineState, timeline_ui};
use calls::tape::timing::TapeSchedule;
use document::text::{thousands, visible};
use widgets::theme::{self, tokens};
use widgets::{Line, List, Row, RowShape, SidePanel, icons};
use workbench::{
    Action, Actions, Command, TapeState, TapesAction, TapesDesk, Transport, Workbench,
};

/// Width of the tape view from which text and chunks are side by side.
const SIDE_BY_SIDE_MIN_WIDTH: f32 = 640.0;

/// Maximum and minimum duration of a frame during playback, in seconds, however close the chunks are.
const MAX_FRAME_SECONDS: f64 = 1.0 / 60.0;
/// The same where the playhead only jumps.
const MAX_REDUCED_FRAME_SECONDS: f64 = 1.0;
const MIN_FRAME_SECONDS: f64 = 1.0 / 240.0;

/// State of the desk that is kept between frames.
#[derive(Debug, Default)]
pub struct TapesState {
    timeline: TimelineState,
    text: TapeTextState,
    chunks: ChunkDraft,
}

/// Draws the desk. User input becomes actions.
pub fn tapes_ui(ui: &mut Ui, workbench: &Workbench, state: &mut TapesState, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let (desk, library) = (&workbench.tapes, &workbench.core.library);
    if desk.tapes.is_empty() {
        return empty_ui(ui, workbench, actions);
    }
    SidePanel::left("tapes", 224.0, 176.0..=480.0).show(ui, |ui| {
        list_ui(ui, workbench, actions);
    });
    let tape_state = workbench.tapes.state(&workbench.core);
    Frame::new().show(ui, |ui| match (&tape_state, desk.selected) {
        (TapeState::Ready(tape), Some(doc)) => {
            let props = Props {
                doc,
                desk,
                library,
                tape,
                is_reduced: workbench.core.user.settings.reduced_motion,
            };
            tape_ui(ui, props, state, actions);
        }
        (TapeState::Failed(reason), _) => widgets::empty_sentence(ui, &format!("{reason}.")),
        (TapeState::Reading | TapeState::Ready(_), _) => {
            ui.add_space(theme::DESK_HEADER);
            widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        (TapeState::Nothing, _) => widgets::empty_sentence(ui, "Choose a tape."),
    });
}

fn empty_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    if workbench.core.progress.is_some() {
        return widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
    }
    let words = "A tape is a JSON file with a streamed answer: its chunks and their delays.";
    let heading = (icons::CASSETTE_TAPE, "No tapes found");
    widgets::empty_desk_commands(ui, heading, words, &[Command::NewTape], actions);
}

fn tape_ui(ui: &mut Ui, props: Props<'_>, state: &mut TapesState, actions: &mut Actions) {
    let schedule = props.tape.schedule(props.desk.transport.pace);
    request_next_frame(ui, &props.desk.transport, schedule, props.is_reduced);
    head_ui(ui, props, actions);
    widgets::hair_line(ui);
    statistics_ui(ui, props, actions);
    widgets::hair_line(ui);
    transport_ui(ui, props, &mut state.text.borders, actions);
    tape_edit_form_ui(ui, props, actions);
    // Text and table get the larger half, since they are read and the timeline is looked at.
    let height = (ui.available_height() * 0.45).clamp(150.0, 304.0).round();
    timeline_ui(ui, props, height, &mut state.timeline, actions);
    widgets::hair_line(ui);
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    // The table has the text as well, so it is the one that stays.
    let share = if rect.width() >= SIDE_BY_SIDE_MIN_WIDTH { 0.503 } else { 0.0 };
    let (text, chunks) = rect.split_left_right_at_fraction(share);
    if text.is_positive() {
        widgets::place(ui, text, |ui| text_ui(ui, props, &mut state.text));
        widgets::line_beside(ui, text);
    }
    widgets::place(ui, chunks, |ui| chunks_ui(ui, props, &mut state.chunks, actions));
}

/// Requests the next frame during playback: when the playhead has moved visibly, or when the next chunk or call arrives.
pub(crate) fn request_next_frame(
    ui: &Ui,
    transport: &Transport,
    schedule: &TapeSchedule,
    is_reduced: bool,
) {
    if transport.is_playing() {
        let max_seconds = if is_reduced { MAX_REDUCED_FRAME_SECONDS } else { MAX_FRAME_SECONDS };
        let next = transport.seconds_to_next_chunk(schedule).unwrap_or(max_seconds);
        // With reduced motion nothing moves between two chunks, so frames may be a second apart.
        let wait = Duration::from_secs_f64(next.clamp(MIN_FRAME_SECONDS, max_seconds));
        ui.ctx().request_repaint_after(wait);
    }
}

/// The name, the facts, and below them the thumbnail.
const TAPE_ROW: RowShape = RowShape { height: 83.0, lines: &[20.0, 37.0], ..RowShape::TWO_LINES };

/// Draws the list. A click shows a tape.
fn list_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let (desk, library) = (&workbench.tapes, &workbench.core.library);
    let colors = tokens(ui);
    list_head_ui(ui, desk, actions);
    widgets::hair_line(ui);
    // Thumbnails are requested only for rows that are visible, all of a frame in one request.
    let mut docs = Vec::new();
    let tapes = &desk.tapes;
    List::new("List of tapes", &TAPE_ROW, tapes.len())
        .selection(desk.selected, |doc| tapes.iter().position(|t| *t == doc))
        .show(ui, |slot| {
            let doc = tapes[slot.index];
            let Some(item) = library.get(doc) else { return };
            if desk.needs_thumbnail(doc, item) {
                docs.push(doc);
            }
            let name = visible(item.label());
            let facts = summary(item.duration_nanos, item.chunks);
            let is_selected = desk.selected == Some(doc);
            let row = Row::new(format!("{name}, {facts}"))
                .selected(is_selected)
                .line(Line::document(&name, library.copy(doc), colors))
                .line(Line::new(&facts, theme::regular(theme::ROW), colors.muted));
            widgets::on_click(&slot.show(row), TapesAction::Select(doc), actions);
            let mut picture = slot.rect.shrink2(vec2(theme::PADDING, 10.0));
            picture.min.y = slot.rect.top() + 50.0;
            let color = if is_selected { colors.accent } else { colors.strong };
            let columns = desk.thumbnails.get(&doc).map_or(&[][..], |thumbnail| &thumbnail.columns);
            miniature(slot.ui, picture, columns, color);
        });
    if !docs.is_empty() {
        actions.push(Action::from(TapesAction::MakeThumbnails(docs)));
    }
}

/// Draws the title and the button of a new tape.
fn list_head_ui(ui: &mut Ui, desk: &TapesDesk, actions: &mut Actions) {
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let count = thousands(desk.tapes.len());
        widgets::title_note(ui, ("Tapes", theme::TITLE), (&count, theme::BODY));
        widgets::at_right(ui, |ui| {
            widgets::command_icon(ui, icons::PLUS, Command::NewTape, Ok(()), actions);
        });
    });
}

/// Draws the columns of a thumbnail.
fn miniature(ui: &Ui, rect: Rect, columns: &[f32], color: Color32) {
    let line = Stroke::new(1.0, tokens(ui).line);
    let painter = ui.painter();
    painter.hline(rect.x_range(), rect.bottom() - 0.5, line);
    let pitch = (rect.width() - 2.0) / columns.len().max(1) as f32;
    for (index, share) in columns.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let left = (rect.left() + index as f32 * pitch).round();
        // At least two points, or a short chunk would not be seen.
        let height = (share * rect.height()).max(2.0).round();
        let bar = Rect::from_min_size(pos2(left, rect.bottom() - height), vec2(2.0, height));
        painter.rect_filled(bar, 0.0, color);
    }
}
