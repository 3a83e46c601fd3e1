//! A run as one page that opens in any browser and in Retake.

use std::path::PathBuf;
use std::sync::Arc;

use super::{TriageAction, TriageDesk};
use crate::core::Core;
use crate::core::dialog::DialogKind;
use crate::core::effect::Effect;
use document::Severity;
use protocol::{RunSource, SharedRun, WriteRunPage};

impl TriageDesk {
    /// Opens a dialog to choose the file of the page. Without `log`, the run that is shown is shared.
    pub(crate) fn share(&self, core: &mut Core, log: Option<RunSource>) {
        let name = match (&log, &self.run) {
            (Some(log), _) => log.name(),
            (None, Some(run)) => run.name.clone(),
            (None, None) => return,
        };
        let is_name = |c: char| c.is_alphanumeric() || "-_.".contains(c);
        let name: String = name.chars().map(|c| if is_name(c) { c } else { '-' }).collect();
        let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
        let proposal = DialogKind::Save(format!("{stem}.html").into());
        let write = move |path| TriageAction::WritePage(path, log.clone());
        core.request(Effect::pick("Share the run as a page", proposal, write));
    }

    pub(super) fn write_page(&self, core: &mut Core, path: PathBuf, log: Option<RunSource>) {
        let run = match (log, &self.run, &self.triaged) {
            (Some(log), ..) => SharedRun::Log(log),
            (None, Some(run), Some(triage)) => {
                SharedRun::Shown(Arc::clone(run), Arc::clone(&triage.triage))
            }
            (None, ..) => return,
        };
        core.request(Effect::run(WriteRunPage {
            path,
            run,
            items: core.library.items.clone(),
            edited: core.library.unsaved_texts(),
        }));
    }

    pub(super) fn on_written(core: &mut Core, result: Result<String, String>) {
        if let Some(path) = core.or_notify(result) {
            let text = format!("Saved {path}. It opens in any browser and in Retake.");
            core.notify(Severity::Note, text);
        }
    }
}
