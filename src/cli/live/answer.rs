//! `retake answer`: answers the requests in a queue from recordings and rules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::{LogOutput, clock};
use crate::common::{ColorOption, FolderOptions, one_of};
use crate::matching::MODES;
use crate::output::{OutputStyle, shown, shown_path};
use crate::{
    CommandError, CommandResult, CommandVerdict, open_error_message, print_stderr, report_error,
    report_ignored,
};
use document::text::count;
use engine::live::queue::{POLL_INTERVAL, QueueFolder, WaitingRequest};
use engine::live::{Fixtures, ProjectRules, listen_for_interrupts};
use engine::root::check_folder;
use play::live::queue::LiveQueueEvent;
use play::live::serve::{ServeChoice, ServeRules};
use play::playback::PlaybackMode;

/// Answer the requests in a queue by the project's rules or from a set of recordings.
///
/// A queue is the folder in which a live run waits for answers: requests are in QUEUE/requests, and answers are written
/// atomically to QUEUE/responses. With --rules, the [[answer]] tables of the project's retake.toml are tried first, and the
/// first one that matches answers. Recordings are chosen as in `retake match`. If nothing answers a request, the nearest
/// recordings are reported, and the request stays in the queue. If the queue does not exist, the command waits for it.
///
/// The command runs until it is stopped. With --once, it handles the pending requests and ends; the exit code is 1 if a request
/// got no answer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake answer .dygram-test-queue --from fixtures/triage\n  \
                  retake answer .dygram-test-queue --rules --from fixtures/triage\n  \
                  retake answer .dygram-test-queue --from fixtures/triage --mode signature --once --json")]
pub(crate) struct AnswerArgs {
    /// The folder of the queue.
    queue: PathBuf,
    /// The set: a folder of recordings, or a file with several calls.
    #[arg(long, value_name = "PATH", required_unless_present = "rules")]
    from: Option<PathBuf>,
    /// Try the rules of the project's retake.toml before the set.
    #[arg(long)]
    rules: bool,
    /// How recordings are chosen.
    #[arg(long, value_name = "MODE", default_value = "hybrid", value_parser = one_of(MODES))]
    mode: PlaybackMode,
    /// Answer the pending requests and end.
    #[arg(long)]
    once: bool,
    /// Print JSON, one line for each request.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: FolderOptions,
    #[command(flatten)]
    look: ColorOption,
}

/// A line of the log, as JSON.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AnswerLogLine<'a> {
    event: &'static str,
    request: Option<&'a str>,
    served: Option<&'a str>,
    rule: Option<&'a str>,
    how: Option<&'static str>,
    why: &'a [String],
    differences: &'a [String],
    nearest: Vec<&'a str>,
    message: Option<&'a str>,
}

/// The rules and recordings that answer.
struct AnswerSources {
    rules: Option<ProjectRules>,
    fixtures: Option<Fixtures>,
}

impl AnswerSources {
    fn read(arguments: &AnswerArgs) -> CommandResult<Self> {
        let rules = arguments.rules.then(|| rules(arguments)).transpose()?;
        let fixtures =
            arguments.from.as_deref().map(|folder| read_fixtures(folder, arguments)).transpose()?;
        Ok(Self { rules, fixtures })
    }

    /// Answers a request. If neither a rule nor the set answers it, it stays in the queue.
    fn answer(&self, queue: &mut QueueFolder, request: &WaitingRequest) -> LiveQueueEvent {
        // Rules first, as the help of --rules says.
        let event = self.rules.as_ref().and_then(|rules| queue.answer_by_rule(request, rules));
        event.unwrap_or_else(|| match &self.fixtures {
            Some(fixtures) => queue.answer_from_set(request, fixtures),
            None => {
                let choice = ServeChoice {
                    why: vec!["No rule matches.".to_owned()],
                    ..ServeChoice::default()
                };
                LiveQueueEvent::Unanswered(Arc::clone(&request.name), Arc::new(choice))
            }
        })
    }
}

/// Reads the project's rules; reports invalid parts of the file.
fn rules(arguments: &AnswerArgs) -> CommandResult<ProjectRules> {
    let rules = ProjectRules::open(Path::new("."), arguments.within.root())
        .map_err(|r| CommandError(format!("The project cannot be opened: {r}")))?;
    // Read once here to report what is invalid; the queue reads the file again when it changes.
    let (active_rules, problems) = rules.read();
    problems.iter().for_each(|problem| report_error(problem));
    if !arguments.json {
        let rules = count(active_rules.len(), "rule");
        print_stderr(&format!("Answering with {rules}"));
    }
    Ok(rules)
}

fn read_fixtures(folder: &Path, args: &AnswerArgs) -> CommandResult<Fixtures> {
    let rules = ServeRules { mode: args.mode, ..ServeRules::default() };
    let fixtures = Fixtures::read_set(folder, args.within.bounds(), rules)?;
    fixtures.faults.iter().for_each(|fault| report_error(fault));
    let recordings: usize = fixtures.sets.iter().map(|(_, recordings)| recordings).sum();
    report_ignored(fixtures.ignored, recordings == 0)?;
    if recordings == 0 {
        return Err(CommandError(format!(
            "{}: no recordings; a set is the *.json files of one folder",
            shown(&folder.to_string_lossy())
        )));
    }
    if !args.json {
        let recordings = count(recordings, "recording");
        print_stderr(&format!("Answering from {recordings}"));
    }
    Ok(fixtures)
}

pub(crate) fn run(arguments: &AnswerArgs) -> CommandResult {
    let answers = AnswerSources::read(arguments)?;
    let mut log = LogOutput::new(arguments.look.color, arguments.json)?;
    let verdict = follow(arguments, &answers, &mut log);
    log.finish()?;
    verdict
}

/// Answers until the command is stopped.
fn follow(arguments: &AnswerArgs, answers: &AnswerSources, log: &mut LogOutput) -> CommandResult {
    let interrupts = listen_for_interrupts()?;
    let root = arguments.within.root();
    // Before the loop, which would wait forever for a folder outside of the root.
    check_folder(&arguments.queue, root).map_err(|e| CommandError(open_error_message(&e)))?;
    let mut queue = QueueFolder::new(&arguments.queue, root);
    let mut verdict = CommandVerdict::Passed;
    loop {
        let mut events = Vec::new();
        for request in queue.poll(&mut |event| events.push(event)) {
            events.push(answers.answer(&mut queue, &request));
        }
        for event in &events {
            if matches!(event, LiveQueueEvent::Unanswered(..) | LiveQueueEvent::Failed(..)) {
                verdict = CommandVerdict::Failed;
            }
            write(log, arguments.json, event)?;
        }
        // Waiting for a queue and ending at once contradict each other.
        let is_gone = arguments.once
            && events.iter().any(|event| matches!(event, LiveQueueEvent::FolderMissing));
        if is_gone {
            return Err("The queue does not exist".into());
        }
        if arguments.once || interrupts.recv_timeout(POLL_INTERVAL).is_ok() {
            // A command that the user stops has done its work, whatever was left unanswered.
            return Ok(if arguments.once { verdict } else { CommandVerdict::Passed });
        }
    }
}

fn write(log: &mut LogOutput, is_json: bool, event: &LiveQueueEvent) -> CommandResult<()> {
    let message: String;
    let (name, choice, message) = match event {
        LiveQueueEvent::AnsweredByOther(_) | LiveQueueEvent::Withdrawn(_) => return Ok(()),
        LiveQueueEvent::AnsweredByRule(name, rule) => {
            message = format!("rule {rule}");
            (Some(name), None, Some(message.as_str()))
        }
        LiveQueueEvent::Answered(name, choice) | LiveQueueEvent::Unanswered(name, choice) => {
            (Some(name), Some(choice), None)
        }
        LiveQueueEvent::Failed(name, reason) => (Some(name), None, Some(reason.as_str())),
        LiveQueueEvent::FolderMissing => {
            (None, None, Some("The queue does not exist; waiting for it"))
        }
        LiveQueueEvent::FolderBack => (None, None, Some("The queue exists again")),
    };
    log.write(|output| {
        if is_json {
            output.json(&line(event, name, choice, message))
        } else {
            let time = clock(jiff::Timestamp::now());
            let time = output.styled(OutputStyle::Quiet, &time);
            output.line(&format!("{time} {}", log_text(name, choice, message)))
        }
    })
}

fn line<'a>(
    event: &'a LiveQueueEvent,
    name: Option<&'a Arc<str>>,
    choice: Option<&'a Arc<ServeChoice>>,
    message: Option<&'a str>,
) -> AnswerLogLine<'a> {
    let recording = choice.and_then(|choice| choice.chosen.as_ref());
    let nearest = choice.into_iter().flat_map(|choice| &choice.nearest);
    AnswerLogLine {
        event: match event {
            LiveQueueEvent::AnsweredByOther(_) | LiveQueueEvent::Withdrawn(_) => "waits",
            LiveQueueEvent::Answered(..) | LiveQueueEvent::AnsweredByRule(..) => "answered",
            LiveQueueEvent::Unanswered(..) => "unanswered",
            LiveQueueEvent::Failed(..) => "failed",
            LiveQueueEvent::FolderMissing => "gone",
            LiveQueueEvent::FolderBack => "back",
        },
        request: name.map(|name| &**name),
        served: recording.map(|recording| &*recording.path),
        rule: match event {
            LiveQueueEvent::AnsweredByRule(_, rule) => Some(rule),
            _ => None,
        },
        how: recording.map(|recording| recording.matched_by.as_str()),
        why: choice.map_or(&[], |choice| &choice.why),
        differences: choice.map_or(&[], |choice| &choice.differences),
        nearest: nearest.map(|r| &*r.path).collect(),
        message,
    }
}

/// The log line as text.
fn log_text(
    name: Option<&Arc<str>>,
    choice: Option<&Arc<ServeChoice>>,
    message: Option<&str>,
) -> String {
    let name = name.map(|name| format!("{}: ", shown(name))).unwrap_or_default();
    let recording = choice.and_then(|choice| choice.chosen.as_ref());
    let text = match (recording, choice) {
        (Some(recording), Some(choice)) => {
            let difference = choice.differences.first().map(|d| format!("; {}", shown(d)));
            let detail = recording.matched_by.describe();
            format!("{}, {detail}{}", shown_path(&recording.path), difference.unwrap_or_default())
        }
        (None, Some(choice)) => shown(&choice.refusal()).into_owned(),
        (_, None) => shown(message.unwrap_or_default()).into_owned(),
    };
    format!("{name}{text}")
}
