//! Paints the list of tapes, each with a thumbnail.

use egui::{Align, Color32, Layout, Rect, Stroke, Ui, pos2, vec2};

use super::tapes_data::summary;
use document::text::{thousands, visible};
use widgets::theme::{self, tokens};
use widgets::{Line, List, Row, RowShape, icons};
use workbench::{Action, Actions, Command, TapesAction, TapesDesk, Workbench};

/// The name, the facts, and below them the thumbnail.
const TAPE_ROW: RowShape = RowShape { height: 83.0, lines: &[20.0, 37.0], ..RowShape::TWO_LINES };

/// Draws the list. A click shows a tape.
pub(super) fn list_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let (desk, library) = (&workbench.tapes, &workbench.core.library);
    let colors = tokens(ui);
    head_ui(ui, desk, actions);
    widgets::hair_line(ui);
    // Thumbnails are requested only for rows that are visible, all of a frame in one request.
    let mut docs = Vec::new();
    let tapes = &desk.tapes;
    List::new("List of tapes", &TAPE_ROW, tapes.len())
        .selection(desk.selected, |doc| tapes.iter().position(|t| *t == doc))
        .show(ui, |slot| {
            let doc = tapes[slot.index];
            let Some(item) = library.get(doc) else { return };
            if desk.needs_thumbnail(doc, item) {
                docs.push(doc);
            }
            let name = visible(item.label());
            let facts = summary(item.duration_nanos, item.chunks);
            let is_selected = desk.selected == Some(doc);
            let row = Row::new(format!("{name}, {facts}"))
                .selected(is_selected)
                .line(Line::document(&name, library.copy(doc), colors))
                .line(Line::new(&facts, theme::regular(theme::ROW), colors.muted));
            widgets::on_click(&slot.show(row), TapesAction::Select(doc), actions);
            let mut picture = slot.rect.shrink2(vec2(theme::PADDING, 10.0));
            picture.min.y = slot.rect.top() + 50.0;
            let color = if is_selected { colors.accent } else { colors.strong };
            let columns = desk.thumbnails.get(&doc).map_or(&[][..], |thumbnail| &thumbnail.columns);
            miniature(slot.ui, picture, columns, color);
        });
    if !docs.is_empty() {
        actions.push(Action::from(TapesAction::MakeThumbnails(docs)));
    }
}

/// Draws the title and the button of a new tape.
fn head_ui(ui: &mut Ui, desk: &TapesDesk, actions: &mut Actions) {
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let count = thousands(desk.tapes.len());
        widgets::title_note(ui, ("Tapes", theme::TITLE), (&count, theme::BODY));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            widgets::command_icon(ui, icons::PLUS, Command::NewTape, Ok(()), actions);
        });
    });
}

/// Draws the columns of a thumbnail.
fn miniature(ui: &Ui, rect: Rect, columns: &[f32], color: Color32) {
    let line = Stroke::new(1.0, tokens(ui).line);
    let painter = ui.painter();
    painter.hline(rect.x_range(), rect.bottom() - 0.5, line);
    let pitch = (rect.width() - 2.0) / columns.len().max(1) as f32;
    for (index, share) in columns.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        let left = (rect.left() + index as f32 * pitch).round();
        // At least two points, or a short chunk would not be seen.
        let height = (share * rect.height()).max(2.0).round();
        let bar = Rect::from_min_size(pos2(left, rect.bottom() - height), vec2(2.0, height));
        painter.rect_filled(bar, 0.0, color);
    }
}
