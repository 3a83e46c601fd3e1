//! Paints the answer that the contract is checked against.

use egui::text::{LayoutJob, TextFormat};
use egui::{Label, Margin, Ui};

use super::contract_data::{answer_start, origin, quoted_places};
use protocol::{ContractReport, TestedAnswer};
use widgets::theme::{self, tokens};

/// Draws the beginning of the answer, with what failing invariants quote from it marked.
pub(super) fn answer_ui(ui: &mut Ui, report: &ContractReport, answer: &TestedAnswer) {
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
        widgets::tip(response, &origin(answer), &[] as &[&str]);
    });
}
