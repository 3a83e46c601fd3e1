//! The list of what can be played.

use egui::{Ui, pos2};

use super::playback_data::{PlaybackData, common_folder};
use document::text::visible;
use play::playback::ResultStatus;
use widgets::theme::{self, Tone, tokens};
use widgets::{
    BlockVerdict, CallBlock, DistinctName, Line, List, ROW_STRIP_WIDTH, Row, RowShape, RowSlot,
    StyledText, icons,
};
use workbench::{Action, Actions, Playable, PlaybackAction};

/// Width of the problems at the right, and the least room for a name beside a strip.
const PROBLEM_WIDTH: f32 = 200.0;
const MIN_NAME_WIDTH: f32 = 240.0;

/// Draws the list.
pub(super) fn list_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    let rows = data.desk.playables();
    if rows.is_empty() {
        return empty_ui(ui, data, actions);
    }
    let folder = common_folder(rows);
    let cursor = data.desk.cursor();
    List::new("What can be played", &RowShape::TWO_LINES, rows.len())
        .selection(cursor, |path| rows.iter().position(|row| row.path == *path))
        .show(ui, |slot| row_ui(slot, (rows, folder), cursor.map(|path| &**path), actions));
}

fn empty_ui(ui: &mut Ui, data: &PlaybackData<'_>, actions: &mut Actions) {
    if !data.desk.filter().is_empty() {
        if widgets::empty_state(ui, "Nothing matches the filter.", Some("Clear filter")) {
            actions.push(Action::from(PlaybackAction::Filter(String::new())));
        }
        return;
    }
    widgets::empty_sentence(
        ui,
        match data.workbench.core.progress {
            // While files are read, a set may still appear.
            Some(_) => "Sets and cassettes appear here when they are read.",
            None => "The open folder has no recordings that can be played.",
        },
    );
}

fn row_ui(
    slot: &mut RowSlot<'_>,
    (rows, folder): (&[Playable], usize),
    cursor: Option<&str>,
    actions: &mut Actions,
) {
    let row = &rows[slot.index];
    let name = |row: &'_ Playable| visible(&row.path[folder.min(row.path.len())..]).into_owned();
    let neighbors = [slot.index.checked_sub(1), Some(slot.index + 1)];
    let neighbors: Vec<String> =
        neighbors.into_iter().flatten().filter_map(|at| rows.get(at)).map(name).collect();
    let name = match name(row) {
        name if name.is_empty() => "The project's folder".to_owned(),
        name => name,
    };
    let blocks: Vec<CallBlock> = row.calls.iter().map(|call| verdict(*call).into()).collect();
    let mut label = name.clone();
    let calls = (!blocks.is_empty()).then(|| widgets::strip_label(&blocks));
    let problem = Some(row.problem.clone()).filter(|problem| !problem.is_empty());
    for part in calls.into_iter().chain(problem) {
        label.push_str(&format!(", {part}"));
    }
    let is_selected = cursor == Some(&*row.path);
    let response = slot.show(Row::new(label).selected(is_selected));
    widgets::on_click(&response, PlaybackAction::Choose(row.path.clone()), actions);
    let (ui, rect) = (&*slot.ui, slot.rect);
    let (colors, y) = (tokens(ui), rect.center().y);
    let mut right = rect.right() - theme::PADDING;
    let tone = match row.status {
        ResultStatus::Good => Tone::Plain,
        status => widgets::outcome_style(status).1,
    };
    let words = StyledText::of(&row.problem, (theme::regular(theme::ROW), colors.tone(tone)));
    let place = rect.with_min_x(right - PROBLEM_WIDTH).with_max_x(right);
    Line::default().right(words).show_in(ui, place);
    right -= PROBLEM_WIDTH + theme::PADDING;
    let left = rect.left() + theme::PADDING + theme::INDENT;
    if right - ROW_STRIP_WIDTH - left > MIN_NAME_WIDTH {
        right -= ROW_STRIP_WIDTH;
        widgets::row_strip(ui, pos2(right, y), &blocks);
        right -= theme::PADDING;
    }
    let icon = if row.is_cassette { icons::VOICEMAIL } else { icons::FILE_PLAY };
    let sign = Line::default().sign(icon, colors.muted);
    sign.show_in(ui, rect.with_min_x(left - theme::INDENT));
    let distinct = DistinctName::new(&name, neighbors.iter().map(String::as_str));
    Line::distinct(&distinct, is_selected).show_in(ui, rect.with_min_x(left).with_max_x(right));
}

/// Returns the verdict on a call, by its status.
fn verdict(status: Option<ResultStatus>) -> BlockVerdict {
    match status {
        None => BlockVerdict::OtherCall,
        Some(ResultStatus::Good) => BlockVerdict::Right,
        Some(ResultStatus::Doubtful) => BlockVerdict::OrderDecides,
        Some(ResultStatus::Bad) => BlockVerdict::Wrong,
    }
}
