//! Data of the palette. Matches are updated only when the query changes, and their number is limited.

use nucleo_matcher::{Config, Matcher};

use super::entries::{PaletteEntry, PaletteGroup, PaletteSearch};
use super::files::FileSearch;
use workbench::Workbench;

/// The palette while it is open.
#[derive(Default)]
pub struct Palette {
    pub query: String,
    /// The matches, best first; empty groups are omitted.
    pub groups: Vec<PaletteGroup>,
    /// Index over all groups of the entry that Enter chooses.
    pub selected: usize,
    matcher: Option<Matcher>,
    built_for: Option<(String, u64)>,
    files: Option<FileSearch>,
    /// Whether the file search is still running.
    pub searching: bool,
}

impl Palette {
    /// Clears the query for the next time the palette is opened.
    pub fn reset(&mut self) {
        // The matcher has large buffers, which are allocated only once.
        *self = Self { matcher: self.matcher.take(), ..Self::default() };
    }

    /// Updates the matches if the query or the project changed, else continues the file search.
    pub fn refresh(&mut self, workbench: &Workbench) {
        let library = &workbench.core.library;
        let key = (self.query.clone(), library.items_revision);
        let is_new = self.built_for.as_ref() != Some(&key);
        if !is_new && !self.searching {
            return;
        }
        let query = self.query.trim().to_lowercase();
        let matcher = self.matcher.take().unwrap_or_else(|| Matcher::new(Config::DEFAULT));
        let mut search = PaletteSearch::new(&query, matcher);
        let mut groups = vec![search.commands(workbench, &query)];
        self.searching = false;
        // An empty query would match every file, which is useless.
        if !query.is_empty() {
            let previous = self.files.take();
            let mut files = match previous {
                Some(files) if !is_new => files,
                previous => FileSearch::new(&query, library, previous),
            };
            let best = files.advance(&mut search, library);
            groups.push(search.files(library, best));
            self.searching = !files.is_done(library);
            self.files = Some(files);
            groups.push(search.problems(library, &query));
        }
        groups.retain(|group| !group.entries.is_empty());
        self.groups = groups;
        self.matcher = Some(search.matcher);
        let is_typed = self.built_for.as_ref().is_none_or(|old| old.0 != key.0);
        self.built_for = Some(key);
        // A new query starts at the best match, but a change of the files must not move the selection.
        if is_typed {
            self.selected = 0;
        }
        self.selected = self.selected.min(self.count().saturating_sub(1));
    }

    /// Returns the number of entries in all groups.
    pub fn count(&self) -> usize {
        self.groups.iter().map(|group| group.entries.len()).sum()
    }

    /// Returns an entry by its index over all groups.
    pub fn entry(&self, index: usize) -> Option<&PaletteEntry> {
        self.groups.iter().flat_map(|group| &group.entries).nth(index)
    }

    /// Moves the selection by `distance` entries, wrapping around at both ends.
    pub fn step(&mut self, distance: isize) {
        let count = self.count() as isize;
        if count > 0 {
            self.selected = (self.selected as isize + distance).rem_euclid(count) as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::entries::MAX_ENTRIES;
    use super::*;
    use calls::{Item, ItemFacts};
    use document::{FileKind, Problem, RuleId};
    use protocol::{EngineEvent, ProjectInfo, Remembered};

    fn item(path: &str, problems: Vec<Problem>) -> Arc<Item> {
        Arc::new(
            Item::from(ItemFacts { kind: FileKind::Recording, ..ItemFacts::new(path) })
                .with_problems(problems),
        )
    }

    fn workbench(items: Vec<Arc<Item>>) -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        workbench
            .receive(EngineEvent::ScanStarted { generation: 1, project: ProjectInfo::default() });
        workbench.receive(EngineEvent::ItemsFound { generation: 1, items });
        workbench
    }

    fn names(palette: &Palette, group: &str) -> Vec<String> {
        let entries = palette.groups.iter().filter(|g| g.name == group).flat_map(|g| &g.entries);
        entries.map(|entry| entry.name.clone()).collect()
    }

    #[test]
    fn a_few_letters_find_commands_files_and_problems() {
        let stale = Problem::whole_file(RuleId::SourceStale, "The source has changed.");
        let workbench = workbench(vec![
            item("tapes/stalls-mid-answer.json", vec![stale]),
            item("tapes/slow-start.json", Vec::new()),
        ]);
        let mut palette = Palette { query: "stal".to_owned(), ..Palette::default() };
        palette.refresh(&workbench);
        assert_eq!(names(&palette, "Files"), ["stalls-mid-answer.json"]);
        assert_eq!(names(&palette, "Problems"), ["The source has changed since the recording"]);
        for command in ["Show only stale recordings", "Then and now"] {
            assert!(names(&palette, "Commands").contains(&command.to_owned()), "{command}");
        }

        // A title is found as well as an id.
        palette = Palette { query: "chang".to_owned(), ..Palette::default() };
        palette.refresh(&workbench);
        let marks = palette
            .groups
            .iter()
            .find(|group| group.name == "Problems")
            .map(|group| &group.entries[0].marks);
        assert_eq!(marks, Some(&vec![15, 16, 17, 18, 19]));
    }

    #[test]
    fn adjacent_letters_exclude_scattered_matches() {
        let unmatchable =
            Problem::whole_file(RuleId::SignatureUnmatchable, "No request can match.");
        let stale = Problem::whole_file(RuleId::SourceStale, "The source has changed.");
        let workbench = workbench(vec![
            item("sample-recordings/tapes/slow.json", vec![unmatchable]),
            item("stale/first.json", vec![stale]),
        ]);
        let mut palette = Palette { query: "stal".to_owned(), ..Palette::default() };
        palette.refresh(&workbench);
        assert_eq!(names(&palette, "Files"), ["first.json"]);
        assert_eq!(names(&palette, "Problems"), ["The source has changed since the recording"]);
    }

    #[test]
    fn a_disabled_command_stays_listed_with_its_reason() {
        let mut palette = Palette { query: "swap".to_owned(), ..Palette::default() };
        palette.refresh(&workbench(Vec::new()));
        let swap = palette.entry(palette.selected).expect("the command is found");
        assert_eq!(swap.name, "Swap sides");
        assert_eq!(swap.detail, "no items are shown side by side");
        assert_eq!(swap.actions, []);
    }

    #[test]
    fn a_command_is_found_by_a_word_of_its_description() {
        let workbench = workbench(vec![item("set/first.json", Vec::new())]);
        // Esc closes the palette, so its command is no choice there.
        for (query, expected) in [("quoted", &["Copy link"][..]), ("topmost", &[])] {
            let mut palette = Palette { query: query.to_owned(), ..Palette::default() };
            palette.refresh(&workbench);
            assert_eq!(names(&palette, "Commands"), expected, "{query}");
        }
    }

    #[test]
    fn without_letters_the_commands_of_the_desk_come_first() {
        let mut palette = Palette::default();
        let mut workbench = workbench(vec![item("set/first.json", Vec::new())]);
        palette.refresh(&workbench);
        assert_eq!(palette.entry(0).map(|entry| &*entry.name), Some("Filter list"));
        let _ = workbench.apply(workbench::Action::Go(protocol::Desk::Live));
        palette = Palette::default();
        palette.refresh(&workbench);
        assert_eq!(palette.entry(0).map(|entry| &*entry.name), Some("Watch queue…"));
    }

    #[test]
    fn more_letters_narrow_the_matches_and_fewer_widen_them() {
        let items = (0..1000).map(|number| item(&format!("a/turn-{number}.json"), Vec::new()));
        let workbench = workbench(items.collect());
        let mut palette = Palette::default();
        for (query, count) in
            [("", 0), ("turn", MAX_ENTRIES), ("turn-999", 1), ("turn", MAX_ENTRIES), ("turx", 0)]
        {
            palette.query = query.to_owned();
            palette.refresh(&workbench);
            assert_eq!(names(&palette, "Files").len(), count, "{query}");
        }
    }

    #[test]
    fn stepping_past_the_end_begins_again() {
        let mut palette = Palette { query: "open".to_owned(), ..Palette::default() };
        palette.refresh(&workbench(Vec::new()));
        palette.step(-1);
        assert_eq!(palette.selected, palette.count() - 1);
        palette.step(1);
        assert_eq!(palette.selected, 0);
    }
}
