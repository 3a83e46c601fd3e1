//! Data of the dialog of a step.

use crate::library::library_data::{SummaryCell, is_not_wrapped};
use crate::unsaved::{ChangeFolds, ChangedFile};
use calls::Item;
use document::text::{counted, visible};
use protocol::Revision;
use widgets::theme::Tone;
use widgets::{icons, status_look};
use workbench::{PendingStep, StepFile, Workbench};

/// Data of the dialog, including what is unfolded.
#[derive(Debug, Default)]
pub struct StepData {
    /// The verb and the number: `Wrap 3 answers`.
    pub title: String,
    /// Sentence on what is written.
    pub does: String,
    /// Sentence on what is not changed.
    pub leaves: &'static str,
    /// Questions and remarks that the user should read first.
    pub remarks: Vec<String>,
    /// Value that the files have in common, before and after; `None` if they differ.
    pub cells: Option<[StepCell; 2]>,
    pub entries: Vec<StepEntry>,
    /// Number of files that are not listed.
    pub more: usize,
    /// The label of the button that saves.
    pub save: String,
    /// Files that the user folded and unfolded.
    pub folds: ChangeFolds,
    built_from: Option<(Revision, usize)>,
}

/// A value before or after the step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepCell {
    pub icon: &'static str,
    pub tone: Tone,
    /// The tool that is called, before the text.
    pub tool: String,
    pub text: String,
    /// Whether the text is from a file.
    pub is_code: bool,
}

/// A file of the step.
#[derive(Clone, Debug)]
pub struct StepEntry {
    pub file: ChangedFile,
    /// Such as "2 lines change"; empty until it is known.
    pub extent: String,
    /// Whether the file has edits of earlier steps, which are saved with it.
    pub has_earlier_edits: bool,
}

impl StepData {
    /// Updates the data from the workbench.
    pub fn update(&mut self, workbench: &Workbench) {
        let core = &workbench.core;
        let Some((step, first)) =
            core.step.as_ref().and_then(|step| Some((step, step.files.first()?)))
        else {
            return;
        };
        // A revision is used only once, so the revision of the first file identifies the step.
        if self.built_from.is_none_or(|(revision, _)| revision != first.revision) {
            *self = Self::of_step(workbench, step);
        }
        // Diffs arrive one by one from the engine, so their number shows whether there is a new one.
        let made_from = (first.revision, self.folds.revision + core.unsaved_diffs.count());
        if self.built_from == Some(made_from) {
            return;
        }
        self.built_from = Some(made_from);
        let files = step.shown_files().iter().enumerate();
        self.entries = files.map(|(index, file)| self.entry(workbench, index, file)).collect();
    }

    /// Builds what is the same for all files.
    fn of_step(workbench: &Workbench, step: &PendingStep) -> Self {
        let items = step.files.iter().filter_map(|file| workbench.core.library.get(file.edit.doc));
        let question = step.change.question(items).map(str::to_owned);
        let remarks = question.iter().chain(&step.remarks);
        Self {
            // Headings are plain text; the backticks are for sentences.
            title: visible(&step.name.replace('`', "")).into_owned(),
            does: visible(&step.change.does().replace('`', "")).into_owned(),
            leaves: step.change.leaves(),
            remarks: remarks.map(|remark| visible(remark).into_owned()).collect(),
            cells: cells(workbench, step),
            more: step.files.len() - step.shown_files().len(),
            save: format!("Save {}", counted(step.files.len(), "file", "files")),
            ..Self::default()
        }
    }

    fn entry(&self, workbench: &Workbench, index: usize, file: &StepFile) -> StepEntry {
        let core = &workbench.core;
        let doc = file.edit.doc;
        let diff = core.unsaved_diffs.unsaved_changes(doc);
        let lines = diff.map(|diff| diff.changes.iter().map(|c| c.rows.len()).sum());
        let copy = core.library.copy(doc);
        StepEntry {
            // The first file is unfolded, as an example of what the step does.
            file: self.folds.file(workbench, doc, index == 0),
            extent: match lines {
                None => String::new(),
                Some(1) => "1 line changes".to_owned(),
                Some(lines) => format!("{} change", counted(lines, "line", "lines")),
            },
            has_earlier_edits: copy.is_some_and(|copy| copy.is_unsaved()),
        }
    }
}

/// Returns what all files have in common before and after, if it differs.
fn cells(workbench: &Workbench, step: &PendingStep) -> Option<[StepCell; 2]> {
    let library = &workbench.core.library;
    let items: Vec<(&Item, &Item)> = step
        .files
        .iter()
        .map(|file| {
            let new_item = file.edit.parsed.item.as_deref()?;
            Some((library.get(file.edit.doc)?, new_item))
        })
        .collect::<Option<_>>()?;
    // From the most specific to the most general.
    answer_cells(&items).or_else(|| path_cells(&items)).or_else(|| status_cells(&items))
}

fn answer_cells(items: &[(&Item, &Item)]) -> Option<[StepCell; 2]> {
    let is_wrapped = |(old, new): &(&Item, &Item)| is_not_wrapped(old) && !is_not_wrapped(new);
    if !items.iter().all(is_wrapped) {
        return None;
    }
    let old_cell = StepCell {
        icon: icons::CIRCLE_X,
        tone: Tone::Error,
        tool: String::new(),
        // A player in JavaScript returns this for an answer that is not wrapped.
        text: "undefined".to_owned(),
        is_code: true,
    };
    let summary = match items {
        [(_, new)] => new.summary.as_deref().map(SummaryCell::new),
        _ => None,
    };
    let summary = summary.unwrap_or_else(|| SummaryCell {
        words: counted(items.len(), "answer", "answers"),
        ..SummaryCell::default()
    });
    let new_cell = StepCell {
        icon: icons::CIRCLE_CHECK,
        tone: Tone::Good,
        tool: summary.tool.map_or_else(String::new, |(_, name)| name),
        text: summary.words,
        is_code: false,
    };
    Some([old_cell, new_cell])
}

fn path_cells(items: &[(&Item, &Item)]) -> Option<[StepCell; 2]> {
    let path = |item: &Item| item.source.as_ref()?.file.clone();
    let (old, new) = common(items, path)?;
    // The difference is at the end, so the folders that both have are left out.
    let same_length = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let last_slash = old.as_bytes()[..same_length].iter().rposition(|byte| *byte == b'/');
    let cell = |path: &str| StepCell {
        icon: icons::FILE_CODE,
        tone: Tone::Plain,
        tool: String::new(),
        text: match last_slash {
            Some(slash) => format!("…{}", visible(&path[slash..])),
            None => visible(path).into_owned(),
        },
        is_code: true,
    };
    Some([cell(&old), cell(&new)])
}

fn status_cells(items: &[(&Item, &Item)]) -> Option<[StepCell; 2]> {
    let (old, new) = common(items, |item| Some(item.status()))?;
    Some([old, new].map(|status| {
        let (icon, tone) = status_look(status);
        let text = status.label().to_owned();
        StepCell { icon, tone, tool: String::new(), text, is_code: false }
    }))
}

/// Returns the value of all files before and after, if all have the same ones and they differ.
fn common<T: PartialEq>(
    items: &[(&Item, &Item)],
    value: impl Fn(&Item) -> Option<T>,
) -> Option<(T, T)> {
    let mut pairs = items.iter().map(|(old, new)| Some((value(old)?, value(new)?)));
    let first = pairs.next()??;
    let are_same = pairs.all(|pair| pair.as_ref() == Some(&first));
    (are_same && first.0 != first.1).then_some(first)
}
