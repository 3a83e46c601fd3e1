//! What fixes the cause of a failure of a test that plays a cassette.

use std::sync::Arc;

use super::cause::{CassetteCause, RequestPart};
use super::index::{split, stem};
use super::nearest::NearestCall;
use super::{CassetteFiles, Cause};
use crate::run_log::{FailedTest, PrintedBody};
use calls::cassette_config::cassette_name;
use document::cassette::{CassetteClient, Interaction, StoredBody};
use document::edit::{Edit, JsonValue, plan_all};
use document::files::FileStep;
use document::shell::CommandShell;
use document::text::{quoted, upper_first};

/// What fixes a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CassetteFix {
    /// A change of files that makes the request of the test find its answer, if there is one.
    pub step: Option<FileStep>,
    /// The test in the command that records it again, quoted for a POSIX shell.
    pub test: Option<String>,
    /// Advice as a sentence without a full stop, if nothing can be changed here.
    pub advice: Option<String>,
}

impl CassetteFix {
    /// Describes the change of files in a few words, in the imperative; `None` if there is none.
    pub fn title(&self) -> Option<&'static str> {
        self.step.as_ref().map(|step| match step {
            FileStep::Rename { .. } => "Rename the cassette",
            _ => "Change the recorded request",
        })
    }

    /// Describes the fix as a sentence without a full stop, with the command that records again; `None` if there is none.
    pub fn describe(&self, command: Option<&str>) -> Option<String> {
        let step = self.step.as_ref().map(|step| match step {
            FileStep::Rename { from, to } => {
                format!("Rename {} to {}", quoted(split(from).1), quoted(split(to).1))
            }
            _ => "Change the recorded request to what is sent, with the same answer".to_owned(),
        });
        let command = command.map(|command| format!("record again with `{command}`"));
        let parts: Vec<String> =
            [step, self.advice.clone(), command].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| upper_first(&parts.join("; or ")))
    }
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
    let step = match cause {
        CassetteCause::TestRenamed { from, .. } => path.and_then(|path| rename(path, from, files)),
        CassetteCause::ValueChanged { .. } => {
            path.zip(near).and_then(|(path, near)| change_request(failed, path, near, files))
        }
        _ => None,
    };
    let has_plugin = path.is_none_or(|path| is_of_plugin(path, failed));
    let advice = match cause {
        CassetteCause::Consumed if is_of_vcrpy(failed) => Some(
            "If each of these requests may get the same answer, set `allow_playback_repeats=True`",
        ),
        CassetteCause::OrderDecides => Some("Add `\"body\"` to `match_on`"),
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
    CassetteFix { step, test, advice: advice.map(str::to_owned) }
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

/// Returns the command that records tests of pytest again, given as the fixes have them; `None` without any.
pub(crate) fn record_command<'t>(tests: impl IntoIterator<Item = &'t str>) -> Option<String> {
    let mut names: Vec<&str> = tests.into_iter().collect();
    names.dedup();
    (!names.is_empty()).then(|| format!("pytest {} --record-mode=rewrite", names.join(" ")))
}

/// Returns a test of pytest, if its plugin records again by an option.
fn quoted_test(failed: &FailedTest) -> Option<String> {
    let client = failed.miss.client?;
    // Both plugins have this mode; others have other options or none.
    let is_known = is_of_vcrpy(failed) || ["cassetter", "pytest-recording"].contains(&client);
    let node = failed.test.node_id().filter(|_| is_known)?;
    CommandShell::Posix.quote(&node)
}

fn rename(path: &Arc<str>, from: &str, files: &CassetteFiles) -> Option<FileStep> {
    let old = files.index.in_folder(path).find(|old| stem(split(&old.path).1) == from)?;
    let (folder, name) = split(path);
    let ending = &split(&old.path).1[from.len()..];
    let to = match folder {
        "" => format!("{}{ending}", stem(name)),
        folder => format!("{folder}/{}{ending}", stem(name)),
    };
    Some(FileStep::Rename { from: Arc::clone(&old.path), to: to.into() })
}

/// Plans to write the request that was sent in place of the nearest recorded one.
fn change_request(
    failed: &FailedTest,
    path: &Arc<str>,
    near: &NearestCall,
    files: &CassetteFiles,
) -> Option<FileStep> {
    // Another path is another operation, whose answer has another form.
    let is_other = |part| matches!(part, RequestPart::Path | RequestPart::Method);
    if near.differences.iter().any(|difference| is_other(difference.part)) {
        return None;
    }
    // Calls are mostly played in their order: one that was played is the request of an earlier moment of the test.
    if failed.miss.counts.is_some_and(|(_, played)| near.number() <= played) {
        return None;
    }
    let document = files.documents.get(path)?;
    let sent = failed.miss.request.as_ref()?;
    let call = document.tree.find(near.call.node)?;
    let request = call.get("request")?;
    let mut edits = Vec::new();
    if !sent.url.is_empty() && near.call.request.url.as_deref() != Some(&*sent.url) {
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
    let edit = plan_all(&document.tree, &edits).ok()??;
    let before = document.source().text();
    let mut after = before.to_owned();
    edit.apply(&mut after);
    Some(FileStep::Write {
        path: Arc::clone(path),
        before: Some(before.as_bytes().into()),
        after: Some(after.into_bytes().into()),
    })
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
