//! Paints the preview of how a session is added to its configuration.

use std::sync::Arc;

use egui::{Margin, Role, Ui};

use super::ContractView;
use super::config_ui::configs_ui;
use document::diff::text::TextDiff;
use document::text::visible;
use protocol::{ConfigListing, ContractReport};
use widgets::dialog::{DialogHead, confirm_buttons, dialog};
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent, whole_sheet_ui};
use widgets::theme::{self, tokens};
use widgets::{Button, icons};
use workbench::{Action, Actions, ContractAction, DiffLayout, SessionsAction, Workbench};

/// Draws the dialog.
pub fn listing_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut ContractView,
    actions: &mut Actions,
) {
    let report = workbench.sessions.report();
    let listing = workbench.sessions.contract.listing.as_ref();
    let head = DialogHead {
        icon: icons::PLUS,
        title: "Add to config",
        detail: "The session’s file is listed under replays.sessions. No other byte changes, and nothing is saved yet.",
    };
    let diff = listing.and_then(|listing| listing.diff.as_ref());
    let sheet = diff.map(|diff| view.sheet_of(diff));
    let body = |ui: &mut Ui, actions: &mut Actions| {
        if let Some(report) = report {
            body_ui(ui, report, sheet.as_ref(), actions);
        }
        ui.add_space(theme::PADDING);
    };
    dialog(ui, "add to config", head, actions, body, |ui, actions| {
        foot_ui(ui, listing.is_some(), actions);
    });
}

impl ContractView {
    fn sheet_of(&mut self, diff: &Arc<TextDiff>) -> Arc<Sheet> {
        if let Some((old_diff, sheet)) = &self.sheet
            // The preview is replaced as a whole, so its address shows whether it is another one.
            && Arc::ptr_eq(old_diff, diff)
        {
            return Arc::clone(sheet);
        }
        let content = SheetContent::Document(Arc::clone(diff), Language::Yaml);
        let sheet = Arc::new(Sheet::with_folds(content, &|_| None, DiffLayout::Unified));
        self.sheet = Some((Arc::clone(diff), Arc::clone(&sheet)));
        sheet
    }
}

fn body_ui(
    ui: &mut Ui,
    report: &ContractReport,
    sheet: Option<&Arc<Sheet>>,
    actions: &mut Actions,
) {
    let Some(config) = &report.config else { return };
    if report.configs.len() > 1 {
        let path = visible(&config.path);
        let button = Button::secondary(&path).trailing(icons::CHEVRON_DOWN);
        let response = ui.add(button.tooltip("Choose the configuration"));
        widgets::describe(&response, Role::Button, &format!("Configuration: {path}"));
        widgets::menu(&response, |ui| configs_ui(ui, report, actions));
        ui.add_space(theme::GAP);
    }
    let colors = tokens(ui);
    if let Some(reason) = refusal(report) {
        ui.label(theme::text(format!("{reason}."), theme::regular(theme::BODY), colors.text));
        return;
    }
    widgets::card_with(ui, colors.input, Margin::symmetric(0, 4), |ui| match sheet {
        // Folds cannot be opened here: only the change matters.
        Some(sheet) => whole_sheet_ui(ui, sheet, &mut Vec::new()),
        None => widgets::skeleton_rows(ui, 3, theme::TEXT_LINE),
    });
}

/// Returns why the session cannot be listed in this configuration.
fn refusal(report: &ContractReport) -> Option<&'static str> {
    let config = report.config.as_ref()?;
    match (&config.listing, config.doc) {
        (ConfigListing::Inline, _) => Some("The session is itself in a configuration"),
        (ConfigListing::Listed, _) => Some("This configuration already lists the session"),
        // Only open files can be changed, undone and saved.
        (_, None) => Some("This configuration is not open: open its folder to edit it"),
        _ => None,
    }
}

fn foot_ui(ui: &mut Ui, is_ready: bool, actions: &mut Actions) {
    let reason = (!is_ready).then_some("there is nothing to add");
    let add = Button::primary("Add").icon(icons::PLUS).disabled(reason);
    let list = || Action::from(SessionsAction::Contract(ContractAction::List));
    confirm_buttons(ui, add, actions, list);
}
