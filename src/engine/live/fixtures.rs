//! The served files: tapes, recordings and files with calls, found at the start and read again for each call.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use super::drift_log::DriftLog;
use crate::disk::gitignore::IgnoredCount;
use crate::disk::guard::lock;
use crate::disk::root::{OpenError, ReadBounds, given_path, parent_folder};
use crate::disk::scan::scan;
use crate::{Project, ScanStep, SourceLookup};
use ::calls::api::Api;
use ::calls::reading;
use ::calls::tape::playback::TapePlayback;
use ::calls::{Item, Pool};
use document::call::ModelCall;
use document::text::Source;
use document::{Document, DocumentBody, FileKind};
use play::client::{
    CassettePlayer, CassetteState, ClientRules, HttpRequest, RecordMode, RecordedRequest,
    matchers_named,
};
use play::live::answer::ServedAnswer;
use play::live::client_call::ClientCall;
use play::live::received::ReceivedAnswer;
use play::live::refusal;
use play::live::serve::{Catalog, ServeChoice, ServeRules};
use play::playback::{PlayedRequest, RecordingSet, SetRecording, SkippedFile};

/// Tapes and recordings that are served.
#[derive(Debug)]
pub struct Fixtures {
    project: Project,
    files: HashMap<Arc<str>, (usize, Arc<Item>)>,
    catalog: Catalog,
    playback: TapePlayback,
    cassettes: CassetteRules,
    /// Gets all requests, if there is one.
    pub drift_log: Option<Arc<DriftLog>>,
    parsed: Mutex<ParsedFiles>,
    pub tapes: usize,
    /// Each set with the count of its recordings: a folder, with `/` at its end, or a file.
    pub sets: Vec<(Arc<str>, usize)>,
    /// Messages about paths that could not be opened or read.
    pub faults: Vec<String>,
    /// Number of files left out because git ignores them.
    pub ignored: IgnoredCount,
}

/// A recording or tape that answers, and its answer as received if that is in a file of HTTP calls.
type RecordedAnswer = (Document, Option<ReceivedAnswer>);

/// The files with calls that were parsed, by their numbers.
#[derive(Debug, Default)]
struct ParsedFiles {
    files: HashMap<usize, Arc<ParsedFile>>,
    bytes: usize,
}

/// One version of a file with calls.
#[derive(Debug)]
struct ParsedFile {
    content: Vec<u8>,
    /// The answers by the paths of their calls; the first call of this version computes them, and others wait for it.
    answers: OnceLock<HashMap<Arc<str>, Arc<RecordedAnswer>>>,
}

/// Maximum size of all parsed files that are kept: their values take several times as much memory.
const MAX_PARSED_BYTES: usize = 64 << 20;

/// Settings by which tapes and recordings are served.
#[derive(Clone, Debug, Default)]
pub struct ServeOptions {
    /// Rules by which a call finds its answer.
    pub rules: ServeRules,
    /// Times at which the pieces of an answer are sent.
    pub playback: TapePlayback,
    pub cassettes: CassetteRules,
}

/// How the clients of cassettes play, in place of what the project says.
#[derive(Clone, Debug, Default)]
pub struct CassetteRules {
    /// The names of what they compare; none: as the project says.
    pub matchers: Vec<Box<str>>,
    /// Whether they play a call repeatedly, also where the project does not say so.
    pub repeats: bool,
}

/// The answer to a call.
#[derive(Debug)]
pub(super) enum FixtureReply {
    Answer(ServedAnswer),
    /// The file that answers can no longer be read; with a message.
    Gone(String),
    /// Nothing matches.
    NoMatch,
}

impl Fixtures {
    /// Reads the recordings of one folder, without those in folders below, or the calls in one file. Blocks.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read); or when it cannot be opened.
    pub fn read_set<'a>(
        folder: &Path,
        bounds: impl Into<ReadBounds<'a>>,
        rules: ServeRules,
    ) -> Result<Self, String> {
        let project = Project::open(&[folder.to_owned()], bounds).map_err(|e| e.to_string())?;
        let mut fixtures = Self::new(project, rules, TapePlayback::default());
        fixtures.fill(Some(&given_path(folder)), &AtomicBool::new(false))?;
        Ok(fixtures)
    }

    /// Reads all tapes and recordings at these paths. Blocks. Only files in `root` are read, or else in the project that each path
    /// is in.
    ///
    /// # Errors
    ///
    /// Returns an error if the root cannot be opened, or no thread can be started.
    pub fn read<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
        options: ServeOptions,
    ) -> Result<Self, String> {
        Self::read_until(paths, bounds, options, &AtomicBool::new(false))
    }

    /// As [`read`](Self::read), until `cancel` is set; the result is incomplete then.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_until<'a>(
        paths: &[PathBuf],
        bounds: impl Into<ReadBounds<'a>>,
        options: ServeOptions,
        cancel: &AtomicBool,
    ) -> Result<Self, String> {
        let result = Project::open_found(paths, bounds);
        let (project, unopened) = result.map_err(|error| error.to_string())?;
        let mut fixtures = Self::new(project, options.rules, options.playback);
        fixtures.cassettes = options.cassettes;
        fixtures.faults = unopened.iter().map(OpenError::to_string).collect();
        fixtures.fill(None, cancel)?;
        Ok(fixtures)
    }

    fn new(project: Project, rules: ServeRules, playback: TapePlayback) -> Self {
        Self {
            project,
            files: HashMap::new(),
            catalog: Catalog::new(rules),
            playback,
            cassettes: CassetteRules::default(),
            drift_log: None,
            parsed: Mutex::default(),
            tapes: 0,
            sets: Vec::new(),
            faults: Vec::new(),
            ignored: IgnoredCount::default(),
        }
    }

    /// Adds the files of one folder, or all files.
    fn fill(&mut self, set_name: Option<&str>, cancel: &AtomicBool) -> Result<(), String> {
        let mut items = self.items(cancel)?;
        items.retain(|(_, item)| {
            let set = match item.foreign {
                Some(_) => &*item.path,
                None => parent_folder(&item.path),
            };
            // The scan also lists the folders below, and a client loads only one.
            set_name.is_none_or(|set_name| set_name == set)
        });
        let pool = Pool::default();
        // A list, which keeps the folders in the order of the listing.
        let mut sets: Vec<(String, Vec<Result<SetRecording, SkippedFile>>)> = Vec::new();
        let (mut file_sets, mut cassettes) = (Vec::new(), Vec::new());
        let mut files = HashMap::new();
        let mut keys = HashMap::new();
        for (number, item) in items {
            if cancel.load(Ordering::Relaxed) {
                break;
            }
            let document = match self.project.read(number, &item) {
                Ok(document) => document,
                Err(reason) => {
                    self.faults.push(format!("{reason}: {}", item.path));
                    continue;
                }
            };
            match document.kind() {
                FileKind::Tape => self.catalog.add_tape(&item.path, &document),
                _ if item.foreign.is_none() => {
                    let recording = SetRecording::read(Arc::clone(&item.path), &document, &pool);
                    let key = reading::messages_key(document.tree.root());
                    keys.insert(Arc::clone(&item.path), Vec::from_iter(key));
                    add_to_set(&mut sets, &item.path, recording);
                }
                _ => {
                    let mut calls = reading::served_calls(&item.path, &document);
                    // A queue has no HTTP requests, so its recordings are chosen as DyGram does.
                    let player = match set_name {
                        None => self.cassette_player(&item, &document, &calls),
                        Some(_) => None,
                    };
                    for (path, call) in &mut calls {
                        let facts = call.facts.served.take();
                        keys.extend(facts.map(|facts| (Arc::clone(path), facts.keys)));
                        // A queue has no form for a call that failed.
                        if set_name.is_none() {
                            refusal::add_to_set(call);
                        }
                    }
                    let set = RecordingSet::from_named_calls(&item.path, calls, &pool)
                        .unwrap_or_default();
                    self.faults.extend(set.skipped.iter().map(|file| {
                        let SkippedFile { path, reason } = file;
                        format!("{reason}, so it is not served: {path}")
                    }));
                    for recording in &set.recordings {
                        files.insert(Arc::clone(&recording.path), (number, Arc::clone(&item)));
                    }
                    match player {
                        Some((player, paths)) => cassettes.push((set, player, paths)),
                        None => file_sets.push(set),
                    }
                    continue;
                }
            }
            files.insert(Arc::clone(&item.path), (number, item));
        }
        for (folder, files) in sets {
            self.catalog.add_set(RecordingSet::new(&folder, files), &keys);
        }
        // A file of HTTP calls need not contain calls of models.
        file_sets.retain(|set| !set.recordings.is_empty());
        for set in file_sets {
            self.catalog.add_set(set, &keys);
        }
        cassettes.retain(|(set, ..)| !set.recordings.is_empty());
        for (set, player, paths) in cassettes {
            self.catalog.add_cassette(set, player, paths);
        }
        self.tapes = self.catalog.tapes();
        let sets = self.catalog.sets().map(|set| {
            let end = if set.is_file { "" } else { "/" };
            (format!("{}{end}", set.folder).into(), set.recordings.len())
        });
        self.sets = sets.collect();
        self.files = files;
        Ok(())
    }

    /// Returns the client that plays a cassette, and the paths of its calls by their indices; `None` for other files, and where it is not
    /// known what the client compares.
    fn cassette_player(
        &mut self,
        item: &Item,
        document: &Document,
        calls: &[(Arc<str>, ModelCall<'_>)],
    ) -> Option<(CassettePlayer, HashMap<usize, Arc<str>>)> {
        let client = item.client()?;
        let facts = item.cassette.as_deref().cloned().unwrap_or_default();
        let rules = match ClientRules::configured(client.into(), &facts) {
            Ok(rules) => rules,
            Err(reason) => {
                self.faults.push(format!(
                    "{reason} Its calls are served by DyGram's rules: {}",
                    item.path
                ));
                return None;
            }
        };
        let rules = ClientRules {
            // Nothing is recorded here.
            mode: RecordMode::None,
            repeats: rules.repeats || self.cassettes.repeats,
            matchers: match &self.cassettes.matchers[..] {
                [] => rules.matchers,
                names => matchers_named(client.into(), names).unwrap_or(rules.matchers),
            },
            ..rules
        };
        let recorded = RecordedRequest::all(document);
        let paths: HashMap<_, _> = calls.iter().map(|(path, call)| (call.node, path)).collect();
        let paths = recorded
            .iter()
            .filter_map(|call| Some((call.index, Arc::clone(paths.get(&call.node).copied()?))));
        let paths = paths.collect();
        let player = CassettePlayer::new(recorded, CassetteState::Loaded, rules).ok()?;
        Some((player, paths))
    }

    /// The tapes, the recordings and the files that may hold calls, in the order of listing, each with its number.
    fn items(&mut self, cancel: &AtomicBool) -> Result<Vec<(usize, Arc<Item>)>, String> {
        let mut all_items = Vec::new();
        // An answer is served whether or not its source has changed.
        let outcome = scan(&self.project, SourceLookup::LeaveAlone, cancel, &mut |step| {
            if let ScanStep::Rows(rows) = step {
                all_items.extend(rows);
            }
        })
        .map_err(|error| format!("Cannot start a thread to read: {error}"))?;
        self.ignored = outcome.ignored;
        // Items arrive as they are read, and players choose by the order of names.
        let mut items = outcome.sort(all_items);
        items.retain(|(_, item)| {
            // What a transcript or a trace holds of a request was never sent as such.
            let may_hold_calls = item.foreign.is_some_and(|foreign| {
                reading::reads(foreign.format) && !foreign.format.is_agent_run()
            });
            may_hold_calls || matches!(item.kind, FileKind::Tape | FileKind::Recording)
        });
        Ok(items)
    }

    /// Finds the file that answers a call and reads it again. Blocks.
    pub(super) fn answer(
        &self,
        name: &str,
        call: &ClientCall,
        http: &HttpRequest,
    ) -> (ServeChoice, FixtureReply) {
        let mut choice = self.catalog.choose(name, call, http);
        let mut reply = match &choice.chosen {
            Some(file) => self.reread(&file.path),
            None => FixtureReply::NoMatch,
        };
        if let FixtureReply::Answer(answer) = &mut reply {
            choice.conversion = answer.fit(call.api, call.form);
        }
        (choice, reply)
    }

    /// Finds the recording that answers a request of a queue and reads it again. Blocks.
    pub(super) fn recording(
        &self,
        request: &Arc<PlayedRequest>,
    ) -> (ServeChoice, Option<Result<Document, String>>) {
        let choice = self.catalog.choose_recording(request);
        let path = choice.chosen.as_ref().map(|file| &*file.path);
        let document = path.map(|path| Ok(self.document(path)?.0.clone()));
        (choice, document)
    }

    /// Reads a file again, or a call of it.
    fn document(&self, path: &str) -> Result<Arc<RecordedAnswer>, String> {
        let (number, item) = self.files.get(path).ok_or("It is no longer open")?;
        if item.foreign.is_none() {
            return Ok(Arc::new((self.project.read(*number, item)?, None)));
        }
        let content = self.project.read_content(*number, item)?;
        // Calls of other files do not wait until this one is parsed.
        let file = lock(&self.parsed).file(*number, content);
        let parse = |source| self.project.parse(*number, item, source);
        let answer = file.answers(item, parse).get(path).map(Arc::clone);
        answer.ok_or_else(|| "The file no longer has this call".to_owned())
    }

    fn reread(&self, path: &str) -> FixtureReply {
        let answer = match self.document(path) {
            Ok(answer) => answer,
            Err(reason) => return FixtureReply::Gone(reason),
        };
        let (document, received_answer) = &*answer;
        match &document.body {
            DocumentBody::Tape(tape) => {
                FixtureReply::Answer(ServedAnswer::from_tape(document, tape, &self.playback))
            }
            DocumentBody::Recording(recording) => FixtureReply::Answer(ServedAnswer {
                received: received_answer.clone(),
                ..ServedAnswer::from_recording(document, recording, &self.playback)
            }),
            _ => FixtureReply::Gone("It is no longer a tape or a recording".to_owned()),
        }
    }
}

impl ParsedFiles {
    /// Returns the file with this content, which is parsed only if it has changed.
    fn file(&mut self, number: usize, content: Vec<u8>) -> Arc<ParsedFile> {
        let old_file = self.files.get(&number);
        // By content, since a file may be written twice within one tick of its clock.
        if let Some(file) = old_file.filter(|file| file.content == content) {
            return Arc::clone(file);
        }
        let old_bytes = old_file.map_or(0, |file| file.content.len());
        self.bytes = self.bytes - old_bytes + content.len();
        if self.bytes > MAX_PARSED_BYTES {
            // A file that is still used is parsed again at its next call.
            self.files.clear();
            self.bytes = content.len();
        }
        let file = Arc::new(ParsedFile { content, answers: OnceLock::new() });
        self.files.insert(number, Arc::clone(&file));
        file
    }
}

impl ParsedFile {
    fn answers(
        &self,
        item: &Item,
        parse: impl Fn(Source) -> Document,
    ) -> &HashMap<Arc<str>, Arc<RecordedAnswer>> {
        self.answers.get_or_init(|| {
            let doc = parse(Source::from_bytes(self.content.clone()));
            let calls = reading::served_calls(&item.path, &doc).into_iter();
            let answers = calls
                .filter_map(|(path, call)| Some((path, Arc::new(recorded_answer(call, &doc)?))));
            answers.collect()
        })
    }
}

/// Returns the answer of a call in a file; `None` if it failed and is not served.
fn recorded_answer(call: ModelCall<'_>, file: &Document) -> Option<RecordedAnswer> {
    if let Some(tape) = refusal::tape(&call, file) {
        return Some((tape, None));
    }
    if call.failure().is_some() {
        return None;
    }
    let received_answer = call.facts.served.and_then(|served| {
        Some(ReceivedAnswer::whole(Api::from_name(call.facts.api?)?, served.received?))
    });
    Some((call.document.into_owned(), received_answer))
}

/// Adds a recording to the set of its folder.
fn add_to_set(
    sets: &mut Vec<(String, Vec<Result<SetRecording, SkippedFile>>)>,
    path: &str,
    recording: Result<SetRecording, SkippedFile>,
) {
    let folder = parent_folder(path);
    match sets.iter_mut().find(|(name, _)| name == folder) {
        Some((_, files)) => files.push(recording),
        None => sets.push((folder.to_owned(), vec![recording])),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Returns a cassette with a call for each of these answers.
    fn cassette(answers: &[&str]) -> String {
        let calls: Vec<String> = answers.iter().enumerate().map(|(number, answer)| {
            format!(
                r#"{{"request": {{"method": "POST", "uri": "https://api.openai.com/v1/chat/completions", "headers": {{}},
                    "body": "{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{number}\"}}]}}"}},
                   "response": {{"status": {{"code": 200, "message": "OK"}}, "headers": {{}},
                    "body": {{"string": "{{\"id\":\"c\",\"object\":\"chat.completion\",\"model\":\"m\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{answer}\"}},\"finish_reason\":\"stop\"}}]}}"}}}}}}"#
            )
        }).collect();
        format!(r#"{{"version": 1, "interactions": [{}]}}"#, calls.join(","))
    }

    #[test]
    fn a_file_with_calls_is_parsed_once_for_each_version_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.yaml");
        fs::write(&file, cassette(&["Good", "Better"])).unwrap();
        let paths = [folder.path().to_owned()];
        let fixtures =
            Fixtures::read(&paths, Some(folder.path()), ServeOptions::default()).unwrap();
        assert_eq!(fixtures.faults, [""; 0]);
        let read = |end: &str| {
            let path = fixtures.files.keys().find(|path| path.ends_with(end));
            fixtures.document(path.unwrap())
        };
        let text_of = |path: &str| {
            let answer = read(path).unwrap();
            answer.1.as_ref().map(ReceivedAnswer::text).unwrap()
        };
        let parsed_file =
            |number: usize| Arc::clone(&fixtures.parsed.lock().unwrap().files[&number]);
        assert!(text_of("a.yaml#1").contains("Good"));
        let (first, number) =
            (read("a.yaml#2").unwrap(), fixtures.files.values().next().unwrap().0);
        let version = parsed_file(number);
        assert!(text_of("a.yaml#2").contains("Better"));
        assert!(Arc::ptr_eq(&first, &read("a.yaml#2").unwrap()));
        assert!(Arc::ptr_eq(&version, &parsed_file(number)));

        fs::write(&file, cassette(&["Good", "Best"])).unwrap();
        assert!(text_of("a.yaml#2").contains("Best"));
        assert!(!Arc::ptr_eq(&version, &parsed_file(number)));
        fs::write(&file, cassette(&["Good", "Best", "More"])).unwrap();
        assert!(text_of("a.yaml#1").contains("Good"));
        fs::write(&file, "interactions: []").unwrap();
        assert_eq!(read("a.yaml#2").unwrap_err(), "The file no longer has this call");
        // Only the last version is kept.
        let files = fixtures.parsed.lock().unwrap();
        assert_eq!((files.files.len(), files.bytes), (1, 16));
    }
}
