//! Reads a cassette with its settings, and the HTTP requests that are played against it.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::disk::cassette_configs::CassetteConfigs;
use crate::disk::playback::{PlaybackError, read_source};
use crate::disk::root::{OpenedPath, joined, open_all, open_each};
use calls::cassette_config::CassetteFacts;
use calls::reading::all_calls;
use check::load_refusal;
use document::{Document, DocumentBody, FileKind};
use play::client::{CassetteState, ClientRules, HttpRequest, RecordedRequest, RecorderClient};
use play::run_log::MissKind;
use play::triage::{looks_like_run, read_log};

/// A cassette and requests.
#[derive(Debug)]
pub struct CassettePlayback {
    /// The path of the cassette as given.
    pub path: Arc<str>,
    /// The program that its content is from; `None` if its rules are not known.
    pub client: Option<RecorderClient>,
    /// What the project configures about it.
    pub facts: CassetteFacts,
    pub calls: Vec<RecordedRequest>,
    /// The requests in their order, each with its name.
    pub requests: Vec<(Arc<str>, HttpRequest)>,
    /// `None` if there is no file.
    document: Option<Document>,
}

impl CassettePlayback {
    /// Returns what a client with these rules finds.
    ///
    /// # Errors
    ///
    /// Returns why the client refuses the file.
    pub fn state(&self, rules: &ClientRules) -> Result<CassetteState, String> {
        let Some(document) = &self.document else { return Ok(CassetteState::Missing) };
        let client = match rules.client {
            RecorderClient::Vcrpy => Some(document::cassette::CassetteClient::Vcrpy),
            RecorderClient::Cassetter => Some(document::cassette::CassetteClient::Cassetter),
            RecorderClient::GoVcr => Some(document::cassette::CassetteClient::GoVcr),
            _ => None,
        };
        // Only what a client wrote itself is judged.
        let client = client.filter(|client| self.client == Some(RecorderClient::from(*client)));
        match client.and_then(|client| load_refusal(document, client)) {
            Some(reason) => Err(reason),
            None => Ok(CassetteState::of(document, rules, self.facts.uses_plugin)),
        }
    }
}

/// Reads a cassette and the requests that are played against it. Blocks. Nothing outside `root` is read, or else outside of the project
/// that each path is in. `None` if the first path is no cassette, unless it is expected to be one: then it may also be missing.
///
/// # Errors
///
/// Returns an error if a path cannot be opened, or the second one has no HTTP requests.
pub fn read_cassette_playback(
    recordings: &Path,
    requests: &Path,
    root: Option<&Path>,
    is_expected: bool,
) -> Result<Option<CassettePlayback>, PlaybackError> {
    let opened = open_each(&[recordings.to_owned()], root)?.into_iter().next();
    let opened = match opened {
        Some(Ok(opened)) => Some(opened),
        Some(Err(error)) if is_expected && error.error.kind() == io::ErrorKind::NotFound => None,
        Some(Err(error)) => return Err(error.into()),
        None => None,
    };
    let Some(opened) = opened else {
        return Ok(Some(CassettePlayback {
            path: recordings.to_string_lossy().into(),
            client: None,
            facts: CassetteFacts::default(),
            calls: Vec::new(),
            requests: read_http_requests(requests, root, &[])?,
            document: None,
        }));
    };
    let Some(file) = &opened.file else { return Ok(None) };
    let document = document::read(read_source(&opened, file)?, &file.to_string_lossy());
    if !is_expected && document.kind() != FileKind::Cassette {
        return Ok(None);
    }
    let foreign = match &document.body {
        DocumentBody::Foreign(foreign) => Some(foreign),
        _ => None,
    };
    let calls = RecordedRequest::all(&document);
    let path = joined(&opened.prefix, &file.to_string_lossy());
    let configs = CassetteConfigs::new(Arc::clone(&opened.root));
    Ok(Some(CassettePlayback {
        path: Arc::clone(&opened.given),
        client: foreign.and_then(RecorderClient::of_file),
        // What a project configures is for the programs that write cassettes, not for every file of recorded calls.
        facts: foreign
            .and_then(|foreign| foreign.client)
            .map_or_else(CassetteFacts::default, |client| configs.facts(&path, Some(client))),
        requests: read_http_requests(requests, root, &calls)?,
        calls,
        document: Some(document),
    }))
}

fn read_http_requests(
    path: &Path,
    root: Option<&Path>,
    calls: &[RecordedRequest],
) -> Result<Vec<(Arc<str>, HttpRequest)>, PlaybackError> {
    let opened = open_all(&[PathBuf::from(path)], root)?;
    let refusal = |given: &str| {
        PlaybackError::NotPlayed(format!(
            "{given} has no HTTP requests; a cassette is played with those of another cassette, of an HTTP archive (HAR), of another file of recorded calls or of the log of a failed run that prints them"
        ))
    };
    let Some(OpenedPath { file: Some(file), given, .. }) = opened.first() else {
        return Err(refusal(&path.to_string_lossy()));
    };
    let source = read_source(&opened[0], file)?;
    if looks_like_run(source.text()) {
        let requests = logged_requests(given, source.text(), calls);
        return if requests.is_empty() { Err(refusal(given)) } else { Ok(requests) };
    }
    let document = document::read(source, &file.to_string_lossy());
    let requests = (1..).zip(all_calls(&document)).map(|(number, call)| {
        let name: Arc<str> = format!("{given}#{number}").into();
        (name, HttpRequest::of_call(&document, &call))
    });
    let requests: Vec<_> = requests.filter(|(_, request)| request.is_known()).collect();
    if requests.is_empty() { Err(refusal(given)) } else { Ok(requests) }
}

/// Returns the requests that a log prints of tests whose client found no call.
fn logged_requests(
    given: &str,
    log: &str,
    calls: &[RecordedRequest],
) -> Vec<(Arc<str>, HttpRequest)> {
    let failures = read_log(given, log).failures.into_iter();
    let requests = failures.filter_map(|failure| {
        let test = failure.cassette_test()?;
        let is_first = matches!(test.miss.kind, MissKind::NoMatch | MissKind::NothingSimilar);
        // A request of a consumed call would be answered here, since what was sent before is not in the log.
        let printed = test.miss.request.as_ref().filter(|_| is_first)?;
        let is_same = |call: &&RecordedRequest| call.request.url.as_deref() == Some(&*printed.url);
        let recorded = calls.iter().find(is_same).or(calls.first()).map(|call| &call.request);
        let name = format!("{given}:{}: {}", failure.line, test.test);
        Some((name.into(), printed.as_sent(recorded)))
    });
    requests.collect()
}
