//! Paints the keyboard shortcut sheet.

use egui::{
    Align2, Area, CornerRadius, Frame, Id, Margin, Modal, Order, ScrollArea, Sense, Stroke, Ui,
    pos2, vec2,
};

use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, Caps, heading, paint_line};
use crate::workbench::{Action, Command, CommandSection};

const WIDTH: f32 = 640.0;

/// Draws all shortcuts over the desk. A click outside closes the sheet.
pub fn keys_ui(ui: &mut Ui, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let window = ui.ctx().content_rect();
    let (width, top) = (WIDTH.min(window.width() - 48.0), theme::overlay_top(window));
    let frame = Frame::new()
        .fill(tokens.overlay)
        .stroke(Stroke::new(1.0, tokens.line))
        .corner_radius(CornerRadius::same(theme::RADIUS_PALETTE))
        .shadow(theme::palette_shadow(tokens))
        .inner_margin(Margin::same(16));
    let area = Area::new(Id::unique("keys"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_TOP, vec2(0.0, top));
    let modal = Modal::new(Id::unique("keys"))
        .area(area)
        .backdrop_color(tokens.veil)
        .frame(frame);
    let response = modal.show(ui.ctx(), |ui| {
        ui.set_width(width - 32.0);
        ui.set_max_height(window.height());
        let mut closed = false;
        ui.horizontal(|ui| {
            let title = widgets::line(
                ui,
                "Keyboard shortcuts",
                theme::semibold(theme::TITLE),
                tokens.text_strong,
                200.0,
            );
            let size = vec2(
                ui.available_width() - theme::CONTROL - theme::GAP,
                theme::CONTROL,
            );
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            paint_line(ui.painter(), rect.left_center(), title);
            closed = ui
                .add(Button::icon_only(icons::X, "Close").keys(vec!["Esc".to_owned()]))
                .clicked();
        });
        let height = window.height() - top - 96.0;
        ScrollArea::vertical().max_height(height).show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            for section in CommandSection::ALL {
                ui.add_space(theme::SECTION_GAP);
                heading(ui, icons::section(*section), section.name(), "");
                let commands = Command::ALL
                    .iter()
                    .filter(|command| command.section() == *section);
                for command in commands.filter(|command| !command.shortcuts().is_empty()) {
                    command_row(ui, *command);
                }
            }
        });
        closed
    });
    if response.inner || response.backdrop_response.clicked() {
        actions.push(Action::SetOverlay(None));
    }
}

fn command_row(ui: &mut Ui, command: Command) {
    let tokens = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(
        vec2(ui.available_width(), theme::ROW_HEIGHT),
        Sense::hover(),
    );
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, command.name()));
    widgets::tip(response, command.tooltip(), &[] as &[&str]);
    let middle = rect.center().y;
    // Keeps clear of the scroll bar.
    let mut right = rect.right() - theme::PADDING;
    for shortcut in command.shortcuts().iter().rev() {
        let caps = Caps::new(ui, &shortcut.caps());
        right -= caps.width();
        caps.paint(ui.painter(), pos2(right, middle));
        right -= theme::SECTION_GAP;
    }
    let left = rect.left() + theme::INDENT;
    let line = widgets::line(
        ui,
        command.name(),
        theme::regular(theme::ROW),
        tokens.text,
        right - left,
    );
    paint_line(ui.painter(), pos2(left, middle), line);
}
