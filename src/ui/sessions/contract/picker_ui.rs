//! Paints the contract of a session, and a menu to choose another.

use egui::{Role, Ui, vec2};

use super::super::form_state::SessionProps;
use super::contract_data::resolution;
use author::session::SessionEdit;
use document::text::{counted, visible};
use protocol::{ContractReport, FilePlace, OfferedContract, ReferenceKind, Resolution};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions, SessionsAction};

pub(super) fn picker_ui(
    ui: &mut Ui,
    props: SessionProps<'_>,
    look: &ContractReport,
    actions: &mut Actions,
) {
    widgets::padded_frame().show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 6.0;
        let chosen = match look.reference_kind {
            ReferenceKind::Explicit => visible(&look.reference).into_owned(),
            ReferenceKind::Default => "No contract named".to_owned(),
        };
        let button = Button::secondary(&chosen)
            .trailing(icons::CHEVRON_DOWN)
            .tooltip("Choose the contract of the session")
            .width(ui.available_width());
        let response = ui.add(button);
        widgets::describe(&response, Role::Button, &format!("Contract: {chosen}"));
        widgets::menu(&response, |ui| menu_ui(ui, props, look, actions));
        resolution_ui(ui, props, look, actions);
    });
}

fn menu_ui(ui: &mut Ui, props: SessionProps<'_>, look: &ContractReport, actions: &mut Actions) {
    let (files, names): (Vec<&OfferedContract>, Vec<&OfferedContract>) =
        // Names first, because Flakestorm looks for a name before a path.
        look.offered.iter().partition(|it| it.is_file);
    if look.offered.is_empty() {
        let reason = "Neither the configuration nor a file contains one";
        widgets::menu_item(ui, "", "No contracts found", &[], Some(reason));
    }
    for (heading, offered) in [("By name, in the configuration", names), ("By file", files)] {
        if offered.is_empty() {
            continue;
        }
        widgets::menu_heading(ui, heading);
        for offered in offered {
            let is_chosen = look.reference_kind == ReferenceKind::Explicit
                && offered.reference == look.reference;
            let icon = if is_chosen { icons::CHECK } else { "" };
            let invariants = counted(offered.invariants, "invariant", "invariants");
            let text = format!("{}, {invariants}", visible(&offered.reference));
            if widgets::menu_action(ui, icon, &text, None) {
                choose(props, offered, actions);
            }
        }
    }
}

fn choose(props: SessionProps<'_>, offered: &OfferedContract, actions: &mut Actions) {
    let Some(id) = props.data.id() else { return };
    let edit = SessionEdit::Text(format!("{}/contract", id.pointer), offered.reference.to_string());
    // With the revision that the menu showed: an edit of an older text is refused.
    actions.push(Action::from(SessionsAction::Edit(props.data.revision, edit)));
}

/// Draws how the contract is found, with a link to its position.
fn resolution_ui(
    ui: &mut Ui,
    props: SessionProps<'_>,
    look: &ContractReport,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let (tone, words) = resolution(look);
    let color = colors.tone_or(tone, colors.muted);
    let font = theme::regular(theme::ROW);
    let row = ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 2.0);
        if tone != Tone::Plain {
            let icon = icons::severity(match tone {
                Tone::Error => document::Severity::Error,
                _ => document::Severity::Warning,
            });
            ui.label(theme::text(icon, theme::icon(theme::ICON), color));
        }
        ui.label(theme::text(words, font.clone(), color));
        let spot = match &look.resolution {
            Resolution::Named(spot) | Resolution::File { spot, .. } => spot,
            _ => return,
        };
        spot_ui(ui, props, spot, actions);
    });
    // The rest stays at its place if the path of another contract needs a second line.
    let least = 2.0 * theme::TEXT_LINE + 2.0;
    ui.add_space((least - row.response.rect.height()).max(0.0));
    if let Resolution::File { remark: Some(remark), .. } = &look.resolution {
        ui.label(theme::text(format!("{remark}."), theme::regular(theme::LABEL), colors.warning));
    }
}

/// Draws a link to a position.
fn spot_ui(ui: &mut Ui, props: SessionProps<'_>, spot: &FilePlace, actions: &mut Actions) {
    let colors = tokens(ui);
    let path = visible(props.library.shown_path(&spot.path));
    let line = theme::text(format!("line {}", spot.line), theme::regular(theme::ROW), colors.muted);
    match spot.reveal {
        Some((doc, span)) => {
            widgets::on_click(&widgets::link(ui, &path), Action::Reveal(doc, span), actions);
        }
        None => {
            ui.label(theme::text(path, theme::regular(theme::ROW), colors.text));
        }
    }
    ui.label(line);
}
