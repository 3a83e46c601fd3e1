//! Paints the header of a tape: name, facts, statistics, and the controls of the playhead.

use egui::{Sense, Ui, vec2};

use super::tape_edit_form_ui::open_form_button_ui;
use super::tapes_data::{Props, SILENCE_NANOS, SPEEDS, TapeStatistic, format_seconds, statistics};
use calls::tape::timing::{TapePace, format_duration};
use document::Severity;
use document::text::{counted, visible};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Row, RowShape, StyledText, dates, icons, keymap};
use workbench::{Action, Actions, Command, EndBehavior, TapesAction, Transport};

/// Minimum width of a statistic; it is omitted if there is less room.
const MIN_STATISTIC_WIDTH: f32 = 104.0;

/// Draws the name, the status and the model.
pub(super) fn head_ui(ui: &mut Ui, props: Props<'_>, actions: &mut Actions) {
    let Some(item) = props.library.get(props.doc) else { return };
    let is_unsaved = props.library.copy(props.doc).is_some_and(|copy| copy.is_unsaved());
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        widgets::title(ui, &visible(item.label()));
        if is_unsaved {
            let tag = widgets::tag(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent);
            widgets::tip(tag, "Not on disk yet; save with", &keymap::caps(ui, Command::Save));
        }
        problems_ui(ui, props, actions);
        let tape = props.tape.tape();
        let model = tape.and_then(|tape| tape.model.as_ref()).map_or("", |model| &model.value);
        let time = tape.and_then(|tape| tape.recorded_at.as_ref());
        widgets::at_right(ui, |ui| {
            open_form_button_ui(ui, props, actions);
            widgets::at_left(ui, |ui| {
                let model = widgets::muted(ui, &visible(model));
                if let Some(time) = time {
                    let recorded = format!("Recorded {}", dates::minute_of_iso(&time.value));
                    widgets::hint(model, &recorded);
                }
            });
        });
    });
}

/// Draws the number of problems; a click shows the first.
fn problems_ui(ui: &mut Ui, props: Props<'_>, actions: &mut Actions) {
    let Some(item) = props.library.get(props.doc) else { return };
    // Most tapes have the note that rounding to milliseconds loses a part of their delays.
    let is_weighty = |severity: &Severity| *severity != Severity::Note;
    let (Some(worst), Some(first)) = (item.worst().filter(is_weighty), item.problems.first())
    else {
        return;
    };
    let words = counted(item.problems.len(), "problem", "problems");
    let (icon, tone) = (icons::severity(worst), widgets::severity_tone(worst));
    let name = format!("Show the first of {words}");
    let tag = widgets::tag_button(ui, icon, &words, tone, &name);
    let response = widgets::hint(tag, "Show the place in the file");
    widgets::on_click(&response, Action::Reveal(props.doc, first.span), actions);
}

/// A statistic: its name, and its value below.
const STATISTIC: RowShape = RowShape {
    height: 60.0,
    lines: &[20.0, 38.0],
    margins: (theme::PADDING, 0.0),
    hair: false,
    radius: 0,
};

/// Draws the statistics side by side; if there is little room, the rightmost are omitted first.
pub(super) fn statistics_ui(ui: &mut Ui, props: Props<'_>, actions: &mut Actions) {
    let colors = tokens(ui);
    // During a drag or while a form is open, these are the statistics of the result.
    let timing = props.desk.preview().and_then(|timing| timing.as_ref().ok());
    let stats = timing.map_or(props.tape.stats(), |timing| timing.stats());
    let figures = statistics(stats, props.desk.silence_nanos());
    let (rect, _) = widgets::allocate_row(ui, STATISTIC.height, Sense::hover());
    let texts = |figure: &TapeStatistic| {
        let color = colors.tone_or(figure.tone, colors.text_strong);
        let name = StyledText::new().with(figure.name, theme::regular(theme::LABEL), colors.muted);
        [name, StyledText::new().with(&figure.value, theme::semibold(theme::BODY), color)]
    };
    let width = |figure| {
        let widths = texts(figure).map(|text| text.galley(ui, f32::INFINITY).size().x);
        (widths[0].max(widths[1]) + 28.0).max(MIN_STATISTIC_WIDTH)
    };
    let widths: Vec<f32> = figures.iter().map(width).collect();
    // Whole statistics only: half of a number is misleading.
    let fits = |count: &usize| widths[..*count].iter().sum::<f32>() <= rect.width();
    let count = (1..=widths.len()).rev().find(fits).unwrap_or_default();
    let spare_width = (rect.width() - widths[..count].iter().sum::<f32>()) / count.max(1) as f32;
    let mut left = rect.left();
    for (figure, width) in figures.iter().zip(widths).take(count) {
        let cell = rect.with_min_x(left).with_max_x(left + width + spare_width);
        left = cell.right();
        let sense = if figure.chunk.is_some() { Sense::click() } else { Sense::hover() };
        let response = ui.interact(cell, ui.scope_id().with(("figure", figure.name)), sense);
        let row = texts(figure)
            .into_iter()
            .fold(Row::new(format!("{}: {}", figure.name, figure.value)), Row::line);
        let row = row.disabled(figure.chunk.is_none());
        let response = row.show_as(ui, &STATISTIC, cell, response);
        widgets::line_beside(ui, cell);
        if let Some(chunk) = figure.chunk.filter(|_| response.clicked()) {
            actions.push(Action::from(TapesAction::GoTo(chunk + 1)));
        }
    }
}

/// Draws the toolbar above the timeline.
pub(super) fn transport_ui(
    ui: &mut Ui,
    props: Props<'_>,
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
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
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
fn clock_ui(ui: &mut Ui, props: Props<'_>, transport: &Transport, actions: &mut Actions) {
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
        note_ui(ui, &words);
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
fn note_ui(ui: &mut Ui, words: &str) {
    let line = StyledText::new().with(words, theme::mono(theme::LABEL), tokens(ui).muted);
    // A part of a number is worse than no note.
    if !line.clone().galley(ui, ui.available_width() - theme::GAP).elided {
        ui.add_space(theme::GAP);
        line.show(ui);
    }
}

/// Draws the menu of how the tape is played and shown.
fn view_ui(ui: &mut Ui, props: Props<'_>, shows_borders: &mut bool, actions: &mut Actions) {
    let transport = &props.desk.transport;
    widgets::menu_heading(ui, "Speed");
    for (speed, name) in SPEEDS {
        let action = TapesAction::SetSpeed(speed);
        let is_on = transport.speed == speed;
        widgets::menu_option(ui, (name, ""), (is_on, true), action, actions);
    }
    let is_loop = transport.end_behavior == EndBehavior::Repeat;
    let action = Action::Run(Command::LoopTape);
    widgets::menu_option(ui, ("Loop", ""), (is_loop, false), action, actions);
    widgets::menu_heading(ui, "Delays");
    for (pace, name) in [
        (TapePace::Recorded, "As recorded"),
        (TapePace::WholeMillis, "Whole milliseconds, as the player waits"),
    ] {
        let look = (transport.pace == pace, true);
        widgets::menu_option(ui, (name, ""), look, TapesAction::SetPace(pace), actions);
    }
    widgets::menu_heading(ui, "Mark silences");
    for nanos in SILENCE_NANOS {
        let name = format!("{} or longer", format_duration(nanos));
        let look = (props.desk.silence_nanos() == nanos, true);
        widgets::menu_option(ui, (&name, ""), look, TapesAction::SetSilence(nanos), actions);
    }
    widgets::menu_heading(ui, "Show");
    *shows_borders ^= widgets::menu_switch(ui, "Chunk borders", "", (*shows_borders, false));
    for command in [Command::ZoomIn, Command::ZoomOut, Command::FitTape, Command::ExportPicture] {
        widgets::menu_run(ui, command, Ok(()), actions);
    }
}
