//! The settings in `retake.toml` at a project's root.

use crate::disk::root::{ReadRefusal, to_sentence};
use check::settings::{Settings, parse};
use document::text::Source;
use document::{Problem, RuleId};

/// The settings of a project, and the problems of their file.
#[derive(Debug)]
pub(crate) struct ProjectSettings {
    pub(crate) settings: Settings,
    /// Problems of the file; where it was not understood, the defaults apply.
    pub(crate) problems: Vec<Problem>,
    /// The file as it was read.
    pub(crate) file: Result<Vec<u8>, ReadRefusal>,
}

impl ProjectSettings {
    /// Parses the settings file of a root, as it was read.
    pub(crate) fn parse(file: Result<Vec<u8>, ReadRefusal>) -> Self {
        let (settings, problems) = match &file {
            Ok(bytes) => parse(&Source::from_bytes(bytes.clone())),
            Err(ReadRefusal::Missing) => Default::default(),
            Err(refusal) => {
                let problem = Problem::whole_file(RuleId::Unreadable, to_sentence(refusal));
                (Settings::default(), vec![problem])
            }
        };
        Self { settings, problems, file }
    }
}
