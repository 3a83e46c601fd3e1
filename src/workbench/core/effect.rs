//! Effects: what the workbench requests from the engine or the shell.

use std::any::{Any, TypeId};
use std::path::PathBuf;

use crate::workbench::core::dialog::Dialog;
use crate::workbench::core::project_view::ProjectView;
use crate::workbench::core::task::TaskRequest;
use crate::workbench::core::view::Theme;

/// Work that the workbench requests from the engine or the shell.
#[derive(Debug)]
pub enum Effect {
    /// Runs a request in the engine.
    Run(Box<dyn TaskRequest>),
    /// Cancels the running request of this type.
    Cancel(TypeId),
    /// Opens a dialog.
    Pick(Dialog),
    /// Copies text to the clipboard.
    Copy(String),
    /// Stores the state for the next start.
    Remember(Remembered),
    /// Brings the window to the front.
    ShowWindow,
    /// Opens another window without a project.
    OpenWindow,
    /// Closes the window.
    Quit,
}

impl Effect {
    /// Runs a request in the engine.
    pub fn run(request: impl TaskRequest) -> Self {
        Self::Run(Box::new(request))
    }

    /// Cancels the running request of a type.
    pub fn cancel<T: TaskRequest>() -> Self {
        Self::Cancel(TypeId::of::<T>())
    }

    /// Returns the request, if it is one of this type.
    #[cfg(test)]
    pub(crate) fn request<T: TaskRequest>(&self) -> Option<&T> {
        match self {
            Self::Run(request) => (&**request as &dyn Any).downcast_ref(),
            _ => None,
        }
    }

    /// Returns the request, if it is one of this type.
    pub fn into_request<T: TaskRequest>(self) -> Option<T> {
        let Self::Run(request) = self else {
            return None;
        };
        let request: Box<dyn Any> = request;
        request.downcast().ok().map(|request| *request)
    }
}

/// Effects that print the same are equal: requests have no equality of their own.
#[cfg(test)]
impl PartialEq for Effect {
    fn eq(&self, other: &Self) -> bool {
        format!("{self:?}") == format!("{other:?}")
    }
}

/// The state that is stored for the next start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The paths that were open last.
    pub opened: Vec<PathBuf>,
    /// The paths opened before, the latest first.
    pub recent: Vec<PathBuf>,
    /// The color theme.
    pub theme: Theme,
    /// How each project was last shown, the latest first.
    pub projects: Vec<ProjectView>,
    /// Size, place and zoom of the window.
    pub window: Option<WindowSize>,
}

/// Size, place and zoom of the window when it was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowSize {
    /// Width and height in points of the desktop.
    pub size: (u32, u32),
    /// The upper left corner with its frame, in points of the desktop; `None` where the system does not report it.
    pub place: Option<(i32, i32)>,
    pub is_maximized: bool,
    /// The zoom of the window's content in percent.
    pub zoom: u32,
}

impl WindowSize {
    /// Width and height of a new window.
    pub const DEFAULT: (u32, u32) = (1440, 900);
    /// The smallest width and height.
    pub const MIN: (u32, u32) = (640, 400);
}
