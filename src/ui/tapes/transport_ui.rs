//! Paints the controls of the playhead.

use egui::{FontId, Rect, Sense, Ui, vec2};

use super::tapes_data::{SILENCE_NANOS, SPEEDS, TapeProps, format_seconds};
use calls::tape::timing::{TapePace, format_duration};
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Action, Actions, Command, EndBehavior, TapesAction, Transport};

/// Draws the toolbar above the timeline.
pub(super) fn transport_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    shows_borders: &mut bool,
    actions: &mut Actions,
) {
    let (rect, _) = widgets::allocate_row(ui, theme::TOOL_ROW_SEGMENTS, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING - 4.0, 0.0));
    let transport = &props.desk.transport;
    let ((), right) = widgets::place_right(ui, inner, |ui| {
        widgets::view_menu(ui, |ui| {
            // The menu is higher than a small window.
            let height = ui.ctx().content_rect().height() - 64.0;
            egui::ScrollArea::vertical().max_height(height).show(ui, |ui| {
                view_ui(ui, props, shows_borders, actions);
            });
        });
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

/// Draws the menu of how the tape is played and shown.
fn view_ui(ui: &mut Ui, props: TapeProps<'_>, shows_borders: &mut bool, actions: &mut Actions) {
    let transport = &props.desk.transport;
    widgets::menu_heading(ui, "Speed");
    for (speed, name) in SPEEDS {
        let action = TapesAction::SetSpeed(speed);
        switch_ui(ui, name, transport.speed == speed, action, actions);
    }
    if widgets::menu_switch(ui, "Loop", "", (transport.end_behavior == EndBehavior::Repeat, false))
    {
        actions.push(Action::Run(Command::LoopTape));
    }
    widgets::menu_heading(ui, "Delays");
    for (pace, name) in [
        (TapePace::Recorded, "As recorded"),
        (TapePace::WholeMillis, "Whole milliseconds, as the player waits"),
    ] {
        switch_ui(ui, name, transport.pace == pace, TapesAction::SetPace(pace), actions);
    }
    widgets::menu_heading(ui, "Mark silences");
    for nanos in SILENCE_NANOS {
        let name = format!("{} or longer", format_duration(nanos));
        let is_on = props.desk.silence_nanos() == nanos;
        switch_ui(ui, &name, is_on, TapesAction::SetSilence(nanos), actions);
    }
    widgets::menu_heading(ui, "Show");
    *shows_borders ^= widgets::menu_switch(ui, "Chunk borders", "", (*shows_borders, false));
    for command in [Command::ZoomIn, Command::ZoomOut, Command::FitTape, Command::ExportPicture] {
        widgets::menu_run(ui, command, Ok(()), actions);
    }
}

/// Draws one of several choices.
fn switch_ui(ui: &mut Ui, name: &str, is_on: bool, action: TapesAction, actions: &mut Actions) {
    if widgets::menu_switch(ui, name, "", (is_on, true)) {
        actions.push(Action::from(action));
    }
}
