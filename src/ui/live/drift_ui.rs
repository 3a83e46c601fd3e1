//! *Drift*: the run and what to record again at the left, the causes, and the selected one at the right.

use egui::{Role, ScrollArea, Ui, vec2};

use super::drift_data::{CauseDetail, CauseRow, DriftData, RecordDetail};
use crate::triage::value_ui;
use document::diff::Side;
use document::text::visible;
use play::drift::DriftVerdict;
use widgets::code::sentence;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, List, Row, RowShape, RowSlot, SidePanel, StyledText, icons};
use workbench::{Action, Actions, Command, LiveAction, Workbench};

/// Below this width the selected cause is below the list.
const SIDE_PANEL_MIN_WIDTH: f32 = 760.0;
/// Height of the panel below the list.
const BOTTOM_PANEL_HEIGHT: f32 = 220.0;
const OPEN_LABEL: &str = "Open log…";
const FACT_HEIGHT: f32 = 26.0;

fn style(verdict: Option<DriftVerdict>) -> (&'static str, Tone) {
    match verdict {
        None => (icons::CIRCLE_CHECK, Tone::Good),
        Some(DriftVerdict::Harmless) => (icons::CHECK, Tone::Plain),
        Some(DriftVerdict::RecordAgain) => (icons::REFRESH_CW, Tone::Warning),
        Some(DriftVerdict::MatcherTooLoose) => (icons::UNPLUG, Tone::Error),
    }
}

/// Draws the column at the left: the run, and what to record again.
pub(super) fn drift_facts_ui(
    ui: &mut Ui,
    data: &mut DriftData,
    workbench: &Workbench,
    actions: &mut Actions,
) {
    data.update(workbench);
    let desk = &workbench.live.drift;
    if desk.report.is_none() {
        return;
    }
    ScrollArea::vertical().id_salt("drift").auto_shrink(false).show(ui, |ui| {
        widgets::padded(ui, |ui| {
            widgets::heading(ui, icons::ACTIVITY, "Last run", &visible(&desk.name));
            ui.add_space(theme::GAP);
            for (verdict, name, count) in &data.counts {
                let (icon, tone) = style(*verdict);
                let colors = tokens(ui);
                let right = StyledText::of(count, colors.data());
                let line = Line::of(name, colors.body()).icon(icon, colors.tone(tone));
                line.right(right).show_named(ui, FACT_HEIGHT, &format!("{name}: {count}"));
            }
            data.notes.iter().for_each(|note| drop(widgets::remark(ui, note)));
        });
        widgets::hair_line(ui);
        if let Some(record) = &data.record {
            widgets::padded(ui, |ui| record_ui(ui, record, actions));
            widgets::hair_line(ui);
        }
        widgets::padded(ui, |ui| {
            let button = Button::secondary(OPEN_LABEL).icon(icons::FILE_TEXT);
            if ui.add(button).clicked() {
                actions.push(Action::Run(Command::TriageRun));
            }
        });
    });
}

fn record_ui(ui: &mut Ui, record: &RecordDetail, actions: &mut Actions) {
    widgets::heading(ui, icons::REFRESH_CW, "Record again", &record.counts);
    ui.add_space(theme::GAP);
    widgets::remark(ui, &record.tokens);
    let Some(command) = &record.command else { return };
    ui.add_space(theme::GAP);
    let width = ui.available_width();
    let button = Button::primary("Copy the record command").icon(icons::COPY).width(width);
    if ui.add(button.tooltip(&visible(command))).clicked() {
        actions.push(Action::Copy(command.clone()));
    }
}

/// Draws the causes and the selected one.
pub(super) fn drift_ui(
    ui: &mut Ui,
    data: &mut DriftData,
    workbench: &Workbench,
    actions: &mut Actions,
) {
    data.update(workbench);
    let desk = &workbench.live.drift;
    if desk.report.is_none() {
        let words = "Write the plugin with retake plugin pytest, run your tests with --retake-log, and drop the log on the window.";
        let heading = (icons::ACTIVITY, "No log of requests was read yet");
        if widgets::empty_desk(ui, heading, words, &[OPEN_LABEL]).is_some() {
            actions.push(Action::Run(Command::TriageRun));
        }
        return;
    }
    ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
    if let Some(detail) = &data.detail {
        let below = ("cause of drift below", BOTTOM_PANEL_HEIGHT);
        let panel = SidePanel::right("cause of drift", 400.0, 300.0..=640.0);
        panel.show_or_below(ui, SIDE_PANEL_MIN_WIDTH, below, |ui| {
            detail_ui(ui, desk.selected, detail, actions);
        });
    }
    widgets::header(ui, actions, |_, _| (), |ui, _| drop(widgets::title(ui, &data.title)));
    List::new("Causes", &RowShape::TWO_LINES, data.rows.len())
        .selection(Some(desk.selected), Some)
        .show(ui, |slot| cause_ui(slot, &data.rows, desk.selected, actions));
}

fn cause_ui(slot: &mut RowSlot<'_>, rows: &[CauseRow], selected: usize, actions: &mut Actions) {
    let colors = tokens(slot.ui);
    let index = slot.index;
    let CauseRow { verdict, name, counts } = &rows[index];
    let (icon, tone) = style(Some(*verdict));
    let strong = colors.text_strong;
    let title = sentence(name, theme::semibold(theme::BODY), strong, strong, f32::INFINITY);
    let label = StyledText::of(verdict.label(), colors.body());
    let words = format!("{}, {counts}, {}", name.replace('`', ""), verdict.label());
    let line = Line::from(StyledText::from(title)).icon(icon, colors.tone(tone)).right(label);
    let row = Row::new(words)
        .selected(index == selected)
        .line(line)
        .line(Line::detail(counts, colors).under_icon());
    let response = slot.show(row);
    widgets::on_click(&response, LiveAction::SelectCause(index), actions);
    if response.double_clicked() {
        actions.push(Action::Run(Command::OpenSelected));
    }
}

fn detail_ui(ui: &mut Ui, selected: usize, detail: &CauseDetail, actions: &mut Actions) {
    let (icon, tone) = style(Some(detail.verdict));
    ScrollArea::vertical().id_salt(("cause", selected)).auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        widgets::padded(ui, |ui| {
            let strong = tokens(ui).text_strong;
            let (font, width) = (theme::semibold(theme::TITLE), ui.available_width());
            ui.label(sentence(&detail.name, font, strong, strong, width));
        });
        widgets::banner(ui, tone, icon, detail.verdict.label(), &detail.reason);
        if let Some(change) = &detail.change {
            widgets::padded(ui, |ui| widgets::heading(ui, change.icon, change.label, ""));
            for side in [Side::Left, Side::Right] {
                value_ui(ui, change, side, 0.0);
            }
            widgets::padded(ui, |ui| drop(widgets::remark(ui, "− recorded   + sent")));
            widgets::hair_line(ui);
        }
        widgets::padded(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            for test in &detail.tests {
                let text = StyledText::of(test, tokens(ui).data());
                widgets::describe(&text.show(ui), Role::Label, test);
            }
            if let Some(path) = &detail.call {
                ui.add_space(theme::GAP);
                if widgets::icon_link(ui, icons::FILE_PLAY, path).clicked() {
                    actions.push(Action::Run(Command::OpenSelected));
                }
            }
        });
    });
}
