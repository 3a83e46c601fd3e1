//! `retake blame`: lists the commits that recorded the calls of a file.

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, RootOption};
use super::output::{Output, OutputStyle, shown};
use super::{CommandError, CommandResult, CommandVerdict, read_everything, split_number, write};
use document::commit::CommitSummary;
use document::text::lower_first;
use engine::SourceLookup;
use play::blame::CallCommits;

/// Show which commit recorded the answer of each call of a file, and which one changed its request.
///
/// The commit of an answer is the last one in which the answer changed as the API understands it: ids, times, numbers of tokens,
/// headers, compression and the order of keys do not count. A line has the number of the call, the commit, its date (UTC), its
/// author and its subject. If the request is of another commit, it has a line of its own. A line says that the part was edited by hand if
/// the commit changed it and the ids and times of the answer stayed: then nothing was recorded again, and it names the commit that recorded
/// the call. A line says that a call is derived, with the reason, if Retake wrote the file as it is or the answer was not recorded. The history of git is read without
/// running git, and followed through renames of the file.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake blame tests/cassettes/test_refund.yaml\n  retake blame tests/cassettes/test_refund.yaml:3 --json"
)]
pub(super) struct BlameArgs {
    /// A recording, a tape or a cassette; FILE:3 means the third call of a cassette.
    #[arg(value_name = "FILE[:CALL]")]
    file: PathBuf,
    #[command(flatten)]
    within: RootOption,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct BlameDocument<'a> {
    path: &'a str,
    calls: Vec<BlamedCallJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct BlamedCallJson<'a> {
    /// Its number from 0.
    index: usize,
    /// The commit that recorded the answer.
    answer: BlamedCommitJson<'a>,
    /// The commit that changed the request last.
    request: BlamedCommitJson<'a>,
    /// Whether the answer was edited by hand there: it differs, and has the ids and times of the one before it.
    answer_edited: bool,
    /// Whether the request was edited by hand there: its answer was not recorded again.
    request_edited: bool,
    /// The commit that recorded the call, if something in it was edited by hand since.
    recorded: Option<BlamedCommitJson<'a>>,
    /// Reason that the call is known to be derived, not recorded.
    derived: Option<&'a str>,
}

/// A commit; all fields are null for what is not committed.
#[derive(Default, Serialize, JsonSchema)]
pub(super) struct BlamedCommitJson<'a> {
    /// Hexadecimal, 40 digits.
    commit: Option<&'a str>,
    /// When the author wrote it, in ISO 8601.
    date: Option<String>,
    author: Option<&'a str>,
    subject: Option<&'a str>,
    /// Whether an earlier commit may be meant: the history ends here before its beginning, as in a shallow clone.
    cut_off: Option<bool>,
}

pub(super) fn run(args: &BlameArgs) -> CommandResult {
    // A file of that name itself has no call. Not `exists`, which follows a link and would miss a broken one of that name.
    let is_missing = args.file.symlink_metadata().is_err();
    let (file, call) = match split_number(&args.file) {
        Some((file, call)) if is_missing => (file, Some(call)),
        _ => (args.file.clone(), None),
    };
    let path = file.to_string_lossy().into_owned();
    let path = shown(&path);
    let call = match call {
        // Calls are counted from 1, and `- 1` below would overflow.
        Some(0) => return Err(CommandError(format!("{path} has no call 0; the first is 1"))),
        call => call.map(|number| number as usize - 1),
    };
    // Sources have no part in the history of a recording.
    let input =
        read_everything(std::slice::from_ref(&file), args.within.root(), SourceLookup::LeaveAlone)?;
    let item = input.only_item(&path)?;
    let result = input.project.blame(0, item, call, &AtomicBool::new(false));
    let calls = result.map_err(|reason| CommandError(shown(&reason).into_owned()))?;
    write(args.look.color, |output| {
        output.hide(input.secrets());
        if args.json {
            output.document(&BlameDocument {
                path: &item.path,
                calls: calls.iter().map(BlamedCallJson::new).collect(),
            })
        } else {
            print(output, &calls)
        }
    })?;
    Ok(CommandVerdict::Passed)
}

/// Prints aligned columns: the number of the call and the part, the commit, its date, its author, its subject.
fn print(output: &mut Output, calls: &[CallCommits]) -> std::io::Result<()> {
    let mut rows = Vec::new();
    for call in calls {
        let number = call.index + 1;
        let derived = call.derived.as_deref();
        rows.push((number.to_string(), &call.answer, origin(call, call.is_answer_edited, derived)));
        // Most calls are recorded as a whole, and a second equal line would hide those that are not.
        if call.request != call.answer {
            let origin = origin(call, call.is_request_edited, None);
            rows.push((format!("{number} request"), &call.request, origin));
        }
    }
    let author = |commit: &CommitSummary| shown(&commit.author).into_owned();
    // Columns are aligned by characters; bytes would shift lines with names in other scripts.
    let width = |text: &str| text.chars().count();
    let part_width = rows.iter().map(|(part, ..)| width(part)).max().unwrap_or(0);
    let author_width = rows
        .iter()
        .filter_map(|(_, commit, _)| commit.as_ref())
        .map(|commit| width(&author(commit)))
        .max()
        .unwrap_or(0);
    for (part, commit, origin) in rows {
        let line = match commit {
            None => "not committed".to_owned(),
            Some(commit) => commit_line(output, commit, author_width),
        };
        output.line(&format!("{part:part_width$}  {line}{}", shown(&origin)))?;
    }
    Ok(())
}

/// Returns the origin of a part of a call behind its commit; empty for what was recorded, as far as it is known.
fn origin(call: &CallCommits, is_edited: bool, derived: Option<&str>) -> String {
    let recorded = call.recorded.as_ref().filter(|_| is_edited);
    let recorded = recorded.map(|commit| format!(", recorded in {}", commit.id.short()));
    let hand = if call.derived.is_some() { "" } else { " by hand" };
    let edited = is_edited.then(|| format!(" (edited{hand}{})", recorded.unwrap_or_default()));
    let derived = derived.map(|reason| format!(" (derived: {})", lower_first(reason)));
    edited.into_iter().chain(derived).collect()
}

/// A commit in a line: its id, its date, its author in a column of this many letters, its subject.
pub(super) fn commit_line(output: &Output, commit: &CommitSummary, column: usize) -> String {
    let styled_text = |style, text: &str| output.styled(style, text).into_owned();
    let id = styled_text(OutputStyle::Strong, commit.id.short());
    let date = styled_text(OutputStyle::Quiet, &date(commit));
    let author = shown(&commit.author);
    let cut_off = if commit.is_cut_off { " (or earlier: the history ends here)" } else { "" };
    let subject = shown(&commit.subject);
    format!("{id}  {date}  {author:column$}  {subject}{cut_off}")
}

/// The day of a commit, which may be out of range.
fn date(commit: &CommitSummary) -> String {
    jiff::Timestamp::from_second(commit.written_at)
        .map_or_else(|_| "unknown date".to_owned(), |time| time.strftime("%Y-%m-%d").to_string())
}

impl<'a> BlamedCallJson<'a> {
    fn new(call: &'a CallCommits) -> Self {
        Self {
            index: call.index,
            answer: BlamedCommitJson::new(call.answer.as_deref()),
            request: BlamedCommitJson::new(call.request.as_deref()),
            answer_edited: call.is_answer_edited,
            request_edited: call.is_request_edited,
            recorded: call.recorded.as_deref().map(|commit| BlamedCommitJson::new(Some(commit))),
            derived: call.derived.as_deref(),
        }
    }
}

impl<'a> BlamedCommitJson<'a> {
    pub(super) fn new(commit: Option<&'a CommitSummary>) -> Self {
        let Some(commit) = commit else { return Self::default() };
        let date = jiff::Timestamp::from_second(commit.written_at);
        Self {
            commit: Some(&commit.id.id),
            // A time out of range, which git accepts, is null rather than wrong.
            date: date.ok().map(|date| date.to_string()),
            author: Some(&commit.author),
            subject: Some(&commit.subject),
            cut_off: Some(commit.is_cut_off),
        }
    }
}
