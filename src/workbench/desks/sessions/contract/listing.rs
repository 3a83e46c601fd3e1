//! Edits of a configuration from the contract column: shown first, then applied.

use super::super::SessionsDesk;
use crate::core::Core;
use crate::core::notices::NoticeEnd;
use crate::core::view::Overlay;
use check::change::{Change, ConfigEdit};
use document::{Severity, text};
use protocol::{ConfigListing, PlannedChange};

impl SessionsDesk {
    /// Requests the edit that the dialog shows, if it is missing.
    pub(super) fn show_listing(&mut self, core: &mut Core) {
        if core.overlay != Some(Overlay::AddToConfig) {
            return;
        }
        let config = self.report().and_then(|report| report.config.as_ref());
        if let Some((Some(doc), ConfigListing::Possible(path))) =
            config.map(|config| (config.doc, &config.listing))
        {
            let session = self.session(core).and_then(|s| text(&s.id));
            let edit = ConfigEdit::List {
                path: path.to_string(),
                session: session.unwrap_or("a session").to_owned(),
            };
            core.request(core.plan_change(doc, Change::Config(edit)));
        }
    }

    pub(crate) fn on_config_planned(&mut self, core: &mut Core, plan: PlannedChange) {
        let is_shown_first = matches!(plan.change, Change::Config(ConfigEdit::List { .. }));
        if is_shown_first && !plan.edits.is_empty() {
            self.contract.listing = Some(plan);
            return;
        }
        self.edit_config(core, plan);
    }

    /// Adds the session to the configuration, as shown in the dialog.
    pub(super) fn list_in_config(&mut self, core: &mut Core) {
        let Some(plan) = self.contract.listing.take() else { return };
        core.overlay = None;
        self.edit_config(core, plan);
    }

    fn edit_config(&mut self, core: &mut Core, plan: PlannedChange) {
        let doc = plan.first.0;
        let file = core.library.name_of(doc).to_owned();
        if !core.edit_file(plan) {
            return;
        }
        let text = format!("{file} was edited but is not saved yet.");
        core.notify_until(NoticeEnd::Saved(doc), Severity::Note, text);
    }
}
