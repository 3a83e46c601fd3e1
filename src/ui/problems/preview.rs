//! The text around a problem, and what mends the source of the file it is in.

use std::sync::Arc;

use crate::format::{Document, Kind, RuleId};
use crate::ops::Item;
use crate::ops::check::rule;
use crate::ops::diff::thousands;
use crate::text::{Span, visible, visible_lines};
use crate::ui::code::CodeData;
use crate::workbench::{Library, Opened, ProblemId, SourceAction, Workbench};

/// The file around a problem.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The problem.
    pub id: ProblemId,
    /// The rule that found it.
    pub rule: RuleId,
    /// What kind of file it is in.
    pub kind: Kind,
    /// The last of its folders with a slash at its end, and its name; nothing in them is hidden.
    pub path: (String, String),
    /// The whole path from the project root, with nothing hidden.
    pub root_path: String,
    /// The path, line and column, as editors open them.
    pub path_line: String,
    /// Line and column in words.
    pub place: String,
    /// The bytes the problem is about.
    pub span: Span,
    /// The source that the file was made from.
    pub source: Option<SourceFix>,
    /// What is wrong.
    pub message: String,
    /// What to do; the problem's own help, else the rule's.
    pub help: String,
    /// The JSON Pointer of the value; empty for the whole file.
    pub pointer: String,
    /// The file's text.
    pub text: PreviewText,
}

/// What mends the source of a file that a problem is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFix {
    /// What the button says.
    pub words: String,
    /// What it does.
    pub action: SourceAction,
}

impl SourceFix {
    /// `None` where the rule is of something else, or the source goes well by now.
    pub(super) fn new(workbench: &Workbench, id: ProblemId) -> Option<Self> {
        let library = workbench.library();
        let rule = found(library, id)?.rule;
        let source = library.get(id.doc)?.source.as_ref()?;
        let row = workbench.list().listing().sources().of(source)?;
        let name = row.name.clone();
        let (words, action) = match (rule, row.places.len()) {
            (RuleId::SourceRenamed, 1) => {
                let words = format!("Rewrite the path in {}…", thousands(row.renamed));
                (words, SourceAction::Repath(name))
            }
            (RuleId::SourceRenamed, 2..) => {
                let words = "Choose the new location…".to_owned();
                (words, SourceAction::Show(name))
            }
            (RuleId::SourceLineEndings, _) if row.restampable > 0 => {
                let words = format!("Restamp {}…", thousands(row.restampable));
                (words, SourceAction::Restamp(name))
            }
            _ => return None,
        };
        Some(Self { words, action })
    }
}

/// A file's text, or why it is not there.
#[derive(Clone, Debug)]
pub enum PreviewText {
    /// It is being read.
    Reading,
    /// It could not be read, for this reason.
    Failed(String),
    /// Here it is.
    Ready(Box<CodeData>),
}

impl Preview {
    pub(super) fn new(library: &Library, id: ProblemId, last: Option<Self>) -> Option<Self> {
        let item = library.get(id.doc)?;
        let problem = item.problems.get(id.index)?;
        let folder = match item.set() {
            "" => String::new(),
            set => format!("{}/", visible(set)),
        };
        let name = visible(item.file_name());
        let text = match (library.opened(id.doc), last) {
            (None | Some(Opened::Reading), _) => PreviewText::Reading,
            (Some(Opened::Failed(reason)), _) => PreviewText::Failed(visible(reason).into_owned()),
            (Some(Opened::Ready(document, _)), last) => preview_text(document, item, id, last),
        };
        let help = problem.help.as_deref().unwrap_or(rule(problem.rule).fix);
        Some(Self {
            id,
            rule: problem.rule,
            kind: item.kind,
            path: (folder, name.into_owned()),
            root_path: visible(&item.root_path).into_owned(),
            path_line: format!("{}:{}", item.path, problem.place),
            place: format!(
                "Line {}, column {}",
                problem.place.line, problem.place.column
            ),
            span: problem.span,
            source: None,
            message: visible(&problem.message).into_owned(),
            help: visible_lines(help),
            pointer: problem.pointer.to_string(),
            text,
        })
    }
}

/// The text of a file; the one at hand where another problem of the same text was shown before.
fn preview_text(
    document: &Arc<Document>,
    item: &Item,
    id: ProblemId,
    last: Option<Preview>,
) -> PreviewText {
    if let Some(Preview {
        id: ProblemId { doc, .. },
        text: PreviewText::Ready(code),
        ..
    }) = last
        && doc == id.doc
        && Arc::ptr_eq(&code.document, document)
        && code.marks.len() == item.problems.len()
    {
        return PreviewText::Ready(code);
    }
    let code = CodeData::new(document, &item.problems);
    PreviewText::Ready(Box::new(code))
}

/// The problem of this id, if there still is one.
pub(super) fn found(library: &Library, id: ProblemId) -> Option<&crate::format::Problem> {
    library.get(id.doc)?.problems.get(id.index)
}
