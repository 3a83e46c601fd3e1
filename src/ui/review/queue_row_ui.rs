//! Paints the rows of the queue: the heading of a lane, a group of changes, and a pair of the open group.

use egui::{Color32, Role, Ui, pos2, vec2};

use super::format_text;
use super::review_data::PairName;
use compare::review::{ReviewGroup, ReviewLane};
use document::text::{thousands, visible};
use widgets::theme::{self, Tokens, tokens};
use widgets::{DistinctName, Line, Row, RowSelection, RowShape, RowSlot, StyledText, icons};
use workbench::{DecisionStatus, ReviewAction, ReviewDesk, Tally};

pub(super) const LANE_HEIGHT: f32 = 32.0;
pub(super) const GROUP_ROW: RowShape = RowShape {
    height: 40.0,
    lines: &[20.0],
    margins: (TEXT_LEFT, theme::PADDING),
    hair: true,
    ..RowShape::ONE_LINE
};
pub(super) const PAIR_ROW: RowShape = RowShape {
    height: 26.0,
    lines: &[13.0],
    margins: (theme::PADDING, theme::PADDING),
    ..RowShape::ONE_LINE
};
/// Left edge of the text; the icon is before it.
const TEXT_LEFT: f32 = 40.0;

/// Draws the heading of a lane.
pub(super) fn lane_ui(slot: &mut RowSlot<'_>, lane: ReviewLane) {
    let icon = match lane {
        ReviewLane::Unreadable => icons::TRIANGLE_ALERT,
        ReviewLane::Noise => icons::VOLUME_X,
        ReviewLane::SameWords => icons::TEXT,
        ReviewLane::Answered => icons::SPARKLES,
        ReviewLane::Sent => icons::SEND,
        ReviewLane::Calls => icons::LIST_PLUS,
    };
    let (rect, label) = (slot.rect, lane.label());
    slot.place(|ui| {
        let colors = tokens(ui);
        let (_, response) = widgets::allocate_row(ui, LANE_HEIGHT, egui::Sense::hover());
        widgets::describe(&response, Role::Heading, label);
        ui.painter().rect_filled(rect, 0, colors.raised);
        let middle = rect.center().y;
        let center = pos2(rect.left() + theme::PADDING + 7.0, middle);
        widgets::paint_icon(ui.painter(), center, icon, theme::ICON, colors.muted);
        let font = theme::semibold(theme::BODY);
        let line = widgets::line(ui, label, font, colors.text_strong, rect.width() - 56.0);
        widgets::paint_line(ui.painter(), pos2(rect.left() + TEXT_LEFT, middle), line);
    });
}

/// Returns the sign of a group: how it was decided, or that one decision may not be enough.
fn group_sign(
    group: &ReviewGroup,
    tally: Tally,
    colors: &Tokens,
) -> Option<(&'static str, Color32)> {
    match tally.undecided() {
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
pub(super) fn group_height(ui: &Ui, group: &ReviewGroup) -> f32 {
    let (room, colors) = (ui.available_width() - TEXT_LEFT - theme::PADDING, tokens(ui));
    let count = count_text(group, colors).galley(ui, f32::INFINITY).size().x + theme::GAP;
    GROUP_ROW.height
        + widgets::height_below(ui, group_title(group, colors.text, colors), room - count)
}

fn count_text(group: &ReviewGroup, colors: &Tokens) -> StyledText {
    StyledText::new().with(&thousands(group.pairs.len()), theme::mono(theme::ROW), colors.muted)
}

/// Returns what the sign of a group says, and how far it is decided; empty for one that is open and uniform.
fn group_detail(group: &ReviewGroup, tally: Tally) -> String {
    let is_discussed = tally.undecided() == tally.count(DecisionStatus::Discussed);
    match tally.done() {
        0 if !is_discussed && group.causes > 1 => group.uniformity(),
        0 if !is_discussed => String::new(),
        _ if is_discussed => tally.summary(),
        _ => format!("{} left", thousands(tally.undecided())),
    }
}

/// Draws a group. A click opens it.
pub(super) fn group_ui(
    slot: &mut RowSlot<'_>,
    desk: &ReviewDesk,
    index: usize,
    actions: &mut workbench::Actions,
) {
    let Some((group, tally)) = desk.group_at(index) else { return };
    let colors = tokens(slot.ui);
    let is_open = desk.group == Some(index);
    let (count, detail) = (thousands(tally.all()), group_detail(group, tally));
    let name = format!("{}, {count}", format_text::without_backticks(&group.name));
    let name = if detail.is_empty() { name } else { format!("{name}, {detail}") };
    let color = match tally.undecided() {
        _ if is_open => colors.text_strong,
        0 => colors.muted,
        _ => colors.text,
    };
    let line = Line::from(group_title(group, color, colors)).right(count_text(group, colors));
    // What else changed in its pairs, besides what it is named after.
    let tip = [detail, group.detail.clone()].join("\n");
    let row = Row::new(name).selected(is_open).tip(tip.trim()).line(line);
    let action = ReviewAction::Open(group.id.as_str().into());
    widgets::on_click(&slot.show(row), action, actions);
    if let Some((icon, color)) = group_sign(group, tally, colors) {
        let center = slot.rect.left_top() + vec2(theme::PADDING + 7.0, GROUP_ROW.lines[0]);
        widgets::paint_icon(slot.ui.painter(), center, icon, theme::ICON, color);
    }
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
pub(super) fn pair_row_ui(
    slot: &mut RowSlot<'_>,
    desk: &ReviewDesk,
    names: &[PairName],
    place: usize,
    actions: &mut workbench::Actions,
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
    let row = Row::new(label).selection(selection).tip(name.tip.as_str());
    let response = slot.show_as(&PAIR_ROW, row);
    widgets::on_click(&response, ReviewAction::Select(reviewed.pair.key()), actions);
    let (ui, rect) = (&*slot.ui, slot.rect);
    let (left, middle) = (rect.left() + TEXT_LEFT, rect.center().y);
    let center = pos2(rect.left() + theme::PADDING + 7.0, middle);
    widgets::paint_icon(ui.painter(), center, icon, theme::ICON_TAG, color);
    let room = rect.right() - theme::PADDING - left;
    let line = distinct_name(names, place).galley(ui, room, is_here);
    widgets::paint_line(ui.painter(), pos2(left, middle), line);
}

/// Returns a name of the open group with what distinguishes it from those beside it.
pub(super) fn distinct_name(names: &[PairName], place: usize) -> DistinctName<'_> {
    let beside = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
    let beside = beside.filter_map(|place| Some(names.get(place)?.text.as_str()));
    DistinctName::new(&names[place].text, beside)
}

/// Draws how many pairs are not listed. Returns whether they are to be listed.
pub(super) fn more_ui(slot: &mut RowSlot<'_>, count: usize) -> bool {
    let colors = tokens(slot.ui);
    let words = format!("{} more", thousands(count));
    let line = Line::new(&visible(&words), theme::regular(theme::ROW), colors.muted);
    let row = Row::new(words.as_str()).line(line.indent(TEXT_LEFT - theme::PADDING));
    slot.show_as(&PAIR_ROW, row).clicked()
}
