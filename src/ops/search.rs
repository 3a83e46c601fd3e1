//! The filter language of every list: `kind:recording status:stale tool:transition_to_* -path:archive "free text"`.

/// A filter.
#[derive(Clone, Debug, Default)]
pub struct Query {}

impl Query {
    /// Reads a filter.
    pub fn parse(_text: &str) -> Self {
        Self {}
    }

    /// Whether the filter lets an item through.
    pub fn matches(&self, _item: &super::Item) -> bool {
        true
    }
}

/// One choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// What it takes the place of.
    pub replace: crate::text::Span,
    /// What is then there.
    pub insert: String,
    /// A few words on it.
    pub hint: &'static str,
    /// How many items are left.
    pub count: Option<usize>,
}

/// Completes the term that ends at `cursor`.
pub fn complete<'a>(
    _text: &str,
    _cursor: usize,
    _items: impl IntoIterator<Item = &'a super::Item>,
) -> Vec<Completion> {
    Vec::new()
}
