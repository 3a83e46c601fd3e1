//! `retake export map`: a machine with its recordings as a picture for documents.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::Destination;
use super::picture::PictureColors;
use crate::output::shown;
use crate::{CommandError, CommandResult};
use document::text::listed;
use engine::undo::StepRecorder;
use engine::{SourceLookup, group_by_machine};
use machine::map_picture::draw_map;

/// Draw the map of a machine as SVG: its recordings at its nodes, and edges as wide as they are used.
///
/// The machine is the one that the recordings in PATH were made from; if there are several, --machine selects one. An existing file
/// with different content is not replaced, unless --force is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake export map fixtures/triage --to machine.svg\n  \
                  retake export map fixtures --machine machines/triage.dygram --to machine.svg --colors dark")]
pub(super) struct ExportMapArgs {
    /// Files and folders with recordings.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// The machine, by its path or the end of it, such as its name.
    #[arg(long, value_name = "PATH")]
    machine: Option<PathBuf>,
    #[command(flatten)]
    destination: Destination,
    #[command(flatten)]
    colors: PictureColors,
}

pub(super) fn run(arguments: &ExportMapArgs, recorder: &StepRecorder) -> CommandResult {
    arguments.destination.check()?;
    let input = arguments.destination.within.read(&arguments.paths, SourceLookup::Look)?;
    let machines = group_by_machine(input.numbered());
    let names: Vec<String> = machines.keys().map(|path| shown(path).into_owned()).collect();
    let is_selected = |path: &str| match &arguments.machine {
        // By whole components, so that `a.dygram` does not mean `extra.dygram`.
        Some(machine) => Path::new(path).ends_with(machine),
        None => machines.len() == 1,
    };
    let (path, recordings) = machines.iter().find(|(p, _)| is_selected(p)).ok_or_else(|| {
        CommandError(match names.len() {
            0 => "No recording names the machine that it was made from; `retake stamp` adds it"
                .to_owned(),
            _ => format!("Expected one of {}; select it with --machine", listed(&names)),
        })
    })?;
    let map = input
        .project
        .machine_map(path, recordings, &AtomicBool::new(false))
        .map_err(|reason| CommandError(shown(&reason).into_owned()))?;
    let name = path.rsplit('/').next().unwrap_or(path);
    // The last version is the one on disk.
    let newest_version = map.versions.len().saturating_sub(1);
    let picture = draw_map(&map, newest_version, (name, arguments.colors.colors))
        .ok_or_else(|| CommandError::from("The machine has no version"))?;
    arguments.destination.write_picture(recorder, &picture)
}
