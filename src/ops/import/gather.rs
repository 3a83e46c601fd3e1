//! Many files become one import: each by itself, but recordings by their sets.

use super::{Imported, Input, What, Wish, drafts, drafts_of_runs, drafts_of_set, what};
use crate::format::Document;
use crate::ops::signature::utf16_order;
use crate::text::visible;

/// Whether the user named the file, or a folder that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// It is an incident, whatever it looks like.
    Itself,
    /// It may be anything.
    ByFolder,
}

/// The documents of one folder, by their paths.
type Set = (String, Vec<(String, Document)>);

/// Collects documents and makes drafts from them.
#[derive(Debug, Default)]
pub struct Gather {
    wish: Wish,
    imported: Imported,
    sets: Vec<Set>,
    what: Option<What>,
}

impl Gather {
    /// Creates an importer without documents.
    pub fn new(wish: Wish) -> Self {
        Self {
            wish,
            ..Self::default()
        }
    }

    /// Adds a document. Files in a folder that are not incidents are skipped.
    pub fn take(&mut self, path: &str, document: Document, named: Named) {
        let what = what(&document);
        match what {
            What::Text | What::FailureLog | What::Session if named == Named::ByFolder => {}
            What::Recording => {
                self.what = self.what.or(Some(what));
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let file = (path.to_owned(), document);
                match self.sets.iter_mut().find(|(known, _)| known == folder) {
                    Some((_, files)) => files.push(file),
                    None => self.sets.push((folder.to_owned(), vec![file])),
                }
            }
            _ => {
                let input = Input {
                    file: path,
                    document: &document,
                };
                let made = drafts(input, &self.wish);
                if made.is_ok() {
                    self.what = self.what.or(Some(what));
                }
                self.add(path, made, named);
            }
        }
    }

    /// Takes a document that holds runs of LangSmith, whatever else it may look like.
    pub fn take_runs(&mut self, path: &str, document: &Document) {
        let input = Input {
            file: path,
            document,
        };
        let made = drafts_of_runs(input, &self.wish);
        self.what = self.what.or(Some(What::LangSmith));
        self.add(path, made, Named::Itself);
    }

    /// Returns the kind of the first document, if it is known.
    pub fn what(&self) -> Option<What> {
        self.what
    }

    /// Makes the drafts of the sets, and returns all drafts.
    pub fn finish(mut self) -> Imported {
        for (folder, mut files) in std::mem::take(&mut self.sets) {
            files.sort_by(|(a, _), (b, _)| utf16_order(a, b));
            let inputs: Vec<Input<'_>> = files
                .iter()
                .map(|(file, document)| Input { file, document })
                .collect();
            let made = drafts_of_set(&inputs, &self.wish);
            self.add(&folder, made, Named::Itself);
        }
        self.imported
    }

    fn add(&mut self, path: &str, made: Result<Imported, String>, named: Named) {
        let all = &mut self.imported;
        match made {
            Ok(made) => {
                all.drafts.extend(made.drafts);
                all.passed_over += made.passed_over;
                all.notes.extend(made.notes);
            }
            Err(reason) if named == Named::Itself => {
                all.notes.push(format!("{reason}: {}", visible(path)));
            }
            Err(_) => {}
        }
    }
}
