//! The form that describes the format of a file, with what the description finds, and files that are no recordings.

use std::sync::Arc;

use crate::{Core, Effect, Latest, Overlay};
use check::settings::FILE_NAME;
use document::Severity;
use document::format::{CallPointers, FormatPart, RecordingFormat, path_pattern};
use document::text::{counted, quoted};
use protocol::{DocId, FormatKey, FormatPreview, PreviewFormat, SaveFormat};

/// An action about the formats of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatAction {
    /// Shows the form for a file, filled from what was found in it.
    Describe(DocId),
    /// Sets the input.
    Type(Box<FormatDraft>),
    /// Adds the description to `retake.toml`.
    Save,
    /// Adds to `retake.toml` that a file is no recording.
    Exclude(DocId),
}

/// A description as it is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormatDraft {
    pub name: String,
    /// Patterns between commas.
    pub paths: String,
    pub pointers: CallPointers,
}

impl FormatDraft {
    fn new(format: &RecordingFormat) -> Self {
        Self {
            name: format.name.clone(),
            paths: format.paths.join(", "),
            pointers: format.pointers.clone().unwrap_or_default(),
        }
    }

    /// Returns the description.
    ///
    /// # Errors
    ///
    /// The first thing that is missing or wrong, in the pointer to a part or else in the paths.
    pub fn format(&self) -> Result<RecordingFormat, (Option<FormatPart>, String)> {
        let paths = self.paths.split(',').map(str::trim).filter(|path| !path.is_empty());
        let paths: Vec<String> = paths.map(str::to_owned).collect();
        if paths.is_empty() {
            return Err((None, "There is no path".to_owned()));
        }
        if let Some((part, message)) = self.pointers.fault() {
            return Err((Some(part), message.replace('`', "")));
        }
        let (name, pointers) = (self.name.trim().to_owned(), Some(self.pointers.clone()));
        Ok(RecordingFormat { name, paths, pointers })
    }
}

/// The form with what the description finds.
#[derive(Debug, Default)]
pub struct Describing {
    /// The file for which it was opened.
    doc: Option<DocId>,
    /// `None` until the file was read.
    pub draft: Option<FormatDraft>,
    pub preview: Latest<FormatKey, Result<Arc<FormatPreview>, String>>,
}

impl Core {
    pub(crate) fn on_format_action(&mut self, action: FormatAction) {
        match action {
            FormatAction::Describe(doc) => {
                self.describing = Describing { doc: Some(doc), ..Describing::default() };
                self.overlay = Some(Overlay::DescribeFormat);
            }
            FormatAction::Type(draft) => self.describing.draft = Some(*draft),
            FormatAction::Save => {
                let draft = self.describing.draft.as_ref();
                if let Some(Ok(format)) = draft.map(FormatDraft::format) {
                    let name = if format.name.is_empty() { "The format" } else { &format.name };
                    let message = format!("{name} was added to {FILE_NAME}");
                    self.save_format(format, message);
                }
            }
            FormatAction::Exclude(doc) => {
                let Some(item) = self.library.get(doc) else { return };
                let message = format!("{} is not a recording now", item.file_name());
                let paths = vec![path_pattern(item.root_path())];
                self.save_format(RecordingFormat { paths, ..RecordingFormat::default() }, message);
            }
        }
    }

    /// Requests the change of the settings. The project is read again when they have changed on disk.
    fn save_format(&mut self, format: RecordingFormat, message: String) {
        if self.library.unsaved_among(|path| path == FILE_NAME).is_some() {
            let text = format!("{FILE_NAME} has unsaved edits. Save or revert it first.");
            return self.refuse(Severity::Warning, text);
        }
        self.overlay = None;
        self.request(Effect::run(SaveFormat { format, message }));
    }

    /// Requests what the description finds as it is now.
    pub(crate) fn sync_describing(&mut self) {
        let shown = self.describing.doc.filter(|_| self.overlay == Some(Overlay::DescribeFormat));
        let Some((doc, item)) = shown.and_then(|doc| Some((doc, self.library.share(doc)?))) else {
            return;
        };
        let format = match &self.describing.draft {
            None => None,
            Some(draft) => match draft.format() {
                Ok(format) => Some(format),
                // What was found before stays until the input is valid again.
                Err(_) => return,
            },
        };
        let key = FormatKey { doc, format };
        if self.describing.preview.want(&key) {
            self.request(Effect::run(PreviewFormat { key, item }));
        }
    }

    pub(crate) fn on_format_previewed(
        &mut self,
        key: &FormatKey,
        preview: Result<Arc<FormatPreview>, String>,
    ) {
        let describing = &mut self.describing;
        let guessed = preview.as_ref().ok().map(|preview| preview.format.clone());
        if !describing.preview.receive(key, preview) || key.format.is_some() {
            return;
        }
        let format = guessed.unwrap_or_default();
        let draft = FormatDraft::new(&format);
        // The guess is what the draft says, so nothing has to be read again for it.
        if draft.format().as_ref() == Ok(&format) {
            describing.preview.key = Some(FormatKey { format: Some(format), ..key.clone() });
        }
        describing.draft = Some(draft);
    }
}

impl Describing {
    /// Returns a sentence about the files that the description reads.
    pub fn summary(&self) -> String {
        match &self.preview.value {
            None => "Reading the file…".to_owned(),
            Some(Err(reason)) => format!("{reason}."),
            Some(Ok(preview)) if preview.files.is_empty() => match self.draft.as_ref() {
                Some(draft) if draft.format().is_ok() => {
                    format!("No file has one of these paths: {}.", quoted(&draft.paths))
                }
                _ => "Write where in the file the request and the answer of a call are.".to_owned(),
            },
            Some(Ok(preview)) => {
                let calls = preview.files.iter().map(|file| file.calls.len()).sum();
                let calls = counted(calls, "call", "calls");
                let files = counted(preview.count, "file", "files");
                // Only the first ones are read.
                match preview.files.len() {
                    count if count == preview.count => format!("{calls} in {files}"),
                    count => format!("{files}; {calls} in the first {count}"),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;
    use crate::testing::{Bench, doc};
    use calls::Item;
    use protocol::{EngineEvent, Request};

    fn pointers(request: &str, answer: &str) -> CallPointers {
        let mut pointers = CallPointers::default();
        request.clone_into(pointers.get_mut(FormatPart::Request));
        answer.clone_into(pointers.get_mut(FormatPart::Answer));
        pointers
    }

    fn previews(effects: &[Effect]) -> Vec<FormatKey> {
        let key = |effect: &Effect| match effect {
            Effect::Run(Request::PreviewFormat(request)) => Some(request.key.clone()),
            _ => None,
        };
        effects.iter().filter_map(key).collect()
    }

    #[test]
    fn the_form_is_filled_by_the_guess_and_previewed_while_it_is_typed() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        // What the form needs is requested once per frame.
        let act = |bench: &mut Bench, action| {
            let effects = bench.workbench.apply(Action::Format(action));
            effects.into_iter().chain(bench.workbench.refresh()).collect::<Vec<Effect>>()
        };
        let effects = act(&mut bench, FormatAction::Describe(doc(0)));
        let guess_key = FormatKey { doc: doc(0), format: None };
        assert_eq!(previews(&effects), std::slice::from_ref(&guess_key));
        let paths = vec!["*.json".to_owned()];
        let guessed = RecordingFormat {
            paths: paths.clone(),
            pointers: Some(pointers("/req", "/res")),
            ..RecordingFormat::default()
        };
        let files = vec![Item::new("j.json")];
        let preview = Arc::new(FormatPreview { format: guessed, files, count: 12 });
        let mut effects =
            bench.workbench.receive(EngineEvent::FormatPreviewed(guess_key, Ok(preview)));
        effects.extend(bench.workbench.refresh());
        assert_eq!(previews(&effects), [], "the guess is previewed with it");
        let describing = &bench.workbench.core.describing;
        assert_eq!(describing.summary(), "12 files; 0 calls in the first 1");
        let mut draft = describing.draft.clone().unwrap();
        assert_eq!(draft.paths, "*.json");
        draft.pointers = pointers("req", "/res");
        assert_eq!(draft.format().unwrap_err().0, Some(FormatPart::Request));
        assert_eq!(previews(&act(&mut bench, FormatAction::Type(Box::new(draft.clone())))), []);
        draft.pointers = pointers("/q", "/res");
        let keys = previews(&act(&mut bench, FormatAction::Type(Box::new(draft.clone()))));
        assert_eq!(keys.len(), 1);
        let effects = act(&mut bench, FormatAction::Save);
        let saved = effects.iter().find_map(|effect| match effect {
            Effect::Run(Request::SaveFormat(request)) => Some(request.format.toml()),
            _ => None,
        });
        let expected = "[[format]]\npaths = ['*.json']\nrequest = '/q'\nanswer = '/res'\n";
        assert_eq!(saved.as_deref(), Some(expected));
        assert_eq!(bench.workbench.core.overlay, None);
    }

    #[test]
    fn a_file_that_is_no_recording_is_excluded_by_its_own_path() {
        let mut bench = Bench::open(&[("j.json", "{}")]);
        let effects = bench.workbench.apply(Action::Format(FormatAction::Exclude(doc(0))));
        let saved = effects.iter().find_map(|effect| match effect {
            Effect::Run(Request::SaveFormat(request)) => Some(request.format.toml()),
            _ => None,
        });
        let expected = "[[format]]\npaths = ['/j.json']\nrecording = false\n";
        assert_eq!(saved.as_deref(), Some(expected));
    }
}
