//! Edits of a configuration from the contract column: shown first, then applied.

use super::ConfigListing;
use crate::format::{Severity, text};
use crate::ops::change::{Change, ConfigEdit};
use crate::workbench::core::planning::PlannedChange;
use crate::workbench::core::view::Overlay;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Requests the edit that the dialog shows, if it is missing.
    pub(super) fn show_listing(&mut self) {
        if self.core.overlay != Some(Overlay::AddToConfig) {
            return;
        }
        let config = self.contract_look().and_then(|look| look.config.as_ref());
        if let Some((Some(doc), ConfigListing::Possible(path))) =
            config.map(|config| (config.doc, &config.listing))
        {
            let session = self.session().and_then(|it| text(&it.id));
            let edit = ConfigEdit::List {
                path: path.to_string(),
                session: session.unwrap_or("a session").to_owned(),
            };
            let plan = self.core.plan_change(doc, Change::Config(edit));
            self.core.request(plan);
        }
    }

    pub(in crate::workbench) fn on_config_planned(&mut self, planned: PlannedChange) {
        let is_shown_first = matches!(planned.change, Change::Config(ConfigEdit::List { .. }));
        if is_shown_first && !planned.edits.is_empty() {
            self.sessions.contract.listing = Some(planned);
            return;
        }
        self.edit_config(planned);
    }

    /// Adds the session to the configuration, as shown in the dialog.
    pub(super) fn list_in_config(&mut self) {
        let Some(planned) = self.sessions.contract.listing.take() else {
            return;
        };
        self.core.overlay = None;
        self.edit_config(planned);
    }

    fn edit_config(&mut self, planned: PlannedChange) {
        let file = self.core.library.name_of(planned.first.0).to_owned();
        if !self.core.edit_file(planned) {
            return;
        }
        let text = format!("{file} was edited but is not saved yet.");
        self.core.notify(Severity::Note, text);
    }
}
