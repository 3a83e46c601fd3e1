//! Paints the tapes desk: the list on the left, the selected tape on the right.

use std::time::Duration;

use egui::{Frame, Rect, Sense, Ui, vec2};

use super::chunk_edit_ui::ChunkDraft;
use super::chunks_ui::chunks_ui;
use super::head_ui::{head_ui, statistics_ui};
use super::list_ui::list_ui;
use super::tape_edit_form_ui::tape_edit_form_ui;
use super::tapes_data::TapeProps;
use super::text_ui::{TapeTextState, text_ui};
use super::timeline_ui::{TimelineState, timeline_ui};
use super::transport_ui::transport_ui;
use calls::tape::timing::TapeSchedule;
use widgets::theme::{self, tokens};
use widgets::{SidePanel, icons};
use workbench::{Action, Actions, Command, TapeState, Transport, Workbench};

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

/// Draws the desk. User input becomes an [`Action`].
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
            let props = TapeProps {
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
    let (command, heading) = (Command::NewTape, (icons::CASSETTE_TAPE, "No tapes found"));
    if widgets::empty_desk(ui, heading, words, &[command.name()]).is_some() {
        actions.push(Action::Run(command));
    }
}

fn tape_ui(ui: &mut Ui, props: TapeProps<'_>, state: &mut TapesState, actions: &mut Actions) {
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
    let (text, chunks) =
        if rect.width() >= SIDE_BY_SIDE_MIN_WIDTH { halves(rect) } else { (None, rect) };
    if let Some(text) = text {
        widgets::place(ui, text, |ui| text_ui(ui, props, &mut state.text));
        let line = egui::Stroke::new(1.0, tokens(ui).hair);
        ui.painter().vline(text.right() - 0.5, rect.y_range(), line);
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

fn halves(rect: Rect) -> (Option<Rect>, Rect) {
    let (text, chunks) = rect.split_left_right_at_fraction(0.503);
    (Some(text), chunks)
}
