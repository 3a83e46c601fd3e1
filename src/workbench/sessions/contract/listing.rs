//! Edits of a configuration from the contract column: shown first, then applied.

use super::{ConfigEdit, ConfigListing, PlannedConfig};
use crate::format::{Severity, text};
use crate::workbench::action::Overlay;
use crate::workbench::event::{Effect, PlannedEdit};
use crate::workbench::journal::JournalEntry;
use crate::workbench::library::DocId;
use crate::workbench::state::Workbench;

impl Workbench {
    /// Requests the edit that the dialog shows, if it is missing.
    pub(super) fn show_listing(&mut self) -> Vec<Effect> {
        if self.overlay != Some(Overlay::AddToConfig) {
            return Vec::new();
        }
        let config = self.contract_look().and_then(|look| look.config.as_ref());
        match config.map(|config| (config.doc, &config.listing)) {
            Some((Some(doc), ConfigListing::Possible(path))) => {
                self.plan_config(doc, ConfigEdit::List(path.to_string()))
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn on_config_planned(
        &mut self,
        doc: DocId,
        edit: &ConfigEdit,
        planned: Result<PlannedConfig, String>,
    ) -> Vec<Effect> {
        match (planned, edit) {
            (Ok(planned), ConfigEdit::List(_)) => {
                self.sessions.contract.listing = Some(planned);
                Vec::new()
            }
            (Ok(planned), ConfigEdit::SetType(_, kind)) => {
                let name = format!("Change the type to {kind}");
                self.edit_config(planned.edit, name)
            }
            (Err(reason), _) => {
                let name = self.library.name_of(doc);
                let text = format!("{name} was not edited: {reason}.");
                self.notify(Severity::Error, text);
                Vec::new()
            }
        }
    }

    /// Adds the session to the configuration, as shown in the dialog.
    pub(super) fn list_in_config(&mut self) -> Vec<Effect> {
        let Some(planned) = self.sessions.contract.listing.take() else {
            return Vec::new();
        };
        self.overlay = None;
        let session = self.session().and_then(|it| text(&it.id));
        let name = format!(
            "Add {} to the configuration",
            session.unwrap_or("a session")
        );
        self.edit_config(planned.edit, name)
    }

    fn edit_config(&mut self, edit: PlannedEdit, name: String) -> Vec<Effect> {
        let file = self.library.name_of(edit.doc).to_owned();
        match self.apply_planned_edit(&edit) {
            Ok(change) => {
                let changes = vec![(edit.doc, change)];
                self.journal.record(JournalEntry::from_edits(name, changes));
                let text = format!("{file} was edited but is not saved yet.");
                self.notify(Severity::Note, text);
                self.on_parsed_edit(edit.doc, edit.parsed)
            }
            Err(reason) => {
                let text = format!("{file} was not edited: {}.", reason.reason());
                self.notify(Severity::Error, text);
                Vec::new()
            }
        }
    }
}
