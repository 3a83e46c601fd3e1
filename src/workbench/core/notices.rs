//! Notices: short messages, and when they disappear.

use crate::Core;
use document::Severity;
use protocol::DocId;

/// A short message that disappears after a while or on a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub id: u64,
    pub severity: Severity,
    /// One sentence.
    pub text: String,
    /// Number of times in a row that it was reported while it was shown.
    pub count: usize,
    pub(crate) until: NoticeEnd,
    /// The revision of the history in which undo reverts what it reports; `None` if it cannot be undone.
    pub undo: Option<u64>,
}

impl Notice {
    /// The document that was changed both here and on disk, if it is about one.
    pub fn conflict(&self) -> Option<DocId> {
        let NoticeEnd::NoConflict(doc) = self.until else { return None };
        Some(doc)
    }

    /// Whether it offers to show the report of a crash.
    pub fn offers_report(&self) -> bool {
        self.until == NoticeEnd::ReportShown
    }

    /// Whether it is about the user's own settings.
    pub fn is_about_settings(&self) -> bool {
        self.until == NoticeEnd::NextSettings
    }

    /// The document that it offers to save, if it is about edits of one.
    pub fn unsaved(&self) -> Option<DocId> {
        let NoticeEnd::Saved(doc) = self.until else { return None };
        Some(doc)
    }
}

/// Event that makes a notice disappear, apart from time and a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoticeEnd {
    /// Nothing.
    Never,
    /// The next command, place or pasted text: it only says that a request was refused.
    NextRequest,
    /// The document is not changed on disk any more, or its edits are gone.
    NoConflict(DocId),
    /// The document has no unsaved edits any more.
    Saved(DocId),
    /// No document has unsaved edits any more.
    AllSaved,
    /// The report of a crash was shown.
    ReportShown,
    /// The file with the user's own settings has changed.
    NextSettings,
}

impl Core {
    /// Shows a notice. Replaces an earlier notice with the same text, and counts it.
    pub(crate) fn notify(&mut self, severity: Severity, text: impl Into<String>) {
        self.notify_until(NoticeEnd::Never, severity, text.into());
    }

    /// Shows a notice about the latest step of the history, with a button that undoes it.
    pub(crate) fn notify_undoable(&mut self, severity: Severity, text: String) {
        self.push_notice(severity, text, Some(self.journal.revision));
    }

    pub(crate) fn push_notice(&mut self, severity: Severity, text: String, undo: Option<u64>) {
        self.notify(severity, text);
        if let Some(notice) = self.notices.last_mut() {
            notice.undo = undo;
        }
    }

    /// Shows why a request is refused, until the next request.
    pub(crate) fn refuse(&mut self, severity: Severity, text: impl Into<String>) {
        self.notify_until(NoticeEnd::NextRequest, severity, text.into());
    }

    pub(crate) fn notify_until(&mut self, end: NoticeEnd, severity: Severity, text: String) {
        match severity {
            Severity::Error => log::error!("{text}"),
            Severity::Warning => log::warn!("{text}"),
            Severity::Note => log::debug!("{text}"),
        }
        let position = self.notices.iter().position(|notice| notice.text == text);
        // Removed and added again, so that it is the latest and its time begins again.
        let count = position.map_or(0, |index| self.notices.remove(index).count);
        self.notices.push(Notice {
            id: self.next_notice,
            severity,
            text,
            count: count + 1,
            until: end,
            undo: None,
        });
        self.next_notice += 1;
    }

    /// Returns the numbers of the notices that a new request makes obsolete.
    pub(crate) fn refusals(&self) -> Vec<u64> {
        let refusals = self.notices.iter().filter(|notice| notice.until == NoticeEnd::NextRequest);
        refusals.map(|notice| notice.id).collect()
    }

    /// Removes the notices about conflicts that are resolved, and about edits that are saved or undone.
    pub(crate) fn sync_notices(&mut self) {
        let library = &self.library;
        let is_in_conflict = |doc| library.copy(doc).is_some_and(|copy| copy.is_in_conflict());
        self.notices.retain(|notice| notice.conflict().is_none_or(is_in_conflict));
        let is_unsaved = |doc| library.copy(doc).is_some_and(|copy| copy.is_unsaved());
        self.notices.retain(|notice| notice.unsaved().is_none_or(is_unsaved));
    }

    /// Returns what was requested, or shows a notice with the reason of the failure.
    pub(crate) fn or_notify<T>(&mut self, result: Result<T, String>) -> Option<T> {
        let notify = |reason| self.notify(Severity::Error, format!("{reason}."));
        result.map_err(notify).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use crate::{Action, Command};
    use protocol::EngineEvent;

    /// The notices, with their counts.
    fn shown(bench: &Bench) -> Vec<String> {
        let notices = bench.workbench.core.notices.iter();
        let lines = notices.map(|notice| format!("{}× {}", notice.count, notice.text));
        lines.collect()
    }

    #[test]
    fn a_refusal_is_counted_and_goes_away_with_the_next_request() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        bench.receive(EngineEvent::Failed("A file is missing.".to_owned()));
        bench.press(Command::Revert);
        bench.press(Command::Revert);
        assert_eq!(
            shown(&bench),
            ["1× A file is missing.", "2× Revert to saved file: it has no unsaved edits."]
        );
        bench.act(Action::SetOverlay(None));
        assert_eq!(shown(&bench).len(), 2);
        bench.press(Command::GoProblems);
        assert_eq!(shown(&bench), ["1× A file is missing."]);
    }

    #[test]
    fn a_notice_about_a_conflict_goes_away_when_it_is_resolved() {
        let mut bench = Bench::open(&[("j.json", "{\"a\": 1}")]);
        let doc = DocId::new(0);
        bench.act(Action::Select(doc));
        bench.set(doc, "/a", "2");
        bench.write_outside(doc, "{\"a\": 3}");
        assert_eq!(shown(&bench).len(), 1);
        bench.press(Command::GoProblems);
        assert_eq!(shown(&bench).len(), 1);
        bench.act(Action::Revert(doc));
        assert!(shown(&bench).is_empty(), "{:?}", shown(&bench));
    }
}
