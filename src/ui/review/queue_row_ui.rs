//! Paints the rows of the queue: a group of changes, and a pair of the open group.

use egui::{Color32, Ui, vec2};

use super::format_text;
use compare::review::{ChangeSubject, ReviewGroup, Reviewed};
use document::text::{thousands, visible};
use widgets::theme::{self, Tokens, tokens};
use widgets::{Line, Row, RowSelection, RowShape, RowSlot, StyledText, icons};
use workbench::{Action, Actions, DecisionStatus, ReviewAction, Tally};

pub(super) const GROUP_ROW: RowShape = RowShape {
    height: 56.0,
    lines: &[18.0, 37.0],
    margins: (TEXT_LEFT, theme::PADDING),
    ..RowShape::TWO_LINES
};
pub(super) const PAIR_ROW: RowShape = RowShape {
    height: 26.0,
    lines: &[13.0],
    margins: (TEXT_LEFT - 1.0, theme::PADDING),
    ..RowShape::ONE_LINE
};
/// Width of a character of a path.
const LETTER_WIDTH: f32 = 7.6;
/// Left edge of the text; the icon is before it.
const TEXT_LEFT: f32 = 44.0;

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
        ChangeSubject::HttpCall => icons::ARROW_LEFT_RIGHT,
        ChangeSubject::Value => icons::PENCIL_LINE,
        ChangeSubject::Text => icons::FILE_TEXT,
    }
}

fn group_look(group: &ReviewGroup, tally: Tally, colors: &Tokens) -> (&'static str, Color32) {
    match tally.undecided() {
        // Only a group that was rejected as a whole; a mixed one shows that it is done.
        0 if tally.count(DecisionStatus::Rejected) == tally.all() => {
            (icons::CIRCLE_X, colors.error)
        }
        0 if group.needs_decision => (icons::CIRCLE_CHECK, colors.good),
        0 => (icons::VOLUME_X, colors.muted),
        count if count == tally.count(DecisionStatus::Discussed) => {
            (icons::MESSAGE_SQUARE, colors.warning)
        }
        _ => (subject_icon(group.subject), colors.text),
    }
}

/// Returns the name of a group in up to two lines.
fn group_title(group: &ReviewGroup, is_open: bool, colors: &Tokens) -> StyledText {
    let title = if is_open {
        format_text::rich_text_strong(&group.name, theme::BODY, colors)
    } else {
        format_text::rich_text(&group.name, theme::BODY, colors.text, colors)
    };
    title.rows(2)
}

fn count_text(tally: Tally, colors: &Tokens) -> StyledText {
    StyledText::new().with(&thousands(tally.all()), theme::mono(theme::ROW), colors.text)
}

/// Returns the height of a group's row.
pub(super) fn group_height(ui: &Ui, group: &ReviewGroup, tally: Tally, is_open: bool) -> f32 {
    let colors = tokens(ui);
    let count = count_text(tally, colors).galley(ui, f32::INFINITY).size().x;
    // The row is laid out like this: the title wraps in the room that the number leaves.
    let room = ui.available_width() - TEXT_LEFT - theme::PADDING - count - theme::GAP;
    GROUP_ROW.height + widgets::height_below(ui, group_title(group, is_open, colors), room)
}

/// Draws a group. A click opens it.
pub(super) fn group_ui(
    slot: &mut RowSlot<'_>,
    group: &ReviewGroup,
    tally: Tally,
    (is_open, is_unfolded): (bool, bool),
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let (count, detail) = (thousands(tally.all()), detail(group, tally));
    let name = format_text::without_backticks(&group.name);
    let (icon, color) = group_look(group, tally, colors);
    let color = if is_open && tally.undecided() > 0 { colors.accent } else { color };
    let title = group_title(group, is_open, colors);
    let detail_color = match tally.undecided() {
        0 if group.needs_decision => color,
        _ if is_open => colors.text,
        _ => colors.muted,
    };
    let right = count_text(tally, colors);
    let font = theme::regular(theme::LABEL);
    let second_line = match mark_of_group(group, tally) {
        Some(words) => {
            let (icon, icon_color, color) = uniformity_look(group.causes, colors);
            let mark = StyledText::new().with(&words, font.clone(), color);
            // The mark is the start of the detail and has its own colour.
            let rest = detail.strip_prefix(&words).unwrap_or_default();
            let line = Line::from(mark.with(rest, font, detail_color));
            line.icon(icon, icon_color).indent(theme::ICON + theme::ICON_GAP)
        }
        None => Line::new(&detail, font, detail_color),
    };
    let row = Row::new(format!("{name}, {count}, {detail}"))
        .selected(is_open)
        .unfolds(is_unfolded)
        .line(Line::from(title).right(right))
        .line(second_line);
    let id = || group.id.as_str().into();
    let is_clicked = slot.show(row).clicked();
    if slot.is_toggled {
        actions.push(Action::from(ReviewAction::ToggleGroup(id())));
    } else if is_clicked {
        actions.push(Action::from(ReviewAction::Open(id())));
    }
    // Painted apart from the row, since a row's own icons are smaller.
    let center = slot.rect.left_top() + vec2(theme::PADDING + 9.0, GROUP_ROW.lines[0]);
    widgets::paint_icon(slot.ui.painter(), center, icon, theme::ICON_HEADING, color);
}

/// Returns whether one decision is enough for a group that is undecided, as a mark.
fn mark_of_group(group: &ReviewGroup, tally: Tally) -> Option<String> {
    let is_whole = group.detail.is_empty() || group.pairs.len() < 2;
    let is_open = tally.done() == 0 && tally.count(DecisionStatus::Discussed) < tally.undecided();
    (!is_whole && is_open).then(|| group.uniformity())
}

/// Returns the icon of that mark, its colour and that of its words, for a number of different causes.
fn uniformity_look(causes: usize, colors: &Tokens) -> (&'static str, Color32, Color32) {
    match causes {
        0 | 1 => (icons::EQUAL, colors.good, colors.muted),
        _ => (icons::GIT_FORK, colors.warning, colors.warning),
    }
}

/// Returns the place in the conversation, and the progress of the decisions.
fn detail(group: &ReviewGroup, tally: Tally) -> String {
    let discussed_count = tally.count(DecisionStatus::Discussed);
    match (tally.undecided(), tally.done()) {
        (0, _) => tally.summary(),
        (count, _) if count == discussed_count => tally.summary(),
        (_, 0) if group.detail.is_empty() => "whole recordings".to_owned(),
        (_, 0) if group.pairs.len() > 1 => format!("{}, {}", group.uniformity(), group.detail),
        (_, 0) => group.detail.clone(),
        (count, _) if group.detail.is_empty() => format!("{} left", thousands(count)),
        (count, _) => format!("{}, {} left", group.detail, thousands(count)),
    }
}

/// A pair of the open group.
pub(super) struct PairRow<'a> {
    pub(super) reviewed: &'a Reviewed,
    pub(super) mark: DecisionStatus,
    pub(super) is_here: bool,
    /// Whether the pair below follows from it.
    pub(super) has_follower: bool,
    /// The length of the folder that all pairs of the group are in.
    pub(super) folder: usize,
}

impl PairRow<'_> {
    /// Returns its path in the folder of its group; of a file that got another name, also the old one.
    fn name(&self) -> String {
        let pair = &self.reviewed.pair;
        let new = format_text::path_below(pair.path(), self.folder);
        let old = pair.old.as_ref().filter(|_| pair.is_renamed());
        let Some(old) = old else { return new };
        // A file that was moved from another folder keeps that folder in its old name.
        let is_beside = pair.path().get(..self.folder) == old.path.get(..self.folder);
        let folder = if is_beside { self.folder } else { 0 };
        format_text::renamed(&format_text::path_below(&old.path, folder), &new)
    }

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
            DecisionStatus::NoiseKept => (icons::VOLUME_X, colors.good),
            DecisionStatus::Rejected => (icons::X, colors.error),
            DecisionStatus::Partial => (icons::ARROW_LEFT_RIGHT, colors.note),
            DecisionStatus::Skipped => (icons::SKIP_FORWARD, colors.muted),
            DecisionStatus::Discussed => (icons::MESSAGE_SQUARE, colors.warning),
            _ if self.reviewed.first_cause.is_some() => (icons::CORNER_DOWN_RIGHT, colors.muted),
            _ => (
                icons::kind(self.reviewed.compared.kind),
                if self.is_here { colors.accent } else { colors.muted },
            ),
        }
    }
}

/// Draws a pair. A click selects it.
pub(super) fn pair_row_ui(slot: &mut RowSlot<'_>, row: &PairRow<'_>, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let path = row.reviewed.pair.path();
    let (pair_name, word) = (row.name(), row.mark_label());
    let name = match word {
        "" => pair_name.clone(),
        word => format!("{pair_name}, {word}"),
    };
    let (selection, color) = if row.is_here {
        (RowSelection::SelectedAway, colors.text_strong)
    } else {
        (RowSelection::None, colors.text)
    };
    let word = StyledText::new().with(word, theme::regular(theme::LABEL), colors.muted);
    // Shortened here and not by the row, which would cut the end of the name.
    let mark_width = word.clone().galley(slot.ui, 100.0).size().x + theme::GAP + theme::PADDING;
    let room = slot.rect.width() - TEXT_LEFT - 20.0 - mark_width;
    let text = format_text::truncate_middle(&pair_name, (room / LETTER_WIDTH) as usize);
    let (icon, icon_color) = row.icon(colors);
    let line = Line::new(&text, theme::mono(theme::ROW), color)
        .icon(icon, icon_color)
        .indent(21.0)
        .right(word);
    let old = row.reviewed.pair.old.as_ref();
    let tip = match old.filter(|_| row.reviewed.pair.is_renamed()) {
        Some(old) => format!("{}\nwas {}", visible(path), visible(&old.path)),
        None => visible(path).into_owned(),
    };
    let content = Row::new(name).selection(selection).line(line);
    if slot.show_as(&PAIR_ROW, content.tip(tip)).clicked() {
        actions.push(Action::from(ReviewAction::Select(row.reviewed.pair.key())));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ::compare::review::{PairedBy, Review, Take, TakePair, compare};

    #[test]
    fn different_changes_are_marked_as_a_warning() {
        let colors = &widgets::theme::DARK;
        let (icon, _, color) = uniformity_look(3, colors);
        assert_eq!((icon, color), (icons::GIT_FORK, colors.warning));
        let (icon, _, color) = uniformity_look(1, colors);
        assert_eq!((icon, color), (icons::EQUAL, colors.muted));
    }

    #[test]
    fn a_file_with_another_number_shows_both_names() {
        let take = |path: &str| Some(Arc::new(Take::new(path, b"{}".to_vec())));
        let pair = TakePair {
            old: take("tapes/gpt-5-mini-2.json"),
            new: take("tapes/gpt-5-mini-10.json"),
            by: PairedBy::Content,
        };
        let comparison = compare(&pair, &[]);
        let review = Review::new(vec![(pair, comparison)]);
        let row = |folder| PairRow {
            reviewed: &review.pairs[0],
            mark: DecisionStatus::Open,
            is_here: false,
            has_follower: false,
            folder,
        };
        assert_eq!(row(6).name(), "gpt-5-mini-2 → 10");
        assert_eq!(row(0).name(), "tapes/gpt-5-mini-2 → 10");
    }

    #[test]
    fn a_pair_has_the_icon_of_its_kind_of_file() {
        let colors = widgets::theme::DARK;
        for (path, text, icon) in [
            (
                "a.yaml",
                "interactions:\n- request: {method: GET, uri: 'https://a.example/', body: null, headers: {}}\n  response: {status: {code: 200, message: OK}, headers: {}, body: {string: a}}\nversion: 1\n",
                icons::VOICEMAIL,
            ),
            (
                "a.json",
                r#"{"meta": {"model": "m"}, "request": {"model": "m", "contents": ""}, "stream": []}"#,
                icons::CASSETTE_TAPE,
            ),
        ] {
            let new = Some(Arc::new(Take::new(path, text.as_bytes().to_vec())));
            let pair = TakePair { old: None, new, by: PairedBy::Unpaired };
            let comparison = compare(&pair, &[]);
            let review = Review::new(vec![(pair, comparison)]);
            let row = PairRow {
                reviewed: &review.pairs[0],
                mark: DecisionStatus::Open,
                is_here: false,
                has_follower: false,
                folder: 0,
            };
            assert_eq!(row.icon(&colors).0, icon, "{path}");
        }
    }
}
