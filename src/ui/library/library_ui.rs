//! Paints the library: filter, quick filters, and the table. Only the rows on screen get a layout.

use std::sync::Arc;

use egui::{
    Color32, Pos2, Rangef, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};

use super::filter_ui::{FilterView, filter_ui};
use super::header_ui::{FindingsView, header_ui};
use super::library_data::{
    AlikeCall, LibraryData, ProblemLabel, SummaryCell, UnsavedState, call_status, call_tokens,
    folder_of, short_label, status_label, to_the_minute, token_count, tool_count,
};
use calls::{CallRow, Item, ItemStatus};
use document::call::CallFailure;
use document::text::{listed, thousands, visible};
use document::{Problem, Severity};
use protocol::{CassettePlayer, DocId, Grouping, LibraryColumn, LibraryGroup, LibraryRow};
use widgets::icons;
use widgets::theme::{self, Tokens, Tone, tokens};
use widgets::{
    Column, Columns, Line, List, PlacedColumns, Row, RowSelection, RowShape, RowSlot, Sorted,
    StyledText,
};
use workbench::{Action, Actions, Command, PlaybackAction};

type LibraryColumns = PlacedColumns<'static, LibraryColumn>;

/// Size of the sign on an unsaved row, small enough for the padding that contains it.
const MARK_SIZE: f32 = 10.0;

/// From the chevron of a row to the icon of its kind.
const KIND_OFFSET: f32 = 18.0;

/// Width of the line that joins calls which match alike.
const GROUP_LINE_WIDTH: f32 = 2.0;

/// State of the library view that is kept between frames.
#[derive(Debug, Default)]
pub struct LibraryView {
    filter: FilterView,
    findings: FindingsView,
}

/// Draws the library. User input becomes an [`Action`].
pub fn library_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    view: &mut LibraryView,
    actions: &mut Actions,
) {
    ui.spacing_mut().item_spacing.y = 0.0;
    filter_ui(ui, data, &mut view.filter, actions);
    // Before the header, whose note names the hidden columns.
    let columns = place_columns(ui, data);
    let (note, is_needed) = note_of(data, &columns);
    header_ui(ui, data, (&*note, is_needed), &mut view.findings, actions);
    table_ui(ui, data, &columns, actions);
}

/// Places the columns; in a narrow table, some are hidden. In a list of cassettes, what they have in common is left out, and problems
/// are written out.
fn place_columns(ui: &Ui, data: &LibraryData<'_>) -> LibraryColumns {
    use LibraryColumn::{Answer, Id, Model, Problems, RecordedAt, Set, Status, Tokens, Tools};
    let (grouping, totals) = (data.list.grouping, data.list.listing.totals);
    let column = |key: LibraryColumn, width| Column::new(key, key.name(), width);
    let number = |key, width| column(key, width).gap(theme::PADDING).at_right();
    // Headings of groups already name the set.
    let set = (grouping != Grouping::Folder).then(|| column(Set, 116.0));
    let columns = if data.lists_cassettes() {
        let columns = [
            Some(Column::new(Id, "Cassette and call", 248.0)),
            set,
            Some(column(Model, 136.0)),
            Some(number(Tools, 60.0)),
            Some(Column::rest(Answer, "Tool called, or first words", 120.0)),
            Some(column(Status, 56.0)),
            Some(number(Tokens, 96.0)),
            Some(column(Problems, 200.0)),
        ];
        Columns::new("cassettes", &columns.into_iter().flatten().collect::<Vec<_>>())
            .hide(&[(Set, 120.0), (Tools, 120.0), (Model, 120.0), (Tokens, 84.0)])
            .grow(Id, 230.0, 420.0)
    } else {
        let columns = [
            Some(column(Status, 132.0 + indent_of(grouping))),
            Some(column(Id, 168.0)),
            set,
            Some(Column::rest(Answer, Answer.name(), 0.0)),
            // A column without a value in any row would only take room.
            (totals.models > 0).then(|| column(Model, 120.0)),
            Some(column(RecordedAt, 132.0)),
            (totals.tokens > 0).then(|| column(Tokens, 96.0)),
            Some(column(Problems, 80.0)),
        ];
        Columns::new("library", &columns.into_iter().flatten().collect::<Vec<_>>())
            .hide(&[(Model, 300.0), (Set, 160.0), (RecordedAt, 132.0), (Answer, 84.0)])
            .grow(Id, 360.0, 400.0)
    };
    let left = ui.max_rect().left() + theme::PADDING;
    columns.place(ui, left, ui.available_width() - theme::PADDING)
}

/// Returns the indentation of rows below a heading.
fn indent_of(grouping: Grouping) -> f32 {
    if grouping == Grouping::None { 0.0 } else { theme::INDENT }
}

/// Says what is marked and else which columns are hidden, and whether this has to be shown.
fn note_of(data: &LibraryData<'_>, columns: &LibraryColumns) -> (String, bool) {
    let note = match (data.list.marked, data.list.target()) {
        (None, _) => return (hidden_columns_label(columns), false),
        (Some(marked_id), Some((selected_id, _))) if selected_id != marked_id => {
            "A and B can be compared"
        }
        (Some(_), _) => "A is marked, select B",
    };
    (note.to_owned(), true)
}

/// Returns which columns are hidden: `Model, set hidden`.
fn hidden_columns_label(columns: &LibraryColumns) -> String {
    let names: Vec<String> = columns
        .hidden
        .iter()
        .enumerate()
        .map(|(index, column)| match index {
            0 => column.name.to_owned(),
            _ => column.name.to_lowercase(),
        })
        .collect();
    if names.is_empty() { String::new() } else { format!("{} hidden", names.join(", ")) }
}

fn table_ui(ui: &mut Ui, data: &LibraryData<'_>, columns: &LibraryColumns, actions: &mut Actions) {
    if data.counts().1 == 0 {
        return empty_ui(ui, data, actions);
    }
    let sort = data.list.sort;
    let order = if sort.descending { Sorted::Down } else { Sorted::Up };
    if let Some(column) = columns.heading(ui, Some((sort.column, order))) {
        actions.push(Action::SortBy(column));
    }
    if data.list.listing.rows.is_empty() {
        return empty_ui(ui, data, actions);
    }
    List::new("Items", &RowShape::ONE_LINE, data.list.listing.rows.len())
        .selection(data.list.target(), |target| data.list.listing.row_of_target(target))
        .levels(&|row| match data.list.listing.rows[row] {
            LibraryRow::Group(_) => 0,
            LibraryRow::Item(_) => 1,
            LibraryRow::Call(..) => 2,
        })
        .show(ui, |slot| match &data.list.listing.rows[slot.index] {
            LibraryRow::Item(doc) => item_ui(slot, data, *doc, columns, actions),
            LibraryRow::Call(doc, call) => call_ui(slot, data, (*doc, *call), columns, actions),
            LibraryRow::Group(group) => group_ui(slot, data, group, actions),
        });
}

/// Fonts and colours of the cells of a row.
struct CellStyle {
    colors: &'static Tokens,
    /// The colour of what is neither muted nor wrong.
    plain: Color32,
    is_cassette: bool,
}

impl CellStyle {
    fn new(ui: &Ui, data: &LibraryData<'_>, is_selected: bool) -> Self {
        let colors = tokens(ui);
        let plain = if is_selected { colors.text_strong } else { colors.text };
        Self { colors, plain, is_cassette: data.lists_cassettes() }
    }

    fn word(&self, text: &str) -> Line {
        Line::new(text, theme::regular(theme::ROW), self.plain)
    }

    fn mono(&self, text: &str) -> Line {
        Line::new(text, theme::mono(theme::LABEL), self.plain)
    }

    /// A number, which is at the right edge in a list of cassettes.
    fn number(&self, text: &str) -> Line {
        if self.is_cassette {
            Line::number(text, theme::mono(theme::LABEL), self.plain)
        } else {
            self.mono(text)
        }
    }
}

/// Returns the content of a cell of an item; `None` if it is empty.
fn item_cell(
    data: &LibraryData<'_>,
    item: &Item,
    fold_state: Option<bool>,
    column: LibraryColumn,
    style: &CellStyle,
) -> Option<Line> {
    use LibraryColumn::{Answer, Id, Model, Problems, RecordedAt, Set, Status, Tokens, Tools};
    let colors = style.colors;
    Some(match column {
        // Calls have a status, and problems are written out.
        Status if style.is_cassette => return None,
        Status => Line::status_with(item.status(), &status_label(item), colors),
        Tools => return None,
        Id => {
            let icon = match fold_state {
                Some(true) => icons::CHEVRON_DOWN,
                Some(false) => icons::CHEVRON_RIGHT,
                None => icons::kind(item.kind),
            };
            let line = Line::new(&short_label(item), theme::mono(theme::LABEL), colors.text_strong)
                .icon(icon, colors.muted)
                // Labels of a set often differ only at their ends.
                .elide_middle();
            if fold_state.is_some() && style.is_cassette {
                line.indent(KIND_OFFSET + theme::INDENT)
            } else {
                line
            }
        }
        Answer => summary_line(&SummaryCell::of_item(item, style.is_cassette), style),
        Set => style.word(&visible(item.set())),
        Model => style.word(&visible(&item.models().join(", "))),
        RecordedAt => style.mono(&to_the_minute(item.recorded_at.as_deref())),
        Tokens => style.number(&item.tokens().map(token_count).unwrap_or_default()),
        Problems => problem_line(&data.worst_of(item, item.problems.iter())?, colors),
    })
}

fn item_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    doc: DocId,
    columns: &LibraryColumns,
    actions: &mut Actions,
) {
    let Some(item) = data.library.get(doc) else { return };
    let is_selected = data.list.target() == Some((doc, None));
    let style = CellStyle::new(slot.ui, data, is_selected);
    let colors = style.colors;
    let fold_state = (!item.calls.is_empty()).then(|| data.list.unfolded.contains(&doc));
    let side = data.side(doc);
    let unsaved = data.library.copy(doc).and_then(UnsavedState::new);
    let worst = data.worst_of(item, item.problems.iter());
    let status = worst.map_or_else(|| status_label(item), |worst| worst.label);
    let mut name = format!("{}, {}, {status}", visible(item.label()), item.kind.as_str());
    if let Some(side) = side {
        name = format!("{name}, {side} of the comparison");
    }
    if let Some(unsaved) = unsaved {
        name = format!("{name}, {}", unsaved.label());
    }
    let mut row = Row::new(name).selection(match (is_selected, side.is_some()) {
        (true, _) => RowSelection::Selected,
        (false, true) => RowSelection::SelectedAway,
        (false, false) => RowSelection::None,
    });
    if let Some(is_unfolded) = fold_state {
        row = row.unfolds(is_unfolded);
    }
    for (column, mut x) in columns.cells() {
        if column == LibraryColumn::Status {
            x.min += indent_of(data.list.grouping);
        }
        if let Some(line) = item_cell(data, item, fold_state, column, &style) {
            row = row.cell(x).line(line);
        }
    }
    let response = slot.show(row);
    let id = columns.cell(LibraryColumn::Id).min;
    if fold_state.is_some() && style.is_cassette {
        let center = pos2(id + KIND_OFFSET + theme::ICON / 2.0, slot.rect.center().y);
        let icon = icons::kind(item.kind);
        widgets::paint_icon(slot.ui.painter(), center, icon, theme::ICON, colors.muted);
    }
    let center = slot.rect.left_center() + vec2(9.0, 0.0);
    let mark = |icon, color| widgets::paint_icon(slot.ui.painter(), center, icon, MARK_SIZE, color);
    match (side, unsaved) {
        (Some(side), _) => side_ui(slot.ui, center, side),
        (None, Some(UnsavedState::Edited)) => mark(icons::CIRCLE_DOT, colors.accent),
        (None, Some(UnsavedState::InConflict)) => mark(icons::REFRESH_CW, colors.note),
        (None, None) => {}
    }
    if !style.is_cassette {
        let cell = columns.cell(LibraryColumn::Problems);
        problems_cell(slot.ui, Rect::from_x_y_ranges(cell, slot.rect.y_range()), item);
    }
    // A click on the chevron must not select the row as well.
    let chevron = Rangef::new(id - theme::ICON_GAP, id + theme::INDENT);
    let is_chevron = |response: &Response| {
        let position = response.interact_pointer_pos();
        response.clicked() && position.is_some_and(|p| chevron.contains(p.x))
    };
    if slot.is_toggled || fold_state.is_some() && is_chevron(&response) {
        actions.push(Action::ToggleCalls(doc));
    } else {
        row_actions(data, &response, doc, actions);
    }
}

/// Paints the side of a row in a comparison, as a letter on a plate.
fn side_ui(ui: &Ui, center: Pos2, side: &str) {
    let colors = tokens(ui);
    let plate = Rect::from_center_size(center, vec2(11.0, 15.0));
    ui.painter().rect_filled(plate, 3.0, colors.accent);
    let font = theme::mono_bold(theme::LABEL);
    let letter = widgets::line(ui, side, font, colors.desk, plate.width());
    let left = center.x - letter.size().x / 2.0;
    widgets::paint_line(ui.painter(), pos2(left, center.y), letter);
}

/// Returns the content of a cell of a call; `None` if it is empty.
fn call_cell(
    data: &LibraryData<'_>,
    (number, call): (usize, &CallRow),
    (worst, alike): (Option<&ProblemLabel>, Option<&AlikeCall>),
    column: LibraryColumn,
    style: &CellStyle,
) -> Option<Line> {
    use LibraryColumn::{Answer, Id, Model, Problems, RecordedAt, Set, Status, Tokens, Tools};
    let colors = style.colors;
    let text_line =
        |text: &Option<Arc<str>>| style.word(&visible(text.as_deref().unwrap_or_default()));
    Some(match column {
        Status => {
            let is_failed = call.failure.is_some_and(CallFailure::is_of_call);
            let (font, color) = if style.is_cassette {
                (theme::mono(theme::LABEL), style.plain)
            } else {
                (theme::regular(theme::ROW), colors.muted)
            };
            let status = call_status(call);
            // The column of cassettes has only numbers of HTTP, and room for no more.
            let prefix = if style.is_cassette { "HTTP " } else { "" };
            let status = status.strip_prefix(prefix).unwrap_or(&status);
            Line::new(status, font, if is_failed { colors.error } else { color })
        }
        Tools => Line::number(&tool_count(call), theme::mono(theme::LABEL), style.plain),
        Id => match &*data.api(call) {
            "" => style.mono(&format!("Call {number}")),
            api if style.is_cassette => {
                let (mono, word) = (theme::mono(theme::LABEL), theme::regular(theme::ROW));
                let text = StyledText::new().with(&number.to_string(), mono, colors.muted);
                Line::from(text.after(theme::GAP, api, word, style.plain))
            }
            api => style.word(&format!("{number} {api}")),
        },
        Answer => {
            let mut summary = SummaryCell::new(&call.summary);
            if style.is_cassette && summary.tool.is_some() {
                summary = SummaryCell { tool: summary.tool, ..SummaryCell::default() };
            }
            summary_line(&summary, style)
        }
        Set => text_line(&call.provider),
        Model => text_line(&call.model),
        RecordedAt => style.mono(&to_the_minute(call.started_at.as_deref())),
        Tokens => style.number(&call_tokens(call)),
        Problems => match worst {
            Some(worst) => problem_line(worst, colors),
            None => {
                let label = alike.filter(|_| style.is_cassette)?.label.as_ref()?;
                Line::new(label, theme::regular(theme::ROW), colors.muted).indent(theme::INDENT)
            }
        },
    })
}

/// Draws the row of a call, indented below its file.
fn call_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    (doc, index): (DocId, usize),
    columns: &LibraryColumns,
    actions: &mut Actions,
) {
    let Some(item) = data.library.get(doc) else { return };
    let Some(call) = item.calls.get(index) else { return };
    let is_selected = data.list.target() == Some((doc, Some(index)));
    let style = CellStyle::new(slot.ui, data, is_selected);
    // Problems of several calls are shown by the line that joins them.
    let is_own = |problem: &&Problem| problem.calls.is_none() && call.has_problem(problem);
    let worst =
        // The only problem of a file is already in the row of the file.
        data.worst_of(item, item.problems.iter().filter(is_own)).filter(|_| item.problems.len() > 1);
    let alike = AlikeCall::new(item, index);
    let number = index + 1;
    let mut name = format!("Call {number}, {}", visible(call.summary.label()));
    if let Some(alike) = alike.as_ref().and_then(|alike| alike.label.as_ref()) {
        name = format!("{name}, {alike}");
    }
    let mut row = Row::new(name).selected(is_selected);
    for (column, mut x) in columns.cells() {
        if column == LibraryColumn::Id {
            x.min += theme::INDENT;
        }
        let marks = (worst.as_ref(), alike.as_ref());
        if let Some(line) = call_cell(data, (number, call), marks, column, &style) {
            row = row.cell(x).line(line);
        }
    }
    let response = slot.show(row);
    if let Some(alike) = alike.filter(|_| style.is_cassette) {
        let cell = columns.cell(LibraryColumn::Problems);
        // The line is beside the icon of a problem, or in its place if there is none.
        let offset = if worst.is_some() { -GROUP_LINE_WIDTH } else { theme::ICON / 2.0 };
        let (joins_above, joins_below) = alike.neighbors;
        let end = |joins: bool| if joins { 0.0 } else { theme::ICON_GAP };
        let y =
            Rangef::new(slot.rect.top() + end(joins_above), slot.rect.bottom() - end(joins_below));
        let stroke = Stroke::new(GROUP_LINE_WIDTH, style.colors.tone(Tone::Warning));
        slot.ui.painter().vline(cell.min + offset, y, stroke);
    }
    if response.clicked() || response.secondary_clicked() {
        actions.push(Action::SelectCall(doc, index));
    }
    widgets::context_menu(&response, |ui| {
        widgets::menu_run(ui, Command::CopyLink, Ok(()), actions);
    });
}

/// Returns the icon of a problem, its label, and how many others there are.
fn problem_line(problem: &ProblemLabel, colors: &Tokens) -> Line {
    let color = colors.tone(widgets::severity_tone(problem.severity));
    let mut text = StyledText::new().with(&problem.label, theme::regular(theme::ROW), color);
    if problem.others > 0 {
        let others = format!("+{}", thousands(problem.others));
        text = text.after(theme::ICON_GAP, &others, theme::regular(theme::LABEL), colors.muted);
    }
    Line::from(text).icon(icons::severity(problem.severity), color)
}

/// The tool that is called and the first words, or what else describes an item.
fn summary_line(cell: &SummaryCell, style: &CellStyle) -> Line {
    let CellStyle { colors, plain, .. } = *style;
    let font = theme::regular(theme::ROW);
    let mut text = StyledText::new();
    let mut gap = 0.0;
    let parts = [
        (&cell.kind, font.clone(), colors.muted),
        (&cell.fault, theme::mono(theme::LABEL), colors.error),
    ];
    for (words, font, color) in parts.into_iter().filter(|(words, ..)| !words.is_empty()) {
        text = text.after(gap, words, font, color);
        gap = theme::ICON_GAP;
    }
    if let Some((_, name)) = &cell.tool {
        text = text.after(gap, name, theme::medium(theme::ROW), plain);
        gap = theme::ICON_GAP;
    }
    let line = Line::from(text.after(gap, &cell.words, font, colors.text));
    match cell.tool {
        Some((icon, _)) => line.icon(icon, colors.muted).indent(theme::ICON + theme::ICON_GAP),
        None => line,
    }
}

fn row_actions(data: &LibraryData<'_>, response: &Response, doc: DocId, actions: &mut Actions) {
    if response.clicked() {
        let is_command_held = response.ctx.input(|input| input.modifiers.command);
        actions.push(if is_command_held { Action::ToggleMark(doc) } else { Action::Select(doc) });
    }
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
    if response.secondary_clicked() {
        actions.push(Action::Select(doc));
    }
    widgets::context_menu(response, |ui| {
        let commands = [
            Command::CompareSource,
            Command::CompareSelected,
            Command::MarkSelected,
            Command::Stamp,
            Command::RegenerateSelected,
            Command::PlaySet,
            Command::CheckSet,
            Command::ServeFromSet,
            Command::CopyPath,
            Command::CopyLink,
            Command::Save,
            Command::SaveAs,
            Command::Revert,
        ];
        // Without an editor, it is only a line too many.
        let in_editor =
            Some(Command::OpenInEditor).filter(|command| data.enabled(*command).is_ok());
        for command in commands.into_iter().chain(in_editor) {
            widgets::menu_run(ui, command, data.enabled(command), actions);
        }
    });
}

fn problems_cell(ui: &Ui, cell: Rect, item: &Item) {
    let mut rest = cell.with_max_x(cell.right() + theme::GAP);
    // The most severe first; if there is no room, only the least severe are omitted.
    let counts = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| (severity, item.count(severity)));
    for (severity, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        if rest.width() < 2.0 * theme::ICON {
            return;
        }
        rest.min.x = widgets::paint_severity_count(ui, rest, severity, count) + theme::GAP;
    }
}

fn group_ui(
    slot: &mut RowSlot<'_>,
    data: &LibraryData<'_>,
    group: &LibraryGroup,
    actions: &mut Actions,
) {
    let LibraryGroup { name, count, statuses, players, folded } = group;
    let colors = tokens(slot.ui);
    let (mono, label) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let path = match data.library.shown_path(name) {
        "" => ".",
        path => path,
    };
    let words = StyledText::new()
        .with(&document::text::visible(path), mono, colors.text_strong)
        .after(theme::GAP, &thousands(*count), label, colors.muted);
    let inner = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
    let (left, room) = (inner.left() + theme::INDENT, inner.width() * 0.6);
    let words_right = left + words.clone().galley(slot.ui, room).size().x + theme::PADDING;
    let verdict = data.verdict(name);
    let players = players_label(players).filter(|_| data.lists_cassettes());
    let name_of_row = match &players {
        Some(players) => format!("{path}, {players}"),
        None => path.to_owned(),
    };
    let row = Row::new(name_of_row)
        .expanded(!folded)
        .fill(colors.raised)
        .cell(Rangef::new(left, left + room))
        .line(words);
    let response = slot.show(row);
    let mut rest = inner.with_min_x(words_right);
    if let Some(verdict) = verdict {
        let (icon, tone) = widgets::outcome_style(verdict.verdict.status);
        let label = verdict.label();
        let word_color = if tone == Tone::Good { colors.text } else { colors.tone(tone) };
        let icon = (icon, colors.tone(tone));
        let end = widgets::paint_icon_word(slot.ui, rest, icon, (&label, word_color));
        let cell = rest.with_max_x(end);
        let cell = slot.ui.interact(cell, response.id.with("verdict"), Sense::hover());
        cell.widget_info(|| WidgetInfo::labeled(Role::Label, true, format!("{path}, {label}")));
        widgets::tip(cell, &verdict.describe(), &[] as &[&str]);
        rest.min.x = end + theme::SECTION_GAP;
    }
    match players {
        Some(players) => {
            let font = theme::regular(theme::LABEL);
            let line = widgets::line(slot.ui, &players, font, colors.muted, rest.width());
            widgets::paint_line_right(slot.ui.painter(), rest.right_center(), line);
        }
        None => group_statuses(slot.ui, rest, statuses),
    }
    widgets::on_click(&response, Action::ToggleGroup(name.clone()), actions);
    widgets::context_menu(&response, |ui| {
        let play = Command::PlaySet;
        if verdict.is_some() && widgets::menu_action(ui, icons::command(play), play.name(), None) {
            actions.push(Action::from(PlaybackAction::PlaySet(folder_of(name).into())));
        }
        if widgets::menu_action(ui, icons::STAMP, "Stamp recordings with their source…", None) {
            actions.push(Action::StampGroup(name.clone()));
        }
    });
}

/// Returns the programs that play the cassettes of a folder and their matchers: `vcrpy, match_on from conftest.py`, or
/// `ruby-vcr, settings not read`.
fn players_label(players: &[CassettePlayer]) -> Option<String> {
    let mut names: Vec<&str> = players.iter().map(|player| player.client.as_str()).collect();
    names.dedup();
    let origin = |player: &CassettePlayer| match &player.matchers {
        None if player.client.has_read_settings() => "default matchers".to_owned(),
        None => "settings not read".to_owned(),
        Some(path) => {
            format!("match_on from {}", visible(path.rsplit('/').next().unwrap_or(path)))
        }
    };
    let first = players.iter().next().map(origin)?;
    let are_equal = players.iter().all(|player| origin(player) == first);
    // A heading has no room for several matchers.
    let matchers = if are_equal { &first } else { "several matchers" };
    Some(format!("{}, {matchers}", listed(&names)))
}

/// Paints the statuses of a group's items, from the right edge as far as there is room.
fn group_statuses(ui: &Ui, rect: Rect, statuses: &[(ItemStatus, usize)]) {
    let colors = tokens(ui);
    let mut right = rect.right();
    for (status, count) in statuses.iter().rev() {
        let (icon, tone) = widgets::status_look(*status);
        let words = format!("{} {}", thousands(*count), status.label().to_lowercase());
        let (color, word_color) = match tone {
            Tone::Plain => (colors.muted, colors.text),
            Tone::Good => (colors.tone(tone), colors.text),
            tone => (colors.tone(tone), colors.tone(tone)),
        };
        let line = widgets::line(ui, &words, theme::regular(theme::ROW), word_color, f32::INFINITY);
        let left = right - line.size().x - theme::ICON - theme::ICON_GAP;
        if left < rect.left() {
            return;
        }
        let cell = Rect::from_x_y_ranges(left..=right + 1.0, rect.y_range());
        widgets::paint_icon_word(ui, cell, (icon, color), (&words, word_color));
        right = left - theme::SECTION_GAP;
    }
}

fn empty_ui(ui: &mut Ui, data: &LibraryData<'_>, actions: &mut Actions) {
    // Until everything is read or searched, an empty list says nothing.
    if data.reading || data.searching {
        return widgets::skeleton_rows(ui, 8, theme::ROW_HEIGHT);
    }
    let (_, total) = data.counts();
    let (title, sentence, command) = match total {
        0 if data.has_ignored => (
            "Nothing found",
            "Files that .gitignore ignores are not listed. To list them, write gitignore = false in retake.toml.",
            Command::OpenFolder,
        ),
        0 => (
            "Nothing found",
            "This folder has no recordings, cassettes, sessions, tapes or seeds.",
            Command::OpenFolder,
        ),
        _ => ("No matches", "No items match the filter.", Command::ClearFilter),
    };
    if widgets::empty_desk(ui, (icons::LIBRARY, title), sentence, &[command.name()]).is_some() {
        actions.push(Action::Run(command));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::cassette::CassetteClient::{Cassetter, GoVcr, RubyVcr, Vcrpy};

    #[test]
    fn a_heading_says_which_settings_are_not_read() {
        let label = |players: &[(_, Option<&str>)]| {
            let players = players.iter().map(|(client, matchers)| CassettePlayer {
                client: *client,
                matchers: matchers.map(Into::into),
            });
            players_label(&players.collect::<Vec<_>>()).unwrap_or_default()
        };
        let toml = Some("a/retake.toml");
        for (players, expected) in [
            (&[][..], ""),
            (&[(Vcrpy, None)], "vcrpy, default matchers"),
            (&[(Vcrpy, None), (Cassetter, None)], "vcrpy and cassetter, default matchers"),
            (&[(RubyVcr, None)], "ruby-vcr, settings not read"),
            (&[(RubyVcr, toml)], "ruby-vcr, match_on from retake.toml"),
            (&[(GoVcr, None), (RubyVcr, None)], "go-vcr and ruby-vcr, settings not read"),
            (&[(Vcrpy, None), (RubyVcr, None)], "vcrpy and ruby-vcr, several matchers"),
            (&[(Vcrpy, toml), (Vcrpy, Some("conftest.py"))], "vcrpy, several matchers"),
        ] {
            assert_eq!(label(players), expected);
        }
    }
}
