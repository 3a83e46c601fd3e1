//! Changes of files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::playback::RecordingSet;
use document::files::{FileStep, file_name};

/// Returns all names in use in the folder of a set.
fn taken_names(set: &RecordingSet) -> BTreeSet<&str> {
    let played = set.recordings.iter().map(|recording| &*recording.path);
    played.chain(set.skipped.iter().map(|skipped| &*skipped.path)).collect()
}

/// Plans a copy with a name that sorts next to the original: `-` sorts before `.`, with no other file between.
pub(super) fn duplicate(set: &RecordingSet, index: usize) -> Vec<FileStep> {
    let Some(recording) = set.recordings.get(index) else { return Vec::new() };
    let (path, taken_paths) = (&recording.path, taken_names(set));
    let stem = path.strip_suffix(".json").unwrap_or(path);
    let mut names = (1..).map(|number| match number {
        1 => format!("{stem}-copy.json"),
        number => format!("{stem}-copy-{number}.json"),
    });
    let free = names.find(|name| !taken_paths.contains(&**name));
    free.map(|to| FileStep::Copy { from: Arc::clone(path), to: to.into() }).into_iter().collect()
}

/// Returns the natural order of file names: `turn-2` before `turn-10`.
pub(super) fn by_number(set: &RecordingSet) -> Vec<usize> {
    let mut order: Vec<usize> = (0..set.recordings.len()).collect();
    // Cached, because splitting a name allocates.
    order.sort_by_cached_key(|index| pieces(set.recordings[*index].file_name()));
    order
}

/// Splits a name into texts, each with the number after it.
fn pieces(name: &str) -> Vec<(String, u128)> {
    let mut pieces = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let start = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, behind) = rest.split_at(start);
        let end = behind.find(|c: char| !c.is_ascii_digit()).unwrap_or(behind.len());
        // Fails where a name ends without a number, or has more digits than 128 bits hold.
        let number = behind[..end].parse().unwrap_or_default();
        pieces.push((text.to_owned(), number));
        rest = &behind[end..];
    }
    pieces
}

/// Plans names that sort in this order: `turn-1` becomes `turn-01`; other names get a number prefix.
pub(super) fn reorder(set: &RecordingSet, order: &[usize]) -> Vec<FileStep> {
    let paths: Vec<&Arc<str>> =
        order.iter().filter_map(|index| Some(&set.recordings.get(*index)?.path)).collect();
    let width = paths.len().to_string().len();
    let all_turns = paths.iter().all(|path| is_turn(file_name(path)));
    let mut new_paths = BTreeMap::new();
    for (at, path) in paths.iter().enumerate() {
        let name = file_name(path);
        let folder = &path[..path.len() - name.len()];
        let number = at + 1;
        let new = if all_turns {
            format!("{folder}turn-{number:0width$}.json")
        } else {
            format!("{folder}{number:0width$}-{}", without_number(name, width))
        };
        if *new != ***path {
            new_paths.insert(path.to_string(), new);
        }
    }
    rename_in_order(new_paths, taken_names(set).into_iter().map(str::to_owned).collect())
}

fn is_turn(name: &str) -> bool {
    let number = name.strip_prefix("turn-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Removes a number prefix that was added before.
fn without_number(name: &str, width: usize) -> &str {
    match name.split_once('-') {
        Some((number, rest))
            if number.len() == width && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => name,
    }
}

/// Orders renames so that each new name is free when it is applied; cycles are broken with a temporary name.
fn rename_in_order(
    mut new_paths: BTreeMap<String, String>,
    mut taken_paths: BTreeSet<String>,
) -> Vec<FileStep> {
    let mut changes = Vec::new();
    let mut rename = |from: &str, to: &str, taken_paths: &mut BTreeSet<String>| {
        taken_paths.remove(from);
        taken_paths.insert(to.to_owned());
        changes.push(FileStep::Rename { from: from.into(), to: to.into() });
    };
    loop {
        let free = new_paths.iter().find(|(_, to)| !taken_paths.contains(*to));
        if let Some((from, to)) = free.map(|(from, to)| (from.clone(), to.clone())) {
            rename(&from, &to, &mut taken_paths);
            new_paths.remove(&from);
            continue;
        }
        let Some((from, to)) = new_paths.pop_first() else { break };
        // Only a cycle needs a temporary name: where a file that stays has the name at the end of the chain, nothing becomes free.
        let chain = std::iter::successors(Some(&to), |at| new_paths.get(*at));
        let is_cycle = chain.take(new_paths.len() + 1).any(|at| *at == from);
        let mut temporaries = (1..).map(|number| format!("{from}.moving-{number}"));
        let temporary = temporaries.find(|temporary| !taken_paths.contains(temporary));
        if let Some(temporary) = temporary.filter(|_| is_cycle) {
            rename(&from, &temporary, &mut taken_paths);
            new_paths.insert(temporary, to);
        }
    }
    changes
}
