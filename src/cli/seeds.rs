//! What the commands about seeds share: reading them.

use super::output::shown;
use super::{Everything, complain};
use crate::format::Kind;
use crate::ops::seeds::{File, Memory, seeds_of};

/// The seeds among what was read, seeded as the provider would. What cannot be read any more is told.
pub(super) fn memory(read: &Everything) -> Memory {
    let items = read.items.iter().zip(&read.numbers);
    let files = items.filter_map(|(item, number)| {
        if item.kind != Kind::Seeds {
            if item.path.ends_with(".seeds.json") {
                complain(&format!("No seeds could be read: {}", shown(&item.path)));
            }
            return None;
        }
        match read.project.read(*number, item) {
            Ok(document) => Some(File {
                path: item.path.clone(),
                seeds: seeds_of(&document).into(),
            }),
            Err(reason) => {
                complain(&format!("{reason}: {}", shown(&item.path)));
                None
            }
        }
    });
    Memory::new(files)
}
