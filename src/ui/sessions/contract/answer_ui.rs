//! Paints the answer that the contract is checked against.

use egui::{Align, Label, Layout, Margin, Ui};

use super::contract_data::{answer_start, origin};
use protocol::ContractReport;
use widgets::StyledText;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, Overlay};

pub(super) fn answer_ui(ui: &mut Ui, report: &ContractReport, actions: &mut Actions) {
    let colors = tokens(ui);
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = theme::GAP;
        ui.horizontal(|ui| {
            let font = theme::semibold(theme::BODY);
            StyledText::new().with("Checked answer", font, colors.text_strong).show(ui);
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let link = widgets::link(ui, "Choose an answer");
                widgets::on_click(&link, Action::SetOverlay(Some(Overlay::ChooseAnswer)), actions);
            });
        });
        let Some(answer) = &report.answer else {
            let words =
                "No recorded answer in this session. Choose a recorded answer or paste one.";
            ui.label(theme::text(words, theme::regular(theme::ROW), colors.muted));
            return;
        };
        widgets::card_with(ui, colors.desk, Margin::symmetric(12, 9), |ui| {
            ui.spacing_mut().item_spacing.y = 4.0;
            let font = theme::regular(theme::ROW);
            let text = theme::text(answer_start(answer), font, colors.text_strong);
            ui.add(Label::new(text).wrap().selectable(true));
            let origin = theme::text(origin(answer), theme::regular(theme::LABEL), colors.muted);
            ui.add(Label::new(origin).wrap());
        });
    });
}
