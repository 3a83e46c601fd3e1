//! Paints the controls of the playhead.

use egui::{FontId, Rect, Sense, Ui, vec2};

use super::tapes_data::{SILENCE_NANOS, SPEEDS, TapeProps, format_seconds};
use calls::tape::playback::Speed;
use calls::tape::timing::{TapePace, format_duration};
use widgets::picture::picture_button;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Action, Actions, Command, EndBehavior, TapesAction, Transport};

/// Width from which all speeds are visible.
const SPEEDS_MIN_WIDTH: f32 = 900.0;

/// Draws the toolbar above the timeline.
pub(super) fn transport_ui(ui: &mut Ui, props: TapeProps<'_>, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::TOOL_ROW_SEGMENTS, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING - 4.0, 0.0));
    let transport = &props.desk.transport;
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        tools_ui(ui, props, transport, rect.width() >= SPEEDS_MIN_WIDTH, actions);
    });
    let left = Rect::from_min_max(inner.min, egui::pos2(right - theme::GAP, inner.bottom()));
    widgets::place_left(ui, left, |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        buttons_ui(ui, transport, actions);
        ui.add_space(theme::GAP);
        clock_ui(ui, props, transport, actions);
    });
}

/// Draws the buttons: start, previous, play, next, end.
fn buttons_ui(ui: &mut Ui, transport: &Transport, actions: &mut Actions) {
    let (icon, name) =
        if transport.is_playing() { (icons::PAUSE, "Pause") } else { (icons::PLAY, "Play") };
    let play = Button::primary("").icon(icon).tooltip(name).width(36.0);
    let icon_button = Button::icon_only;
    let buttons = [
        (icon_button(icons::SKIP_BACK, "Start of the tape"), Command::FirstRow),
        (icon_button(icons::STEP_BACK, "Previous chunk"), Command::PreviousColumn),
        (play, Command::PlayTape),
        (icon_button(icons::STEP_FORWARD, "Next chunk"), Command::NextColumn),
        (icon_button(icons::SKIP_FORWARD, "End of the tape"), Command::LastRow),
    ];
    for (button, command) in buttons {
        widgets::command_button(ui, button.keys_of(command), command, actions);
    }
}

/// Draws the position of the playhead and playback warnings.
fn clock_ui(ui: &mut Ui, props: TapeProps<'_>, transport: &Transport, actions: &mut Actions) {
    let tokens = tokens(ui);
    let schedule = props.tape.schedule(transport.pace);
    let total = format!(" / {} s", format_seconds(schedule.total_nanos()));
    StyledText::new()
        .with(&format_seconds(transport.nanos), theme::mono(theme::TITLE), tokens.text_strong)
        .with(&total, theme::mono(theme::LABEL), tokens.muted)
        .show(ui);
    if let Some(timing) = props.desk.edited_timing() {
        // Playback is of the tape without the edit, so the new duration is shown apart.
        let total = timing.timeline(transport.pace).schedule().total_nanos();
        let words = format!("after the edit {} s", format_seconds(total));
        note_ui(ui, &words, theme::mono(theme::LABEL));
    }
    if let Some(end) = transport.long_wait_end(schedule) {
        let wait = format_duration(end - transport.nanos);
        let text = format!("Skip {wait}");
        let button =
            Button::secondary(&text).icon(icons::SKIP_FORWARD).tooltip(Command::SkipWait.tooltip());
        widgets::command_button(ui, button, Command::SkipWait, actions);
    // Frames are late by some milliseconds, which a reader of the times should know.
    } else if transport.is_playing() {
        let accuracy = format!("accurate to {}", format_duration(transport.behind_nanos.round()));
        note_ui(ui, &accuracy, theme::regular(theme::LABEL));
    }
}

/// Draws a note if there is room for all of it.
fn note_ui(ui: &mut Ui, words: &str, font: FontId) {
    let room = ui.available_width() - theme::GAP;
    let color = tokens(ui).muted;
    let line = || StyledText::new().with(words, font.clone(), color);
    // A part of a number is worse than no note.
    if !line().galley(ui, room).elided {
        ui.add_space(theme::GAP);
        line().show(ui);
    }
}

/// Draws loop, speed and zoom, from right to left.
fn tools_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    transport: &Transport,
    shows_all: bool,
    actions: &mut Actions,
) {
    let button = ui.add(Button::icon_only(icons::SETTINGS, "Timeline settings"));
    widgets::menu(&button, |ui| settings_ui(ui, props, actions));
    picture_button(ui, actions);
    let fit = Button::ghost("Fit").command(Command::FitTape, Ok(()));
    widgets::command_button(ui, fit, Command::FitTape, actions);
    widgets::command_icon(ui, icons::ZOOM_IN, Command::ZoomIn, Ok(()), actions);
    widgets::command_icon(ui, icons::ZOOM_OUT, Command::ZoomOut, Ok(()), actions);
    ui.add_space(theme::GAP);
    speeds_ui(ui, transport, shows_all, actions);
    ui.add_space(4.0);
    let repeat = Button::secondary("Loop")
        .icon(icons::REPEAT_2)
        .command(Command::LoopTape, Ok(()))
        .on(transport.end_behavior == EndBehavior::Repeat);
    widgets::command_button(ui, repeat, Command::LoopTape, actions);
}

fn speeds_ui(ui: &mut Ui, transport: &Transport, shows_all: bool, actions: &mut Actions) {
    let entry = SPEEDS.iter().find(|(speed, _)| *speed == transport.speed);
    let mut choose = |speed: Speed| actions.push(Action::from(TapesAction::SetSpeed(speed)));
    if shows_all {
        let choice = ui.scope(|ui| widgets::choice(ui, &SPEEDS, transport.speed)).inner;
        return choice.map_or((), choose);
    }
    let name = entry.map_or("", |(_, name)| name);
    let button = Button::secondary(name).trailing(icons::CHEVRON_DOWN);
    let button = ui.add(button.tooltip("Playback speed"));
    widgets::menu(&button, |ui| {
        for (speed, name) in SPEEDS {
            if widgets::menu_item(ui, icons::PLAY, name, &[], None).clicked() {
                choose(speed);
            }
        }
    });
}

/// Draws the menu of delays and of the silence threshold.
fn settings_ui(ui: &mut Ui, props: TapeProps<'_>, actions: &mut Actions) {
    let pace = props.desk.transport.pace;
    let tick = |is_on: bool| if is_on { icons::CHECK } else { icons::CIRCLE };
    widgets::menu_heading(ui, "Delays");
    for (new_pace, name) in [
        (TapePace::Recorded, "As recorded"),
        (TapePace::WholeMillis, "Whole milliseconds, as the player waits"),
    ] {
        if widgets::menu_item(ui, tick(pace == new_pace), name, &[], None).clicked() {
            actions.push(Action::from(TapesAction::SetPace(new_pace)));
        }
    }
    widgets::menu_heading(ui, "Mark silences");
    for nanos in SILENCE_NANOS {
        let name = format!("{} or longer", format_duration(nanos));
        let is_on = props.desk.silence_nanos() == nanos;
        if widgets::menu_item(ui, tick(is_on), &name, &[], None).clicked() {
            actions.push(Action::from(TapesAction::SetSilence(nanos)));
        }
    }
}
