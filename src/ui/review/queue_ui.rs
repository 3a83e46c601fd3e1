//! Paints what is decided, and the queue: its lanes, their groups, and the pairs of the open group. Only visible rows get a layout.

use std::ops::Range;

use egui::{Rect, Sense, Ui, UiBuilder, pos2, vec2};

use super::queue_row_ui::{
    GROUP_ROW, LANE_HEIGHT, PAIR_ROW, group_height, group_ui, lane_ui, more_ui, pair_row_ui,
};
use super::review_data::ReviewData;
use compare::review::ReviewLane;
use document::FileKind;
use document::text::{counted, thousands};
use protocol::ReviewBase;
use widgets::theme::{self, tokens};
use widgets::{Button, List, StyledText};
use workbench::{Actions, Command, ReviewDesk, Workbench};

/// Height of the bar of groups, with what is decided below it.
const PROGRESS_HEIGHT: f32 = 60.0;
const APPLY_HEIGHT: f32 = 56.0;
/// Number of pairs of a group that are listed around the selected one: the groups below it stay in view.
const MAX_LISTED_PAIRS: usize = 8;

/// Draws the queue.
pub(super) fn queue_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &ReviewData,
    listed_group: &mut Option<usize>,
    actions: &mut Actions,
) {
    let desk = &workbench.review;
    if desk.review.groups.is_empty() {
        return;
    }
    head_ui(ui, desk);
    progress_ui(ui, workbench);
    let notes = apply_note(desk);
    let has_foot = desk.statuses.to_apply > 0 || !notes.is_empty();
    // The button to apply stays visible, however many groups there are.
    let foot = if has_foot { APPLY_HEIGHT } else { 0.0 };
    let height = (ui.available_height() - foot).max(GROUP_ROW.height);
    let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
    let mut list = ui.new_child(UiBuilder::new().max_rect(rect));
    groups_ui(&mut list, desk, data, listed_group, actions);
    if has_foot {
        apply_ui(ui, desk, &notes, actions);
    }
}

/// Draws the first line: how many files changed, and the version that they are compared with.
fn head_ui(ui: &mut Ui, desk: &ReviewDesk) {
    let (rect, response) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let pairs = desk.review.pairs.iter().filter(|reviewed| reviewed.group.is_some());
    let is_all = |kind| pairs.clone().all(|reviewed| reviewed.compared.kind == kind);
    let (one, many) = match () {
        () if is_all(FileKind::Cassette) => ("cassette", "cassettes"),
        () if is_all(FileKind::Recording) => ("recording", "recordings"),
        () => ("file", "files"),
    };
    let title = format!("{} changed", counted(desk.statuses.all.all(), one, many));
    widgets::describe(&response, egui::Role::Heading, &title);
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let colors = tokens(ui);
    let line =
        widgets::line(ui, &title, theme::semibold(theme::TITLE), colors.text_strong, inner.width());
    let room = inner.width() - line.size().x - theme::GAP;
    widgets::paint_line(ui.painter(), inner.left_center(), line);
    let (base, font) = (desk.base.label(), theme::regular(theme::ROW));
    let line = widgets::line(ui, &base, font, colors.muted, room);
    widgets::paint_line_right(ui.painter(), inner.right_center(), line);
    widgets::line_below(ui, rect);
}

/// Draws what is decided and what is left, as a bar and in words.
fn progress_ui(ui: &mut Ui, workbench: &Workbench) {
    let desk = &workbench.review;
    let colors = tokens(ui);
    let (rect, response) = widgets::allocate_row(ui, PROGRESS_HEIGHT, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    bar_ui(ui, Rect::from_min_size(inner.min + vec2(0.0, 14.0), vec2(inner.width(), 8.0)), desk);
    let decided = match desk.statuses.all.decided() {
        0 => String::new(),
        count => format!("{} decided", thousands(count)),
    };
    let left = match (desk.progress_label(&workbench.core), desk.statuses.groups_left()) {
        (Some(label), _) => label,
        (None, 0) if desk.is_applied() => "all applied".to_owned(),
        (None, 0) if decided.is_empty() => "Only noise, nothing to decide".to_owned(),
        (None, 0) => "nothing left".to_owned(),
        (None, count) => format!("{} left", counted(count, "group", "groups")),
    };
    let left = if decided.is_empty() { left } else { format!(", {left}") };
    widgets::describe(&response, egui::Role::Label, &format!("{decided}{left}"));
    let words = StyledText::new()
        .with(&decided, theme::semibold(theme::BODY), colors.text_strong)
        .with(&left, theme::regular(theme::BODY), colors.text)
        .galley(ui, inner.width());
    widgets::paint_line(ui.painter(), pos2(inner.left(), rect.top() + 42.0), words);
    widgets::line_below(ui, rect);
}

/// Draws a segment for each group, as long as it has pairs: what is decided, what needs no decision, and what is left.
fn bar_ui(ui: &Ui, rect: Rect, desk: &ReviewDesk) {
    let colors = tokens(ui);
    let total = desk.statuses.all.all().max(1) as f32;
    let count = desk.review.groups.len();
    // Many groups would be gaps only.
    let gap = if count > 60 { 0.0 } else { 2.0 };
    let room = rect.width() - gap * count.saturating_sub(1) as f32;
    let mut left = rect.left();
    for index in 0..count {
        let Some((_, tally)) = desk.group_at(index) else { continue };
        let left_color = if desk.group == Some(index) { colors.accent } else { colors.line };
        let parts = [
            (tally.decided(), colors.good.gamma_multiply(0.5)),
            (tally.all() - tally.decided() - tally.undecided(), colors.strong),
            (tally.undecided(), left_color),
        ];
        for (count, color) in parts {
            let width = room * count as f32 / total;
            let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
            ui.painter().rect_filled(part, 2, color);
            left += width;
        }
        left += gap;
    }
}

/// A row of the list: a group or pair by its position, the heading of a lane, or the number of pairs that are not listed.
#[derive(Clone, Copy, PartialEq)]
enum QueueRow {
    Group(usize),
    Pair(usize),
    More(usize),
    Lane(ReviewLane),
    End,
}

/// Returns the pairs of the open group that are listed, by their places in it.
fn listed_pairs(desk: &ReviewDesk, is_whole: bool) -> Range<usize> {
    let pairs = desk.open_group().map_or(&[][..], |(group, _)| &group.pairs);
    if is_whole || pairs.len() <= MAX_LISTED_PAIRS + 1 {
        return 0..pairs.len();
    }
    let selected = pairs.iter().position(|pair| Some(*pair) == desk.pair).unwrap_or(0);
    let first = selected.saturating_sub(MAX_LISTED_PAIRS / 2).min(pairs.len() - MAX_LISTED_PAIRS);
    first..first + MAX_LISTED_PAIRS
}

/// Returns the top of each row, and after the last one where the list ends.
fn queue_rows(ui: &Ui, desk: &ReviewDesk, is_whole: bool) -> Vec<(f32, QueueRow)> {
    let (mut rows, mut top) = (Vec::new(), 0.0);
    let mut push = |row, height| {
        rows.push((top, row));
        top += height;
    };
    let mut lane = None;
    for index in 0..desk.review.groups.len() {
        let Some((group, _)) = desk.group_at(index) else { continue };
        if lane != Some(group.lane) {
            lane = Some(group.lane);
            push(QueueRow::Lane(group.lane), LANE_HEIGHT);
        }
        let is_open = desk.group == Some(index);
        push(QueueRow::Group(index), group_height(ui, group));
        // The name of the only pair is above its texts.
        if is_open && group.pairs.len() > 1 {
            let listed = listed_pairs(desk, is_whole);
            let more = group.pairs.len() - listed.len();
            listed.for_each(|place| push(QueueRow::Pair(place), PAIR_ROW.height));
            if more > 0 {
                push(QueueRow::More(more), PAIR_ROW.height);
            }
        }
    }
    // The end of the list is the top of a row that is not drawn.
    push(QueueRow::End, 0.0);
    rows
}

fn groups_ui(
    ui: &mut Ui,
    desk: &ReviewDesk,
    data: &ReviewData,
    listed_group: &mut Option<usize>,
    actions: &mut Actions,
) {
    let is_whole = listed_group.is_some() && *listed_group == desk.group;
    let rows = queue_rows(ui, desk, is_whole);
    let pairs = desk.open_group().map_or(&[][..], |(group, _)| &group.pairs);
    // Without the last row, which only has the end.
    List::new("Review queue", &GROUP_ROW, rows.len() - 1)
        .tops(&|row| rows[row].0)
        .without_focus(&|row| matches!(rows[row].1, QueueRow::Lane(_)))
        .levels(&|row| match rows[row].1 {
            QueueRow::Pair(_) | QueueRow::More(_) => 1,
            _ => 0,
        })
        .selection(desk.pair, |pair| {
            let place = pairs.iter().position(|p| *p == pair)?;
            let is_selected = |row: &QueueRow| match row {
                QueueRow::Pair(listed) => *listed == place,
                QueueRow::Group(group) => pairs.len() == 1 && desk.group == Some(*group),
                _ => false,
            };
            rows.iter().position(|(_, row)| is_selected(row))
        })
        .show(ui, |slot| match rows[slot.index].1 {
            QueueRow::End => {}
            QueueRow::Lane(lane) => lane_ui(slot, lane),
            QueueRow::Group(index) => group_ui(slot, desk, index, actions),
            QueueRow::Pair(place) => pair_row_ui(slot, desk, &data.names, place, actions),
            QueueRow::More(count) => {
                if more_ui(slot, count) {
                    *listed_group = desk.group;
                }
            }
        });
}

/// Returns the note beside the button to apply: what was applied or could not be read.
fn apply_note(desk: &ReviewDesk) -> String {
    match desk.unread {
        // Only against a revision does a commit finish the review.
        0 if desk.is_applied() && matches!(desk.base, ReviewBase::Revision(_)) => {
            "Commit the files with git.".to_owned()
        }
        0 => String::new(),
        count => format!("{} could not be read", counted(count, "file", "files")),
    }
}

fn apply_ui(ui: &mut Ui, desk: &ReviewDesk, note: &str, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, APPLY_HEIGHT, Sense::hover());
    widgets::line_above(ui, rect);
    widgets::place_left(ui, rect.shrink2(vec2(theme::PADDING, 0.0)), |ui| {
        ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
        if desk.statuses.to_apply > 0 {
            let words =
                format!("Apply {}…", counted(desk.statuses.to_apply, "decision", "decisions"));
            let button = Button::secondary(&words).command(Command::ApplyDecisions, Ok(()));
            widgets::command_button(ui, button, Command::ApplyDecisions, actions);
        }
        let font = theme::regular(theme::ROW);
        StyledText::new().with(note, font, tokens(ui).muted).show(ui);
    });
}
