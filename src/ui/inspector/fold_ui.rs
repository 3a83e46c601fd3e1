//! Paints a row that shows and hides the sections after it.

use std::sync::Arc;

use egui::{Role, Sense, Ui, WidgetInfo, pos2};

use super::content::{Fold, FoldKind};
use super::paint;
use super::sections_state::{FOLD_HEIGHT, SectionContext};
use widgets::icons;
use widgets::theme::{self, tokens};

/// Paints the row, and opens or closes it.
pub(super) fn fold_ui(ui: &mut Ui, fold: &Fold, context: &mut SectionContext<'_>) {
    let tokens = tokens(ui);
    let is_open = context.state.is_open(fold.kind) && fold.sections > 0;
    let sense = if fold.sections > 0 { Sense::click() } else { Sense::hover() };
    let (rect, response) = widgets::allocate_row(ui, FOLD_HEIGHT, sense);
    let (title, note) = (&fold.heading.title, &fold.heading.note);
    let name = if note.is_empty() { title.clone() } else { format!("{title}, {note}") };
    response.widget_info(|| match fold.sections {
        0 => WidgetInfo::labeled(Role::Label, true, &name),
        _ => WidgetInfo::selected(Role::Button, ui.is_enabled(), is_open, &name),
    });
    if response.hovered() && fold.sections > 0 {
        ui.painter().rect_filled(rect, 0.0, tokens.hover);
    }
    widgets::line_below(ui, rect);
    let middle = rect.center().y;
    let mut left = rect.left() + theme::PADDING;
    if fold.sections > 0 {
        let chevron = if is_open { icons::CHEVRON_DOWN } else { icons::CHEVRON_RIGHT };
        let center = pos2(left + theme::ICON / 2.0, middle);
        widgets::paint_icon(ui.painter(), center, chevron, theme::ICON, tokens.muted);
    }
    left += theme::INDENT;
    let color = paint::heading_color(fold.heading.icon, tokens);
    let center = pos2(left + theme::ICON / 2.0, middle);
    widgets::paint_icon(ui.painter(), center, fold.heading.icon, theme::ICON, color);
    left += theme::INDENT;
    let right = rect.right() - theme::PADDING;
    let line = |note: &str| {
        widgets::StyledText::new()
            .with(title, theme::medium(theme::ROW), tokens.text_strong)
            .after(theme::GAP, note, theme::regular(theme::ROW), tokens.muted)
            .galley(ui, right - left)
    };
    let full_line = line(note);
    // Cutting a path at its end would hide the name of the file first.
    let file =
        note.rsplit('/').next().filter(|_| full_line.elided && fold.kind == FoldKind::Source);
    let galley = file.map_or_else(|| Arc::clone(&full_line), |file| line(&format!("…/{file}")));
    widgets::paint_line(ui.painter(), pos2(left, middle), galley);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    if response.clicked() {
        context.state.toggle_fold(fold.kind);
        ui.request_repaint();
    }
    if full_line.elided {
        response.on_hover_text(format!("{title} {note}"));
    }
}
