//! Assigns the runs in logs to sets.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::UsageEvidence;
use crate::playback::failure_log::{ObservedRun, ObservedRuns, SetIndex, SetOfLog};
use calls::Item;

/// The runs in logs, by set.
#[derive(Clone, Debug, Default)]
pub struct RunsOfSets {
    /// By the folder from the project root.
    runs: BTreeMap<Arc<str>, Vec<ObservedRun>>,
    /// Reason for which it is unknown whether further runs belong to a set, by the set, as a sentence without a full stop.
    doubts: BTreeMap<Arc<str>, String>,
    /// The same for all sets.
    doubt: Option<String>,
}

/// Assigns runs to the sets of these recordings.
pub fn runs_of_sets<'a>(
    logs: Vec<(Arc<str>, ObservedRuns)>,
    items: impl Iterator<Item = &'a Item>,
) -> RunsOfSets {
    let index = SetIndex::new(items);
    let mut of_sets = RunsOfSets::default();
    for (name, log) in logs {
        if let Some(unread) = log.unread.into_iter().next() {
            // A failure that was not read may be of any set. The first doubt is enough for a message.
            of_sets.doubt.get_or_insert(format!("{name}: {unread}"));
        }
        for run in log.runs {
            of_sets.assign(run, &index);
        }
    }
    of_sets
}

impl RunsOfSets {
    fn assign(&mut self, observed_run: ObservedRun, sets: &SetIndex) {
        let run = &observed_run.run;
        let place = format!("{}:{}", run.log(), run.line);
        // The number of recordings and the tools are no proof.
        let set_of_log = run.set_among(sets);
        match set_of_log {
            SetOfLog::One(folder) if folder.is_named => {
                self.runs.entry(folder.folder).or_default().push(observed_run);
            }
            SetOfLog::Several(folders) if folders.iter().all(|folder| folder.is_named) => {
                for folder in folders {
                    let doubt = || format!("{place}: the run may belong to this set");
                    self.doubts.entry(folder.folder).or_insert_with(doubt);
                }
            }
            // The run belongs to a set that was not read.
            SetOfLog::Unknown if run.directory.is_some() => {}
            _ => {
                let doubt = || format!("{place}: nothing in the log names the set of this run");
                self.doubt.get_or_insert_with(doubt);
            }
        }
    }

    /// Returns the runs of the set in a folder, from the project root.
    ///
    /// # Errors
    ///
    /// Returns the reason why they may be incomplete, as a sentence without a full stop.
    pub fn evidence(&self, folder: &str) -> Result<UsageEvidence, String> {
        match self.doubts.get(folder).or(self.doubt.as_ref()) {
            Some(doubt) => Err(doubt.clone()),
            None => Ok(UsageEvidence::Logs(self.runs.get(folder).cloned().unwrap_or_default())),
        }
    }
}
