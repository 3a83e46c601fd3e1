//! Effects: what the workbench requests from the engine or the shell.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::workbench::core::dialog::Dialog;
use crate::workbench::core::project_view::ProjectView;
use crate::workbench::core::view::Theme;
use crate::workbench::request::{Cancellable, Request};

/// Work that the workbench requests from the engine or the shell.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there are a few at a time, each passed on at once")]
pub enum Effect {
    /// Runs a request in the engine.
    Run(Request),
    /// Cancels what is running.
    Cancel(Cancellable),
    /// Opens a dialog.
    Pick(Dialog),
    /// Copies text to the clipboard.
    Copy(String),
    /// Stores the state for the next start.
    Remember(Remembered),
    /// Opens another window without a project.
    OpenWindow,
    /// Closes the window.
    Quit,
}

impl Effect {
    /// Runs a request in the engine.
    pub fn run(request: impl Into<Request>) -> Self {
        Self::Run(request.into())
    }

    /// Returns the request, if it is one of this type.
    #[cfg(test)]
    pub(crate) fn request<'r, T>(&'r self) -> Option<&'r T>
    where
        &'r T: TryFrom<&'r Request>,
    {
        match self {
            Self::Run(request) => request.try_into().ok(),
            _ => None,
        }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Remembered {
    /// The paths that were open last.
    pub opened: Vec<PathBuf>,
    /// The paths opened before, the latest first.
    pub recent: Vec<PathBuf>,
    /// The color theme.
    #[serde(deserialize_with = "or_default")]
    pub theme: Theme,
    /// How each project was last shown, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<ProjectView>,
    /// Size, place and zoom of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowSize>,
}

/// Reads a value; one that is not known, as another version may have written, counts as the default.
pub(super) fn or_default<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(
    stored: D,
) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(stored)?).unwrap_or_default())
}

/// Size, place and zoom of the window when it was last seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WindowSize {
    /// Width and height in points of the desktop.
    pub size: (u32, u32),
    /// The upper left corner with its frame, in points of the desktop; `None` where the system does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
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

    /// Returns the same with the defaults in place of what is missing or too small.
    #[must_use]
    pub fn repaired(self) -> Self {
        let is_valid = self.size.0 >= Self::MIN.0 && self.size.1 >= Self::MIN.1;
        Self {
            size: if is_valid { self.size } else { Self::DEFAULT },
            zoom: if self.zoom == 0 { 100 } else { self.zoom },
            ..self
        }
    }
}
