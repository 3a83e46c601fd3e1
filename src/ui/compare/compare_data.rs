//! Data of the comparison of two calls.

use std::ops::Range;
use std::sync::Arc;

use calls::ItemStatus;
use compare::recordings::RecordingComparison;
use compare::review::AlignedCalls;
use document::diff::Side;
use document::text::visible;
use protocol::{ComparedCalls, DocId};
use widgets::sheet::{Sheet, SheetContent, SheetFocus};
use widgets::{AlignedBlock, dates};
use workbench::{Action, DeskView, DiffLayout, InspectorTab, SideBySideContent, Workbench};

/// Below this width of the window the comparison is always unified.
pub const NARROW: f32 = 1000.0;

/// Two calls side by side, ready to be painted.
#[derive(Clone, Debug)]
pub struct CompareData {
    /// The headers of the left and the right side.
    pub heads: [SideHead; 2],
    /// The state of the comparison.
    pub state: CompareState,
    /// The selected difference, from 0.
    pub current: usize,
    /// The layout: as chosen, or unified if the window is too narrow for two sides.
    pub pane: DiffLayout,
    /// False if the window is too narrow for a choice.
    pub can_choose_pane: bool,
    /// Whether the parts of the calls are shown, or the text of the files.
    pub tab: InspectorTab,
    made_from: CompareInputs,
}

#[derive(Clone, Debug)]
pub enum CompareState {
    /// In progress.
    Working,
    /// Failed, for this reason.
    Failed(Arc<str>),
    /// Finished.
    Ready {
        /// The result.
        comparison: Arc<RecordingComparison>,
        /// The entries to show.
        sheet: Arc<Sheet>,
        /// For each difference its rows in the sheet, unless the sheet shows the calls.
        rows: Option<Vec<Option<Range<usize>>>>,
        /// The selected entries.
        focus: SheetFocus,
        /// The calls of both files, if they have several.
        run: Option<Box<RunStrips>>,
    },
}

/// The calls of two files that became each other.
#[derive(Clone, Debug)]
pub struct RunStrips {
    pub blocks: Vec<AlignedBlock>,
    /// The compared call, by its place among the blocks.
    pub call: usize,
    /// The first difference that matters, and the action that goes to it.
    pub first: Option<(String, Action)>,
}

impl RunStrips {
    fn new(compared: &ComparedCalls) -> Option<Self> {
        let run = compared.run.as_ref()?;
        let block = |(place, (calls, is_changed)): (usize, &(AlignedCalls, bool))| {
            let is_first = run.first == Some(place);
            let word = match (calls.old, calls.new) {
                (None, _) => "only on the right",
                (_, None) => "only on the left",
                _ if is_first => "first difference",
                _ if *is_changed => "differs",
                _ => "nothing else differs",
            };
            AlignedBlock {
                numbers: [calls.old, calls.new],
                is_changed: *is_changed,
                is_first,
                name: format!("Call {}, {word}", calls.new.or(calls.old).unwrap_or_default()),
            }
        };
        Some(Self {
            blocks: run.calls.iter().enumerate().map(block).collect(),
            call: compared.call,
            first: run.first.map(|first| (run.sentence.clone(), Action::CompareCall(first))),
        })
    }
}

/// The header of a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideHead {
    pub doc: DocId,
    /// Its display name.
    pub label: String,
    /// Its kind, for its icon.
    pub kind: document::FileKind,
    pub status: ItemStatus,
    /// Its set and its date: `triage-ticket, 12 Mar 2026`.
    pub detail: String,
    /// Whether its source changed, so that the source then and now can be shown.
    pub is_stale: bool,
}

/// The view, the revisions of the comparison and of the library, and the chosen layout and format.
type CompareInputs = (DeskView, u64, u64, DiffLayout, InspectorTab);

impl CompareData {
    /// Synchronizes `data` with the workbench; costs almost nothing if nothing changed. `width` is the width of the
    /// window. Sets `None` if no two items are compared.
    pub fn update(data: &mut Option<Self>, workbench: &Workbench, width: f32) {
        let (DeskView::Compare { left, right }, Some(side)) =
            (workbench.core.here().view, workbench.core.side.as_ref())
        else {
            *data = None;
            return;
        };
        let can_choose_pane = width >= NARROW;
        let pane = if can_choose_pane { workbench.core.diff_layout } else { DiffLayout::Unified };
        let tab = match workbench.core.tab {
            // The inspector's tab is shared, and a comparison has no problems to show.
            InspectorTab::Problems => InspectorTab::Conversation,
            tab => tab,
        };
        let view = workbench.core.here().view;
        let made_from = (view, side.revision, workbench.core.library.revision, pane, tab);
        if let Some(data) = data.as_mut().filter(|data| data.made_from == made_from) {
            // The selected difference is not part of the key: stepping through differences keeps the layout.
            data.focus_on(side.change);
            data.can_choose_pane = can_choose_pane;
            return;
        }
        let state = match &side.content {
            SideBySideContent::Recordings(recordings) => {
                let calls = recordings.calls.clone();
                let (content, places) = match tab {
                    InspectorTab::Tree => {
                        let content = SheetContent::Values(calls, recordings.json.clone());
                        (content, Some(&recordings.in_json))
                    }
                    InspectorTab::Text => (SheetContent::Files(calls), Some(&recordings.in_text)),
                    _ => (SheetContent::Calls(calls), None),
                };
                let sheet = Arc::new(Sheet::new(content, side, pane));
                // Differences are those of the calls; in the other formats each is found by its place in the file.
                let rows = places.map(|places| {
                    places
                        .iter()
                        .map(|place| {
                            place.and_then(|(side, position)| sheet.rows_of(side, position))
                        })
                        .collect()
                });
                CompareState::Ready {
                    comparison: recordings.calls.clone(),
                    focus: focus(&sheet, &rows, side.change),
                    rows,
                    sheet,
                    run: RunStrips::new(recordings).map(Box::new),
                }
            }
            SideBySideContent::Failed(reason) => CompareState::Failed(reason.clone()),
            _ => CompareState::Working,
        };
        *data = Some(Self {
            heads: [left, right].map(|doc| SideHead::new(workbench, doc)),
            state,
            current: side.change,
            pane,
            can_choose_pane,
            tab,
            made_from,
        });
    }

    fn focus_on(&mut self, change: usize) {
        if self.current == change {
            return;
        }
        self.current = change;
        if let CompareState::Ready { sheet, rows, focus: sheet_focus, .. } = &mut self.state {
            *sheet_focus = focus(sheet, rows, change);
        }
    }

    /// Returns the difference to which a clicked change of the sheet belongs.
    pub(super) fn difference_of(&self, index: usize) -> Option<usize> {
        let CompareState::Ready { sheet, rows: Some(rows), .. } = &self.state else {
            return Some(index);
        };
        // A click in the text of the files hits a change of lines, which may contain several differences: the first is selected.
        let change = &sheet.content.diff(0)?.changes.get(index)?.rows;
        let touches = |range: &Range<usize>| range.start < change.end && change.start < range.end;
        rows.iter().position(|rows| rows.as_ref().is_some_and(touches))
    }

    /// Returns the header of a side.
    pub fn head(&self, side: Side) -> &SideHead {
        &self.heads[side as usize]
    }
}

/// Returns the entries of a difference.
fn focus(sheet: &Sheet, rows: &Option<Vec<Option<Range<usize>>>>, change: usize) -> SheetFocus {
    match rows.as_ref().map(|rows| rows.get(change)) {
        None => sheet.focus(change),
        Some(Some(Some(rows))) => sheet.focus_on(rows),
        // A difference may have no place in this format.
        Some(_) => SheetFocus::default(),
    }
}

impl SideHead {
    fn new(workbench: &Workbench, doc: DocId) -> Self {
        let item = workbench.core.library.get(doc);
        let date = item.and_then(|item| item.recorded_at.as_deref()).map(dates::day_of_iso);
        let set = item.map(|item| visible(item.set()).into_owned());
        let detail: Vec<String> =
            set.into_iter().chain(date).filter(|part| !part.is_empty()).collect();
        let status = item.map_or(ItemStatus::Ok, |item| item.status());
        Self {
            doc,
            label: item
                // A file may be deleted while it is compared.
                .map_or_else(|| "gone".to_owned(), |item| visible(item.label()).into_owned()),
            kind: item.map_or(document::FileKind::Unknown, |item| item.kind),
            status,
            detail: detail.join(", "),
            is_stale: matches!(
                status,
                // Other line ends change the hash of the source, too, and can be compared.
                ItemStatus::Stale | ItemStatus::StaleBreaks | ItemStatus::LineEnds
            ),
        }
    }
}
