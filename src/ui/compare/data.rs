//! What the comparison of two calls shows.

use std::sync::Arc;

use super::sheet::{Content, Focus, Sheet};
use crate::ops::Status;
use crate::ops::diff::Side;
use crate::ops::diff::recordings::Comparison;
use crate::text::visible;
use crate::ui::dates;
use crate::workbench::{DocId, Finding, Pane, Tab, View, Workbench};

/// Below this width of the window two sides become one text.
pub const NARROW: f32 = 1000.0;

/// Two calls side by side, ready to be painted.
#[derive(Clone, Debug)]
pub struct CompareData {
    /// What stands at the left and at the right.
    pub heads: [Head; 2],
    /// What was found.
    pub state: State,
    /// The difference in focus, from 0.
    pub current: usize,
    /// How both are laid out: as asked for, or unified where the window is too narrow for sides.
    pub pane: Pane,
    /// False where the window is too narrow to choose.
    pub can_choose_pane: bool,
    /// Whether the parts of the calls are shown, or the files as they are written.
    pub tab: Tab,
    made_from: MadeFrom,
}

/// What a comparison gave.
#[derive(Clone, Debug)]
pub enum State {
    /// Being worked out.
    Working,
    /// It could not be, for this reason.
    Failed(Arc<str>),
    /// Here it is.
    Ready {
        /// Everything that was compared.
        comparison: Arc<Comparison>,
        /// What is shown, in order.
        sheet: Arc<Sheet>,
        /// What is in focus.
        focus: Focus,
    },
}

/// What stands over a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The item.
    pub doc: DocId,
    /// What people call it.
    pub label: String,
    /// Its kind, for its icon.
    pub kind: crate::format::Kind,
    /// How it stands.
    pub status: Status,
    /// Its set and its date: `triage-ticket, 12 Mar 2026`.
    pub aside: String,
    /// True when its source changed, so that then and now can be shown.
    pub stale: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct MadeFrom {
    view: View,
    revision: u64,
    library: u64,
    pane: Pane,
    tab: Tab,
}

impl CompareData {
    /// Brings `data` up to what the workbench has; costs next to nothing when nothing changed. `width` is that of the
    /// window. `None` when no two items are side by side.
    pub fn update(data: &mut Option<Self>, workbench: &Workbench, width: f32) {
        let (View::Compare { left, right }, Some(side)) =
            (workbench.here().view, workbench.side_by_side())
        else {
            *data = None;
            return;
        };
        let can_choose_pane = width >= NARROW;
        let pane = if can_choose_pane {
            workbench.pane()
        } else {
            Pane::Unified
        };
        let tab = match workbench.tab() {
            Tab::Text => Tab::Text,
            _ => Tab::Conversation,
        };
        let made_from = MadeFrom {
            view: workbench.here().view,
            revision: side.revision(),
            library: workbench.library().revision(),
            pane,
            tab,
        };
        if let Some(data) = data.as_mut().filter(|data| data.made_from == made_from) {
            data.focus_on(side.change());
            data.can_choose_pane = can_choose_pane;
            return;
        }
        let state = match side.finding() {
            Finding::Recordings(comparison) => {
                let content = match tab {
                    Tab::Text => Content::Files(comparison.clone()),
                    _ => Content::Calls(comparison.clone()),
                };
                let sheet = Arc::new(Sheet::new(content, side, pane));
                State::Ready {
                    comparison: comparison.clone(),
                    focus: sheet.focus(side.change()),
                    sheet,
                }
            }
            Finding::Failed(reason) => State::Failed(reason.clone()),
            _ => State::Working,
        };
        *data = Some(Self {
            heads: [left, right].map(|doc| Head::new(workbench, doc)),
            state,
            current: side.change(),
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
        if let State::Ready { sheet, focus, .. } = &mut self.state {
            *focus = sheet.focus(change);
        }
    }

    /// The head of a side.
    pub fn head(&self, side: Side) -> &Head {
        match side {
            Side::Left => &self.heads[0],
            Side::Right => &self.heads[1],
        }
    }
}

impl Head {
    fn new(workbench: &Workbench, doc: DocId) -> Self {
        let item = workbench.library().get(doc);
        let date = item
            .and_then(|item| item.recorded_at.as_deref())
            .map(dates::of_iso);
        let set = item.map(|item| visible(item.set()).into_owned());
        let aside: Vec<String> = set
            .into_iter()
            .chain(date)
            .filter(|part| !part.is_empty())
            .collect();
        let status = item.map_or(Status::Ok, |item| item.status());
        Self {
            doc,
            label: item.map_or_else(
                || "gone".to_owned(),
                |item| visible(item.label()).into_owned(),
            ),
            kind: item.map_or(crate::format::Kind::Unknown, |item| item.kind),
            status,
            aside: aside.join(", "),
            stale: matches!(
                status,
                Status::Stale | Status::StaleBreaks | Status::LineEnds
            ),
        }
    }
}
