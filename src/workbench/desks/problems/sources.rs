//! The list of sources on the problems desk: filter, sort order, selection and actions.

use std::sync::Arc;

use crate::core::Core;
use crate::core::navigation::{DeskView, StepDirection};
use crate::desks::problems::{ProblemsDesk, ProblemsView};
use calls::ItemStatus;
use calls::source::SourceState;
use check::change::Change;
use protocol::{
    Desk, DocId, FitCounts, SourceColumn, SourceList, SourceName, SourceRow, is_renamed_to,
};

/// An action of the list of sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceAction {
    Select(SourceName),
    /// Goes to the list and selects a source, whatever the filter.
    Show(SourceName),
    /// Sets the status filter.
    Filter(SourceFilter),
    /// Lists only sources with this text in their path, or with a breaking node of such a name.
    Type(String),
    /// Sorts by this column; the second time, in reverse.
    SortBy(SourceColumn),
    /// Chooses one of the files that contain the text of a renamed source.
    Choose(SourceName, Box<str>),
    /// Compares the recorded with the current source.
    Compare(SourceName),
    /// Sets the new path of the source in the recordings made from it.
    Repath(SourceName),
    /// Restamps the recordings that still match the source.
    Restamp(SourceName),
}

/// The status filter of sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SourceFilter {
    /// All of them.
    #[default]
    All,
    /// Changed sources, whether recordings break or not.
    Stale,
    /// Missing sources.
    Gone,
    Renamed,
    /// Sources that differ only in line ends.
    LineEnds,
    /// Sources outside the project root.
    Outside,
    Unchanged,
}

/// The sorted column and its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceSort {
    pub column: SourceColumn,
    /// Whether the order is the reverse of the column's default.
    pub reversed: bool,
}

impl Default for SourceSort {
    fn default() -> Self {
        Self { column: SourceColumn::Affected, reversed: false }
    }
}

/// The view state of the list of sources.
#[derive(Debug, Default)]
pub struct SourcesDesk {
    pub filter: SourceFilter,
    pub typed: String,
    pub sort: SourceSort,
    selected: Option<SourceName>,
    /// The last row of the selected source.
    at: usize,
    /// The chosen file of a renamed source.
    chosen: Option<(SourceName, Box<str>)>,
    /// The list, and the visible rows.
    pub list: Arc<SourceList>,
    rows: Vec<usize>,
    pub counts: SourceCounts,
    /// Grows with every change of the list or its options.
    options_revision: u64,
    built: u64,
    pub revision: u64,
}

/// The number of sources by status, among those that match the typed text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceCounts {
    by_filter: [usize; SourceFilter::ALL.len()],
    /// The number of their recordings by match.
    pub fits: FitCounts,
    /// Number of recordings that can be fixed without re-recording.
    pub fixable: usize,
}

impl SourceFilter {
    /// All filters in order.
    pub const ALL: &[Self] = &[
        Self::All,
        Self::Stale,
        Self::Gone,
        Self::Renamed,
        Self::LineEnds,
        Self::Outside,
        Self::Unchanged,
    ];

    fn matches(self, status: ItemStatus) -> bool {
        match self {
            Self::All => true,
            Self::Stale => matches!(status, ItemStatus::Stale | ItemStatus::StaleBreaks),
            Self::Gone => status == ItemStatus::SourceGone,
            Self::Renamed => status == ItemStatus::Renamed,
            Self::LineEnds => status == ItemStatus::LineEnds,
            Self::Outside => status == ItemStatus::Outside,
            Self::Unchanged => status == ItemStatus::Fresh,
        }
    }
}

impl SourcesDesk {
    /// Number of sources that match a filter, among those that match the typed text.
    pub fn count(&self, filter: SourceFilter) -> usize {
        // The counts are in the order of the variants.
        self.counts.by_filter[filter as usize]
    }

    /// The number of sources, without filters.
    pub fn len(&self) -> usize {
        self.list.rows.len()
    }

    /// Whether no recording names a source.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of listed sources.
    pub fn listed(&self) -> usize {
        self.rows.len()
    }

    /// The source in a row.
    pub fn row(&self, row: usize) -> Option<&SourceRow> {
        self.list.rows.get(*self.rows.get(row)?)
    }

    pub fn selected(&self) -> Option<&SourceRow> {
        self.list.get(self.selected.as_ref()?)
    }

    /// The row of the selected source.
    pub fn selected_row(&self) -> Option<usize> {
        let name = self.selected.as_ref()?;
        (self.row(self.at)?.name == *name).then_some(self.at)
    }

    /// The new path of a renamed source: the chosen file, or the only one.
    pub fn place_of<'a>(&'a self, row: &'a SourceRow) -> Option<&'a str> {
        let choice = self
            .chosen
            .as_ref()
            // The chosen file may be gone by now.
            .filter(|(name, place)| *name == row.name && row.places.contains_key(&**place));
        match (choice, row.places.len()) {
            (Some((_, place)), _) => Some(place),
            (None, 1) => row.places.keys().next().map(|place| &**place),
            // Only the user knows which of several files is meant.
            (None, _) => None,
        }
    }

    fn choose(&mut self) {
        self.options_revision += 1;
        self.revision += 1;
    }

    fn select(&mut self, name: SourceName) {
        let is_selected = |row: &usize| {
            let row = self.list.rows.get(*row);
            row.is_some_and(|row| row.name == name)
        };
        if let Some(position) = self.rows.iter().position(is_selected) {
            self.at = position;
        }
        self.selected = Some(name);
        self.revision += 1;
    }

    fn select_row(&mut self, index: usize) {
        if let Some(name) = self.row(index).map(|row| row.name.clone()) {
            (self.selected, self.at) = (Some(name), index);
            self.revision += 1;
        }
    }

    pub(super) fn has_rows(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Moves the selection by some rows.
    pub(super) fn step(&mut self, step: StepDirection, rows: usize) {
        self.select_row(step.target_in(self.selected_row(), rows, self.rows.len()));
    }

    /// Updates the list after changes. If the selected source is no longer listed, selects the one in its row, unless
    /// sources still arrive.
    pub(super) fn sync(&mut self, list: &Arc<SourceList>, is_arriving: bool) {
        if Arc::ptr_eq(&self.list, list) && self.built == self.options_revision {
            return;
        }
        self.list = Arc::clone(list);
        self.built = self.options_revision;
        self.revision += 1;
        self.build();
        let name = self.selected.take();
        let rows = &self.list.rows;
        let is_selected = |row: &usize| Some(&rows[*row].name) == name.as_ref();
        match self.rows.iter().position(is_selected) {
            Some(position) => (self.selected, self.at) = (name, position),
            None if is_arriving && name.is_some() => self.selected = name,
            None => self.select_row(self.at.min(self.rows.len().saturating_sub(1))),
        }
    }

    fn build(&mut self) {
        let query = self.typed.trim().to_lowercase();
        let rows = &self.list.rows;
        let has = |text: &str| text.to_lowercase().contains(&query);
        let fits = |row: &SourceRow| {
            let paths = row.places.keys().map(|path| &**path).chain(row.name.at.as_deref());
            has(&row.name.file)
                || paths.into_iter().any(has)
                || row.breaks_at.keys().any(|node| has(node))
        };
        self.rows.clear();
        self.counts = SourceCounts::default();
        for (index, row) in rows.iter().enumerate().filter(|(_, row)| fits(row)) {
            for (count, filter) in self.counts.by_filter.iter_mut().zip(SourceFilter::ALL) {
                *count += usize::from(filter.matches(row.status));
            }
            self.counts.fits.breaks += row.fits.breaks;
            self.counts.fixable += row.restampable + row.renamed;
            if self.filter.matches(row.status) {
                self.rows.push(index);
            }
        }
        let SourceSort { column, reversed } = self.sort;
        self.rows.sort_by(|a, b| {
            let ordering = column.order(&rows[*a], &rows[*b]);
            if reversed { ordering.reverse() } else { ordering }
        });
    }
}

impl ProblemsDesk {
    /// Whether the list of sources is shown.
    pub(crate) fn shows_sources(&self, core: &Core) -> bool {
        core.shows(Desk::Problems) && self.view == ProblemsView::Sources
    }

    pub(super) fn act_on_sources(&mut self, core: &mut Core, action: SourceAction) {
        let desk = &mut self.sources;
        match action {
            SourceAction::Select(name) => desk.select(name),
            SourceAction::Show(name) => self.show_source(core, name),
            SourceAction::Filter(filter) => {
                desk.filter = filter;
                desk.choose();
            }
            SourceAction::Type(text) => {
                desk.typed = text;
                desk.choose();
            }
            SourceAction::SortBy(column) => {
                let reversed = desk.sort.column == column && !desk.sort.reversed;
                desk.sort = SourceSort { column, reversed };
                desk.choose();
            }
            SourceAction::Choose(name, place) => {
                desk.chosen = Some((name, place));
                desk.revision += 1;
            }
            SourceAction::Compare(name) => {
                let row = core.list.listing.orders.sources.get(&name);
                if let Some(doc) = row.map(|row| row.first) {
                    core.compare_source(doc);
                }
            }
            SourceAction::Repath(name) => self.repath(core, &name),
            SourceAction::Restamp(name) => {
                let docs = Self::recordings_from(core, &name, SourceState::can_be_restamped);
                core.plan_batch(Change::Restamp, docs);
            }
        }
    }

    /// Goes to the list of sources.
    pub(crate) fn go_sources(&mut self, core: &mut Core) {
        self.view = ProblemsView::Sources;
        core.go(Desk::Problems, DeskView::List);
    }

    fn show_source(&mut self, core: &mut Core, name: SourceName) {
        let desk = &mut self.sources;
        (desk.filter, desk.typed) = (SourceFilter::All, String::new());
        desk.selected = Some(name);
        desk.choose();
        self.go_sources(core);
    }

    fn repath(&mut self, core: &mut Core, name: &SourceName) {
        let row = core.list.listing.orders.sources.get(name);
        let place = row.and_then(|row| self.sources.place_of(row));
        let Some(place) = place.map(Arc::<str>::from) else {
            // The user has to choose the right file.
            return self.show_source(core, name.clone());
        };
        let docs = Self::recordings_from(core, name, |source| is_renamed_to(source, &place));
        core.plan_batch(Change::RewritePath(place), docs);
    }

    fn recordings_from(
        core: &Core,
        name: &SourceName,
        is_wanted: impl Fn(&SourceState) -> bool,
    ) -> Vec<DocId> {
        let row = core.list.listing.orders.sources.get(name);
        let docs = row.map_or(&[][..], |row| &row.recordings);
        let source = |doc: &DocId| core.library.get(*doc)?.source.as_deref();
        docs.iter().filter(|doc| source(doc).is_some_and(&is_wanted)).copied().collect()
    }

    /// The source that commands apply to: the selected one, else that of the selected recording.
    pub(crate) fn source_subject<'a>(
        &'a self,
        core: &'a Core,
        subject: Option<DocId>,
    ) -> Option<&'a SourceRow> {
        if self.shows_sources(core) {
            return self.sources.selected();
        }
        let source = core.library.get(subject?)?.source.as_ref()?;
        core.list.listing.orders.sources.of_recording(source)
    }

    /// Runs an action on that source.
    pub(crate) fn on_source(
        &mut self,
        core: &mut Core,
        subject: Option<DocId>,
        action: fn(SourceName) -> SourceAction,
    ) {
        let name = self.source_subject(core, subject).map(|row| row.name.clone());
        if let Some(name) = name {
            self.act_on_sources(core, action(name));
        }
    }
}

#[cfg(test)]
mod tests;
