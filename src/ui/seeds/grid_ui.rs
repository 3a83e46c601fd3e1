//! Paints the grid: its columns, and the visible rows.

use egui::{Pos2, Rect, Sense, Ui, pos2, vec2};

use super::row_ui::{GridContext, SeedColumns, row_ui};
use author::seeds::{LookupStep, SeedIndex};
use widgets::theme::{self, tokens};
use widgets::{List, RowShape};
use workbench::{Actions, Grid, GridRow, SeedsDesk};

/// State of the grid that is kept between frames.
#[derive(Default)]
pub(super) struct GridState {
    /// The top of each row, and the revision for which they were computed.
    tops: Vec<f32>,
    tops_of: Option<u64>,
    /// The seed that was last scrolled into view.
    shown: Option<SeedIndex>,
}

/// A heading that folds its rows.
const HEADING_ROW: RowShape = RowShape { height: 32.0, lines: &[16.0], ..RowShape::TWO_LINES };

/// Draws the grid. A click on a seed looks up its key, a second click shows it in its file.
pub(super) fn grid_ui(ui: &mut Ui, desk: &SeedsDesk, state: &mut GridState, actions: &mut Actions) {
    let Some(loaded) = desk.loaded.value.as_ref() else { return };
    state.measure(desk);
    let area = ui.available_rect_before_wrap();
    let grid = &desk.grid;
    let columns = SeedColumns::new(area.width(), grid.rounds.len());
    let painting = GridContext {
        desk,
        loaded,
        columns,
        answering: desk
            .answer
            .as_ref()
            // A fixture is part of the provider and has no cell.
            .filter(|answer| answer.step != Some(LookupStep::Fixture))
            .and_then(|answer| answer.seed),
        cursor: desk.selected.and_then(|id| loaded.at(id)),
    };
    let (head, body) = area.split_top_bottom_at_y(area.top() + theme::TABLE_HEADING);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(body));
    // At least as wide as the view, so that headings reach its right edge.
    let size = vec2(columns.width(grid.rounds.len()).max(body.width()), state.height());
    let output = egui::ScrollArea::both().id_salt("seeds grid").auto_shrink([false, false]).show(
        &mut child,
        |ui| {
            ui.set_min_size(size);
            let origin = ui.min_rect().min;
            List::new("Grid of seeds", &HEADING_ROW, grid.rows.len())
                .tops(&|row| state.tops[row])
                .show_inside(ui, |slot| row_ui(slot, &grid.rows[slot.index], &painting, actions));
            // Inside the area, which only there accepts requests to scroll.
            state.scroll_to_cursor(ui, origin, &painting);
        },
    );
    // After the rows: only now is this frame's offset known.
    head_ui(ui, head, output.state.unclamped_offset().x, grid, columns);
    ui.allocate_rect(area, Sense::hover());
}

impl GridState {
    fn measure(&mut self, desk: &SeedsDesk) {
        if self.tops_of == Some(desk.revision) {
            return;
        }
        self.tops_of = Some(desk.revision);
        self.tops.clear();
        let mut top = 0.0;
        for row in &desk.grid.rows {
            self.tops.push(top);
            top += match row {
                GridRow::Heading { .. } => HEADING_ROW.height,
                GridRow::Seeds { .. } | GridRow::Hash(_) => theme::ROW_TWO_LINES,
            };
        }
        // One more than rows: the top of the row after the last is the height of the grid.
        self.tops.push(top);
    }

    fn height(&self) -> f32 {
        self.tops.last().copied().unwrap_or_default()
    }

    /// Scrolls to the cursor if it moved.
    fn scroll_to_cursor(&mut self, ui: &Ui, origin: Pos2, painting: &GridContext<'_>) {
        if self.shown == painting.cursor {
            return;
        }
        // Remembered even if it has no row, or it would jump there when its group is unfolded.
        self.shown = painting.cursor;
        let place = painting.cursor.and_then(|index| painting.desk.grid.place(index));
        let Some((row, column)) = place else { return };
        let left = painting.columns.rounds_start() + painting.columns.round * column as f32;
        let corner = origin + vec2(left, self.tops[row]);
        let rect = Rect::from_min_size(corner, vec2(painting.columns.round, theme::ROW_TWO_LINES));
        ui.scroll_to_rect(rect.expand(2.0), None);
    }
}

/// Draws the headings of the columns, which scroll only horizontally.
fn head_ui(ui: &mut Ui, rect: Rect, offset: f32, grid: &Grid, columns: SeedColumns) {
    let tokens = tokens(ui);
    let painter = ui.painter().with_clip_rect(rect);
    painter.rect_filled(rect, 0.0, tokens.panel);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, (1.0, tokens.hair));
    let rounds = grid.rounds.iter().map(|round| match round {
        Some(round) => format!("Round {round}"),
        None => "Unknown round".to_owned(),
    });
    let mut left = rect.left() - offset;
    let names = ["Schema".to_owned(), "Model".to_owned()].into_iter().chain(rounds);
    let widths =
        [columns.schema, columns.model].into_iter().chain(std::iter::repeat(columns.round));
    for (index, (name, width)) in names.zip(widths).enumerate() {
        let space = if index == 0 { theme::PADDING } else { 12.0 };
        let (font, room) = (theme::medium(theme::LABEL), width - space - 4.0);
        let line = widgets::line(ui, &name, font, tokens.muted, room);
        widgets::paint_line(&painter, pos2(left + space, rect.center().y), line);
        left += width;
    }
}
