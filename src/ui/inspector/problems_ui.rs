//! Paints the problems of an item, one per row.

use egui::{Color32, Rect, Ui, vec2};

use super::inspector_data::{InspectorData, ProblemLine};
use widgets::code::sentence;
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
    List::new("Problems of the file", &PROBLEM_ROW, data.problems.len()).show(ui, |slot| {
        problem_ui(slot, data, &data.problems[slot.index], actions);
    });
}

const PROBLEM_ROW: RowShape =
    RowShape { height: 78.0, lines: &[18.0, 38.0], ..RowShape::TWO_LINES };

fn problem_ui(
    slot: &mut RowSlot<'_>,
    data: &InspectorData,
    problem: &ProblemLine,
    actions: &mut Actions,
) {
    let tokens = tokens(slot.ui);
    let color = tokens.tone(widgets::severity_tone(problem.severity));
    let (mono, label) = (theme::mono(theme::LABEL), theme::regular(theme::LABEL));
    let rule = StyledText::new().with(problem.rule, mono, tokens.text_strong);
    let head = rule.after(theme::GAP, &problem.place, label, tokens.muted);
    let font = theme::regular(theme::ROW);
    let message = sentence(&problem.message, font, tokens.text, tokens.text_strong, 0.0);
    let message = Line::from(StyledText::wrapped(message, 2));
    let mut hover = problem.message.clone();
    if !problem.help.is_empty() {
        hover.push_str("\n\n");
        hover.push_str(&problem.help);
    }
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
        .tip(hover);
    let response = slot.show(row);
    widgets::on_click(&response, Action::Reveal(data.id, problem.span), actions);
    if let Some(fix) = problem.fix {
        let rect = slot.rect.shrink2(vec2(theme::PADDING, 0.0));
        let rect = Rect::from_min_size(rect.min, vec2(rect.width(), 2.0 * PROBLEM_ROW.lines[0]));
        let label = fix.row_label();
        let (is_clicked, _) = widgets::place_right(slot.ui, rect, |ui| {
            widgets::link(ui, &label).on_hover_text(fix.leaves).clicked()
        });
        if is_clicked {
            actions.push(Action::from(ProblemsAction::Fix(fix.rule, Some(data.id))));
        }
    }
    widgets::context_menu(&response, |ui| {
        if widgets::menu_action(ui, icons::COPY, "Copy as path:line:column", None) {
            actions.push(Action::Copy(format!("{}:{}", data.path, problem.at)));
        }
        if widgets::menu_action(ui, icons::COPY, "Copy the message", None) {
            actions.push(Action::Copy(problem.message.clone()));
        }
    });
}
