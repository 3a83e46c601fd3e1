//! `retake answer`: answers the requests in a queue from recordings and rules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use super::serve::ModeName;
use super::{Log, clock};
use crate::cli::common::Look;
use crate::cli::output::{Style, shown, shown_path};
use crate::cli::{Failure, Verdict, complain, count, tell, unopened};
use crate::engine::live::queue::{BREATH, Queue, Waiting};
use crate::engine::live::{ProjectRules, Stock, interrupts};
use crate::engine::root::check_folder;
use crate::ops::live::queue::LiveQueueEvent;
use crate::ops::live::serve::{ServeChoice, ServeRules};

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
#[command(
    after_help = "Examples:\n  retake answer .dygram-test-queue --from fixtures/triage\n  \
                  retake answer .dygram-test-queue --rules --from fixtures/triage\n  \
                  retake answer .dygram-test-queue --from fixtures/triage --mode signature --once --json"
)]
pub(in crate::cli) struct Arguments {
    /// The folder of the queue.
    queue: PathBuf,
    /// The set: a folder of recordings.
    #[arg(long, value_name = "SETDIR", required_unless_present = "rules")]
    from: Option<PathBuf>,
    /// Try the rules of the project's retake.toml before the set.
    #[arg(long)]
    rules: bool,
    /// How recordings are chosen.
    #[arg(long, value_name = "MODE", default_value = "hybrid")]
    mode: ModeName,
    /// Answer the pending requests and end.
    #[arg(long)]
    once: bool,
    /// Print JSON, one line for each request.
    #[arg(long)]
    json: bool,
    /// Read and write nothing outside this folder [default: the enclosing project].
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    #[command(flatten)]
    look: Look,
}

/// A line of the log, as JSON.
#[derive(Serialize)]
struct Line<'a> {
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
struct Answers {
    rules: Option<ProjectRules>,
    stock: Option<Stock>,
}

impl Answers {
    fn read(arguments: &Arguments) -> Result<Self, Failure> {
        let rules = arguments.rules.then(|| rules(arguments)).transpose()?;
        let stock = arguments.from.as_deref();
        let stock = stock
            .map(|folder| stock_of(folder, arguments))
            .transpose()?;
        Ok(Self { rules, stock })
    }

    /// Answers a request. If neither a rule nor the set answers it, it stays in the queue.
    fn answer(&self, queue: &mut Queue, waiting: &Waiting) -> LiveQueueEvent {
        let ruled = self.rules.as_ref();
        let ruled = ruled.and_then(|rules| queue.rule(waiting, rules));
        ruled.unwrap_or_else(|| match &self.stock {
            Some(stock) => queue.answer(waiting, stock),
            None => {
                let choice = ServeChoice {
                    why: vec!["No rule matches.".to_owned()],
                    ..ServeChoice::default()
                };
                LiveQueueEvent::Unanswered(Arc::clone(&waiting.name), Arc::new(choice))
            }
        })
    }
}

/// Reads the project's rules; reports invalid parts of the file.
fn rules(arguments: &Arguments) -> Result<ProjectRules, Failure> {
    let rules = ProjectRules::open(Path::new("."), arguments.root.as_deref());
    let rules =
        rules.map_err(|reason| Failure(format!("The project cannot be opened: {reason}")))?;
    let (read, problems) = rules.read();
    problems.iter().for_each(|problem| complain(problem));
    if !arguments.json {
        let rules = count(read.len(), "rule");
        tell(&format!("Answering by {rules}"));
    }
    Ok(rules)
}

fn stock_of(folder: &Path, arguments: &Arguments) -> Result<Stock, Failure> {
    let rules = ServeRules {
        mode: arguments.mode.mode(),
        ..ServeRules::default()
    };
    let stock = Stock::read_set(folder, arguments.root.as_deref(), rules);
    let stock = stock.map_err(Failure)?;
    stock.faults.iter().for_each(|fault| complain(fault));
    let recordings: usize = stock.sets.iter().map(|(_, recordings)| recordings).sum();
    if recordings == 0 {
        return Err(Failure("The set contains no recordings".to_owned()));
    }
    if !arguments.json {
        let recordings = count(recordings, "recording");
        tell(&format!("Answering from {recordings}"));
    }
    Ok(stock)
}

pub(in crate::cli) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let answers = Answers::read(arguments)?;
    let interrupts = interrupts()?;
    let root = arguments.root.as_deref();
    check_folder(&arguments.queue, root).map_err(|error| Failure(unopened(&error)))?;
    let mut queue = Queue::new(&arguments.queue, root);
    let mut log = Log::new(arguments.look.color);
    let mut verdict = Verdict::Passed;
    loop {
        let mut events = Vec::new();
        for waiting in queue.look(&mut |event| events.push(event)) {
            events.push(answers.answer(&mut queue, &waiting));
        }
        for event in &events {
            if matches!(
                event,
                LiveQueueEvent::Unanswered(..) | LiveQueueEvent::Failed(..)
            ) {
                verdict = Verdict::Failed;
            }
            write(&mut log, arguments.json, event)?;
        }
        let is_gone = arguments.once
            && events
                .iter()
                .any(|event| matches!(event, LiveQueueEvent::FolderMissing));
        if is_gone {
            return Err(Failure("The queue does not exist".to_owned()));
        }
        if arguments.once || interrupts.recv_timeout(BREATH).is_ok() {
            return Ok(if arguments.once {
                verdict
            } else {
                Verdict::Passed
            });
        }
    }
}

fn write(log: &mut Log, is_json: bool, event: &LiveQueueEvent) -> Result<(), Failure> {
    let message: String;
    let (name, choice, message) = match event {
        LiveQueueEvent::Waits(..)
        | LiveQueueEvent::AnsweredByOther(_)
        | LiveQueueEvent::Withdrawn(_) => return Ok(()),
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
            let time = output.styled(Style::Quiet, &time).into_owned();
            output.line(&format!("{time} {}", words(name, choice, message)))
        }
    })
}

fn line<'a>(
    event: &'a LiveQueueEvent,
    name: Option<&'a Arc<str>>,
    choice: Option<&'a Arc<ServeChoice>>,
    message: Option<&'a str>,
) -> Line<'a> {
    let chosen = choice.and_then(|choice| choice.chosen.as_ref());
    let nearest = choice.into_iter().flat_map(|choice| &choice.nearest);
    Line {
        event: match event {
            LiveQueueEvent::Waits(..)
            | LiveQueueEvent::AnsweredByOther(_)
            | LiveQueueEvent::Withdrawn(_) => "waits",
            LiveQueueEvent::Answered(..) | LiveQueueEvent::AnsweredByRule(..) => "answered",
            LiveQueueEvent::Unanswered(..) => "unanswered",
            LiveQueueEvent::Failed(..) => "failed",
            LiveQueueEvent::FolderMissing => "gone",
            LiveQueueEvent::FolderBack => "back",
        },
        request: name.map(|name| &**name),
        served: chosen.map(|chosen| &*chosen.path),
        rule: match event {
            LiveQueueEvent::AnsweredByRule(_, rule) => Some(rule),
            _ => None,
        },
        how: chosen.map(|chosen| chosen.matched_by.as_str()),
        why: choice.map_or(&[], |choice| &choice.why),
        differences: choice.map_or(&[], |choice| &choice.differences),
        nearest: nearest.map(|near| &*near.path).collect(),
        message,
    }
}

/// The log line as text.
fn words(
    name: Option<&Arc<str>>,
    choice: Option<&Arc<ServeChoice>>,
    message: Option<&str>,
) -> String {
    let name = name
        .map(|name| format!("{}: ", shown(name)))
        .unwrap_or_default();
    let chosen = choice.and_then(|choice| choice.chosen.as_ref());
    let text = match (chosen, choice) {
        (Some(chosen), Some(choice)) => {
            let differs = choice.differences.first();
            let differs = differs.map(|it| format!("; differs: {}", shown(it)));
            let how = chosen.matched_by.describe();
            format!(
                "{}, {how}{}",
                shown_path(&chosen.path),
                differs.unwrap_or_default()
            )
        }
        (None, Some(choice)) => shown(&choice.refusal()).into_owned(),
        (_, None) => shown(message.unwrap_or_default()).into_owned(),
    };
    format!("{name}{text}")
}
