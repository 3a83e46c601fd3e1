//! New tapes: their source, the form, and the result.

use std::path::Path;
use std::sync::Arc;

use super::{TapesAction, TapesDesk};
use crate::{Core, DeskView, DialogKind, Effect, Overlay};
use calls::tape::make::{PieceTiming, TextSplit};
use calls::tape::timing::MILLISECOND;
use document::Severity;
use protocol::{
    Desk, DocId, MakeTape, NewTapeEvent, NewTapeResult, NewTapeSource, Recipe, SaveTape,
};

/// Division of a text into chunks, if the original chunks are unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chunking {
    /// After each sentence.
    Sentences,
    /// Into tokens, approximately as models do.
    #[default]
    Tokens,
    /// Into chunks of a fixed number of characters.
    Fixed,
}

/// The form of a new tape.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTapeForm {
    /// The source; `None` until it is chosen.
    pub origin: Option<NewTapeSource>,
    /// Division of the text.
    pub chunking: Chunking,
    /// The number of characters of a fixed chunk.
    pub size: String,
    /// The delay of the first chunk, in milliseconds.
    pub first: String,
    /// The rate after that, in characters per second.
    pub rate: String,
    /// The tape's name.
    pub label: String,
    /// The model, if the source does not name it.
    pub model: String,
    /// The file to save to, from the open folder.
    pub file: String,
}

/// An action of the form of a new tape.
#[derive(Clone, Debug, PartialEq)]
pub enum NewTapeAction {
    /// Opens the form, with this source if it is known.
    Begin(Option<NewTapeSource>),
    /// Opens a dialog to choose a file.
    Choose,
    /// Sets the values of the form.
    Edit(NewTapeForm),
    /// Saves the tape.
    Save,
}

/// A new tape in progress.
#[derive(Debug)]
pub(super) struct NewTapeDraft {
    form: NewTapeForm,
    /// The recipe that is being made, or was made last.
    requested: Option<Recipe>,
    result: Option<Result<Arc<NewTapeResult>, String>>,
    /// Reason it was not saved.
    fault: Option<String>,
    is_saving: bool,
}

impl NewTapeForm {
    fn new(origin: Option<NewTapeSource>, label: String, file: String) -> Self {
        Self {
            origin,
            chunking: Chunking::default(),
            size: "12".to_owned(),
            first: "500".to_owned(),
            rate: "250".to_owned(),
            label,
            model: String::new(),
            file,
        }
    }

    /// The recipe, or what is invalid: a sentence without a full stop.
    ///
    /// # Errors
    ///
    /// If no source is chosen, or a number is invalid.
    pub fn recipe(&self) -> Result<Recipe, String> {
        let origin = self.origin.clone();
        let number = |text: &str, label: &str| {
            let number = text.trim().parse().ok();
            number
                .filter(|number: &f64| number.is_finite() && *number > 0.0)
                .ok_or_else(|| format!("{label} must be a number above 0"))
        };
        let pieces = match self.chunking {
            Chunking::Sentences => TextSplit::Sentences,
            Chunking::Tokens => TextSplit::Tokens,
            Chunking::Fixed => {
                TextSplit::Chars((number(&self.size, "The chunk size")? as usize).max(1))
            }
        };
        let non_empty = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(Recipe {
            origin: origin.ok_or_else(|| "Choose a source first".to_owned())?,
            pieces,
            timing: PieceTiming {
                first_nanos: number(&self.first, "The delay of the first chunk")? * MILLISECOND,
                chars_per_second: number(&self.rate, "The rate")?,
            },
            label: non_empty(&self.label),
            model: non_empty(&self.model),
            folder: self.folder(),
        })
    }

    /// The folder of [`Self::path`]; empty if there is none.
    fn folder(&self) -> String {
        let path = self.path().unwrap_or_default();
        path.rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
    }

    /// The file to save to, from the open folder.
    ///
    /// # Errors
    ///
    /// If it is empty, or outside the open folder.
    pub fn path(&self) -> Result<String, &'static str> {
        let file = self.file.trim().replace('\\', "/");
        let is_inside = |part: &str| !matches!(part, "" | "." | "..");
        if file.is_empty() {
            return Err("enter a file name");
        }
        // A colon may name a drive of Windows.
        if !file.split('/').all(is_inside) || Path::new(&file).is_absolute() || file.contains(':') {
            return Err("choose a file inside the open folder");
        }
        if file.to_ascii_lowercase().ends_with(".json") {
            Ok(file)
        } else {
            Ok(format!("{file}.json"))
        }
    }
}

impl TapesDesk {
    /// The form of a new tape, if it is open.
    pub fn new_tape_form(&self) -> Option<&NewTapeForm> {
        self.new_tape.as_ref().map(|new_tape| &new_tape.form)
    }

    /// The result of the form; `None` until it is known.
    pub fn new_tape(&self) -> Option<&Result<Arc<NewTapeResult>, String>> {
        self.new_tape.as_ref()?.result.as_ref()
    }

    /// Reason a new tape was not saved, as a sentence without a full stop.
    pub fn new_tape_fault(&self) -> Option<&str> {
        self.new_tape.as_ref()?.fault.as_deref()
    }

    pub(super) fn act_on_new_tape(&mut self, core: &mut Core, action: NewTapeAction) {
        match action {
            NewTapeAction::Begin(origin) => self.begin_tape(core, origin),
            NewTapeAction::Choose => {
                let title = "Choose a saved response, a text or a recording";
                let begin_from = |path| {
                    TapesAction::NewTape(NewTapeAction::Begin(Some(NewTapeSource::Path(path))))
                };
                core.request(Effect::pick(title, DialogKind::File, begin_from));
            }
            NewTapeAction::Edit(form) => {
                if let Some(new_tape) = &mut self.new_tape {
                    new_tape.form = form;
                    // The fault was about the previous values.
                    new_tape.fault = None;
                }
            }
            NewTapeAction::Save => self.save_new_tape(core),
        }
    }

    /// Opens the form of a new tape.
    pub(crate) fn begin_tape(&mut self, core: &mut Core, origin: Option<NewTapeSource>) {
        core.go(Desk::Tapes, DeskView::List);
        core.overlay = Some(Overlay::NewTape);
        let stem = match &origin {
            Some(NewTapeSource::Answer(doc)) => {
                core.library.get(*doc).map(|item| item.label().to_owned())
            }
            Some(origin) => Some(origin.stem()),
            None => None,
        };
        let label = stem.unwrap_or_default();
        let file = self.free_name(core, &label);
        self.new_tape = Some(NewTapeDraft {
            form: NewTapeForm::new(origin, label, file),
            requested: None,
            result: None,
            fault: None,
            is_saving: false,
        });
    }

    /// A file name beside the selected tape that is not in use.
    fn free_name(&self, core: &Core, label: &str) -> String {
        let selected_item = self.selected.and_then(|doc| core.library.get(doc));
        let root = core.project.as_ref().and_then(|project| project.opened.first());
        let relative_folder = selected_item.and_then(|item| {
            let relative_folder = Path::new(&*item.path).strip_prefix(root?).ok()?;
            Some(relative_folder.parent()?.to_string_lossy().replace('\\', "/"))
        });
        let folder = relative_folder
            .filter(|relative_folder| !relative_folder.is_empty())
            .map_or_else(String::new, |folder| format!("{folder}/"));
        let stem: String = label
            .trim_end_matches(".json")
            .chars()
            // A label may have signs that some systems do not allow in names of files.
            .map(|c| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' })
            .collect();
        let stem = if stem.is_empty() { "tape" } else { &stem };
        let names: std::collections::HashSet<&str> =
            core.library.iter().map(|(_, item)| item.file_name()).collect();
        let file_name = std::iter::once(format!("{stem}.json"))
            .chain((2..).map(|number| format!("{stem}-{number}.json")))
            .find(|name| !names.contains(name.as_str()));
        // One of the numbers is always free.
        format!("{folder}{}", file_name.unwrap_or_default())
    }

    /// The recording that is selected in the library.
    pub(crate) fn chosen_recording(core: &Core) -> Option<DocId> {
        let recording = Some(document::FileKind::Recording);
        core.list.selected.filter(|doc| core.library.kind(*doc) == recording)
    }

    fn save_new_tape(&mut self, core: &mut Core) {
        let Some(new_tape) = self.new_tape.as_mut().filter(|new_tape| !new_tape.is_saving) else {
            return;
        };
        match (new_tape.form.path(), &new_tape.result) {
            (Ok(path), Some(Ok(tape))) => {
                new_tape.is_saving = true;
                let text = tape.prepared.document().source().clone();
                core.request(Effect::run(SaveTape { path, text }));
            }
            (Err(reason), _) => core.refuse(Severity::Warning, format!("Not saved: {reason}.")),
            (_, Some(Err(_)) | None) => {}
        }
    }

    pub(super) fn on_new_tape_event(&mut self, core: &mut Core, event: NewTapeEvent) {
        match (event, &mut self.new_tape) {
            (NewTapeEvent::Made(recipe, result), Some(new_tape))
                if new_tape.requested.as_ref() == Some(&*recipe) =>
            {
                new_tape.result = Some(result);
            }
            (NewTapeEvent::Saved(Ok(path)), _) => {
                self.new_tape = None;
                if core.overlay == Some(Overlay::NewTape) {
                    core.overlay = None;
                }
                core.notify(Severity::Note, format!("Saved as {path}."));
                // The tape is selected as soon as its folder lists it.
                self.awaited_path = Some(path);
                // The library may have the file already.
                self.listed = None;
            }
            (NewTapeEvent::Saved(Err(reason)), Some(new_tape)) => {
                new_tape.is_saving = false;
                new_tape.fault = Some(reason);
            }
            (NewTapeEvent::Saved(Err(reason)), None) => {
                core.notify(Severity::Error, format!("{reason}."));
            }
            (NewTapeEvent::Made(..), _) => {}
        }
    }

    /// Requests the tape of the form.
    pub(super) fn sync_new_tape(&mut self, core: &Core) -> Option<Effect> {
        if core.overlay != Some(Overlay::NewTape) {
            // The result of a save that is under way still needs the form.
            self.new_tape.take_if(|new_tape| !new_tape.is_saving);
            return None;
        }
        let new_tape = self.new_tape.as_mut()?;
        let recipe = new_tape.form.recipe();
        match recipe {
            Ok(recipe) if new_tape.requested.as_ref() == Some(&recipe) => None,
            Ok(recipe) => {
                new_tape.requested = Some(recipe.clone());
                let answer = match recipe.origin {
                    NewTapeSource::Answer(doc) => core.library.current(doc),
                    NewTapeSource::Text(_) | NewTapeSource::Path(_) => None,
                };
                Some(Effect::run(MakeTape { recipe, answer }))
            }
            Err(reason) => {
                new_tape.requested = None;
                new_tape.result = Some(Err(reason)).filter(|_| new_tape.form.origin.is_some());
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_file_is_json_inside_the_open_folder() {
        let path = |file: &str| {
            let form = NewTapeForm::new(None, String::new(), file.to_owned());
            form.path().unwrap_or_else(str::to_owned)
        };
        let results = ["a", "tapes/a.json", "", "../a", "/etc/a", "C:\\a", "a//b"].map(path);
        insta::assert_snapshot!(results.join("\n"), @"
        a.json
        tapes/a.json
        enter a file name
        choose a file inside the open folder
        choose a file inside the open folder
        choose a file inside the open folder
        choose a file inside the open folder
        ");
    }

    #[test]
    fn a_form_says_what_is_missing() {
        let origin = Some(NewTapeSource::Text("words".into()));
        let form = NewTapeForm::new(origin, String::new(), String::new());
        assert!(form.recipe().is_ok());
        let results = [
            NewTapeForm { origin: None, ..form.clone() },
            NewTapeForm { rate: "fast".to_owned(), ..form.clone() },
            NewTapeForm { chunking: Chunking::Fixed, size: "0".to_owned(), ..form },
        ]
        .map(|form| form.recipe().unwrap_err());
        insta::assert_snapshot!(results.join("\n"), @"
        Choose a source first
        The rate must be a number above 0
        The chunk size must be a number above 0
        ");
    }
}
