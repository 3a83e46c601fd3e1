//! Facts of an item that few files have, so that a row of the others takes less memory.

use std::ops::Deref;
use std::sync::{Arc, LazyLock};

use super::{CallRow, SeedKey};
use crate::cassette_config::CassetteFacts;
use crate::secret::Mask;
use document::foreign::Foreign;

/// Facts that a recording in a file of its own does not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RareFacts {
    /// The path from the project root, if it is not the end of the path.
    pub own_root_path: Option<Box<str>>,
    /// The model it was made with.
    pub model: Option<Arc<str>>,
    /// For tapes.
    pub chunks: Option<u32>,
    /// For tapes: the sum of all delays.
    pub duration_nanos: Option<f64>,
    /// For files of other tools.
    pub foreign: Option<Foreign>,
    /// The name of its format, if the settings describe it.
    pub format_name: Option<Arc<str>>,
    /// Number of runs of a report that failed.
    pub failed_runs: u32,
    /// The calls in it, if it holds several or is a file of another tool.
    pub calls: Box<[CallRow]>,
    /// Keys of the seeds in it, for rules that look across files.
    pub seed_keys: Box<[SeedKey]>,
    /// Configuration of a cassette.
    pub cassette: Option<Box<CassetteFacts>>,
    /// The secrets of the file, to hide them in messages; `None` if there are none.
    pub secrets: Option<Arc<Mask>>,
}

/// Rare facts that take no memory while all are empty.
#[derive(Clone, Debug, Default)]
pub struct Rare(Option<Box<RareFacts>>);

impl From<RareFacts> for Rare {
    fn from(facts: RareFacts) -> Self {
        Self((facts != RareFacts::default()).then(|| Box::new(facts)))
    }
}

impl PartialEq for Rare {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Deref for Rare {
    type Target = RareFacts;

    #[inline]
    fn deref(&self) -> &RareFacts {
        static EMPTY: LazyLock<RareFacts> = LazyLock::new(RareFacts::default);
        self.0.as_deref().unwrap_or_else(|| &EMPTY)
    }
}

impl Rare {
    /// Returns the facts to be changed. Takes memory from then on, so that it is not reached through `DerefMut`, by accident.
    pub fn edit(&mut self) -> &mut RareFacts {
        self.0.get_or_insert_default()
    }
}

#[cfg(test)]
mod tests {
    use crate::reading::listed_calls;
    use crate::{Pool, summarise};
    use document::text::Source;

    #[test]
    fn a_recording_in_a_file_of_its_own_takes_no_memory_for_rare_facts() {
        let text = r#"{"request": {"messages": [], "tools": []}, "response": {"response": {"content": [], "stop_reason": "end_turn"}}}"#;
        let document = document::read(Source::new(text), "turn-1.json");
        let (calls, pool) = (listed_calls(&document), Pool::default());
        let problems = document.problems.clone();
        let item =
            summarise("a/turn-1.json".into(), "turn-1.json", 1, &document, problems, None, &pool);
        let item = item
            .with_calls(&document, &calls, &pool)
            .with_secrets(Default::default())
            .with_cassette(None);
        assert!(item.version.is_some());
        assert!(item.rare.0.is_none());
    }
}
