//! Paints the progress of the review as numbers and as a bar.

use egui::{Color32, Rect, Sense, Ui, pos2, vec2};

use compare::review::ReviewLane;
use document::text::{counted, thousands};
use widgets::theme::{self, tokens};
use workbench::{DecisionStatus, ReviewDesk};

const PROGRESS_HEIGHT: f32 = 59.0;

/// Draws the progress above the queue.
pub(super) fn progress_ui(ui: &mut Ui, desk: &ReviewDesk) {
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, PROGRESS_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let tally = desk.statuses.all;
    // Differences that are all ignored need no praise for having been decided.
    let needs_none = tally.all() == tally.count(DecisionStatus::Ignored);
    let done_text = match desk.progress() {
        // The first comparisons have not arrived yet.
        Some(_) if tally.all() == 0 => String::new(),
        Some(_) => format!("{} so far", tally.progress()),
        None => tally.progress(),
    };
    let rest_text = match (desk.statuses.lanes_left(), desk.progress()) {
        (_, Some((count, total))) if total > 0 => {
            format!("comparing, {} of {}", thousands(count), thousands(total))
        }
        (0, _) if tally.all() > 0 && desk.is_applied() => "all applied".to_owned(),
        (0, _) if needs_none => String::new(),
        (0, _) => "all decided".to_owned(),
        (lanes, _) => format!("{} left", counted(lanes, "lane", "lanes")),
    };
    let name = match (&*done_text, &*rest_text) {
        (one, "") | ("", one) => one.to_owned(),
        (done_text, rest_text) => format!("{done_text}, {rest_text}"),
    };
    widgets::describe(&response, egui::Role::Label, &name);
    let line = |text: &str, font, color| widgets::line(ui, text, font, color, inner.width());
    let middle = rect.top() + 23.0;
    let rest_text = line(&rest_text, theme::regular(theme::BODY), colors.muted);
    widgets::paint_line_right(ui.painter(), pos2(inner.right(), middle), rest_text);
    let done_line = line(&done_text, theme::semibold(theme::BODY), colors.text_strong);
    widgets::paint_line(ui.painter(), pos2(inner.left(), middle), done_line);
    let bar = Rect::from_min_size(pos2(inner.left(), rect.top() + 41.0), vec2(inner.width(), 6.0));
    bar_ui(ui, bar, desk);
    widgets::line_below(ui, rect);
}

/// Draws a segment for each lane, as long as it has pairs: what is decided, what needs no decision, and what is left.
fn bar_ui(ui: &Ui, rect: Rect, desk: &ReviewDesk) {
    const GAP: f32 = 2.0;
    let colors = tokens(ui);
    let tallies = ReviewLane::ALL.map(|lane| (lane, desk.statuses.lane(lane)));
    let lanes = tallies.into_iter().filter(|(_, tally)| tally.all() > 0);
    // The gaps come off first, so that the segments fill the width exactly.
    let room = rect.width() - lanes.clone().count().saturating_sub(1) as f32 * GAP;
    let total = desk.statuses.all.all().max(1) as f32;
    let mut left = rect.left();
    for (lane, tally) in lanes {
        let is_here = desk.open_lane() == Some(lane);
        let rest_color = if is_here { colors.accent } else { colors.line };
        let ignored_count = tally.count(DecisionStatus::Ignored);
        let parts: [(usize, Color32); 3] = [
            // `done` counts ignored pairs as well, but no one decided them.
            (tally.done() - ignored_count, colors.good),
            (ignored_count, colors.strong),
            (tally.undecided(), rest_color),
        ];
        for (count, color) in parts.into_iter().filter(|(count, _)| *count > 0) {
            let width = room * count as f32 / total;
            let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
            ui.painter().rect_filled(part, 2, color);
            left = part.right();
        }
        left += GAP;
    }
}
