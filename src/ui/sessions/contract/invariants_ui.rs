//! Paints the invariants of a contract.

use egui::{Color32, Frame, Label, Margin, Role, Sense, Ui};

use super::contract_data::{describe_invariant, faults, verdict};
use author::contract::InvariantVerdict;
use document::text::{upper_first, visible};
use protocol::CheckedInvariant;
use widgets::icons;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, ContractAction, SessionsAction};

/// Draws an invariant with what it found; a click shows it in its file.
pub(super) fn invariant_ui(
    ui: &mut Ui,
    invariant: &CheckedInvariant,
    is_tried: bool,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let (icon, color) = verdict_sign(ui, invariant, is_tried);
    let label = |ui: &mut Ui, words: &str, font, color| {
        ui.add(Label::new(theme::text(words, font, color)).wrap().selectable(false));
    };
    let content = |ui: &mut Ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        let id = match invariant.tried.id.as_str() {
            "" => "no id".into(),
            id => visible(id),
        };
        label(ui, &id, theme::medium(theme::ROW), colors.text_strong);
        if is_tried {
            label(ui, &reason(invariant), theme::regular(theme::ROW), colors.text);
        }
        for fault in faults(invariant) {
            let words = format!("{}.", upper_first(&fault.replace('`', "")));
            label(ui, &words, theme::regular(theme::ROW), colors.warning);
        }
    };
    let frame = Frame::new().inner_margin(Margin::symmetric(theme::PADDING as i8, 10));
    let row = frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        ui.horizontal_top(|ui| {
            ui.spacing_mut().item_spacing.x = theme::GAP;
            widgets::icon(ui, icon, theme::ICON, color);
            ui.vertical(content);
        });
    });
    let rect = row.response.rect;
    let response = ui.interact(rect, ui.auto_id_with(&invariant.pointer), Sense::click());
    let name = accessible_name(invariant, is_tried);
    widgets::describe(&response, Role::Button, &name);
    widgets::focus_ring(ui, &response, theme::RADIUS_KEY);
    let response = widgets::hint(response, &name);
    if let Some((doc, span)) = invariant.spot.reveal.filter(|_| response.clicked()) {
        actions.push(Action::Reveal(doc, span));
    }
    fix_ui(ui, invariant, actions);
    widgets::hair_line(ui);
}

/// Returns the reason of the verdict as a sentence.
fn reason(invariant: &CheckedInvariant) -> String {
    let words = match &invariant.tried.verdict {
        InvariantVerdict::NeedsModel(_) => "Needs a model",
        verdict => verdict.reason(),
    };
    format!("{}.", upper_first(words))
}

fn verdict_sign(ui: &Ui, invariant: &CheckedInvariant, is_tried: bool) -> (&'static str, Color32) {
    let colors = tokens(ui);
    match invariant.tried.verdict.passed().filter(|_| is_tried) {
        Some(true) => (icons::CHECK, colors.good),
        Some(false) => (icons::CIRCLE_X, colors.error),
        None => (icons::CIRCLE_DASHED, colors.muted),
    }
}

/// Returns the name of the row for screen readers and for its tooltip.
fn accessible_name(invariant: &CheckedInvariant, is_tried: bool) -> String {
    let (word, _) = verdict(&invariant.tried.verdict);
    let tried = &invariant.tried;
    let mut parts = vec![visible(&tried.id).into_owned()];
    parts.extend(is_tried.then(|| word.to_lowercase()));
    parts.push(visible(&tried.severity).into_owned());
    parts.push(describe_invariant(invariant, is_tried));
    parts.extend(faults(invariant));
    parts.join(", ")
}

/// Draws the fix that changes the type to the one that was probably meant.
fn fix_ui(ui: &mut Ui, invariant: &CheckedInvariant, actions: &mut Actions) {
    let (Some(new_type), Some((doc, _))) = (&invariant.suggestion, invariant.spot.reveal) else {
        return;
    };
    widgets::strip(ui, 26.0, |ui| {
        ui.add_space(theme::INDENT);
        if widgets::link(ui, &format!("Change to {new_type}")).clicked() {
            let action =
                ContractAction::SetType(doc, invariant.pointer.to_string(), new_type.to_string());
            actions.push(Action::from(SessionsAction::Contract(action)));
        }
    });
}
