//! What fixes the cause of a failure of a test that plays a cassette.

use std::sync::Arc;

use super::cause::{CassetteCause, RequestPart};
use super::index::{split, stem};
use super::nearest::{NearestCall, RequestDifference, nearest};
use super::plan::{self, CallChange, Proof};
use super::{CassetteFiles, Cause, client_rules};
use crate::client::{Matcher, RecordedRequest};
use crate::run_log::{FailedTest, MissKind, PrintedBody};
use calls::cassette_config::cassette_name;
use document::Node;
use document::cassette::{CassetteClient, Interaction, StoredBody};
use document::edit::{Edit, JsonValue};
use document::shell::CommandShell;
use document::text::{Source, counted, lower_first, quoted, upper_first};

/// Number of tests up to which the command that records them again is shown.
const MAX_NAMED_TESTS: usize = 3;

/// What fixes a cause.
#[derive(Clone, Debug, Default)]
pub struct CassetteFix {
    /// A change of files that makes the request of the test find its answer, if there is one.
    pub(super) change: Option<CassetteChange>,
    /// Tests that may play the call as it is recorded, if it is kept for that: `` `test_b` ``.
    pub(super) users: Option<String>,
    /// Whether recording the test again must keep the calls of other tests.
    pub(super) is_shared: bool,
    /// The test in the command that records it again, quoted for a POSIX shell.
    pub(super) test: Option<String>,
    /// Advice as a sentence without a full stop, if nothing can be changed here.
    pub advice: Option<String>,
}

/// A change of a cassette.
#[derive(Clone, Debug)]
pub(super) enum CassetteChange {
    Rename { from: Arc<str>, to: Arc<str>, proof: Option<Proof> },
    Call(CallChange),
}

impl CassetteFix {
    /// Describes the change of files in a few words, in the imperative; `None` if there is none.
    pub fn title(&self) -> Option<&'static str> {
        Some(match self.change.as_ref()? {
            CassetteChange::Rename { .. } => "Rename the cassette",
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
        Some(match self.change.as_ref()? {
            CassetteChange::Rename { from, to, .. } => {
                format!("Rename {} to {}", quoted(split(from).1), quoted(split(to).1))
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
    let mut kinds: Vec<(&'static str, &CassetteFix, usize)> = Vec::new();
    for fix in fixes {
        let Some(title) = fix.title() else { continue };
        match kinds.iter_mut().find(|(other, ..)| *other == title) {
            Some((.., count)) => *count += 1,
            None => kinds.push((title, fix, 1)),
        }
    }
    let described = kinds.into_iter().filter_map(|(_, fix, count)| {
        let sentence = match &fix.change {
            Some(CassetteChange::Rename { .. }) if count > 1 => {
                format!("Rename {count} cassettes to the names of their tests")
            }
            _ => fix.sentence()?,
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

/// Describes what fixes failures with one cause as a sentence without a full stop; `None` if nothing does.
pub(crate) fn describe_fixes(fixes: &[&CassetteFix]) -> Option<String> {
    let tests = fixes.iter().filter(|fix| fix.test.is_some()).count();
    let command = match record_command(fixes) {
        Some(_) if tests > MAX_NAMED_TESTS => Some(format!(
            "record these {tests} tests again with `--record-mode={}`",
            record_mode(fixes)
        )),
        command => command.map(|command| format!("record again with `{command}`")),
    };
    let advice = fixes.first().and_then(|fix| fix.advice.clone());
    joined([describe_changes(fixes), advice, command])
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
        _ => None,
    };
    let has_plugin = path.is_none_or(|path| is_of_plugin(path, failed));
    let advice = match cause {
        CassetteCause::Consumed if is_of_vcrpy(failed) => Some(
            "If each of these requests may get the same answer, set `allow_playback_repeats=True`",
        ),
        CassetteCause::OrderDecides => return compare_body(path, files),
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
    let test = (cause.needs_recording() && has_plugin).then(|| quoted_test(failed)).flatten();
    let advice = advice.map(str::to_owned);
    let users = match &change {
        Some(CassetteChange::Call(call)) if call.is_copy && !call.edits.is_empty() => {
            Some("the test itself".to_owned())
        }
        _ => None,
    };
    CassetteFix { change, users, test, advice, ..CassetteFix::default() }
}

/// Advises to compare bodies, with the place of the setting and the number of cassettes that it is of.
fn compare_body(path: Option<&Arc<str>>, files: &CassetteFiles) -> CassetteFix {
    let setting = path.and_then(|path| files.index.at_path(path)?.facts.match_on.as_ref());
    let place = setting.map(|setting| {
        let count = files.index.with_match_on(&setting.origin).count();
        let cassettes = counted(count, "cassette", "cassettes");
        format!(" in {}, which is for {cassettes}; `retake check` shows how many of them depend on their order", setting.origin)
    });
    let advice = format!("Add `\"body\"` to `match_on`{}", place.unwrap_or_default());
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

/// The mode in which tests are recorded again: the first one deletes the cassette, which would remove the calls of other tests.
fn record_mode(fixes: &[&CassetteFix]) -> &'static str {
    if fixes.iter().any(|fix| fix.is_shared) { "new_episodes" } else { "rewrite" }
}

/// Returns the command that records tests of pytest again; `None` without any.
pub(crate) fn record_command(fixes: &[&CassetteFix]) -> Option<String> {
    let mut names: Vec<&str> = fixes.iter().filter_map(|fix| fix.test.as_deref()).collect();
    names.dedup();
    let mode = record_mode(fixes);
    (!names.is_empty()).then(|| format!("pytest {} --record-mode={mode}", names.join(" ")))
}

/// Returns a test of pytest, if its plugin records again by an option.
fn quoted_test(failed: &FailedTest) -> Option<String> {
    let client = failed.miss.client?;
    // Both plugins have this mode; others have other options or none.
    let is_known = is_of_vcrpy(failed) || ["cassetter", "pytest-recording"].contains(&client);
    let node = failed.test.node_id().filter(|_| is_known)?;
    CommandShell::Posix.quote(&node)
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
    let change = CallChange {
        path: Arc::clone(path),
        index: near.call.index,
        pointer: call.pointer(),
        // Without numbers in the log, the test may have played it before for an equal request.
        is_copy: edits.is_empty() || failed.miss.counts.is_none() && !near.is_like(),
        edits,
        proof,
    };
    let text = plan::changed_text(document, &[&change])?;
    change.proof.holds(&document::read(Source::new(text), path)).then_some(change)
}

/// Returns the edits that make a recorded request the one that was sent; `None` if that is not known.
fn request_edits(near: &NearestCall, call: Node<'_>) -> Option<Vec<Edit>> {
    let request = call.get("request")?;
    let sent = &near.sent;
    let mut edits = Vec::new();
    if near.differences.iter().any(|difference| difference.place.is_empty()) {
        let address = request.get("uri").or_else(|| request.get("url"))?;
        edits.push(Edit::Set { pointer: address.pointer(), value: JsonValue::text(&sent.url) });
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
