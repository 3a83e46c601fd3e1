//! `retake match`: plays requests against a set of recordings.

mod cassette;
mod json;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use cassette::CassetteMatchDocument;
pub(super) use cassette::CassetteOptions;
use json::MatchDocument;

use super::common::{ColorOption, one_of};
use super::output::shown;
use super::{CommandError, CommandResult, CommandVerdict, open_error_message, report_error, write};
use calls::secret::Mask;
use engine::{Phase, PlaybackError, RequestSource, SetAndRequests, read_playback};
use play::client::RecorderClient;
use play::playback::failure_log::{FailureKind, FailureLog, LoggedFailure as Failed};
use play::playback::{
    CallVerdict, PlaybackClient, PlaybackMode, PlaybackRules, PlaybackRun, RecordingSet,
    SkippedFile,
};

/// Play requests against a set of recordings and show which one serves each, and why the others do not.
///
/// A set is one folder, as clients load it: its *.json files in the order of their names; or the calls in one file, such as an
/// HTTP archive (HAR), without those that failed. An archive has no player, so its calls are played by DyGram's rules. A cassette
/// is played by the rules of the client that owns it, such as vcrpy, with the matchers, the record mode and the filters that the
/// project sets; the requests are then those of another cassette, of an archive, of another file of recorded calls or of a log. The
/// requests are read from a queue (a folder that contains `requests`), from a folder of recordings or requests, or from one file. A machine yields the first request that each of its nodes would make
/// today. The log of a run yields the request that the client printed, or the calls that it answered, as far as the log shows
/// them. If both paths are the same, the set is checked against itself.
///
/// The exit code is 1 if a call finds no recording, with --strict also if it gets a wrong answer or `undefined`. It is 2 if
/// nothing can be played: no recordings, no requests, or a machine that cannot be read completely. A real run ends at the
/// first call that finds no recording; here the remaining calls are played, too.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake match --recordings fixtures/triage --requests .dygram-test-queue\n  \
                  retake match --recordings fixtures/triage --requests machines/triage.dygram --strict\n  \
                  retake match --recordings fixtures/triage --requests fixtures/triage --mode signature\n  \
                  retake match --recordings fixtures/triage --requests ci-run.log\n  \
                  retake match --recordings incident.har --requests .dygram-test-queue\n  \
                  retake match --recordings tests/cassettes/test_a.yaml --requests new/test_a.yaml --match-on method,uri,body"
)]
pub(super) struct MatchArgs {
    #[command(flatten)]
    played: PlayedOptions,
    #[command(flatten)]
    cassette: CassetteOptions,
    /// Fail also if a call gets a wrong answer or `undefined`, or of a cassette the answer to another request.
    #[arg(long)]
    strict: bool,
    /// The number of rejected recordings to show for each call, nearest first [default: 3, with --json 20].
    #[arg(long, value_name = "N")]
    nearest: Option<usize>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// Read nothing outside this folder [default: the enclosing project of each path].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    look: ColorOption,
}

/// Which requests are played against which set, and how.
#[derive(Debug, clap::Args)]
pub(super) struct PlayedOptions {
    /// The set: a folder of recordings, or a file with several calls.
    #[arg(long, value_name = "PATH")]
    recordings: PathBuf,
    /// A queue, a folder of recordings or requests, a file with calls, a machine, or the log of a run.
    #[arg(long, value_name = "PATH")]
    requests: PathBuf,
    /// How the client chooses a recording [default: the mode in the log, else hybrid].
    #[arg(long, value_name = "MODE", value_parser = one_of(MODES))]
    mode: Option<PlaybackMode>,
    /// The client to simulate [default: the one in the log, else shipped; of a cassette the one that the project or its content names].
    #[arg(long, value_name = "CLIENT", value_parser = one_of(clients()))]
    client: Option<MatchClient>,
    /// The number of the failure in a log with several [default: the first one with a printed request, else the
    /// first one].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    failure: Option<u32>,
}

/// Modes in which a client chooses a recording, with their help.
pub(super) const MODES: [(&str, &str, PlaybackMode); 3] = [
    ("hybrid", "By signature; if none matches, the next in order", PlaybackMode::Hybrid),
    ("signature", "By signature; if none matches, an error", PlaybackMode::Signature),
    ("sequential", "In order", PlaybackMode::Sequential),
];

/// Clients to simulate, with their help.
const CLIENTS: [(&str, &str, PlaybackClient); 3] = [
    ("shipped", "The client in tests: it computes no context keys", PlaybackClient::Shipped),
    (
        "browser",
        "The client of the playground: after the last recording it returns an empty answer",
        PlaybackClient::Browser,
    ),
    (
        "documented",
        "The client in the documentation: context keys are those of the request's context",
        PlaybackClient::Documented,
    ),
];

/// The document of a run: against a set, or against a cassette.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum MatchOutput<'r> {
    Set(MatchDocument<'r>),
    Cassette(CassetteMatchDocument<'r>),
}

/// A client to simulate: one of DyGram, or one that plays cassettes.
#[derive(Clone, Copy, Debug)]
pub(super) enum MatchClient {
    DyGram(PlaybackClient),
    Recorder(RecorderClient),
}

fn clients() -> impl Iterator<Item = (&'static str, &'static str, MatchClient)> {
    let own =
        CLIENTS.into_iter().map(|(name, help, client)| (name, help, MatchClient::DyGram(client)));
    let recorders = RecorderClient::ALL.iter();
    own.chain(
        recorders.map(|client| (client.as_str(), client.help(), MatchClient::Recorder(*client))),
    )
}

impl PlayedOptions {
    /// The rules of the playback: those of the arguments, else those in the log.
    fn rules(&self, logged_rules: Option<PlaybackRules>) -> PlaybackRules {
        let logged_rules = logged_rules.unwrap_or_default();
        PlaybackRules {
            mode: self.mode.unwrap_or(logged_rules.mode),
            client: match self.client {
                Some(MatchClient::DyGram(client)) => client,
                _ => logged_rules.client,
            },
        }
    }
}

pub(super) fn run(arguments: &MatchArgs) -> CommandResult {
    if let Some(result) = cassette::run(arguments) {
        return result;
    }
    let playback = match arguments.played.read(arguments.root.as_deref()) {
        Ok(playback) => playback,
        Err(reason) => {
            let folder = arguments.played.recordings.to_string_lossy();
            // An empty run, so that scripts get a JSON document with the reason in this case, too.
            let set = Arc::new(RecordingSet::new(&folder, Vec::new()));
            let run = PlaybackRun::new(set, arguments.played.rules(None), Vec::new());
            return stopped(&run, None, arguments, reason);
        }
    };
    // Before the requests are moved into the run.
    let is_whole = playback.requests.skipped.is_empty();
    let PlayedRun { run, failed: failure } = arguments.played.play(playback)?;
    if let Some(reason) = arguments.played.nothing_to_play(&run, failure.as_ref()) {
        return stopped(&run, failure.as_ref(), arguments, reason);
    }
    write(arguments.look.color, |output| {
        // Requests come from queues and logs, whose secrets are in no item.
        output.hide(Mask::default());
        let nearest = |default_count| arguments.nearest.unwrap_or(default_count);
        if arguments.json {
            json::write(output, &run, failure.as_ref(), nearest(20), None)
        } else {
            text::print(output, &run, failure.as_ref(), nearest(3))
        }
    })?;
    Ok(CommandVerdict::new(!is_whole, fails(&run, failure.as_ref(), arguments)))
}

/// Ends without a verdict and writes the reason to stderr and into the JSON.
fn stopped(
    run: &PlaybackRun,
    failure: Option<&Failed>,
    arguments: &MatchArgs,
    reason: String,
) -> CommandResult {
    if arguments.json {
        let nearest = arguments.nearest.unwrap_or(20);
        write(arguments.look.color, |output| {
            output.hide(Mask::default());
            json::write(output, run, failure, nearest, Some(&reason))
        })?;
    }
    Err(CommandError(reason))
}

fn playback_message(error: &PlaybackError) -> String {
    match error {
        PlaybackError::NotOpened(error) => open_error_message(error),
        PlaybackError::NotPlayed(reason) => shown(reason).into_owned(),
    }
}

fn report_skipped(files: &[SkippedFile], prefix: &str) {
    for SkippedFile { path, reason } in files {
        report_error(&format!("{prefix}: {}: {}", shown(path), shown(reason)));
    }
}

/// A run, and the failure in a log that it was made from.
struct PlayedRun {
    run: PlaybackRun,
    failed: Option<Failed>,
}

impl PlayedOptions {
    /// Plays the requests, for a picture of the run; with the path of the requests as it was given.
    pub(super) fn run(&self, root: Option<&Path>) -> CommandResult<(PlaybackRun, String)> {
        let playback = self.read(root)?;
        let PlayedRun { run, failed: failure } = self.play(playback)?;
        let requests = self.requests.to_string_lossy().into_owned();
        self.nothing_to_play(&run, failure.as_ref())
            .map_or(Ok((run, requests)), |reason| Err(CommandError(reason)))
    }

    /// Reads set and requests, and reports skipped files. Fails with a reason for messages.
    fn read(&self, root: Option<&Path>) -> Result<SetAndRequests, String> {
        let result = read_playback(&self.recordings, &self.requests, root);
        let playback = result.map_err(|error| playback_message(&error))?;
        // Clients warn about a file of a folder that does not parse, and go on without it.
        let prefix = if playback.set.is_file { "Not in the set" } else { "Skipped, as clients do" };
        report_skipped(&playback.set.skipped, prefix);
        report_skipped(&playback.requests.skipped, "Not played");
        Ok(playback)
    }

    fn play(&self, playback: SetAndRequests) -> CommandResult<PlayedRun> {
        let set = playback.set;
        let RequestSource::Log(log) = playback.requests.origin else {
            if self.failure.is_some() {
                return Err("--failure requires the log of a failed run as --requests".into());
            }
            let run = PlaybackRun::new(
                set,
                self.rules(None),
                Phase::over("Playing", playback.requests.requests.into_iter()),
            );
            return Ok(PlayedRun { run, failed: None });
        };
        let failure = select_failure(log, self.failure)?;
        let rules = self.rules(failure.rules(&set));
        let replay = failure.replay(&set);
        if let Some(sentence) = failure.changed_since(&set) {
            report_error(&sentence);
        }
        let run = PlaybackRun::resume(set, rules, replay.before, replay.requests);
        let failure = Some(failure);
        Ok(PlayedRun { run, failed: failure })
    }

    /// Returns the reason why nothing can be played, if so.
    fn nothing_to_play(&self, run: &PlaybackRun, failure: Option<&Failed>) -> Option<String> {
        if run.set.recordings.is_empty() {
            let dir = shown(&run.set.folder);
            return Some(format!("{dir}: no recordings; a set is the *.json files of one folder"));
        }
        // A log without a printed request still has a failure to report.
        if run.calls.is_empty() && failure.is_none() {
            let path = self.requests.to_string_lossy();
            return Some(format!("{}: no requests to play", shown(&path)));
        }
        None
    }
}

/// The failure in a log that --failure selects.
fn select_failure(mut log: FailureLog, number: Option<u32>) -> CommandResult<Failed> {
    report_error(&log.unread.join("\n"));
    let count = log.failures.len();
    // clap refuses 0, so the subtraction cannot overflow.
    let index = number.map_or_else(|| log.main_failure().unwrap_or(0), |n| n as usize - 1);
    if index >= count {
        return Err(CommandError(match count {
            0 => "The log contains no readable call of a playback client".to_owned(),
            1 => "--failure selects no failure: the log contains 1".to_owned(),
            count => format!("--failure selects no failure: the log contains {count}"),
        }));
    }
    if count > 1 {
        let number = index + 1;
        report_error(&format!("Failure {number} of {count} in the log; --failure selects another"));
    }
    // The order of the others does not matter any more.
    Ok(log.failures.swap_remove(index))
}

fn fails(run: &PlaybackRun, failure: Option<&Failed>, arguments: &MatchArgs) -> bool {
    // A client that failed in one of these ways is a failure, even if the log does not print the request.
    let is_unprinted = failure.is_some_and(|failure| {
        matches!(
            failure.kind,
            FailureKind::PastEnd { .. }
                | FailureKind::NoDirectory
                | FailureKind::ToolNotFound { .. }
        )
    });
    let is_bad = |verdict: &CallVerdict| {
        if arguments.strict { verdict.is_bad() } else { verdict.is_unanswered() }
    };
    is_unprinted || run.calls.iter().any(|call| is_bad(&call.verdict))
}
