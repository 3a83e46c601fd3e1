//! The log of the requests that a server answers, to compare them with what was recorded.

use std::path::Path;
use std::sync::Mutex;

use crate::disk::guard::lock;
use crate::disk::save::{self, SaveTarget};
use author::saving::{Expected, SaveFailure};
use play::client::HttpRequest;
use play::live::record::Credentials;
use play::live::serve::ServeChoice;
use play::run_requests::{RequestLine, RunRequests, write_head, write_request};

/// A log that gets a line for each request.
#[derive(Debug)]
pub struct DriftLog {
    target: SaveTarget,
    /// The reason for which a line could not be written, until it was reported; held while a line is written.
    fault: Mutex<Option<String>>,
}

impl DriftLog {
    /// Creates the file, or empties an earlier log in its place.
    ///
    /// # Errors
    ///
    /// Returns why it cannot be written, as a message; also if it is a file of another kind, which is not changed.
    pub fn create(path: &Path, root: Option<&Path>) -> Result<Self, String> {
        let name =
            path.file_name().ok_or_else(|| format!("Expected a file: {}", path.display()))?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let target = SaveTarget::below(folder.unwrap_or(Path::new(".")), name.as_ref(), root)
            .map_err(|fault| fault.to_string())?;
        let expected = match save::read(&target) {
            Ok(bytes) if RunRequests::is_log(&String::from_utf8_lossy(&bytes)) => {
                Expected::Anything
            }
            Ok(_) => {
                let reason = "The file exists, is no log of requests, and was not changed";
                return Err(format!("{reason}: {}", target.shown));
            }
            Err(fault)
                if matches!(fault.reason, SaveFailure::FileGone | SaveFailure::FolderGone) =>
            {
                Expected::Nothing
            }
            Err(fault) => return Err(fault.to_string()),
        };
        let head = write_head(None);
        save::write(target.clone(), head.as_bytes(), expected)
            .map_err(|fault| fault.to_string())?;
        Ok(Self { target, fault: Mutex::default() })
    }

    /// Adds a request with the call that was chosen for it. Blocks.
    pub(super) fn note(&self, http: &HttpRequest, credentials: &Credentials, choice: &ServeChoice) {
        let line = RequestLine::of_server(http, |text| credentials.hide(text), choice.recorded());
        let mut fault = lock(&self.fault);
        if let Err(error) = self.target.append(write_request(&line).as_bytes()) {
            fault.get_or_insert_with(|| format!("A request could not be logged: {error}"));
        }
    }

    /// Takes the first reason for which a request could not be logged.
    pub fn take_fault(&self) -> Option<String> {
        lock(&self.fault).take()
    }
}
