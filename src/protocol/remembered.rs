//! The state of the window that is stored for the next start.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{BlockVerdict, Grouping, Sort};
use document::text::named_enum;

/// The state that is stored for the next start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
// A file of an older version lacks fields.
#[serde(default)]
pub struct Remembered {
    /// The paths that were open last.
    pub opened: Vec<PathBuf>,
    /// The paths opened before, the latest first.
    pub recent: Vec<PathBuf>,
    /// The color theme.
    #[serde(deserialize_with = "or_default")]
    pub theme: Theme,
    /// The last view of each project, the latest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub projects: Vec<ProjectView>,
    /// Size, place and zoom of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<WindowSize>,
}

/// Reads a value; one that is not known, as another version may have written, counts as the default.
fn or_default<'de, T: DeserializeOwned + Default, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
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
            // 0 where the file has no zoom.
            zoom: if self.zoom == 0 { 100 } else { self.zoom },
            ..self
        }
    }
}

named_enum! {
    /// The color theme.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Theme {
        /// Follows the system setting.
        #[default]
        System = "system",
        /// Light on dark.
        Dark = "dark",
        /// Dark on light.
        Light = "light",
    }

    /// All themes.
    const ALL;

    /// Its name in files.
    pub fn name;
}

impl Theme {
    /// Returns the theme of a name in a file.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|theme| theme.name() == name)
    }
}

/// Widths in points that the user has set, by the name of the panel.
pub type Sizes = BTreeMap<String, u32>;

/// The last view of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProjectView {
    /// The opened paths.
    pub opened: Vec<PathBuf>,
    #[serde(deserialize_with = "or_default")]
    pub desk: Desk,
    /// The text of the library's filter.
    pub filter: String,
    #[serde(deserialize_with = "or_default")]
    pub verdict: Option<BlockVerdict>,
    #[serde(deserialize_with = "or_default")]
    pub sort: Sort,
    #[serde(deserialize_with = "or_default")]
    pub grouping: Grouping,
    /// The path of the selected item.
    pub selected: Option<String>,
    pub sizes: Sizes,
}

named_enum! {
    /// A desk: one of the places in the left rail, for one kind of work.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum Desk {
        /// All open items, one per row.
        #[default]
        Library = "Library",
        /// Requests played against a set, with the reason for each answer.
        Playback = "Playback",
        /// One streamed answer at a time, on a time axis.
        Tapes = "Tapes",
        /// One session at a time, as a form and as its text.
        Sessions = "Sessions",
        /// The seeds of a memory provider.
        Seeds = "Seeds",
        /// Re-recorded files compared with the recordings they replace.
        Review = "Review",
        /// All problems, by rule.
        Problems = "Problems",
        /// Facts that a green run does not prove.
        Audit = "Audit",
        /// Running programs: requests that wait for an answer, and calls that are recorded or served.
        Live = "Live",
    }

    /// The desks in the order of the rail.
    const ALL;

    /// The label in the rail.
    pub fn name;
}
