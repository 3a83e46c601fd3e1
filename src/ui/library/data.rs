//! What the library shows, built for the rows on screen.

use crate::format::{Kind, Severity};
use crate::ops::search::{Completion, Query};
use crate::ops::{Item, Status};
use crate::text::visible;
use crate::ui::icons;
use crate::workbench::{
    Command, DocId, Grouping, Library, LibraryDesk, Quick, Row, Sort, Totals, Workbench,
    WorkingCopy,
};

/// The library as its view reads it: borrowed, so that building it costs nothing however much is open.
pub struct LibraryData<'a> {
    workbench: &'a Workbench,
    library: &'a Library,
    list: &'a LibraryDesk,
    /// True while files are being read.
    pub reading: bool,
}

/// The tools an item's request offers, as far as a row has room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolsCell {
    /// Icon, and names without the prefix that the icon stands for; names with one icon are joined.
    pub shown: Vec<(&'static str, String)>,
    /// How many more there are.
    pub more: usize,
}

/// One item's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemRow {
    /// The item.
    pub doc: DocId,
    /// How it stands.
    pub status: Status,
    /// What it is.
    pub kind: Kind,
    /// The same as a word.
    pub kind_word: String,
    /// What people call it.
    pub label: String,
    /// The folder it lies in, its last part.
    pub set: String,
    /// The tools offered.
    pub tools: ToolsCell,
    /// The model; empty when none is named.
    pub model: String,
    /// Date and time to the minute; `–` when there is none.
    pub recorded_at: String,
    /// Errors, warnings and notes, those that are there.
    pub problems: Vec<(Severity, usize)>,
    /// True for the selected item.
    pub selected: bool,
    /// True for the item marked for comparing.
    pub marked: bool,
    /// What is not saved, if anything.
    pub unsaved: Option<Unsaved>,
}

/// How an item stands that holds edits which are not on disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsaved {
    /// It can be saved.
    Edited,
    /// Others have changed the file meanwhile.
    InConflict,
}

impl Unsaved {
    /// In a word or two.
    pub fn label(self) -> &'static str {
        match self {
            Self::Edited => "unsaved",
            Self::InConflict => "unsaved and changed on disk",
        }
    }

    fn of(copy: &WorkingCopy) -> Option<Self> {
        match (copy.is_unsaved(), copy.is_in_conflict()) {
            (_, true) => Some(Self::InConflict),
            (true, false) => Some(Self::Edited),
            (false, false) => None,
        }
    }
}

/// How many tools a row names before it counts the rest.
const TOOLS_SHOWN: usize = 2;

impl<'a> LibraryData<'a> {
    /// Reads the workbench.
    pub fn new(workbench: &'a Workbench) -> Self {
        Self {
            workbench,
            library: workbench.library(),
            list: workbench.list(),
            reading: workbench.reading().is_some(),
        }
    }

    /// The rows from top to bottom.
    pub fn rows(&self) -> &'a [Row] {
        self.list.listing().rows()
    }

    /// The number of the row an item stands in; `None` when it stands in none.
    pub fn row_of(&self, doc: DocId) -> Option<usize> {
        self.list.listing().row_of(doc)
    }

    /// Counts for the quick choices.
    pub fn totals(&self) -> Totals {
        self.list.listing().totals()
    }

    /// How many items are open, and how many of them the filter and the quick choice let through.
    pub fn counts(&self) -> (usize, usize) {
        (self.list.listing().len(), self.library.len())
    }

    /// Whether a command can be used now; if not, the reason.
    pub fn enabled(&self, command: Command) -> Result<(), &'static str> {
        command.enabled(self.workbench)
    }

    /// The quick choice.
    pub fn quick(&self) -> Quick {
        self.list.quick()
    }

    /// The sort.
    pub fn sort(&self) -> Sort {
        self.list.sort()
    }

    /// The headings.
    pub fn grouping(&self) -> Grouping {
        self.list.grouping()
    }

    /// The filter's text.
    pub fn filter(&self) -> &'a str {
        self.list.filter()
    }

    /// What the filter says.
    pub fn query(&self) -> &'a Query {
        self.list.query()
    }

    /// What could complete the filter's last term.
    pub fn completions(&self) -> &'a [Completion] {
        self.list.completions()
    }

    /// The selected item, if it is one.
    pub fn selected(&self) -> Option<DocId> {
        self.list.selected()
    }

    /// The item marked for comparing.
    pub fn marked(&self) -> Option<DocId> {
        self.list.marked()
    }

    /// What one row shows.
    pub fn item(&self, doc: DocId) -> Option<ItemRow> {
        let item = self.library.get(doc)?;
        Some(ItemRow {
            doc,
            status: item.status(),
            kind: item.kind,
            kind_word: match item.foreign {
                Some(foreign) => foreign.format.short().to_owned(),
                None => capitalised(item.kind.as_str()),
            },
            label: visible(item.label()).into_owned(),
            set: visible(item.set()).into_owned(),
            tools: tools(item),
            model: visible(item.model.as_deref().unwrap_or_default()).into_owned(),
            recorded_at: to_the_minute(item.recorded_at.as_deref()),
            problems: [Severity::Error, Severity::Warning, Severity::Note]
                .into_iter()
                .map(|severity| (severity, item.count(severity)))
                .filter(|(_, count)| *count > 0)
                .collect(),
            selected: self.list.selected() == Some(doc),
            marked: self.list.marked() == Some(doc),
            unsaved: self.library.copy(doc).and_then(Unsaved::of),
        })
    }
}

fn tools(item: &Item) -> ToolsCell {
    let signature = item.signature.as_ref();
    signature.map_or_else(ToolsCell::default, |signature| {
        ToolsCell::of(signature.tool_names.iter().map(|name| &**name))
    })
}

impl ToolsCell {
    /// A cell that says something in place of names.
    pub fn words(words: String) -> Self {
        Self {
            shown: vec![("", words)],
            more: 0,
        }
    }

    /// The cell of tools with these names.
    pub fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut all: Vec<&str> = names.collect();
        // Transitions first: where the machine can go from here is what tells recordings apart.
        all.sort_by_key(|name| icons::tool(name) != icons::ARROW_RIGHT);
        let mut shown: Vec<(&'static str, String)> = Vec::new();
        for name in all.iter().take(TOOLS_SHOWN) {
            let icon = icons::tool(name);
            let rest = visible(&name[icons::tool_prefix(name).len()..]);
            match shown.last_mut().filter(|(last, _)| *last == icon) {
                Some((_, names)) => *names = format!("{names}, {rest}"),
                None => shown.push((icon, rest.into_owned())),
            }
        }
        Self {
            shown,
            more: all.len().saturating_sub(TOOLS_SHOWN),
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// An ISO time to the minute, as tables show it; anything else as it is written.
pub fn to_the_minute(time: Option<&str>) -> String {
    let Some(time) = time else {
        return "–".to_owned();
    };
    match (time.get(..10), time.get(10..11), time.get(11..16)) {
        (Some(date), Some("T" | " "), Some(clock)) if date.is_ascii() => format!("{date} {clock}"),
        _ => visible(time).chars().take(24).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_to_the_minute_and_odd_ones_left_alone() {
        assert_eq!(
            to_the_minute(Some("2025-12-05T19:07:42.176Z")),
            "2025-12-05 19:07"
        );
        assert_eq!(to_the_minute(Some("yesterday")), "yesterday");
        assert_eq!(to_the_minute(None), "–");
    }
}
