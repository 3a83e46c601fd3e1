//! Paints the header of a tape: name, facts, and statistics.

use egui::{Align, Layout, Role, Sense, Ui, pos2, vec2};

use super::tape_edit_form_ui::open_form_button_ui;
use super::tapes_data::{TapeProps, TapeStatistic, statistics};
use document::Severity;
use document::text::{counted, visible};
use widgets::theme::{self, Tone, tokens};
use widgets::{StyledText, dates, icons, keymap};
use workbench::{Action, Actions, Command, TapesAction};

const STATISTICS_HEIGHT: f32 = 60.0;
/// Minimum width of a statistic; it is omitted if there is less room.
const MIN_STATISTIC_WIDTH: f32 = 104.0;

/// Draws the name, the status and the model.
pub(super) fn head_ui(ui: &mut Ui, props: TapeProps<'_>, actions: &mut Actions) {
    let colors = tokens(ui);
    let Some(item) = props.library.get(props.doc) else { return };
    let is_unsaved = props.library.copy(props.doc).is_some_and(|copy| copy.is_unsaved());
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        StyledText::new()
            .with(&visible(item.label()), theme::semibold(theme::TITLE), colors.text_strong)
            .show(ui);
        if is_unsaved {
            let tag = widgets::tag(ui, icons::CIRCLE_DOT, "Unsaved", Tone::Accent);
            widgets::tip(tag, "Not on disk yet; save with", &keymap::caps(ui, Command::Save));
        }
        problems_ui(ui, props, actions);
        let tape = props.tape.tape();
        let model = tape
            .and_then(|tape| tape.model.as_ref())
            .map_or_else(String::new, |model| visible(&model.value).into_owned());
        let time = tape.and_then(|tape| tape.recorded_at.as_ref());
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            open_form_button_ui(ui, props, actions);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let font = theme::regular(theme::ROW);
                let model = StyledText::new().with(&model, font, colors.muted).show(ui);
                if let Some(time) = time {
                    let recorded = format!("Recorded {}", dates::minute_of_iso(&time.value));
                    widgets::tip(model, &recorded, &[] as &[&str]);
                }
            });
        });
    });
}

/// Draws the number of problems; a click shows the first.
fn problems_ui(ui: &mut Ui, props: TapeProps<'_>, actions: &mut Actions) {
    let Some(item) = props.library.get(props.doc) else { return };
    // Most tapes have the note that rounding to milliseconds loses a part of their delays.
    let is_weighty = |severity: &Severity| *severity != Severity::Note;
    let (Some(worst), Some(first)) = (item.worst().filter(is_weighty), item.problems.first())
    else {
        return;
    };
    let words = counted(item.problems.len(), "problem", "problems");
    let tag = widgets::tag(ui, icons::severity(worst), &words, widgets::severity_tone(worst));
    // Tags sense no clicks; this one leads to its problem.
    let tag = ui.interact(tag.rect, tag.id.with("press"), Sense::click());
    widgets::describe(&tag, Role::Button, &format!("Show the first of {words}"));
    widgets::focus_ring(ui, &tag, theme::RADIUS_TAG);
    let response = widgets::tip(tag, "Show the place in the file", &[] as &[&str]);
    widgets::on_click(&response, Action::Reveal(props.doc, first.span), actions);
}

/// Draws the statistics side by side; if there is little room, the rightmost are omitted first.
pub(super) fn statistics_ui(ui: &mut Ui, props: TapeProps<'_>, actions: &mut Actions) {
    // During a drag or while a form is open, these are the statistics of the result.
    let timing = props.desk.preview().and_then(|timing| timing.as_ref().ok());
    let stats = timing.map_or(props.tape.stats(), |timing| timing.stats());
    let figures = statistics(stats, props.desk.silence_nanos());
    let (rect, _) = widgets::allocate_row(ui, STATISTICS_HEIGHT, Sense::hover());
    let lines: Vec<_> = figures.iter().map(|figure| value_galley(ui, figure)).collect();
    let font = theme::regular(theme::LABEL);
    let width = |(figure, line): (&TapeStatistic, &std::sync::Arc<egui::Galley>)| {
        let label = widgets::line(ui, figure.name, font.clone(), tokens(ui).muted, f32::INFINITY);
        (line.size().x.max(label.size().x) + 28.0).max(MIN_STATISTIC_WIDTH)
    };
    let widths: Vec<f32> = figures.iter().zip(&lines).map(width).collect();
    let count = (1..=widths.len())
        .rev()
        // Whole statistics only: half of a number is misleading.
        .find(|count| widths[..*count].iter().sum::<f32>() <= rect.width())
        .unwrap_or_default();
    let spare_width = (rect.width() - widths[..count].iter().sum::<f32>()) / count.max(1) as f32;
    let mut left = rect.left();
    for (figure, (line, width)) in figures.iter().zip(lines.into_iter().zip(widths)).take(count) {
        let cell = egui::Rect::from_min_size(
            pos2(left, rect.top()),
            vec2(width + spare_width, STATISTICS_HEIGHT),
        );
        left = cell.right();
        statistic_ui(ui, cell, figure, line, actions);
    }
}

fn value_galley(ui: &Ui, figure: &TapeStatistic) -> std::sync::Arc<egui::Galley> {
    let tokens = tokens(ui);
    let color = tokens.tone_or(figure.tone, tokens.text_strong);
    widgets::line(ui, &figure.value, theme::semibold(theme::BODY), color, 400.0)
}

fn statistic_ui(
    ui: &Ui,
    cell: egui::Rect,
    figure: &TapeStatistic,
    value: std::sync::Arc<egui::Galley>,
    actions: &mut Actions,
) {
    let tokens = tokens(ui);
    let sense = if figure.chunk.is_some() { Sense::click() } else { Sense::hover() };
    let role = if figure.chunk.is_some() { Role::Button } else { Role::Label };
    let response = ui.interact(cell, ui.scope_id().with(("figure", figure.name)), sense);
    let name = format!("{}: {}", figure.name, figure.value);
    widgets::describe(&response, role, &name);
    let painter = ui.painter();
    if figure.chunk.is_some() && response.hovered() {
        painter.rect_filled(cell, 0.0, tokens.hover);
    }
    let left = cell.left() + theme::PADDING;
    let font = theme::regular(theme::LABEL);
    let label = widgets::line(ui, figure.name, font, tokens.muted, cell.width());
    widgets::paint_line(painter, pos2(left, cell.top() + 20.0), label);
    widgets::paint_line(painter, pos2(left, cell.top() + 38.0), value);
    painter.vline(cell.right() - 0.5, cell.y_range(), (1.0, tokens.hair));
    if response.has_focus() {
        widgets::focus_ring_inside(ui, cell, 0);
    }
    if let Some(chunk) = figure.chunk.filter(|_| response.clicked()) {
        actions.push(Action::from(TapesAction::GoTo(chunk + 1)));
    }
}
