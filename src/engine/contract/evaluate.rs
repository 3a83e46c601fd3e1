//! Evaluates the contracts of sessions against an answer for the command line, in the same way as for the window.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::lookup::look_up_contract;
use super::root_files::joined;
use crate::disk::project::Project;
use crate::disk::root::to_sentence;
use crate::progress::Phase;
use author::session::{SessionPlace, resolve_sessions, session_at};
use calls::Item;
use document::text::visible;
use document::{Document, DocumentBody, Node, text};
use protocol::{
    AnswerSource, ContractKey, ContractReport, ContractRequest, DocId, Items, Resolution, Revision,
    SessionId,
};

/// A session's contract, evaluated against an answer.
#[derive(Debug)]
pub struct ContractEvaluation {
    /// The session's file, as it was given.
    pub path: Arc<str>,
    /// Its JSON Pointer in the file; empty for a file of its own.
    pub pointer: Arc<str>,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The file of its contract from the project root, and the line; or why there is none, as a message without a full stop.
    pub contract: Result<(Arc<str>, u32), String>,
    /// Difference in the behaviour of Flakestorm's `replay run`, as a message without a full stop.
    pub remark: Option<Arc<str>>,
    /// The invariants, and the answer they were tested on.
    pub result: ContractReport,
}

/// Files of sessions that configurations list and that are not among the items, as paths beside the configurations; and why
/// others cannot be read, a sentence each without a full stop. None leads out of its project.
pub fn listed_sessions(
    project: &Project,
    items: &[(usize, Arc<Item>)],
) -> (Vec<PathBuf>, Vec<String>) {
    let (mut paths, mut reasons) = (Vec::new(), Vec::new());
    for (number, item) in items {
        let Ok(document) = project.read(*number, item) else { continue };
        let DocumentBody::Config(config) = &document.body else { continue };
        for session in resolve_sessions(config) {
            let SessionPlace::File(file) = session.place else { continue };
            let is_listed_file = |(other_number, other_item): &(usize, Arc<Item>)| {
                project.has_same_root(*number, *other_number)
                    && joined(item.folder(), &file).as_deref() == Some(other_item.root_path())
            };
            if items.iter().any(is_listed_file) {
                continue;
            }
            if let Err(refusal) = project.probe(*number, item.folder(), &file) {
                let reason = to_sentence(refusal);
                reasons.push(format!("{reason}: {file}, listed in {}", item.path));
                continue;
            }
            let path = Path::new(&*item.path).parent().unwrap_or(Path::new("")).join(&file);
            // Several configurations may list one session.
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    (paths, reasons)
}

/// Evaluates the contract of each session among the items against an answer: the given one, with its latency in
/// milliseconds, else the session's recorded one. `items` are all items of a project, each with its
/// number in the order of arrival.
pub fn evaluate_contracts(
    project: &Project,
    items: &[(usize, Arc<Item>)],
    answer: Option<(Arc<str>, Option<f64>)>,
) -> Vec<ContractEvaluation> {
    let mut sorted_items = items.to_vec();
    // `Items` numbers its items in the order of `push`, and the project finds files by these numbers.
    sorted_items.sort_by_key(|(number, _)| *number);
    let mut all_items = Items::default();
    for (_, item) in sorted_items {
        all_items.push(item);
    }
    let mut evaluations = Vec::new();
    for (number, item) in Phase::over("Evaluating", items.iter()) {
        let Ok(document) = project.read(*number, item) else { continue };
        let document = Arc::new(document);
        for pointer in session_pointers(&document) {
            let request = ContractRequest {
                key: ContractKey {
                    id: SessionId { doc: DocId::new(*number), pointer: pointer.into() },
                    // The window recognises outdated answers by the key; here each request is answered at once.
                    revision: Revision::default(),
                    items: 0,
                    config: None,
                    answer: answer.as_ref().map_or(AnswerSource::Kept, |(text, latency_ms)| {
                        AnswerSource::Given(Arc::clone(text), *latency_ms)
                    }),
                },
                document: Arc::clone(&document),
                items: all_items.clone(),
                // The command line has no unsaved edits.
                texts: Vec::new(),
            };
            let look = look_up_contract(project, &request);
            let root = project
                .opened_path(*number)
                .map(|opened| opened.root.path().to_string_lossy().into_owned());
            let root = root.unwrap_or_default();
            let session = session_at(&document, &request.key.id.pointer);
            evaluations.push(ContractEvaluation {
                path: Arc::clone(&item.path),
                id: session.and_then(|s| text(&s.id)).map(str::to_owned),
                contract: contract_place(&look, &root),
                remark: match &look.resolution {
                    Resolution::File { remark, .. } => remark.clone(),
                    _ => None,
                },
                pointer: request.key.id.pointer,
                result: look,
            });
        }
    }
    evaluations
}

/// Returns the pointers of the sessions that a document holds itself.
fn session_pointers(document: &Document) -> Vec<String> {
    match &document.body {
        DocumentBody::Session(_) => vec![String::new()],
        DocumentBody::Config(config) => {
            let inline_sessions = resolve_sessions(config)
                .into_iter()
                .filter(|s| matches!(s.place, SessionPlace::Inline(_)));
            inline_sessions.map(|s| Node::pointer(document.node(s.node))).collect()
        }
        _ => Vec::new(),
    }
}

fn contract_place(look: &ContractReport, root: &str) -> Result<(Arc<str>, u32), String> {
    let config = look.config.as_ref().map_or("", |config| &*config.path);
    let link = &look.reference;
    match &look.resolution {
        Resolution::Named(spot) | Resolution::File { spot, .. } => {
            Ok((Arc::clone(&spot.path), spot.line))
        }
        Resolution::Unread(reason) => Err(format!("The contract `{link}` is not found: {reason}")),
        Resolution::Missing => Err(format!(
            "The contract `{link}` is not found: {config} defines no contract of that name, and no such file is beside it"
        )),
        Resolution::NoConfig => Err(format!(
            "The contract `{link}` is not found: no flakestorm.yaml in the session's folder or above, up to the project root {}; if it is elsewhere, name its folder with --root",
            visible(root)
        )),
    }
}
