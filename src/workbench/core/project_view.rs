//! The last view of a project, so that it is shown like this when it is opened again.

use std::path::PathBuf;

use crate::core::Core;
use crate::core::library_list::LibraryList;
use check::search::FilterQuery;
use protocol::ProjectView;

/// Number of projects that are remembered.
const MAX_PROJECTS: usize = 50;

impl Core {
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
