//! The settings in `retake.toml` at a project's root.

use crate::engine::disk::root::{ReadRefusal, to_sentence};
use crate::format::{Problem, RuleId};
use crate::ops::settings::{Settings, parse};
use crate::text::Source;

/// The settings of a project, and the problems of their file.
#[derive(Debug)]
pub(in crate::engine) struct ProjectSettings {
    pub(in crate::engine) settings: Settings,
    /// Problems of the file; where it was not understood, the defaults apply.
    pub(in crate::engine) problems: Vec<Problem>,
    /// The file as it was read.
    pub(in crate::engine) file: Result<Vec<u8>, ReadRefusal>,
}

impl ProjectSettings {
    /// Parses the settings file of a root, as it was read.
    pub(in crate::engine) fn parse(file: Result<Vec<u8>, ReadRefusal>) -> Self {
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
