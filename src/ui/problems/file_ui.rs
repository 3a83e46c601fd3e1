//! Paints the problems of the selected file, each with its fix.

use egui::{Align, Layout, Rect, Ui, pos2};

use super::data::ProblemsData;
use super::places_ui::{FIX_WIDTH, fix_button, place_menu};
use crate::ops::change::fix_at;
use crate::ops::check::rule;
use crate::text::{counted, visible};
use crate::ui::code::sentence;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, Line, List, Row, RowShape, RowSlot, StyledText};
use crate::workbench::{Action, Library, ProblemId, ProblemsAction};

/// A problem: its rule, and below it one sentence and the fix.
const PROBLEM_ROW: RowShape =
    RowShape { height: 72.0, lines: &[21.0, 49.0], ..RowShape::TWO_LINES };

/// Draws the problems of the selected file, the most severe first.
pub(super) fn file_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    actions: &mut Vec<Action>,
) {
    let Some(preview) = &data.preview else {
        widgets::empty_state(ui, "Choose a file to see its problems.", None);
        return;
    };
    let colors = tokens(ui);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let show = Button::ghost("Show in Library").icon(icons::LIBRARY);
            if ui.add(show).clicked() {
                actions.push(Action::Reveal(preview.id.doc, preview.span));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let mono = theme::mono(theme::BODY);
                let count = counted(data.in_file.len(), "problem", "problems");
                StyledText::new()
                    .with(icons::kind(preview.kind), theme::icon(theme::ICON_HEADING), colors.muted)
                    .after(theme::GAP, &preview.path.0, mono.clone(), colors.muted)
                    .with(&preview.path.1, mono, colors.text_strong)
                    .after(theme::GAP, &count, theme::regular(theme::BODY), colors.muted)
                    .show(ui)
                    .on_hover_text(&preview.root_path);
            });
        });
    });
    widgets::hair_line(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    let selected = preview.id;
    List::new("Problems of the file", &PROBLEM_ROW, data.in_file.len())
        .selection(Some(selected), |id| data.in_file.iter().position(|place| *place == id))
        .show(ui, |slot| {
            if let Some(id) = data.in_file.get(slot.index) {
                problem_ui(slot, library, *id, *id == selected, actions);
            }
        });
}

fn problem_ui(
    slot: &mut RowSlot<'_>,
    library: &Library,
    id: ProblemId,
    is_selected: bool,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(slot.ui);
    let (Some(item), Some(problem)) = (library.get(id.doc), library.problem(id)) else {
        return;
    };
    let severity = problem.severity;
    let title = rule(problem.rule).title;
    let line = format!("line {}", problem.place.line);
    let label = theme::regular(theme::LABEL);
    let words = StyledText::new()
        .with(title, theme::semibold(theme::ROW), colors.text_strong)
        .after(theme::GAP, problem.rule.as_str(), theme::mono(theme::LABEL), colors.muted);
    let tone = colors.tone(widgets::severity_tone(severity));
    let head = Line::from(words)
        .icon(icons::severity(severity), tone)
        .right(StyledText::new().with(&line, label, colors.muted));
    let text = visible(&problem.message);
    let fix = fix_at(problem, item);
    // The sentence ends before the fix; the line number above it is at the right edge.
    let room = fix.map_or(0.0, |_| FIX_WIDTH);
    let width = slot.rect.width() - 2.0 * theme::PADDING - theme::ICON - theme::GAP - room;
    let mut sentence =
        sentence(&text, theme::regular(theme::ROW), colors.text, colors.text_strong, width);
    sentence.wrap.max_rows = 1;
    sentence.wrap.break_anywhere = true;
    let galley = slot.ui.painter().layout_job(sentence);
    let is_cut = galley.elided;
    let name = format!("{severity} {}, {line}: {text}", problem.rule);
    let mut row = Row::new(name).selected(is_selected).line(head);
    if is_cut {
        row = row.tip(&*text);
    }
    let response = slot.show(row);
    let left = slot.rect.left() + theme::PADDING + theme::ICON + theme::GAP;
    let middle = slot.rect.top() + PROBLEM_ROW.lines[1];
    widgets::paint_line(slot.ui.painter(), pos2(left, middle), galley);
    if response.clicked() {
        actions.push(Action::from(ProblemsAction::Select(id)));
    }
    if let Some(fix) = fix {
        let half = theme::CONTROL / 2.0;
        let rect = Rect::from_x_y_ranges(
            slot.rect.x_range().shrink(theme::PADDING),
            middle - half..=middle + half,
        );
        fix_button(slot, rect, (fix, id.doc), actions, |ui, label| {
            let button =
                if is_selected { Button::primary(label) } else { Button::secondary(label) };
            ui.add(button.icon(icons::WRENCH).tooltip(fix.leaves))
        });
    }
    place_menu(&response, id, item, problem, actions);
}
