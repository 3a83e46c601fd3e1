//! The current desk and view, and the history for going back and forward.

use protocol::{Desk, DocId};

/// The direction of a step through changes, problems or rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepDirection {
    /// To the one after.
    Next,
    /// To the one before.
    Previous,
}

impl StepDirection {
    /// Returns the position some rows away, not before the first one.
    pub(crate) fn target(self, index: usize, rows: usize) -> usize {
        self.pick(index.saturating_add(rows), index.saturating_sub(rows))
    }

    /// Returns the position that a step reaches in a list of `len` rows; without a position, the first.
    pub(crate) fn target_in(self, index: Option<usize>, rows: usize, len: usize) -> usize {
        index.map_or(0, |index| self.target(index, rows).min(len.saturating_sub(1)))
    }

    /// Returns the position beside another one, which may be after the last.
    pub(crate) fn beside(self, index: usize) -> Option<usize> {
        self.pick(Some(index + 1), index.checked_sub(1))
    }

    /// Returns the value for this direction.
    pub(crate) fn pick<T>(self, next: T, previous: T) -> T {
        match self {
            Self::Next => next,
            Self::Previous => previous,
        }
    }
}

/// The number of rows of a page, for the page keys.
pub(crate) const PAGE_ROWS: usize = 20;

/// Content of a desk: its list, or one thing opened from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeskView {
    /// The list of the desk.
    List,
    /// Two items side by side.
    Compare {
        /// The left side.
        left: DocId,
        /// The right side.
        right: DocId,
    },
    /// The source of a recording, on one of its tabs.
    Source(DocId),
    /// An import, with its session drafts.
    Import,
    /// A whole run, with the causes of its failures.
    Triage,
    /// One failure of that run: what was sent, and the nearest recordings.
    Failure,
    /// The versions of a document that was changed both here and on disk.
    Conflict(DocId),
}

impl DeskView {
    /// Returns whether it is of a run of tests.
    pub fn is_run(self) -> bool {
        matches!(self, Self::Triage | Self::Failure)
    }
}

/// A position in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    pub desk: Desk,
    /// Its content.
    pub view: DeskView,
}

/// The current location with its history.
#[derive(Debug)]
pub(crate) struct Navigation {
    pub(crate) here: Location,
    back: Vec<Location>,
    forward: Vec<Location>,
}

impl Default for Navigation {
    fn default() -> Self {
        Self::at_desk(Desk::Library)
    }
}

impl Navigation {
    /// At the list of a desk, without history.
    pub(crate) fn at_desk(desk: Desk) -> Self {
        Self {
            here: Location { desk, view: DeskView::List },
            back: Vec::new(),
            forward: Vec::new(),
        }
    }

    /// Goes to a new location and clears the forward history.
    pub(crate) fn go(&mut self, location: Location) {
        // A step to the same place would clear the way forward.
        if location != self.here {
            self.back.push(self.here);
            self.forward.clear();
            self.here = location;
        }
    }

    /// Replaces views that no longer exist, in the whole history.
    pub(crate) fn replace_views(&mut self, change: impl Fn(DeskView) -> DeskView) {
        for stop in self.back.iter_mut().chain(&mut self.forward).chain([&mut self.here]) {
            stop.view = change(stop.view);
        }
    }

    pub(crate) fn back(&mut self) {
        if let Some(location) = self.back.pop() {
            self.forward.push(self.here);
            self.here = location;
        }
    }

    pub(crate) fn forward(&mut self) {
        if let Some(location) = self.forward.pop() {
            self.back.push(self.here);
            self.here = location;
        }
    }

    pub(crate) fn can_go_back(&self) -> bool {
        !self.back.is_empty()
    }

    pub(crate) fn can_go_forward(&self) -> bool {
        !self.forward.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_and_forward_retrace_the_way_until_a_new_turn_is_taken() {
        let location_of = |desk| Location { desk, view: DeskView::List };
        let mut navigation = Navigation::default();
        navigation.go(location_of(Desk::Problems));
        navigation.back();
        assert_eq!(navigation.here, location_of(Desk::Library));
        navigation.forward();
        assert_eq!(navigation.here, location_of(Desk::Problems));
        navigation.back();
        navigation.go(Location { desk: Desk::Library, view: DeskView::Source(DocId::new(3)) });
        assert!(!navigation.can_go_forward());
    }
}
