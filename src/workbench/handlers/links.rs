//! Links to places: shows what a link names, and copies the link to what is selected.

use std::path::Path;
use std::sync::Arc;

use crate::{Link, Workbench};
use calls::Item;
use calls::file_part::FilePart;
use document::shell::CommandShell;
use document::text::{Span, counted, quoted};
use document::{FileKind, Severity};
use protocol::{Desk, RequestsSource};

impl Workbench {
    /// Shows parts of the file at a path, as it was given; of a folder, a call of its set. What is not there is reported.
    pub(crate) fn show_parts(&mut self, path: &Path, parts: Vec<FilePart>) {
        let is_meant = |item: &Item| Path::new(&*item.path) == path;
        let entry = self.core.library.iter().find(|(_, item)| is_meant(item));
        let Some(doc) = entry.map(|(doc, _)| doc) else { return self.show_set_call(path, &parts) };
        for part in parts {
            let Some(item) = self.core.library.share(doc) else { return };
            let name = quoted(&item.path);
            let is_call = matches!(item.kind, FileKind::Recording | FileKind::Request);
            let message = match part {
                FilePart::Call(number) if number <= item.calls.len() => {
                    self.core.show(doc);
                    self.core.unfold_selected(true);
                    self.core.select_target((doc, Some(number - 1)));
                    continue;
                }
                // A recording has no list of calls: the file is its call.
                FilePart::Call(1) if is_call => {
                    self.core.show(doc);
                    continue;
                }
                FilePart::Chunk(number) if item.kind == FileKind::Tape => {
                    self.core.link(Link::ShowTape(doc));
                    self.tapes.wanted_chunk = Some(number);
                    continue;
                }
                FilePart::Place(_) | FilePart::Pointer(_) => {
                    // The part is found when the text is read.
                    self.core.reveal(doc, Span::empty(0));
                    self.core.next_reveal = Some((doc, part));
                    self.core.sync_reveal();
                    continue;
                }
                FilePart::Call(number) => {
                    let calls = item.calls.len().max(usize::from(is_call));
                    let calls = counted(calls, "call", "calls");
                    format!("{name} has {calls}, no call {number}.")
                }
                FilePart::Chunk(_) => format!("{name} is no tape and has no chunks."),
            };
            self.core.show(doc);
            self.core.notify(Severity::Warning, message);
        }
    }

    /// Plays the set in a folder against itself, and selects a call.
    fn show_set_call(&mut self, path: &Path, parts: &[FilePart]) {
        let root = self.core.project.as_ref().map(|project| &project.root);
        let folder = root
            .and_then(|root| path.strip_prefix(root).ok())
            // Folders of items have slashes on every system.
            .map(|folder| folder.to_string_lossy().replace('\\', "/"));
        match (folder, parts) {
            (Some(folder), [FilePart::Call(number)]) => {
                let folder: Arc<str> = folder.into();
                self.playback.show_own_call(&mut self.core, folder, *number);
            }
            _ => {
                let name = quoted(&path.to_string_lossy());
                let message = format!("{name} is a folder: only #call=3 can be shown of it.");
                self.core.notify(Severity::Warning, message);
            }
        }
    }

    /// Returns the link to what is selected.
    fn link(&self) -> Option<String> {
        let doc = self.subject()?;
        let item = self.core.library.get(doc)?;
        let part_link = |part: FilePart| Some(part.link(&item.path));
        let plain_link = || Some(item.path.to_string());
        if self.core.shows(Desk::Tapes) {
            let chunk = self.tapes.transport.chunk();
            return chunk.map_or_else(plain_link, |chunk| part_link(FilePart::Chunk(chunk + 1)));
        }
        if self.core.shows(Desk::Playback) {
            let call = self.playback.call + 1;
            return match &self.playback.requests {
                // The selected call is counted in the set, which the folder names.
                Some(RequestsSource::SetItself) if item.calls.is_empty() => {
                    let folder = Path::new(&*item.path).parent()?.to_string_lossy();
                    let folder = if folder.is_empty() { ".".into() } else { folder };
                    Some(FilePart::Call(call).link(&folder))
                }
                _ => match self.served_call(item) {
                    Some(number) => part_link(FilePart::Call(number)),
                    None => plain_link(),
                },
            };
        }
        if self.core.shows(Desk::Library)
            && let Some(call) = self.core.list.selected_call
        {
            return part_link(FilePart::Call(call + 1));
        }
        let problem = self.core.shows(Desk::Problems).then(|| self.problem_subject());
        match problem.flatten().filter(|(other, _)| *other == doc) {
            Some((_, problem)) => part_link(FilePart::Place(problem.place)),
            None => plain_link(),
        }
    }

    /// The number of the call that answers the selected one, in a file of several calls. Sets count only calls of models.
    fn served_call(&self, item: &Item) -> Option<usize> {
        let position = self.playback.selected()?.index()?;
        let result = self.playback.played()?;
        if result.input.cassette.is_some() {
            return Some(position + 1);
        }
        let (_, number) = result.run.set.recordings.get(position)?.path.rsplit_once('#')?;
        let number: usize = number.parse().ok()?;
        let mut model_calls = item.calls.iter().enumerate().filter(|(_, row)| row.api.is_some());
        Some(model_calls.nth(number.checked_sub(1)?)?.0 + 1)
    }

    pub(super) fn copy_link(&mut self) {
        let Some(link) = self.link() else { return };
        match CommandShell::CURRENT.quote(&link) {
            Some(quoted_link) => self.core.copy(quoted_link),
            None => self.core.refuse(Severity::Note, "The file name cannot be quoted for a shell."),
        }
    }
}
