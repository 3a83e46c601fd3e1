//! Paints the controls of the playhead, and the track on which it is dragged.

use egui::{Rect, Sense, Ui, pos2, vec2};

use super::strip_props::{StripProps, playhead};
use calls::tape::playback::Speed;
use play::playback::strip_picture::block_style;
use widgets::picture::color;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText, icons};
use workbench::{Actions, Command, PlayheadAction};

/// The available speeds, slowest first.
const SPEEDS: [(Speed, &str); 3] =
    [(Speed::Times(0.5), "½×"), (Speed::Times(1.0), "1×"), (Speed::Times(4.0), "4×")];
/// The least width of the track.
const MIN_TRACK_WIDTH: f32 = 80.0;
/// The width of the columns of marks above the track, and of the gap between them.
const COLUMN_WIDTH: f32 = 4.0;

/// Draws the row of controls.
pub(super) fn transport_ui(ui: &mut Ui, props: &StripProps<'_>, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::TOOL_ROW_SEGMENTS, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING - 4.0, 0.0));
    let ((), right) = widgets::place_right(ui, inner, |ui| speed_ui(ui, props, actions));
    let left = inner.with_max_x(right - theme::PADDING);
    let left = widgets::place_left(ui, left, |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        buttons_ui(ui, props, actions);
        ui.add_space(theme::GAP);
        let colors = tokens(ui);
        let time = props.strip.time_label(props.nanos);
        let total = format!(" of {}", props.strip.duration_label());
        StyledText::new()
            .with(&time, theme::mono_bold(theme::TITLE), colors.text_strong)
            .add(&total, colors.muted_data())
            .show(ui);
        ui.min_rect().right()
    });
    let track = inner.with_min_x(left + theme::PADDING).with_max_x(right - theme::PADDING);
    // A shorter track could not be aimed at; the buttons stay.
    if track.width() >= MIN_TRACK_WIDTH {
        track_ui(ui, props, track, actions);
    }
}

/// Draws the menu of speeds.
fn speed_ui(ui: &mut Ui, props: &StripProps<'_>, actions: &mut Actions) {
    let speed = props.player.transport.speed;
    let current = SPEEDS.iter().find(|(other, _)| *other == speed).map_or("", |(_, name)| name);
    let name = format!("Speed, {current}");
    let button = Button::ghost(current).trailing(icons::CHEVRON_DOWN).name_for_readers(&name);
    widgets::menu(&ui.add(button), |ui| {
        for (other, name) in SPEEDS {
            if widgets::menu_switch(ui, name, "", (other == speed, true)) {
                actions.push(playhead(PlayheadAction::SetSpeed(other)));
            }
        }
    });
}

/// Draws the buttons: previous, play, next.
fn buttons_ui(ui: &mut Ui, props: &StripProps<'_>, actions: &mut Actions) {
    let (icon, name) = if props.player.transport.is_playing() {
        (icons::PAUSE, "Pause")
    } else {
        (icons::PLAY, "Play")
    };
    let play = Button::secondary("").icon(icon).tooltip(name).width(32.0);
    let icon_button = Button::icon_only;
    let buttons = [
        (icon_button(icons::STEP_BACK, "Previous call"), Command::PreviousColumn),
        (play, Command::PlayTape),
        (icon_button(icons::STEP_FORWARD, "Next call"), Command::NextColumn),
    ];
    for (button, command) in buttons {
        widgets::command_button(ui, button.keys_of(command), command, actions);
    }
}

/// Draws the track with a mark for each call, so that a drag can aim at the wrong ones.
fn track_ui(ui: &mut Ui, props: &StripProps<'_>, rect: Rect, actions: &mut Actions) {
    let colors = tokens(ui);
    let response = ui.interact(rect, ui.scope_id().with("track"), Sense::click_and_drag());
    response.widget_info(|| props.slider_info("Playhead, in seconds", "Playhead, in calls"));
    let total = props.strip.total_nanos();
    let x = |nanos: f64| rect.left() + (nanos / total) as f32 * rect.width();
    let painter = ui.painter();
    let top = rect.center().y - 7.0;
    // About three columns a call: below that, marks would overlap and hide the wrong ones.
    let has_room = props.strip.blocks.len() as f32 * COLUMN_WIDTH * 3.0 <= rect.width();
    if has_room {
        for block in &props.strip.blocks {
            let (start, end) = (x(block.time.from_nanos), x(block.time.to_nanos));
            let end = (end - 2.0).max(start + 2.0);
            let mark = Rect::from_x_y_ranges(start..=end, top - 1.5..=top + 1.5);
            painter.rect_filled(mark, 1, color(ui, block_style(block).1));
        }
    } else {
        // Each column has the worst outcome of its calls, so that one failure in thousands is seen.
        let columns = props.strip.columns((rect.width() / COLUMN_WIDTH) as usize);
        for (index, status) in columns.into_iter().enumerate() {
            let Some(status) = status else { continue };
            let corner = pos2(rect.left() + index as f32 * COLUMN_WIDTH, top - 1.5);
            let mark = Rect::from_min_size(corner, vec2(COLUMN_WIDTH - 1.0, 3.0));
            let (_, tone) = widgets::outcome_style(status);
            painter.rect_filled(mark, 0.0, colors.tone(tone));
        }
    }
    let line = rect.center().y + 1.0;
    let playhead_x = x(props.nanos);
    painter.hline(rect.x_range(), line, (4.0, colors.line));
    painter.hline(rect.left()..=playhead_x, line, (4.0, colors.accent));
    painter.circle(pos2(playhead_x, line), 6.0, colors.text_strong, (1.0, colors.desk));
    widgets::focus_ring(ui, &response, theme::RADIUS_CONTROL);
    if let Some(pointer) = response.interact_pointer_pos()
        && (response.dragged() || response.clicked())
    {
        let share = f64::from((pointer.x - rect.left()) / rect.width());
        actions.push(playhead(PlayheadAction::Seek(share.clamp(0.0, 1.0) * total)));
    }
}
