//! Paints one failure: what is recorded beside what was sent, value by value, and at the right the nearest recordings.

use egui::{Rect, ScrollArea, Sense, Ui, pos2, vec2};

use super::failure_data::FailureData;
use super::triage_ui::{fix_buttons_ui, run_menu};
use super::value_ui::{ChangedValue, value_height, value_ui};
use document::diff::Side;
use widgets::theme::{self, Tone, tokens};
use widgets::{CallBlock, DistinctName, Headline, Line, List, Row, RowShape, SidePanel, icons};
use workbench::{Action, Actions, Command, TriageAction, Workbench};

/// Below this width of the desk the nearest recordings are below the comparison.
const SIDE_PANEL_MIN_WIDTH: f32 = 760.0;
/// Height of the panel below the comparison.
const BOTTOM_PANEL_HEIGHT: f32 = 200.0;
/// Width of the words before a strip.
const STRIP_LABEL_WIDTH: f32 = 72.0;
/// Width of the block before the name of a recording, with its gap.
const BLOCK_WIDTH: f32 = 34.0;

/// Draws the view. User input becomes an [`Action`].
pub fn failure_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    data: &mut FailureData,
    actions: &mut Actions,
) {
    data.update(workbench);
    let data = &*data;
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if workbench.triage.selected().is_none() {
        return widgets::empty_sentence(ui, "No failure is selected.");
    }
    let panel = SidePanel::right("nearest recordings", 400.0, 300.0..=640.0);
    let below = ("nearest recordings below", BOTTOM_PANEL_HEIGHT);
    panel.show_or_below(ui, SIDE_PANEL_MIN_WIDTH, below, |ui| nearest_ui(ui, data, actions));
    head_ui(ui, data, actions);
    if data.is_answered {
        Headline::good(&data.title).show(ui, None);
    } else {
        let error = document::Severity::Error;
        Headline::new(error, &data.title, "").icon(icons::CIRCLE_X, Tone::Error).show(ui, None);
    }
    ScrollArea::vertical().id_salt(&data.name).auto_shrink(false).show(ui, |ui| {
        strips_ui(ui, data, actions);
        if let Some(recording) = data.shown_row() {
            halves_ui(ui, |ui, side| {
                let name =
                    if side == Side::Right { ("Sent", "") } else { ("Recorded", &*recording.name) };
                widgets::padded(ui, |ui| widgets::heading(ui, "", name.0, name.1));
            });
            widgets::hair_line(ui);
        }
        for value in &data.values {
            changed_ui(ui, value);
        }
    });
}

fn head_ui(ui: &mut Ui, data: &FailureData, actions: &mut Actions) {
    let rect = widgets::strip(ui, theme::DESK_HEADER, |ui| {
        if widgets::icon_button(ui, icons::ARROW_LEFT, "Back to the run").clicked() {
            actions.push(Action::Run(Command::Close));
        }
        let inner = ui.available_rect_before_wrap();
        let ((), right) = widgets::place_right(ui, inner, |ui| {
            run_menu(ui, actions);
            // The only test of a cause has no place among others.
            if data.position.is_empty() {
                return;
            }
            for (icon, command) in
                [(icons::CHEVRON_DOWN, Command::NextRow), (icons::CHEVRON_UP, Command::PreviousRow)]
            {
                widgets::command_icon(ui, icon, command, Ok(()), actions);
            }
            widgets::body(ui, &data.position);
        });
        let place = inner.with_max_x(right - theme::GAP);
        Line::distinct(&DistinctName::new(&data.name, []), true).show_in(ui, place);
        let response = ui.interact(place, ui.auto_id_with("test"), Sense::hover());
        widgets::describe(&response, egui::Role::Label, &data.name);
    });
    widgets::line_below(ui, rect);
}

/// Draws the recordings over the calls, a call as long as a recording, and the parts of the signature.
fn strips_ui(ui: &mut Ui, data: &FailureData, actions: &mut Actions) {
    let longest = data.sent.len().max(data.recorded.len()).max(1) as f32;
    widgets::padded(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        let strips =
            [("Recorded", &data.recorded, data.shown), ("Sent", &data.sent, Some(data.failing))];
        for (label, blocks, selected) in strips {
            let share = blocks.len() as f32 / longest;
            if let Some(at) = strip_ui(ui, (label, share), blocks, selected)
                && label == "Recorded"
            {
                actions.push(Action::from(TriageAction::SelectRecording(at)));
            }
        }
        if data.matchers.is_empty() {
            return;
        }
        ui.add_space(4.0);
        ui.horizontal(|ui| {
            ui.add_space(STRIP_LABEL_WIDTH);
            for (name, is_equal) in &data.matchers {
                let (icon, tone) =
                    if *is_equal { (icons::CHECK, Tone::Good) } else { (icons::X, Tone::Error) };
                widgets::tag(ui, icon, name, tone);
            }
        });
    });
    widgets::hair_line(ui);
}

fn strip_ui(
    ui: &mut Ui,
    (label, share): (&str, f32),
    blocks: &[CallBlock],
    selected: Option<usize>,
) -> Option<usize> {
    if blocks.is_empty() {
        return None;
    }
    let (row, _) = widgets::allocate_row(ui, theme::FOLD, Sense::hover());
    Line::of(label, tokens(ui).label()).show_in(ui, row);
    let left = row.left() + STRIP_LABEL_WIDTH;
    let width = (row.right() - left) * share;
    let place = Rect::from_min_size(pos2(left, row.top()), vec2(width, row.height()));
    ui.push_id(label, |ui| {
        widgets::place(ui, place, |ui| widgets::call_strip(ui, blocks, selected))
    })
    .inner
}

/// Lays out what is recorded at the left, and what was sent at the right.
fn halves_ui(ui: &mut Ui, side_ui: impl Fn(&mut Ui, Side)) {
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.x = 0.0;
        ui.columns(2, |columns| {
            for (column, side) in columns.iter_mut().zip(Side::BOTH) {
                side_ui(column, side);
            }
        });
    });
}

/// Draws a value that differs: what is recorded beside what was sent.
fn changed_ui(ui: &mut Ui, value: &ChangedValue) {
    widgets::padded(ui, |ui| widgets::heading(ui, value.icon, value.label, ""));
    let width = ui.available_width() / 2.0;
    let height = Side::BOTH.map(|side| value_height(ui, value, side, width));
    let height = height[0].max(height[1]);
    halves_ui(ui, |ui, side| value_ui(ui, value, side, height));
    widgets::hair_line(ui);
}

fn nearest_ui(ui: &mut Ui, data: &FailureData, actions: &mut Actions) {
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    ScrollArea::vertical().id_salt("nearest").auto_shrink(false).show(ui, |ui| {
        let rows = &data.nearest;
        if !rows.is_empty() {
            let head = widgets::strip(ui, theme::DESK_HEADER, |ui| {
                let title = if data.is_of_cassette { "Nearest call" } else { "Nearest recordings" };
                widgets::title(ui, title);
            });
            widgets::line_below(ui, head);
        }
        List::new("Nearest recordings", &RowShape::TWO_LINES, rows.len()).show_inside(ui, |slot| {
            let (colors, recording) = (tokens(slot.ui), &rows[slot.index]);
            let name = Line::of(&recording.name, colors.data()).indent(BLOCK_WIDTH);
            let difference = Line::detail(&recording.difference, colors).indent(BLOCK_WIDTH);
            let words = format!("{}, {}", recording.name, recording.difference);
            let is_shown = data.shown == Some(recording.position);
            let response =
                slot.show(Row::new(words).selected(is_shown).line(name).line(difference));
            let left = slot.rect.left_center() + vec2(theme::PADDING, 0.0);
            widgets::row_strip(slot.ui, left, &[recording.verdict.into()]);
            let action = TriageAction::SelectRecording(recording.position);
            widgets::on_click(&response, action, actions);
        });
        widgets::padded(ui, |ui| {
            fix_buttons_ui(ui, (&data.fix, &data.record), actions);
            if data.is_of_cassette {
                return;
            }
            ui.add_space(4.0);
            let play = widgets::icon_link(ui, icons::PLAY, "Play in Playback");
            widgets::on_click(&play, TriageAction::PlayFailure, actions);
        });
    });
}
