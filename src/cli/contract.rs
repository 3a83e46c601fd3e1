//! `retake contract`: checks answers against the contracts of sessions, offline.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, ScanOptions, standard_input};
use super::output::{Output, OutputStyle, shown, shown_path};
use super::{
    CommandError, CommandResult, CommandVerdict, ReadFiles, print_summary, read_document,
    report_error, write,
};
use author::contract::{InvariantVerdict as Says, file_answers};
use document::text::{count, lower_first};
use document::{DocumentBody, FileKind, Severity};
use engine::{ContractEvaluation, SourceLookup, evaluate_contracts, listed_sessions};

/// Check the answer of a replay session against its contract, without a model and without Flakestorm.
///
/// The contract is found as Flakestorm finds it: by its name in the flakestorm.yaml above the session, else as a file. The
/// answer is the one given with --answer; else the recorded answer in the session; else the answer in a recording that the
/// session was made from or in a report with the same question, if these are among the PATHs. Invariants that need a model
/// or cannot be checked here are listed as not checked.
///
/// The exit code is 1 if an invariant fails, and 2 if a session has no contract or no answer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake contract replays/refund-twice.yaml\n  \
                  retake contract flakestorm.yaml reports --json\n  \
                  my-agent < question.txt | retake contract replays/refund-twice.yaml --answer - --latency-ms 1200")]
pub(super) struct ContractArgs {
    /// Sessions: files, folders, and configurations with all sessions that they list. Reports and recordings among the
    /// paths are searched for answers.
    #[arg(required = true, value_name = "SESSION")]
    paths: Vec<PathBuf>,
    /// The answer: the text of a file, the answer in a recording or tape, or - for standard input.
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// The latency of the answer in milliseconds.
    #[arg(long, value_name = "MS", requires = "answer")]
    latency_ms: Option<f64>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

pub(super) fn run(arguments: &ContractArgs) -> CommandResult {
    let root = arguments.within.root();
    let answer = arguments.answer.as_deref();
    let external_answer = answer.map(|p| read_answer(p, root, arguments.latency_ms)).transpose()?;
    let numbered = |input: &ReadFiles| {
        input.numbered().map(|(number, item)| (number, Arc::clone(item))).collect::<Vec<_>>()
    };
    let mut input = arguments.within.read(&arguments.paths, SourceLookup::LeaveAlone)?;
    // A configuration names its sessions by path, and these may be outside of the given paths.
    let (session_paths, missing_sessions) = listed_sessions(&input.project, &numbered(input));
    missing_sessions.iter().for_each(|reason| report_error(reason));
    if !session_paths.is_empty() {
        let paths = [arguments.paths.clone(), session_paths].concat();
        // Everything again, so that an answer in a report is found for the listed sessions, too.
        input = arguments.within.read(&paths, SourceLookup::LeaveAlone)?;
    }
    let items = numbered(input);
    for (_, item) in &items {
        let is_named = arguments.paths.iter().any(|path| path == Path::new(&*item.path));
        let has_any = matches!(item.kind, FileKind::Report | FileKind::Recording | FileKind::Tape);
        // In a folder, files of other kinds are normal.
        if is_named && !matches!(item.kind, FileKind::Session | FileKind::Config) && !has_any {
            report_error(&format!("Not a session: {}", shown_path(&item.path)));
        }
    }
    let evaluations = evaluate_contracts(&input.project, &items, external_answer);
    if evaluations.is_empty() {
        return Err("No session found in the given paths".into());
    }
    let reports: Vec<SessionReport<'_>> = evaluations.iter().map(SessionReport::new).collect();
    let summary = ContractSummary::of(&reports);
    write(arguments.look.color, |output| {
        if arguments.json {
            output.document(&ContractDocument { sessions: &reports, summary: &summary })
        } else {
            reports.iter().try_for_each(|report| print(output, report))
        }
    })?;
    if !arguments.json {
        for report in &reports {
            if let Some(error) = &report.error {
                report_error(&format!("{error}: {}", shown(&report.name())));
            }
        }
        print_summary(&summary.sentence());
    }
    let is_incomplete = summary.without_verdict + missing_sessions.len() > 0;
    Ok(input.verdict(CommandVerdict::new(is_incomplete, summary.fails > 0)))
}

/// Reads the answer that --answer names; returns it with its latency in milliseconds.
fn read_answer(
    path: &Path,
    root: Option<&Path>,
    latency: Option<f64>,
) -> CommandResult<(Arc<str>, Option<f64>)> {
    if path == Path::new("-") {
        return Ok((standard_input()?.into(), latency));
    }
    let document = read_document(path, root)?;
    let name = shown_path(&path.to_string_lossy()).into_owned();
    match &document.body {
        DocumentBody::Recording(_) | DocumentBody::Tape(_) => {
            match file_answers(&document).into_iter().next() {
                Some(offer) => Ok((offer.answer.text.into(), latency.or(offer.answer.latency_ms))),
                None => Err(CommandError(format!("The file contains no answer text: {name}"))),
            }
        }
        DocumentBody::Report(_) => Err(CommandError(format!(
            "A report contains several answers; give it as a SESSION argument, and the answer to the same question is used: {name}"
        ))),
        _ => Ok((document.source().text().into(), latency)),
    }
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ContractDocument<'a> {
    sessions: &'a [SessionReport<'a>],
    summary: &'a ContractSummary,
}

#[derive(Serialize, JsonSchema)]
struct SessionReport<'a> {
    path: &'a str,
    pointer: &'a str,
    id: Option<&'a str>,
    contract: Option<ContractJson<'a>>,
    answer: Option<ContractAnswerJson<'a>>,
    invariants: Vec<InvariantJson<'a>>,
    /// Why no invariant was checked.
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ContractJson<'a> {
    reference: &'a str,
    path: &'a str,
    line: u32,
    remark: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct ContractAnswerJson<'a> {
    text: &'a str,
    latency_ms: Option<f64>,
    since: &'static str,
    place: Option<&'a str>,
    redacted: bool,
}

#[derive(Serialize, JsonSchema)]
struct InvariantJson<'a> {
    id: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    severity: &'a str,
    when: &'a str,
    verdict: &'static str,
    needs_model: bool,
    reason: &'a str,
    /// Reason why Flakestorm rejects the contract because of it.
    refusal: Option<&'a str>,
    path: &'a str,
    pointer: &'a str,
    line: u32,
}

impl<'a> SessionReport<'a> {
    fn new(evaluation: &'a ContractEvaluation) -> Self {
        let answer = evaluation.result.answer.as_ref();
        let contract = evaluation.contract.as_ref();
        let is_tried = contract.is_ok() && answer.is_some();
        let error = match (contract, answer) {
            (Err(reason), _) => Some(reason.clone()),
            (Ok(_), None) => Some(
                "No recorded answer in the session or in a report or recording among the paths; give one with --answer"
                    .to_owned(),
            ),
            _ => None,
        };
        let invariants = evaluation.result.invariants.iter().filter(|_| is_tried).map(|rule| {
            let trial = &rule.tried;
            InvariantJson {
                id: &trial.id,
                kind: &trial.kind,
                severity: &trial.severity,
                when: &trial.when,
                verdict: match trial.verdict.passed() {
                    Some(true) => "passes",
                    Some(false) => "fails",
                    None => "not-checked",
                },
                needs_model: matches!(trial.verdict, Says::NeedsModel(_)),
                reason: trial.verdict.reason(),
                refusal: trial.refusal.as_deref(),
                path: &rule.spot.path,
                pointer: &rule.pointer,
                line: rule.spot.line,
            }
        });
        Self {
            path: &evaluation.path,
            pointer: &evaluation.pointer,
            id: evaluation.id.as_deref(),
            contract: contract.ok().map(|(path, line)| ContractJson {
                reference: &evaluation.result.reference,
                path,
                line: *line,
                remark: evaluation.remark.as_deref(),
            }),
            answer: answer.map(|answer| ContractAnswerJson {
                text: &answer.text,
                latency_ms: answer.latency_ms,
                since: answer.since.as_str(),
                place: Some(&*answer.place).filter(|place| !place.is_empty()),
                redacted: answer.is_redacted(),
            }),
            invariants: invariants.collect(),
            error,
        }
    }

    /// The file, with the pointer in it.
    fn name(&self) -> String {
        match self.pointer {
            "" => self.path.to_owned(),
            pointer => format!("{}{pointer}", self.path),
        }
    }
}

#[derive(Serialize, Default, JsonSchema)]
struct ContractSummary {
    sessions: usize,
    passes: usize,
    fails: usize,
    not_checked: usize,
    /// Sessions without a contract or an answer.
    without_verdict: usize,
}

impl ContractSummary {
    fn of(reports: &[SessionReport<'_>]) -> Self {
        let invariants = || reports.iter().flat_map(|report| &report.invariants);
        let total = |verdict: &str| invariants().filter(|i| i.verdict == verdict).count();
        Self {
            sessions: reports.len(),
            passes: total("passes"),
            fails: total("fails"),
            not_checked: total("not-checked"),
            without_verdict: reports.iter().filter(|report| report.error.is_some()).count(),
        }
    }

    fn sentence(&self) -> String {
        let mut parts = vec![
            match self.fails {
                1 => "1 invariant fails".to_owned(),
                fails => format!("{} fail", count(fails, "invariant")),
            },
            format!("{} pass", self.passes),
            format!("{} not checked", self.not_checked),
        ];
        if self.without_verdict > 0 {
            let sessions = count(self.without_verdict, "session");
            parts.push(format!("{sessions} without contract or answer"));
        }
        format!("{}: {}", count(self.sessions, "session"), parts.join(", "))
    }
}

fn print(output: &mut Output, doc: &SessionReport<'_>) -> io::Result<()> {
    let (Some(contract), Some(answer), None) = (&doc.contract, &doc.answer, &doc.error) else {
        return Ok(());
    };
    let name = shown(&doc.name()).into_owned();
    let name = output.styled(OutputStyle::Strong, &name);
    let (reference, path) = (shown(contract.reference), shown_path(contract.path));
    output.line(&format!("{name}: {reference}, {path}:{}", contract.line))?;
    let place = answer.place.map_or(String::new(), |place| format!(" ({})", shown(place)));
    let origin_text = match answer.since {
        "failed" => "recorded when the run failed",
        "recorded" => "recorded",
        _ => "given",
    };
    output.line(&format!("  Answer: {origin_text}{place}"))?;
    if answer.redacted {
        let mark = output.styled(OutputStyle::Of(Severity::Warning), "redacted").into_owned();
        output.line(&format!(
            "  The answer was {mark}: an invariant about removed text says nothing about the real answer"
        ))?;
    }
    let width =
        // One long id must not push all verdicts out of sight.
        doc.invariants.iter().map(|i| i.id.chars().count()).max().unwrap_or_default().min(30);
    for invariant in &doc.invariants {
        let (verdict, style) = match invariant.verdict {
            "passes" => ("passes     ", OutputStyle::Added),
            "fails" => ("fails      ", OutputStyle::Of(Severity::Error)),
            _ => ("not checked", OutputStyle::Quiet),
        };
        let verdict = output.styled(style, verdict);
        let (id, severity) = (shown(invariant.id), shown(invariant.severity));
        let (kind, reason) = (shown(invariant.kind), shown(invariant.reason));
        let path = shown_path(invariant.path);
        output.line(&format!(
            "  {verdict}  {id:<width$}  {severity:<8}  {kind}: {} ({path}:{})",
            lower_first(&reason),
            invariant.line
        ))?;
        if let Some(refusal) = invariant.refusal {
            output.line(&format!("               {}", shown(refusal)))?;
        }
    }
    if let Some(remark) = contract.remark {
        output.line(&format!("  {}", shown(remark)))?;
    }
    Ok(())
}
