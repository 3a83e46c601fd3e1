//! Places of the main actions that are shown, so that no notice covers them.

use egui::{Id, Rect, Ui};

/// The places, with the number of the pass in which they were painted.
type MainActions = (u64, Vec<Rect>);

fn id() -> Id {
    Id::unique("main actions")
}

/// Keeps notices away from this place while it is visible.
pub fn keep_clear(ui: &Ui, rect: Rect) {
    // By pass: egui may run several passes for one frame, and places of an older one are no longer right.
    let (pass, rect) = (ui.ctx().cumulative_pass_nr(), rect.intersect(ui.clip_rect()));
    if !rect.is_positive() {
        return;
    }
    ui.data_mut(|data| {
        let (last_pass, rects): &mut MainActions = data.get_temp_mut_or_default(id());
        if *last_pass != pass {
            rects.clear();
        }
        *last_pass = pass;
        rects.push(rect);
    });
}

/// Returns how far a stack of notices has to be moved up, so that it covers no main action that is painted in this pass; zero where
/// it would then be above `top`.
pub fn lift_of(ui: &Ui, stack: Rect, top: f32, gap: f32) -> f32 {
    let pass = ui.ctx().cumulative_pass_nr();
    let actions: MainActions = ui.data(|data| data.get_temp(id())).unwrap_or_default();
    // Places from the previous frame may be of controls that are gone.
    let (_, rects) = if actions.0 == pass { actions } else { MainActions::default() };
    lift(&rects, stack, top, gap)
}

fn lift(rects: &[Rect], stack: Rect, top: f32, gap: f32) -> f32 {
    let mut new_stack = stack;
    // Ends, since each step moves the stack above one more rect.
    while let Some(obstacle) = rects.iter().find(|rect| rect.intersects(new_stack)) {
        let height = stack.height();
        new_stack.max.y = obstacle.top() - gap;
        new_stack.min.y = new_stack.max.y - height;
    }
    if new_stack.top() < top { 0.0 } else { stack.bottom() - new_stack.bottom() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_lifted_above_what_it_would_cover_while_there_is_room() {
        let rect = |top: f32, bottom: f32| Rect::from_x_y_ranges(100.0..=200.0, top..=bottom);
        let stack = rect(500.0, 560.0);
        assert_eq!(lift(&[], stack, 40.0, 8.0), 0.0);
        assert_eq!(lift(&[rect(300.0, 332.0)], stack, 40.0, 8.0), 0.0);
        assert_eq!(lift(&[rect(520.0, 552.0)], stack, 40.0, 8.0), 48.0);
        let rects = [rect(440.0, 472.0), rect(520.0, 552.0)];
        assert_eq!(lift(&rects, stack, 40.0, 8.0), 128.0);
        assert_eq!(lift(&rects, stack, 400.0, 8.0), 0.0, "no room");
    }
}
