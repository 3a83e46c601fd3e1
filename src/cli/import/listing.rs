//! Adds imported sessions to the enclosing configuration.

use std::path::Path;

use super::Arguments;
use super::told::{Fate, Told};
use crate::cli::difference::difference;
use crate::cli::edit::store;
use crate::cli::outbox::{Manner, Sent};
use crate::cli::output::shown;
use crate::cli::{Failure, count, tell, write};
use crate::engine::save::Target;
use crate::engine::surroundings::{absolute, config_above};
use crate::ops::session::{add_files, path_from};

/// Adds each existing file to `replays.sessions` and changes no other byte; in a dry run only shows the diff.
pub(super) fn list(arguments: &Arguments, all: &[Told<'_>], mode: Manner) -> Result<(), Failure> {
    let Some(config) = config_above(&arguments.to, arguments.within.root()) else {
        return Err(Failure(format!(
            "No flakestorm.yaml to add the sessions to, in this folder or above: {}",
            shown(&arguments.to.to_string_lossy())
        )));
    };
    let is_there = |draft: &&Told<'_>| matches!(draft.fate, Fate::Sent(Sent::Written | Sent::Same));
    let folder = config.file.parent().unwrap_or(Path::new("/"));
    let paths: Vec<String> = all
        .iter()
        .filter(is_there)
        .map(|draft| path_from(&plain(folder), &plain(&absolute(Path::new(&draft.path)))))
        .collect();
    let before = config.document.source();
    let refused = |reason| Failure(format!("{reason}: {}", shown(&config.path)));
    let (after, added) =
        add_files(&config.document, &paths).map_err(|refusal| refused(refusal.to_string()))?;
    if mode == Manner::DryRun {
        write(arguments.look.color, |output| {
            difference(output, &config.path, before.text(), after.text())
        })?;
    } else if added > 0 {
        let target = Target::chosen(&config.file, arguments.within.root())
            .map_err(|fault| Failure(fault.to_string()))?;
        store(target, before, &after)?;
    }
    let done = match mode {
        Manner::DryRun => "to be added",
        _ => "added",
    };
    tell(&format!(
        "{} {done} to {}",
        count(added, "session"),
        shown(&config.path)
    ));
    Ok(())
}

fn plain(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
