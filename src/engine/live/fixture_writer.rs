//! Writes recorded calls as the fixture of a program, beside their tapes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::disk::save::{self, SaveTarget};
use author::fixture::{FixtureOptions, FixtureRefusal, FixtureTarget, fixture_calls, plan};
use author::saving::{Expected, SaveFailure, SaveFault};
use document::Document;
use play::live::record::RecordedExchange;

/// The most calls of one file, which is written again with each call.
const MAX_CALLS: usize = 200;

/// Maximum number of names that are tried for a file.
const MAX_NAME_TRIES: usize = 10_000;

/// Fixtures of one kind, one for each label.
#[derive(Debug)]
pub(super) struct FixtureWriter {
    folder: PathBuf,
    target: FixtureTarget,
    open: HashMap<String, OpenFixture>,
}

#[derive(Debug, Default)]
struct OpenFixture {
    /// The path, once it was written.
    path: Option<PathBuf>,
    calls: Vec<Document>,
}

impl FixtureWriter {
    pub(super) fn new(folder: &Path, target: FixtureTarget) -> Self {
        Self { folder: folder.to_owned(), target, open: HashMap::new() }
    }

    /// Adds a call to the fixture of its label, and returns the path.
    pub(super) fn add(&mut self, stem: &str, call: &RecordedExchange) -> Result<String, String> {
        let fixture = self.open.entry(stem.to_owned()).or_default();
        if fixture.calls.len() == MAX_CALLS {
            *fixture = OpenFixture::default();
        }
        fixture.calls.push(call.document());
        let calls: Vec<_> = fixture.calls.iter().flat_map(fixture_calls).collect();
        let options = FixtureOptions {
            target: self.target,
            path: format!("{stem}{}", self.target.ending()),
            api: None,
            is_stream: None,
            model: None,
            max_tokens: None,
            schema: None,
            now: Timestamp::now().to_string(),
        };
        let new_fixture = plan(&calls, &options).map_err(|refusal| match refusal {
            FixtureRefusal::Reason(reason) => reason,
            FixtureRefusal::Missing(_) => "The call names no model".to_owned(),
        })?;
        let (_, text) = new_fixture.files.first().ok_or("The fixture is empty")?;
        let path = match &fixture.path {
            Some(path) => {
                write(&self.folder, path, text, Expected::Anything).map_err(|f| f.to_string())?;
                path.clone()
            }
            None => write_new(&self.folder, stem, self.target.ending(), text)?,
        };
        Ok(self.folder.join(fixture.path.insert(path)).to_string_lossy().replace('\\', "/"))
    }
}

fn write(folder: &Path, name: &Path, text: &str, expected: Expected) -> Result<(), SaveFault> {
    let target = SaveTarget::below(folder, name, None)?;
    save::write(target, text.as_bytes(), expected).map(drop)
}

/// Writes a file under the first name that is free.
fn write_new(folder: &Path, stem: &str, ending: &str, text: &str) -> Result<PathBuf, String> {
    for number in 1..MAX_NAME_TRIES {
        let number = if number == 1 { String::new() } else { format!("-{number}") };
        let name = PathBuf::from(format!("{stem}{number}{ending}"));
        match write(folder, &name, text, Expected::Nothing) {
            Ok(()) => return Ok(name),
            Err(fault) if matches!(fault.reason, SaveFailure::Exists { .. }) => {}
            Err(fault) => return Err(fault.to_string()),
        }
    }
    Err(format!("There are too many files called {stem}"))
}
