//! The commands that run a session, with paths relative to the folder in which they run.

use std::path::Path;
use std::sync::Arc;

use super::root_files::{ContractFile, ContractLookup};
use author::session::{Runnable, run_command};
use document::FileKind;
use document::shell::CommandShell;
use protocol::{Resolution, RunCommands};

/// The default name of a configuration.
const CONFIG: &str = "flakestorm.yaml";

pub(super) fn commands(
    looking: &ContractLookup<'_>,
    config: Option<&ContractFile>,
    resolution: &Resolution,
) -> RunCommands {
    let is_inline = looking.request.key.id.is_inline();
    let path = config.map(|file| looking.project.path_for_command(looking.index, &file.path));
    let config = path.flatten().unwrap_or_else(|| CONFIG.to_owned());
    let of = |root_path: &str| {
        let path = looking.project.path_for_command(looking.index, root_path)?;
        run_command(CommandShell::CURRENT, Runnable::File(&path), &config)
    };
    let item = looking.item();
    let one = match (is_inline, item) {
        (true, _) => run_command(CommandShell::CURRENT, Runnable::All, &config),
        (false, item) => item.and_then(|item| of(&item.root_path)),
    };
    let folder = item.map_or("", |item| item.folder());
    let mut beside: Vec<Arc<str>> = looking
        .items()
        .filter(|(_, item)| item.kind == FileKind::Session && item.folder() == folder)
        .map(|(_, item)| Arc::clone(&item.root_path))
        .collect();
    // The items come from a hash map, in an order that changes with each lookup.
    beside.sort();
    let beside = beside.iter().filter(|_| !is_inline);
    RunCommands {
        one: one.map(Arc::from),
        folder: beside.filter_map(|path| of(path).map(Arc::from)).collect(),
        folder_name: match folder {
            "" => "the folder".into(),
            folder => format!("{folder}/").into(),
        },
        remarks: remarks(looking, resolution),
        has_flakestorm: is_on_path("flakestorm"),
    }
}

fn remarks(looking: &ContractLookup<'_>, resolution: &Resolution) -> Vec<Arc<str>> {
    let mut remarks: Vec<Arc<str>> = Vec::new();
    if looking.request.key.id.is_inline() {
        remarks.push("A session inside a configuration cannot be run alone: this command runs everything in the configuration.".into());
    }
    match resolution {
        Resolution::Missing | Resolution::Unread(_) => remarks.push(
            "The contract is not found, so the run passes whatever the agent answers.".into(),
        ),
        Resolution::File { remark: Some(remark), .. } => remarks.push(format!("{remark}.").into()),
        _ => {}
    }
    remarks
}

/// Returns whether a program of this name is on the PATH.
fn is_on_path(name: &str) -> bool {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    // Searched here, since starting the program to find out would need the user's consent.
    std::env::split_paths(&folders).any(|folder| is_program(&folder.join(&file)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
