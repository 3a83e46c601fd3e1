//! What fixes the cause of a failure of a test that plays a cassette.

use std::sync::Arc;

use super::cause::{CassetteCause, RequestPart};
use super::index::{IndexedCassette, split, stem};
use super::later_calls::{self, LaterCalls, address_edit};
use super::nearest::{NearestCall, RequestDifference, nearest};
use super::order::{OrderChange, reorder};
use super::plan::{self, CallChange, Proof};
use super::record::{RecordCommand, describe_recording};
use super::{CassetteFiles, Cause, client_of, client_rules, code_of};
use crate::client::{
    CassettePlayer, CassetteState, ClientRules, Matcher, RecordMode, RecordedRequest,
    RecorderClient, matcher_names,
};
use crate::run_log::{FailedTest, MissKind, PrintedBody};
use calls::cassette_config::cassette_name;
use document::Node;
use document::cassette::{CassetteClient, Interaction, StoredBody};
use document::edit::{Edit, JsonValue};
use document::text::{Source, counted, lower_first, quoted, upper_first};

/// What fixes a cause.
#[derive(Clone, Debug, Default)]
pub struct CassetteFix {
    /// A change of files that makes the request of the test find its answer, if there is one.
    pub(super) change: Option<CassetteChange>,
    /// Tests that may play the call as it is recorded, if it is kept for that: `` `test_b` ``.
    pub(super) users: Option<String>,
    /// Whether recording the test again must keep the calls of other tests.
    pub(super) is_shared: bool,
    /// The way in which the test is recorded again, if that fixes the cause.
    pub(super) record: Option<RecordCommand>,
    /// Advice as a sentence without a full stop, if nothing can be changed here.
    pub advice: Option<String>,
}

/// A change of a cassette.
#[derive(Clone, Debug)]
pub(super) enum CassetteChange {
    Reorder(OrderChange),
    Rename { from: Arc<str>, to: Arc<str>, proof: Option<Proof> },
    Call(CallChange),
}

impl CassetteFix {
    /// Returns whether the change was made since, so that the cassette now plays for the request of the test.
    pub(crate) fn is_made(&self, files: &CassetteFiles) -> bool {
        match &self.change {
            Some(CassetteChange::Call(call)) => {
                files.documents.get(&call.path).is_some_and(|document| call.proof.holds(document))
            }
            Some(CassetteChange::Reorder(OrderChange { path, text })) => {
                files.documents.get(path).is_some_and(|document| document.source().text() == text)
            }
            // The cassette of the test is there, which its cause shows.
            Some(CassetteChange::Rename { .. }) | None => false,
        }
    }

    /// Describes the change of files in a few words, in the imperative; `None` if there is none.
    pub fn title(&self) -> Option<&'static str> {
        Some(match self.change.as_ref()? {
            CassetteChange::Rename { .. } => "Rename the cassette",
            CassetteChange::Reorder(_) => "Reorder the calls",
            CassetteChange::Call(call) if call.is_copy => "Add a call",
            CassetteChange::Call(_) => "Change the recorded request",
        })
    }

    /// Describes what fixes the failure besides recording again, as a sentence without a full stop; `None` if nothing does.
    pub fn describe(&self) -> Option<String> {
        joined([self.sentence(), self.advice.clone(), None])
    }

    /// Describes the change of files as a sentence without a full stop; `None` if there is none.
    fn sentence(&self) -> Option<String> {
        Some(self.change_sentence()? + &describe_later(&[self]))
    }

    /// The same without the later calls of the cassette.
    fn change_sentence(&self) -> Option<String> {
        Some(match self.change.as_ref()? {
            CassetteChange::Rename { from, to, .. } => {
                format!("Rename {} to {}", quoted(split(from).1), quoted(split(to).1))
            }
            CassetteChange::Reorder(_) => {
                "Put the calls in the order in which the test sends them".to_owned()
            }
            CassetteChange::Call(call) if call.edits.is_empty() => {
                format!("Add call {} once more, with the same answer", call.index + 1)
            }
            CassetteChange::Call(CallChange { index, is_copy: true, .. }) => format!(
                "Add a call with the request that is sent and the answer of call {}, which {} may play, too",
                index + 1,
                self.users.as_deref().unwrap_or("another test"),
            ),
            CassetteChange::Call(_) => {
                "Change the recorded request to what is sent, with the same answer".to_owned()
            }
        })
    }
}

/// Describes the changes of files for failures with one cause as sentences without a full stop, with the number of failures if they
/// are not of all; `None` if there are none.
pub(super) fn describe_changes(fixes: &[&CassetteFix]) -> Option<String> {
    let mut kinds: Vec<(&'static str, Vec<&CassetteFix>)> = Vec::new();
    for fix in fixes {
        let Some(title) = fix.title() else { continue };
        match kinds.iter_mut().find(|(other, _)| *other == title) {
            Some((_, of_kind)) => of_kind.push(fix),
            None => kinds.push((title, vec![fix])),
        }
    }
    let described = kinds.into_iter().filter_map(|(_, of_kind)| {
        let (fix, count) = (of_kind.first()?, of_kind.len());
        let sentence = match &fix.change {
            Some(CassetteChange::Rename { .. }) if count > 1 => {
                format!("Rename {count} cassettes to the names of their tests")
            }
            _ => fix.change_sentence()? + &describe_later(&of_kind),
        };
        Some(if count == fixes.len() {
            sentence
        } else {
            format!("{sentence} ({count} of {})", counted(fixes.len(), "failure", "failures"))
        })
    });
    let sentences: Vec<String> = described.collect();
    (!sentences.is_empty()).then(|| sentences.join("; and "))
}

/// Describes the later calls of cassettes in which calls are changed; empty if there are none.
fn describe_later(fixes: &[&CassetteFix]) -> String {
    let mut calls: Vec<&CallChange> = Vec::new();
    for fix in fixes {
        if let Some(CassetteChange::Call(call)) = &fix.change
            && !calls.iter().any(|other| (&other.path, other.index) == (&call.path, call.index))
        {
            calls.push(call);
        }
    }
    later_calls::describe(&calls.into_iter().map(|call| &call.later).collect::<Vec<_>>())
}

/// Describes what fixes failures with one cause as a sentence without a full stop; `None` if nothing does.
pub(crate) fn describe_fixes(fixes: &[&CassetteFix]) -> Option<String> {
    let advice = fixes.first().and_then(|fix| fix.advice.clone());
    joined([describe_changes(fixes), advice, describe_recording(fixes)])
}

fn joined(parts: [Option<String>; 3]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().map(|part| lower_first(&part)).collect();
    (!parts.is_empty()).then(|| upper_first(&parts.join("; or ")))
}

/// Finds what fixes a cause.
pub(super) fn find(
    failed: &FailedTest,
    cause: &Cause,
    path: Option<&Arc<str>>,
    near: Option<&NearestCall>,
    files: &CassetteFiles,
) -> CassetteFix {
    let Cause::Cassette(cause) = cause else { return CassetteFix::default() };
    let change = match cause {
        CassetteCause::TestRenamed { names: Some((from, _)) } => {
            path.and_then(|path| rename(failed, path, from, files))
        }
        CassetteCause::ValueChanged { .. } | CassetteCause::Consumed => path
            .zip(near)
            .and_then(|(path, near)| change_call(failed, path, near, files))
            .map(CassetteChange::Call),
        CassetteCause::OrderChanged => path.and_then(|path| {
            let (cassette, document) = (files.index.at_path(path)?, files.documents.get(path)?);
            let (code, _) = code_of(failed, cassette, files);
            let rules = client_rules(&failed.miss, cassette);
            reorder(cassette, document, &rules, &code).map(CassetteChange::Reorder)
        }),
        _ => None,
    };
    let has_plugin = path.is_none_or(|path| is_of_plugin(path, failed));
    let advice = match cause {
        CassetteCause::Consumed if is_of_vcrpy(failed) => Some(
            "If each of these requests may get the same answer, set `allow_playback_repeats=True`",
        ),
        CassetteCause::OrderDecides | CassetteCause::OrderChanged => {
            return CassetteFix { change, ..compare_body(path, files) };
        }
        CassetteCause::BodyDiffers => {
            Some("To see what is sent, run the test without `--tb=short`, or with vcrpy 9")
        }
        CassetteCause::NetworkBlocked { .. } => {
            Some("Mark the test with `vcr` and record it, or allow the host")
        }
        _ if cause.needs_recording() && is_of_vcrpy(failed) && !has_plugin => Some(
            "Delete the cassette, and run the test with a record mode that records, such as `once`",
        ),
        _ => None,
    };
    let record = RecordCommand::new(failed, path.map(|path| &**path)).filter(|command| {
        cause.needs_recording() && (has_plugin || !matches!(command, RecordCommand::Pytest(_)))
    });
    let advice = advice.map(str::to_owned);
    let users = match &change {
        Some(CassetteChange::Call(call)) if call.is_copy && !call.edits.is_empty() => {
            Some("the test itself".to_owned())
        }
        _ => None,
    };
    CassetteFix { change, users, record, advice, ..CassetteFix::default() }
}

/// Advises to compare bodies, with the place of the setting and what that changes in the cassettes that it is of.
fn compare_body(path: Option<&Arc<str>>, files: &CassetteFiles) -> CassetteFix {
    let Some(cassette) = path.and_then(|path| files.index.at_path(path)) else {
        return CassetteFix::default();
    };
    let client = client_of(cassette);
    let rules = ClientRules::configured(client, &cassette.facts)
        .unwrap_or_else(|_| ClientRules::new(client));
    let body = match rules.client {
        RecorderClient::Cassetter => Matcher::JsonBody,
        _ => Matcher::Body,
    };
    let setting = cassette.facts.match_on.as_ref();
    let (place, cassettes): (_, Vec<&IndexedCassette>) = match setting {
        None => {
            let names = matcher_names(&rules.matchers).into_iter().chain([body.as_str()]);
            let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
            (format!("Set `match_on=[{}]`", names.join(", ")), vec![cassette])
        }
        Some(setting) => {
            let all: Vec<_> = files.index.with_match_on(&setting.origin).collect();
            let count = counted(all.len(), "cassette", "cassettes");
            let place = format!("Add `\"{}\"` to `match_on` in {}", body.as_str(), setting.origin);
            (format!("{place}, which is for {count}"), all)
        }
    };
    let (mut equal_calls, mut distinct_calls, mut boundaries) = (0, 0, 0);
    for document in cassettes.iter().filter_map(|cassette| files.documents.get(&cassette.path)) {
        let requests = RecordedRequest::all(document);
        let is_multipart = |call: &&RecordedRequest| {
            let content_type = call.request.header("content-type").unwrap_or_default();
            content_type.starts_with("multipart/") && content_type.contains("boundary=")
        };
        boundaries += requests.iter().filter(is_multipart).count();
        let with_body = rules.matchers.iter().copied().chain([body]).collect();
        let [equal, rest] = [rules.matchers.clone(), with_body].map(|matchers| {
            let rules = ClientRules { matchers, mode: RecordMode::None, ..rules.clone() };
            let player = CassettePlayer::new(requests.clone(), CassetteState::Loaded, rules);
            player.map_or(0, |player| player.equal_calls().concat().len())
        });
        equal_calls += equal;
        distinct_calls += equal.saturating_sub(rest);
    }
    let mut advice = place;
    if equal_calls > 0 {
        let calls = counted(equal_calls, "call", "calls");
        advice += &format!(": {distinct_calls} of {calls} that are equal now would be distinct");
    }
    if boundaries > 0 {
        let calls = counted(boundaries, "call", "calls");
        advice +=
            &format!("; {calls} would no longer be found, as each run sends another boundary");
    }
    CassetteFix { advice: Some(advice), ..CassetteFix::default() }
}

/// Returns whether a cassette is where the plugins of pytest look for it, which have an option to record again: in the folder of its
/// module, or under the name of its test.
fn is_of_plugin(path: &str, failed: &FailedTest) -> bool {
    let (folder, file) = split(path);
    let module = failed.test.file.as_deref().and_then(|file| split(file).1.strip_suffix(".py"));
    let (name, test) = (stem(file), cassette_name(&failed.test.name));
    // Names that are too long are cut.
    module == Some(split(folder).1)
        || name == test
        || name.ends_with(&format!(".{test}"))
        || name.contains("...")
}

fn is_of_vcrpy(failed: &FailedTest) -> bool {
    failed.miss.client.is_some_and(|client| client.starts_with(CassetteClient::Vcrpy.as_str()))
}

fn rename(
    failed: &FailedTest,
    path: &Arc<str>,
    from: &str,
    files: &CassetteFiles,
) -> Option<CassetteChange> {
    let old = files.index.in_folder(path).find(|old| stem(split(&old.path).1) == from)?;
    let (folder, name) = split(path);
    let ending = &split(&old.path).1[from.len()..];
    let to = match folder {
        "" => format!("{}{ending}", stem(name)),
        folder => format!("{folder}/{}{ending}", stem(name)),
    };
    let rules = client_rules(&failed.miss, old);
    let document = files.documents.get(&old.path);
    let proof = document.zip(failed.miss.request.as_ref()).and_then(|(document, sent)| {
        let near = nearest(&RecordedRequest::all(document), sent, &[], &rules)?;
        Proof::new(&near, rules.clone())
    });
    Some(CassetteChange::Rename { from: Arc::clone(&old.path), to: to.into(), proof })
}

/// Plans to write the request that was sent in place of the nearest recorded one, or the call once more if it was played before.
/// Returns nothing if its client would not play it for the request.
fn change_call(
    failed: &FailedTest,
    path: &Arc<str>,
    near: &NearestCall,
    files: &CassetteFiles,
) -> Option<CallChange> {
    // Another path is another operation, whose answer has another form; under another folder, it is the same one.
    let is_other = |difference: &RequestDifference| match difference.part {
        RequestPart::Method => true,
        RequestPart::Path => split(&difference.recorded).1 != split(&difference.sent).1,
        _ => false,
    };
    if near.differences.iter().any(is_other) {
        return None;
    }
    let is_consumed = failed.miss.kind == MissKind::Consumed;
    // Calls are mostly played in their order: one that was played is the request of an earlier moment of the test.
    if !is_consumed && failed.miss.counts.is_some_and(|(_, played)| near.number() <= played) {
        return None;
    }
    let document = files.documents.get(path)?;
    let rules = client_rules(&failed.miss, files.index.at_path(path)?);
    // The bytes that such a client compares are not known.
    let has_no_bytes = near.has_only_value && rules.matchers.contains(&Matcher::RawBody);
    // What is taken out of bodies may be secret, and the log has it.
    let has_filtered_body = !rules.filters.post_data.is_empty() && !near.has_same_body;
    if has_no_bytes || has_filtered_body && !is_consumed {
        return None;
    }
    let call = document.tree.find(near.call.node)?;
    let edits = if is_consumed { Vec::new() } else { request_edits(near, call)? };
    let proof = Proof::new(near, rules)?;
    // A request that was answered is sent once more.
    let proof = Proof { plays: proof.count_plays(document) + 1, ..proof };
    let later = if is_consumed { LaterCalls::default() } else { LaterCalls::find(document, near) };
    let mut change = CallChange {
        path: Arc::clone(path),
        index: near.call.index,
        pointer: call.pointer(),
        // Without numbers in the log, the test may have played it before for an equal request.
        is_copy: edits.is_empty() || failed.miss.counts.is_none() && !near.is_like(),
        edits,
        later,
        proof,
    };
    // A later call that cannot be written does not prevent the change of this one.
    if change.is_copy || plan::changed_text(document, &[&change]).is_none() {
        change.later.leave();
    }
    let text = plan::changed_text(document, &[&change])?;
    change.proof.holds(&document::read(Source::new(text), path)).then_some(change)
}

/// Returns the edits that make a recorded request the one that was sent; `None` if that is not known.
fn request_edits(near: &NearestCall, call: Node<'_>) -> Option<Vec<Edit>> {
    let sent = &near.sent;
    let mut edits = Vec::new();
    if near.differences.iter().any(|difference| difference.place.is_empty()) {
        edits.push(address_edit(call, &sent.url)?);
    }
    match &sent.body {
        Some(PrintedBody::Whole(_)) if near.has_same_body => {}
        Some(PrintedBody::Whole(body)) => edits.push(body_edit(Interaction::parse(call)?, body)?),
        // What is not known cannot be written.
        Some(PrintedBody::Cut(..)) | None
            if near.differences.iter().any(|d| !d.place.is_empty()) =>
        {
            return None;
        }
        _ => {}
    }
    (!edits.is_empty()).then_some(edits)
}

/// Returns the edit of a recorded body; `None` if it is encoded in the file.
fn body_edit(call: Interaction<'_>, body: &str) -> Option<Edit> {
    let (node, value) = match call.request_body() {
        StoredBody::Tree(node) => (node, JsonValue::parse(body).ok()?),
        StoredBody::Text(node) | StoredBody::JsonText(node) => (node, JsonValue::text(body)),
        _ => return None,
    };
    Some(Edit::Set { pointer: node.pointer(), value })
}
