//! Causes of failures of tests that play cassettes.
//!
//! [`CassetteIndex`] finds the cassette of a failed test, [`nearest`] compares the request that a log prints with the recorded ones,
//! and [`diagnose`] says why nothing was played, with what fixes it. What the client compares, and whether it would now answer, is
//! decided by [`client`](crate::client); only what a log cuts is compared here. What a log does not print is taken from the cassette,
//! and is described so.

mod cause;
mod fixes;
mod index;
mod kept_answers;
mod later_calls;
mod nearest;
mod order;
mod plan;
mod printed_diff;
mod record;
mod shared_calls;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::cause::Cause;
use crate::client::{
    CassettePlayer, CassetteState, ClientRules, HttpRequest, Matcher, NO_VALUE, RecordMode,
    RecordedRequest, RecorderClient, described_change,
};
use crate::run_log::{
    FailedTest, Miss, MissKind, PrintedBody, PrintedRequest, TestCode, function_code,
};
use document::Document;
use document::text::{Source, counted, quoted, some};
use index::{FoundCassette, IndexedCassette, split, stem};
use nearest::{NearestCall, RequestDifference, nearest, unrecorded_texts};
use order::{equal_groups, sent_order};
use plan::Proof;

pub use cause::{CassetteCause, RequestPart};
pub use fixes::CassetteFix;
pub(super) use fixes::describe_fixes;
pub use index::CassetteIndex;
pub use kept_answers::ReviewLedger;
pub use plan::{CassettePlan, CassetteSteps};
pub(crate) use record::pytest_command;
pub(super) use record::record_command;
pub(super) use shared_calls::{DiagnosedTest, keep_calls_of_others};

/// Number of calls with one address that are named.
const MAX_NAMED_CALLS: usize = 8;

/// The most differing values that are described.
const MAX_DESCRIBED_VALUES: usize = 3;

/// The cassettes of a project, and the content of those that failed tests play.
#[derive(Debug, Default)]
pub struct CassetteFiles {
    pub index: CassetteIndex,
    /// By path from the project root.
    pub documents: BTreeMap<Arc<str>, Document>,
    /// The modules of tests whose logs do not print what they send, by path from the project root.
    pub modules: BTreeMap<Arc<str>, Source>,
    /// The file in which answers are marked that stay; `None` if it cannot be read.
    pub ledger: Option<ReviewLedger>,
}

/// Why a test that plays a cassette failed.
#[derive(Clone, Debug)]
pub struct CassetteDiagnosis {
    /// The cassette, or the place where it is missing; `None` if the failure is of none.
    pub path: Option<Arc<str>>,
    /// Whether the project has it.
    pub exists: bool,
    /// The number of the recorded call that is nearest to the request, from 1.
    pub call: Option<usize>,
    pub fix: CassetteFix,
}

/// The cause of a failure, with its evidence as a sentence.
type CauseFound = (Cause, String, Option<NearestCall>);

/// Finds the cause of a failure. Returns it with its evidence, which is a sentence or empty.
///
/// # Errors
///
/// Returns why its cassette is not known, as a sentence without a full stop.
pub(super) fn diagnose(
    failed: &FailedTest,
    files: &CassetteFiles,
) -> Result<(Cause, String, CassetteDiagnosis), String> {
    let found = files.index.find(failed);
    let (cause, evidence, near) = match &found {
        FoundCassette::At(at) => {
            let cassette = files.index.get(*at).ok_or("The cassette was not read")?;
            of_cassette(failed, cassette, files)?
        }
        FoundCassette::Missing(path) => of_missing(failed, path, files)?,
        FoundCassette::Unknown(reason) => without_cassette(failed).ok_or_else(|| reason.clone())?,
    };
    let (path, exists) = match &found {
        FoundCassette::At(at) => (files.index.get(*at).map(|c| Arc::clone(&c.path)), true),
        FoundCassette::Missing(path) => (Some(Arc::clone(path)), false),
        FoundCassette::Unknown(_) => (None, false),
    };
    let call = near.as_ref().map(NearestCall::number);
    let fix = fixes::find(failed, &cause, path.as_ref(), near.as_ref(), files);
    Ok((cause, evidence, CassetteDiagnosis { path, exists, call, fix }))
}

/// Returns the cause of a failure that depends on no cassette.
fn without_cassette(failed: &FailedTest) -> Option<CauseFound> {
    let (cause, evidence) = match &failed.miss.kind {
        MissKind::NetworkBlocked(host) => {
            (CassetteCause::NetworkBlocked { host: Arc::clone(host) }, String::new())
        }
        MissKind::NotLoaded(reason) => {
            (CassetteCause::NotLoaded, format!("The client says: {reason}"))
        }
        MissKind::NoCassette => (CassetteCause::Missing, String::new()),
        _ => return None,
    };
    Some((Cause::Cassette(cause), evidence, None))
}

/// Returns the cause of a failure whose cassette the project does not have.
fn of_missing(
    failed: &FailedTest,
    path: &Arc<str>,
    files: &CassetteFiles,
) -> Result<CauseFound, String> {
    let miss = &failed.miss;
    match &miss.kind {
        MissKind::NetworkBlocked(_) => {}
        MissKind::Other => {
            return Err(
                "No client of cassettes reports an error, and the test has no cassette".to_owned()
            );
        }
        // An unreadable file that was not named: that of the test is not known to exist.
        MissKind::NotLoaded(_) if miss.cassette.is_none() => {}
        _ if existed(miss) || split(path).0.is_empty() && is_vague(miss) => {
            return Err(format!("Its cassette {path} is not among the files that were read"));
        }
        _ => {
            let is_equal = |cassette: &IndexedCassette| {
                let document = files.documents.get(&cassette.path);
                let sent = miss.request.as_ref().filter(|request| request.body.is_some());
                document.zip(sent).is_some_and(|(document, sent)| {
                    let recorded = RecordedRequest::all(document);
                    nearest(&recorded, sent, &[], &client_rules(miss, cassette))
                        .is_some_and(|near| near.differences.is_empty() && near.is_whole)
                })
            };
            if let Some(old) = files.index.renamed(path, is_equal) {
                let name = |path: &str| stem(split(path).1).into();
                let names = Some((name(&old.path), name(path)));
                let cause = CassetteCause::TestRenamed { names };
                let same = if is_equal(old) { ", and has recorded the request" } else { "" };
                let evidence = format!("{} is of a test that is gone{same}.", quoted(&old.path));
                return Ok((Cause::Cassette(cause), evidence, None));
            }
            let (folder, _) = split(path);
            if files.index.in_folder(path).next().is_none() {
                if is_vague(miss) {
                    return Err(format!(
                        "Its cassette {path} is not among the files that were read"
                    ));
                }
                let cause = CassetteCause::FolderMissing { folder: folder.into() };
                return Ok((Cause::Cassette(cause), format!("There is no {path}."), None));
            }
            // The log names no file, so that its name follows from that of the test.
            let origin = match miss.cassette {
                Some(_) => "",
                None => ", which is the name of the cassette of this test",
            };
            let evidence = format!("There is no {path}{origin}.");
            return Ok((Cause::Cassette(CassetteCause::Missing), evidence, None));
        }
    }
    without_cassette(failed).ok_or_else(|| "Nothing in the log names its cassette".to_owned())
}

/// Returns whether the error shows that the client had recorded calls.
fn existed(miss: &Miss) -> bool {
    let has_calls = matches!(miss.kind, MissKind::Consumed | MissKind::NotAllPlayed(_));
    has_calls
        || !miss.candidates.is_empty()
        || miss.counts.is_some_and(|(recorded, _)| recorded > 0)
}

/// Returns whether the client prints the same error with and without a cassette.
fn is_vague(miss: &Miss) -> bool {
    miss.kind == MissKind::NoMatch
}

/// Returns the cause of a failure whose cassette is known.
fn of_cassette(
    failed: &FailedTest,
    cassette: &IndexedCassette,
    files: &CassetteFiles,
) -> Result<CauseFound, String> {
    let miss = &failed.miss;
    let document = files.documents.get(&cassette.path);
    match &miss.kind {
        MissKind::NetworkBlocked(_) => {
            return without_cassette(failed).ok_or_else(String::new);
        }
        MissKind::NotLoaded(reason) => {
            let evidence = format!("The client says: {reason}");
            return Ok((Cause::Cassette(CassetteCause::NotLoaded), evidence, None));
        }
        MissKind::NoCassette => {
            let evidence = "The run had none at this path.".to_owned();
            return Ok((Cause::Cassette(CassetteCause::Present), evidence, None));
        }
        _ => {}
    }
    let document =
        document.ok_or_else(|| format!("{} could not be read", quoted(&cassette.path)))?;
    let requests = RecordedRequest::all(document);
    let rules = client_rules(miss, cassette);
    match &miss.kind {
        MissKind::NotAllPlayed(unused) => {
            let numbers: Vec<String> = unused.iter().map(|at| (at + 1).to_string()).collect();
            let evidence = match (&numbers[..], miss.counts) {
                ([], Some((recorded, played))) => {
                    format!("{played} of {} were played.", counted(recorded, "call", "calls"))
                }
                ([], None) => String::new(),
                ([one], _) => format!("Call {one} was not played."),
                (numbers, _) => format!("Calls {} were not played.", numbers.join(", ")),
            };
            Ok((Cause::Cassette(CassetteCause::NotAllPlayed), evidence, None))
        }
        MissKind::Other => Ok(of_own_error(&requests, &rules, &code_of(failed, cassette, files))),
        _ => of_request(miss, &requests, &rules, &code_of(failed, cassette, files)),
    }
}

/// Returns the client of a cassette, as configured or by default.
fn client_of(cassette: &IndexedCassette) -> RecorderClient {
    let client = cassette.facts.client.as_ref();
    client.map_or(RecorderClient::Vcrpy, |(client, _)| (*client).into())
}

/// Returns the rules by which the client of a cassette plays: as printed, as configured, or by default.
fn client_rules(miss: &Miss, cassette: &IndexedCassette) -> ClientRules {
    let facts = &cassette.facts;
    let client = client_of(cassette);
    let configured = ClientRules::configured(client, facts);
    let mut rules = configured.unwrap_or_else(|_| ClientRules::new(client));
    // A matcher of the project is known by its name only: it may compare any part of the address.
    let named = |name: &str| match Matcher::named(name) {
        Some(matcher) => matcher,
        None if name.contains("body") => Matcher::Body,
        None => Matcher::Uri,
    };
    let is_printed = !miss.match_on.is_empty();
    let configured_names = facts.match_on.iter().flat_map(|setting| setting.texts.iter().flatten());
    let matchers: Vec<Matcher> = if is_printed {
        miss.match_on.iter().map(|name| named(name)).collect()
    } else {
        configured_names.map(|name| named(name)).collect()
    };
    if !matchers.is_empty() {
        rules.matchers = matchers;
    }
    let mut failed = miss.candidates.iter().flat_map(|candidate| &candidate.failed);
    if !is_printed && !compares_body(&rules) && failed.any(|failed| failed.name.contains("body")) {
        rules.matchers.push(Matcher::Body);
    }
    // The mode says when calls are recorded, and not which call answers.
    rules.mode = RecordMode::None;
    rules
}

fn compares_body(rules: &ClientRules) -> bool {
    rules.matchers.iter().any(|matcher| matcher.is_of_body())
}

/// Returns the cause of a failure of a test that reports an error of its own.
fn of_own_error(
    requests: &[RecordedRequest],
    rules: &ClientRules,
    (code, place): &(TestCode, String),
) -> CauseFound {
    let numbers = |indices: &[usize]| {
        let numbers = indices.iter().map(|index| (index + 1).to_string());
        some(numbers, MAX_NAMED_CALLS)
    };
    let groups = if compares_body(rules) { Vec::new() } else { equal_groups(requests, rules) };
    let Some(group) = groups.first() else {
        return (Cause::Expectation, "It is the cassette of the test.".to_owned(), None);
    };
    let (cause, evidence) = match sent_order(requests, rules, code) {
        Some(sent) => {
            let evidence = format!(
                "The code in {place} sends calls {} in this order, and the client compares no bodies.",
                numbers(&sent)
            );
            (CassetteCause::OrderChanged, evidence)
        }
        None => {
            let evidence = format!(
                "Calls {} have one address and different bodies, and the client compares no bodies.",
                numbers(group)
            );
            (CassetteCause::OrderDecides, evidence)
        }
    };
    (Cause::Cassette(cause), evidence, None)
}

/// Returns whether a recorded call would now answer a request whose body is known.
fn is_answered(
    sent: &PrintedRequest,
    near: &NearestCall,
    requests: &[RecordedRequest],
    rules: &ClientRules,
) -> bool {
    if !matches!(sent.body, Some(PrintedBody::Whole(_))) {
        return false;
    }
    let request = sent.as_sent(Some(&near.call.request));
    let player = CassettePlayer::new(requests.to_vec(), CassetteState::Loaded, rules.clone());
    let index = player.ok().and_then(|mut player| player.answer(&request).outcome.played());
    // Where bodies are not compared, the log is of a client that has other rules.
    index.is_some() && (compares_body(rules) || near.differences.is_empty())
}

/// Returns how many calls for a request a cassette has got since each of those that it had was played, as a sentence; `None` if it has
/// got none, as far as the log says how many it had.
fn added_since(
    miss: &Miss,
    near: &NearestCall,
    requests: &[RecordedRequest],
    rules: &ClientRules,
) -> Option<String> {
    let old_count = miss.matching?;
    let proof = Proof::new(near, rules.clone())?;
    let calls = proof.calls(requests);
    // A client whose settings are not known may compare more than is assumed: that a call is repeated shows that one was added.
    let is_repeated = calls.iter().any(|call| {
        let body = |call: &RecordedRequest| call.request.body.text().map(Cow::into_owned);
        call.index != near.call.index && body(call) == body(&near.call)
    });
    (calls.len() > old_count && is_repeated).then(|| {
        let calls = counted(calls.len(), "call", "calls");
        format!("It has {calls} for this request now, and had {old_count} when the test ran.")
    })
}

/// Returns the cause of a request that no recorded call answered.
fn of_request(
    miss: &Miss,
    requests: &[RecordedRequest],
    rules: &ClientRules,
    code: &(TestCode, String),
) -> Result<CauseFound, String> {
    let cause = |cause, evidence, near| Ok((Cause::Cassette(cause), evidence, near));
    if requests.is_empty() {
        return cause(CassetteCause::NothingSimilar, "It has no calls.".to_owned(), None);
    }
    let printed = miss.request.clone().unwrap_or_default();
    let near =
        nearest(requests, &printed, &miss.candidates, rules).ok_or("The cassette has no calls")?;
    let sent = &near.sent.clone();
    let number = near.number();
    if miss.kind == MissKind::Consumed {
        if let Some(evidence) = added_since(miss, &near, requests, rules) {
            return Ok((Cause::AnsweredNow, evidence, Some(near)));
        }
        let evidence = format!("Call {number} was played, and the request was sent again.");
        return cause(CassetteCause::Consumed, evidence, Some(near));
    }
    if !is_headers(miss) && is_answered(sent, &near, requests, rules) {
        // The cassette was changed after the run.
        let evidence = format!("Call {number} has recorded this request.");
        return Ok((Cause::AnsweredNow, evidence, Some(near)));
    }
    if let Some((recorded, played)) = miss.counts
        && recorded > 0
        && played >= recorded
    {
        let calls = counted(recorded, "call was", "calls were");
        let evidence = format!("{calls} played before; call {number} is the nearest.");
        return cause(CassetteCause::NotRecorded, evidence, Some(near));
    }
    if let Some(found) = of_further(&near, miss, code) {
        return Ok(found);
    }
    if let Some(main) = near.differences.first() {
        let evidence = format!("Call {number}: {}", describe(&near.differences));
        let changed = changed(main);
        return cause(changed, evidence, Some(near));
    }
    if is_headers(miss) {
        let evidence = format!("Call {number} has other headers.");
        return cause(headers_changed(), evidence, Some(near));
    }
    let of_code = compares_body(rules) && !near.has_same_body;
    if let Some(found) = of_code.then(|| of_code_alone(&near, requests, code)).flatten() {
        return Ok(found);
    }
    let size = format!("It has {}.", counted(requests.len(), "call", "calls"));
    match miss.kind {
        MissKind::Hidden => cause(CassetteCause::Hidden, size, None),
        MissKind::NothingSimilar => cause(
            CassetteCause::NothingSimilar,
            format!("Call {number} is the nearest."),
            Some(near),
        ),
        _ if of_code && !sent.url.is_empty() => {
            let numbers = with_address_of(&near, requests).map(|call| (call.index + 1).to_string());
            let numbers: Vec<String> = numbers.collect();
            let (word, verb) = if numbers.len() == 1 { ("Call", "has") } else { ("Calls", "have") };
            let evidence =
                format!("{word} {} {verb} this address.", some(&numbers, MAX_NAMED_CALLS));
            cause(CassetteCause::BodyDiffers, evidence, Some(near))
        }
        _ => cause(CassetteCause::NoReason, size, None),
    }
}

/// Returns the code of a test with its place: that of the project, else that in the log.
fn code_of(
    failed: &FailedTest,
    cassette: &IndexedCassette,
    files: &CassetteFiles,
) -> (TestCode, String) {
    let name = failed.test.name.split('[').next().unwrap_or_default();
    let of_project = cassette.facts.tests().find_map(|place| {
        let path = &place.origin.path;
        let (line, code) = function_code(files.modules.get(path)?.text(), name)?;
        Some((code, format!("{path}:{line}")))
    });
    of_project.unwrap_or_else(|| (failed.miss.code.clone(), "the log".to_owned()))
}

/// Returns the calls with the method and the address of another one.
fn with_address_of<'r>(
    near: &NearestCall,
    requests: &'r [RecordedRequest],
) -> impl Iterator<Item = &'r RecordedRequest> {
    let HttpRequest { method, url, .. } = near.call.request.clone();
    requests.iter().filter(move |call| (&call.request.method, &call.request.url) == (&method, &url))
}

/// Returns the cause of a request whose prompt is in the code beside that of the nearest call, so that it did not replace it. Where the
/// client prints how many calls were played, that decides.
fn of_further(
    near: &NearestCall,
    miss: &Miss,
    (code, place): &(TestCode, String),
) -> Option<CauseFound> {
    let main = near.differences.first().filter(|_| miss.counts.is_none() && code.is_whole)?;
    let texts = unrecorded_texts(&[&near.call], &code.texts);
    let text = texts.iter().find(|text| text.is_kept && text.difference == *main)?;
    let evidence = format!("{} This is the code in {place}.", text.describe_further());
    Some((Cause::Cassette(CassetteCause::NotRecorded), evidence, Some(near.clone())))
}

/// Returns the cause of a request whose body is not known, as far as the code of its test shows it.
fn of_code_alone(
    near: &NearestCall,
    requests: &[RecordedRequest],
    (code, place): &(TestCode, String),
) -> Option<CauseFound> {
    let calls: Vec<&RecordedRequest> = with_address_of(near, requests).collect();
    let texts = unrecorded_texts(&calls, &code.texts);
    let text = texts.iter().find(|text| !text.is_kept).or_else(|| texts.first())?;
    let (cause, finding) = if text.is_kept {
        (CassetteCause::NotRecorded, text.describe_further())
    } else {
        let values = describe(std::slice::from_ref(&text.difference));
        (changed(&text.difference), format!("Call {}: {values}", text.call.index + 1))
    };
    // A single line of a test does not show whether it sends the recorded text, too.
    let cause = if code.is_whole { cause } else { CassetteCause::BodyDiffers };
    let evidence =
        format!("{finding} This is the code in {place}; the log does not print what was sent.");
    let near = NearestCall { call: text.call.clone(), ..near.clone() };
    Some((Cause::Cassette(cause), evidence, Some(near)))
}

fn is_headers(miss: &Miss) -> bool {
    let failed = miss.candidates.first().map_or(&[][..], |candidate| &candidate.failed);
    !failed.is_empty() && failed.iter().all(|failed| *failed.name == *"headers")
}

fn headers_changed() -> CassetteCause {
    let nothing = Arc::<str>::default;
    CassetteCause::ValueChanged { part: RequestPart::Headers, recorded: nothing(), sent: nothing() }
}

fn changed(difference: &RequestDifference) -> CassetteCause {
    // A parameter without its name would be any, and so would a field that is new.
    let is_field = difference.recorded == NO_VALUE || difference.sent == NO_VALUE;
    let name = match difference.part {
        RequestPart::Parameter => &*difference.place,
        RequestPart::Tools if is_field => {
            difference.place.rsplit(['.', ']']).next().unwrap_or_default()
        }
        _ => "",
    };
    let value = |text: &str| match name {
        "" => text.into(),
        _ if text == NO_VALUE => text.into(),
        name => format!("{name}: {text}").into(),
    };
    CassetteCause::ValueChanged {
        part: difference.part,
        recorded: value(&difference.recorded),
        sent: value(&difference.sent),
    }
}

/// Describes values that differ: `` messages[0].content: `three` → `two` ``.
fn describe(differences: &[RequestDifference]) -> String {
    let named = differences.iter().take(MAX_DESCRIBED_VALUES).map(|difference| {
        let place = match &*difference.place {
            "" => difference.part.as_str(),
            place => place,
        };
        format!("{place}: {}", described_change(&difference.recorded, &difference.sent))
    });
    let text = named.collect::<Vec<_>>().join("; ");
    match differences.len().saturating_sub(MAX_DESCRIBED_VALUES) {
        0 => format!("{text}."),
        more => format!("{text}; and {more} more."),
    }
}
