//! Paints the contract of a session, and a menu to choose another.

use egui::{Role, Ui, vec2};

use super::super::form_ui::SessionProps;
use super::ContractProps;
use super::contract_data::resolution;
use super::contract_ui::choose_answer_ui;
use author::session::SessionEdit;
use document::text::{counted, visible};
use protocol::{ContractReport, FilePlace, OfferedContract, ReferenceKind, Resolution};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions, SessionsAction};

pub(super) fn picker_ui(ui: &mut Ui, (props, report): ContractProps<'_>, actions: &mut Actions) {
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        let label = match report.reference_kind {
            ReferenceKind::Explicit => visible(&report.reference).into_owned(),
            ReferenceKind::Default => "No contract named".to_owned(),
        };
        let button = Button::secondary(&label)
            .trailing(icons::CHEVRON_DOWN)
            .tooltip("Choose the contract of the session")
            .width(ui.available_width());
        let response = ui.add(button);
        widgets::describe(&response, Role::Button, &format!("Contract: {label}"));
        widgets::menu(&response, |ui| menu_ui(ui, props, report, actions));
        resolution_ui(ui, (props, report), actions);
        if report.answer.is_some() {
            choose_answer_ui(ui, actions);
        }
    });
}

fn menu_ui(ui: &mut Ui, props: SessionProps<'_>, report: &ContractReport, actions: &mut Actions) {
    let (files, names): (Vec<&OfferedContract>, Vec<&OfferedContract>) =
        // Names first, because Flakestorm looks for a name before a path.
        report.offered.iter().partition(|c| c.is_file);
    if report.offered.is_empty() {
        let reason = "Neither the configuration nor a file contains one";
        widgets::menu_item(ui, "", "No contracts found", &[], Some(reason));
    }
    for (heading, contracts) in [("By name, in the configuration", names), ("By file", files)] {
        if contracts.is_empty() {
            continue;
        }
        widgets::menu_heading(ui, heading);
        for contract in contracts {
            let is_chosen = report.reference_kind == ReferenceKind::Explicit
                && contract.reference == report.reference;
            let icon = if is_chosen { icons::CHECK } else { "" };
            let invariants = counted(contract.invariants, "invariant", "invariants");
            let text = format!("{}, {invariants}", visible(&contract.reference));
            if widgets::menu_action(ui, icon, &text, None) {
                choose(props, contract, actions);
            }
        }
    }
}

fn choose(props: SessionProps<'_>, contract: &OfferedContract, actions: &mut Actions) {
    let Some(id) = props.data.id() else { return };
    let edit =
        SessionEdit::Text(format!("{}/contract", id.pointer), contract.reference.to_string());
    // With the revision that the menu showed: an edit of an older text is refused.
    actions.push(Action::from(SessionsAction::Edit(props.data.revision, edit)));
}

/// Draws how the contract is found, with a link to its position.
fn resolution_ui(ui: &mut Ui, (props, report): ContractProps<'_>, actions: &mut Actions) {
    let colors = tokens(ui);
    let (tone, words) = resolution(report);
    let color = colors.tone_or(tone, colors.muted);
    let font = theme::regular(theme::ROW);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
        if tone != Tone::Plain {
            let icon = icons::severity(match tone {
                Tone::Error => document::Severity::Error,
                _ => document::Severity::Warning,
            });
            ui.label(theme::text(icon, theme::icon(theme::ICON), color));
        }
        ui.label(theme::text(words, font.clone(), color));
        let spot = match &report.resolution {
            Resolution::Named(spot) | Resolution::File { spot, .. } => spot,
            _ => return,
        };
        spot_ui(ui, props, spot, actions);
    });
    if let Resolution::File { remark: Some(remark), .. } = &report.resolution {
        ui.label(theme::text(format!("{remark}."), theme::regular(theme::LABEL), colors.warning));
    }
}

/// Draws a link to a position.
fn spot_ui(ui: &mut Ui, props: SessionProps<'_>, spot: &FilePlace, actions: &mut Actions) {
    let colors = tokens(ui);
    let path = visible(props.library.shown_path(&spot.path));
    match spot.reveal {
        Some((doc, span)) => {
            widgets::on_click(&widgets::link(ui, &path), Action::Reveal(doc, span), actions);
        }
        None => {
            ui.label(theme::text(path, theme::regular(theme::ROW), colors.text));
        }
    }
    widgets::note(ui, &format!("line {}", spot.line));
}
