//! Paints the grid: its columns, and the visible rows.

use egui::{Pos2, Rangef, Rect, Sense, Ui, UiBuilder, pos2, vec2};

use author::seeds::{LookupStep, ProviderKey, SeedIndex};
use document::text::{counted, visible};
use protocol::{LoadedSeeds, ResponsePreview};
use widgets::theme::{self, tokens};
use widgets::{Column, Line, List, Row, RowSelection, RowShape, RowSlot, StyledText, icons};
use workbench::{Action, Actions, Grid, GridRow, SeedCell, SeedsAction, SeedsDesk};

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
    let context = GridContext {
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
    let mut child = ui.new_child(UiBuilder::new().max_rect(body));
    // At least as wide as the view, so that headings reach its right edge.
    let size = vec2(columns.width(grid.rounds.len()).max(body.width()), state.height());
    let output = egui::ScrollArea::both().id_salt("seeds grid").auto_shrink([false, false]).show(
        &mut child,
        |ui| {
            ui.set_min_size(size);
            let origin = ui.min_rect().min;
            List::new("Grid of seeds", &HEADING_ROW, grid.rows.len())
                .tops(&|row| state.tops[row])
                .show_inside(ui, |slot| row_ui(slot, &grid.rows[slot.index], &context, actions));
            // Inside the area, which only there accepts requests to scroll.
            state.scroll_to_cursor(ui, origin, &context);
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
    fn scroll_to_cursor(&mut self, ui: &Ui, origin: Pos2, context: &GridContext<'_>) {
        if self.shown == context.cursor {
            return;
        }
        // Remembered even if it has no row, or it would jump there when its group is unfolded.
        self.shown = context.cursor;
        let place = context.cursor.and_then(|index| context.desk.grid.place(index));
        let Some((row, column)) = place else { return };
        let left = context.columns.rounds_start() + context.columns.round * column as f32;
        let corner = origin + vec2(left, self.tops[row]);
        let rect = Rect::from_min_size(corner, vec2(context.columns.round, theme::ROW_TWO_LINES));
        ui.scroll_to_rect(rect.expand(2.0), None);
    }
}

/// Draws the headings of the columns, which scroll only horizontally.
fn head_ui(ui: &mut Ui, rect: Rect, offset: f32, grid: &Grid, columns: SeedColumns) {
    let rounds = grid.rounds.iter().map(|round| match round {
        Some(round) => format!("Round {round}"),
        None => "Unknown round".to_owned(),
    });
    let names = ["Schema".to_owned(), "Model".to_owned()].into_iter().chain(rounds);
    let widths =
        [columns.schema, columns.model].into_iter().chain(std::iter::repeat(columns.round));
    let mut left = rect.left() - offset;
    let column = |(index, (name, width)): (usize, (String, f32))| {
        let start = left + if index == 0 { theme::PADDING } else { 12.0 };
        left += width;
        Column::new(name, Rangef::new(start, left - 4.0))
    };
    let columns: Vec<Column> = names.zip(widths).enumerate().map(column).collect();
    let mut child = ui.new_child(UiBuilder::new().max_rect(rect));
    child.set_clip_rect(rect);
    widgets::table_heading(&child, rect, &columns);
}

/// Positions of the columns.
#[derive(Clone, Copy)]
struct SeedColumns {
    schema: f32,
    model: f32,
    round: f32,
}

impl SeedColumns {
    fn new(width: f32, rounds: usize) -> Self {
        // The narrow columns still show `decision_collapse`, the longest of the provider's schemas.
        let (schema, model) = if width < 760.0 { (148.0, 84.0) } else { (192.0, 96.0) };
        let room = (width - schema - model) / rounds.max(1) as f32;
        // Narrower cells would cut every title; the grid scrolls sideways instead.
        Self { schema, model, round: room.max(164.0) }
    }

    fn rounds_start(self) -> f32 {
        self.schema + self.model
    }

    fn width(self, rounds: usize) -> f32 {
        self.rounds_start() + self.round * rounds as f32
    }
}

/// Inputs of a row.
struct GridContext<'a> {
    desk: &'a SeedsDesk,
    loaded: &'a LoadedSeeds,
    columns: SeedColumns,
    /// The seed that answers the call.
    answering: Option<SeedIndex>,
    /// The seed under the cursor.
    cursor: Option<SeedIndex>,
}

/// Draws a row.
fn row_ui(slot: &mut RowSlot<'_>, row: &GridRow, context: &GridContext<'_>, actions: &mut Actions) {
    let rect = slot.rect;
    match row {
        GridRow::Heading { job, count, files, folded } => {
            let seeds = counted(*count, "seed", "seeds");
            // The jobs of a file follow each other, and it is named once.
            let rows = context.desk.grid.rows[..slot.index].iter();
            let is_heading_of_job =
                |row: &&GridRow| matches!(row, GridRow::Heading { job: Some(_), .. });
            let previous = rows.rev().find(is_heading_of_job);
            let is_named =
                matches!(previous, Some(GridRow::Heading { files: old, .. }) if old == files);
            let paths: Vec<_> = files.iter().take(3).map(|file| visible(file)).collect();
            let detail = match job {
                Some(_) if !is_named => format!("{seeds}, {}", paths.join(", ")),
                _ => seeds,
            };
            if heading_ui(slot, job.as_deref(), &detail, *folded) {
                actions.push(Action::from(SeedsAction::Fold(job.clone())));
            }
            let (ui, rect) = (&mut *slot.ui, slot.rect);
            if job.is_none() && !folded {
                replace_ui(ui, rect, context, actions);
            }
            return;
        }
        GridRow::Seeds { schema, model, cells } => {
            name_ui(slot.ui, rect, &schema.to_string(), &model.to_string(), context.columns);
            let (mut left, mut part) = (rect.left() + context.columns.rounds_start(), 0);
            for cell in cells {
                let width = context.columns.round;
                let room = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
                match cell {
                    Some(cell) => {
                        cell_ui(slot, (part, room), *cell, context, actions);
                        part += 1;
                    }
                    // Hatched, not empty: a call with this round has no seed.
                    None => widgets::hatch(slot.ui, room),
                }
                widgets::line_beside(slot.ui, room);
                left += width;
            }
        }
        GridRow::Hash(index) => {
            let ProviderKey::Hash(key) = &context.loaded.memory.seed(*index).key else { return };
            name_ui(slot.ui, rect, &key.step.to_string(), &key.model.to_string(), context.columns);
            let room = rect.with_min_x(rect.left() + context.columns.rounds_start());
            // The provider hashes the text with 32 bits, so it cannot be recovered from the key.
            let texts = (None, &*key.hash.to_string(), "its test is unknown");
            seed_ui(slot, (0, room), *index, context, texts, actions);
        }
    }
    widgets::line_below(slot.ui, rect);
}

/// Draws a heading that folds its rows; returns whether it is clicked.
fn heading_ui(slot: &mut RowSlot<'_>, job: Option<&str>, note: &str, is_folded: bool) -> bool {
    let colors = tokens(slot.ui);
    let (name, font) = match job {
        Some(job) => (job, theme::mono(theme::LABEL)),
        None => ("By hash, deprecated", theme::medium(theme::ROW)),
    };
    let words = StyledText::new().with(&visible(name), font, colors.text_strong).after(
        theme::GAP,
        note,
        theme::regular(theme::LABEL),
        colors.muted,
    );
    // The text stays visible, however far the columns are scrolled.
    let x = slot.rect.x_range().intersection(slot.ui.clip_rect().x_range());
    slot.rect = Rect::from_x_y_ranges(x, slot.rect.y_range());
    let row = Row::new(format!("{name}, {note}")).expanded(!is_folded);
    slot.show(row.fill(colors.raised).line(words)).clicked()
}

/// Draws the button that replaces deprecated seeds with trace keys.
fn replace_ui(ui: &mut Ui, rect: Rect, context: &GridContext<'_>, actions: &mut Actions) {
    let rows = context.desk.grid.rows.iter();
    // Seeds by hash are the last rows of the grid.
    let mut hashes = rows.rev().map_while(|row| match row {
        GridRow::Hash(index) => Some(*index),
        GridRow::Heading { .. } | GridRow::Seeds { .. } => None,
    });
    let hash_at_cursor = context
        .cursor
        .filter(|index| matches!(context.loaded.memory.seed(*index).key, ProviderKey::Hash(_)));
    // Walked backwards, so the last one is the first of the list.
    let Some(id) = hash_at_cursor
        .or_else(|| hashes.by_ref().last())
        .and_then(|index| context.loaded.id(index))
    else {
        return;
    };
    widgets::place_right(ui, rect.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        let link = widgets::link(ui, "Replace with trace keys…");
        widgets::on_click(&link, SeedsAction::Replace(id), actions);
    });
}

fn name_ui(ui: &Ui, rect: Rect, schema: &str, model: &str, columns: SeedColumns) {
    let color = tokens(ui).text;
    let (left, font) = (rect.left() + columns.schema, theme::mono(theme::LABEL));
    let schema_cell = rect.with_max_x(left);
    let model_cell = rect.with_min_x(left).with_max_x(left + columns.model);
    let schema = Line::new(&visible(schema), font, color);
    schema.show_in(ui, schema_cell.with_min_x(rect.left() + theme::PADDING).with_max_x(left - 8.0));
    let model = Line::new(&visible(model), theme::regular(theme::ROW), color);
    model.show_in(ui, model_cell.with_min_x(left + 12.0).with_max_x(left + columns.model - 8.0));
    widgets::line_beside(ui, schema_cell);
    widgets::line_beside(ui, model_cell);
}

fn cell_ui(
    slot: &mut RowSlot<'_>,
    room: (usize, Rect),
    cell: SeedCell,
    context: &GridContext<'_>,
    actions: &mut Actions,
) {
    let (mut warns, title, mut detail) = match context.loaded.preview(cell.at) {
        ResponsePreview::Summary(summary) => (false, summary.title.clone(), summary.detail.clone()),
        ResponsePreview::NotJson(place) => {
            (true, "Not JSON".to_owned(), format!("line {}, column {}", place.line, place.column))
        }
        // The provider takes an empty response for a missing one.
        ResponsePreview::Empty => (true, "Empty".to_owned(), "treated as absent".to_owned()),
        ResponsePreview::Code(code) => {
            (false, "Not a literal".to_owned(), visible(code).into_owned())
        }
    };
    // More important than a remark about the response: only the last of these seeds is played.
    if cell.count > 1 {
        warns = true;
        detail = match cell.count {
            2 => "seeded twice, the last wins".to_owned(),
            times => format!("seeded {times} times, the last wins"),
        };
    }
    let icon = if warns {
        Some((icons::TRIANGLE_ALERT, theme::Tone::Warning))
    } else if context.answering == Some(cell.at) {
        Some((icons::ARROW_RIGHT, theme::Tone::Accent))
    } else {
        None
    };
    seed_ui(slot, room, cell.at, context, (icon, &title, &detail), actions);
}

const SEED_ROW: RowShape =
    RowShape { lines: &[14.0, 30.0], margins: (12.0, 8.0), hair: false, ..RowShape::TWO_LINES };

/// Draws a seed as a part of the row: an icon, a title, and a detail.
fn seed_ui(
    slot: &mut RowSlot<'_>,
    (part, rect): (usize, Rect),
    index: SeedIndex,
    context: &GridContext<'_>,
    (icon, title, detail): (Option<(&'static str, theme::Tone)>, &str, &str),
    actions: &mut Actions,
) {
    let tokens = tokens(slot.ui);
    let (answers, is_cursor) = (context.answering == Some(index), context.cursor == Some(index));
    let key = context.loaded.memory.seed(index).key.to_string();
    let mut title_line = Line::new(title, theme::regular(theme::ROW), tokens.text_strong);
    if let Some((icon, tone)) = icon {
        title_line = title_line.icon(icon, tokens.tone(tone)).indent(theme::ICON + theme::ICON_GAP);
    }
    let warns = icon.is_some_and(|(_, tone)| tone == theme::Tone::Warning);
    let color = if warns { tokens.warning } else { tokens.muted };
    let mut row = Row::new(format!("{}: {title}, {detail}", visible(&key)))
        .selection(if is_cursor { RowSelection::SelectedAway } else { RowSelection::None })
        .line(title_line)
        .line(Line::new(detail, theme::regular(theme::LABEL), color));
    if answers {
        row = row.fill(tokens.selected);
    }
    let response = slot.show_part(part, &SEED_ROW, rect, row);
    if answers {
        widgets::focus_ring_inside(slot.ui, rect.shrink(0.5), 0);
    }
    if let Some(id) = context.loaded.id(index) {
        // First, since the second click of a double click is a click as well.
        if response.double_clicked() {
            actions.push(Action::from(SeedsAction::Open(id)));
        } else if response.clicked() {
            actions.push(Action::from(SeedsAction::Select(id)));
        }
    }
}
