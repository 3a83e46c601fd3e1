//! Paints a row of the grid: a heading, the seeds of a schema and model, or a deprecated seed.

use egui::{Rect, Stroke, Ui, pos2, vec2};

use author::seeds::{ProviderKey, SeedIndex};
use document::text::{counted, visible};
use protocol::{LoadedSeeds, ResponsePreview};
use widgets::theme::{self, tokens};
use widgets::{Line, Row, RowSelection, RowShape, RowSlot, StyledText, icons};
use workbench::{Action, Actions, GridRow, SeedCell, SeedsAction, SeedsDesk};

/// Positions of the columns.
#[derive(Clone, Copy)]
pub(super) struct SeedColumns {
    pub(super) schema: f32,
    pub(super) model: f32,
    pub(super) round: f32,
}

impl SeedColumns {
    pub(super) fn new(width: f32, rounds: usize) -> Self {
        // The narrow columns still show `decision_collapse`, the longest of the provider's schemas.
        let (schema, model) = if width < 760.0 { (148.0, 84.0) } else { (192.0, 96.0) };
        let room = (width - schema - model) / rounds.max(1) as f32;
        // Narrower cells would cut every title; the grid scrolls sideways instead.
        Self { schema, model, round: room.max(164.0) }
    }

    pub(super) fn rounds_start(self) -> f32 {
        self.schema + self.model
    }

    pub(super) fn width(self, rounds: usize) -> f32 {
        self.rounds_start() + self.round * rounds as f32
    }
}

/// Inputs for painting a row.
pub(super) struct GridContext<'a> {
    pub(super) desk: &'a SeedsDesk,
    pub(super) loaded: &'a LoadedSeeds,
    pub(super) columns: SeedColumns,
    /// The seed that answers the call.
    pub(super) answering: Option<SeedIndex>,
    /// The seed under the cursor.
    pub(super) cursor: Option<SeedIndex>,
}

/// Draws a row.
pub(super) fn row_ui(
    slot: &mut RowSlot<'_>,
    row: &GridRow,
    painting: &GridContext<'_>,
    actions: &mut Actions,
) {
    let rect = slot.rect;
    let hair = Stroke::new(1.0, tokens(slot.ui).hair);
    match row {
        GridRow::Heading { job, count, files, folded } => {
            let seeds = counted(*count, "seed", "seeds");
            // The jobs of a file follow each other, and it is named once.
            let rows = painting.desk.grid.rows[..slot.index].iter();
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
            let name = job.as_deref().unwrap_or("By hash, deprecated");
            if heading_ui(slot, name, &detail, job.is_some(), *folded) {
                actions.push(Action::from(SeedsAction::Fold(job.clone())));
            }
            let (ui, rect) = (&mut *slot.ui, slot.rect);
            if job.is_none() && !folded {
                replace_ui(ui, rect, painting, actions);
            }
            return;
        }
        GridRow::Seeds { schema, model, cells } => {
            name_ui(slot.ui, rect, &schema.to_string(), &model.to_string(), painting.columns);
            let (mut left, mut part) = (rect.left() + painting.columns.rounds_start(), 0);
            for cell in cells {
                let width = painting.columns.round;
                let room = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
                match cell {
                    Some(cell) => {
                        cell_ui(slot, (part, room), *cell, painting, actions);
                        part += 1;
                    }
                    // Hatched, not empty: a call with this round has no seed.
                    None => widgets::hatch(slot.ui, room),
                }
                slot.ui.painter().vline(room.right() - 0.5, room.y_range(), hair);
                left += width;
            }
        }
        GridRow::Hash(index) => {
            let ProviderKey::Hash(key) = &painting.loaded.memory.seed(*index).key else { return };
            name_ui(slot.ui, rect, &key.step.to_string(), &key.model.to_string(), painting.columns);
            let room = rect.with_min_x(rect.left() + painting.columns.rounds_start());
            // The provider hashes the text with 32 bits, so it cannot be recovered from the key.
            let detail = "its test is unknown";
            seed_ui(
                slot,
                (0, room),
                *index,
                painting,
                (None, &key.hash.to_string(), detail),
                actions,
            );
        }
    }
    slot.ui.painter().hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

/// Draws a heading that folds its rows; returns whether it is clicked.
fn heading_ui(
    slot: &mut RowSlot<'_>,
    name: &str,
    note: &str,
    is_data: bool,
    is_folded: bool,
) -> bool {
    let colors = tokens(slot.ui);
    let font = if is_data { theme::mono(theme::LABEL) } else { theme::medium(theme::ROW) };
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
fn replace_ui(ui: &mut Ui, rect: Rect, painting: &GridContext<'_>, actions: &mut Actions) {
    let rows = painting.desk.grid.rows.iter();
    // Seeds by hash are the last rows of the grid.
    let mut hashes = rows.rev().map_while(|row| match row {
        GridRow::Hash(index) => Some(*index),
        GridRow::Heading { .. } | GridRow::Seeds { .. } => None,
    });
    let hash_at_cursor = painting
        .cursor
        .filter(|index| matches!(painting.loaded.memory.seed(*index).key, ProviderKey::Hash(_)));
    // Walked backwards, so the last one is the first of the list.
    let Some(id) = hash_at_cursor
        .or_else(|| hashes.by_ref().last())
        .and_then(|index| painting.loaded.id(index))
    else {
        return;
    };
    widgets::place_right(ui, rect.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        let link = widgets::link(ui, "Replace with trace keys…");
        widgets::on_click(&link, SeedsAction::Replace(id), actions);
    });
}

fn name_ui(ui: &Ui, rect: Rect, schema: &str, model: &str, columns: SeedColumns) {
    let tokens = tokens(ui);
    let hair = Stroke::new(1.0, tokens.hair);
    let middle = rect.center().y;
    let (font, room) = (theme::mono(theme::LABEL), columns.schema - theme::PADDING - 8.0);
    let schema = widgets::line(ui, &visible(schema), font, tokens.text, room);
    widgets::paint_line(ui.painter(), pos2(rect.left() + theme::PADDING, middle), schema);
    let left = rect.left() + columns.schema;
    ui.painter().vline(left - 0.5, rect.y_range(), hair);
    let (font, room) = (theme::regular(theme::ROW), columns.model - 20.0);
    let model = widgets::line(ui, &visible(model), font, tokens.text, room);
    widgets::paint_line(ui.painter(), pos2(left + 12.0, middle), model);
    ui.painter().vline(rect.left() + columns.rounds_start() - 0.5, rect.y_range(), hair);
}

fn cell_ui(
    slot: &mut RowSlot<'_>,
    room: (usize, Rect),
    cell: SeedCell,
    painting: &GridContext<'_>,
    actions: &mut Actions,
) {
    let (mut warns, title, mut detail) = match painting.loaded.preview(cell.at) {
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
    } else if painting.answering == Some(cell.at) {
        Some((icons::ARROW_RIGHT, theme::Tone::Accent))
    } else {
        None
    };
    seed_ui(slot, room, cell.at, painting, (icon, &title, &detail), actions);
}

const SEED_ROW: RowShape =
    RowShape { lines: &[14.0, 30.0], margins: (12.0, 8.0), hair: false, ..RowShape::TWO_LINES };

/// Draws a seed as a part of the row: an icon, a title, and a detail.
fn seed_ui(
    slot: &mut RowSlot<'_>,
    (part, rect): (usize, Rect),
    index: SeedIndex,
    painting: &GridContext<'_>,
    (icon, title, detail): (Option<(&'static str, theme::Tone)>, &str, &str),
    actions: &mut Actions,
) {
    let tokens = tokens(slot.ui);
    let (answers, is_cursor) = (painting.answering == Some(index), painting.cursor == Some(index));
    let key = painting.loaded.memory.seed(index).key.to_string();
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
    if let Some(id) = painting.loaded.id(index) {
        // First, since the second click of a double click is a click as well.
        if response.double_clicked() {
            actions.push(Action::from(SeedsAction::Open(id)));
        } else if response.clicked() {
            actions.push(Action::from(SeedsAction::Select(id)));
        }
    }
}
