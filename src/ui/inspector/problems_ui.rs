//! Paints the problems of an item, one per row.

use egui::{Color32, Rect, Ui, vec2};

use super::inspector_data::{InspectorData, ProblemLine};
use document::text::visible_lines;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Line, List, Row, RowShape, RowSlot, StyledText};
use workbench::{Action, Actions, ProblemsAction};

/// Draws the rows. A click shows the place in the text.
pub(super) fn problems_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    if data.problems.is_empty() {
        widgets::empty_state(ui, "This file has no problems.", None);
        return;
    }
    ui.spacing_mut().item_spacing.y = 0.0;
    let room = ui.available_width() - 2.0 * theme::PADDING - theme::INDENT;
    // A letter is 6 to 7 points wide; one message more than fits is worse than a blank line.
    let letters = ((room / 7.0) as usize).max(1);
    let lines = |problem: &ProblemLine| problem.message.chars().count() / letters + 1;
    let max_lines = data.problems.iter().map(lines).max().unwrap_or_default();
    // Beyond this number all rows are as high as the highest, so that a file with a hundred thousand problems scrolls as fast as one with
    // ten.
    let is_long = data.problems.len() > MAX_FITTED_ROWS;
    let lines = |problem: &ProblemLine| if is_long { max_lines } else { lines(problem) };
    let mut tops = vec![0.0];
    for problem in data.problems.iter().take(MAX_FITTED_ROWS) {
        tops.push(tops[tops.len() - 1] + row_height(lines(problem)));
    }
    let top = |row: usize| match tops.get(row) {
        Some(top) if !is_long => *top,
        _ => row as f32 * row_height(max_lines),
    };
    List::new("Problems of the file", &ROW, data.problems.len()).tops(&top).show(ui, |slot| {
        let problem = &data.problems[slot.index];
        problem_ui(slot, data, (problem, lines(problem).min(MAX_LINES)), actions);
    });
}

/// Number of rows up to which each is as high as its message.
const MAX_FITTED_ROWS: usize = 1_000;
/// Number of lines of a message that are shown.
const MAX_LINES: usize = 12;

static ROW: RowShape = RowShape { height: 60.0, lines: &[18.0, 38.0], ..RowShape::TWO_LINES };

/// Returns the height of a row whose message has this number of lines.
fn row_height(lines: usize) -> f32 {
    ROW.height + LINE_HEIGHT * (lines.clamp(1, MAX_LINES) - 1) as f32
}

/// Height of a line of a message.
const LINE_HEIGHT: f32 = 18.0;

fn problem_ui(
    slot: &mut RowSlot<'_>,
    data: &InspectorData,
    (line, rows): (&ProblemLine, usize),
    actions: &mut Actions,
) {
    let tokens = tokens(slot.ui);
    let ProblemLine { problem, message: words, fix } = line;
    let color = tokens.tone(widgets::severity_tone(problem.severity));
    let head = StyledText::new().with(
        check::rule(problem.rule).title,
        theme::semibold(theme::ROW),
        tokens.text_strong,
    );
    let (font, strong) = (theme::regular(theme::ROW), tokens.text_strong);
    let sentence = widgets::code::sentence(words, font, tokens.text, strong, 0.0);
    let message = Line::from(StyledText::new().sentence(sentence).rows(rows));
    let place = format!("line {}, column {}", problem.place.line, problem.place.column);
    let help = problem.help.as_deref().map(visible_lines).unwrap_or_default();
    let rule = problem.rule;
    let hover = format!("{rule}, {place}\n{words}\n\n{help}");
    let name = format!("{} {rule}, {place}", problem.severity);
    let head = Line::from(head);
    let head = match fix {
        // Transparent, because the link is placed over it.
        Some(fix) => {
            let font = theme::regular(theme::ROW);
            head.right(StyledText::new().with(&fix.row_label(), font, Color32::TRANSPARENT))
        }
        None => head,
    };
    let row = Row::new(name)
        .line(head.icon(icons::severity(problem.severity), color))
        .line(message.indent(theme::INDENT))
        .tip(hover.trim_end());
    let response = slot.show(row);
    widgets::on_click(&response, Action::Reveal(data.id, problem.span), actions);
    if let Some(fix) = fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let rect = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0 * ROW.lines[0]));
        let label = fix.row_label();
        let (link, _) = widgets::place_right(slot.ui, rect, |ui| {
            widgets::link(ui, &label).on_hover_text(fix.leaves)
        });
        widgets::on_click(&link, ProblemsAction::Fix(fix.rule, Some(data.id)), actions);
    }
    widgets::context_menu(&response, |ui| {
        let place = Action::Copy(format!("{}:{}", data.path, problem.place));
        widgets::menu_choice(ui, icons::COPY, "Copy as path:line:column", place, actions);
        let message = Action::Copy(words.clone());
        widgets::menu_choice(ui, icons::COPY, "Copy the message", message, actions);
    });
}
