//! Pending changes of values, and the commands that wait for them.

use crate::Command;
use protocol::{DocId, Revision};

/// The pending changes: finding the bytes that a change replaces takes a moment.
#[derive(Debug, Default)]
pub(crate) struct PendingChanges {
    changes: Vec<(DocId, Revision)>,
    commands: Vec<Command>,
}

impl PendingChanges {
    /// Adds a pending change.
    pub(crate) fn expect(&mut self, doc: DocId, base: Revision) {
        self.changes.push((doc, base));
    }

    /// Whether any change is pending.
    pub(crate) fn is_some(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Whether a change of a document is pending.
    pub(crate) fn is_expecting(&self, doc: DocId) -> bool {
        self.changes.iter().any(|(other, _)| *other == doc)
    }

    /// Defers a command that would miss a pending change. Returns whether it did.
    pub(crate) fn defer(&mut self, command: Command) -> bool {
        let is_deferred = command.counts_edits() && self.is_some();
        if is_deferred {
            self.commands.push(command);
        }
        is_deferred
    }

    /// Removes a pending change that was applied or refused. Returns the commands that can run now.
    pub(crate) fn finish(&mut self, doc: DocId, base: Revision) -> Vec<Command> {
        self.changes.retain(|change| *change != (doc, base));
        // Commands such as *Save all* depend on the edits of every document.
        if self.changes.is_empty() { std::mem::take(&mut self.commands) } else { Vec::new() }
    }
}

impl Command {
    /// Whether it changes the tool responses of the session, or their order.
    fn is_about_responses(self) -> bool {
        matches!(
            self,
            Self::PutFault
                | Self::MoveResponseUp
                | Self::MoveResponseDown
                | Self::AddResponse
                | Self::DuplicateResponse
                | Self::DeleteResponse
        )
    }

    /// Whether it leaves, saves or moves what is typed in fields, so that each of them must be valid.
    pub(crate) fn needs_valid_fields(self) -> bool {
        let saves = matches!(self, Self::Save | Self::SaveAll | Self::SaveAs);
        saves || self.is_about_responses() || matches!(self, Self::CloseProject | Self::Quit)
    }

    /// Whether it depends on all edits so far, so that it must wait for pending ones.
    pub fn counts_edits(self) -> bool {
        let undoes = matches!(self, Self::Undo | Self::Redo | Self::Revert | Self::Reload);
        undoes || self.needs_valid_fields() || self == Self::ShowUnsaved
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use crate::core::effect::Effect;
    use crate::testing::{Bench, doc};
    use check::change::Change;
    use document::edit::{Edit, JsonValue};

    /// A workbench with one file, and a pending change of it.
    fn changing() -> (Bench, Vec<Effect>) {
        let mut bench = Bench::open(&[("j.json", "{\"a\": 1}")]);
        let (_, base) = bench.workbench.core.library.text(doc(0)).unwrap();
        let change = Action::EditValue {
            doc: doc(0),
            base,
            change: Change::Value(Edit::Set {
                pointer: "/a".to_owned(),
                value: JsonValue::parse("2").unwrap(),
            }),
        };
        let effects = bench.workbench.apply(change);
        (bench, effects)
    }

    #[test]
    fn a_save_waits_for_pending_changes() {
        let (mut bench, change) = changing();
        bench.press(Command::Save);
        assert_eq!(bench.notice_texts(), [""; 0]);
        bench.perform(change);
        assert_eq!(bench.disk[&doc(0)], "{\"a\": 2}");
        assert_eq!(bench.unsaved(), [0; 0]);
    }

    #[test]
    fn leaving_with_a_pending_change_needs_confirmation() {
        let (mut bench, change) = changing();
        bench.press(Command::Quit);
        bench.perform(change);
        assert_eq!(bench.workbench.core.overlay, Some(crate::Overlay::Unsaved));
        assert_eq!(bench.requested.last().map(String::as_str), Some("keep 0"));
    }
}
