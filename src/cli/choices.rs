//! Cassettes that a command changed, played by the rules of their clients before and after.

use super::output::shown;
use super::{print_summary, report_error};
use calls::Item;
use calls::cassette_config::CassetteFacts;
use document::Document;
use document::text::{Source, counted};
use play::client::{ChangedChoices, RecorderClient};

/// Values of a request that the tested program sends after a command changed them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SentValues {
    /// Those of the changed file, since the program has them from its answers.
    Changed,
    /// Perhaps those that were recorded, since the program has them itself.
    Recorded,
}

/// Results of playing changed cassettes.
#[derive(Debug, Default)]
pub(super) struct ChoiceReport {
    /// Number of cassettes whose calls all have the same answers.
    same: usize,
    /// Sentences about the others.
    changed: Vec<String>,
    /// Cassettes that were not played: the first with its reason, and their number.
    unplayed: Option<(String, String, usize)>,
}

impl ChoiceReport {
    /// Plays a file before and after a change, if it is a cassette of a client whose rules are known. `path` is its path after the change.
    pub(super) fn add(
        &mut self,
        (item, path): (&Item, &str),
        before: &Document,
        after: &Source,
        sent: SentValues,
    ) {
        let Some(client) = item.client() else { return };
        let name = RecorderClient::from(client).name();
        let facts = item.cassette.as_deref().cloned().unwrap_or_else(CassetteFacts::default);
        let after = before.read_again(after.clone(), item.file_name());
        match ChangedChoices::find(before, &after, client, &facts) {
            Err(reason) => {
                let (_, _, count) =
                    self.unplayed.get_or_insert_with(|| (path.to_owned(), reason, 0));
                *count += 1;
            }
            Ok(mut found) => {
                if sent == SentValues::Changed {
                    found.compared.clear();
                }
                if found.is_same() {
                    self.same += 1;
                } else {
                    self.changed.push(format!("{}: {path}", found.sentence(name)));
                }
            }
        }
    }

    /// Reports the results on stderr.
    pub(super) fn print(&self) {
        for sentence in &self.changed {
            report_error(&shown(sentence));
        }
        if self.same > 0 {
            let cassettes = counted(self.same, "cassette", "cassettes");
            print_summary(&format!(
                "Played {cassettes} by the rules of the client, before and after: it still chooses the same answers"
            ));
        }
        if let Some((path, reason, count)) = &self.unplayed {
            let cassettes = counted(*count, "cassette was", "cassettes were");
            let reason = reason.trim_end_matches('.');
            print_summary(&format!("{cassettes} not played. First: {}: {reason}", shown(path)));
        }
    }
}
