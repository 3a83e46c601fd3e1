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
