//! Searches the content of files.

use std::sync::atomic::AtomicBool;

use crate::disk::guard::catch;
use crate::disk::parallel::map_parallel;
use crate::disk::project::Project;
use calls::Item;
use check::search::BodyQuery;

/// Returns which of some items pass, each with the number in which it arrived, by what is in their files now.
pub fn search_bodies(project: &Project, items: &[(usize, &Item)], query: &BodyQuery) -> Vec<bool> {
    // For the command line, which nothing cancels: Ctrl+C ends the process.
    let cancel = AtomicBool::new(false);
    map_parallel("Searching", items, &cancel, |(index, item)| passes(project, *index, item, query))
}

/// Returns whether an item passes. One that cannot be read contains nothing.
pub(crate) fn passes(project: &Project, index: usize, item: &Item, query: &BodyQuery) -> bool {
    let search = || {
        let content = project.read_content(index, item).unwrap_or_default();
        query.matches(&content, &item.path, &mut Vec::new())
    };
    catch(search).unwrap_or(false)
}
