//! Paints messages above the status line.

use egui::{Area, Id, Order, Rect, Ui, pos2, vec2};

use super::shell_data::NoticeLine;
use document::Severity;
use widgets::{NoticeClick, icons, lift_of, notice, severity_tone, theme};
use workbench::{Action, Actions};

const WIDTH: f32 = 440.0;
/// Time for which a note stays, in seconds. Warnings and errors stay until they are closed.
const NOTE_SECONDS: f64 = 6.0;
/// Maximum number shown at once; the others wait.
const MAX_SHOWN_NOTICES: usize = 4;

/// Draws the messages at the lower right corner, the latest at the bottom.
pub fn notices_ui(ui: &mut Ui, notices: &[NoticeLine], actions: &mut Actions) {
    if notices.is_empty() {
        return;
    }
    let corner = ui.ctx().content_rect().right_bottom()
        - vec2(theme::PADDING, theme::STATUS_LINE + theme::PADDING);
    let width = WIDTH.min(corner.x - theme::PADDING);
    let id = Id::unique("notices");
    // From the previous frame: the height is known only after the messages were laid out.
    let old_rect = ui.ctx().memory(|memory| memory.area_rect(id));
    let height = old_rect.map_or(theme::CONTROL_LARGE, |old_rect| old_rect.height());
    let stack = Rect::from_min_max(corner - vec2(width, height), corner);
    // A message must not cover a control that the user is about to click.
    let corner = corner - vec2(0.0, lift_of(ui, stack, theme::TOP_BAR, theme::GAP));
    Area::new(id)
        .order(Order::Foreground)
        .pivot(egui::Align2::RIGHT_BOTTOM)
        .fixed_pos(pos2(corner.x, corner.y))
        .show(ui.ctx(), |ui| {
            ui.spacing_mut().item_spacing.y = theme::GAP;
            for line in notices.iter().take(MAX_SHOWN_NOTICES) {
                let tone = severity_tone(line.severity);
                let icon = icons::severity(line.severity);
                let button = line.button.as_ref();
                let button_label = button.map(|(icon, label, _)| (*icon, *label));
                let click = notice(ui, width, tone, icon, &line.text, button_label);
                if let (Some(NoticeClick::Button), Some((_, _, action))) = (click, button) {
                    actions.push(action.clone());
                }
                if click.is_some() || has_expired(ui, line) {
                    actions.push(Action::Dismiss(line.id));
                }
            }
        });
}

fn has_expired(ui: &Ui, line: &NoticeLine) -> bool {
    if line.severity != Severity::Note {
        return false;
    }
    let now = ui.input(|input| input.time);
    let id = Id::unique(("notice", line.id));
    // Counted from when it was first painted: a note that waited behind others is not cut short.
    let start = ui.data_mut(|data| *data.get_temp_mut_or(id, now));
    let seconds_left = start + NOTE_SECONDS - now;
    if seconds_left > 0.0 {
        // Without input egui paints no frame, and the note would stay.
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(seconds_left));
    }
    seconds_left <= 0.0
}
