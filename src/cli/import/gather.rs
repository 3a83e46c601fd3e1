//! Reads what is to be imported, and what is there already.

use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::output::shown;
use crate::cli::{Everything, Failure, complain, read_everything};
use crate::engine::SourceLookup;
use crate::engine::surroundings::config_above;
use crate::format::{self, Body, Document, text};
use crate::ops::import::{Imported, Input, Known, What, Wish, drafts, drafts_of_runs, drafts_of_set, what};
use crate::ops::secret::Own;
use crate::ops::signature::utf16_order;
use crate::text::Source;

/// What was read.
pub(super) struct Gathered {
    pub(super) imported: Imported,
    /// The sessions that are there.
    pub(super) known: Known,
    /// What the project calls a secret.
    pub(super) secrets: Arc<Own>,
    /// Not all that was named could be read.
    pub(super) is_incomplete: bool,
}

/// The longest text that is taken from the standard input.
const MOST_PASTED: u64 = 64 << 20;

pub(super) fn gather(
    fetched: Option<Document>,
    paths: &[PathBuf],
    to: &Path,
    root: Option<&Path>,
    mut wish: Wish,
) -> Result<Gathered, Failure> {
    let mut known = Known::default();
    let mut secrets = Arc::default();
    if let Some((path, config)) = config_above(to, root) {
        if wish.contract.is_none() {
            wish.contract = contract_of(&config);
        }
        note(&mut known, &config, &path);
    }
    if to.is_dir() {
        let there = read_everything(&[to.to_owned()], root, SourceLookup::LeaveAlone)?;
        secrets = there.project.secrets();
        each(there, |path, document| note(&mut known, &document, path));
    }
    let (pasted, files): (Vec<_>, Vec<_>) = paths
        .iter()
        .cloned()
        .partition(|path| path == Path::new("-"));
    let mut all = Imported::default();
    if !pasted.is_empty() {
        let document = format::read(Source::new(standard_input()?), "");
        take(
            &mut all,
            "standard input",
            drafts(
                Input {
                    file: "standard input",
                    document: &document,
                },
                &wish,
            ),
            true,
        );
    }
    if let Some(document) = &fetched {
        let input = Input {
            file: "LangSmith",
            document,
        };
        take(&mut all, "LangSmith", drafts_of_runs(input, &wish), true);
    }
    let mut is_incomplete = false;
    if !files.is_empty() {
        let read = read_everything(&files, root, SourceLookup::LeaveAlone)?;
        secrets = read.project.secrets();
        is_incomplete = read.unopened > 0;
        take_files(&mut all, read, &files, &wish);
    }
    Ok(Gathered {
        imported: all,
        known,
        secrets,
        is_incomplete,
    })
}

fn standard_input() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::io::stdin()
        .take(MOST_PASTED)
        .read_to_end(&mut bytes)
        .map_err(|error| Failure(format!("The standard input cannot be read: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The contract that a configuration defines.
fn contract_of(config: &Document) -> Option<String> {
    match &config.body {
        Body::Config(config) => text(&config.contract.as_ref()?.name).map(str::to_owned),
        _ => None,
    }
}

/// Takes note of the sessions of a document.
fn note(known: &mut Known, document: &Document, path: &str) {
    match &document.body {
        Body::Session(session) => known.add(document, session, path),
        Body::Config(config) => {
            config
                .sessions
                .iter()
                .filter(|it| it.file.is_none())
                .for_each(|it| known.add(document, it, path));
        }
        _ => {}
    }
}

/// Calls for each file that can be read, with its path; the others are told.
fn each(read: &Everything, mut take: impl FnMut(&str, Document)) {
    for (number, item) in read.numbers.iter().zip(&read.items) {
        match read.project.read(*number, item) {
            Ok(document) => take(&item.path, document),
            Err(reason) => complain(&format!("{reason}: {}", shown(&item.path))),
        }
    }
}

fn take_files(all: &mut Imported, read: &Everything, named: &[PathBuf], wish: &Wish) {
    let mut sets: Vec<(String, Vec<(String, Document)>)> = Vec::new();
    each(read, |path, document| {
        let is_named = named.iter().any(|named| named == Path::new(path));
        match what(&document) {
            What::Recording => {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let set = sets.iter_mut().find(|(known, _)| known == folder);
                match set {
                    Some((_, files)) => files.push((path.to_owned(), document)),
                    None => sets.push((folder.to_owned(), vec![(path.to_owned(), document)])),
                }
            }
            // Whatever else lies in a folder is no incident.
            What::Text | What::FailureLog | What::Session if !is_named => {}
            _ => take(
                all,
                path,
                drafts(
                    Input {
                        file: path,
                        document: &document,
                    },
                    wish,
                ),
                is_named,
            ),
        }
    });
    for (folder, mut files) in sets {
        files.sort_by(|(a, _), (b, _)| utf16_order(a, b));
        let inputs: Vec<Input<'_>> = files
            .iter()
            .map(|(file, document)| Input { file, document })
            .collect();
        take(all, &folder, drafts_of_set(&inputs, wish), true);
    }
}

fn take(all: &mut Imported, path: &str, imported: Result<Imported, String>, is_named: bool) {
    match imported {
        Ok(imported) => {
            all.drafts.extend(imported.drafts);
            all.passed_over += imported.passed_over;
            all.notes.extend(imported.notes);
        }
        Err(reason) if is_named => all.notes.push(format!("{reason}: {}", shown(path))),
        Err(_) => {}
    }
}
