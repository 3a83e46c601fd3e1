//! A source at the time of recording and now: both texts, and the changes.

use std::sync::Arc;

use calls::source::SourceOrigin;
use document::Severity;
use document::diff::outline::Outline;
use document::diff::text::TextDiff;
use document::text::{Source, counted, upper_first, visible};
use protocol::{SourceAsRecorded, SourceComparison};
use widgets::dates;
use widgets::sheet::{Sheet, SheetContent, SheetFocus};
use workbench::{
    DeskView, DiffLayout, SideBySideContent, SourceChangeLine, SourceChanges, Workbench,
};

/// A source when recorded and now, ready to be painted.
#[derive(Clone, Debug)]
pub(super) struct StaleData {
    /// The changes, and the recordings made from it.
    pub(super) changes: SourceChanges,
    /// The result of the search.
    pub(super) state: StaleState,
    /// The index of the focused change.
    pub(super) current: usize,
    /// The layout of both sides.
    pub(super) pane: DiffLayout,
    key: StaleKey,
}

/// The state of the search.
#[derive(Clone, Debug)]
pub(super) enum StaleState {
    /// The history is being searched for the text with this hash.
    Searching,
    /// The search failed, for this reason.
    Failed(Arc<str>),
    /// The search found at least a part.
    Found(Box<StaleSource>),
}

/// The result of the search for a source.
#[derive(Clone, Debug)]
pub(super) struct StaleSource {
    /// Both texts.
    pub(super) source: Arc<SourceComparison>,
    /// The shown lines; `None` if there is no text.
    pub(super) sheet: Option<Arc<Sheet>>,
    pub(super) focus: SheetFocus,
    /// The heading of each side.
    pub(super) heads: [SideHeading; 2],
    /// A remark above the texts; `None` if both exist and lines differ.
    pub(super) remark: Option<SourceRemark>,
    /// The heading of the list: `6 changes`.
    pub(super) count: String,
}

/// The heading of a side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SideHeading {
    /// `Then` or `Now`.
    pub(super) title: &'static str,
    /// The commit's first seven digits, and all of them.
    pub(super) commit: Option<(String, String)>,
    /// The date and place of the commit, or where else the text is.
    pub(super) words: String,
    /// The hash of the text, and when the file was saved.
    pub(super) tip: String,
}

/// A sentence with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceRemark {
    /// Severity, which decides its colour and icon.
    pub(super) severity: Severity,
    /// The problem.
    pub(super) title: String,
    /// The reason, and what is shown instead.
    pub(super) detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct StaleKey {
    view: DeskView,
    revision: u64,
    library: u64,
    pane: DiffLayout,
}

impl StaleData {
    /// Updates `data` from the workbench, if something changed. `width` is that of the window. `data` becomes `None` if
    /// no source comparison is shown.
    pub(super) fn update(data: &mut Option<Self>, workbench: &Workbench, width: f32) {
        let (DeskView::Source(_), Some(side)) =
            (workbench.core.here().view, workbench.core.side.as_ref())
        else {
            *data = None;
            return;
        };
        let is_wide = width >= crate::compare::NARROW;
        let pane = if is_wide { workbench.core.diff_layout } else { DiffLayout::Unified };
        let key = StaleKey {
            view: workbench.core.here().view,
            revision: side.revision,
            library: workbench.core.library.revision,
            pane,
        };
        if let Some(data) = data.as_mut().filter(|data| data.key == key) {
            data.focus_on(side.change);
            return;
        }
        let changes = side.source.clone();
        let state = match &side.content {
            SideBySideContent::Source(source) => {
                let open_folds = |section| side.opened(section);
                let mut result = StaleSource::new(source.clone(), &open_folds, pane, &changes);
                result.focus_on(changes.lines.get(side.change));
                StaleState::Found(Box::new(result))
            }
            SideBySideContent::Failed(reason) => StaleState::Failed(reason.clone()),
            _ => StaleState::Searching,
        };
        *data = Some(Self { changes, state, current: side.change, pane, key });
    }

    fn focus_on(&mut self, change: usize) {
        if self.current == change {
            return;
        }
        self.current = change;
        if let StaleState::Found(result) = &mut self.state {
            result.focus_on(self.changes.lines.get(change));
        }
    }
}

impl StaleSource {
    fn new<'a>(
        source: Arc<SourceComparison>,
        opened: &dyn Fn(usize) -> Option<&'a document::diff::fold::OpenFolds>,
        pane: DiffLayout,
        changes: &SourceChanges,
    ) -> Self {
        let single_sheet = |text: &Source| {
            // Equal texts are shown once, in full.
            let diff = Arc::new(TextDiff::new(text, text, Outline::Machine));
            let all_folds = (0..diff.folds.len()).collect();
            let content = SheetContent::Single(diff);
            Arc::new(Sheet::with_folds(content, &|_| Some(&all_folds), DiffLayout::Unified))
        };
        let sheet = match (&source.diff, &source.recorded, &source.current) {
            (Some(_), _, _) => {
                let content = SheetContent::Source(source.clone());
                Some(Arc::new(Sheet::with_folds(content, opened, pane)))
            }
            (None, Ok(then), _) => Some(single_sheet(&then.text)),
            (None, _, Ok(now)) => Some(single_sheet(&now.text)),
            (None, Err(_), Err(_)) => None,
        };
        Self {
            heads: [then_head(&source), now_head(&source)],
            remark: remark(&source),
            count: change_count(&source, changes.lines.len()),
            sheet,
            focus: SheetFocus::default(),
            source,
        }
    }

    /// Selects the lines of a change on both sides.
    fn focus_on(&mut self, line: Option<&SourceChangeLine>) {
        let (Some(sheet), Some(line)) = (&self.sheet, line) else {
            self.focus = SheetFocus::default();
            return;
        };
        let rows = line
            .place
            // A change of the machine without a changed line, such as a moved node, has only its place.
            .filter(|_| line.changes.is_empty())
            .and_then(|(side, span)| sheet.rows_of(side, span));
        self.focus = match rows {
            Some(rows) => sheet.focus_on(&rows),
            None => sheet.focus_all(&line.changes),
        };
    }
}

/// Returns the number of changes, for the heading of the list.
fn change_count(source: &SourceComparison, count: usize) -> String {
    match &source.machine {
        None => "Changes".to_owned(),
        // A comment or a line end may have changed all the same.
        Some(machine) if machine.changes.is_empty() => {
            let text_diff = source.diff.as_ref();
            match text_diff.filter(|diff| diff.changes.is_empty() && diff.text.notes.is_empty()) {
                Some(_) => "No changes".to_owned(),
                None => upper_first(&machine.describe()),
            }
        }
        Some(_) => counted(count, "change", "changes"),
    }
}

fn then_head(source: &SourceComparison) -> SideHeading {
    let mut head = SideHeading {
        title: "Then",
        tip: format!("SHA-256 {}", visible(&source.recorded_hash)),
        ..SideHeading::default()
    };
    match &source.recorded {
        Ok(SourceAsRecorded {
            origin: SourceOrigin::Commit { id, seconds, path, line }, ..
        }) => {
            let short = id.get(..7).unwrap_or(id);
            head.commit = Some((visible(short).into_owned(), id.clone()));
            // The path of the commit is shown only if it is not the present one.
            let is_moved = source.current.as_ref().is_ok_and(|now| now.path != *path);
            let date = dates::day_of_seconds(*seconds);
            head.words = match (line, is_moved) {
                (Some(line), _) => format!("{date}, in {}:{line}", visible(path)),
                (None, true) => format!("{date}, as {}", visible(path)),
                (None, false) => date,
            };
        }
        Ok(SourceAsRecorded { origin: SourceOrigin::Snapshot { seconds }, .. }) => {
            head.words = format!("saved by Retake on {}", dates::day_of_seconds(*seconds));
        }
        Ok(SourceAsRecorded { origin: SourceOrigin::WorkingTree, .. }) => {
            head.words = "the file still contains it".to_owned();
        }
        Err(_) => head.words = "not found".to_owned(),
    }
    head
}

fn now_head(source: &SourceComparison) -> SideHeading {
    let (words, tip) = match &source.current {
        Ok(now) => {
            let saved = now.seconds.map_or_else(String::new, |seconds| {
                format!("Saved {}, ", dates::day_of_seconds(seconds))
            });
            ("working tree", format!("{saved}SHA-256 {}", now.hash))
        }
        Err(_) => ("missing", String::new()),
    };
    SideHeading { title: "Now", words: words.to_owned(), tip, ..SideHeading::default() }
}

fn remark(source: &SourceComparison) -> Option<SourceRemark> {
    let (severity, title, detail) = match (&source.recorded, &source.current) {
        (Ok(_), Ok(_)) => {
            let diff = source.diff.as_ref()?;
            if !diff.changes.is_empty() {
                return None;
            }
            // Notes are about line ends and the last line: the bytes differ, the lines do not.
            let title = if diff.text.notes.is_empty() {
                "The text did not change."
            } else {
                "No line changed."
            };
            (Severity::Note, title, String::new())
        }
        (Err(reason), Ok(_)) => (
            Severity::Warning,
            "The text at recording time was not found.",
            to_sentence(reason) + " The current source is shown.",
        ),
        (Ok(_), Err(reason)) => (
            Severity::Warning,
            "The source no longer exists.",
            to_sentence(reason) + " The text at recording time is shown.",
        ),
        (Err(then), Err(now)) => (
            Severity::Error,
            "Neither the text at recording time nor the current text was found.",
            format!("{} {}", to_sentence(then), to_sentence(now)),
        ),
    };
    Some(SourceRemark { severity, title: title.to_owned(), detail })
}

/// Formats a reason as a sentence.
fn to_sentence(reason: &str) -> String {
    let mut text = upper_first(&visible(reason.trim()));
    if !text.ends_with(['.', '!', '?']) {
        text.push('.');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use compare::source::SourceDiff;
    use machine::{Machine, MachineDiff};
    use protocol::CurrentSource;

    fn found(then: Result<&str, &str>, now: Result<&str, &str>) -> StaleSource {
        let commit = SourceOrigin::Commit {
            id: "8d41e7c0".repeat(5),
            seconds: 1_773_300_000,
            path: "machines/a.dygram".to_owned(),
            line: None,
        };
        found_in(commit, then, now)
    }

    fn found_in(
        origin: SourceOrigin,
        then: Result<&str, &str>,
        now: Result<&str, &str>,
    ) -> StaleSource {
        let texts = then.ok().zip(now.ok());
        let source = SourceComparison {
            recorded_hash: "9f2c41d7aa".to_owned(),
            recorded: then
                .map_err(str::to_owned)
                .map(|text| SourceAsRecorded { text: Source::new(text), origin }),
            current: now.map_err(str::to_owned).map(|text| CurrentSource {
                text: Source::new(text),
                path: "machines/a.dygram".to_owned(),
                hash: "b60e8a15bb".to_owned(),
                seconds: None,
            }),
            diff: texts.map(|(then, now)| SourceDiff::new(&Source::new(then), &Source::new(now))),
            machine: texts.map(|texts| {
                let [then, now] = [texts.0, texts.1].map(|text| Machine::read(&Source::new(text)));
                MachineDiff::new(&then, &now)
            }),
            recorded_facts: Vec::new(),
        };
        StaleSource::new(
            Arc::new(source),
            &|_| None,
            DiffLayout::SideBySide,
            &SourceChanges::default(),
        )
    }

    #[test]
    fn headings_show_the_origin_of_each_text() {
        let source = found(Ok("task a {\n}\n"), Ok("task b {\n}\n"));
        let [then, now] = &source.heads;
        assert_eq!(then.commit.as_ref().map(|commit| commit.0.as_str()), Some("8d41e7c"));
        assert_eq!((&*then.words, &*then.tip), ("12 Mar 2026", "SHA-256 9f2c41d7aa"));
        assert_eq!((&*now.words, &*now.tip), ("working tree", "SHA-256 b60e8a15bb"));
        assert_eq!(source.remark, None);

        let origin = SourceOrigin::Snapshot { seconds: 1_773_300_000 };
        let [then, _] = found_in(origin, Ok("a"), Ok("b")).heads;
        assert_eq!((then.commit, &*then.words), (None, "saved by Retake on 12 Mar 2026"));
    }

    #[test]
    fn a_missing_side_is_named_and_the_other_one_shown() {
        let source = found(Err("the text was never committed"), Ok("task a {\n}\n"));
        let remark = source.remark.unwrap();
        assert_eq!(remark.title, "The text at recording time was not found.");
        assert_eq!(remark.detail, "The text was never committed. The current source is shown.");
        assert_eq!(source.sheet.unwrap().entries.len(), 2);
        assert!(found(Err("no"), Err("no")).sheet.is_none());
    }
}
