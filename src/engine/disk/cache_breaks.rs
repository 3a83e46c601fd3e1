//! Reads conversations whole, where a rule compares what their calls sent.

use std::collections::BTreeMap;

use crate::disk::machine_map::NumberedItem;
use crate::disk::parallel::map_quietly;
use crate::disk::project::Project;
use calls::Item;
use check::cache_prefix::{self, CacheBreak};
use document::{Document, FileKind, Problem, RuleId, Severity};

impl Project {
    /// Returns the problems of conversations that a prompt cache cannot serve, each with the number of its item. Reads nothing if the rule
    /// is off. A file that can no longer be read is left out. Blocks.
    pub fn cache_breaks<'a>(
        &self,
        items: impl Iterator<Item = NumberedItem<'a>>,
    ) -> Vec<(usize, Problem)> {
        let rule = RuleId::CachePrefix;
        let level = |number| self.level_of(number, rule, rule.default_level());
        let breaks = self.find_cache_breaks(items, level).into_iter();
        breaks.map(|found| (found.number, found.problem)).collect()
    }

    /// Returns the same with a function that gives the level of the rule for the item with a number; `None`: it is not read. Blocks.
    pub(crate) fn find_cache_breaks<'a>(
        &self,
        items: impl Iterator<Item = NumberedItem<'a>>,
        level: impl Fn(usize) -> Option<Severity>,
    ) -> Vec<CacheBreak> {
        let mut conversations: BTreeMap<&str, Vec<(usize, &Item)>> = BTreeMap::new();
        for (number, item) in items.filter(|(number, _)| level(*number).is_some()) {
            let is_part = item.kind == FileKind::Recording;
            let name = if is_part { item.folder() } else { &item.path };
            // A file with one call is no conversation.
            if is_part || item.calls.len() > 1 {
                conversations.entry(name).or_default().push((number, item));
            }
        }
        let conversations: Vec<Vec<(usize, &Item)>> = conversations.into_values().collect();
        let judge = |files: &Vec<(usize, &Item)>| {
            let read =
                |(number, item): &(usize, &Item)| Some((*number, self.read(*number, item).ok()?));
            let documents: Vec<(usize, Document)> = files.iter().filter_map(read).collect();
            cache_prefix::judge(&documents)
        };
        let breaks = map_quietly(&conversations, judge).into_iter().flatten();
        let at_level = |found: CacheBreak| {
            let severity = level(found.number)?;
            Some(CacheBreak { problem: found.problem.with_severity(severity), ..found })
        };
        breaks.filter_map(at_level).collect()
    }
}
