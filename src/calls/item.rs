//! One row of the library: what stays in memory of a file that is not open.

mod rare_facts;

use std::borrow::Cow;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

pub use rare_facts::{Rare, RareFacts};

use super::Pool;
use super::api::{ApiError, provider_of_folder};
use super::cassette_config::CassetteFacts;
use super::secret::Mask;
use super::source::SourceState;
use document::address::WrittenAddress;
use document::call::{CallFailure, ModelCall};
use document::cassette::CassetteClient;
use document::foreign::Foreign;
use document::recording::{MessageBlock, Recording, RecordingVersion};
use document::seeds::Seeds;
use document::signature::{Signature, SignatureText};
use document::text::{PlaceFinder, bytes, counted};
use document::value_mark::ValueMark;
use document::{
    Document, DocumentBody, Field, FileKind, Node, NodeId, Problem, RuleId, Severity, text,
};

/// The name of the file with a project's settings. Its folder is the project root.
pub const SETTINGS_FILE_NAME: &str = "retake.toml";

/// The usual name of a baseline of `retake check`, which is JSON, but not a fixture.
pub const BASELINE_FILE_NAME: &str = "retake-baseline.json";

/// The row of a file that stays in memory after it was read: enough to list, filter, sort and check it with other files, in
/// well under a kilobyte. The text is read again when the file is opened.
///
/// All but its problems is shared with the same item before other files were looked at, and read through `Deref`.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    facts: Arc<ItemFacts>,
    /// All problems of the file. Equal ones of several files are shared.
    pub problems: Arc<[Problem]>,
}

/// Facts of a file by itself, without its problems.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ItemFacts {
    /// The path as given by the caller, joined with `/`.
    pub path: Arc<str>,
    /// The start in `path` of the path from the project root, unless [`RareFacts::own_root_path`] is it.
    pub root_start: u32,
    pub kind: FileKind,
    pub version: Option<RecordingVersion>,
    /// Whether the signature is stored in the file, not computed.
    pub signature_stored: bool,
    /// Whether a run that was read sent something else than is recorded, so that it is to be recorded again. Not stored, and gone once the
    /// file changes.
    pub is_drifted: bool,
    /// The id in its content, if any.
    pub id: Option<Box<str>>,
    /// As written (ISO 8601).
    pub recorded_at: Option<Box<str>>,
    /// Size of the file.
    pub bytes: u64,
    /// As playback sees it; shared by all with the same one.
    pub signature: Option<Arc<Signature>>,
    /// For recordings.
    pub source: Option<Arc<SourceState>>,
    /// Its content in a few words.
    pub summary: Option<Box<ItemSummary>>,
    /// The other facts, read through `Deref`, and changed by [`Rare::edit`].
    pub rare: Rare,
}

impl Deref for ItemFacts {
    type Target = RareFacts;

    #[inline]
    fn deref(&self) -> &RareFacts {
        &self.rare
    }
}

impl ItemFacts {
    /// Creates the facts of a file of which only the path is known.
    pub fn new(path: &str) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// Creates the facts of a file of which only the paths are known: as given, and from the project root; for a file outside the root
    /// both are the same.
    pub fn at(path: Arc<str>, root_path: &str) -> Self {
        let mut facts = Self::default();
        facts.set_paths(path, root_path);
        facts
    }

    /// Sets the path as given, and the path from the project root.
    pub fn set_paths(&mut self, path: Arc<str>, root_path: &str) {
        // Mostly one is the end of the other, which is then in memory once for each file.
        let start = path.strip_suffix(root_path).and_then(|start| u32::try_from(start.len()).ok());
        self.root_start = start.unwrap_or_default();
        if start.is_none() || self.rare.own_root_path.is_some() {
            self.rare.edit().own_root_path = start.is_none().then(|| root_path.into());
        }
        self.path = path;
    }

    /// Returns the path from the project root, joined with `/`; for a file outside the root the path as given.
    pub fn root_path(&self) -> &str {
        let end = || self.path.get(self.root_start as usize..).unwrap_or_default();
        self.rare.own_root_path.as_deref().unwrap_or_else(end)
    }
}

impl From<ItemFacts> for Item {
    /// Creates an item without problems.
    fn from(facts: ItemFacts) -> Self {
        Self { facts: Arc::new(facts), problems: Arc::default() }
    }
}

impl Deref for Item {
    type Target = ItemFacts;

    #[inline]
    fn deref(&self) -> &ItemFacts {
        &self.facts
    }
}

impl DerefMut for Item {
    /// Other clones of the item stay as they are.
    fn deref_mut(&mut self) -> &mut ItemFacts {
        Arc::make_mut(&mut self.facts)
    }
}

impl Item {
    /// Creates an item of which only the path is known.
    pub fn new(path: &str) -> Self {
        ItemFacts::new(path).into()
    }

    /// Returns the item with these secrets, which are hidden in its summaries and in the URLs of its calls.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Mask) -> Self {
        if secrets.is_empty() {
            if self.secrets.is_some() {
                self.rare.edit().secrets = None;
            }
            return self;
        }
        let facts = &mut *self;
        facts.summary.iter_mut().for_each(|summary| summary.hide(&secrets));
        let rare = facts.rare.edit();
        for call in &mut rare.calls {
            call.summary.hide(&secrets);
            if let Some(http) = &mut call.http
                && let Cow::Owned(url) = secrets.apply(&http.url)
            {
                http.url = url.into();
            }
        }
        rare.secrets = Some(Arc::new(secrets));
        self
    }

    /// Returns the item with what is configured about it.
    #[must_use]
    pub fn with_cassette(mut self, facts: Option<CassetteFacts>) -> Self {
        if facts.is_some() || self.cassette.is_some() {
            self.rare.edit().cassette = facts.map(Box::new);
        }
        self
    }

    /// Names the provider of calls without a host by the folder: recorders of one process store only a path.
    fn name_providers(&mut self, pool: &Pool) {
        let is_unnamed = |call: &CallRow| call.api.is_some() && call.provider.is_none();
        // Most calls have a host, and comparing names of folders takes longer than reading a small file.
        if !self.calls.iter().any(is_unnamed) {
            return;
        }
        let Some(name) = provider_of_folder(self.root_path()) else { return };
        self.rare.edit().calls.iter_mut().filter(|call| is_unnamed(call)).for_each(|call| {
            call.provider = Some(pool.text(name));
        });
    }

    /// Returns the item with rows for the calls that are [listed below it](crate::reading::listed_calls), and their model.
    #[must_use]
    pub fn with_calls(mut self, document: &Document, calls: &[ModelCall<'_>], pool: &Pool) -> Self {
        let is_cassette = self.kind == FileKind::Cassette;
        // Of an archive that cannot be unpacked, nothing is read.
        let is_read = document.tree.is_well_formed() || !calls.is_empty();
        let is_run = is_read && self.foreign.is_some_and(|foreign| foreign.format.is_agent_run());
        if is_run && let Some(foreign) = &mut self.rare.edit().foreign {
            foreign.entries = Some(calls.len());
        }
        if let Some(summary) = self.summary.as_mut().filter(|_| is_cassette || is_run) {
            let calls = counted(calls.len(), "call", "calls");
            summary.note = format!("{calls}, {}", summary.note).into();
        }
        if !calls.is_empty() {
            self.rare.edit().calls = call_rows(document, calls, pool);
            self.name_providers(pool);
            if is_cassette || is_run {
                self.recorded_at =
                    self.calls.first().and_then(|call| call.started_at.as_deref().map(Box::from));
            }
            self.rare.edit().model = self.calls.iter().find_map(|call| call.model.clone());
        }
        self
    }

    /// Returns the item with additional problems, such as those of rules that compare items.
    #[must_use]
    pub fn with_problems(mut self, additions: Vec<Problem>) -> Self {
        if !additions.is_empty() {
            self.change_problems(|problems| {
                problems.extend(additions);
                // Rules that look across files come last, but are listed where they are in the text.
                problems.sort_by_key(|problem| problem.span);
            });
        }
        self
    }

    /// Returns the item with a list of problems that it shares with other items, if one of them has the same.
    #[must_use]
    pub fn share_problems(mut self, pool: &Pool) -> Self {
        self.problems = pool.problems(self.problems.to_vec());
        self
    }

    /// Changes the list of problems; clones of the item keep theirs.
    pub fn change_problems(&mut self, change: impl FnOnce(&mut Vec<Problem>)) {
        let mut problems = self.problems.to_vec();
        change(&mut problems);
        // An equal list stays the one that other items share.
        if *problems != *self.problems {
            self.problems = problems.into();
        }
    }

    /// Returns the name of the file.
    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// Returns the folder of the file, from the project root; empty for the root itself. For recordings this is their set.
    pub fn folder(&self) -> &str {
        self.root_path().rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// Returns the last part of the folder's path, which is the name of a set.
    pub fn set(&self) -> &str {
        self.folder().rsplit('/').next().unwrap_or_default()
    }

    /// Returns the name of its kind, without an article.
    pub fn kind_label(&self) -> &str {
        let label = || self.foreign.map_or_else(|| self.kind.as_str(), |foreign| foreign.label());
        self.format_name.as_deref().unwrap_or_else(label)
    }

    /// Returns its label for the user: its id, or else the name of the file.
    pub fn label(&self) -> &str {
        self.id.as_deref().unwrap_or_else(|| self.file_name())
    }

    /// Returns whether it is of VCR or a program like it; files of other recorders are read as cassettes, too.
    pub fn is_cassette(&self) -> bool {
        self.kind == FileKind::Cassette && self.client().is_some()
    }

    /// Returns the program that plays a cassette: as configured, else as its content says; `None` for other files.
    pub fn client(&self) -> Option<CassetteClient> {
        let client = self.cassette.as_ref().and_then(|c| c.client.as_ref());
        client.map(|(client, _)| *client).or_else(|| self.foreign?.client)
    }

    /// Returns the models that it or its calls name, each once, in their order.
    pub fn models(&self) -> Vec<&str> {
        let mut models = Vec::new();
        for model in self.calls.iter().map(|call| &call.model).chain([&self.model]).flatten() {
            if !models.contains(&&**model) {
                models.push(&**model);
            }
        }
        models
    }

    /// Returns the number of tokens of all its calls, requests and answers; `None` if no call has its number.
    pub fn tokens(&self) -> Option<u64> {
        let counts =
            self.calls.iter().map(|call| call.tokens).flat_map(|(input, output)| [input, output]);
        // Counts in a file may have any size, so their sum could overflow.
        counts.flatten().reduce(u64::saturating_add)
    }

    /// Returns the number of the call that is shown for the whole file: the first that a problem is about, else the first. Notes are no
    /// reason, since most calls have some.
    pub fn main_call(&self) -> usize {
        let problems = self.problems.iter().filter(|p| p.severity > Severity::Note);
        let first_call = |problem: &Problem| match &problem.calls {
            Some(calls) => calls.numbers.first().copied(),
            None => self.calls.iter().position(|call| call.has_problem(problem)),
        };
        problems.filter_map(first_call).min().unwrap_or_default()
    }

    /// Returns how many problems of a level there are.
    pub fn count(&self, severity: Severity) -> usize {
        self.problems.iter().filter(|problem| problem.severity == severity).count()
    }

    /// Returns the level of the most severe problem.
    pub fn worst(&self) -> Option<Severity> {
        self.problems.iter().map(|problem| problem.severity).max()
    }
}

/// Content of an item or a call in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ItemSummary {
    /// The tool that the answer calls first.
    pub tool: Option<Arc<str>>,
    /// The first words of the answer, or of what the tool is given; of a bare request, those of its last message.
    pub quote: Box<str>,
    /// Else: a description, such as why a call has no usable answer.
    pub note: Box<str>,
}

impl ItemSummary {
    /// Returns the tool, or else the words.
    pub fn label(&self) -> &str {
        match &self.tool {
            Some(tool) => tool,
            None if self.quote.is_empty() => &self.note,
            None => &self.quote,
        }
    }

    fn hide(&mut self, secrets: &Mask) {
        for text in [&mut self.quote, &mut self.note] {
            if let Cow::Owned(masked_text) = secrets.apply(text) {
                *text = masked_text.into();
            }
        }
    }

    fn quote(text: &str) -> Self {
        Self { quote: first_words(text), ..Self::default() }
    }

    fn note(text: String) -> Self {
        Self { note: text.into(), ..Self::default() }
    }

    /// Describes a call; `file` is the document that holds it.
    pub fn of_call(call: &ModelCall<'_>, file: &Document, pool: &Pool) -> Self {
        if !call.is_of_model() {
            let http = call.facts.http.as_ref();
            // Method, host and path say which call it is; a query may contain a key.
            let address = http.map(|http| {
                let url = WrittenAddress::split(&http.url).without_query;
                format!("{} {url}", http.method)
            });
            return Self::note(address.unwrap_or_default());
        }
        let http = call.facts.http.as_ref();
        if let (DocumentBody::Request(request), None) = (&call.document.body, http) {
            let words = request.messages.last().and_then(|message| message.texts().last());
            return Self::quote(words.unwrap_or_default());
        }
        let failure = call.failure();
        let answer = call.answer().filter(|answer| failure.is_none() && !answer.blocks.is_empty());
        let Some(answer) = answer else {
            let error = http.and_then(|http| ApiError::of_exchange(file, http));
            let words = error.map(|error| first_words(&error.message));
            let note = match (failure, words.filter(|words| !words.is_empty())) {
                (Some(failure @ CallFailure::Status(_)), Some(words)) => {
                    format!("{failure}: {words}")
                }
                (_, Some(words)) => format!("Error: {words}"),
                (Some(failure), None) => failure.to_string(),
                (None, None) => String::new(),
            };
            return Self::note(note);
        };
        let tool = answer.blocks.iter().find_map(|block| match block {
            MessageBlock::ToolUse(call) => Some(call),
            _ => None,
        });
        let input = tool.and_then(|tool| tool.input).map(|input| call.document.node(input));
        let first_text = || input.into_iter().flat_map(Node::items).find_map(Node::as_str);
        let texts: Vec<&str> = answer.texts().filter(|text| !text.trim().is_empty()).collect();
        let words = match &texts[..] {
            // A stream may hold each word as a block of its own.
            [first, _, ..] if !first.trim().contains(' ') => Cow::Owned(texts.concat()),
            [first, ..] => Cow::Borrowed(*first),
            [] => Cow::Borrowed(first_text().unwrap_or_default()),
        };
        Self {
            tool: tool.and_then(|tool| text(&tool.name)).map(|name| pool.text(name)),
            ..Self::quote(&words)
        }
    }

    fn of_document(document: &Document, pool: &Pool) -> Option<Self> {
        Some(match &document.body {
            DocumentBody::Recording(_) | DocumentBody::Request(_) => {
                Self::of_call(&ModelCall::from_document(Cow::Borrowed(document))?, document, pool)
            }
            DocumentBody::Session(session) => Self::quote(text(&session.input)?),
            DocumentBody::Tape(tape) => Self::quote(&tape.joined()),
            DocumentBody::Seeds(seeds) => {
                Self::note(counted(seeds.seeds.len() + seeds.hash_seeds.len(), "seed", "seeds"))
            }
            DocumentBody::Config(config) => {
                Self::note(counted(config.sessions.len(), "session", "sessions"))
            }
            DocumentBody::Report(report) => {
                let failure_count = report.failed();
                let runs = counted(report.mutations.len(), "run", "runs");
                Self::note(format!("{failure_count} of {runs} failed"))
            }
            // The number of its calls is added when they are known.
            DocumentBody::Foreign(foreign)
                if foreign.format.kind() == FileKind::Cassette || foreign.format.is_agent_run() =>
            {
                Self::note(bytes(document.source().text().len() as u64))
            }
            DocumentBody::Foreign(foreign) => Self::note(foreign.describe()),
            DocumentBody::Contract(_) | DocumentBody::Machine | DocumentBody::Unknown => {
                return None;
            }
        })
    }
}

/// Returns the beginning of a text: of what it quotes, as prompts do with the words of a user, else of its first line that is
/// not a heading of Markdown.
pub fn first_words(text: &str) -> Box<str> {
    // A row shows no more than this, and every item keeps the text in memory.
    const MAX_CHARS: usize = 100;
    // The fence of a code block is no word of it.
    let is_text = |line: &&str| !line.is_empty() && !line.starts_with("```");
    let lines = || text.lines().map(str::trim).filter(is_text);
    let first_line = lines().next().unwrap_or_default();
    let is_prompt = first_line.starts_with('#');
    let line = if is_prompt {
        let plain_line = || lines().find(|line| !line.starts_with('#'));
        lines().find_map(|line| line.strip_prefix('>')).or_else(plain_line).unwrap_or(first_line)
    } else {
        first_line
    };
    let line = line.trim();
    let Some((end, _)) = line.char_indices().nth(MAX_CHARS) else { return line.into() };
    // Up to a whole word, unless one takes most of the line, as encoded data does.
    let words = line[..end].rsplit_once(char::is_whitespace).map(|(words, _)| words.trim_end());
    let words = words.filter(|words| words.len() > end / 2).unwrap_or(&line[..end]);
    format!("{words}…").into()
}

/// Row of a call in a file of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// The value of the file that holds it.
    pub node: NodeId,
    pub summary: ItemSummary,
    /// The service that answered.
    pub provider: Option<Arc<str>>,
    /// The API; `None` for an HTTP call that is of no model.
    pub api: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    /// As written (ISO 8601).
    pub started_at: Option<Arc<str>>,
    /// Number of tokens of the request and of the answer.
    pub tokens: (Option<u64>, Option<u64>),
    /// `None` for a call that is known without its HTTP side.
    pub http: Option<HttpLine>,
    pub signature: Arc<Signature>,
    /// Reason why it has no usable answer.
    pub failure: Option<CallFailure>,
    /// The place of the call in the file.
    pub mark: ValueMark,
}

impl CallRow {
    /// Whether a problem is about this call.
    pub fn has_problem(&self, problem: &Problem) -> bool {
        let (problem_span, call_span) = (problem.span, self.mark.span);
        // A problem of the whole file has an empty place at its beginning, which may be in the first call.
        call_span.start <= problem_span.start
            && problem_span.end <= call_span.end
            && !problem.pointer.is_empty()
    }
}

/// HTTP side of a call, as listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpLine {
    /// Such as `POST`.
    pub method: Arc<str>,
    pub url: Arc<str>,
    /// Status of the answer; 0 if there is none.
    pub status: u16,
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

/// Creates the row of a file that was read, without its text and its calls.
///
/// `problems` are those of `check::check_document`; `source` is the state of the recording's
/// source that the engine found. Equal names and signatures are shared through `pool`.
pub fn summarise(
    path: Arc<str>,
    root_path: &str,
    bytes: u64,
    document: &Document,
    mut problems: Vec<Problem>,
    source: Option<SourceState>,
    pool: &Pool,
) -> Item {
    pool.share_texts(&mut problems);
    let mut item = ItemFacts { kind: document.kind(), bytes, ..ItemFacts::at(path, root_path) };
    let own_text = |field: &Option<Field<String>>| text(field).map(Box::from);
    let shared_text = |field: &Option<Field<String>>| text(field).map(|text| pool.text(text));
    match &document.body {
        DocumentBody::Recording(recording) => {
            item.version = Some(recording.version);
            item.id = own_text(&recording.request.id);
            item.recorded_at =
                own_text(&recording.recorded_at).or(own_text(&recording.request.timestamp));
            item.signature = Some(pool.signature(&SignatureText::of_recording(recording)));
            item.signature_stored = recording.signature.is_some();
            item.source =
                source.map(|source| pool.source(marked(source, recording, document, pool)));
        }
        DocumentBody::Request(request) => {
            item.id = own_text(&request.id);
            item.recorded_at = own_text(&request.timestamp);
            item.signature = Some(pool.signature(&SignatureText::of_request(request)));
        }
        DocumentBody::Session(session) => {
            item.id = own_text(&session.id);
            item.recorded_at = own_text(&session.captured_at);
        }
        DocumentBody::Config(config) => {
            item.id = config.contract.as_ref().and_then(|contract| own_text(&contract.name));
        }
        DocumentBody::Contract(contract) => item.id = own_text(&contract.name),
        DocumentBody::Report(report) => {
            item.recorded_at = own_text(&report.started_at);
            item.rare.edit().failed_runs = report.failed().try_into().unwrap_or(u32::MAX);
        }
        DocumentBody::Tape(tape) => {
            item.id = own_text(&tape.label);
            item.rare.edit().model = shared_text(&tape.model);
            item.recorded_at = own_text(&tape.recorded_at);
            item.rare.edit().chunks = Some(u32::try_from(tape.chunks.len()).unwrap_or(u32::MAX));
            let delays = tape.chunks.iter().map(|chunk| chunk.delay_nanos);
            // The `sum` of no delays would be -0.
            item.rare.edit().duration_nanos = Some(delays.fold(0.0, std::ops::Add::add));
        }
        DocumentBody::Seeds(seeds) => {
            let hash_models = seeds.hash_seeds.iter().map(|seed| &seed.model);
            item.rare.edit().model =
                seeds.seeds.iter().map(|seed| &seed.model).chain(hash_models).find_map(shared_text);
            item.rare.edit().seed_keys = seed_keys(seeds, document, pool);
        }
        DocumentBody::Foreign(foreign) => {
            // In a broken text the last entry may be half, and others may follow.
            let is_broken = document.problems.iter().any(|problem| problem.rule == RuleId::Syntax);
            let entries = foreign.entries.filter(|_| !is_broken);
            item.rare.edit().foreign = Some(Foreign { entries, ..*foreign });
            let name = document.format.as_ref().map(|format| &*format.name);
            item.rare.edit().format_name = name.filter(|name| !name.is_empty()).map(Arc::from);
        }
        DocumentBody::Machine | DocumentBody::Unknown => {}
    }
    item.summary = ItemSummary::of_document(document, pool).map(Box::new);
    Item { facts: Arc::new(item), problems: pool.problems(problems) }
}

fn call_rows(document: &Document, calls: &[ModelCall<'_>], pool: &Pool) -> Box<[CallRow]> {
    let mut places = PlaceFinder::new(document.source());
    let rows = calls.iter().map(|call| {
        let share = |text: &Option<String>| text.as_deref().map(|text| pool.text(text));
        let span = document.node(call.node).span();
        let facts = &call.facts;
        // The outline of a long request has its signature in place of its messages.
        let signature = match &call.document.body {
            DocumentBody::Recording(recording) => Some(SignatureText::of_recording(recording)),
            body => body.request().map(SignatureText::of_request),
        };
        CallRow {
            node: call.node,
            summary: ItemSummary::of_call(call, document, pool),
            provider: share(&facts.provider),
            api: facts.api.map(|api| pool.text(api)),
            model: share(&facts.model),
            tokens: (facts.input_tokens, facts.output_tokens),
            http: facts.http.as_ref().map(|http| HttpLine {
                method: pool.text(&http.method),
                url: pool.text(&http.url),
                status: http.status,
            }),
            started_at: facts.started_at.as_deref().map(Arc::from),
            signature: pool.signature(&signature.unwrap_or_default()),
            failure: call.failure(),
            mark: ValueMark { span, place: places.place_at(span.start as usize) },
        }
    });
    rows.collect()
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
    let trace_keys = seeds.seeds.iter().map(|seed| (seed.key(), seed.node));
    let hash_keys = seeds.hash_seeds.iter().map(|seed| (seed.key(), seed.node));
    let rows = trace_keys.chain(hash_keys).filter_map(|(key, node)| {
        let node = document.node(node);
        let span = node.span();
        Some(SeedKey {
            key: pool.text(&key?),
            pointer: node.pointer().into(),
            mark: ValueMark { span, place: places.place_at(span.start as usize) },
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::{all_calls, listed_calls};
    use document::read;
    use document::text::Source;

    fn row(text: &str) -> String {
        let document = read(Source::new(text), "a/b.json");
        let path: Arc<str> = "a/b.json".into();
        let pool = Pool::default();
        let bytes = text.len() as u64;
        let item = summarise(path.clone(), &path, bytes, &document, Vec::new(), None, &pool);
        let ItemFacts { kind, version, id, recorded_at, .. } = &*item;
        let RareFacts { model, chunks, duration_nanos, .. } = &**item;
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
    fn rows_of_calls_need_no_texts_of_answered_requests() {
        let call = |sent: &str, received: &str| {
            format!(
                "- request: {{method: POST, uri: 'https://api.anthropic.com/v1/messages', headers: {{}}, body: '{sent}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: '{received}'}}}}\n"
            )
        };
        let sent = r#"{"model": "m", "system": "s", "messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": [{"type": "text", "text": "x"}]}], "tools": [{"name": "look_up", "description": "d", "input_schema": {"type": "object"}}]}"#;
        let answer = r#"{"type": "message", "role": "assistant", "model": "m", "content": [{"type": "tool_use", "id": "1", "name": "look_up", "input": {"a": "It left"}}], "usage": {"input_tokens": 3, "output_tokens": 4}}"#;
        let text = format!("interactions:\n{}{}", call(sent, answer), call(sent, ""));
        let document = read(Source::new(text), "a.yaml");
        let pool = Pool::default();
        let [listed, all] = [listed_calls(&document), all_calls(&document)];
        let texts = |call: &ModelCall<'_>| -> Vec<String> {
            let request = call.document.body.request().unwrap();
            request.messages.iter().flat_map(|message| message.texts()).map(str::to_owned).collect()
        };
        assert_ne!(texts(&listed[0]), texts(&all[0]));
        assert_eq!(texts(&listed[1]), texts(&all[1]));
        assert_eq!(call_rows(&document, &listed, &pool), call_rows(&document, &all, &pool));
    }

    #[test]
    fn a_folder_names_the_provider_where_no_host_does() {
        let text = r#"{"request": {"path": "/v1/chat/completions", "body": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}}, "response": {"status": 200, "body": {"choices": [{"message": {"role": "assistant", "content": "Fine."}}]}}}"#;
        let with_host = text.replace("/v1/", "https://api.groq.com/v1/");
        let provider = |text: &str, path: &str| {
            let (document, pool) = (read(Source::new(text), path), Pool::default());
            let calls = listed_calls(&document);
            let item = summarise(path.into(), path, 1, &document, Vec::new(), None, &pool)
                .with_calls(&document, &calls, &pool);
            item.calls[0].provider.as_deref().map(str::to_owned)
        };
        let names = [
            provider(text, "cassettes/cohere/a.json"),
            provider(text, "cassettes/a.json"),
            provider(&with_host, "cassettes/cohere/a.json"),
        ];
        assert_eq!(names, [Some("Cohere".into()), None, Some("Groq".into())]);
    }

    #[test]
    fn a_recorded_call_without_a_usable_answer_says_why() {
        let chat = "https://api.openai.com/v1/chat/completions";
        let invoke = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse";
        let messages = "https://api.anthropic.com/v1/messages";
        let words = r#"{"type": "message", "content": [{"type": "text", "text": "On"}, {"type": "text", "text": " their way."}]}"#;
        let event =
            r#"data: {"type":"error","error":{"type":"overloaded_error","message":"Later"}}"#;
        let cases = [
            (chat, 200, r#"{"choices": [{"message": {"content": "Fine."}}]}"#),
            (messages, 200, words),
            (chat, 429, r#"{"error": {"message": "Too many requests", "type": "tokens"}}"#),
            (chat, 200, r#"{"error": {"message": "Too many requests", "type": "tokens"}}"#),
            (chat, 200, event),
            (chat, 500, ""),
            (chat, 502, "<html>Bad gateway</html>"),
            (invoke, 400, r#"{"message": "The model identifier is invalid."}"#),
            (chat, 200, ""),
            (chat, 200, r#"{"reply": "Fine."}"#),
            (chat, 200, r#"{"message": "Fine."}"#),
        ];
        let rows = cases.map(|(uri, status, received)| {
            let sent = r#"{"messages": [{"role": "user", "content": "Hi"}], "model": "m"}"#;
            let json = serde_json::json!({"version": 1, "interactions": [{
                "request": {"method": "POST", "uri": uri, "headers": {}, "body": sent},
                "response": {"status": {"code": status, "message": ""}, "headers": {}, "body": {"string": received}},
            }]});
            let (document, pool) = (read(Source::new(json.to_string()), "a.yaml"), Pool::default());
            let [call] = &*call_rows(&document, &listed_calls(&document), &pool) else {
                panic!("{received}");
            };
            format!("“{}” {}", call.summary.quote, call.summary.note)
        });
        insta::assert_snapshot!(rows.join("\n"), @"
        “Fine.” 
        “On their way.” 
        “” HTTP status 429: Too many requests
        “” Error: Too many requests
        “” Error: Later
        “” HTTP status 500
        “” HTTP status 502
        “” HTTP status 400: The model identifier is invalid.
        “” No answer
        “” The answer is in a form that is not read
        “” The answer is in a form that is not read
        ");
        let request = r#"{ "requestId": "r", "messages": [{ "role": "user", "content": "Hi" }], "tools": [] }"#;
        let recording = format!(r#"{{ "request": {request}, "response": null }}"#);
        let summaries = [request, &recording].map(|text| {
            let document = read(Source::new(text), "a.json");
            let summary = ItemSummary::of_document(&document, &Pool::default()).unwrap();
            format!("“{}” {}", summary.quote, summary.note)
        });
        assert_eq!(summaries, ["“Hi” ", "“” No answer"]);
    }

    #[test]
    fn a_cassette_is_recorded_when_its_first_call_is() {
        let call = |at: &str| {
            format!(
                "- request: {{method: get, uri: 'https://a.dev/', headers: {{}}, body: {{string: ''}}}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{}}, body: {{string: ok}}}}\n  recorded_at: {at}\n"
            )
        };
        let calls = ["Wed, 19 Aug 2026 14:38:10 GMT", "Wed, 19 Aug 2026 14:38:11 GMT"].map(call);
        let text = format!("---\nhttp_interactions:\n{}recorded_with: VCR 6.3.1\n", calls.concat());
        let (document, pool) = (read(Source::new(text), "a.yml"), Pool::default());
        let path: Arc<str> = "a.yml".into();
        let item = summarise(Arc::clone(&path), &path, 1, &document, Vec::new(), None, &pool)
            .with_calls(&document, &listed_calls(&document), &pool);
        assert_eq!(item.recorded_at.as_deref(), Some("2026-08-19T14:38:10Z"));
    }

    #[test]
    fn a_path_from_the_root_is_the_end_of_the_path_or_its_own_text() {
        for (path, root_path) in [
            ("/a/b/c.json", "b/c.json"),
            ("a.json", "a.json"),
            ("b/c.json", "a/b/c.json"),
            ("/link/c.json", "é/c.json"),
            ("/a/b", ""),
        ] {
            let mut facts = ItemFacts::at(path.into(), root_path);
            assert_eq!((&*facts.path, facts.root_path()), (path, root_path));
            facts.set_paths("x/é".into(), "é");
            assert_eq!((&*facts.path, facts.root_path()), ("x/é", "é"));
            assert_eq!(facts, ItemFacts::at("x/é".into(), "é"));
        }
    }

    #[test]
    fn a_row_costs_less_than_a_kilobyte() {
        let facts = size_of::<ItemFacts>();
        assert!(facts <= 96, "{facts}");
        assert!(size_of::<Problem>() <= 80, "{}", size_of::<Problem>());
    }
}
