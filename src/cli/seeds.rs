//! Reads seeds, for all commands about seeds.

use super::output::shown;
use super::{ReadFiles, report_error};
use author::seeds::{Memory, SeedFile, seeds_of};
use document::FileKind;

/// The seeds in the files that were read, inserted as the provider would. Files that can no longer be read are reported.
pub(super) fn memory(input: &ReadFiles) -> Memory {
    let files = input.items.iter().zip(&input.numbers).filter_map(|(item, number)| {
        if item.kind != FileKind::Seeds {
            // Other files of a folder are no seeds, but a file of this name was meant to contain some.
            if item.path.ends_with(".seeds.json") {
                report_error(&format!("No seeds could be read: {}", shown(&item.path)));
            }
            return None;
        }
        match input.project.read(*number, item) {
            Ok(doc) => Some(SeedFile { path: item.path.clone(), seeds: seeds_of(&doc).into() }),
            Err(reason) => {
                report_error(&format!("{reason}: {}", shown(&item.path)));
                None
            }
        }
    });
    // In the order of the paths, since the last of equal keys wins.
    Memory::new(files)
}
