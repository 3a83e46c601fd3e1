//! Many places of one text, found in one pass.

use super::{Place, Source};

/// Finds the places of many bytes of one text. As long as they come in the order of the text, all of them together cost one
/// pass over it, however long its lines are.
#[derive(Debug)]
pub struct PlaceFinder<'a> {
    source: &'a Source,
    /// The last requested byte, its line (from 0) and its column (from 1).
    at: usize,
    line: usize,
    column: u32,
}

impl<'a> PlaceFinder<'a> {
    /// Begins at the start of a text.
    pub fn new(source: &'a Source) -> Self {
        Self {
            source,
            at: source.content_start(),
            line: 0,
            column: 1,
        }
    }

    /// Returns the line and column of byte `at`, as [`Source::place`] does.
    pub fn place_at(&mut self, at: usize) -> Place {
        // A byte order mark is not a character of the first line.
        let at = at.max(self.source.content_start());
        let line = self.source.line_at(at);
        let between = self.source.text().get(self.at..at);
        match between.filter(|_| line == self.line) {
            Some(between) => {
                let columns = between.chars().count();
                self.column += u32::try_from(columns).unwrap_or(u32::MAX - self.column);
                self.at = at;
            }
            None => {
                self.column = self.source.place(at).column;
                self.line = line;
                self.at = at;
            }
        }
        Place {
            line: u32::try_from(self.line + 1).unwrap_or(u32::MAX),
            column: self.column,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(crate::text::cases(256))]

        #[test]
        fn places_are_those_of_the_source(text in "\\u{feff}?[a\u{e9}\r\n😀]{0,30}", bytes in proptest::collection::vec(0usize..60, 0..10)) {
            let source = Source::new(text.as_str());
            let mut places = PlaceFinder::new(&source);
            for at in bytes.into_iter().filter(|at| text.is_char_boundary(*at)) {
                prop_assert_eq!(places.place_at(at), source.place(at), "byte {}", at);
            }
        }
    }
}
