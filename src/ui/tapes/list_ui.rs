//! Paints the list of tapes, each with a thumbnail.

use egui::{
    Align, Frame, Layout, Margin, Panel, Rangef, Rect, RichText, ScrollArea, Stroke, Ui, pos2, vec2,
};

use super::data::summary;
use crate::ops::Item;
use crate::ops::diff::thousands;
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, RowSelection, StyledText};
use crate::workbench::{Action, Command, DocId, Library, TapesAction, TapesDesk};

const ROW: f32 = 83.0;

/// Draws the list. A click shows a tape.
pub(super) fn list_ui(ui: &mut Ui, desk: &TapesDesk, library: &Library, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let count = thousands(desk.tapes().len());
        let title = theme::semibold(theme::TITLE);
        StyledText::new()
            .with("Tapes", title, colors.text_strong)
            .after(
                theme::GAP,
                &count,
                theme::regular(theme::BODY),
                colors.muted,
            )
            .show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let button = Button::icon_only(icons::PLUS, Command::NewTape.name());
            if ui.add(button.command(Command::NewTape, Ok(()))).clicked() {
                actions.push(Action::Run(Command::NewTape));
            }
        });
    });
    widgets::hair_line(ui);
    hint_ui(ui);
    let mut unseen = Vec::new();
    let area = ScrollArea::vertical().id_salt("tapes").auto_shrink(false);
    area.show_rows(ui, ROW, desk.tapes().len(), |ui, rows| {
        for doc in desk.tapes().get(rows).unwrap_or_default() {
            let Some(item) = library.get(*doc) else {
                continue;
            };
            if desk.needs_thumbnail(*doc, item) {
                unseen.push(*doc);
            }
            if row_ui(ui, desk, library, *doc, item) {
                actions.push(Action::Tapes(TapesAction::Select(*doc)));
            }
        }
    });
    if !unseen.is_empty() {
        actions.push(Action::Tapes(TapesAction::MakeThumbnails(unseen)));
    }
}

/// Draws the hint about saved responses at the bottom of the list.
fn hint_ui(ui: &mut Ui) {
    let frame = Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 16));
    Panel::bottom("tapes hint")
        .resizable(false)
        .frame(frame)
        .show(ui, |ui| {
            let words = RichText::new("Drop a saved SSE response here to create a tape.");
            let color = tokens(ui).muted;
            ui.label(words.font(theme::regular(theme::ROW)).color(color));
        });
}

fn row_ui(ui: &mut Ui, desk: &TapesDesk, library: &Library, doc: DocId, item: &Item) -> bool {
    let tokens = tokens(ui);
    let name = visible(item.label()).into_owned();
    let facts = summary(item.duration_nanos, item.chunks);
    let is_selected = desk.selected() == Some(doc);
    let chosen = if is_selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let response = widgets::row(ui, ROW, chosen, &format!("{name}, {facts}"));
    let rect = response.rect;
    let (left, right) = (rect.left() + theme::PADDING, rect.right() - theme::PADDING);
    let painter = ui.painter();
    let middle = rect.top() + 20.0;
    widgets::document_name(
        ui,
        Rangef::new(left, right),
        middle,
        &name,
        library.copy(doc),
    );
    let font = theme::regular(theme::ROW);
    let line = widgets::line(ui, &facts, font, tokens.muted, right - left);
    widgets::paint_line(painter, pos2(left, rect.top() + 37.0), line);
    let color = if is_selected {
        tokens.accent
    } else {
        tokens.strong
    };
    let picture = Rect::from_min_max(
        pos2(left, rect.top() + 50.0),
        pos2(right, rect.bottom() - 10.0),
    );
    miniature(ui, picture, desk.thumbnail(doc).unwrap_or_default(), color);
    let hair = Stroke::new(1.0, tokens.hair);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, hair);
    response.clicked()
}

pub(super) fn miniature(ui: &Ui, rect: Rect, columns: &[f32], color: egui::Color32) {
    let line = Stroke::new(1.0, tokens(ui).line);
    let painter = ui.painter();
    painter.hline(rect.x_range(), rect.bottom() - 0.5, line);
    let pitch = (rect.width() - 2.0) / columns.len().max(1) as f32;
    for (index, share) in columns
        .iter()
        .enumerate()
        .filter(|(_, share)| **share > 0.0)
    {
        let left = (rect.left() + index as f32 * pitch).round();
        let height = (share * rect.height()).max(2.0).round();
        let bar = Rect::from_min_size(pos2(left, rect.bottom() - height), vec2(2.0, height));
        painter.rect_filled(bar, 0.0, color);
    }
}
