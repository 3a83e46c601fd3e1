//! Paints the problems of an item, one per row.

use egui::{Stroke, Ui, pos2};

use super::data::{InspectorData, ProblemLine};
use crate::ui::code::sentence;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets;
use crate::workbench::Action;

/// Draws the rows. A click shows the place in the text.
pub(super) fn problems_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Vec<Action>) {
    if data.problems.is_empty() {
        widgets::empty_state(ui, "This file has no problems.", None);
        return;
    }
    // All rows have the same height so that a file with a hundred thousand problems scrolls as fast as one with ten.
    ui.spacing_mut().item_spacing.y = 0.0;
    let area = egui::ScrollArea::vertical().auto_shrink(false);
    area.show_rows(ui, PROBLEM_ROW, data.problems.len(), |ui, range| {
        for problem in data.problems.get(range).unwrap_or_default() {
            problem_ui(ui, data, problem, actions);
        }
    });
}

const PROBLEM_ROW: f32 = 78.0;

fn problem_ui(ui: &mut Ui, data: &InspectorData, problem: &ProblemLine, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let name = format!("{} {}, {}", problem.severity, problem.rule, problem.place);
    let response = widgets::row(ui, PROBLEM_ROW, widgets::RowSelection::None, &name);
    let rect = response.rect;
    if response.has_focus() {
        widgets::focus_ring_inside(ui, rect, 0);
    }
    let color = tokens.tone(widgets::severity_tone(problem.severity));
    let (left, middle) = (rect.left() + theme::PADDING, rect.top() + 18.0);
    widgets::paint_icon(
        ui.painter(),
        pos2(left + 7.0, middle),
        icons::severity(problem.severity),
        theme::ICON,
        color,
    );
    let head = widgets::StyledText::new()
        .with(problem.rule, theme::mono(theme::LABEL), tokens.text_strong)
        .after(
            theme::GAP,
            &problem.place,
            theme::regular(theme::LABEL),
            tokens.muted,
        )
        .galley(ui, rect.width() - 54.0);
    widgets::paint_line(ui.painter(), pos2(left + theme::INDENT, middle), head);
    let font = theme::regular(theme::ROW);
    let mut job = sentence(
        &problem.message,
        font,
        tokens.text,
        tokens.text_strong,
        rect.width() - 54.0,
    );
    job.wrap.max_rows = 2;
    let message = ui.painter().layout_job(job);
    ui.painter().galley(
        pos2(left + theme::INDENT, rect.top() + 30.0),
        message,
        tokens.text,
    );
    ui.painter().hline(
        rect.x_range(),
        rect.bottom() - 0.5,
        Stroke::new(1.0, tokens.hair),
    );
    if response.clicked() {
        actions.push(Action::Reveal(data.id, problem.span));
    }
    widgets::context_menu(&response, |ui| {
        if widgets::menu_item(ui, icons::COPY, "Copy as path:line:column", &[], None).clicked() {
            actions.push(Action::Copy(format!("{}:{}", data.path, problem.at)));
            ui.close();
        }
        if widgets::menu_item(ui, icons::COPY, "Copy the message", &[], None).clicked() {
            actions.push(Action::Copy(problem.message.clone()));
            ui.close();
        }
    });
    let mut hover = problem.message.clone();
    if !problem.help.is_empty() {
        hover.push_str("\n\n");
        hover.push_str(&problem.help);
    }
    response.on_hover_text(hover);
}
