//! Finds which version of a file recorded the answer of each call, and which one its request is of.
//!
//! A version is reduced to the [fingerprints](CallFingerprint) of its calls. From the newest version on, each answer and each request
//! is passed to an older version as long as that has the same; where it has not is the version that recorded it.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, Hash};
use std::sync::Arc;

use super::unused::ValueBytes;
use calls::reading::all_calls;
use calls::tape::verify::ignore::{is_id, masked, names_date};
use document::call::{BodyContent, HttpBody, ModelCall};
use document::commit::CommitSummary;
use document::text::Source;
use document::{Document, Node, NodeKind, json};

/// Fingerprint by which a call is recognised in other versions of its file. Ids, times, numbers of tokens, headers, the order of keys
/// and the compression or streaming of a body do not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallFingerprint {
    /// Method and URL; empty for a call that is not of HTTP.
    address: String,
    /// A hash of what was sent.
    request: Box<str>,
    /// A hash of what was answered.
    answer: Box<str>,
    /// Hashes of the ids and times that the service gave this answer, sorted: another answer of the service has others.
    marks: Box<[u64]>,
}

/// The calls of an older version that have the same request and the same answer as a call, by their numbers from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OlderCall {
    pub request: Option<usize>,
    pub answer: Option<usize>,
    /// The call that is of the same take: the service gave its answer the same ids and times.
    pub take: Option<usize>,
    /// Whether the call was recorded again since the older version; `None` if its answer has no ids or times that show it.
    pub is_recorded_again: Option<bool>,
}

/// A part of a call that is recorded and changed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallPart {
    Answer,
    Request,
    /// The take as it was recorded, before anything in it was edited.
    Take,
}

/// The parts of calls of one version for which the version that recorded them is not found yet.
#[derive(Clone, Debug, Default)]
pub struct OpenParts(Vec<OpenPart>);

#[derive(Clone, Copy, Debug)]
struct OpenPart {
    part: CallPart,
    /// The number of the call in the newest version, from 0.
    newest: usize,
    /// The number of the call in this version, from 0.
    here: usize,
    /// Whether the version changed it by hand: an older one has the same take of the call.
    is_edited: bool,
    /// Whether a later version has another take with the same content, which confirms it.
    is_confirmed: bool,
}

/// The commits of a call; `None` for what is not committed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallCommits {
    /// The number of the call, from 0.
    pub index: usize,
    /// The commit that recorded the answer.
    pub answer: Option<Arc<CommitSummary>>,
    /// The commit that changed the request last.
    pub request: Option<Arc<CommitSummary>>,
    /// Whether the answer was edited by hand there: it differs, and has the ids and times of the answer before it.
    pub is_answer_edited: bool,
    /// Whether the request was edited by hand there: the answer was not recorded again.
    pub is_request_edited: bool,
    /// The commit that recorded the call; `None` if nothing in it was edited since, or if that is not known.
    pub recorded: Option<Arc<CommitSummary>>,
    /// Reason that the call is known to be derived: made by Retake, or in another way than by recording.
    pub derived: Option<Arc<str>>,
}

/// Origin of the calls of a file, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileProvenance {
    /// Whether a part of a call was edited by hand since it was recorded.
    pub is_edited: bool,
    /// Whether Retake wrote the file as it is, or a call was written in another way than by recording.
    pub is_derived: bool,
}

impl FileProvenance {
    /// Returns that of a file with these calls.
    pub fn of_calls(calls: &[CallCommits]) -> Self {
        Self {
            is_edited: calls.iter().any(CallCommits::is_edited),
            is_derived: calls.iter().any(|call| call.derived.is_some()),
        }
    }

    /// Returns its label; empty if nothing but recordings are known.
    pub fn label(self) -> &'static str {
        match (self.is_derived, self.is_edited) {
            (true, _) => "derived",
            (false, true) => "edited by hand",
            (false, false) => "",
        }
    }
}

impl CallCommits {
    /// Returns whether a part of the call was edited by hand since it was recorded.
    pub fn is_edited(&self) -> bool {
        self.is_answer_edited || self.is_request_edited
    }
}

impl CallFingerprint {
    /// Returns those of all calls of a document, in its order.
    pub fn of_document(document: &Document) -> Vec<Self> {
        all_calls(document).iter().map(|call| Self::of_call(document, call)).collect()
    }

    /// Returns whether its answer has no ids and times that show whether it was recorded again.
    pub fn is_unmarked(&self) -> bool {
        self.marks.is_empty()
    }

    fn of_call(doc: &Document, call: &ModelCall<'_>) -> Self {
        let http = call.facts.http.as_ref();
        let address = http.map_or_else(String::new, |http| format!("{} {}", http.method, http.url));
        let (request, answer) = (hash_request(doc, call, &address), hash_answer(doc, call));
        Self { request, answer, marks: answer_marks(doc, call), address }
    }
}

fn hash_request(document: &Document, call: &ModelCall<'_>, address: &str) -> Box<str> {
    // Ids and dates within texts differ each time a call is recorded.
    let mut bytes = ValueBytes::new(is_noise, |text| masked(text).0);
    bytes.add_text(address);
    let sent = call.facts.http.as_ref().and_then(|http| http.request_body.as_ref());
    match (sent, call.document.body.request()) {
        (Some(body), _) => add_body(&mut bytes, document, body),
        // Without an HTTP body, model and settings are stored beside the request.
        (None, Some(request)) => {
            bytes.add(call.document.node(request.node));
            bytes.add_text(call.facts.model.as_deref().unwrap_or_default());
            for (name, value) in &call.facts.parameters {
                bytes.add_text(name);
                bytes.add_text(value);
            }
        }
        (None, None) => {}
    }
    bytes.hash()
}

fn hash_answer(document: &Document, call: &ModelCall<'_>) -> Box<str> {
    let answer = call.answer().filter(|_| call.failure().is_none());
    let is_ignored = if answer.is_some() { is_noise_of_answer } else { is_noise };
    let mut bytes = ValueBytes::new(is_ignored, |text| masked(text).0);
    let http = call.facts.http.as_ref();
    if let Some(http) = http {
        bytes.add_text(&http.status.to_string());
    }
    match (answer, http.and_then(|http| http.response_body.as_ref())) {
        (Some(answer), _) => {
            let node = call.document.node(answer.node);
            // The other members are ids and counts of the one call.
            for key in ["content", "stop_reason"] {
                if let Some(value) = node.get(key) {
                    bytes.add_text(key);
                    bytes.add(value);
                }
            }
            let reasoning = answer.reasoning.as_ref();
            bytes.add_text(reasoning.map_or("", |reasoning| &reasoning.value));
        }
        // An error, or a call that is of no model.
        (None, Some(body)) => add_body(&mut bytes, document, body),
        (None, None) => {}
    }
    bytes.hash()
}

/// Headers of answers whose values are of one answer only.
const MARK_HEADERS: [&str; 7] = [
    "date",
    "x-request-id",
    "request-id",
    "cf-ray",
    "x-amzn-requestid",
    "apim-request-id",
    "x-goog-request-id",
];

/// Returns hashes of the ids and times that a service gave an answer. There are none if the file was made stable: then they are the same in
/// every take.
fn answer_marks(document: &Document, call: &ModelCall<'_>) -> Box<[u64]> {
    let http = call.facts.http.as_ref();
    let headers = http.into_iter().flat_map(|http| &http.response_headers);
    let headers =
        headers.filter(|(name, _)| MARK_HEADERS.iter().any(|mark| name.eq_ignore_ascii_case(mark)));
    // A placeholder such as `FILTERED` is the same in every take.
    let has_digits = |value: &&String| value.bytes().filter(u8::is_ascii_digit).count() >= 3;
    let mut marks: Vec<String> =
        headers.map(|(_, value)| value).filter(has_digits).cloned().collect();
    let text = answer_text(document, call);
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let tokens = text.split(|c| !is_token(c));
    marks.extend(tokens.filter(|token| is_id(token)).map(str::to_owned));
    // Seconds since 1970 behind a name such as `created`.
    let times = text.split("\"created").skip(1).filter_map(|rest| {
        let digits = rest.split_once(':')?.1.trim_start();
        Some(
            digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].to_owned(),
        )
    });
    let times: Vec<String> = times.collect();
    // An id may have these digits as well.
    let is_epoch = |mark: &String| mark.contains(" 1970 ") || mark.starts_with("1970-");
    if times.iter().any(|time| time == "0") || marks.iter().any(is_epoch) {
        return Box::default();
    }
    marks.extend(times.into_iter().filter(|time| time.len() >= 9));
    let hash = |mark: &String| foldhash::fast::FixedState::default().hash_one(mark);
    let mut hashes: Vec<u64> = marks.iter().map(hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into()
}

/// Returns what was answered, as it is written.
fn answer_text<'d>(document: &'d Document, call: &'d ModelCall<'_>) -> Cow<'d, str> {
    let body = call.facts.http.as_ref().and_then(|http| http.response_body.as_ref());
    match body.map(|body| &body.content) {
        Some(BodyContent::Text(text)) => Cow::Borrowed(text.text()),
        Some(BodyContent::Tree(node)) => json::text(document.node(*node)),
        Some(BodyContent::Bytes(bytes)) => String::from_utf8_lossy(bytes),
        None => call
            .answer()
            .map_or(Cow::Borrowed(""), |answer| json::text(call.document.node(answer.node))),
    }
}

/// Returns for each call of a document whether its answer was written, not recorded: it has no id, and all other answers of its model at
/// its address have one, which the service gives.
pub fn written_answers(document: &Document) -> Vec<bool> {
    let calls = all_calls(document);
    let has_id = |call: &ModelCall<'_>| {
        let text = answer_text(document, call);
        ["\"id\"", "\"responseId\""].iter().any(|key| text.contains(key))
    };
    let rows: Vec<_> = calls
        .iter()
        .map(|call| {
            let url = &call.facts.http.as_ref()?.url;
            let is_answer = call.answer().is_some() && call.failure().is_none();
            is_answer.then(|| (url, call.facts.model.as_deref(), has_id(call)))
        })
        .collect();
    // The numbers of all answers and of those with an id.
    let mut counts: HashMap<(&String, Option<&str>), (usize, usize)> = HashMap::new();
    for (url, model, has_id) in rows.iter().flatten() {
        let (all, with_id) = counts.entry((url, *model)).or_default();
        *all += 1;
        *with_id += usize::from(*has_id);
    }
    let is_written = |row: &Option<(&String, Option<&str>, bool)>| {
        let Some((url, model, false)) = row else { return false };
        let count = counts.get(&(*url, *model));
        count.is_some_and(|(all, with_id)| *with_id > 0 && *all == with_id + 1)
    };
    rows.iter().map(is_written).collect()
}

/// Adds the value of a body; of one that is not JSON, the text.
fn add_body<I, T>(bytes: &mut ValueBytes<I, T>, document: &Document, body: &HttpBody)
where
    I: Fn(Node<'_>) -> bool,
    T: Fn(&str) -> Cow<'_, str>,
{
    let text = match &body.content {
        BodyContent::Tree(node) => return bytes.add(document.node(*node)),
        BodyContent::Text(text) => Cow::Borrowed(text.text()),
        BodyContent::Bytes(bytes) => String::from_utf8_lossy(bytes),
    };
    let (tree, _) = json::parse(&Source::new(&*text));
    // The tree of a body that is only partly JSON would lack the rest.
    match tree.root().filter(|_| tree.is_well_formed()) {
        Some(root) => bytes.add(root),
        None => bytes.add_text(&text),
    }
}

/// Returns whether a member of an answer differs each time: a number that is a time, or the proof that the API wrote a thought.
fn is_noise_of_answer(node: Node<'_>) -> bool {
    match node.key() {
        Some("signature") => parent_type(node) == Some("thinking"),
        Some(key) => names_date(key) && node.kind() == NodeKind::Number,
        None => false,
    }
}

/// Returns whether a member of a body differs each time.
fn is_noise(node: Node<'_>) -> bool {
    match node.key().unwrap_or_default() {
        "requestId" | "request_id" | "tool_use_id" | "toolUseId" | "tool_call_id"
        | "toolCallId" | "call_id" => true,
        "id" => matches!(parent_type(node), Some("function" | "function_call")),
        "usage" | "usageMetadata" => node.kind() == NodeKind::Object,
        _ => is_noise_of_answer(node),
    }
}

/// Returns the `type` of the object that a value is a member of.
fn parent_type(node: Node<'_>) -> Option<&str> {
    node.parent()?.get("type")?.as_str()
}

/// Finds for each call of a version the call of an older one that it was made from: one with the same request, where several have it
/// one with the same answer, else the first; then one at the same address with the same answer, or with ids of the same answer. No call is
/// found twice.
pub fn match_versions(new: &[CallFingerprint], old: &[CallFingerprint]) -> Vec<OlderCall> {
    let mut pairs = vec![None; new.len()];
    let mut is_free = vec![true; old.len()];
    pair_equal(new, old, &mut pairs, &mut is_free, |call| (&call.request, &call.answer));
    pair_equal(new, old, &mut pairs, &mut is_free, |call| &call.request);
    pair_equal(new, old, &mut pairs, &mut is_free, |call| (&call.address, &call.answer));
    pair_takes(new, old, &mut pairs, &mut is_free);
    let older = new.iter().zip(pairs).map(|(new, pair)| {
        let same = |part: fn(&CallFingerprint) -> &str| {
            pair.filter(|index| old.get(*index).is_some_and(|old| part(new) == part(old)))
        };
        let is_recorded_again = pair.and_then(|index| new.is_recorded_after(&old[index]));
        OlderCall {
            request: same(|call| &call.request),
            answer: same(|call| &call.answer),
            take: pair.filter(|_| is_recorded_again == Some(false)),
            is_recorded_again,
        }
    });
    older.collect()
}

/// Returns whether all answers of a version differ from the older one although some have its ids and times.
pub fn is_every_answer_changed(older: &[OlderCall]) -> bool {
    let has_same_ids = |call: &OlderCall| call.is_recorded_again == Some(false);
    older.iter().any(has_same_ids) && older.iter().all(|call| call.answer.is_none())
}

impl CallFingerprint {
    /// Returns whether a call has other ids and times than the answer of another; `None` if one of them has none at all. A few may be the
    /// same in every take, where a project writes a constant in their place.
    fn is_recorded_after(&self, old: &Self) -> Option<bool> {
        let fewest = self.marks.len().min(old.marks.len());
        let is_shared = |mark: &&u64| old.marks.binary_search(mark).is_ok();
        (fewest > 0).then(|| self.marks.iter().filter(is_shared).count() * 2 < fewest)
    }
}

/// Pairs calls that have no pair yet with those whose answers have the same ids.
fn pair_takes(
    new: &[CallFingerprint],
    old: &[CallFingerprint],
    pairs: &mut [Option<usize>],
    is_free: &mut [bool],
) {
    for (call, pair) in new.iter().zip(pairs).filter(|(_, pair)| pair.is_none()) {
        *pair = (0..old.len())
            .find(|index| is_free[*index] && call.is_recorded_after(&old[*index]) == Some(false));
        if let Some(index) = *pair {
            is_free[index] = false;
        }
    }
}

/// Pairs calls that have no pair yet and are equal in something, in their order.
fn pair_equal<'c, K: Eq + Hash>(
    new: &'c [CallFingerprint],
    old: &'c [CallFingerprint],
    pairs: &mut [Option<usize>],
    is_free: &mut [bool],
    key: impl Fn(&'c CallFingerprint) -> K,
) {
    let mut free: HashMap<K, VecDeque<usize>> = HashMap::new();
    for (index, call) in old.iter().enumerate().filter(|(index, _)| is_free[*index]) {
        free.entry(key(call)).or_default().push_back(index);
    }
    for (call, pair) in new.iter().zip(pairs).filter(|(_, pair)| pair.is_none()) {
        *pair = free.get_mut(&key(call)).and_then(VecDeque::pop_front);
        if let Some(index) = *pair {
            is_free[index] = false;
        }
    }
}

impl OpenParts {
    /// Opens all parts of these calls of the newest version.
    pub fn new(calls: impl Iterator<Item = usize>) -> Self {
        let part = |part, index| OpenPart {
            part,
            newest: index,
            here: index,
            is_edited: false,
            is_confirmed: false,
        };
        let kinds = [CallPart::Answer, CallPart::Request, CallPart::Take];
        let parts = calls.flat_map(|index| kinds.map(|kind| part(kind, index)));
        Self(parts.collect())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes the parts that an older version has, and returns them as parts of that version.
    #[must_use]
    pub fn pass_on(&mut self, older: &[OlderCall]) -> Self {
        let mut passed_parts = Vec::new();
        self.0.retain_mut(|open| {
            let older = older.get(open.here).copied().unwrap_or_default();
            open.is_confirmed |= older.is_recorded_again == Some(true);
            open.is_edited |= older.is_recorded_again == Some(false) && !open.is_confirmed;
            let here = match open.part {
                CallPart::Answer => older.answer,
                CallPart::Request => older.request,
                CallPart::Take => older.take,
            };
            passed_parts.extend(here.map(|here| OpenPart { here, is_edited: false, ..*open }));
            here.is_none()
        });
        Self(passed_parts)
    }

    /// Adds other parts of the same version.
    pub fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// Returns the parts, each with the number of its call in the newest version, and whether it was edited by hand.
    pub fn iter(&self) -> impl Iterator<Item = ((usize, CallPart), bool)> {
        self.0.iter().map(|open| ((open.newest, open.part), open.is_edited))
    }

    /// Returns the calls whose takes are open: the number of each in the newest version, and in this one.
    pub fn takes(&self) -> impl Iterator<Item = (usize, usize)> {
        let takes = self.0.iter().filter(|open| open.part == CallPart::Take);
        takes.map(|open| (open.newest, open.here))
    }
}

#[cfg(test)]
mod tests;
