//! `retake bisect`: names the commits after which calls stopped matching.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use super::blame::{BlamedCommitJson, commit_line};
use super::common::ColorOption;
use super::matching::MatchMode;
use super::output::{Output, OutputStyle, shown};
use super::{CommandError, CommandVerdict, count, open_error_message, write};
use crate::engine::PlaybackError;
use crate::engine::history::{Bisection, bisect};
use crate::ops::bisect::{BisectedCall, BreakOrigin};
use crate::ops::commit::CommitSummary;
use crate::ops::playback::{PlaybackMode, PlaybackRules};
use crate::ops::secret::Mask;

/// Show after which commit each call stopped matching, without running a test.
///
/// With a machine as requests, each recording of the set is compared with what its node would request, in each version of the machine
/// and of the recording. With a log, a queue or recordings as requests, these are played against each version of the set. The history is
/// searched from the files on disk back, on each side of a merge, without running git.
///
/// The exit code is 1 if a call does not match.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake bisect --recordings recordings/triage-ticket --requests machines/triage-ticket.dygram\n  \
                  retake bisect --recordings recordings/triage-ticket --requests ci-run.log --mode signature --json"
)]
pub(super) struct BisectArgs {
    /// The set: a folder of recordings.
    #[arg(long, value_name = "SET")]
    recordings: PathBuf,
    /// A machine, the log of a run, a queue, or a folder or a file of recordings or requests.
    #[arg(long, value_name = "MACHINE|LOG")]
    requests: PathBuf,
    /// How the client chooses a recording; not for a machine [default: the mode in the log, else hybrid].
    #[arg(long, value_name = "MODE")]
    mode: Option<MatchMode>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Read nothing outside this folder [default: the enclosing project of each path].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct BisectDocument<'a> {
    calls: Vec<BisectedCallJson<'a>>,
    summary: BisectSummary,
}

#[derive(Serialize, JsonSchema)]
struct BisectedCallJson<'a> {
    /// The name of its recording, or of its request.
    call: &'a str,
    node: Option<&'a str>,
    /// `matches`; `broke`; `never`: it does not match since it was recorded; `unknown`.
    status: &'static str,
    /// The commit after which it stopped matching, or which recorded it; null if it matches.
    commit: Option<BlamedCommitJson<'a>>,
    /// Whether versions between that commit and the last one in which it matched could not be judged.
    uncertain: bool,
    /// Why it does not match, or why that is not known.
    why: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct BisectSummary {
    calls: usize,
    matches: usize,
    broke: usize,
    never: usize,
    unknown: usize,
    /// Files of the set that are no recordings of the machine.
    others: usize,
}

pub(super) fn run(arguments: &BisectArgs) -> Result<CommandVerdict, CommandError> {
    let rules = arguments
        .mode
        .map(|mode| PlaybackRules { mode: PlaybackMode::from(mode), ..PlaybackRules::default() });
    let never = AtomicBool::new(false);
    let (set, requests) = (&arguments.recordings, &arguments.requests);
    let found = bisect(set, requests, arguments.root.as_deref(), rules, &never);
    let found = found.map_err(|error| match error {
        PlaybackError::NotOpened(error) => CommandError(open_error_message(&error)),
        PlaybackError::NotPlayed(reason) => CommandError(shown(&reason).into_owned()),
    })?;
    let document = BisectDocument::new(&found);
    let is_whole = document.summary.matches == document.summary.calls;
    write(arguments.look.color, |output| {
        output.hide(Mask::default());
        if arguments.json {
            output.document(&document)
        } else {
            print(output, &found, &document.summary)
        }
    })?;
    Ok(if is_whole { CommandVerdict::Passed } else { CommandVerdict::Failed })
}

/// The calls that have an origin in common.
struct OriginGroup<'a> {
    heading: OriginHeading<'a>,
    commit: Option<&'a Arc<CommitSummary>>,
    calls: Vec<(&'a BisectedCall, &'a str)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum OriginHeading<'a> {
    Broke { is_uncertain: bool },
    Never,
    Unknown(&'a str),
}

/// Prints a commit, the calls that stopped matching with it, and why; the commit with the most calls first.
fn print(output: &mut Output, found: &Bisection, summary: &BisectSummary) -> std::io::Result<()> {
    let mut groups: Vec<OriginGroup<'_>> = Vec::new();
    for call in &found.calls {
        let (heading, commit, why) = match &call.origin {
            BreakOrigin::Matches => continue,
            BreakOrigin::Broken { at, why, is_uncertain } => {
                let is_uncertain = *is_uncertain;
                (OriginHeading::Broke { is_uncertain }, at.as_ref(), &**why)
            }
            BreakOrigin::Never { since, why } => (OriginHeading::Never, since.as_ref(), &**why),
            BreakOrigin::Unknown(why) => (OriginHeading::Unknown(why), None, ""),
        };
        let known = groups.iter_mut().find(|group| {
            group.heading == heading && group.commit.map(|it| &it.id) == commit.map(|it| &it.id)
        });
        match known {
            Some(group) => group.calls.push((call, why)),
            None => groups.push(OriginGroup { heading, commit, calls: vec![(call, why)] }),
        }
    }
    groups.sort_by_key(|group| {
        let is_unknown = matches!(group.heading, OriginHeading::Unknown(_));
        (is_unknown, std::cmp::Reverse(group.calls.len()))
    });
    for group in &groups {
        let calls = count(group.calls.len(), "call");
        let (_, first) = group.calls[0];
        let is_common = group.calls.iter().all(|(_, why)| *why == first);
        let shared = if is_common && !first.is_empty() {
            format!(": {}", shown(first))
        } else {
            String::new()
        };
        let heading = match group.heading {
            OriginHeading::Unknown(why) => format!("{calls} not judged: {}", shown(why)),
            heading => {
                let commit = match group.commit {
                    Some(commit) => commit_line(output, commit, 0),
                    None => "not committed".to_owned(),
                };
                output.line(&commit)?;
                let what = match heading {
                    OriginHeading::Never => "recorded here, never matched",
                    OriginHeading::Broke { is_uncertain: true } => {
                        "stopped matching, here or in commits before that could not be judged"
                    }
                    _ => "stopped matching",
                };
                format!("  {calls} {what}{shared}")
            }
        };
        output.line(&heading)?;
        for (call, why) in &group.calls {
            let node = call.node.as_deref();
            let node = node.map_or_else(String::new, |node| format!(" at {}", shown(node)));
            let name = output.styled(OutputStyle::Strong, &shown(&call.name)).into_owned();
            let why = if is_common { String::new() } else { format!(": {}", shown(why)) };
            output.line(&format!("    {name}{node}{why}"))?;
        }
    }
    let mut line = format!(
        "{} of {}",
        summary.matches,
        match summary.calls {
            1 => "1 call matches".to_owned(),
            calls => format!("{calls} calls match"),
        }
    );
    if summary.others > 0 {
        let files = count(summary.others, "file");
        line.push_str(&format!("; {files} of the set not of this machine"));
    }
    output.line(&line)
}

impl<'a> BisectDocument<'a> {
    fn new(found: &'a Bisection) -> Self {
        let calls: Vec<_> = found.calls.iter().map(BisectedCallJson::new).collect();
        let having = |status: &str| calls.iter().filter(|call| call.status == status).count();
        let summary = BisectSummary {
            calls: calls.len(),
            matches: having("matches"),
            broke: having("broke"),
            never: having("never"),
            unknown: having("unknown"),
            others: found.others,
        };
        Self { calls, summary }
    }
}

impl<'a> BisectedCallJson<'a> {
    fn new(call: &'a BisectedCall) -> Self {
        let commit =
            |commit: &'a Option<Arc<CommitSummary>>| Some(BlamedCommitJson::new(commit.as_deref()));
        let (status, commit, uncertain, why) = match &call.origin {
            BreakOrigin::Matches => ("matches", None, false, None),
            BreakOrigin::Broken { at, why, is_uncertain } => {
                ("broke", commit(at), *is_uncertain, Some(&**why))
            }
            BreakOrigin::Never { since, why } => ("never", commit(since), false, Some(&**why)),
            BreakOrigin::Unknown(why) => ("unknown", None, false, Some(&**why)),
        };
        Self { call: &call.name, node: call.node.as_deref(), status, commit, uncertain, why }
    }
}
