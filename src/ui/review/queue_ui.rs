//! Paints what is decided, and the queue: its lanes, their groups, and the pairs of the open group. Only visible rows get a layout.

use std::ops::Range;

use egui::{Color32, Rect, Role, Sense, Ui, pos2, vec2};

use super::format_text;
use super::review_data::{PairName, ReviewData};
use compare::review::{ReviewGroup, ReviewLane};
use document::text::{counted, lower_first, thousands, visible};
use protocol::ReviewBase;
use widgets::theme::{self, Tokens, tokens};
use widgets::{
    Button, DistinctName, Line, List, Row, RowSelection, RowShape, RowSlot, StyledText, icons,
};
use workbench::{Actions, Command, DecisionStatus, ReviewAction, ReviewDesk, Tally, Workbench};

/// Height of the bar of groups, with what is decided below it.
const PROGRESS_HEIGHT: f32 = 60.0;
const APPLY_HEIGHT: f32 = 56.0;
/// Below this width the version that is compared with is left out.
const MIN_BASE_WIDTH: f32 = 300.0;
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
    head_ui(ui, desk);
    progress_ui(ui, workbench);
    let notes = apply_note(desk);
    let has_foot = desk.statuses.to_apply > 0 || !notes.is_empty();
    // The button to apply stays visible, however many groups there are.
    let foot = if has_foot { APPLY_HEIGHT } else { 0.0 };
    let height = (ui.available_height() - foot).max(GROUP_ROW.height);
    let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
    widgets::place(ui, rect, |ui| groups_ui(ui, desk, data, listed_group, actions));
    if has_foot {
        apply_ui(ui, desk, &notes, actions);
    }
}

/// Draws the first line: how many files changed, and the version that they are compared with.
fn head_ui(ui: &mut Ui, desk: &ReviewDesk) {
    let pairs = desk.review.pairs.iter().filter(|reviewed| reviewed.group.is_some());
    let mut nouns = pairs.map(|reviewed| reviewed.compared.noun);
    let first = nouns.next().unwrap_or("file");
    let noun = if nouns.all(|noun| noun == first) { first } else { "file" };
    let title = format!("{} changed", counted(desk.statuses.all.all(), noun, &format!("{noun}s")));
    let colors = tokens(ui);
    let base = StyledText::new().with(&desk.base.label(), theme::regular(theme::ROW), colors.muted);
    let words = Line::new(&title, theme::semibold(theme::TITLE), colors.text_strong);
    // In a narrow list the title needs the room; the menu *View* has the version.
    let line = if ui.available_width() < MIN_BASE_WIDTH { words } else { words.right(base) };
    let response = line.right_share(0.5).show(ui, theme::DESK_HEADER);
    widgets::describe(&response, egui::Role::Heading, &title);
    widgets::line_below(ui, response.rect);
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
        (Some(label), _) if decided.is_empty() => label,
        (Some(label), _) => lower_first(&label),
        (None, 0) if desk.is_applied() => "all applied".to_owned(),
        (None, 0) if decided.is_empty() => "Only noise, nothing to decide".to_owned(),
        (None, 0) => "nothing left".to_owned(),
        (None, count) => format!("{} left", counted(count, "group", "groups")),
    };
    let left = if decided.is_empty() { left } else { format!(", {left}") };
    widgets::describe(&response, egui::Role::Label, &format!("{decided}{left}"));
    let words = StyledText::new()
        .with(&decided, theme::semibold(theme::BODY), colors.text_strong)
        .with(&left, theme::regular(theme::BODY), colors.text);
    Line::from(words).show_in(ui, inner.with_min_y(rect.top() + 24.0));
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
            widgets::paint_bar_in(ui, part, 1.0, color);
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
            push(QueueRow::Lane(group.lane), LANE_ROW.height);
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
            let decisions = counted(desk.statuses.to_apply, "decision", "decisions");
            let words = format!("Apply {decisions}…");
            let button =
                Button::secondary(&words).command(Command::ApplyDecisions, Ok(())).show_keys();
            widgets::command_button(ui, button, Command::ApplyDecisions, actions);
        }
        widgets::muted(ui, note);
    });
}

const LANE_ROW: RowShape = RowShape { height: 32.0, lines: &[16.0], ..RowShape::ONE_LINE };
const GROUP_ROW: RowShape =
    RowShape { height: 40.0, lines: &[20.0], hair: true, ..RowShape::ONE_LINE };
const PAIR_ROW: RowShape = RowShape { height: 26.0, lines: &[13.0], ..RowShape::ONE_LINE };
/// Distance from the icons at the left edge to the text.
const TEXT_INDENT: f32 = 24.0;

/// Draws the heading of a lane.
fn lane_ui(slot: &mut RowSlot<'_>, lane: ReviewLane) {
    let icon = match lane {
        ReviewLane::Unreadable => icons::TRIANGLE_ALERT,
        ReviewLane::Noise => icons::VOLUME_X,
        ReviewLane::SameWords => icons::TEXT,
        ReviewLane::Answered => icons::SPARKLES,
        ReviewLane::Sent => icons::SEND,
        ReviewLane::Calls => icons::LIST_PLUS,
    };
    let (colors, label) = (tokens(slot.ui), lane.label());
    let line = Line::new(label, theme::semibold(theme::BODY), colors.text_strong)
        .icon(icon, colors.muted)
        .indent(TEXT_INDENT);
    let row = Row::new(label).disabled(true).fill(colors.raised).line(line);
    let response = slot.place(|ui| row.show(ui, &LANE_ROW));
    widgets::describe(&response, Role::Heading, label);
}

/// Returns the number of undecided pairs of a group that would overwrite what was edited by hand.
fn edited_pairs(desk: &ReviewDesk, group: &ReviewGroup) -> usize {
    group.pairs.iter().filter(|pair| desk.overwrites_edits(**pair)).count()
}

/// Returns the sign of a group: how it was decided, or that one decision may not be enough.
fn sign_of(
    desk: &ReviewDesk,
    group: &ReviewGroup,
    tally: Tally,
    colors: &Tokens,
) -> Option<(&'static str, Color32)> {
    match tally.undecided() {
        _ if edited_pairs(desk, group) > 0 => Some((icons::TRIANGLE_ALERT, colors.warning)),
        // Only a group that was rejected as a whole; a mixed one shows that it is done.
        0 if tally.count(DecisionStatus::Rejected) == tally.all() => Some((icons::X, colors.error)),
        0 => group.needs_decision.then_some((icons::CHECK, colors.good)),
        count if count == tally.count(DecisionStatus::Discussed) => {
            Some((icons::MESSAGE_SQUARE, colors.warning))
        }
        _ => (group.causes > 1).then_some((icons::GIT_FORK, colors.warning)),
    }
}

/// Returns the name of a group in up to two lines.
fn group_title(group: &ReviewGroup, color: Color32, colors: &Tokens) -> StyledText {
    format_text::rich_text(&group.name, theme::BODY, color, colors).rows(2)
}

/// Returns the height of a group's row.
fn group_height(ui: &Ui, group: &ReviewGroup) -> f32 {
    let (room, colors) = (ui.available_width() - TEXT_INDENT - 2.0 * theme::PADDING, tokens(ui));
    let count = count_text(group, colors).galley(ui, f32::INFINITY).size().x + theme::GAP;
    GROUP_ROW.height
        + widgets::height_below(ui, group_title(group, colors.text, colors), room - count)
}

fn count_text(group: &ReviewGroup, colors: &Tokens) -> StyledText {
    StyledText::new().with(&thousands(group.pairs.len()), theme::mono(theme::ROW), colors.muted)
}

/// Returns what the sign of a group says, and how far it is decided; empty for one that is open and uniform.
fn group_detail(desk: &ReviewDesk, group: &ReviewGroup, tally: Tally) -> String {
    let edited = edited_pairs(desk, group);
    if edited > 0 {
        return format!("{} edited by hand", thousands(edited));
    }
    let is_discussed = tally.undecided() == tally.count(DecisionStatus::Discussed);
    match tally.done() {
        0 if !is_discussed && group.causes > 1 => group.uniformity(),
        0 if !is_discussed => String::new(),
        _ if is_discussed => tally.summary(),
        _ => format!("{} left", thousands(tally.undecided())),
    }
}

/// Draws a group. A click opens it.
fn group_ui(slot: &mut RowSlot<'_>, desk: &ReviewDesk, at: usize, actions: &mut Actions) {
    let Some((group, tally)) = desk.group_at(at) else { return };
    let colors = tokens(slot.ui);
    let is_open = desk.group == Some(at);
    let (count, detail) = (thousands(tally.all()), group_detail(desk, group, tally));
    let name = format!("{}, {count}", format_text::without_backticks(&group.name));
    let name = if detail.is_empty() { name } else { format!("{name}, {detail}") };
    let color = match tally.undecided() {
        _ if is_open => colors.text_strong,
        0 => colors.muted,
        _ => colors.text,
    };
    let (icon, icon_color) = sign_of(desk, group, tally, colors).unwrap_or(("", color));
    let line = Line::from(group_title(group, color, colors))
        .right(count_text(group, colors))
        .icon(icon, icon_color)
        .indent(TEXT_INDENT);
    // What else changed in its pairs, besides what it is named after.
    let tip = [detail, group.detail.clone()].join("\n");
    let row = Row::new(name).selected(is_open).tip(tip.trim()).line(line);
    let action = ReviewAction::Open(group.id.as_str().into());
    widgets::on_click(&slot.show(row), action, actions);
}

/// Returns the icon of the status of a pair, and its words for screen readers.
fn pair_status(
    desk: &ReviewDesk,
    pairs: &[usize],
    place: usize,
    colors: &Tokens,
) -> (&'static str, Color32, &'static str) {
    let cause = |place: usize| {
        let pair = pairs.get(place).and_then(|pair| desk.review.pairs.get(*pair));
        pair.and_then(|reviewed| reviewed.first_cause)
    };
    let status = desk.status(pairs[place]);
    let (icon, color) = match status {
        DecisionStatus::Accepted => (icons::CHECK, colors.good),
        DecisionStatus::NoiseKept => (icons::VOLUME_X, colors.good),
        DecisionStatus::Rejected => (icons::X, colors.error),
        DecisionStatus::Partial => (icons::ARROW_LEFT_RIGHT, colors.note),
        DecisionStatus::Skipped => (icons::SKIP_FORWARD, colors.muted),
        DecisionStatus::Discussed => (icons::MESSAGE_SQUARE, colors.warning),
        _ if desk.overwrites_edits(pairs[place]) => {
            return (icons::TRIANGLE_ALERT, colors.warning, "overwrites what was edited by hand");
        }
        DecisionStatus::Open | DecisionStatus::Ignored => {
            // A pair is marked as the first only if the row below it shows what follows.
            return match (cause(place), cause(place + 1)) {
                (Some(_), _) => (icons::CORNER_DOWN_RIGHT, colors.muted, "follows"),
                (None, Some(next)) if next == pairs[place] => ("", colors.muted, "first"),
                _ => ("", colors.muted, ""),
            };
        }
    };
    (icon, color, status.label())
}

/// Draws a pair of the open group, by its place there. A click selects it.
fn pair_row_ui(
    slot: &mut RowSlot<'_>,
    desk: &ReviewDesk,
    names: &[PairName],
    place: usize,
    actions: &mut Actions,
) {
    let Some((group, _)) = desk.open_group() else { return };
    let Some(index) = group.pairs.get(place).copied() else { return };
    let (Some(reviewed), Some(name)) = (desk.review.pairs.get(index), names.get(place)) else {
        return;
    };
    let colors = tokens(slot.ui);
    let (icon, color, word) = pair_status(desk, &group.pairs, place, colors);
    let label = if word.is_empty() { name.text.clone() } else { format!("{}, {word}", name.text) };
    let is_here = desk.pair == Some(index);
    let selection = if is_here { RowSelection::SelectedAway } else { RowSelection::None };
    let line =
        Line::distinct(&distinct_name(names, place), is_here).icon(icon, color).indent(TEXT_INDENT);
    let row = Row::new(label).selection(selection).tip(name.tip.as_str()).line(line);
    let response = slot.show_as(&PAIR_ROW, row);
    widgets::on_click(&response, ReviewAction::Select(reviewed.pair.key()), actions);
}

/// Returns a name of the open group with what distinguishes it from those beside it.
pub(super) fn distinct_name(names: &[PairName], place: usize) -> DistinctName<'_> {
    let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
    let beside = beside.filter_map(|place| Some(names.get(place)?.text.as_str()));
    DistinctName::new(&names[place].text, beside)
}

/// Draws how many pairs are not listed. Returns whether they are to be listed.
fn more_ui(slot: &mut RowSlot<'_>, count: usize) -> bool {
    let colors = tokens(slot.ui);
    let words = format!("{} more", thousands(count));
    let line = Line::new(&visible(&words), theme::regular(theme::ROW), colors.muted);
    let row = Row::new(words.as_str()).line(line.indent(TEXT_INDENT));
    slot.show_as(&PAIR_ROW, row).clicked()
}
