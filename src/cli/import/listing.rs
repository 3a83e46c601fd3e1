//! Adds imported sessions to the enclosing configuration.

use std::path::Path;

use super::ImportArgs;
use super::report::{DraftReport, DraftStatus};
use crate::difference::difference;
use crate::edit::store;
use crate::files_document::slashed;
use crate::outbox::{OutputFolder, WriteMode, WriteOutcome};
use crate::output::shown;
use crate::{CommandError, CommandResult, print_summary, write};
use author::session::{add_files, path_from};
use document::text::count;
use engine::save::SaveTarget;
use engine::save_location::{absolute, find_nearest_config};

/// Adds each existing file to `replays.sessions` and changes no other byte; in a dry run only shows the diff.
pub(super) fn list(
    arguments: &ImportArgs,
    reports: &[DraftReport<'_>],
    outbox: &OutputFolder<'_>,
) -> CommandResult<()> {
    let Some(config) = find_nearest_config(&outbox.folder, arguments.within.root()) else {
        return Err(CommandError(format!(
            "No flakestorm.yaml to add the sessions to, in this folder or above: {}",
            shown(&outbox.folder.to_string_lossy())
        )));
    };
    let is_there = |draft: &&DraftReport<'_>| {
        // A file that was there already may still be missing in the configuration.
        matches!(draft.status, DraftStatus::Sent(WriteOutcome::Written | WriteOutcome::Same))
    };
    let folder = config.file.parent().unwrap_or(Path::new("/"));
    let paths: Vec<String> = reports
        .iter()
        .filter(is_there)
        // Flakestorm resolves paths from the folder of the configuration, not from the working directory.
        .map(|draft| path_from(&slashed(folder), &slashed(&absolute(Path::new(&draft.path)))))
        .collect();
    let old_source = config.document.source();
    let fault = |reason| CommandError(format!("{reason}: {}", shown(&config.path)));
    let (new_source, added_count) =
        add_files(&config.document, &paths).map_err(|refusal| fault(refusal.to_string()))?;
    if outbox.mode == WriteMode::DryRun {
        write(arguments.look.color, |output| {
            difference(output, &config.path, old_source.text(), new_source.text())
        })?;
    } else if added_count > 0 {
        let target = SaveTarget::chosen(&config.file, arguments.within.root())?;
        store(outbox.recorder, target, old_source, &new_source)?;
    }
    let label = if outbox.mode == WriteMode::DryRun { "to be added" } else { "added" };
    print_summary(&format!("{} {label} to {}", count(added_count, "session"), shown(&config.path)));
    Ok(())
}
