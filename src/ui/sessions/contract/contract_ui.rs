//! Paints the column of the contract.

use egui::{Align, Frame, Label, Layout, Margin, Panel, ScrollArea, Ui, vec2};

use super::super::form_state::SessionProps;
use super::answer_ui::answer_ui;
use super::config_ui::config_ui;
use super::contract_data::outcome;
use super::invariants_ui::invariants_ui;
use super::picker_ui::picker_ui;
use super::run_ui::run_ui;
use protocol::ContractReport;
use widgets::theme::{self, Tone, tokens};
use widgets::{StyledText, icons};
use workbench::Actions;

/// Draws the contract, its verdict on an answer, the content of the configuration, and the command.
pub(crate) fn contract_ui(ui: &mut Ui, props: SessionProps<'_>, actions: &mut Actions) {
    head_ui(ui, props);
    widgets::hair_line(ui);
    let Some(report) = props.look else {
        let reason = props.desk.report_or_reason().and_then(Result::err);
        return widgets::awaited(ui, 6, theme::ROW_TWO_LINES, reason);
    };
    // Before the rest, so that the command stays visible below a long contract.
    Panel::bottom("run").resizable(false).show_separator_line(true).frame(Frame::new()).show(
        ui,
        |ui| {
            ui.spacing_mut().item_spacing = vec2(theme::GAP, theme::GAP);
            run_ui(ui, report, actions);
        },
    );
    ScrollArea::vertical().id_salt("contract").auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing = vec2(theme::GAP, 0.0);
        outcome_ui(ui, report);
        picker_ui(ui, props, report, actions);
        widgets::hair_line(ui);
        answer_ui(ui, report, actions);
        widgets::hair_line(ui);
        invariants_ui(ui, report, actions);
        config_ui(ui, props, report, actions);
    });
}

fn head_ui(ui: &mut Ui, props: SessionProps<'_>) {
    let colors = tokens(ui);
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let title = theme::semibold(theme::TITLE);
        StyledText::new().with("Contract", title, colors.text_strong).show(ui);
        let Some((tone, words, meaning)) = props.look.and_then(outcome) else { return };
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let tag = widgets::tag(ui, icon_of(tone), words, tone);
            widgets::tip(tag, meaning, &[] as &[&str]);
        });
    });
}

/// Draws the meaning of the outcome.
fn outcome_ui(ui: &mut Ui, report: &ContractReport) {
    let Some((_, _, meaning)) = outcome(report) else { return };
    Frame::new().inner_margin(Margin { left: 16, right: 16, top: 10, bottom: 0 }).show(ui, |ui| {
        let (font, color) = (theme::regular(theme::ROW), tokens(ui).text);
        ui.add(Label::new(theme::text(format!("{meaning}."), font, color)).wrap());
    });
}

fn icon_of(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => icons::CIRCLE_CHECK,
        Tone::Error => icons::CIRCLE_X,
        Tone::Warning => icons::TRIANGLE_ALERT,
        _ => icons::CIRCLE_DASHED,
    }
}
