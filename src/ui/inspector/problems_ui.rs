//! Paints the problems of an item, one per row.

use egui::{Color32, Rect, Ui, vec2};

use super::inspector_data::{InspectorData, ProblemLine};
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
    // All rows have the same height so that a file with a hundred thousand problems scrolls as fast as one with ten.
    ui.spacing_mut().item_spacing.y = 0.0;
    let room = ui.available_width() - 2.0 * theme::PADDING - theme::INDENT;
    // A letter is 6 to 7 points wide; one message more than fits is worse than a blank line.
    let letters = ((room / 7.0) as usize).max(1);
    let lines = data.problems.iter().map(|problem| problem.message.chars().count() / letters + 1);
    let lines = lines.max().unwrap_or_default();
    let (rows, shape) = ROWS.iter().find(|(rows, _)| *rows >= lines).unwrap_or(&ROWS[2]);
    List::new("Problems of the file", shape, data.problems.len()).show(ui, |slot| {
        problem_ui(slot, data, (&data.problems[slot.index], *rows), actions);
    });
}

/// Shapes of a row, by the number of lines of its message.
static ROWS: [(usize, RowShape); 3] = [
    (2, RowShape { height: 78.0, lines: &[18.0, 38.0], ..RowShape::TWO_LINES }),
    (5, RowShape { height: 132.0, lines: &[18.0, 38.0], ..RowShape::TWO_LINES }),
    (12, RowShape { height: 258.0, lines: &[18.0, 38.0], ..RowShape::TWO_LINES }),
];

fn problem_ui(
    slot: &mut RowSlot<'_>,
    data: &InspectorData,
    (problem, rows): (&ProblemLine, usize),
    actions: &mut Actions,
) {
    let tokens = tokens(slot.ui);
    let color = tokens.tone(widgets::severity_tone(problem.severity));
    let head =
        StyledText::new().with(problem.title, theme::semibold(theme::ROW), tokens.text_strong);
    let (font, strong) = (theme::regular(theme::ROW), tokens.text_strong);
    let words = widgets::code::sentence(&problem.message, font, tokens.text, strong, 0.0);
    let message = Line::from(StyledText::new().sentence(words).rows(rows));
    let ProblemLine { rule, place, message: words, help, .. } = problem;
    let hover = format!("{rule}, {place}\n{words}\n\n{help}");
    let name = format!("{} {}, {}", problem.severity, problem.rule, problem.place);
    let head = Line::from(head);
    let head = match problem.fix {
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
    if let Some(fix) = problem.fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let rect = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0 * ROWS[0].1.lines[0]));
        let label = fix.row_label();
        let (link, _) = widgets::place_right(slot.ui, rect, |ui| {
            widgets::link(ui, &label).on_hover_text(fix.leaves)
        });
        widgets::on_click(&link, ProblemsAction::Fix(fix.rule, Some(data.id)), actions);
    }
    widgets::context_menu(&response, |ui| {
        let place = Action::Copy(format!("{}:{}", data.path, problem.at));
        widgets::menu_choice(ui, icons::COPY, "Copy as path:line:column", place, actions);
        let message = Action::Copy(problem.message.clone());
        widgets::menu_choice(ui, icons::COPY, "Copy the message", message, actions);
    });
}
