//! The text around a problem, and the fix for the source of its file.

use std::sync::Arc;

use calls::Item;
use check::rule;
use document::text::{Span, thousands, visible, visible_lines};
use document::{Document, FileKind, RuleId};
use widgets::code::CodeData;
use workbench::{Library, OpenDocument, ProblemId, SourceAction, Workbench};

/// The file around a problem.
#[derive(Clone, Debug)]
pub struct ProblemPreview {
    pub id: ProblemId,
    /// The rule that found it.
    pub rule: RuleId,
    /// The kind of its file.
    pub kind: FileKind,
    /// The last folder with a slash at its end, and the file name; hidden characters are made visible.
    pub path: (String, String),
    /// The whole path from the project root, with hidden characters made visible.
    pub root_path: String,
    /// The path, line and column, in the form that editors open.
    pub path_line: String,
    /// Line and column as text.
    pub place: String,
    /// The bytes of the problem.
    pub span: Span,
    /// The source of the file.
    pub source: Option<SourceFix>,
    pub message: String,
    /// Advice: the problem's own help, else the rule's.
    pub help: String,
    /// The JSON Pointer of the value; empty for the whole file.
    pub pointer: String,
    /// The file's text.
    pub text: PreviewText,
}

/// A fix for the source of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFix {
    /// Label of the button.
    pub label: String,
    /// Action of the button.
    pub action: SourceAction,
}

impl SourceFix {
    /// Returns `None` if the rule is not about a source, or if the source has no problem any more.
    pub(super) fn new(workbench: &Workbench, id: ProblemId) -> Option<Self> {
        let library = &workbench.core.library;
        let rule = library.problem(id)?.rule;
        let source = library.get(id.doc)?.source.as_ref()?;
        let row = workbench.core.list.listing.orders.sources.of_recording(source)?;
        let name = row.name.clone();
        let (label, action) = match (rule, row.places.len()) {
            // With one new location the rule's own fix changes it; several need a choice.
            (RuleId::SourceRenamed, 2..) => {
                ("Choose the new location…".to_owned(), SourceAction::Show(name))
            }
            (RuleId::SourceLineEndings, _) if row.restampable > 0 => {
                (format!("Restamp {}…", thousands(row.restampable)), SourceAction::Restamp(name))
            }
            _ => return None,
        };
        Some(Self { label, action })
    }
}

/// A file's text, or why it is not available.
#[derive(Clone, Debug)]
pub enum PreviewText {
    /// The file is being read.
    Reading,
    /// The file could not be read, for this reason.
    Failed(String),
    Ready(Box<CodeData>),
}

impl ProblemPreview {
    pub(super) fn new(library: &Library, id: ProblemId, last: Option<Self>) -> Option<Self> {
        let item = library.get(id.doc)?;
        let problem = library.problem(id)?;
        let folder = match item.set() {
            "" => String::new(),
            set => format!("{}/", visible(set)),
        };
        let name = visible(item.file_name());
        let text = match (library.opened(id.doc), last) {
            (None | Some(OpenDocument::Reading), _) => PreviewText::Reading,
            (Some(OpenDocument::Failed(reason)), _) => {
                PreviewText::Failed(visible(reason).into_owned())
            }
            (Some(OpenDocument::Ready(document, _)), last) => {
                preview_text(document, item, id, last)
            }
        };
        let help = problem.help.as_deref().unwrap_or(rule(problem.rule).fix);
        Some(Self {
            id,
            rule: problem.rule,
            kind: item.kind,
            path: (folder, name.into_owned()),
            root_path: visible(&item.root_path).into_owned(),
            path_line: format!("{}:{}", item.path, problem.place),
            place: format!("Line {}, column {}", problem.place.line, problem.place.column),
            span: problem.span,
            // Set by the caller, which has the listing of sources.
            source: None,
            message: visible(&problem.message).into_owned(),
            help: visible_lines(help),
            pointer: problem.pointer.to_string(),
            text,
        })
    }
}

/// Returns the text of a file; reuses the one of the previous problem if it is the same text.
fn preview_text(
    document: &Arc<Document>,
    item: &Item,
    id: ProblemId,
    last: Option<ProblemPreview>,
) -> PreviewText {
    if let Some(ProblemPreview {
        id: ProblemId { doc, .. }, text: PreviewText::Ready(code), ..
    }) = last
        && doc == id.doc
        && Arc::ptr_eq(&code.document, document)
        // A check with other settings finds other problems in the same text.
        && code.marks.len() == item.problems.len()
    {
        return PreviewText::Ready(code);
    }
    PreviewText::Ready(Box::new(CodeData::new(document, &item.problems)))
}
