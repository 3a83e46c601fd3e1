//! Where the user is, and the way back.

use super::library::DocId;

/// A desk: one of the places at the left rail, each for one kind of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Desk {
    /// Everything that was opened, one row an item.
    Library,
    /// Requests played against a set, and why each gets what it gets.
    Playback,
    /// One session at a time, as a form and as its text.
    Sessions,
    /// What a memory provider is seeded with.
    Seeds,
    /// One streamed answer at a time, along the axis of its time.
    Tapes,
    /// Takes made anew, against those they replace.
    Review,
    /// Everything that is wrong, by rule.
    Problems,
    /// Programs that run now: who waits for an answer, and what is recorded or served.
    Live,
}

impl Desk {
    /// The desks in the order of the rail.
    pub const ALL: &[Self] = &[
        Self::Library,
        Self::Playback,
        Self::Tapes,
        Self::Sessions,
        Self::Seeds,
        Self::Review,
        Self::Problems,
        Self::Live,
    ];

    /// The word on the rail.
    pub fn name(self) -> &'static str {
        match self {
            Self::Library => "Library",
            Self::Playback => "Playback",
            Self::Sessions => "Sessions",
            Self::Seeds => "Seeds",
            Self::Tapes => "Tapes",
            Self::Review => "Review",
            Self::Problems => "Problems",
            Self::Live => "Live",
        }
    }
}

/// What fills a desk: its list, or one thing opened from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum View {
    /// The desk's own list.
    List,
    /// Two items side by side.
    Compare {
        /// Shown at the left.
        left: DocId,
        /// Shown at the right.
        right: DocId,
    },
    /// The source of a recording, as it was and as it is.
    ThenAndNow(DocId),
    /// An incident, and the sessions it becomes.
    Import,
    /// The versions of a document that was changed both here and on disk.
    Conflict(DocId),
}

/// One stop on the user's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The desk.
    pub desk: Desk,
    /// What fills it.
    pub view: View,
}

/// Where the user is, was, and can go forward to again.
#[derive(Debug)]
pub(super) struct Navigation {
    here: Location,
    back: Vec<Location>,
    forward: Vec<Location>,
}

impl Navigation {
    pub(super) fn new() -> Self {
        Self::at(Desk::Library)
    }

    /// At the list of a desk, with no way back.
    pub(super) fn at(desk: Desk) -> Self {
        Self {
            here: Location {
                desk,
                view: View::List,
            },
            back: Vec::new(),
            forward: Vec::new(),
        }
    }

    pub(super) fn here(&self) -> Location {
        self.here
    }

    /// Goes somewhere new; the way forward is forgotten.
    pub(super) fn go(&mut self, to: Location) {
        if to != self.here {
            self.back.push(self.here);
            self.forward.clear();
            self.here = to;
        }
    }

    /// Puts another view in place of the present one, without a step on the way.
    pub(super) fn replace(&mut self, view: View) {
        self.here.view = view;
    }

    /// Puts other views in place of those that there are no more, everywhere on the way.
    pub(super) fn follow(&mut self, now: impl Fn(View) -> View) {
        let way = self.back.iter_mut().chain(&mut self.forward);
        for stop in way.chain([&mut self.here]) {
            stop.view = now(stop.view);
        }
    }

    pub(super) fn back(&mut self) {
        if let Some(to) = self.back.pop() {
            self.forward.push(self.here);
            self.here = to;
        }
    }

    pub(super) fn forward(&mut self) {
        if let Some(to) = self.forward.pop() {
            self.back.push(self.here);
            self.here = to;
        }
    }

    pub(super) fn can_go_back(&self) -> bool {
        !self.back.is_empty()
    }

    pub(super) fn can_go_forward(&self) -> bool {
        !self.forward.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn back_and_forward_retrace_the_way_until_a_new_turn_is_taken() {
        let at = |desk| Location {
            desk,
            view: View::List,
        };
        let mut way = Navigation::new();
        way.go(at(Desk::Problems));
        way.back();
        assert_eq!(way.here(), at(Desk::Library));
        way.forward();
        assert_eq!(way.here(), at(Desk::Problems));
        way.back();
        way.go(Location {
            desk: Desk::Library,
            view: View::ThenAndNow(DocId::new(3)),
        });
        assert!(!way.can_go_forward());
    }
}
