//! Texts that Retake keeps about itself, to be shown: the log, and the report of a crash.

use crate::{Core, Effect, NoticeEnd, Overlay};
use author::stored_text::StoredText;
use document::Severity;
use protocol::ReadLog;

impl Core {
    /// Requests the log again, when it is about to be shown.
    pub(crate) fn read_log(&mut self) {
        // Lines of an earlier time must not be shown meanwhile.
        self.log = None;
        self.request(Effect::run(ReadLog));
    }

    /// Offers the report of a crash that no window has offered.
    pub(crate) fn on_crash_found(&mut self, report: StoredText) {
        self.crash_report = Some(report);
        let text =
            "Retake ended unexpectedly. A report was stored on this computer; nothing was sent.";
        self.notify_until(NoticeEnd::ReportShown, Severity::Warning, text.to_owned());
    }

    /// Shows the report; recovered edits that are offered now are offered again when it is closed.
    pub(crate) fn show_crash_report(&mut self) {
        if self.overlay.replace(Overlay::CrashReport) == Some(Overlay::Recovered) {
            self.show_when_free(Overlay::Recovered);
        }
        self.notices.retain(|notice| notice.until != NoticeEnd::ReportShown);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Bench;
    use crate::{Action, Command};
    use protocol::EngineEvent;

    #[test]
    fn a_report_is_offered_until_it_is_shown() {
        let mut bench = Bench::open(&[("x.yaml", "a: 1\n")]);
        let command = Command::ShowCrashReport;
        assert_eq!(
            command.enabled(&bench.workbench),
            Err("no crash report was found when this window opened")
        );
        bench.receive(EngineEvent::CrashFound(StoredText::default()));
        insta::assert_snapshot!(bench.notice_texts().join("\n"), @"Retake ended unexpectedly. A report was stored on this computer; nothing was sent.");
        bench.act(Action::Run(command));
        assert_eq!(bench.workbench.core.overlay, Some(Overlay::CrashReport));
        assert!(bench.notice_texts().is_empty());
        bench.act(Action::SetOverlay(None));
        assert_eq!(command.enabled(&bench.workbench), Ok(()));
    }
}
