//! Paints the rows of the queue: a group of changes, and a pair of the open group.

use egui::{Color32, Rect, Stroke, Ui, UiBuilder, pos2};

use super::format_text;
use crate::ops::review::{ChangeSubject, ReviewGroup, Reviewed};
use crate::text::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, Tokens, tokens};
use crate::ui::widgets::{self, RowSelection};
use crate::workbench::{Action, DecisionStatus, ReviewAction, Tally};

/// Height of the row of a group.
pub(super) const GROUP: f32 = 56.0;
/// Height of the row of a pair.
pub(super) const PAIR: f32 = 26.0;
/// Width of a character of a path.
const LETTER: f32 = 7.6;
/// Where text begins, from the left edge.
const WORDS: f32 = 44.0;

/// Returns the icon of the kind of change.
pub(super) fn subject_icon(subject: ChangeSubject) -> &'static str {
    match subject {
        ChangeSubject::OfferedTool => icons::REPLACE,
        ChangeSubject::ToolCall => icons::ARROW_RIGHT,
        ChangeSubject::Prompt
        | ChangeSubject::Message
        | ChangeSubject::Answer
        | ChangeSubject::Reasoning => icons::TEXT,
        ChangeSubject::StopReason => icons::OCTAGON_X,
        ChangeSubject::ToolResponse => icons::CORNER_DOWN_LEFT,
        ChangeSubject::Signature => icons::FINGERPRINT,
        ChangeSubject::Source => icons::FILE_CODE,
        ChangeSubject::Context => icons::BRACES,
        ChangeSubject::Model => icons::SPARKLES,
        ChangeSubject::Timing => icons::CLOCK,
        ChangeSubject::Value => icons::PENCIL_LINE,
        ChangeSubject::Text => icons::FILE_TEXT,
    }
}

fn group_look(group: &ReviewGroup, tally: Tally, colors: &Tokens) -> (&'static str, Color32) {
    match tally.undecided() {
        0 if tally.count(DecisionStatus::Rejected) == tally.all() => {
            (icons::CIRCLE_X, colors.error)
        }
        0 if group.needs_decision => (icons::CIRCLE_CHECK, colors.good),
        0 => (icons::VOLUME_X, colors.muted),
        _ => (subject_icon(group.subject), colors.text),
    }
}

/// Draws a group. A click opens it.
pub(super) fn group_ui(
    ui: &mut Ui,
    rect: Rect,
    (group, tally): (&ReviewGroup, Tally),
    is_open: bool,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let chosen = if is_open {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let count = thousands(tally.all());
    let detail = detail(group, tally);
    let name = format!(
        "{}, {count}, {detail}",
        format_text::without_backticks(&group.name)
    );
    let mut inner = ui.new_child(UiBuilder::new().max_rect(rect).id_salt(&group.id));
    let response = widgets::row(&mut inner, GROUP, chosen, &name);
    let (icon, color) = group_look(group, tally, colors);
    let (first, second) = (rect.top() + 18.0, rect.top() + 37.0);
    let color = if is_open && tally.undecided() > 0 {
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
    let title = if is_open {
        format_text::rich_text_strong(&group.name, theme::BODY, colors)
    } else {
        format_text::rich_text(&group.name, theme::BODY, colors.text, colors)
    };
    let title = title.galley(ui, room);
    let is_elided = title.elided;
    widgets::paint_line(ui.painter(), pos2(left, first), title);
    let color = match tally.undecided() {
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
        response.on_hover_text(format_text::without_backticks(&group.name));
    }
}

/// Returns the place in the conversation, and the progress of the decisions.
fn detail(group: &ReviewGroup, tally: Tally) -> String {
    let worded = match group.reworded {
        0 => String::new(),
        count => format!(", {} reworded", thousands(count)),
    };
    match (tally.undecided(), tally.done()) {
        (0, _) => tally.summary(),
        (_, 0) if group.detail.is_empty() => "whole recordings".to_owned(),
        (_, 0) => format!("{}{worded}", group.detail),
        (left, _) if group.detail.is_empty() => format!("{} left", thousands(left)),
        (left, _) => format!("{}, {} left", group.detail, thousands(left)),
    }
}

/// A pair of the open group.
pub(super) struct PairRow<'a> {
    pub(super) reviewed: &'a Reviewed,
    pub(super) mark: DecisionStatus,
    pub(super) is_here: bool,
    /// Whether the pair below follows from it.
    pub(super) has_follower: bool,
}

impl PairRow<'_> {
    fn mark_label(&self) -> &'static str {
        match self.mark {
            DecisionStatus::Open | DecisionStatus::Ignored
                if self.reviewed.first_cause.is_some() =>
            {
                "follows"
            }
            DecisionStatus::Open | DecisionStatus::Ignored if self.has_follower => "first",
            DecisionStatus::Open | DecisionStatus::Ignored => "",
            mark => mark.label(),
        }
    }

    fn icon(&self, colors: &Tokens) -> (&'static str, Color32) {
        match self.mark {
            DecisionStatus::Accepted => (icons::CHECK, colors.good),
            DecisionStatus::Rejected => (icons::X, colors.error),
            DecisionStatus::Partial => (icons::ARROW_LEFT_RIGHT, colors.note),
            DecisionStatus::Skipped => (icons::SKIP_FORWARD, colors.muted),
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

/// Draws a pair. A click selects it.
pub(super) fn pair_row_ui(ui: &mut Ui, rect: Rect, row: &PairRow<'_>, actions: &mut Vec<Action>) {
    let colors = tokens(ui);
    let path = row.reviewed.pair.path();
    let (short, word) = (format_text::short_path(path), row.mark_label());
    let name = match word {
        "" => short.clone(),
        word => format!("{short}, {word}"),
    };
    let chosen = if row.is_here {
        RowSelection::SelectedAway
    } else {
        RowSelection::None
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
    let shown = format_text::truncate_middle(&short, (room / LETTER) as usize);
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
