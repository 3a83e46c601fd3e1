//! Paints the tapes desk: the tapes at the left, the one that is shown beside them.

use std::time::Duration;

use egui::{Frame, Panel, Rect, Sense, Ui, vec2};

use super::chunks_ui::{ChunksState, chunks_ui};
use super::form_ui::form_ui;
use super::head_ui::{figures_ui, head_ui};
use super::list_ui::list_ui;
use super::takes::{self, TakesState, strip_ui};
use super::text_ui::{TextState, text_ui};
use super::timeline_ui::{TimelineState, timeline_ui};
use super::transport_ui::transport_ui;
use super::verify::{VerifyState, verify_ui};
use crate::ops::tape::reel::Reel;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets;
use crate::workbench::{Action, DocId, Library, Shown, TapesDesk, Workbench};

/// From this width of the desk on the list has its full width.
const ROOMY_FROM: f32 = 1000.0;
/// From this width of the tape on its text and its chunks stand side by side.
const BESIDE_FROM: f32 = 640.0;

/// How long a frame is while a tape is played, in seconds: at most, and at least, however close chunks follow each other.
const FRAME: f64 = 1.0 / 60.0;
const SHORTEST_FRAME: f64 = 1.0 / 240.0;

/// What the desk keeps to itself between frames.
#[derive(Debug, Default)]
pub struct TapesState {
    timeline: TimelineState,
    text: TextState,
    chunks: ChunksState,
    pub(super) takes: TakesState,
    verify: VerifyState,
}

/// What is painted of a tape.
#[derive(Clone, Copy)]
pub(super) struct Shows<'a> {
    pub(super) doc: DocId,
    pub(super) desk: &'a TapesDesk,
    pub(super) library: &'a Library,
    pub(super) reel: &'a Reel,
}

/// Draws the desk. Every wish of the user becomes an [`Action`].
pub fn tapes_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    state: &mut TapesState,
    actions: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    let (desk, library) = (workbench.tapes_desk(), workbench.library());
    if desk.tapes().is_empty() {
        return empty_ui(ui, workbench, actions);
    }
    let width = if ui.available_width() < ROOMY_FROM {
        176.0
    } else {
        224.0
    };
    Panel::left("tapes")
        .exact_size(width)
        .resizable(false)
        .frame(Frame::new().fill(tokens(ui).panel))
        .show(ui, |ui| list_ui(ui, desk, library, actions));
    let shown = workbench.tape_shown();
    Frame::new().show(ui, |ui| match (&shown, desk.selected()) {
        (Shown::Ready(reel), Some(doc)) => {
            let shows = Shows {
                doc,
                desk,
                library,
                reel,
            };
            tape_ui(ui, shows, state, actions);
        }
        (Shown::Failed(reason), _) => {
            widgets::empty_state(ui, &format!("{reason}."), None);
        }
        (Shown::Reading | Shown::Ready(_), _) => {
            ui.add_space(theme::DESK_HEADER);
            widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        }
        (Shown::Nothing, _) => {
            widgets::empty_state(ui, "Choose a tape.", None);
        }
    });
}

fn empty_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Vec<Action>) {
    if workbench.reading().is_some() {
        widgets::skeleton_rows(ui, 8, theme::ROW_TWO_LINES);
        return;
    }
    let words =
        "No tapes open. A tape is a JSON file with a streamed answer: its chunks and their delays.";
    if widgets::empty_state(ui, words, Some("Show the library")) {
        actions.push(Action::Go(crate::workbench::Desk::Library));
    }
}

fn tape_ui(ui: &mut Ui, shows: Shows<'_>, state: &mut TapesState, actions: &mut Vec<Action>) {
    keep_moving(ui, shows);
    head_ui(ui, shows, actions);
    widgets::hair_line(ui);
    if let Some(verifying) = shows.desk.verifying() {
        return verify_ui(ui, shows.doc, verifying, &mut state.verify, actions);
    }
    figures_ui(ui, shows, actions);
    widgets::hair_line(ui);
    transport_ui(ui, shows, actions);
    form_ui(ui, shows, actions);
    strip_ui(ui, shows, &mut state.takes, actions);
    let height = (ui.available_height() * 0.45).clamp(150.0, 304.0).round();
    timeline_ui(ui, shows, height, &mut state.timeline, actions);
    widgets::hair_line(ui);
    let rect = ui.available_rect_before_wrap();
    ui.allocate_rect(rect, Sense::hover());
    let (text, chunks) = if rect.width() >= BESIDE_FROM {
        halves(rect)
    } else {
        (None, rect)
    };
    if takes::halves_ui(ui, shows, (text, chunks), &mut state.takes, actions) {
        return;
    }
    if let Some(text) = text {
        widgets::place(ui, text, |ui| {
            text_ui(ui, shows, &mut state.text);
        });
        let line = egui::Stroke::new(1.0, tokens(ui).hair);
        ui.painter().vline(text.right() - 0.5, rect.y_range(), line);
    }
    widgets::place(ui, chunks, |ui| {
        chunks_ui(ui, shows, &mut state.chunks, actions);
    });
}

/// Asks for the next frame while the playhead moves: when it has moved enough to be seen, or the next chunk comes.
fn keep_moving(ui: &Ui, shows: Shows<'_>) {
    let transport = shows.desk.transport();
    if transport.is_playing() {
        let schedule = shows.reel.schedule(transport.pace());
        let next = transport.next_in_seconds(schedule).unwrap_or(FRAME);
        let next = Duration::from_secs_f64(next.clamp(SHORTEST_FRAME, FRAME));
        ui.ctx().request_repaint_after(next);
    }
}

fn halves(rect: Rect) -> (Option<Rect>, Rect) {
    let (text, chunks) = rect.split_left_right_at_fraction(0.503);
    (Some(text), chunks)
}
