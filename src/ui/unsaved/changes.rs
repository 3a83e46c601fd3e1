//! The changed lines of documents in a dialog, which can be folded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egui::{Align, Frame, Layout, Margin, Sense, Ui};

use document::FileKind;
use document::diff::fold::OpenFolds;
use document::diff::text::TextDiff;
use document::text::{counted, visible};
use protocol::DocId;
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent, whole_sheet_ui};
use widgets::theme::{self, tokens};
use widgets::{Line, StyledText, icons};
use workbench::{Action, Actions, DiffLayout, Workbench};

/// Height of the row of a document.
const ROW_HEIGHT: f32 = 40.0;

/// The least room in which the folder of a document is shown; less is left to its name.
const MIN_FOLDER_WIDTH: f32 = 60.0;

/// Number of lines of a document that are shown at first.
const MAX_INITIAL_LINES: usize = 12;

/// Documents and lines that the user folded and unfolded.
#[derive(Debug, Default)]
pub struct ChangeFolds {
    toggled: BTreeSet<DocId>,
    shown_whole: BTreeSet<DocId>,
    folds: BTreeMap<DocId, OpenFolds>,
    /// Increases with every change of a fold.
    pub revision: usize,
}

/// A document in a dialog, with its lines that would change.
#[derive(Clone, Debug)]
pub struct ChangedFile {
    pub doc: DocId,
    kind: FileKind,
    /// The containing folder, with a slash at the end.
    folder: String,
    /// The file name.
    pub name: String,
    is_open: bool,
    /// The lines; `None` while they are computed or folded.
    sheet: Option<Arc<Sheet>>,
    /// Number of further lines.
    more: usize,
}

/// Draws a document: its path, at the right the fold, what `tools` adds, and what `notes` adds; below it its lines and what `content` adds.
pub fn file_ui(
    ui: &mut Ui,
    file: &ChangedFile,
    folds: &mut ChangeFolds,
    actions: &mut Actions,
    tools: impl FnOnce(&mut Ui, &mut Actions),
    notes: impl FnOnce(&mut Ui),
    content: impl FnOnce(&mut Ui, &mut Actions),
) {
    ui.push_id(file.doc, |ui| {
        row_ui(ui, file, folds, |ui| tools(ui, actions), notes);
        if file.is_open {
            changes_ui(ui, file, folds, actions, content);
        }
    });
}

/// Draws the row of a document. The file name is cut last.
fn row_ui(
    ui: &mut Ui,
    file: &ChangedFile,
    folds: &mut ChangeFolds,
    tools: impl FnOnce(&mut Ui),
    notes: impl FnOnce(&mut Ui),
) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    Line::default().sign(icons::kind(file.kind), tokens.muted).show_in(ui, rect);
    widgets::place_right(ui, rect.with_min_x(rect.left() + theme::INDENT), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let (icon, words) = if file.is_open {
            (icons::CHEVRON_UP, "Hide the lines of")
        } else {
            (icons::CHEVRON_DOWN, "Show the lines of")
        };
        if widgets::icon_button(ui, icon, &format!("{words} {}", file.name)).clicked() {
            folds.toggle(file.doc);
        }
        tools(ui);
        ui.spacing_mut().item_spacing.x = theme::GAP;
        notes(ui);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let name = (theme::mono_bold(theme::ROW), tokens.text_strong);
            let name = StyledText::of(&file.name, name);
            let folder = StyledText::of(&file.folder, (theme::mono(theme::ROW), tokens.text));
            let name_width = name.clone().galley(ui, f32::INFINITY).size().x;
            let room = ui.available_width();
            // A name is never cut in favour of its folder.
            if name_width + MIN_FOLDER_WIDTH < room {
                folder.show_middle(ui, room - name_width);
            }
            name.show_middle(ui, room);
        });
    });
}

impl ChangeFolds {
    /// Reads a document, and its lines if they are shown: as the user left them, or as they are at first.
    pub fn file(&self, workbench: &Workbench, doc: DocId, at_first: bool) -> ChangedFile {
        let core = &workbench.core;
        let item = core.library.get(doc);
        let path = item.map_or("", |item| core.library.shown_path(item.root_path()));
        let (folder, name) = path.split_at(path.rfind('/').map_or(0, |slash| slash + 1));
        // The set holds only what differs from the first state, which depends on the position.
        let is_open = at_first != self.toggled.contains(&doc);
        let diff = core.unsaved_diffs.unsaved_changes(doc).filter(|_| is_open);
        let lines = diff.map(|diff| self.lines(doc, diff, name));
        let (sheet, more) = lines.map_or((None, 0), |(sheet, more)| (Some(Arc::new(sheet)), more));
        let kind = item.map_or(FileKind::Unknown, |item| item.kind);
        let [folder, name] = [folder, name].map(|part| visible(part).into_owned());
        ChangedFile { doc, kind, folder, name, is_open, sheet, more }
    }

    /// Returns the lines of a document that are shown, and how many more there are.
    fn lines(&self, doc: DocId, diff: &Arc<TextDiff>, name: &str) -> (Sheet, usize) {
        let language = match name.rsplit_once('.') {
            Some((_, "json")) => Language::Json,
            // The colours of YAML are right enough for machines and text.
            _ => Language::Yaml,
        };
        let content = SheetContent::Document(Arc::clone(diff), language);
        let folds = self.folds.get(&doc);
        let mut sheet = Sheet::with_folds(content, &|_| folds, DiffLayout::Unified);
        // A user who opened a fold wants to see everything, and no line must vanish because of that.
        let more = if self.shown_whole.contains(&doc) || folds.is_some() {
            0
        } else {
            sheet.truncate(MAX_INITIAL_LINES)
        };
        (sheet, more)
    }

    /// Folds or unfolds the lines of a document.
    fn toggle(&mut self, doc: DocId) {
        if !self.toggled.remove(&doc) {
            self.toggled.insert(doc);
        }
        self.revision += 1;
    }

    /// Shows all lines of a document.
    fn show_all(&mut self, doc: DocId) {
        self.shown_whole.insert(doc);
        self.revision += 1;
    }

    /// Opens a fold among the lines of a document.
    fn unfold(&mut self, doc: DocId, fold: usize) {
        self.folds.entry(doc).or_default().insert(fold);
        self.revision += 1;
    }
}

/// Draws the changed lines of a document; what `content` draws is in the same card.
fn changes_ui(
    ui: &mut Ui,
    file: &ChangedFile,
    folds: &mut ChangeFolds,
    actions: &mut Actions,
    content: impl FnOnce(&mut Ui, &mut Actions),
) {
    let tokens = tokens(ui);
    let margin = Margin { left: theme::INDENT as i8, bottom: 12, ..Margin::ZERO };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        widgets::card_with(ui, tokens.input, Margin::symmetric(0, 4), |ui| {
            match &file.sheet {
                Some(sheet) => {
                    let mut sheet_actions = Vec::new();
                    whole_sheet_ui(ui, sheet, &mut sheet_actions);
                    for action in sheet_actions {
                        match action {
                            Action::ToggleFold { fold, .. } => {
                                folds.unfold(file.doc, fold);
                            }
                            // Other actions of a sheet go to a comparison, which is not open here.
                            Action::Copy(_) => actions.push(action),
                            _ => {}
                        }
                    }
                }
                None => widgets::skeleton_rows(ui, 2, theme::TEXT_LINE),
            }
            if file.more > 0 {
                let words = format!("Show {}", counted(file.more, "more line", "more lines"));
                ui.horizontal(|ui| {
                    ui.add_space(theme::GAP);
                    if widgets::icon_link(ui, icons::UNFOLD_VERTICAL, &words).clicked() {
                        folds.show_all(file.doc);
                    }
                });
            }
            content(ui, actions);
        });
    });
}
