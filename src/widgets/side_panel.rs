//! A panel beside the content of a desk, as wide as the user made it.

use std::ops::RangeInclusive;

use egui::accesskit::Action;
use egui::containers::panel::PanelState;
use egui::{Color32, Frame, Id, IdSalt, InputState, Panel, Rect, Response, Ui};

use super::sizes::{set_size, size};
use crate::theme::tokens;

/// Width of the window for which the widths of panels are designed, in points.
const DESIGN_WINDOW_WIDTH: f32 = 1440.0;
/// Maximum share of the available width, so that the content beside the panel stays visible.
const MAX_SHARE: f32 = 0.6;
/// Maximum factor by which a panel grows with the window by itself.
const MAX_GROWTH: f32 = 1.5;

/// A panel whose inner edge can be dragged. It grows with the window until it is dragged; then it keeps its width, also
/// when the project is opened again.
#[must_use = "call `show`"]
pub struct SidePanel {
    name: &'static str,
    is_left: bool,
    width: f32,
    range: RangeInclusive<f32>,
    fill: Option<Color32>,
}

impl SidePanel {
    /// Creates a panel at the left edge. `name` is unique in the window; `width` is for a window 1440 wide.
    pub fn left(name: &'static str, width: f32, range: RangeInclusive<f32>) -> Self {
        Self { name, is_left: true, width, range, fill: None }
    }

    /// Creates a panel at the right edge.
    pub fn right(name: &'static str, width: f32, range: RangeInclusive<f32>) -> Self {
        Self { is_left: false, ..Self::left(name, width, range) }
    }

    /// Sets another background than that of panels.
    pub fn fill(self, fill: Color32) -> Self {
        Self { fill: Some(fill), ..self }
    }

    /// Shows the panel; where less than `min_width` is available, another one below the content, with this name and height.
    pub fn show_or_below<R>(
        self,
        ui: &mut Ui,
        min_width: f32,
        (name, height): (&str, f32),
        content: impl FnOnce(&mut Ui) -> R,
    ) -> R {
        if ui.available_width() >= min_width {
            return self.show(ui, content);
        }
        let frame = Frame::new().fill(tokens(ui).panel);
        Panel::bottom(name).exact_size(height).frame(frame).show(ui, content).inner
    }

    /// Shows the panel.
    pub fn show<R>(self, ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> R {
        let user_width = size(ui, self.name);
        let growth = (ui.ctx().content_rect().width() / DESIGN_WINDOW_WIDTH).min(MAX_GROWTH);
        let min_width = *self.range.start();
        // In a narrow window, the least width wins over the share, as `clamp` needs.
        let max_width = self.range.end().min(ui.available_width() * MAX_SHARE).max(min_width);
        let width = user_width.unwrap_or(self.width * growth).clamp(min_width, max_width).round();
        // The panel has its own memory of its width, which does not follow the window.
        let state =
            PanelState { outer_rect: Rect::from_min_size(ui.cursor().min, egui::vec2(width, 0.0)) };
        let id = ui.scope_id().with_salt(IdSalt::new(self.name));
        ui.data_mut(|data| data.insert_persisted(id, state));
        let is_resizing = is_resizing(ui, id.with("__resize"));
        let panel = if self.is_left { Panel::left(self.name) } else { Panel::right(self.name) };
        let fill = self.fill.unwrap_or(tokens(ui).panel);
        let panel = panel
            .default_size(width)
            .size_range(min_width..=max_width)
            .resizable(true)
            .frame(Frame::new().fill(fill));
        let output = panel.show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            content(ui)
        });
        // Content that is too wide also widens a panel: only what the user does counts.
        let shown_width = output.response.rect.width();
        if (shown_width - width).abs() > 0.5 && is_resizing {
            set_size(ui, self.name, Some(shown_width));
        }
        output.inner
    }
}

/// Returns whether the edge of a panel is being dragged, or moved with a screen reader. `edge` is the id that egui gives it.
fn is_resizing(ui: &Ui, edge: Id) -> bool {
    let is_dragged = |edge: Response| edge.dragged() || edge.drag_stopped();
    let actions = [Action::Increment, Action::Decrement, Action::SetValue];
    let is_requested = |input: &InputState| {
        let mut actions = actions.into_iter();
        actions.any(|action| input.has_accesskit_action_request(edge, action))
    };
    ui.read_response(edge).is_some_and(is_dragged) || ui.input(is_requested)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use egui_kittest::Harness;

    use super::*;
    use crate::theme;
    use protocol::Theme;

    #[test]
    fn a_panel_grows_with_the_window_until_its_edge_is_dragged() {
        let (width, edge) = (Cell::new(0.0), Cell::new(egui::Pos2::ZERO));
        let mut harness = Harness::builder().with_size([1440.0, 400.0]).build_ui(|ui| {
            theme::install(ui.ctx(), Theme::Dark);
            SidePanel::left("list", 300.0, 200.0..=700.0).show(ui, |ui| {
                width.set(ui.available_width().ceil());
                edge.set(ui.max_rect().right_center());
            });
        });
        harness.run();
        assert_eq!(width.get(), 299.0, "a line is beside it");
        harness.set_size(egui::vec2(1920.0, 400.0));
        harness.run();
        assert_eq!(width.get(), 399.0);
        harness.set_size(egui::vec2(900.0, 400.0));
        harness.run();
        assert_eq!(width.get(), 199.0, "its minimum");

        harness.set_size(egui::vec2(1440.0, 400.0));
        harness.run();
        let edge = edge.get();
        harness.drag_at(edge);
        harness.run();
        harness.hover_at(edge + egui::vec2(100.0, 0.0));
        harness.run();
        harness.drop_at(edge + egui::vec2(100.0, 0.0));
        harness.run();
        let dragged_width = width.get();
        assert!((390.0..410.0).contains(&dragged_width), "{dragged_width}");
        harness.set_size(egui::vec2(500.0, 400.0));
        harness.run();
        assert!(width.get() <= 300.0, "there is room beside it");
        harness.set_size(egui::vec2(1920.0, 400.0));
        harness.run();
        assert_eq!(width.get(), dragged_width);
    }

    #[test]
    fn content_that_is_too_wide_while_something_else_is_dragged_is_not_a_choice() {
        let (width, content) = (Cell::new(0.0), Cell::new(0.0));
        let mut harness = Harness::builder().with_size([1440.0, 400.0]).build_ui(|ui| {
            theme::install(ui.ctx(), Theme::Dark);
            SidePanel::left("list", 300.0, 200.0..=700.0).show(ui, |ui| {
                width.set(ui.available_width().ceil());
                ui.allocate_space(egui::vec2(content.get(), 20.0));
            });
            let (rect, id) = (ui.available_rect_before_wrap(), Id::unique("other"));
            ui.interact(rect, id, egui::Sense::drag());
        });
        harness.run();
        let drop_place = egui::pos2(1000.0, 200.0);
        harness.drag_at(drop_place);
        harness.run();
        harness.hover_at(drop_place + egui::vec2(50.0, 0.0));
        content.set(500.0);
        harness.run();
        content.set(0.0);
        harness.drop_at(drop_place);
        harness.run();
        assert_eq!(width.get(), 299.0);
    }
}
