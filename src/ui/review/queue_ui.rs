//! Paints the queue: its groups, and the pairs of the open group. Only visible rows get a layout.

use egui::{Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use super::progress_ui::progress_ui;
use super::queue_row_ui::{GROUP, PAIR, PairRow, group_ui, pair_row_ui};
use crate::ops::review::ReviewGroup;
use crate::text::counted;
use crate::ui::compare::line_below;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, StyledText};
use crate::workbench::{Action, Command, ReviewAction, ReviewBase, ReviewDesk};

/// The space above and below the pairs of the open group.
const AROUND: f32 = 4.0;
const DECIDED: f32 = 36.0;
const APPLY: f32 = 74.0;

/// State of the queue that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    /// The pair that was last scrolled into view.
    shown: Option<usize>,
    offset: f32,
}

/// Draws the queue.
pub(super) fn queue_ui(
    ui: &mut Ui,
    desk: &ReviewDesk,
    state: &mut QueueState,
    actions: &mut Vec<Action>,
) {
    head_ui(ui, desk, actions);
    progress_ui(ui, desk);
    let height = (ui.available_height() - APPLY).max(GROUP);
    let size = vec2(ui.available_width(), height);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let mut list = ui.new_child(UiBuilder::new().max_rect(rect));
    groups_ui(&mut list, desk, state, actions);
    apply_ui(ui, desk, actions);
}

fn head_ui(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Vec<Action>) {
    let size = vec2(ui.available_width(), theme::DESK_HEADER);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let title = widgets::line(
        ui,
        "Review",
        theme::semibold(theme::TITLE),
        tokens(ui).text_strong,
        80.0,
    );
    let left = inner.left() + title.size().x + theme::GAP;
    widgets::paint_line(ui.painter(), inner.left_center(), title);
    let words = desk.base.label();
    let right = inner.with_min_x(left).with_max_x(rect.right() - 6.0);
    widgets::place_right(ui, right, |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(right));
        let button = Button::ghost(&words)
            .icon(icons::GIT_COMPARE)
            .trailing(icons::CHEVRON_DOWN);
        let response = ui.add(button.tooltip("What the recordings are compared with"));
        widgets::menu(&response, |ui| against_menu(ui, desk, actions));
    });
    line_below(ui, rect);
}

fn against_menu(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Vec<Action>) {
    let revision = |name: &str| ReviewBase::Revision(name.into());
    let choices = [
        (
            icons::GIT_COMMIT_HORIZONTAL,
            "HEAD, the last commit",
            revision("HEAD"),
        ),
        (
            icons::GIT_COMMIT_HORIZONTAL,
            "HEAD~1, the previous commit",
            revision("HEAD~1"),
        ),
        (
            icons::HOURGLASS,
            "Pending recordings next to the files",
            ReviewBase::Sidecars,
        ),
    ];
    widgets::menu_heading(ui, "Compare open files with");
    for (icon, words, against) in choices {
        let icon = if *&desk.base == against {
            icons::CHECK
        } else {
            icon
        };
        if widgets::menu_item(ui, icon, words, &[], None).clicked() {
            actions.push(Action::Review(ReviewAction::SetBase(against)));
            ui.close();
        }
    }
    for (command, enabled) in [
        (Command::ChooseReviewBase, Ok(())),
        (Command::CompareAgain, Ok(())),
    ] {
        if widgets::menu_command(ui, command, enabled).clicked() {
            actions.push(Action::Run(command));
            ui.close();
        }
    }
}

/// Positions of the groups in the list.
struct QueueLayout {
    groups: usize,
    left: usize,
    open: Option<usize>,
    pairs: usize,
}

impl QueueLayout {
    fn new(desk: &ReviewDesk) -> Self {
        Self {
            groups: desk.groups(),
            left: desk.statuses.open_groups,
            open: desk.open_row(),
            pairs: desk.open_group().map_or(0, |(group, _)| group.pairs.len()),
        }
    }

    /// Returns the top of a row; for the row after the last, the bottom of the list.
    fn top(&self, row: usize) -> f32 {
        let heading = if row >= self.left && self.left < self.groups {
            DECIDED
        } else {
            0.0
        };
        let opened = if self.open.is_some_and(|open| row > open) {
            self.pairs as f32 * PAIR + 2.0 * AROUND
        } else {
            0.0
        };
        row as f32 * GROUP + heading + opened
    }

    /// Returns the first row that ends below a vertical position.
    fn row_at(&self, y: f32) -> usize {
        let (mut low, mut high) = (0, self.groups);
        while low < high {
            let middle = (low + high) / 2;
            if self.top(middle + 1) <= y {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

fn groups_ui(ui: &mut Ui, desk: &ReviewDesk, state: &mut QueueState, actions: &mut Vec<Action>) {
    let places = QueueLayout::new(desk);
    let mut area = ScrollArea::vertical()
        .id_salt("review groups")
        .auto_shrink(false);
    let room = ui.available_height();
    if state.shown != desk.pair {
        state.shown = desk.pair;
        if let Some(offset) = wanted_offset(desk, &places, state.offset, room) {
            area = area.vertical_scroll_offset(offset);
        }
    }
    let output = area.show_viewport(ui, |ui, viewport| {
        let width = ui.available_width();
        ui.set_width(width);
        ui.set_height(places.top(places.groups));
        let origin = ui.max_rect().min;
        for row in places.row_at(viewport.min.y)..places.groups {
            let top = places.top(row);
            if top > viewport.max.y {
                break;
            }
            if row == places.left {
                decided_heading(ui, pos2(origin.x, origin.y + top - DECIDED));
            }
            let Some((_, group, tally)) = desk.group_row(row) else {
                continue;
            };
            let rect = Rect::from_min_size(pos2(origin.x, origin.y + top), vec2(width, GROUP));
            let is_open = places.open == Some(row);
            group_ui(ui, rect, (group, tally), is_open, actions);
            if is_open {
                let top = rect.bottom() + AROUND;
                let seen = (origin.y + viewport.min.y, origin.y + viewport.max.y);
                pairs_ui(ui, desk, group, (pos2(origin.x, top), width), seen, actions);
            }
        }
    });
    state.offset = output.state.clamped_offset().y;
}

/// Returns the scroll offset at which the selected pair is visible; `None` if it is visible already.
fn wanted_offset(desk: &ReviewDesk, places: &QueueLayout, offset: f32, room: f32) -> Option<f32> {
    let (pair, row) = (desk.pair?, places.open?);
    let (group, _) = desk.open_group()?;
    let at = group.pairs.iter().position(|it| *it == pair)?;
    let top = places.top(row) + GROUP + AROUND + at as f32 * PAIR;
    let begin = if at == 0 { places.top(row) } else { top };
    if begin < offset {
        return Some(begin);
    }
    (top + PAIR > offset + room).then_some(top + PAIR * 3.0 - room)
}

fn decided_heading(ui: &mut Ui, at: egui::Pos2) {
    let rect = Rect::from_min_size(at, vec2(ui.available_width(), DECIDED));
    let line = widgets::line(
        ui,
        "Decided",
        theme::regular(theme::BODY),
        tokens(ui).muted,
        120.0,
    );
    let middle = pos2(rect.left() + theme::PADDING, rect.center().y + 2.0);
    widgets::paint_line(ui.painter(), middle, line);
}

fn pairs_ui(
    ui: &mut Ui,
    desk: &ReviewDesk,
    group: &ReviewGroup,
    (origin, width): (egui::Pos2, f32),
    (from, to): (f32, f32),
    actions: &mut Vec<Action>,
) {
    let first = ((from - origin.y) / PAIR).floor().max(0.0) as usize;
    let after = ((to - origin.y) / PAIR).ceil().max(0.0) as usize;
    let seen = first..after.min(group.pairs.len());
    for place in seen {
        let at = group.pairs[place];
        let Some(reviewed) = desk.review.pairs.get(at) else {
            continue;
        };
        let next = group
            .pairs
            .get(place + 1)
            .and_then(|next| desk.review.pairs.get(*next));
        let top = pos2(origin.x, origin.y + place as f32 * PAIR);
        let row = PairRow {
            reviewed,
            mark: desk.status(at),
            is_here: desk.pair == Some(at),
            has_follower: next.is_some_and(|next| next.first_cause == Some(at)),
        };
        pair_row_ui(
            ui,
            Rect::from_min_size(top, vec2(width, PAIR)),
            &row,
            actions,
        );
    }
}

fn apply_ui(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), APPLY);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    let count = desk.statuses.to_apply;
    let words = format!("Apply {}…", counted(count, "decision", "decisions"));
    let enabled = if count == 0 {
        Err("no decisions to apply")
    } else {
        Ok(())
    };
    let inner = rect.shrink2(vec2(theme::PADDING, 12.0));
    widgets::place(ui, inner, |ui| {
        let button = match count {
            0 => Button::secondary(&words),
            _ => Button::primary(&words),
        };
        let button = button
            .command(Command::ApplyDecisions, enabled)
            .width(inner.width());
        if ui.add(button).clicked() {
            actions.push(Action::Run(Command::ApplyDecisions));
        }
    });
    let status = match desk.unread {
        0 => "No file changes until you apply".to_owned(),
        unread => format!("{} could not be read", counted(unread, "file", "files")),
    };
    let words = StyledText::new().with(&status, theme::regular(theme::LABEL), colors.muted);
    let line = words.galley(ui, inner.width());
    let left = rect.center().x - line.size().x / 2.0;
    widgets::paint_line(ui.painter(), pos2(left, rect.bottom() - 17.0), line);
}
