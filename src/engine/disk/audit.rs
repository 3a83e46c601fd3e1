//! Reads what an audit needs besides the items and the logs: the files of tests, conversations, and sets.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::disk::machine_map::NumberedItem;
use crate::disk::project::Project;
use crate::disk::unused::read_set_usage;
use calls::Item;
use document::text::Source;
use document::{FileKind, Problem, RuleId};
use play::audit::{AuditInput, AuditReport};
use play::triage::read_runs;
use play::unused::{UnusedOptions, UnusedReport, runs_of_sets};

/// Judges what recordings prove, with the name and the text of each log of their tests. The report names recordings as given, or by their paths from the project root. Blocks.
pub fn audit<'a>(
    project: &Project,
    items: impl Iterator<Item = NumberedItem<'a>>,
    logs: &[(Arc<str>, Arc<str>)],
    root: Option<&Path>,
    uses_root_paths: bool,
) -> AuditReport {
    let mut items: Vec<NumberedItem<'_>> = items.collect();
    // In the window they are in the order in which threads read them.
    items.sort_by_key(|(_, item)| Arc::clone(&item.path));
    let mut modules: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
    for (number, item) in &items {
        for place in item.cassette.iter().flat_map(|facts| facts.tests()) {
            let path = &place.origin.path;
            if !modules.contains_key(path)
                && let Ok(bytes) = project.read_beneath(*number, path)
            {
                modules.insert(Arc::clone(path), Source::from_bytes(bytes).text().into());
            }
        }
    }
    let mut input = AuditInput {
        modules,
        unused: unused(project, &items, logs, root),
        items: items.iter().map(|(_, item)| &***item).collect(),
        uses_root_paths,
        logs,
        ..AuditInput::default()
    };
    input.cache_breaks = cache_breaks(project, &items, &input);
    AuditReport::new(&input)
}

/// Finds what `cache-prefix` reports, also where it is off by default.
fn cache_breaks(
    project: &Project,
    items: &[NumberedItem<'_>],
    input: &AuditInput<'_>,
) -> Vec<(Arc<str>, Problem, u64)> {
    let rule = RuleId::CachePrefix;
    let level = |number| (!project.is_set_off(number, rule)).then(|| rule.default_level());
    let paths: BTreeMap<usize, &str> =
        items.iter().map(|(number, item)| (*number, input.name(item))).collect();
    let breaks = project.find_cache_breaks(items.iter().copied(), level).into_iter();
    breaks
        .filter_map(|found| {
            Some((Arc::from(*paths.get(&found.number)?), found.problem, found.tokens))
        })
        .collect()
}

/// Finds the recordings of sets that answer no call in logs.
fn unused(
    project: &Project,
    items: &[NumberedItem<'_>],
    logs: &[(Arc<str>, Arc<str>)],
    root: Option<&Path>,
) -> UnusedReport {
    let is_of_set = |item: &Item| item.kind == FileKind::Recording;
    if logs.is_empty() || !items.iter().any(|(_, item)| is_of_set(item)) {
        return UnusedReport::default();
    }
    let runs = logs.iter().map(|(name, text)| (Arc::clone(name), read_runs(name, text)));
    let runs = runs_of_sets(runs.collect(), items.iter().map(|(_, item)| &***item));
    let usage = read_set_usage(project, items.iter().copied(), Some(&runs), root);
    UnusedReport::new(&usage, UnusedOptions::default())
}
