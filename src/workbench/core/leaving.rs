//! Confirmation before an action that would lose unsaved edits.

use std::path::PathBuf;

use crate::{Core, Effect, LibraryList, Link, Overlay};
use check::search::FilterQuery;
use protocol::{ProjectView, ScanRequest};

/// An action that closes the open documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Closes the window.
    Quit,
    /// Closes the project.
    Close,
    /// Opens other files and folders.
    Open(Vec<PathBuf>),
    /// Reads all open files again.
    Reload,
}

impl Core {
    /// Runs the action: at once if nothing is unsaved, else after confirmation.
    pub(crate) fn leave(&mut self, leaving: Leaving) {
        // Nothing was chosen, so what is open stays.
        if matches!(&leaving, Leaving::Open(paths) if paths.is_empty()) {
            return;
        }
        self.journal.end_typing();
        self.leaving = Some(leaving);
        if self.library.unsaved().next().is_none() {
            return self.finish_leaving();
        }
        self.overlay = Some(Overlay::Unsaved);
    }

    /// Runs the action without saving the edits.
    pub(crate) fn discard(&mut self) {
        let copies = self.library.unsaved();
        // Discarded edits must not be offered for recovery at the next start.
        let forget: Vec<_> = copies.filter_map(|(doc, _)| self.forget_draft(doc)).collect();
        self.effects.extend(forget);
        self.finish_leaving();
    }

    /// Runs the action that unsaved edits delayed.
    pub(crate) fn finish_leaving(&mut self) {
        let Some(leaving) = self.leaving.take() else { return };
        self.overlay = None;
        // The waiting overlays are about documents that are closed now.
        self.waiting_overlays.clear();
        self.remember_view();
        match leaving {
            Leaving::Quit => {
                // The window has a size without a project, too.
                self.request(Effect::Remember(self.remembered.clone()));
                self.request(Effect::Quit);
            }
            Leaving::Close => self.link(Link::CloseProject),
            Leaving::Open(paths) => self.open(paths),
            Leaving::Reload => {
                self.request(Effect::Remember(self.remembered.clone()));
                let paths = self.project.as_ref().map(|project| project.opened.clone());
                self.request(Effect::run(ScanRequest(paths.unwrap_or_default())));
            }
        }
    }

    /// Notes how the project is shown, if one is open and it is not the samples. The caller requests to store it.
    pub(crate) fn remember_view(&mut self) {
        let Some(project) = &self.project else { return };
        if project.opened.is_empty() || self.are_samples(&project.opened) {
            return;
        }
        let selected = self.list.selected.and_then(|doc| self.library.get(doc));
        let view = ProjectView {
            opened: project.opened.clone(),
            desk: self.here().desk,
            filter: self.list.filter.clone(),
            verdict: self.list.verdict,
            sort: self.list.sort,
            grouping: self.list.grouping,
            selected: selected
                .map(|item| &item.path)
                // While files are being read, the item to select may not be there yet.
                .or(self.list.reselect.as_ref())
                .map(|path| path.to_string()),
            sizes: self.sizes.clone(),
        };
        let projects = &mut self.remembered.projects;
        projects.retain(|other| other.opened != view.opened);
        projects.insert(0, view);
        projects.truncate(MAX_PROJECTS);
    }

    /// Returns how the project with these paths was last shown.
    pub(crate) fn remembered_view(&self, paths: &[PathBuf]) -> Option<ProjectView> {
        self.remembered.projects.iter().find(|view| view.opened == paths).cloned()
    }
}

/// Number of projects that are remembered.
const MAX_PROJECTS: usize = 50;

impl LibraryList {
    /// Returns the list as it was when the project was last shown.
    pub(crate) fn shown_as(self, view: ProjectView) -> Self {
        Self {
            query: FilterQuery::parse(&view.filter),
            filter: view.filter,
            verdict: view.verdict,
            sort: view.sort,
            grouping: view.grouping,
            reselect: view.selected.map(Into::into),
            ..self
        }
    }
}
