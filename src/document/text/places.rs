//! Many places of one text, found in one pass.

use super::{Place, Source};

/// Finds the places of many bytes of one text. As long as they come in the order of the text, all of them together cost one
/// pass over it, however long its lines are.
#[derive(Debug)]
pub struct PlaceFinder<'a> {
    source: &'a Source,
    /// The last requested byte, its line and its column.
    at: usize,
    line: u32,
    column: u32,
}

impl<'a> PlaceFinder<'a> {
    /// Begins at the start of a text.
    pub fn new(source: &'a Source) -> Self {
        Self { source, at: source.content_start(), line: 1, column: 1 }
    }

    /// Returns the line and column of byte `at`, as [`Source::place`] does.
    pub fn place_at(&mut self, at: usize) -> Place {
        // A byte order mark is not a character of the first line.
        let at = at.max(self.source.content_start());
        let Some(skipped_text) = self.source.text().get(self.at..at) else {
            // `at` is before the previous place.
            let place = self.source.place(at);
            (self.at, self.line, self.column) = (at, place.line, place.column);
            return place;
        };
        let (line_ends, start) = self.source.line_ends_in(self.at..at);
        let to_u32 = |count| u32::try_from(count).unwrap_or(u32::MAX);
        let text_before = match start {
            Some(start) => {
                self.line = self.line.saturating_add(to_u32(line_ends));
                self.column = 1;
                &skipped_text[start - self.at..]
            }
            None => skipped_text,
        };
        self.column = self.column.saturating_add(to_u32(text_before.chars().count()));
        self.at = at;
        Place { line: self.line, column: self.column }
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
                let place = source.place(at);
                prop_assert_eq!(places.place_at(at), place, "byte {}", at);
                // Now from the list of lines.
                source.line_count();
                prop_assert_eq!(source.place(at), place, "byte {}", at);
            }
        }
    }
}
