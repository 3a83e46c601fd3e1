//! Paints the column of the contract.

use egui::{Frame, Label, Panel, Role, ScrollArea, Sense, Ui, pos2, vec2};

use super::super::form_state::SessionProps;
use super::answer_ui::answer_ui;
use super::config_ui::config_ui;
use super::contract_data::{Outcome, describe_rest, is_against};
use super::invariants_ui::invariant_ui;
use super::picker_ui::picker_ui;
use protocol::ContractReport;
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions, Command, Overlay};

/// Font size of the verdict, and height of its line.
const VERDICT: (f32, f32) = (20.0, 28.0);

/// Draws the verdict, the answer, the invariants that fail, and a fold with the rest.
pub(crate) fn contract_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    let Some(report) = props.look else {
        let reason = props.desk.report_or_reason().and_then(Result::err);
        return widgets::awaited(ui, 6, theme::ROW_TWO_LINES, reason);
    };
    // Before the rest, so that the command stays visible below a long contract.
    Panel::bottom("run")
        .resizable(false)
        .show_separator_line(true)
        .frame(Frame::new())
        .show(ui, |ui| run_ui(ui, report, actions));
    ScrollArea::vertical().id_salt("contract").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        let outcome = Outcome::of(report);
        verdict_ui(ui, &outcome, report, actions);
        widgets::hair_line(ui);
        if let Some(answer) = &report.answer {
            answer_ui(ui, report, answer);
            widgets::hair_line(ui);
        }
        let is_tried = report.answer.is_some();
        let (failing, others): (Vec<_>, Vec<_>) =
            report.invariants.iter().partition(|invariant| is_against(invariant, is_tried));
        for invariant in failing {
            invariant_ui(ui, invariant, is_tried, actions);
        }
        if widgets::fold(ui, "rest", &describe_rest(report), report.invariants.is_empty()) {
            for invariant in others {
                invariant_ui(ui, invariant, is_tried, actions);
            }
            picker_ui(ui, props, report, actions);
            config_ui(ui, props, report, actions);
        }
    });
}

fn verdict_ui(ui: &mut Ui, outcome: &Outcome, report: &ContractReport, actions: &mut Actions) {
    let colors = tokens(ui);
    let (size, height) = VERDICT;
    widgets::padded(ui, |ui| {
        let (rect, response) = widgets::allocate_row(ui, height, Sense::hover());
        widgets::describe(&response, Role::Heading, outcome.title);
        let center = pos2(rect.left() + size / 2.0, rect.center().y);
        let color = colors.tone_or(outcome.tone, colors.muted);
        widgets::paint_icon(ui.painter(), center, icon_of(outcome), size, color);
        let left = rect.left() + size + theme::GAP;
        let font = theme::semibold(size);
        let line = widgets::line(ui, outcome.title, font, colors.text_strong, rect.right() - left);
        widgets::paint_line(ui.painter(), pos2(left, rect.center().y), line);
        ui.horizontal(|ui| {
            ui.add_space(size + theme::GAP);
            ui.vertical(|ui| {
                let words = theme::text(&outcome.meaning, theme::regular(theme::BODY), colors.text);
                ui.add(Label::new(words).wrap());
                if report.answer.is_none() {
                    ui.add_space(theme::GAP);
                    choose_answer_ui(ui, actions);
                }
            });
        });
    });
}

/// Draws the link to the dialog that chooses the tested answer.
pub(super) fn choose_answer_ui(ui: &mut Ui, actions: &mut Actions) {
    let link = widgets::link(ui, "Choose an answer…");
    widgets::on_click(&link, Action::SetOverlay(Some(Overlay::ChooseAnswer)), actions);
}

fn icon_of(outcome: &Outcome) -> &'static str {
    match (outcome.title, outcome.tone) {
        ("Caught", _) => icons::SHIELD_CHECK,
        (_, Tone::Good) => icons::CIRCLE_CHECK,
        (_, Tone::Error) => icons::CIRCLE_X,
        (_, Tone::Warning) => icons::TRIANGLE_ALERT,
        _ => icons::CIRCLE_DASHED,
    }
}

/// Draws the button that runs the session, or else copies the command.
fn run_ui(ui: &mut Ui, report: &ContractReport, actions: &mut Actions) {
    // A name with a control character has no safe spelling; a command that only looks right is worse than none.
    let Some(command) = &report.commands.one else { return };
    widgets::padded(ui, |ui| {
        let response = if report.commands.has_flakestorm {
            let run = Button::secondary("Run with flakestorm…").icon(icons::PLAY).tooltip(command);
            let response = ui.add(run);
            widgets::on_click(&response, Action::Run(Command::RunSession), actions);
            response
        } else {
            let copy = Button::secondary("Copy run command").icon(icons::COPY).tooltip(command);
            let response = ui.add(copy);
            widgets::on_click(&response, Action::Copy(command.to_string()), actions);
            response
        };
        widgets::keep_clear(ui, response.rect);
    });
}
