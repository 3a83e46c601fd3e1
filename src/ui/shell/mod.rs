//! The shell around every desk: top bar, rail, status line, notices, and the shortcut sheet.

mod keys_data;
mod keys_ui;
mod notices_ui;
mod path_ui;
mod rail_ui;
mod shell_data;
mod status_ui;
mod top_bar_ui;

use egui::{Frame, Panel, Ui};

use widgets::theme::{self, tokens};
use workbench::{Actions, Workbench};

pub use keys_data::{KeysSheet, is_of_view};
pub use keys_ui::keys_ui;
pub use notices_ui::notices_ui;
pub use path_ui::{PathView, path_ui};
pub use shell_data::ShellData;

/// Draws top bar, status line and rail at the edges of the layout. The remaining space belongs to the desk.
pub fn shell_ui(ui: &mut Ui, workbench: &Workbench, data: &ShellData, actions: &mut Actions) {
    let frame = Frame::new().fill(tokens(ui).ground);
    let panel = |panel: Panel, size| {
        panel.exact_size(size).frame(frame).show_separator_line(false).resizable(false)
    };
    panel(Panel::top("top bar"), theme::TOP_BAR).show(ui, |ui| {
        widgets::line_below(ui, ui.max_rect());
        top_bar_ui::top_bar_ui(ui, workbench, &data.crumbs, actions);
    });
    panel(Panel::bottom("status line"), theme::STATUS_LINE).show(ui, |ui| {
        widgets::line_above(ui, ui.max_rect());
        status_ui::status_ui(ui, workbench, data, actions);
    });
    let width = rail_ui::width(ui);
    panel(Panel::left("rail"), width).show(ui, |ui| {
        widgets::line_beside(ui, ui.max_rect());
        rail_ui::rail_ui(ui, &data.rail, actions);
    });
}
