//! Paints the library: filter, quick filters, and the table. Only the rows on screen get a layout.

use egui::{Color32, Rect, Response, ScrollArea, Sense, Ui, pos2, vec2};

use super::columns::{GROUPED_INDENT, LibraryColumns, PlacedColumn, Widths};
use super::data::{ItemRow, LibraryData, ToolsCell, UnsavedState};
use super::filter_ui::{FilterView, filter_ui};
use crate::format::Severity;
use crate::ops::ItemStatus;
use crate::ops::diff::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, Tone, tokens};
use crate::ui::widgets::{self, RowSelection, Segment, Sorted, StyledText};
use crate::workbench::{
    Action, Command, DocId, Grouping, LibraryColumn, LibraryGroup, LibraryRow, QuickFilter,
};

/// Size of the sign on a marked row, small enough for the padding that contains it.
const MARK: f32 = 10.0;

/// State of the library view that is kept between frames.
#[derive(Debug, Default)]
pub struct LibraryView {
    filter: FilterView,
    widths: Widths,
    /// The selection that was last scrolled into view.
    shown: Option<DocId>,
}

/// Draws the library. User input becomes an [`Action`].
pub fn library_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    view: &mut LibraryView,
    actions: &mut Vec<Action>,
) {
    ui.spacing_mut().item_spacing.y = 0.0;
    filter_ui(ui, data, &mut view.filter, actions);
    let left = ui.max_rect().left() + theme::PADDING;
    let width = ui.available_width() - theme::PADDING;
    let columns = LibraryColumns::new(left, width, data.grouping(), &view.widths);
    quick_ui(ui, data, &columns.hidden, actions);
    table_ui(ui, data, &columns, view, actions);
}

fn quick_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    hidden: &[LibraryColumn],
    actions: &mut Vec<Action>,
) {
    let totals = data.totals();
    let choices = [
        (QuickFilter::All, None, "All", totals.all),
        (
            QuickFilter::Stale,
            Some((icons::CLOCK_ALERT, Tone::Warning)),
            "Stale",
            totals.stale,
        ),
        (
            QuickFilter::Problems,
            Some((icons::TRIANGLE_ALERT, Tone::Warning)),
            "Problems",
            totals.problems,
        ),
        (
            QuickFilter::Unstamped,
            Some((icons::CIRCLE_DASHED, Tone::Plain)),
            "Unstamped",
            totals.unstamped,
        ),
    ];
    let counts = choices.map(|(.., count)| thousands(count));
    let mut segments = Vec::with_capacity(choices.len());
    for ((_, icon, word, number), count) in choices.iter().zip(&counts) {
        let segment = Segment::text(word).count(count);
        segments.push(match icon {
            Some((icon, tone)) => segment.icon(icon, Some(*tone).filter(|_| *number > 0)),
            None => segment,
        });
    }
    let chosen = choices
        .iter()
        .position(|(quick, ..)| *quick == data.quick())
        .unwrap_or(0);
    tool_row(ui, theme::TOOL_ROW_SEGMENTS, |ui| {
        if let Some(pressed) = widgets::segmented(ui, &segments, chosen) {
            actions.push(Action::SetQuickFilter(choices[pressed].0));
        }
        let words = if data.marked().is_some() {
            "1 marked for comparison".to_owned()
        } else {
            hidden_columns_label(hidden)
        };
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            let color = tokens(ui).muted;
            StyledText::new()
                .with(&words, theme::regular(theme::ROW), color)
                .show(ui);
        });
    });
}

/// Returns which columns are hidden: `Model, set hidden`.
fn hidden_columns_label(hidden: &[LibraryColumn]) -> String {
    let names: Vec<String> = hidden
        .iter()
        .enumerate()
        .map(|(index, column)| match index {
            0 => column.name().to_owned(),
            _ => column.name().to_lowercase(),
        })
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("{} hidden", names.join(", "))
    }
}

/// Lays out controls in a row of the desk, with padding on both sides.
pub(crate) fn tool_row(ui: &mut Ui, height: f32, content: impl FnOnce(&mut Ui)) {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let layout = egui::Layout::left_to_right(egui::Align::Center);
    ui.scope_builder(
        egui::UiBuilder::new().max_rect(inner).layout(layout),
        |ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            content(ui);
        },
    );
}

fn table_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    columns: &LibraryColumns,
    view: &mut LibraryView,
    actions: &mut Vec<Action>,
) {
    heading_ui(ui, data, columns, &mut view.widths, actions);
    if data.rows().is_empty() {
        empty_ui(ui, data, actions);
        return;
    }
    let area = ScrollArea::vertical()
        .id_salt("library rows")
        .auto_shrink(false);
    area.show_rows(ui, theme::ROW_HEIGHT, data.rows().len(), |ui, range| {
        let top = ui.max_rect().top() - range.start as f32 * theme::ROW_HEIGHT;
        for row in &data.rows()[range] {
            match row {
                LibraryRow::Item(doc) => item_ui(ui, data, *doc, &columns.shown, actions),
                LibraryRow::Group(group) => group_ui(ui, group, actions),
            }
        }
        scroll_to_selection(ui, data, view, top);
    });
}

/// Scrolls to the selected row if the selection moved.
fn scroll_to_selection(ui: &Ui, data: &LibraryData<'_>, view: &mut LibraryView, top: f32) {
    if view.shown == data.selected() {
        return;
    }
    view.shown = data.selected();
    let Some(doc) = data.selected() else { return };
    let Some(index) = data.row_of(doc) else {
        return;
    };
    let at = pos2(ui.max_rect().left(), top + index as f32 * theme::ROW_HEIGHT);
    ui.scroll_to_rect(Rect::from_min_size(at, vec2(1.0, theme::ROW_HEIGHT)), None);
}

fn heading_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    columns: &LibraryColumns,
    widths: &mut Widths,
    actions: &mut Vec<Action>,
) {
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let colors = tokens(ui);
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    let hair = egui::Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    let sort = data.sort();
    for (column, x) in &columns.shown {
        let cell = Rect::from_x_y_ranges(*x, rect.y_range());
        let cell = cell.with_max_x(cell.right() - theme::GAP);
        let sorted = (sort.column == *column).then_some(if sort.descending {
            Sorted::Down
        } else {
            Sorted::Up
        });
        if widgets::heading_cell(ui, cell, column.name(), sorted).clicked() {
            actions.push(Action::SortBy(*column));
        }
    }
    let borders = columns.shown.len().saturating_sub(1);
    for index in 0..borders {
        border_ui(ui, rect, columns, index, widths);
    }
}

/// Draws the right border of a column: a drag resizes columns, a double click resets the width.
fn border_ui(ui: &Ui, heading: Rect, columns: &LibraryColumns, index: usize, widths: &mut Widths) {
    let Some(column) = columns.resizable_at(index) else {
        return;
    };
    let x = columns.shown[index].1.max - theme::GAP / 2.0;
    let rect = Rect::from_center_size(pos2(x, heading.center().y), vec2(8.0, heading.height()));
    let id = ui.scope_id().with(("border", column.name()));
    let response = ui.interact(rect, id, Sense::CLICK | Sense::DRAG);
    let name = format!("Width of {}", column.name());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Splitter, true, &name));
    if response.hovered() || response.dragged() {
        let line = egui::Stroke::new(1.0, tokens(ui).strong);
        ui.painter().vline(x.round() + 0.5, rect.y_range(), line);
    }
    if response.dragged() {
        columns.resize(index, response.drag_delta().x, widths);
    }
    if response.double_clicked() {
        widths.reset(column);
    }
    response.on_hover_and_drag_cursor(egui::CursorIcon::ResizeHorizontal);
}

fn item_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    doc: DocId,
    columns: &[PlacedColumn],
    actions: &mut Vec<Action>,
) {
    let Some(row) = data.item(doc) else { return };
    let chosen = match (row.selected, row.marked) {
        (true, _) => RowSelection::Selected,
        (false, true) => RowSelection::SelectedAway,
        (false, false) => RowSelection::None,
    };
    let mut name = format!(
        "{}, {}, {}",
        row.label,
        row.kind.as_str(),
        row.status.label()
    );
    if row.marked {
        name.push_str(", marked for comparison");
    }
    if let Some(unsaved) = row.unsaved {
        name.push_str(", ");
        name.push_str(unsaved.label());
    }
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &name);
    let (accent, note) = (tokens(ui).accent, tokens(ui).note);
    let mark = match (row.marked, row.unsaved) {
        (true, _) => Some((icons::PIN, accent)),
        (false, Some(UnsavedState::Edited)) => Some((icons::CIRCLE_DOT, accent)),
        (false, Some(UnsavedState::InConflict)) => Some((icons::REFRESH_CW, note)),
        (false, None) => None,
    };
    if let Some((icon, color)) = mark {
        let center = response.rect.left_center() + vec2(9.0, 0.0);
        widgets::paint_icon(ui.painter(), center, icon, MARK, color);
    }
    for (column, x) in columns {
        let indent = match (column, data.grouping()) {
            (_, Grouping::None) => 0.0,
            (LibraryColumn::Status, _) => GROUPED_INDENT,
            _ => 0.0,
        };
        let x = egui::Rangef::new(x.min + indent, x.max - theme::GAP);
        let cell = Rect::from_x_y_ranges(x, response.rect.y_range());
        cell_ui(ui, cell, *column, &row);
    }
    row_actions(data, &response, &row, actions);
}

fn row_actions(
    data: &LibraryData<'_>,
    response: &Response,
    row: &ItemRow,
    actions: &mut Vec<Action>,
) {
    if response.clicked() {
        let held = response.ctx.input(|input| input.modifiers.command);
        actions.push(if held {
            Action::ToggleMark(row.doc)
        } else {
            Action::Select(row.doc)
        });
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
    if response.secondary_clicked() {
        actions.push(Action::Select(row.doc));
    }
    widgets::context_menu(response, |ui| {
        let commands = [
            Command::CompareSource,
            Command::CompareSelected,
            Command::MarkSelected,
            Command::Stamp,
            Command::RegenerateSelected,
            Command::CheckSet,
            Command::ServeFromSet,
            Command::CopyPath,
            Command::Save,
            Command::SaveAs,
            Command::Revert,
        ];
        for command in commands {
            if widgets::menu_command(ui, command, data.enabled(command)).clicked() {
                actions.push(Action::Run(command));
                ui.close();
            }
        }
    });
}

fn cell_ui(ui: &Ui, cell: Rect, column: LibraryColumn, row: &ItemRow) {
    let colors = tokens(ui);
    let plain = if row.selected {
        colors.text_strong
    } else {
        colors.text
    };
    match column {
        LibraryColumn::Status => widgets::paint_status(ui, cell, row.status),
        LibraryColumn::Kind => {
            let icon = (icons::kind(row.kind), colors.muted);
            widgets::paint_icon_word(ui, cell, icon, (&row.kind_word, plain));
        }
        LibraryColumn::Id => data_cell(ui, cell, &row.label, colors.text_strong),
        LibraryColumn::Set => word_cell(ui, cell, &row.set, plain),
        LibraryColumn::Tools => tools_cell(ui, cell, &row.tools, plain),
        LibraryColumn::Model => word_cell(ui, cell, &row.model, plain),
        LibraryColumn::RecordedAt => data_cell(ui, cell, &row.recorded_at, plain),
        LibraryColumn::Problems => problems_cell(ui, cell, &row.problems),
    }
}

fn word_cell(ui: &Ui, cell: Rect, text: &str, color: Color32) {
    let line = widgets::line(ui, text, theme::regular(theme::ROW), color, cell.width());
    widgets::paint_line(ui.painter(), cell.left_center(), line);
}

fn data_cell(ui: &Ui, cell: Rect, text: &str, color: Color32) {
    let line = widgets::line(ui, text, theme::mono(theme::LABEL), color, cell.width());
    widgets::paint_line(ui.painter(), cell.left_center(), line);
}

fn problems_cell(ui: &Ui, cell: Rect, problems: &[(Severity, usize)]) {
    let mut rest = cell.with_max_x(cell.right() + theme::GAP);
    // The most severe first; if there is no room, only the least severe are omitted.
    for (severity, count) in problems {
        if rest.width() < 2.0 * theme::ICON {
            return;
        }
        rest.min.x = widgets::paint_severity_count(ui, rest, *severity, *count) + theme::GAP;
    }
}

/// Paints tools into a row's cell.
pub(crate) fn tools_cell(ui: &Ui, cell: Rect, tools: &ToolsCell, plain: Color32) {
    let colors = tokens(ui);
    let mut rest = cell;
    if tools.more > 0 {
        // Reserves room for the count first, because it must not be cut off.
        let more = format!("+{}", tools.more);
        let font = theme::regular(theme::LABEL);
        let line = widgets::line(ui, &more, font, colors.muted, cell.width());
        rest.max.x -= line.size().x + theme::GAP;
        let end = paint_tools(ui, rest, tools, plain);
        let at = pos2(end.min(cell.right() - line.size().x), cell.center().y);
        widgets::paint_line(ui.painter(), at, line);
    } else {
        paint_tools(ui, rest, tools, plain);
    }
}

/// Paints the tools that fit. Returns where the remaining room begins.
fn paint_tools(ui: &Ui, mut rest: Rect, tools: &ToolsCell, plain: Color32) -> f32 {
    let muted = tokens(ui).muted;
    for (icon, names) in &tools.shown {
        if rest.width() < theme::ICON * 2.0 {
            break;
        }
        let end = widgets::paint_icon_word(ui, rest, (icon, muted), (names, plain));
        rest.min.x = end + theme::GAP;
    }
    rest.min.x
}

fn group_ui(ui: &mut Ui, group: &LibraryGroup, actions: &mut Vec<Action>) {
    let LibraryGroup {
        name,
        count,
        statuses,
        folded,
    } = group;
    let response = widgets::row(ui, theme::ROW_HEIGHT, RowSelection::None, name);
    let colors = tokens(ui);
    if !response.hovered() {
        ui.painter().rect_filled(response.rect, 0.0, colors.raised);
    }
    let inner = response.rect.shrink2(vec2(theme::PADDING, 0.0));
    let chevron = if *folded {
        icons::CHEVRON_RIGHT
    } else {
        icons::CHEVRON_DOWN
    };
    let center = inner.left_center() + vec2(theme::ICON / 2.0, 0.0);
    widgets::paint_icon(ui.painter(), center, chevron, theme::ICON, colors.muted);
    let words = StyledText::new()
        .with(
            &crate::text::visible(name),
            theme::mono(theme::LABEL),
            colors.text_strong,
        )
        .after(
            theme::GAP,
            &thousands(*count),
            theme::regular(theme::LABEL),
            colors.muted,
        );
    let left = inner.left() + theme::INDENT;
    let line = words.galley(ui, inner.width() * 0.6);
    let taken = left + line.size().x + theme::PADDING;
    widgets::paint_line(ui.painter(), pos2(left, inner.center().y), line);
    group_statuses(ui, inner.with_min_x(taken), statuses);
    if response.clicked() {
        actions.push(Action::ToggleGroup(name.clone()));
    }
    widgets::context_menu(&response, |ui| {
        let words = "Stamp recordings with their source…";
        if widgets::menu_item(ui, icons::STAMP, words, &[], None).clicked() {
            actions.push(Action::StampGroup(name.clone()));
            ui.close();
        }
    });
}

/// Paints the statuses of a group's items, from the right edge as far as there is room.
fn group_statuses(ui: &Ui, rect: Rect, statuses: &[(ItemStatus, usize)]) {
    let colors = tokens(ui);
    let mut right = rect.right();
    for (status, count) in statuses.iter().rev() {
        let (icon, tone) = widgets::status_look(*status);
        let words = format!("{} {}", thousands(*count), status.label().to_lowercase());
        let (color, word) = match tone {
            Tone::Plain => (colors.muted, colors.text),
            Tone::Good => (colors.tone(tone), colors.text),
            tone => (colors.tone(tone), colors.tone(tone)),
        };
        let font = theme::regular(theme::ROW);
        let line = widgets::line(ui, &words, font, word, f32::INFINITY);
        let left = right - line.size().x - theme::ICON - theme::ICON_GAP;
        if left < rect.left() {
            return;
        }
        let cell = Rect::from_x_y_ranges(left..=right + 1.0, rect.y_range());
        widgets::paint_icon_word(ui, cell, (icon, color), (&words, word));
        right = left - theme::SECTION_GAP;
    }
}

fn empty_ui(ui: &mut Ui, data: &LibraryData<'_>, actions: &mut Vec<Action>) {
    if data.reading {
        widgets::skeleton_rows(ui, 8, theme::ROW_HEIGHT);
        return;
    }
    let (_, all) = data.counts();
    let (sentence, command) = match all {
        0 => (
            "No recordings, sessions, tapes or seeds found.",
            Command::OpenFolder,
        ),
        _ => ("No items match the filter.", Command::ClearFilter),
    };
    if widgets::empty_state(ui, sentence, Some(command.name())) {
        actions.push(Action::Run(command));
    }
}
