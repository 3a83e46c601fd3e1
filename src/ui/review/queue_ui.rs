//! Paints the queue: its lanes, their groups, and the pairs of the open group. Only visible rows get a layout.

use egui::{Color32, Sense, Ui, UiBuilder, vec2};

use super::progress_ui::progress_ui;
use super::queue_row_ui::{GROUP_ROW, PAIR_ROW, PairRow, group_height, group_ui, pair_row_ui};
use super::review_data::ReviewData;
use compare::review::{ReviewLane, ReviewVerdict};
use document::text::{counted, thousands};
use protocol::{Desk, ReviewBase};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, StyledText, icons};
use workbench::{
    Action, Actions, Command, DecisionScope, DecisionStatus, ReviewAction, ReviewDesk, Tally,
};

/// The space above and below the pairs of the open group.
const PAIRS_MARGIN: f32 = 4.0;
/// The heading of a lane.
const LANE_ROW: RowShape = RowShape {
    height: 36.0,
    lines: &[18.0],
    margins: (theme::PADDING, theme::PADDING + 28.0),
    ..RowShape::TWO_LINES
};
const APPLY_HEIGHT: f32 = 74.0;

/// Draws the queue.
pub(super) fn queue_ui(ui: &mut Ui, desk: &ReviewDesk, data: &ReviewData, actions: &mut Actions) {
    head_ui(ui, desk, actions);
    if desk.groups() == 0 && desk.progress().is_none() {
        return;
    }
    progress_ui(ui, desk);
    // The button to apply stays visible, however many groups there are.
    let height = (ui.available_height() - APPLY_HEIGHT).max(GROUP_ROW.height);
    let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
    let mut list = ui.new_child(UiBuilder::new().max_rect(rect));
    groups_ui(&mut list, desk, data.folder, actions);
    apply_ui(ui, desk, actions);
}

fn head_ui(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Actions) {
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let title =
        widgets::line(ui, "Review", theme::semibold(theme::TITLE), tokens(ui).text_strong, 80.0);
    let left = inner.left() + title.size().x + theme::GAP;
    widgets::paint_line(ui.painter(), inner.left_center(), title);
    let words = desk.base.label();
    let right = inner.with_min_x(left).with_max_x(rect.right() - 6.0);
    widgets::place_right(ui, right, |ui| {
        // The label of a revision or a folder may be longer than the column.
        ui.set_clip_rect(ui.clip_rect().intersect(right));
        let button = Button::ghost(&words).icon(icons::GIT_COMPARE).trailing(icons::CHEVRON_DOWN);
        let response = ui.add(button.tooltip("What the recordings are compared with"));
        widgets::menu(&response, |ui| against_menu(ui, desk, actions));
    });
    widgets::line_below(ui, rect);
}

fn against_menu(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Actions) {
    let revision = |name: &str| ReviewBase::Revision(name.into());
    let choices = [
        (icons::GIT_COMMIT_HORIZONTAL, "HEAD, the last commit", revision("HEAD")),
        (icons::GIT_COMMIT_HORIZONTAL, "HEAD~1, the previous commit", revision("HEAD~1")),
        (icons::HOURGLASS, "Pending recordings next to the files", ReviewBase::Sidecars),
    ];
    widgets::menu_heading(ui, "Compare open files with");
    for (icon, words, base) in choices {
        let icon = if desk.base == base { icons::CHECK } else { icon };
        widgets::menu_choice(ui, icon, words, ReviewAction::SetBase(base), actions);
    }
    for (command, enabled) in [(Command::ChooseReviewBase, Ok(())), (Command::CompareAgain, Ok(()))]
    {
        widgets::menu_run(ui, command, enabled, actions);
    }
}

/// A row of the list: a group or pair by its position, the heading of a lane, or nothing.
#[derive(Clone, Copy, PartialEq)]
enum QueueRow {
    Group(usize),
    Pair(usize),
    Lane(ReviewLane),
    Space,
}

/// Returns the top of each row, and after the last one where the list ends.
fn queue_rows(ui: &Ui, desk: &ReviewDesk) -> Vec<(f32, QueueRow)> {
    let (mut rows, mut top) = (Vec::new(), 0.0);
    let mut push = |row, height| {
        rows.push((top, row));
        top += height;
    };
    let open_row = desk.open_row();
    let pairs = match desk.open_group() {
        Some((group, _)) if !desk.is_group_folded => group.pairs.len(),
        _ => 0,
    };
    let mut lane = None;
    for row in 0..desk.groups() {
        let Some((_, group, tally)) = desk.group_row(row) else { continue };
        if lane != Some(group.lane) {
            lane = Some(group.lane);
            push(QueueRow::Lane(group.lane), LANE_ROW.height);
        }
        if desk.is_folded(group.lane) {
            continue;
        }
        let height = group_height(ui, group, tally, open_row == Some(row));
        push(QueueRow::Group(row), height);
        if open_row == Some(row) && pairs > 0 {
            push(QueueRow::Space, PAIRS_MARGIN);
            (0..pairs).for_each(|index| push(QueueRow::Pair(index), PAIR_ROW.height));
            push(QueueRow::Space, PAIRS_MARGIN);
        }
    }
    // The end of the list is the top of a row that is not drawn.
    push(QueueRow::Space, 0.0);
    rows
}

fn groups_ui(ui: &mut Ui, desk: &ReviewDesk, folder: usize, actions: &mut Actions) {
    let rows = queue_rows(ui, desk);
    let pairs = desk.open_group().map(|(group, _)| group).map_or(&[][..], |group| &group.pairs);
    // Without the last row, which only has the end.
    List::new("Review queue", &GROUP_ROW, rows.len() - 1)
        .tops(&|row| rows[row].0)
        // Arrow keys must not stop at empty space.
        .without_focus(&|row| rows[row].1 == QueueRow::Space)
        .levels(&|row| match rows[row].1 {
            QueueRow::Lane(_) => 0,
            QueueRow::Group(_) => 1,
            QueueRow::Pair(_) | QueueRow::Space => 2,
        })
        .selection(desk.pair, |pair| {
            let target = QueueRow::Pair(pairs.iter().position(|p| *p == pair)?);
            rows.iter().position(|(_, row)| *row == target)
        })
        .show(ui, |slot| match rows[slot.index].1 {
            QueueRow::Space => {}
            QueueRow::Lane(lane) => lane_ui(slot, desk, lane, actions),
            QueueRow::Group(row) => {
                if let Some((_, group, tally)) = desk.group_row(row) {
                    let is_open = desk.open_row() == Some(row);
                    let is_unfolded = is_open && !desk.is_group_folded;
                    group_ui(slot, group, tally, (is_open, is_unfolded), actions);
                }
            }
            QueueRow::Pair(place) => {
                let pair_at = |index: usize| desk.review.pairs.get(index);
                // A pair is marked as the first only if the row below it shows what follows.
                let next = pairs.get(place + 1).and_then(|next| pair_at(*next));
                let index = pairs[place];
                if let Some(reviewed) = pair_at(index) {
                    let row = PairRow {
                        reviewed,
                        mark: desk.status(index),
                        is_here: desk.pair == Some(index),
                        has_follower: next.is_some_and(|next| next.first_cause == Some(index)),
                        folder,
                    };
                    pair_row_ui(slot, &row, actions);
                }
            }
        });
}

/// Draws the decisions about all undecided pairs of a lane.
fn lane_menu(
    ui: &mut Ui,
    desk: &ReviewDesk,
    lane: ReviewLane,
    open_count: usize,
    actions: &mut Actions,
) {
    let open_count = thousands(open_count);
    let scope = DecisionScope::Lane(lane);
    let choices = [
        (icons::CHECK, format!("Accept {open_count} of lane"), ReviewVerdict::Accept),
        (icons::VOLUME_X, format!("Keep old noise of {open_count}"), ReviewVerdict::KeepNoise),
        (icons::X, format!("Reject {open_count} of lane"), ReviewVerdict::Reject),
    ];
    for (icon, words, verdict) in choices {
        let refusal = match verdict {
            ReviewVerdict::KeepNoise => desk.can_keep_noise(scope).err(),
            _ => None,
        };
        if widgets::menu_action(ui, icon, &words, refusal) {
            actions.push(Action::from(ReviewAction::Decide(scope, verdict)));
        }
    }
}

fn lane_icon(lane: ReviewLane) -> &'static str {
    match lane {
        ReviewLane::Unreadable => icons::TRIANGLE_ALERT,
        ReviewLane::Noise => icons::VOLUME_X,
        ReviewLane::SameWords => icons::TEXT,
        ReviewLane::Answered => icons::SPARKLES,
        ReviewLane::Sent => icons::SEND,
        ReviewLane::Calls => icons::LIST_PLUS,
    }
}

/// Returns the sign of a lane, what is decided about it or left, and their colours.
fn lane_look(
    lane: ReviewLane,
    tally: Tally,
    colors: &Tokens,
) -> ((&'static str, Color32), (String, Color32)) {
    let look = (lane_icon(lane), colors.text);
    let ignored_count = tally.count(DecisionStatus::Ignored);
    match tally.undecided() {
        0 if ignored_count == tally.all() => (look, (tally.summary(), colors.muted)),
        0 => ((icons::CIRCLE_CHECK, colors.good), (tally.summary(), colors.good)),
        count if count == tally.all() => (look, (String::new(), colors.muted)),
        count => (look, (format!("{} left", thousands(count)), colors.muted)),
    }
}

/// Draws the heading of a lane, which folds its groups, with a menu to decide about all of its pairs.
fn lane_ui(slot: &mut RowSlot<'_>, desk: &ReviewDesk, lane: ReviewLane, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let tally = desk.statuses.lane(lane);
    let ((icon, icon_color), (note, color)) = lane_look(lane, tally, colors);
    let label = lane.label();
    let pairs = counted(tally.all(), "pair", "pairs");
    let name = match &*note {
        "" => format!("{label}, {pairs}"),
        note => format!("{label}, {pairs}, {note}"),
    };
    let count =
        || StyledText::new().with(&thousands(tally.all()), theme::mono(theme::ROW), colors.text);
    let heading =
        || StyledText::new().with(label, theme::semibold(theme::BODY), colors.text_strong);
    let heading_with_note =
        || heading().after(theme::GAP, &note, theme::regular(theme::ROW), color);
    let width = |text: StyledText| text.galley(slot.ui, f32::INFINITY).size().x;
    // The signs of folding and of the lane are before the text.
    let room = slot.rect.width() - LANE_ROW.margins.0 - LANE_ROW.margins.1 - 2.0 * theme::INDENT;
    let fits = width(heading_with_note()) + theme::GAP + width(count()) <= room;
    let words = if fits { heading_with_note() } else { heading() };
    let tip = if fits { "" } else { &*note };
    let row = Row::new(name)
        .expanded(!desk.is_folded(lane))
        .fill(colors.raised)
        .tip(tip)
        .line(Line::from(words).icon(icon, icon_color).right(count()));
    widgets::on_click(&slot.show_as(&LANE_ROW, row), ReviewAction::ToggleLane(lane), actions);
    // Discussed pairs are left out: they wait for an answer of somebody else.
    let open_count = tally.open();
    if open_count > 0 {
        widgets::place_right(slot.ui, slot.rect.with_max_x(slot.rect.right() - 6.0), |ui| {
            let name = format!("Decide lane {label}");
            let response = ui.add(Button::icon_only(icons::ELLIPSIS, &name));
            widgets::menu(&response, |ui| lane_menu(ui, desk, lane, open_count, actions));
        });
    }
}

fn apply_ui(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Actions) {
    let colors = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, APPLY_HEIGHT, Sense::hover());
    widgets::line_above(ui, rect);
    let inner = rect.shrink2(vec2(theme::PADDING, 12.0));
    let count = desk.statuses.to_apply;
    let is_undecided = desk.statuses.all.undecided() > 0;
    widgets::place(ui, inner, |ui| {
        let width = inner.width();
        if count > 0 {
            let words = format!("Apply {}…", counted(count, "decision", "decisions"));
            let button = Button::primary(&words).command(Command::ApplyDecisions, Ok(()));
            widgets::command_button(ui, button.width(width), Command::ApplyDecisions, actions);
        } else if !is_undecided && desk.is_done() {
            let button = Button::secondary("Back to the library").icon(icons::LIBRARY);
            widgets::on_click(&ui.add(button.width(width)), Action::Go(Desk::Library), actions);
        } else {
            ui.add_space(6.0);
            let (words, font) = ("No decisions to apply yet", theme::regular(theme::ROW));
            let words = StyledText::new().with(words, font, colors.text);
            ui.vertical_centered(|ui| words.show(ui));
        }
    });
    let is_commit = matches!(desk.base, ReviewBase::Revision(_));
    let status = match desk.unread {
        // Only against a revision does a commit finish the review.
        0 if desk.is_applied() && is_commit => "All is applied. Commit it with git.".to_owned(),
        0 if desk.is_applied() => "All is applied".to_owned(),
        0 if count == 0 && !is_undecided => "Everything is decided".to_owned(),
        0 => "No file changes until you apply".to_owned(),
        1 => "1 more file could not be read and is not listed".to_owned(),
        unread => format!("{} more files could not be read", thousands(unread)),
    };
    let words = StyledText::new().with(&status, theme::regular(theme::LABEL), colors.muted);
    widgets::place(ui, inner.with_min_y(rect.bottom() - 27.0).with_max_y(rect.bottom()), |ui| {
        ui.vertical_centered(|ui| words.show(ui));
    });
}
