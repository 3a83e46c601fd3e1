//! Paints a whole run: its causes with their failures, and at the right the selected cause.

use egui::{Rangef, Rect, ScrollArea, Sense, Ui, pos2, vec2};

use super::call_marks::CallMarks;
use super::triage_data::{BarPart, CauseDetail, Evidence, RunRow, TriageData};
use super::value_ui::value_ui;
use document::diff::Side;
use document::text::{thousands, visible};
use widgets::code::sentence;
use widgets::theme::{self, tokens};
use widgets::{
    Button, DistinctName, Headline, Line, List, Row, RowSelection, RowShape, RowSlot, SidePanel,
    StyledText, icons,
};
use workbench::{
    Action, Actions, Command, TriageAction, TriageDesk, TriageState, Unfolding, Workbench,
};

/// Below this width of the desk the selected cause is below the list.
const SIDE_PANEL_MIN_WIDTH: f32 = 760.0;
/// Height of the panel below the list.
const BOTTOM_PANEL_HEIGHT: f32 = 176.0;
/// Height of the row with the bar of causes.
const BAR_ROW_HEIGHT: f32 = 44.0;
const CAUSE_ROW_HEIGHT: f32 = 40.0;
const FAILURE_ROW_HEIGHT: f32 = 26.0;
/// Left edge of the names of tests, below the title of their cause.
const NAME_LEFT: f32 = 40.0;
/// Column of the failing calls: its width, and the room at its right for the calls that were not reached.
const COLUMN_WIDTH: f32 = 28.0;
const UNREACHED_WIDTH: f32 = 166.0;
/// Room for the link at the end of a row.
const OPEN_WIDTH: f32 = 52.0;
/// Largest share of a row that this room takes in a narrow window.
const UNREACHED_SHARE: f32 = 0.2;

const CAUSE_ROW: RowShape =
    RowShape { height: CAUSE_ROW_HEIGHT, lines: &[CAUSE_ROW_HEIGHT / 2.0], ..RowShape::ONE_LINE };

/// Draws the view. User input becomes an [`Action`].
pub fn triage_ui(ui: &mut Ui, workbench: &Workbench, data: &mut TriageData, actions: &mut Actions) {
    data.update(workbench);
    let (desk, data) = (&workbench.triage, &*data);
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if desk.state != TriageState::Ready {
        return waiting_ui(ui, desk, actions);
    }
    let panel = SidePanel::right("cause of the run", 448.0, 300.0..=640.0);
    let below = ("cause of the run below", BOTTOM_PANEL_HEIGHT);
    panel.show_or_below(ui, SIDE_PANEL_MIN_WIDTH, below, |ui| {
        detail_ui(ui, desk, &data.detail, actions);
    });
    head_ui(ui, data, actions);
    bar_ui(ui, data);
    rows_ui(ui, desk, data, actions);
}

/// Draws the placeholder before there are causes.
fn waiting_ui(ui: &mut Ui, desk: &TriageDesk, actions: &mut Actions) {
    let name = desk.run.as_ref().map_or("", |run| &run.name);
    let heading = |title| (icons::LIST_TREE, title);
    let click = match &desk.state {
        TriageState::Reading | TriageState::Ready => {
            let words = format!("Playing the failures of {} again in their sets.", visible(name));
            widgets::empty_desk(ui, heading("Looking for the causes…"), &words, &[])
        }
        TriageState::Passed(count) => {
            let sentence = match count {
                1 => "1 test passed".to_owned(),
                count => format!("All {} tests passed", thousands(*count)),
            };
            Headline::good(&sentence).show(ui, None);
            None
        }
        TriageState::Failed(reason) => {
            let labels = [Command::TriageRun.name()];
            widgets::empty_desk(ui, heading("No failure to triage"), &visible(reason), &labels)
        }
        TriageState::Nothing => {
            let words = "Paste the log of a run, or drop its logs and JUnit reports on the window.";
            let labels = [Command::TriageRun.name()];
            widgets::empty_desk(ui, heading("No run was read yet"), words, &labels)
        }
    };
    if click.is_some() {
        actions.push(Action::Run(Command::TriageRun));
    }
}

fn head_ui(ui: &mut Ui, data: &TriageData, actions: &mut Actions) {
    widgets::header(ui, actions, run_menu, |ui, _| {
        widgets::title(ui, &data.title);
        StyledText::of(&data.note, tokens(ui).muted_body()).show(ui);
    });
}

/// Adds the menu of what is done with a whole run.
pub(super) fn run_menu(ui: &mut Ui, actions: &mut Actions) {
    widgets::view_menu(ui, |ui| {
        for command in [Command::FixAllCauses, Command::ShareRun, Command::TriageRun] {
            widgets::menu_run(ui, command, Ok(()), actions);
        }
    });
}

/// Draws the causes as parts of a bar, as long as they have failures.
fn bar_ui(ui: &mut Ui, data: &TriageData) {
    let colors = tokens(ui);
    let (row, response) = widgets::allocate_row(ui, BAR_ROW_HEIGHT, Sense::hover());
    widgets::line_below(ui, row);
    let inner = row.shrink2(vec2(theme::PADDING, 0.0));
    let mut end = inner.right();
    if !data.progress.is_empty() {
        widgets::describe(&response, egui::Role::Label, &data.progress);
        let (solved, left) = data.progress.split_once(',').unwrap_or((&data.progress, ""));
        let left = if left.is_empty() { String::new() } else { format!(",{left}") };
        let text = StyledText::of(solved, colors.heading()).add(&left, colors.body());
        let line = Line::from(text);
        let left = inner.right() - line.width(ui);
        line.show_in(ui, inner.with_min_x(left));
        end = left - theme::PADDING;
    }
    let parts = data.bar.iter().map(|BarPart { count, is_solved, is_selected }| {
        let color = if *is_solved { colors.good.gamma_multiply(0.5) } else { colors.error };
        (*count, color, *is_selected)
    });
    let y = inner.center().y - 4.0..=inner.center().y + 4.0;
    let bar = Rect::from_x_y_ranges(inner.left()..=end, y);
    widgets::share_bar(ui, bar, &parts.collect::<Vec<_>>());
}

fn rows_ui(ui: &mut Ui, desk: &TriageDesk, data: &TriageData, actions: &mut Actions) {
    let rows = &data.rows;
    let mut tops = vec![0.0];
    for (index, row) in rows.iter().enumerate() {
        let ends_cause = matches!(rows.get(index + 1), None | Some(RunRow::Cause { .. }));
        let gap = if ends_cause && !matches!(row, RunRow::Cause { .. }) { 8.0 } else { 0.0 };
        let height = match row {
            RunRow::Cause { .. } => CAUSE_ROW_HEIGHT,
            _ => FAILURE_ROW_HEIGHT,
        };
        tops.push(tops[index] + height + gap);
    }
    let is_selected = |row: &RunRow| match row {
        RunRow::Cause { cause, .. } => *cause == desk.cause && desk.failure == 0,
        RunRow::Failure { failure, .. } => Some(*failure) == desk.selected(),
        RunRow::More { .. } => false,
    };
    List::new("Causes", &CAUSE_ROW, rows.len())
        .tops(&|row| tops[row])
        .selection(Some((desk.cause, desk.failure)), |_| rows.iter().position(is_selected))
        .show(ui, |slot| match &rows[slot.index] {
            RunRow::Cause { .. } => cause_ui(slot, desk, &rows[slot.index], actions),
            RunRow::Failure { .. } => {
                slot.rect.max.y = slot.rect.top() + FAILURE_ROW_HEIGHT;
                test_row_ui(slot, desk, rows, actions);
            }
            RunRow::More { cause, count } => {
                slot.rect.max.y = slot.rect.top() + FAILURE_ROW_HEIGHT;
                let colors = tokens(slot.ui);
                let words = format!("{} more", thousands(*count));
                let row = RowShape { height: FAILURE_ROW_HEIGHT, lines: &[13.0], ..CAUSE_ROW };
                let line = Line::detail(&words, colors);
                let cell = slot.rect.x_range();
                let cell = Rangef::new(cell.min + NAME_LEFT, cell.max);
                let response = slot.show_as(&row, Row::new(words).cell(cell).line(line));
                widgets::on_click(&response, TriageAction::Unfold(*cause, Unfolding::All), actions);
            }
        });
}

fn cause_ui(slot: &mut RowSlot<'_>, desk: &TriageDesk, row: &RunRow, actions: &mut Actions) {
    let RunRow::Cause { cause, title, count, is_open, is_solved } = row else { return };
    let colors = tokens(slot.ui);
    let count = thousands(*count);
    let is_selected = *cause == desk.cause;
    let name = title.replace('`', "");
    let font = theme::semibold(theme::BODY);
    let strong = colors.text_strong;
    let mut text = StyledText::from(sentence(title, font, strong, strong, f32::INFINITY))
        .with_gap(&count, colors.muted_body());
    let mut words = format!("{name}, {count}");
    if *is_solved {
        words += ", solved";
        let solved = theme::regular(theme::LABEL);
        text = text.after(theme::SECTION_GAP, "Solved", solved, colors.good);
    }
    let mut line = Line::from(text);
    if *is_solved {
        line = line.icon(icons::CIRCLE_CHECK, colors.good);
    }
    widgets::line_above(slot.ui, slot.rect);
    let row = Row::new(words).selected(is_selected).expanded(*is_open).line(line);
    let response = slot.show(row);
    if response.clicked() {
        actions.push(Action::from(TriageAction::SelectCause(*cause)));
        // The first click shows what the cause is; the next one folds it.
        if is_selected || !is_open {
            let unfolding = if *is_open { Unfolding::None } else { Unfolding::All };
            actions.push(Action::from(TriageAction::Unfold(*cause, unfolding)));
        }
    }
}

fn test_row_ui(slot: &mut RowSlot<'_>, desk: &TriageDesk, rows: &[RunRow], actions: &mut Actions) {
    let RunRow::Failure { failure, name, place, marks, is_solved, ends } = &rows[slot.index] else {
        return;
    };
    let is_selected = desk.selected() == Some(*failure);
    let solved = if *is_solved { ", solved" } else { "" };
    let calls = widgets::strip_label(&marks.blocks);
    let shape = RowShape { height: FAILURE_ROW_HEIGHT, lines: &[13.0], ..CAUSE_ROW };
    // The cause has the bar of the selection, so that the test is only lit.
    let row = Row::new(format!("{name}, {calls}{solved}")).tip(place);
    let row =
        row.selection(if is_selected { RowSelection::SelectedAway } else { RowSelection::None });
    let response = slot.show_as(&shape, row);
    widgets::on_click(&response, TriageAction::SelectFailure(*failure), actions);
    // Not *else*: the first click of the two selects the failure that is opened.
    if response.double_clicked() {
        actions.push(Action::from(TriageAction::OpenFailure));
    }
    let neighbors = [slot.index.checked_sub(1), Some(slot.index + 1)];
    let neighbors = neighbors.into_iter().flatten().filter_map(|index| match rows.get(index)? {
        RunRow::Failure { name, .. } => Some(name.as_str()),
        _ => None,
    });
    let left = slot.rect.left() + NAME_LEFT;
    let start = marks_ui(slot.ui, slot.rect, marks, (*is_solved, *ends));
    let place = slot.rect.with_min_x(left).with_max_x(start - theme::GAP);
    Line::distinct(&DistinctName::new(name, neighbors), is_selected).show_in(slot.ui, place);
    if is_selected || slot.ui.rect_contains_pointer(slot.rect) {
        let inner = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let open = |ui: &mut Ui| widgets::link(ui, "Open").clicked();
        if widgets::place_right(slot.ui, inner, open).0 {
            actions.push(Action::from(TriageAction::SelectFailure(*failure)));
            actions.push(Action::from(TriageAction::OpenFailure));
        }
    }
}

/// Paints the calls with the failing one in its column. Returns the left end of the calls.
fn marks_ui(ui: &Ui, row: Rect, marks: &CallMarks, (is_solved, ends): (bool, (bool, bool))) -> f32 {
    let colors = tokens(ui);
    let room = UNREACHED_WIDTH.min(row.width() * UNREACHED_SHARE);
    let left = row.right() - room - COLUMN_WIDTH;
    let column = Rect::from_x_y_ranges(left..=left + COLUMN_WIDTH, row.y_range());
    let tint = if is_solved { colors.added_line } else { colors.removed_line };
    widgets::column_cell(ui, column, ends, tint);
    let (before, rest) = marks.blocks.split_at(marks.failing.min(marks.blocks.len()));
    let (failing, after) = rest.split_at(rest.len().min(1));
    let y = row.center().y;
    widgets::row_strip(ui, pos2(left + 2.0, y), failing);
    let fitting = ((room - OPEN_WIDTH) / COLUMN_WIDTH) as usize;
    widgets::row_strip(ui, pos2(column.right(), y), &after[..after.len().min(fitting)]);
    let start = left - widgets::row_strip_width(before);
    widgets::row_strip(ui, pos2(start, y), before);
    start
}

fn detail_ui(ui: &mut Ui, desk: &TriageDesk, detail: &CauseDetail, actions: &mut Actions) {
    ScrollArea::vertical().id_salt(("cause", desk.cause)).auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        widgets::padded(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            sentence_ui(ui, &detail.title, theme::semibold(theme::TITLE));
            sentence_ui(ui, &detail.sentence, theme::regular(theme::BODY));
        });
        if let Some((change, note)) = &detail.change {
            widgets::hair_line(ui);
            widgets::padded(ui, |ui| widgets::heading(ui, change.icon, change.label, note));
            for side in Side::BOTH {
                value_ui(ui, change, side, 0.0);
            }
            widgets::padded(ui, |ui| {
                widgets::remark(ui, "− recorded   + sent");
            });
        }
        widgets::hair_line(ui);
        let has_buttons = !detail.fix.is_empty() || !detail.record.is_empty();
        let has_command = detail.restore.is_some() || detail.command.is_some();
        if has_buttons || has_command || detail.is_unassigned {
            widgets::padded(ui, |ui| buttons_ui(ui, detail, actions));
            widgets::hair_line(ui);
        }
        if let Some(evidence) = &detail.evidence {
            widgets::padded(ui, |ui| evidence_ui(ui, evidence, actions));
        }
    });
}

/// Adds the buttons that fix a cause and that record it again, as wide as the layout. The label of a button that is not needed is empty.
pub(super) fn fix_buttons_ui(ui: &mut Ui, (fix, record): (&str, &str), actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = theme::GAP;
    let width = ui.available_width();
    if !fix.is_empty() {
        let button = Button::primary(fix).command(Command::FixPlayback, Ok(())).show_keys();
        widgets::command_button(ui, button.width(width), Command::FixPlayback, actions);
    }
    if !record.is_empty() {
        let button = if fix.is_empty() { Button::primary } else { Button::secondary };
        let button = button(record).command(Command::RegenerateSelected, Ok(()));
        let button = button.icon(icons::RADIO).width(width).show_keys();
        widgets::command_button(ui, button, Command::RegenerateSelected, actions);
    }
}

fn buttons_ui(ui: &mut Ui, detail: &CauseDetail, actions: &mut Actions) {
    fix_buttons_ui(ui, (&detail.fix, &detail.record), actions);
    let width = ui.available_width();
    if let Some(restore) = &detail.restore {
        let button = Button::secondary("Copy the restore command").icon(icons::COPY).width(width);
        if ui.add(button.tooltip(&visible(restore))).clicked() {
            actions.push(Action::Copy(restore.clone()));
        }
    }
    if let Some(command) = &detail.command {
        let button = Button::secondary("Copy the record command").icon(icons::COPY).width(width);
        if ui.add(button.tooltip(&visible(command))).clicked() {
            actions.push(Action::Copy(command.clone()));
        }
    }
    if detail.is_unassigned {
        let response = ui.add(Button::primary("Choose…").width(width));
        widgets::on_click(&response, TriageAction::PickSet, actions);
    }
}

fn sentence_ui(ui: &mut Ui, text: &str, font: egui::FontId) {
    let colors = tokens(ui);
    let width = ui.available_width();
    let is_title = font.size > theme::BODY;
    let color = if is_title { colors.text_strong } else { colors.text };
    ui.label(sentence(text, font, color, colors.text_strong, width));
}

fn evidence_ui(ui: &mut Ui, evidence: &Evidence, actions: &mut Actions) {
    ui.spacing_mut().item_spacing.y = 4.0;
    let path = || std::sync::Arc::clone(&evidence.path);
    if evidence.exists {
        let response = widgets::icon_link(ui, icons::FILE_PLAY, &evidence.shown)
            .on_hover_text(visible(&evidence.path));
        let open = match evidence.call {
            Some(call) => TriageAction::OpenCall(path(), call),
            None => TriageAction::OpenRecording(path()),
        };
        widgets::on_click(&response, open, actions);
    } else {
        widgets::remark(ui, &evidence.shown);
    }
    if evidence.is_stale {
        let link = widgets::icon_link(ui, icons::GIT_COMMIT_HORIZONTAL, "Then and now")
            .on_hover_text("The source has changed since the recording");
        widgets::on_click(&link, TriageAction::CompareSource(path()), actions);
    }
    if !evidence.why.is_empty() {
        sentence_ui(ui, &evidence.why, theme::regular(theme::BODY));
    }
}
