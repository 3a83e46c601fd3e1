//! Paints a row of the grid: a heading, the seeds of a schema and model, or a deprecated seed.

use egui::{CornerRadius, Rect, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

use super::grid_ui::{GridContext, SeedColumns};
use crate::ops::seeds::{ProviderKey, SeedIndex};
use crate::text::visible;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Row, RowSlot, StyledText};
use crate::workbench::{Action, GridRow, ResponsePreview, SeedCell, SeedsAction};

/// Draws a row.
pub(super) fn row_ui(
    slot: &mut RowSlot<'_>,
    row: &GridRow,
    painting: &GridContext<'_>,
    actions: &mut Vec<Action>,
) {
    let (ui, rect) = (&mut *slot.ui, slot.rect);
    let hair = Stroke::new(1.0, tokens(ui).hair);
    match row {
        GridRow::Heading {
            job,
            count,
            files,
            folded,
        } => {
            let seeds = match count {
                1 => "1 seed".to_owned(),
                count => format!("{count} seeds"),
            };
            let is_code = files.iter().all(|file| !file.ends_with(".json"));
            let from = if is_code { "read from " } else { "" };
            let files: Vec<_> = files.iter().take(3).map(|file| visible(file)).collect();
            let detail = match job {
                Some(_) => format!("{seeds}, {from}{}", files.join(", ")),
                None => seeds,
            };
            let name = job.as_deref().unwrap_or("By hash, deprecated");
            if heading_ui(slot, name, &detail, job.is_some(), *folded) {
                actions.push(Action::Seeds(SeedsAction::Fold(job.clone())));
            }
            let (ui, rect) = (&mut *slot.ui, slot.rect);
            if job.is_none() && !folded {
                replace_ui(ui, rect, painting, actions);
            }
            return;
        }
        GridRow::Seeds {
            schema,
            model,
            cells,
        } => {
            name_ui(
                ui,
                rect,
                &schema.to_string(),
                &model.to_string(),
                painting.columns,
            );
            let mut left = rect.left() + painting.columns.rounds_start();
            for cell in cells {
                let width = painting.columns.round;
                let room = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
                match cell {
                    Some(cell) => cell_ui(ui, room, *cell, painting, actions),
                    None => widgets::hatch(ui, room),
                }
                ui.painter().vline(room.right() - 0.5, room.y_range(), hair);
                left += width;
            }
        }
        GridRow::Hash(at) => {
            let ProviderKey::Hash(key) = &painting.loaded.memory.seed(*at).key else {
                return;
            };
            name_ui(
                ui,
                rect,
                &key.step.to_string(),
                &key.model.to_string(),
                painting.columns,
            );
            let room = rect.with_min_x(rect.left() + painting.columns.rounds_start());
            let detail = "hash of the first user message; the test is unknown";
            let title = key.hash.to_string();
            seed_ui(ui, room, *at, painting, (None, &title, detail), actions);
        }
    }
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

/// Draws a heading that folds its rows; returns whether it is clicked.
fn heading_ui(
    slot: &mut RowSlot<'_>,
    name: &str,
    detail: &str,
    is_data: bool,
    folded: bool,
) -> bool {
    let colors = tokens(slot.ui);
    let font = if is_data {
        theme::mono(theme::LABEL)
    } else {
        theme::medium(theme::ROW)
    };
    let label = theme::regular(theme::LABEL);
    let words = StyledText::new()
        .with(&visible(name), font, colors.text_strong)
        .after(theme::GAP, detail, label, colors.muted);
    // The text stays visible, however far the columns are scrolled.
    let x = slot
        .rect
        .x_range()
        .intersection(slot.ui.clip_rect().x_range());
    slot.rect = Rect::from_x_y_ranges(x, slot.rect.y_range());
    let row = Row::new(format!("{name}, {detail}")).expanded(!folded);
    slot.show(row.fill(colors.raised).line(words)).clicked()
}

/// Draws the button that replaces deprecated seeds with trace keys.
fn replace_ui(ui: &mut Ui, rect: Rect, painting: &GridContext<'_>, actions: &mut Vec<Action>) {
    let rows = painting.desk.grid.rows.iter();
    let mut hashes = rows.rev().map_while(|row| match row {
        GridRow::Hash(at) => Some(*at),
        GridRow::Heading { .. } | GridRow::Seeds { .. } => None,
    });
    let chosen = painting
        .cursor
        .filter(|at| matches!(painting.loaded.memory.seed(*at).key, ProviderKey::Hash(_)));
    let Some(id) = chosen
        .or_else(|| hashes.by_ref().last())
        .and_then(|at| painting.loaded.id(at))
    else {
        return;
    };
    let room = rect.shrink2(vec2(theme::PADDING, 0.0));
    widgets::place_right(ui, room, |ui| {
        if widgets::link(ui, "Replace with trace keys…").clicked() {
            actions.push(Action::Seeds(SeedsAction::Replace(id)));
        }
    });
}

fn name_ui(ui: &Ui, rect: Rect, schema: &str, model: &str, columns: SeedColumns) {
    let tokens = tokens(ui);
    let hair = Stroke::new(1.0, tokens.hair);
    let middle = rect.center().y;
    let schema = widgets::line(
        ui,
        &visible(schema),
        theme::mono(theme::LABEL),
        tokens.text,
        columns.schema - theme::PADDING - 8.0,
    );
    widgets::paint_line(
        ui.painter(),
        pos2(rect.left() + theme::PADDING, middle),
        schema,
    );
    let left = rect.left() + columns.schema;
    ui.painter().vline(left - 0.5, rect.y_range(), hair);
    let model = widgets::line(
        ui,
        &visible(model),
        theme::regular(theme::ROW),
        tokens.text,
        columns.model - 20.0,
    );
    widgets::paint_line(ui.painter(), pos2(left + 12.0, middle), model);
    ui.painter().vline(
        rect.left() + columns.rounds_start() - 0.5,
        rect.y_range(),
        hair,
    );
}

fn cell_ui(
    ui: &mut Ui,
    rect: Rect,
    cell: SeedCell,
    painting: &GridContext<'_>,
    actions: &mut Vec<Action>,
) {
    let (mut warns, title, mut detail) = match painting.loaded.preview(cell.at) {
        ResponsePreview::Summary(summary) => (false, summary.title.clone(), summary.detail.clone()),
        ResponsePreview::NotJson(place) => (
            true,
            "Not JSON".to_owned(),
            format!("line {}, column {}", place.line, place.column),
        ),
        ResponsePreview::Empty => (true, "Empty".to_owned(), "treated as absent".to_owned()),
        ResponsePreview::Code(code) => (
            false,
            "Not a literal".to_owned(),
            visible(code).into_owned(),
        ),
    };
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
    seed_ui(
        ui,
        rect,
        cell.at,
        painting,
        (icon, &title, &detail),
        actions,
    );
}

/// Draws a seed: an icon, a title, and a detail.
fn seed_ui(
    ui: &mut Ui,
    rect: Rect,
    at: SeedIndex,
    painting: &GridContext<'_>,
    (icon, title, detail): (Option<(&str, theme::Tone)>, &str, &str),
    actions: &mut Vec<Action>,
) {
    let tokens = tokens(ui);
    let response = ui.interact(rect, ui.scope_id().with(("seed", at)), Sense::click());
    let (answers, is_cursor) = (painting.answering == Some(at), painting.cursor == Some(at));
    let key = painting.loaded.memory.seed(at).key.to_string();
    let label = format!("{}: {title}, {detail}", visible(&key));
    response.widget_info(|| WidgetInfo::selected(Role::ListBoxOption, true, is_cursor, &label));
    let inner = rect.shrink2(vec2(0.5, 0.5));
    let painter = ui.painter().with_clip_rect(rect.intersect(ui.clip_rect()));
    let fill = match (answers, is_cursor) {
        (true, _) => Some(tokens.selected),
        (false, true) => Some(tokens.quiet),
        (false, false) => response.hovered().then_some(tokens.hover),
    };
    if let Some(fill) = fill {
        painter.rect_filled(inner, CornerRadius::ZERO, fill);
    }
    if answers || response.has_focus() {
        let stroke = Stroke::new(2.0, tokens.ring);
        painter.rect_stroke(inner, CornerRadius::ZERO, stroke, StrokeKind::Inside);
    }
    let left = rect.left() + 12.0;
    let room = rect.width() - 20.0;
    let (upper, lower) = (rect.top() + 14.0, rect.top() + 30.0);
    let mut beside = 0.0;
    if let Some((icon, tone)) = icon {
        widgets::paint_icon(
            &painter,
            pos2(left + 7.0, upper),
            icon,
            theme::ICON,
            tokens.tone(tone),
        );
        beside = theme::ICON + theme::ICON_GAP;
    }
    let warns = icon.is_some_and(|(_, tone)| tone == theme::Tone::Warning);
    let color = if warns { tokens.warning } else { tokens.muted };
    let title = widgets::line(
        ui,
        title,
        theme::regular(theme::ROW),
        tokens.text_strong,
        room - beside,
    );
    widgets::paint_line(&painter, pos2(left + beside, upper), title);
    let detail = widgets::line(ui, detail, theme::regular(theme::LABEL), color, room);
    widgets::paint_line(&painter, pos2(left, lower), detail);
    if let Some(id) = painting.loaded.id(at) {
        if response.double_clicked() {
            actions.push(Action::Seeds(SeedsAction::Open(id)));
        } else if response.clicked() {
            actions.push(Action::Seeds(SeedsAction::Select(id)));
        }
    }
}
