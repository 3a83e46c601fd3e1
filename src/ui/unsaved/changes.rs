//! The changed lines of documents in a dialog, which can be folded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use egui::{Align, Frame, Layout, Margin, Sense, Ui, pos2};

use document::FileKind;
use document::diff::fold::OpenFolds;
use document::diff::text::TextDiff;
use protocol::DocId;
use widgets::highlight::Language;
use widgets::sheet::{Sheet, SheetContent, whole_sheet_ui};
use widgets::theme::{self, tokens};
use widgets::{StyledText, icons};
use workbench::{Action, Actions, DiffLayout};

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

/// A change of a fold, collected while the dialog is painted.
#[derive(Clone, Copy, Debug)]
pub enum FoldRequest {
    /// Folds or unfolds the lines of a document.
    Toggle(DocId),
    /// Shows all lines of a document.
    ShowAll(DocId),
    /// Opens a fold among the lines of a document.
    Unfold(DocId, usize),
}

/// Draws the row of a document: its path, and at the right the fold, what `tools` adds, and what `notes` adds. The file name is cut
/// last.
pub fn file_row(
    ui: &mut Ui,
    (doc, kind): (DocId, FileKind),
    (folder, name): (&str, &str),
    is_open: bool,
    requests: &mut Vec<FoldRequest>,
    tools: impl FnOnce(&mut Ui),
    notes: impl FnOnce(&mut Ui),
) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, ROW_HEIGHT, Sense::hover());
    let center = pos2(rect.left() + 7.0, rect.center().y);
    widgets::paint_icon(ui.painter(), center, icons::kind(kind), theme::ICON, tokens.muted);
    widgets::place_right(ui, rect.with_min_x(rect.left() + theme::INDENT), |ui| {
        ui.spacing_mut().item_spacing.x = 4.0;
        let (icon, words) = if is_open {
            (icons::CHEVRON_UP, "Hide the lines of")
        } else {
            (icons::CHEVRON_DOWN, "Show the lines of")
        };
        if widgets::icon_button(ui, icon, &format!("{words} {name}")).clicked() {
            requests.push(FoldRequest::Toggle(doc));
        }
        tools(ui);
        ui.spacing_mut().item_spacing.x = theme::GAP;
        notes(ui);
        ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 0.0;
            let name =
                StyledText::new().with(name, theme::mono_bold(theme::ROW), tokens.text_strong);
            let folder = StyledText::new().with(folder, theme::mono(theme::ROW), tokens.text);
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
    /// Whether the lines of a document are shown.
    pub fn is_open(&self, doc: DocId, at_first: bool) -> bool {
        // The set holds only what differs from the first state, which depends on the position.
        at_first != self.toggled.contains(&doc)
    }

    /// Returns the lines of a document that are shown, and how many more there are.
    pub fn sheet(
        &self,
        doc: DocId,
        diff: &Arc<TextDiff>,
        name: &str,
    ) -> (Option<Arc<Sheet>>, usize) {
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
        (Some(Arc::new(sheet)), more)
    }

    /// Changes a fold.
    pub fn apply(&mut self, request: FoldRequest) {
        match request {
            FoldRequest::Toggle(doc) => {
                if !self.toggled.remove(&doc) {
                    self.toggled.insert(doc);
                }
            }
            FoldRequest::ShowAll(doc) => {
                self.shown_whole.insert(doc);
            }
            FoldRequest::Unfold(doc, fold) => {
                self.folds.entry(doc).or_default().insert(fold);
            }
        }
        self.revision += 1;
    }
}

/// Splits a path into the folder, with a slash at the end, and the file name.
pub fn split_path(path: &str) -> (&str, &str) {
    path.split_at(path.rfind('/').map_or(0, |slash| slash + 1))
}

/// Draws the changed lines of a document; what `content` draws is in the same card.
pub fn changes_ui(
    ui: &mut Ui,
    doc: DocId,
    (sheet, more): (Option<&Arc<Sheet>>, usize),
    actions: &mut Actions,
    requests: &mut Vec<FoldRequest>,
    content: impl FnOnce(&mut Ui, &mut Actions),
) {
    let tokens = tokens(ui);
    let margin = Margin { left: theme::INDENT as i8, bottom: 12, ..Margin::ZERO };
    Frame::new().inner_margin(margin).show(ui, |ui| {
        widgets::card_with(ui, tokens.input, Margin::symmetric(0, 4), |ui| {
            match sheet {
                Some(sheet) => {
                    let mut sheet_actions = Vec::new();
                    whole_sheet_ui(ui, sheet, &mut sheet_actions);
                    for action in sheet_actions {
                        match action {
                            Action::ToggleFold { fold, .. } => {
                                requests.push(FoldRequest::Unfold(doc, fold));
                            }
                            // Other actions of a sheet go to a comparison, which is not open here.
                            Action::Copy(_) => actions.push(action),
                            _ => {}
                        }
                    }
                }
                None => widgets::skeleton_rows(ui, 2, theme::TEXT_LINE),
            }
            if more > 0 {
                let words =
                    format!("Show {}", document::text::counted(more, "more line", "more lines"));
                ui.horizontal(|ui| {
                    ui.add_space(theme::GAP);
                    if widgets::icon_link(ui, icons::UNFOLD_VERTICAL, &words).clicked() {
                        requests.push(FoldRequest::ShowAll(doc));
                    }
                });
            }
            content(ui, actions);
        });
    });
}
