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
const SHOWN: usize = 4;

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
    let shown = ui.ctx().memory(|memory| memory.area_rect(id));
    let height = shown.map_or(theme::CONTROL_LARGE, |shown| shown.height());
    let stack = Rect::from_min_max(corner - vec2(width, height), corner);
    // A message must not cover a control that the user is about to click.
    let corner = corner - vec2(0.0, lift_of(ui, stack, theme::TOP_BAR, theme::GAP));
    Area::new(id)
        .order(Order::Foreground)
        .pivot(egui::Align2::RIGHT_BOTTOM)
        .fixed_pos(pos2(corner.x, corner.y))
        .show(ui.ctx(), |ui| {
            ui.spacing_mut().item_spacing.y = theme::GAP;
            for line in notices.iter().take(SHOWN) {
                let tone = severity_tone(line.severity);
                let icon = icons::severity(line.severity);
                let button = line.button.as_ref();
                let shown = button.map(|(icon, label, _)| (*icon, *label));
                let clicked = notice(ui, width, tone, icon, &line.text, shown);
                if let (Some(NoticeClick::Button), Some((_, _, action))) = (clicked, button) {
                    actions.push(action.clone());
                }
                if clicked.is_some() || has_expired(ui, line) {
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
    let since = ui.data_mut(|data| *data.get_temp_mut_or(id, now));
    let left = since + NOTE_SECONDS - now;
    if left > 0.0 {
        // Without input egui paints no frame, and the note would stay.
        ui.ctx().request_repaint_after(std::time::Duration::from_secs_f64(left));
    }
    left <= 0.0
}
