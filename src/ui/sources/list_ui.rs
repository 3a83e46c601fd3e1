//! Paints the list of sources. Only visible rows are rendered.

use egui::{Align, Layout, Rangef, Rect, Ui, pos2, vec2};

use super::describe::{self, AffectedCounts, SuggestedFix};
use super::sources_data::{SourcesView, split_path};
use calls::ItemStatus;
use document::text::thousands;
use protocol::{FitCounts, SourceColumn, SourceName, SourceRow};
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{
    Button, Column, Columns, Line, List, PlacedColumns, Row, RowShape, RowSlot, Sorted, StyledText,
    icons,
};
use workbench::{Action, Actions, ProblemsAction, SourceAction};

/// Size of the bar.
const BAR_SIZE: egui::Vec2 = vec2(62.0, 7.0);
/// Minimum width of a part of the bar.
const MIN_PART_WIDTH: f32 = 4.0;

/// Returns the columns; without a key, the one of the fixes. Also returns whether there is space for bars and button labels.
fn place_columns(ui: &Ui) -> (PlacedColumns<'static, Option<SourceColumn>>, bool) {
    let width = ui.available_width();
    // Narrower, the columns leave too little room for paths.
    let is_wide = width >= 820.0;
    let ([status, recordings, affected, fix], gap) = if is_wide {
        ([120.0, 84.0, 196.0, 152.0], 20.0)
    } else {
        ([116.0, 70.0, 122.0, 30.0], 10.0)
    };
    let column = |key: SourceColumn, width| Column::new(Some(key), key.name(), width + gap);
    let columns = Columns::new(
        "sources",
        &[
            column(SourceColumn::Status, status - gap).gap(0.0),
            Column::rest(Some(SourceColumn::Source), "Source", 60.0 + gap).gap(gap),
            column(SourceColumn::Recordings, recordings).gap(gap),
            column(SourceColumn::Affected, affected).gap(gap),
            Column::new(None, "", fix).gap(0.0),
        ],
    );
    let left = ui.max_rect().left() + theme::PADDING;
    (columns.place(ui, left, width - 2.0 * theme::PADDING), is_wide)
}

/// Draws headings and rows.
pub(super) fn list_ui(ui: &mut Ui, view: &SourcesView<'_>, actions: &mut Actions) {
    let (columns, is_wide) = place_columns(ui);
    let desk = view.desk;
    let sort = desk.sort;
    // Numbers are sorted from the largest first, so their arrow points the other way.
    let is_many = matches!(sort.column, SourceColumn::Recordings | SourceColumn::Affected);
    let order = if is_many != sort.reversed { Sorted::Down } else { Sorted::Up };
    if let Some(Some(column)) = columns.heading(ui, Some((Some(sort.column), order))) {
        actions.push(Action::from(ProblemsAction::Sources(SourceAction::SortBy(column))));
    }
    if desk.listed() == 0 {
        return empty_ui(ui, view, actions);
    }
    List::new("List of sources", &RowShape::TWO_LINES, desk.listed())
        .selection(desk.selected().map(|row| &row.name), |_| desk.selected_row())
        .show(ui, |slot| {
            if let Some(row) = desk.row(slot.index) {
                row_ui(slot, view, row, (&columns, is_wide), actions);
            }
        });
}

fn empty_ui(ui: &mut Ui, view: &SourcesView<'_>, actions: &mut Actions) {
    if view.desk.is_empty() {
        widgets::empty_sentence(ui, "No recording here names a source.");
    } else if widgets::empty_state(ui, "No source matches the filter.", Some("Show all")) {
        actions.push(Action::from(ProblemsAction::Sources(SourceAction::Type(String::new()))));
        let filter = workbench::SourceFilter::All;
        actions.push(Action::from(ProblemsAction::Sources(SourceAction::Filter(filter))));
    }
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    view: &SourcesView<'_>,
    row: &SourceRow,
    (columns, is_wide): (&PlacedColumns<'_, Option<SourceColumn>>, bool),
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let is_selected = view.desk.selected().map(|row| &row.name) == Some(&row.name);
    let affected_counts = AffectedCounts::from_row(row);
    let (folder, file) = split_path(view.library.shown_path(&row.name.file));
    let count = thousands(row.recordings.len());
    let name = format!(
        "{folder}{file}, {}, {count} recordings, {}{}",
        row.status.label(),
        affected_counts.breaks,
        affected_counts.rest
    );
    let sets = match row.sets {
        1 => "in 1 set".to_owned(),
        sets => format!("in {} sets", thousands(sets)),
    };
    let cell = |column| columns.cell(Some(column));
    // Right-aligned to the end of its left-aligned heading.
    let counts = cell(SourceColumn::Recordings);
    let counts = Rangef::new(counts.min + 64.0 - counts.span(), counts.min + 64.0);
    let mut words = cell(SourceColumn::Affected);
    let is_fresh = row.status == ItemStatus::Fresh;
    // Every recording of an unchanged source matches, and a full bar would say nothing.
    let bar = (is_wide && !is_fresh).then_some(words.min);
    if bar.is_some() {
        words.min += BAR_SIZE.x + theme::GAP;
    }
    let status_color = if is_selected { colors.text } else { colors.muted };
    let rest_color = if is_fresh { colors.muted } else { colors.text };
    let (mono, label) = (|| theme::mono(theme::LABEL), || theme::regular(theme::LABEL));
    let status = describe::short_status(row, view.library);
    let path = StyledText::new().with(&folder, mono(), colors.muted).with(
        &file,
        mono(),
        colors.text_strong,
    );
    let row_line = Row::new(name)
        .selected(is_selected)
        .cell(cell(SourceColumn::Status))
        .line(Line::status(row.status, colors))
        .cell(cell(SourceColumn::Source))
        .line(path)
        .line(Line::new(&status, label(), status_color))
        .cell(counts)
        .line(Line::number(&count, mono(), colors.text_strong))
        .line(Line::number(&sets, label(), colors.muted))
        .cell(words)
        .line(
            StyledText::new()
                .with(&affected_counts.breaks, theme::regular(theme::ROW), colors.warning)
                .with(&affected_counts.rest, theme::regular(theme::ROW), rest_color),
        );
    let response = slot.show(row_line);
    let rect = slot.rect;
    if let Some(left) = bar {
        let min = pos2(left, rect.center().y - BAR_SIZE.y / 2.0);
        paint_fits(slot.ui, Rect::from_min_size(min, BAR_SIZE), row.fits);
    }
    let action_of = |action: fn(SourceName) -> SourceAction| {
        Action::from(ProblemsAction::Sources(action(row.name.clone())))
    };
    widgets::on_click(&response, action_of(SourceAction::Select), actions);
    // Not *else*: the first click of the two selects the source that is compared.
    if response.double_clicked() {
        actions.push(action_of(SourceAction::Compare));
    }
    if let Some(fix) = SuggestedFix::best_for(row)
        && fix_ui(slot.ui, Rect::from_x_y_ranges(columns.cell(None), rect.y_range()), fix, is_wide)
    {
        actions.push(action_of(match fix {
            SuggestedFix::ThenAndNow => SourceAction::Compare,
            // The places to choose from are in the details.
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

fn fix_ui(ui: &mut Ui, cell: Rect, fix: SuggestedFix, is_wide: bool) -> bool {
    let words = fix.label();
    let layout = Layout::right_to_left(Align::Center);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(cell).layout(layout));
    let icon = fix_icon(fix);
    let button = Button::secondary(&words).icon(icon).icon_only_if(!is_wide);
    child.add(button).clicked()
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
    let total: usize = counts.iter().sum();
    let part_count = counts.iter().filter(|count| **count > 0).count();
    // Gaps and least widths come off first: one of a thousand must still be seen.
    let room = rect.width()
        - part_count.saturating_sub(1) as f32 * 2.0
        - part_count as f32 * MIN_PART_WIDTH;
    let mut left = rect.left();
    for (count, (color, _)) in counts.into_iter().zip(fit_colors(tokens(ui))) {
        if count == 0 {
            continue;
        }
        let width = MIN_PART_WIDTH + room * count as f32 / total.max(1) as f32;
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
        ui.painter().rect_filled(part, 1.5, color);
        left = part.right() + 2.0;
    }
}
