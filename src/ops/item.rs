//! One row of the library: what stays in memory of a file that is not open.

use std::sync::Arc;

use super::Pool;
use super::calls::calls;
use super::secret::Mask;
use super::signature::{Signature, SignatureText};
use super::source::SourceState;
use super::value_mark::ValueMark;
use crate::format::call::{CallFailure, ModelCall};
use crate::format::foreign::Foreign;
use crate::format::recording::{Recording, RecordingVersion};
use crate::format::seeds::Seeds;
use crate::format::{Document, DocumentBody, Field, FileKind, NodeId, Problem, Severity, text};
use crate::text::PlaceFinder;

/// The name of the file with a project's settings. Its folder is the project root.
pub const SETTINGS_FILE_NAME: &str = "retake.toml";

/// What stays in memory of a file after it was read: enough to list, filter, sort and check it with other files, in well
/// under a kilobyte. The text is read again when the file is opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The path as given by the caller, joined with `/`.
    pub path: Arc<str>,
    /// The path from the project root, joined with `/`; for a file outside the root the same as `path`.
    pub root_path: Arc<str>,
    pub kind: FileKind,
    pub version: Option<RecordingVersion>,
    /// The id in its content, if any.
    pub id: Option<Arc<str>>,
    /// The model it was made with.
    pub model: Option<Arc<str>>,
    /// As written (ISO 8601).
    pub recorded_at: Option<Arc<str>>,
    /// Size of the file.
    pub bytes: u64,
    /// As playback sees it; shared by all with the same one.
    pub signature: Option<Arc<Signature>>,
    /// Whether the signature is stored in the file, not computed.
    pub signature_stored: bool,
    /// For recordings.
    pub source: Option<SourceState>,
    /// For tapes.
    pub chunks: Option<u32>,
    /// For tapes: the sum of all delays.
    pub duration_nanos: Option<f64>,
    /// For files of other tools.
    pub foreign: Option<Foreign>,
    /// The calls in it, if it holds several or is a file of another tool.
    pub calls: Box<[CallRow]>,
    /// Keys of the seeds in it, for rules that look across files.
    pub seed_keys: Box<[SeedKey]>,
    /// All problems of the file.
    pub problems: Vec<Problem>,
    /// The secrets of the file, to hide them in messages; `None` if there are none.
    pub secrets: Option<Arc<Mask>>,
}

impl Item {
    /// Creates an item of which only the path is known.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            root_path: path.into(),
            kind: FileKind::Unknown,
            version: None,
            id: None,
            model: None,
            recorded_at: None,
            bytes: 0,
            signature: None,
            signature_stored: false,
            source: None,
            chunks: None,
            duration_nanos: None,
            foreign: None,
            calls: Box::default(),
            seed_keys: Box::default(),
            problems: Vec::new(),
            secrets: None,
        }
    }

    /// Returns the item with these secrets.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Mask) -> Self {
        self.secrets = (!secrets.is_empty()).then(|| Arc::new(secrets));
        self
    }

    /// Returns the item with additional problems, such as those of rules that compare items.
    #[must_use]
    pub fn with_problems(mut self, more: Vec<Problem>) -> Self {
        if !more.is_empty() {
            self.problems.extend(more);
            self.problems.sort_by_key(|problem| problem.span);
            self.problems.shrink_to_fit();
        }
        self
    }

    /// Returns the name of the file.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the folder of the file, from the project root; empty for the root itself. For recordings this is their set.
    pub fn folder(&self) -> &str {
        self.root_path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder)
    }

    /// Returns the last part of the folder's path, which is the name of a set.
    pub fn set(&self) -> &str {
        self.folder().rsplit('/').next().unwrap_or_default()
    }

    /// Returns the name of its kind, without an article.
    pub fn kind_label(&self) -> &'static str {
        match self.foreign {
            Some(foreign) => foreign.format.label(),
            None => self.kind.as_str(),
        }
    }

    /// Returns its label for the user: its id, or else the name of the file.
    pub fn label(&self) -> &str {
        self.id.as_deref().unwrap_or_else(|| self.file_name())
    }

    /// Returns how many problems of a level there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.problems
            .iter()
            .filter(|problem| problem.severity == severity)
            .count()
    }

    /// Returns the level of the most severe problem.
    pub fn worst(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }
}

/// What is listed of a call in a file of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// The tool it calls or the first words of its answer; without an answer, those of the last message.
    pub label: Arc<str>,
    /// Who answered, and over which API.
    pub provider: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    /// As written (ISO 8601).
    pub started_at: Option<Arc<str>>,
    pub signature: Arc<Signature>,
    /// Why it has no usable answer.
    pub failure: Option<CallFailure>,
    /// The place of the call in the file.
    pub mark: ValueMark,
}

/// The key of a seed, and the place of the seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedKey {
    /// As the provider writes it: `schema:model:job:round`, or `step:model:hash`.
    pub key: Arc<str>,
    /// The seed's JSON Pointer.
    pub pointer: Box<str>,
    /// The seed's place.
    pub mark: ValueMark,
}

/// Creates the row of a file that was read, without its text.
///
/// `problems` are those of [`check_document`](super::check::check_document); `source` is the state of the recording's
/// source that the engine found. Equal names and signatures are shared through `pool`.
pub fn summarise(
    path: Arc<str>,
    root_path: Arc<str>,
    bytes: u64,
    document: &Document,
    mut problems: Vec<Problem>,
    source: Option<SourceState>,
    pool: &Pool,
) -> Item {
    pool.share_texts(&mut problems);
    problems.shrink_to_fit();
    let mut item = Item {
        path,
        root_path,
        kind: document.kind(),
        version: None,
        id: None,
        model: None,
        recorded_at: None,
        bytes,
        signature: None,
        signature_stored: false,
        source: None,
        chunks: None,
        duration_nanos: None,
        foreign: None,
        calls: Box::default(),
        seed_keys: Box::default(),
        problems,
        secrets: None,
    };
    let own = |field: &Option<Field<String>>| text(field).map(Arc::from);
    let shared = |field: &Option<Field<String>>| text(field).map(|text| pool.text(text));
    match &document.body {
        DocumentBody::Recording(recording) => {
            item.version = Some(recording.version);
            item.id = own(&recording.request.id);
            item.recorded_at = own(&recording.recorded_at).or(own(&recording.request.timestamp));
            item.signature = Some(pool.signature(&SignatureText::of_recording(recording)));
            item.signature_stored = recording.signature.is_some();
            item.source = source.map(|source| marked(source, recording, document, pool));
        }
        DocumentBody::Request(request) => {
            item.id = own(&request.id);
            item.recorded_at = own(&request.timestamp);
            item.signature = Some(pool.signature(&SignatureText::of_request(request)));
        }
        DocumentBody::Session(session) => {
            item.id = own(&session.id);
            item.recorded_at = own(&session.captured_at);
        }
        DocumentBody::Config(config) => {
            item.id = config
                .contract
                .as_ref()
                .and_then(|contract| own(&contract.name));
        }
        DocumentBody::Contract(contract) => item.id = own(&contract.name),
        DocumentBody::Report(report) => item.recorded_at = own(&report.started_at),
        DocumentBody::Tape(tape) => {
            item.id = own(&tape.label);
            item.model = shared(&tape.model);
            item.recorded_at = own(&tape.recorded_at);
            item.chunks = Some(u32::try_from(tape.chunks.len()).unwrap_or(u32::MAX));
            let delays = tape.chunks.iter().map(|chunk| chunk.delay_nanos);
            item.duration_nanos = Some(delays.fold(0.0, std::ops::Add::add));
        }
        DocumentBody::Seeds(seeds) => {
            let trace = seeds.seeds.iter().map(|seed| &seed.model);
            let hash = seeds.hash_seeds.iter().map(|seed| &seed.model);
            item.model = trace.chain(hash).find_map(shared);
            item.seed_keys = seed_keys(seeds, document, pool);
        }
        DocumentBody::Foreign(foreign) => item.foreign = Some(*foreign),
        DocumentBody::Machine | DocumentBody::Unknown => {}
    }
    if matches!(item.kind, FileKind::Config) || item.foreign.is_some() {
        item.calls = call_rows(document, pool);
        let mut models = item.calls.iter().map(|call| call.model.clone());
        item.model = models.find(Option::is_some).flatten();
    }
    item
}

fn call_rows(document: &Document, pool: &Pool) -> Box<[CallRow]> {
    let mut places = PlaceFinder::new(document.source());
    let rows = calls(document).into_iter().map(|call| {
        let keep = |text: &Option<String>| text.as_deref().map(|text| pool.text(text));
        let span = document.node(call.node).span();
        let facts = &call.facts;
        let signature = call.document.body.request().map(SignatureText::of_request);
        CallRow {
            label: label_of(&call).into(),
            provider: keep(&facts.provider),
            model: keep(&facts.model),
            started_at: facts.started_at.as_deref().map(Arc::from),
            signature: pool.signature(&signature.unwrap_or_default()),
            failure: call.failure(),
            mark: ValueMark {
                span,
                place: places.place_at(span.start as usize),
            },
        }
    });
    rows.collect()
}

/// Returns the tool that a call's answer calls, or the first words of the answer or else of the last message.
fn label_of(call: &ModelCall<'_>) -> String {
    const LONGEST: usize = 120;
    let request = call.document.body.request();
    let last = request.and_then(|request| request.messages.last());
    let words = match call.answer() {
        Some(answer) => match answer.tools().next() {
            Some(tool) => return tool.to_owned(),
            None => answer.texts().next(),
        },
        None => last.and_then(|message| message.texts().next()),
    };
    let words = words.unwrap_or_default().trim_start();
    let line = words.lines().next().unwrap_or_default();
    line.chars().take(LONGEST).collect()
}

/// Adds the places of `sourceFile` and `contentHash` to the state of a source.
fn marked(
    mut source: SourceState,
    recording: &Recording,
    document: &Document,
    pool: &Pool,
) -> SourceState {
    let mark = |node: NodeId| ValueMark::new(document.node(node));
    source.file = source.file.map(|file| pool.text(&file));
    source.recorded_hash = source.recorded_hash.map(|hash| pool.text(&hash));
    source.because = source.because.map(|because| pool.text(&because));
    source.breaks_at = source.breaks_at.map(|node| pool.text(&node));
    if let Some(metadata) = &recording.source {
        source.file_mark = metadata.value.file.as_ref().map(|file| mark(file.node));
        source.hash_mark = metadata.value.hash.as_ref().map(|hash| mark(hash.node));
    }
    source
}

fn seed_keys(seeds: &Seeds, document: &Document, pool: &Pool) -> Box<[SeedKey]> {
    let mut places = PlaceFinder::new(document.source());
    let trace = seeds.seeds.iter().map(|seed| (seed.key(), seed.node));
    let hash = seeds.hash_seeds.iter().map(|seed| (seed.key(), seed.node));
    let keyed = trace.chain(hash).filter_map(|(key, node)| {
        let node = document.node(node);
        let span = node.span();
        Some(SeedKey {
            key: pool.text(&key?),
            pointer: node.pointer().into(),
            mark: ValueMark {
                span,
                place: places.place_at(span.start as usize),
            },
        })
    });
    keyed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::read;
    use crate::text::Source;

    fn row(text: &str) -> String {
        let document = read(Source::new(text), "a/b.json");
        let path: Arc<str> = "a/b.json".into();
        let pool = Pool::default();
        let bytes = text.len() as u64;
        let item = summarise(
            path.clone(),
            path,
            bytes,
            &document,
            Vec::new(),
            None,
            &pool,
        );
        let Item {
            kind,
            version,
            id,
            model,
            recorded_at,
            chunks,
            duration_nanos,
            ..
        } = item;
        format!(
            "{kind:?} {version:?} {id:?} {model:?} {recorded_at:?} {chunks:?} {duration_nanos:?}"
        )
    }

    #[test]
    fn a_tape_sums_its_delays() {
        insta::assert_snapshot!(row(r#"{ "meta": { "label": "basic", "model": "m", "recordedAt": "2026-01-18T16:00:00Z" },
            "request": { "model": "m", "contents": "x", "config": {} },
            "stream": [ { "delayNs": 1.5, "text": "a" }, { "delayNs": 2e6, "text": "b" } ] }"#), @r#"Tape None Some("basic") Some("m") Some("2026-01-18T16:00:00Z") Some(2) Some(2000001.5)"#);
    }

    #[test]
    fn a_recording_is_named_by_its_request() {
        insta::assert_snapshot!(row(r#"{ "request": { "requestId": "req-1", "timestamp": "2025-12-05T19:07:42.176Z", "messages": [], "tools": [] },
            "response": { "response": { "content": [] } } }"#), @r#"Recording Some(V1) Some("req-1") None Some("2025-12-05T19:07:42.176Z") None None"#);
    }

    #[test]
    fn a_row_costs_less_than_a_kilobyte() {
        assert!(size_of::<Item>() <= 512, "{}", size_of::<Item>());
        assert!(size_of::<Problem>() <= 80, "{}", size_of::<Problem>());
    }
}
