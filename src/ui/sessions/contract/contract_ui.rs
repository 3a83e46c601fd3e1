//! Paints the column of the contract.

use egui::text::{LayoutJob, TextFormat};
use egui::{Frame, Label, Margin, Panel, Role, ScrollArea, Sense, Ui, vec2};

use super::super::form_ui::SessionProps;
use super::config_ui::config_ui;
use super::contract_data::{
    Outcome, answer_start, describe_rest, is_against, origin, quoted_places,
};
use super::invariants_ui::invariant_ui;
use super::picker_ui::picker_ui;
use protocol::{ContractReport, TestedAnswer};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, icons};
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
            picker_ui(ui, (props, report), actions);
            config_ui(ui, (props, report), actions);
        }
    });
}

fn verdict_ui(ui: &mut Ui, outcome: &Outcome, report: &ContractReport, actions: &mut Actions) {
    let colors = tokens(ui);
    let (size, height) = VERDICT;
    widgets::padded(ui, |ui| {
        let (rect, response) = widgets::allocate_row(ui, height, Sense::hover());
        widgets::describe(&response, Role::Heading, outcome.title);
        let color = colors.tone_or(outcome.tone, colors.muted);
        let line = Line::new(outcome.title, theme::semibold(size), colors.text_strong);
        line.icon(icon_of(outcome), color).icon_size(size).show_in(ui, rect);
        ui.horizontal(|ui| {
            ui.add_space(size + theme::GAP);
            ui.vertical(|ui| {
                widgets::body(ui, &outcome.meaning);
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
        let (button, action) = if report.commands.has_flakestorm {
            let run = Button::secondary("Run with flakestorm…").icon(icons::PLAY);
            (run, Action::Run(Command::RunSession))
        } else {
            let copy = Button::secondary("Copy run command").icon(icons::COPY);
            (copy, Action::Copy(command.to_string()))
        };
        let response = ui.add(button.tooltip(command));
        widgets::on_click(&response, action, actions);
        widgets::keep_clear(ui, response.rect);
    });
}

/// Draws the beginning of the answer, with what failing invariants quote from it marked.
fn answer_ui(ui: &mut Ui, report: &ContractReport, answer: &TestedAnswer) {
    let colors = tokens(ui);
    let text = answer_start(answer);
    let format = |background| TextFormat {
        line_height: Some(theme::TEXT_LINE),
        background,
        ..TextFormat::simple(theme::regular(theme::ROW), colors.text_strong)
    };
    let mut job = LayoutJob::default();
    let mut start = 0;
    for place in quoted_places(report, &text) {
        job.append(&text[start..place.start], 0.0, format(egui::Color32::TRANSPARENT));
        job.append(&text[place.clone()], 0.0, format(colors.removed_word));
        start = place.end;
    }
    job.append(&text[start..], 0.0, format(egui::Color32::TRANSPARENT));
    widgets::padded(ui, |ui| {
        let response = widgets::card_with(ui, colors.desk, Margin::symmetric(12, 9), |ui| {
            ui.add(Label::new(job).wrap().selectable(true))
        });
        widgets::hint(response, &origin(answer));
    });
}
