//! Paints the table of differences.

use egui::{ScrollArea, Sense, Stroke, Ui, pos2, vec2};

use super::data::{DifferenceRow, difference_row};
use super::lanes_ui::sign_style;
use crate::ops::tape::overlay::{ComparedTake, DifferingSteps};
use crate::text::thousands;
use crate::ui::tapes::tapes_ui::TapeProps;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, RowSelection, StyledText};
use crate::workbench::{Action, CompareAction, TapesAction};

/// Positions of the columns, from the left edge of the table.
const AT: f32 = 72.0;
const OURS: f32 = 132.0;
const THEIRS: f32 = 192.0;
const WHAT: f32 = 208.0;
const TEXT: f32 = 400.0;
/// Width of the table from which it has a text column.
const TEXT_FROM: f32 = 440.0;

/// State of the table that is kept between frames.
#[derive(Debug, Default)]
pub(super) struct DifferencesTableState {
    /// The difference that was last scrolled into view.
    followed: Option<usize>,
    offset: f32,
}

/// Draws the table. A click selects a difference.
pub(super) fn differences_ui(
    ui: &mut Ui,
    props: TapeProps<'_>,
    takes: &ComparedTake,
    differing: &DifferingSteps,
    state: &mut DifferencesTableState,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let count = differing.steps().len();
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let (title, muted) = (theme::semibold(theme::BODY), theme::regular(theme::ROW));
        StyledText::new()
            .with("Differences", title, colors.text_strong)
            .after(theme::GAP, &thousands(count), muted, colors.muted)
            .show(ui);
    });
    widgets::hair_line(ui);
    if count == 0 {
        widgets::empty_state(ui, "The tapes are equal within this tolerance.", None);
        return;
    }
    heading_ui(ui);
    let at = props.desk.comparison().at();
    let mut area = ScrollArea::vertical()
        .id_salt(("steps", props.doc))
        .auto_shrink(false);
    if state.followed != Some(at) {
        state.followed = Some(at);
        let (top, height) = (at as f32 * theme::ROW_HEIGHT, ui.available_height());
        let seen = state.offset..=state.offset + height - theme::ROW_HEIGHT;
        if !seen.contains(&top) {
            area = area.vertical_scroll_offset((top - height / 3.0).max(0.0));
        }
    }
    let pace = props.desk.transport().pace();
    let shown = area.show_rows(ui, theme::ROW_HEIGHT, count, |ui, rows| {
        for index in rows {
            let row = difference_row(props.tape, takes, differing, index, pace);
            if row.is_some_and(|row| row_ui(ui, &row, index == at)) {
                let show = CompareAction::Show(index);
                actions.push(Action::Tapes(TapesAction::Compare(show)));
            }
        }
    });
    state.offset = shown.state.clamped_offset().y;
}

fn heading_ui(ui: &mut Ui) {
    let tokens = tokens(ui);
    let size = vec2(ui.available_width(), theme::TABLE_HEADING);
    let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
    ui.painter().rect_filled(rect, 0.0, tokens.panel);
    let font = theme::medium(theme::LABEL);
    let middle = rect.center().y;
    for (words, right) in [("At, s", AT), ("Chunk", OURS), ("Other", THEIRS)] {
        let line = widgets::line(ui, words, font.clone(), tokens.muted, 70.0);
        widgets::paint_line_right(ui.painter(), pos2(rect.left() + right, middle), line);
    }
    let has_text = rect.width() >= TEXT_FROM;
    let columns = [("Difference", WHAT), ("Text", TEXT)];
    for (words, left) in columns.into_iter().take(1 + usize::from(has_text)) {
        let line = widgets::line(ui, words, font.clone(), tokens.muted, 120.0);
        widgets::paint_line(ui.painter(), pos2(rect.left() + left, middle), line);
    }
    let hair = Stroke::new(1.0, tokens.hair);
    ui.painter()
        .hline(rect.x_range(), rect.bottom() - 0.5, hair);
}

fn row_ui(ui: &mut Ui, row: &DifferenceRow, is_here: bool) -> bool {
    let tokens = tokens(ui);
    let chosen = if is_here {
        RowSelection::Selected
    } else {
        RowSelection::None
    };
    let [ours, theirs] = &row.chunks;
    let name = format!(
        "At {} s, chunk {ours} against {theirs}, {}: {}",
        row.at, row.summary, row.text
    );
    let response = widgets::row(ui, theme::ROW_HEIGHT, chosen, &name);
    let (rect, painter) = (response.rect, ui.painter());
    let (left, middle) = (rect.left(), rect.center().y);
    for (words, right) in [(&row.at, AT), (ours, OURS), (theirs, THEIRS)] {
        let line = widgets::line(ui, words, theme::mono(theme::LABEL), tokens.text, 66.0);
        widgets::paint_line_right(painter, pos2(left + right, middle), line);
    }
    let (icon, color) = sign_style(row.sign, tokens);
    let center = pos2(left + WHAT + 7.0, middle);
    widgets::paint_icon(painter, center, icon, theme::ICON, color);
    let what = theme::regular(theme::LABEL);
    let end = if rect.width() >= TEXT_FROM {
        TEXT
    } else {
        rect.width()
    };
    let room = end - WHAT - theme::INDENT - theme::GAP;
    let line = widgets::line(ui, &row.summary, what, tokens.text_strong, room);
    widgets::paint_line(painter, pos2(left + WHAT + theme::INDENT, middle), line);
    if rect.width() >= TEXT_FROM {
        let room = rect.width() - TEXT - theme::GAP;
        let line = widgets::line(ui, &row.text, theme::mono(theme::LABEL), tokens.text, room);
        widgets::paint_line(painter, pos2(left + TEXT, middle), line);
    }
    response.on_hover_text(&row.text).clicked()
}
