//! Plans changes of files. Stamps need the sources of the project; all other changes need only the text.

use crate::disk::project::Project;
use crate::disk::redaction_key::project_key;
use crate::disk::stamp_planner::{StampPlanner, StampRequest, StampSource};
use author::redact::{PersonalValues, RedactedDocument, Redactor, redact};
use calls::Item;
use check::change::Change;
use document::Document;
use document::edit::{EditRefusal, TextPlan};
use document::recording::RecordingVersion;
use document::text::TextEdit;
use machine::stamp::{Renewal, StampChange, StampContextKeys};
use play::client::{ChangedChoices, RecorderClient};

/// Plans changes, one document at a time. Every source is read once.
#[derive(Debug)]
pub struct ChangePlanner<'a> {
    project: &'a Project,
    /// For [`Change::Stamp`].
    stamping: Option<StampPlanner<'a>>,
    /// For [`Change::Restamp`].
    restamping: Option<StampPlanner<'a>>,
}

impl<'a> ChangePlanner<'a> {
    pub fn new(project: &'a Project) -> Self {
        Self { project, stamping: None, restamping: None }
    }

    /// Plans a change of the item with the number `index`, in the text that `document` is a reading of; `None` if nothing would
    /// change.
    ///
    /// # Errors
    ///
    /// The reason it cannot be made, as a sentence without a full stop.
    pub fn plan(
        &mut self,
        change: &Change,
        index: usize,
        item: &Item,
        document: &Document,
    ) -> Result<Option<(TextPlan, StampChange)>, String> {
        let Some(change) = change.of_item(item) else { return Ok(None) };
        let (planner, source) = match &*change {
            Change::Stamp => (&mut self.stamping, StampSource::Project),
            Change::Restamp => (&mut self.restamping, StampSource::Named),
            Change::RedactMachine => {
                let plan = self.redact_machine(item, document)?;
                return Ok(plan.map(|plan| (plan, StampChange::Same)));
            }
            other => {
                let plan = other.plan(document)?;
                return Ok(plan.map(|plan| (plan, StampChange::Same)));
            }
        };
        let planner = match planner {
            Some(planner) => planner,
            // Made for the first stamp only: making it can fail, and other changes do not need it.
            None => planner.insert(StampPlanner::new(self.project, request(source))?),
        };
        let stamp = planner.plan(index, item, document)?;
        Ok(stamp.map(|stamp| (stamp.edit.into(), stamp.source)))
    }

    /// Plans the replacement of what names a machine in a file. Of a cassette, it says what its client answers afterwards.
    fn redact_machine(&self, item: &Item, document: &Document) -> Result<Option<TextPlan>, String> {
        let own_patterns = self.project.secrets();
        let mut values = PersonalValues::default();
        values.add_machine(document, &own_patterns);
        if values.is_empty() {
            return Ok(None);
        }
        let root = self.project.root().ok_or("Nothing is open")?;
        // Without a stored key, the edit would have other placeholders than the preview.
        let key = project_key(root.path(), true)?;
        let redactor = Redactor::new(&values.redaction(key))?;
        let redacted = redact(document, item.file_name(), &redactor, &own_patterns);
        let first = |refusals: Vec<EditRefusal>| {
            refusals.into_iter().next().map_or_else(String::new, |refusal| refusal.reason)
        };
        let Some(RedactedDocument { after, .. }) = redacted.map_err(first)? else {
            return Ok(None);
        };
        let Some(edit) = TextEdit::between(document.source().text(), after.text()) else {
            return Ok(None);
        };
        let remark = item.client().map(|client| {
            let facts = item.cassette.as_deref().cloned().unwrap_or_default();
            let after = document.read_again(after, item.file_name());
            match ChangedChoices::find(document, &after, client, &facts) {
                Ok(found) => found.sentence(RecorderClient::from(client).name()),
                Err(reason) => {
                    let reason = reason.trim_end_matches('.');
                    format!("What the client answers is not known: {reason}")
                }
            }
        });
        Ok(Some(TextPlan { edit, remark }))
    }

    /// Keeps a copy of the source that the item with the number `index` was planned to be stamped with; see
    /// [`StampPlanner::keep_source`].
    pub fn keep_source(&self, index: usize) {
        let planners = self.stamping.iter().chain(&self.restamping);
        planners.for_each(|planner| planner.keep_source(index));
    }
}

fn request(source: StampSource) -> StampRequest {
    StampRequest {
        source,
        // The first version of the format that has a place for the source.
        version: RecordingVersion::V3,
        renewal: Renewal::Renew,
        context_keys: StampContextKeys::AsStored,
    }
}
