//! Paints the list of sources. Only visible rows are rendered.

use egui::{Align, Layout, Rangef, Rect, ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use super::data::split_path;
use super::describe::{self, AffectedCounts, SuggestedFix};
use super::sources_ui::SourcesView;
use crate::ops::diff::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, Tone, tokens};
use crate::ui::widgets::{self, Button, RowSelection, Sorted, StyledText};
use crate::workbench::{Action, FitCounts, SourceAction, SourceColumn, SourceName, SourceRow};

/// Size of the bar.
const BAR: egui::Vec2 = vec2(62.0, 7.0);
/// Minimum width of a part of the bar.
const LEAST: f32 = 4.0;

/// Positions of the columns.
struct SourceTableColumns {
    status: Rangef,
    source: Rangef,
    recordings: Rangef,
    affected: Rangef,
    fix: Rangef,
    /// Whether there is space for bars and button labels.
    wide: bool,
}

impl SourceTableColumns {
    fn new(left: f32, width: f32) -> Self {
        let wide = width >= 820.0;
        let widths = if wide {
            [120.0, 0.0, 84.0, 196.0, 152.0]
        } else {
            [116.0, 0.0, 70.0, 122.0, 30.0]
        };
        let gap = if wide { 20.0 } else { 10.0 };
        let fixed: f32 = widths.iter().sum::<f32>() + 2.0 * theme::PADDING + gap * 3.0;
        let mut x = left + theme::PADDING;
        let mut next = |width: f32, gap: f32| {
            let range = Rangef::new(x, x + width);
            x = range.max + gap;
            range
        };
        Self {
            status: next(widths[0], 0.0),
            source: next((width - fixed).max(60.0), gap),
            recordings: next(widths[2], gap),
            affected: next(widths[3], gap),
            fix: next(widths[4], 0.0),
            wide,
        }
    }

    fn cell(&self, column: SourceColumn) -> Rangef {
        match column {
            SourceColumn::Status => self.status,
            SourceColumn::Source => self.source,
            SourceColumn::Recordings => self.recordings,
            SourceColumn::Affected => self.affected,
        }
    }
}

/// Draws headings and rows.
pub(super) fn list_ui(
    ui: &mut Ui,
    view: &SourcesView<'_>,
    shown: &mut Option<SourceName>,
    actions: &mut Vec<Action>,
) {
    let columns = SourceTableColumns::new(ui.max_rect().left(), ui.available_width());
    heading_ui(ui, view, &columns, actions);
    let desk = view.desk;
    if desk.listed() == 0 {
        empty_ui(ui, view, actions);
        return;
    }
    let selected = desk.selected().map(|row| &row.name);
    let area = ScrollArea::vertical().id_salt("sources").auto_shrink(false);
    area.show_rows(ui, theme::ROW_TWO_LINES, desk.listed(), |ui, range| {
        let top = ui.max_rect().top() - range.start as f32 * theme::ROW_TWO_LINES;
        for row in range.filter_map(|at| desk.row(at)) {
            row_ui(ui, view, row, &columns, actions);
        }
        if selected == shown.as_ref() {
            return;
        }
        *shown = selected.cloned();
        if let Some(at) = desk.selected_row() {
            let at = pos2(ui.max_rect().left(), top + at as f32 * theme::ROW_TWO_LINES);
            let rect = Rect::from_min_size(at, vec2(1.0, theme::ROW_TWO_LINES));
            ui.scroll_to_rect(rect, None);
        }
    });
}

fn empty_ui(ui: &mut Ui, view: &SourcesView<'_>, actions: &mut Vec<Action>) {
    if view.desk.is_empty() {
        widgets::empty_state(ui, "No recording here names a source.", None);
    } else if widgets::empty_state(ui, "No source matches the filter.", Some("Show all")) {
        actions.push(Action::Sources(SourceAction::Type(String::new())));
        let all = crate::workbench::SourceFilter::All;
        actions.push(Action::Sources(SourceAction::Filter(all)));
    }
}

fn heading_ui(
    ui: &mut Ui,
    view: &SourcesView<'_>,
    columns: &SourceTableColumns,
    actions: &mut Vec<Action>,
) {
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let colors = tokens(ui);
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let sort = view.desk.sort();
    for column in SourceColumn::ALL {
        let cell = Rect::from_x_y_ranges(columns.cell(*column), rect.y_range());
        let is_many = matches!(column, SourceColumn::Recordings | SourceColumn::Affected);
        let sorted = (sort.column == *column).then_some(if is_many != sort.reversed {
            Sorted::Down
        } else {
            Sorted::Up
        });
        if widgets::heading_cell(ui, cell, column.name(), sorted).clicked() {
            actions.push(Action::Sources(SourceAction::SortBy(*column)));
        }
    }
}

fn row_ui(
    ui: &mut Ui,
    view: &SourcesView<'_>,
    row: &SourceRow,
    columns: &SourceTableColumns,
    actions: &mut Vec<Action>,
) {
    let is_selected = view.desk.selected().map(|row| &row.name) == Some(&row.name);
    let chosen = if is_selected {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let affected = AffectedCounts::from_row(row);
    let (folder, file) = split_path(&row.name.file);
    let count = thousands(row.recordings.len());
    let name = format!(
        "{folder}{file}, {}, {count} recordings, {}{}",
        row.status.label(),
        affected.breaks,
        affected.rest
    );
    let response = widgets::row(ui, theme::ROW_TWO_LINES, chosen, &name);
    let rect = response.rect;
    let cell = |range: Rangef| Rect::from_x_y_ranges(range, rect.y_range());
    widgets::paint_status(ui, cell(columns.status), row.status);
    let status = describe::short_status(row, view.library);
    let paths = [folder.as_str(), file.as_str()];
    source_cell(ui, cell(columns.source), paths, &status, is_selected);
    count_cell(ui, cell(columns.recordings), &count, row.sets);
    affected_cell(ui, cell(columns.affected), row, &affected, columns.wide);
    let line = Stroke::new(1.0, tokens(ui).hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, line);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    let named = |action: fn(SourceName) -> SourceAction| Action::Sources(action(row.name.clone()));
    if response.clicked() {
        actions.push(named(SourceAction::Select));
    }
    if response.double_clicked() {
        actions.push(named(SourceAction::Compare));
    }
    if let Some(fix) = SuggestedFix::best_for(row)
        && fix_ui(ui, cell(columns.fix), fix, columns.wide)
    {
        actions.push(named(match fix {
            SuggestedFix::ThenAndNow => SourceAction::Compare,
            SuggestedFix::Choose => SourceAction::Select,
            SuggestedFix::Repath => SourceAction::Repath,
            SuggestedFix::Restamp(_) => SourceAction::Restamp,
        }));
    }
}

/// Returns the icon of a fix.
pub(super) fn fix_icon(fix: SuggestedFix) -> &'static str {
    match fix {
        SuggestedFix::ThenAndNow => icons::COLUMNS_2,
        SuggestedFix::Choose | SuggestedFix::Repath => icons::FILE_SYMLINK,
        SuggestedFix::Restamp(_) => icons::STAMP,
    }
}

fn fix_ui(ui: &mut Ui, cell: Rect, fix: SuggestedFix, wide: bool) -> bool {
    let words = fix.label();
    let layout = Layout::right_to_left(Align::Center);
    let builder = egui::UiBuilder::new().max_rect(cell).layout(layout);
    let mut child = ui.new_child(builder);
    let icon = fix_icon(fix);
    let button = if wide {
        Button::secondary(&words).icon(icon)
    } else {
        Button::icon_only(icon, &words)
    };
    child.add(button).clicked()
}

fn source_cell(ui: &Ui, cell: Rect, path: [&str; 2], status: &str, selected: bool) {
    let colors = tokens(ui);
    let font = || theme::mono(theme::LABEL);
    let path = StyledText::new()
        .with(path[0], font(), colors.muted)
        .with(path[1], font(), colors.text_strong)
        .galley(ui, cell.width());
    let color = if selected { colors.text } else { colors.muted };
    let status = widgets::line(
        ui,
        status,
        theme::regular(theme::LABEL),
        color,
        cell.width(),
    );
    two_lines(ui, cell, path, status);
}

fn two_lines(
    ui: &Ui,
    cell: Rect,
    first: std::sync::Arc<egui::Galley>,
    second: std::sync::Arc<egui::Galley>,
) {
    let (top, bottom) = (cell.top() + 14.0, cell.bottom() - 13.0);
    widgets::paint_line(ui.painter(), pos2(cell.left(), top), first);
    widgets::paint_line(ui.painter(), pos2(cell.left(), bottom), second);
}

fn count_cell(ui: &Ui, cell: Rect, count: &str, sets: usize) {
    let colors = tokens(ui);
    let sets = match sets {
        1 => "in 1 set".to_owned(),
        sets => format!("in {} sets", thousands(sets)),
    };
    let room = cell.width();
    let count = widgets::line(
        ui,
        count,
        theme::mono(theme::LABEL),
        colors.text_strong,
        room,
    );
    let sets = widgets::line(ui, &sets, theme::regular(theme::LABEL), colors.muted, room);
    let (top, bottom) = (cell.top() + 14.0, cell.bottom() - 13.0);
    // Right-aligned to the end of its left-aligned heading.
    let right = cell.left() + 64.0;
    widgets::paint_line_right(ui.painter(), pos2(right, top), count);
    widgets::paint_line_right(ui.painter(), pos2(right, bottom), sets);
}

fn affected_cell(ui: &Ui, cell: Rect, row: &SourceRow, affected: &AffectedCounts, wide: bool) {
    let colors = tokens(ui);
    let mut left = cell.left();
    if wide && row.status != crate::ops::ItemStatus::Fresh {
        let min = pos2(left, cell.center().y - BAR.y / 2.0);
        paint_fits(ui, Rect::from_min_size(min, BAR), row.fits);
        left += BAR.x + theme::GAP;
    }
    let font = || theme::regular(theme::ROW);
    let rest = match row.status {
        crate::ops::ItemStatus::Fresh => colors.muted,
        _ => colors.text,
    };
    let words = StyledText::new()
        .with(&affected.breaks, font(), colors.warning)
        .with(&affected.rest, font(), rest)
        .galley(ui, cell.right() - left);
    widgets::paint_line(ui.painter(), pos2(left, cell.center().y), words);
}

/// Returns the colours and labels of recordings, in the order of a bar.
pub(super) fn fit_colors(tokens: &Tokens) -> [(egui::Color32, &'static str); 3] {
    [
        (tokens.tone(Tone::Warning), "break"),
        (tokens.tone(Tone::Good), "still match"),
        (tokens.muted.gamma_multiply(0.8), "unknown"),
    ]
}

/// Paints the shares of recordings that break, still match, or are unknown.
pub(super) fn paint_fits(ui: &Ui, rect: Rect, fits: FitCounts) {
    let counts = [fits.breaks, fits.matches, fits.unknown];
    let all: usize = counts.iter().sum();
    let some = counts.iter().filter(|count| **count > 0).count();
    let room = rect.width() - some.saturating_sub(1) as f32 * 2.0 - some as f32 * LEAST;
    let mut left = rect.left();
    for (count, (color, _)) in counts.into_iter().zip(fit_colors(tokens(ui))) {
        if count == 0 {
            continue;
        }
        let width = LEAST + room * count as f32 / all.max(1) as f32;
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
        ui.painter().rect_filled(part, 1.5, color);
        left = part.right() + 2.0;
    }
}
