//! Paints the queue: how far it is, its groups, and the pairs of the one that is open. Only what is seen is laid out.

use egui::{Color32, CornerRadius, Rect, ScrollArea, Sense, Stroke, Ui, UiBuilder, pos2, vec2};

use super::told;
use crate::ops::diff::{counted, thousands};
use crate::ops::review::{Group, Reviewed, Subject};
use crate::ui::compare::line_below;
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, Button, Chosen, Words};
use crate::workbench::{Action, Against, Command, Mark, ReviewAction, ReviewDesk, Tally};

const GROUP: f32 = 56.0;
const PAIR: f32 = 26.0;
/// The space above and below the pairs of the open group.
const AROUND: f32 = 4.0;
const DECIDED: f32 = 36.0;
const PROGRESS: f32 = 59.0;
const APPLY: f32 = 74.0;
/// How wide a letter of a path is.
const LETTER: f32 = 7.6;
/// Where words begin, from the left edge.
const WORDS: f32 = 44.0;

/// What the queue keeps to itself between frames.
#[derive(Debug, Default)]
pub(super) struct QueueState {
    /// The pair that was last scrolled to.
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
    let words = desk.against().words();
    let right = inner.with_min_x(left).with_max_x(rect.right() - 6.0);
    widgets::place_right(ui, right, |ui| {
        ui.set_clip_rect(ui.clip_rect().intersect(right));
        let button = Button::ghost(&words)
            .icon(icons::GIT_COMPARE)
            .trailing(icons::CHEVRON_DOWN);
        let response = ui.add(button.tooltip("What the takes are compared with"));
        widgets::menu(&response, |ui| against_menu(ui, desk, actions));
    });
    line_below(ui, rect);
}

fn against_menu(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Vec<Action>) {
    let revision = |name: &str| Against::Revision(name.into());
    let choices = [
        (
            icons::GIT_COMMIT_HORIZONTAL,
            "HEAD, the last commit",
            revision("HEAD"),
        ),
        (
            icons::GIT_COMMIT_HORIZONTAL,
            "HEAD~1, the commit before",
            revision("HEAD~1"),
        ),
        (
            icons::HOURGLASS,
            "Pending takes beside the files",
            Against::Sidecars,
        ),
    ];
    widgets::menu_heading(ui, "Compare what is open with");
    for (icon, words, against) in choices {
        let icon = if *desk.against() == against {
            icons::CHECK
        } else {
            icon
        };
        if widgets::menu_item(ui, icon, words, &[], None).clicked() {
            actions.push(Action::Review(ReviewAction::Against(against)));
            ui.close();
        }
    }
    for (command, enabled) in [
        (Command::ChooseAgainst, Ok(())),
        (Command::LookAgain, Ok(())),
    ] {
        if widgets::menu_command(ui, command, enabled).clicked() {
            actions.push(Action::Run(command));
            ui.close();
        }
    }
}

fn progress_ui(ui: &mut Ui, desk: &ReviewDesk) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), PROGRESS);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let tally = desk.tally();
    let done = format!("{} of {}", thousands(tally.done()), thousands(tally.all()));
    let left = match (desk.groups_left(), desk.progress()) {
        (_, Some((compared, of))) if of > 0 => {
            format!("comparing, {} of {}", thousands(compared), thousands(of))
        }
        (0, _) if tally.all() > 0 => "all decided".to_owned(),
        (0, _) => String::new(),
        (groups, _) => format!("{} left", counted(groups, "group", "groups")),
    };
    let name = format!("{done}, {left}");
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Label, true, &name));
    let line = |text: &str, font, color| widgets::line(ui, text, font, color, inner.width());
    let middle = rect.top() + 23.0;
    let left = line(&left, theme::regular(theme::BODY), colors.muted);
    widgets::paint_line_right(ui.painter(), pos2(inner.right(), middle), left);
    let done = line(&done, theme::semibold(theme::BODY), colors.text_strong);
    widgets::paint_line(ui.painter(), pos2(inner.left(), middle), done);
    let bar = Rect::from_min_size(
        pos2(inner.left(), rect.top() + 41.0),
        vec2(inner.width(), 6.0),
    );
    bar_ui(ui, bar, tally);
    line_below(ui, rect);
}

/// How all pairs stand, as lengths.
fn bar_ui(ui: &Ui, rect: Rect, tally: Tally) {
    let colors = tokens(ui);
    let parts: [(usize, Color32); 5] = [
        (tally.count(Mark::Accepted), colors.good),
        (tally.count(Mark::Rejected), colors.error),
        (tally.count(Mark::Parted), colors.note),
        (tally.count(Mark::Aside), colors.strong),
        (tally.left(), colors.line),
    ];
    let some = parts.iter().filter(|(count, _)| *count > 0).count();
    let room = rect.width() - some.saturating_sub(1) as f32 * 2.0;
    let all = tally.all().max(1) as f32;
    let mut left = rect.left();
    for (count, color) in parts.into_iter().filter(|(count, _)| *count > 0) {
        let width = room * count as f32 / all;
        let part = Rect::from_min_size(pos2(left, rect.top()), vec2(width, rect.height()));
        ui.painter().rect_filled(part, CornerRadius::same(2), color);
        left = part.right() + 2.0;
    }
}

/// Where the groups stand in the list.
struct Places {
    groups: usize,
    left: usize,
    open: Option<usize>,
    pairs: usize,
}

impl Places {
    fn of(desk: &ReviewDesk) -> Self {
        Self {
            groups: desk.groups(),
            left: desk.groups_left(),
            open: desk.open_row(),
            pairs: desk.open_group().map_or(0, |(group, _)| group.pairs.len()),
        }
    }

    /// Where a row begins; the one after the last begins where all end.
    fn top(&self, row: usize) -> f32 {
        let heading = if row >= self.left && self.left < self.groups {
            DECIDED
        } else {
            0.0
        };
        let opened = match self.open.is_some_and(|open| row > open) {
            true => self.pairs as f32 * PAIR + 2.0 * AROUND,
            false => 0.0,
        };
        row as f32 * GROUP + heading + opened
    }

    /// The first row that reaches below a height.
    fn at(&self, y: f32) -> usize {
        let (mut low, mut high) = (0, self.groups);
        while low < high {
            let middle = (low + high) / 2;
            match self.top(middle + 1) <= y {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        low
    }
}

fn groups_ui(ui: &mut Ui, desk: &ReviewDesk, state: &mut QueueState, actions: &mut Vec<Action>) {
    let places = Places::of(desk);
    let mut area = ScrollArea::vertical()
        .id_salt("review groups")
        .auto_shrink(false);
    let room = ui.available_height();
    if state.shown != desk.pair() {
        state.shown = desk.pair();
        if let Some(offset) = wanted_offset(desk, &places, state.offset, room) {
            area = area.vertical_scroll_offset(offset);
        }
    }
    let output = area.show_viewport(ui, |ui, viewport| {
        let width = ui.available_width();
        ui.set_width(width);
        ui.set_height(places.top(places.groups));
        let origin = ui.max_rect().min;
        for row in places.at(viewport.min.y)..places.groups {
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

/// Where to scroll so that the selected pair is seen; `None` when it is.
fn wanted_offset(desk: &ReviewDesk, places: &Places, offset: f32, room: f32) -> Option<f32> {
    let (pair, row) = (desk.pair()?, places.open?);
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

/// The icon of what changed.
pub(super) fn subject_icon(subject: Subject) -> &'static str {
    match subject {
        Subject::OfferedTool => icons::REPLACE,
        Subject::ToolCall => icons::ARROW_RIGHT,
        Subject::Prompt | Subject::Message | Subject::Answer | Subject::Reasoning => icons::TEXT,
        Subject::StopReason => icons::OCTAGON_X,
        Subject::ToolResponse => icons::CORNER_DOWN_LEFT,
        Subject::Signature => icons::FINGERPRINT,
        Subject::Source => icons::FILE_CODE,
        Subject::Context => icons::BRACES,
        Subject::Model => icons::SPARKLES,
        Subject::Timing => icons::CLOCK,
        Subject::Value => icons::PENCIL_LINE,
        Subject::Text => icons::FILE_TEXT,
    }
}

fn group_look(group: &Group, tally: Tally, colors: &Tokens) -> (&'static str, Color32) {
    match tally.left() {
        0 if tally.count(Mark::Rejected) == tally.all() => (icons::CIRCLE_X, colors.error),
        0 if group.needs_decision => (icons::CIRCLE_CHECK, colors.good),
        0 => (icons::VOLUME_X, colors.muted),
        _ => (subject_icon(group.subject), colors.text),
    }
}

fn group_ui(
    ui: &mut Ui,
    rect: Rect,
    (group, tally): (&Group, Tally),
    is_open: bool,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let chosen = if is_open {
        Chosen::Selected
    } else {
        Chosen::No
    };
    let count = thousands(tally.all());
    let detail = detail(group, tally);
    let name = format!("{}, {count}, {detail}", told::plain(&group.name));
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(&group.id));
    let response = widgets::row(&mut inner, GROUP, chosen, &name);
    let (icon, color) = group_look(group, tally, colors);
    let (first, second) = (rect.top() + 18.0, rect.top() + 37.0);
    let color = if is_open && tally.left() > 0 {
        colors.accent
    } else {
        color
    };
    let at = pos2(rect.left() + theme::PADDING + 9.0, first);
    widgets::paint_icon(ui.painter(), at, icon, theme::ICON_HEADING, color);
    let count = widgets::line(ui, &count, theme::mono(theme::ROW), colors.text, 80.0);
    let left = rect.left() + WORDS;
    let room = rect.right() - theme::PADDING - count.size().x - theme::GAP - left;
    widgets::paint_line_right(
        ui.painter(),
        pos2(rect.right() - theme::PADDING, first),
        count,
    );
    let title = match is_open {
        true => told::strong(&group.name, theme::BODY, colors),
        false => told::words(&group.name, theme::BODY, colors.text, colors),
    };
    let title = title.galley(ui, room);
    let is_elided = title.elided;
    widgets::paint_line(ui.painter(), pos2(left, first), title);
    let color = match tally.left() {
        0 if group.needs_decision => color,
        _ if is_open => colors.text,
        _ => colors.muted,
    };
    let room = rect.right() - theme::PADDING - left;
    let line = widgets::line(ui, &detail, theme::regular(theme::LABEL), color, room);
    widgets::paint_line(ui.painter(), pos2(left, second), line);
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    if response.clicked() {
        actions.push(Action::Review(ReviewAction::Open(group.id.as_str().into())));
    }
    if is_elided {
        response.on_hover_text(told::plain(&group.name));
    }
}

/// Where in the conversation, and how far it is decided.
fn detail(group: &Group, tally: Tally) -> String {
    let worded = match group.reworded {
        0 => String::new(),
        count => format!(", {} worded otherwise", thousands(count)),
    };
    match (tally.left(), tally.done()) {
        (0, _) => tally.words(),
        (_, 0) if group.detail.is_empty() => "whole takes".to_owned(),
        (_, 0) => format!("{}{worded}", group.detail),
        (left, _) if group.detail.is_empty() => format!("{} left", thousands(left)),
        (left, _) => format!("{}, {} left", group.detail, thousands(left)),
    }
}

fn pairs_ui(
    ui: &mut Ui,
    desk: &ReviewDesk,
    group: &Group,
    (origin, width): (egui::Pos2, f32),
    (from, to): (f32, f32),
    actions: &mut Vec<Action>,
) {
    let first = ((from - origin.y) / PAIR).floor().max(0.0) as usize;
    let after = ((to - origin.y) / PAIR).ceil().max(0.0) as usize;
    let seen = first..after.min(group.pairs.len());
    for place in seen {
        let at = group.pairs[place];
        let Some(reviewed) = desk.review().pairs.get(at) else {
            continue;
        };
        let next = group
            .pairs
            .get(place + 1)
            .and_then(|next| desk.review().pairs.get(*next));
        let top = pos2(origin.x, origin.y + place as f32 * PAIR);
        let row = PairRow {
            reviewed,
            mark: desk.mark(at),
            is_here: desk.pair() == Some(at),
            leads: next.is_some_and(|next| next.first_cause == Some(at)),
        };
        pair_row_ui(
            ui,
            Rect::from_min_size(top, vec2(width, PAIR)),
            &row,
            actions,
        );
    }
}

/// A pair of the open group.
struct PairRow<'a> {
    reviewed: &'a Reviewed,
    mark: Mark,
    is_here: bool,
    /// The pair below follows from it.
    leads: bool,
}

impl PairRow<'_> {
    fn word(&self) -> &'static str {
        match self.mark {
            Mark::Open | Mark::Aside if self.reviewed.first_cause.is_some() => "follows",
            Mark::Open | Mark::Aside if self.leads => "first",
            Mark::Open | Mark::Aside => "",
            mark => mark.word(),
        }
    }

    fn icon(&self, colors: &Tokens) -> (&'static str, Color32) {
        match self.mark {
            Mark::Accepted => (icons::CHECK, colors.good),
            Mark::Rejected => (icons::X, colors.error),
            Mark::Parted => (icons::ARROW_LEFT_RIGHT, colors.note),
            Mark::Skipped => (icons::SKIP_FORWARD, colors.muted),
            _ if self.reviewed.first_cause.is_some() => (icons::CORNER_DOWN_RIGHT, colors.muted),
            _ => (
                icons::FILE_PLAY,
                if self.is_here {
                    colors.accent
                } else {
                    colors.muted
                },
            ),
        }
    }
}

fn pair_row_ui(ui: &mut Ui, rect: Rect, row: &PairRow<'_>, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let path = row.reviewed.pair.path();
    let (short, word) = (told::short(path), row.word());
    let name = match word {
        "" => short.clone(),
        word => format!("{short}, {word}"),
    };
    let chosen = if row.is_here {
        Chosen::SelectedAway
    } else {
        Chosen::No
    };
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(path));
    let response = widgets::row(&mut inner, PAIR, chosen, &name);
    let middle = rect.center().y;
    let (icon, color) = row.icon(colors);
    let at = pos2(rect.left() + WORDS + 6.0, middle);
    widgets::paint_icon(ui.painter(), at, icon, theme::ICON, color);
    let word = widgets::line(ui, word, theme::regular(theme::LABEL), colors.muted, 100.0);
    let left = rect.left() + WORDS + 20.0;
    let room = rect.right() - theme::PADDING - word.size().x - theme::GAP - left;
    widgets::paint_line_right(
        ui.painter(),
        pos2(rect.right() - theme::PADDING, middle),
        word,
    );
    let color = if row.is_here {
        colors.text_strong
    } else {
        colors.text
    };
    let shown = told::fit(&short, (room / LETTER) as usize);
    let line = widgets::line(ui, &shown, theme::mono(theme::ROW), color, room);
    widgets::paint_line(ui.painter(), pos2(left, middle), line);
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    if response.clicked() {
        actions.push(Action::Review(ReviewAction::Select(
            row.reviewed.pair.key(),
        )));
    }
    response.on_hover_text(crate::text::visible(path));
}

fn apply_ui(ui: &mut Ui, desk: &ReviewDesk, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let size = vec2(ui.available_width(), APPLY);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    let hair = Stroke::new(1.0, colors.hair);
    ui.painter().hline(rect.x_range(), rect.top() + 0.5, hair);
    let count = desk.to_apply();
    let words = format!("Apply {}…", counted(count, "decision", "decisions"));
    let enabled = if count == 0 {
        Err("there is no decision to apply")
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
    let told = match desk.unread() {
        0 => "Nothing is written before that".to_owned(),
        unread => format!("{} could not be read", counted(unread, "file", "files")),
    };
    let words = Words::new().with(&told, theme::regular(theme::LABEL), colors.muted);
    let line = words.galley(ui, inner.width());
    let left = rect.center().x - line.size().x / 2.0;
    widgets::paint_line(ui.painter(), pos2(left, rect.bottom() - 17.0), line);
}
