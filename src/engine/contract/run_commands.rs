//! The commands that run a session, with paths relative to the folder in which they run.

use std::path::Path;
use std::sync::Arc;

use super::root_files::{ContractFile, ContractLookup};
use author::session::{Runnable, run_command};
use document::FileKind;
use document::shell::CommandShell;
use protocol::{Resolution, RunCommands};

/// The default name of a configuration.
const CONFIG_NAME: &str = "flakestorm.yaml";

pub(super) fn commands(
    lookup: &ContractLookup<'_>,
    config: Option<&ContractFile>,
    resolution: &Resolution,
) -> RunCommands {
    let is_inline = lookup.request.key.id.is_inline();
    let path = config.map(|file| lookup.project.path_for_command(lookup.index, &file.path));
    let config = path.flatten().unwrap_or_else(|| CONFIG_NAME.to_owned());
    let command_of = |root_path: &str| {
        let path = lookup.project.path_for_command(lookup.index, root_path)?;
        run_command(CommandShell::CURRENT, Runnable::File(&path), &config)
    };
    let item = lookup.item();
    let command = match (is_inline, item) {
        (true, _) => run_command(CommandShell::CURRENT, Runnable::All, &config),
        (false, item) => item.and_then(|item| command_of(item.root_path())),
    };
    let folder = item.map_or("", |item| item.folder());
    let mut paths: Vec<Arc<str>> = lookup
        .items()
        .filter(|(_, item)| item.kind == FileKind::Session && item.folder() == folder)
        .map(|(_, item)| item.root_path().into())
        .collect();
    // The items come from a hash map, in an order that changes with each lookup.
    paths.sort();
    let paths = paths.iter().filter(|_| !is_inline);
    RunCommands {
        one: command.map(Arc::from),
        folder: paths.filter_map(|path| command_of(path).map(Arc::from)).collect(),
        folder_name: match folder {
            "" => "the folder".into(),
            folder => format!("{folder}/").into(),
        },
        remarks: remarks(lookup, resolution),
        has_flakestorm: is_on_path("flakestorm"),
    }
}

fn remarks(lookup: &ContractLookup<'_>, resolution: &Resolution) -> Vec<Arc<str>> {
    let mut remarks: Vec<Arc<str>> = Vec::new();
    if lookup.request.key.id.is_inline() {
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
    std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}
