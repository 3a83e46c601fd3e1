//! `retake import --as`: writes the calls of an incident as the fixture that a project plays.

use std::path::{Path, PathBuf};
use std::slice;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::report::{DECIDE_SECRETS, open_reasons, secrets_of};
use super::{ImportArgs, IncidentInputFormat};
use crate::common::{one_of, standard_input};
use crate::files_document::{FileOutcome, FilesDocument, slashed};
use crate::outbox::{OutputFolder, WriteMode, WriteOutcome};
use crate::output::{shown, shown_path};
use crate::redact::read_names;
use crate::{
    CommandError, CommandResult, CommandVerdict, ReadFiles, print_stderr, print_summary,
    read_everything, report_error, write,
};
use author::fixture::{
    FixtureCall, FixtureOptions, FixtureRefusal, FixtureTarget, IncidentFixture, MissingFact,
    NewFixture, fixture_calls, fixture_path, likely_api, offered, plan,
};
use author::import::{Filter, SecretChoice, describe_content};
use author::redact::CHECKED_FOR;
use calls::Item;
use calls::agent_run::joined_files;
use calls::api::Api;
use document::text::{Source, counted};
use document::{Document, read};
use engine::undo::StepRecorder;
use engine::{Phase, SourceLookup};

/// The fixture to write with --as.
#[derive(Debug, clap::Args)]
pub(super) struct FixtureArgs {
    /// Write the model calls as a fixture of this program in place of sessions; `auto` is the one that the project has files of.
    #[arg(long = "as", value_name = "TARGET", value_parser = one_of(targets()))]
    pub(super) target: Option<TargetChoice>,
    /// The test that plays the fixture, which names its file, such as tests/test_a.py::test_b.
    #[arg(long, value_name = "TEST", requires = "target")]
    test: Option<String>,
    /// Take only the call with this number, or with `..N` all calls up to it.
    #[arg(long, value_name = "N", requires = "target")]
    call: Option<String>,
    /// Write the calls as those of another API, or of this one if the source does not name it.
    #[arg(long, value_name = "API", requires = "target", value_parser = one_of(APIS))]
    api: Option<Api>,
    /// Write streamed answers.
    #[arg(long, requires = "target", conflicts_with = "no_stream")]
    stream: bool,
    /// Write whole answers.
    #[arg(long, requires = "target")]
    no_stream: bool,
    /// The model, if the source does not name it.
    #[arg(long, value_name = "MODEL", requires = "target")]
    model: Option<String>,
    /// The limit of tokens in requests, if the source does not have it.
    #[arg(long, value_name = "N", requires = "target", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// The schema of seeds [default: the node, else the tool].
    #[arg(long, value_name = "NAME", requires = "target")]
    schema: Option<String>,
}

const APIS: [(&str, &str, Api); 4] = [
    ("chat", "OpenAI chat completions", Api::OpenAiChat),
    ("responses", "OpenAI responses", Api::OpenAiResponses),
    ("anthropic", "Anthropic messages", Api::AnthropicMessages),
    ("gemini", "Gemini generateContent", Api::Gemini),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TargetChoice {
    /// The target of which the project has files.
    Auto,
    Named(FixtureTarget),
}

/// The names of --as.
fn targets() -> Vec<(&'static str, &'static str, TargetChoice)> {
    let choice = |target: &FixtureTarget| (target.as_str(), "", TargetChoice::Named(*target));
    FixtureTarget::ALL.iter().map(choice).chain([("auto", "", TargetChoice::Auto)]).collect()
}

/// The files of a fixture, and what to know of it.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FixtureDocument<'a> {
    target: &'static str,
    /// Notes on what was left out or assumed.
    notes: Vec<&'a str>,
    #[serde(flatten)]
    files: FilesDocument,
}

pub(super) fn run(
    args: &ImportArgs,
    target: TargetChoice,
    recorder: &StepRecorder,
) -> CommandResult {
    refuse_options_of_sessions(args)?;
    let target = match target {
        TargetChoice::Named(target) => target,
        TargetChoice::Auto => only_target(args)?,
    };
    let (pasted, files): (Vec<PathBuf>, Vec<PathBuf>) =
        args.paths.iter().cloned().partition(|path| path == Path::new("-"));
    let root = args.within.root().unwrap_or(Path::new(".")).to_owned();
    // A pasted source is of the project, too: its settings say which values are secrets.
    let read_paths = if files.is_empty() { slice::from_ref(&root) } else { &files };
    let input = args.within.read(read_paths, SourceLookup::LeaveAlone)?;
    let mut documents = if files.is_empty() { Vec::new() } else { read_documents(input) };
    if !pasted.is_empty() {
        let document = read(Source::new(standard_input()?), "");
        documents.push(("standard input".to_owned(), document));
    }
    let documents = joined_files(documents);
    let broken_files = if files.is_empty() { Vec::new() } else { input.report_broken(&files) };
    let calls: Vec<FixtureCall<'_>> =
        documents.iter().flat_map(|(_, d)| fixture_calls(d)).collect();
    if let ([(path, document)], true) = (&documents[..], calls.is_empty()) {
        let content = describe_content(path, document).unwrap_or_else(|| "a text".to_owned());
        return Err(CommandError(format!(
            "There is no call of a model in it; it is {}: {}",
            shown(&content),
            shown(path)
        )));
    }
    let mut options = FixtureOptions {
        target,
        path: path_of(args, target)?,
        api: args.fixture.api,
        is_stream: if args.fixture.no_stream {
            Some(false)
        } else {
            args.fixture.stream.then_some(true)
        },
        model: args.fixture.model.clone(),
        max_tokens: args.fixture.max_tokens,
        schema: args.fixture.schema.clone(),
        now: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    let fixture = planned(chosen(&calls, args.fixture.call.as_deref())?, &mut options)?;
    let names = read_names(args.names.as_deref())?;
    let own = input.project.secrets();
    let fixture = IncidentFixture::decided(fixture, &own, &names, |secrets, paths| {
        args.decide(secrets, paths);
    })?;
    let verdict = report(args, &options, &fixture, recorder)?;
    let is_incomplete = input.unopened > 0 || !broken_files.is_empty();
    Ok(CommandVerdict::new(is_incomplete, verdict))
}

/// Plans the fixture. Where no call names its API and none of its messages is stored as sent, the likely one is assumed, and noted.
fn planned(calls: &[FixtureCall<'_>], options: &mut FixtureOptions) -> CommandResult<NewFixture> {
    let is_unnamed = |call: &FixtureCall<'_>| {
        let facts = &call.call.facts;
        facts.api.and_then(Api::from_name).is_none() && facts.http.is_none()
    };
    if options.api.is_some() || !calls.iter().all(is_unnamed) {
        return plan(calls, options).map_err(refusal);
    }
    let stored_model = calls.iter().find_map(|call| call.call.facts.model.as_deref());
    let model = stored_model.or(options.model.as_deref());
    let assumed = calls.first().and_then(|call| likely_api(call.document, model));
    options.api = assumed.filter(|_| options.target.is_of_http());
    let mut fixture = plan(calls, options).map_err(refusal)?;
    if let Some(api) = options.api {
        let name = api.as_str();
        fixture.notes.insert(format!(
            "The source does not name the API; {name} is assumed, --api chooses another"
        ));
    }
    Ok(fixture)
}

/// Refuses options that would have no effect.
fn refuse_options_of_sessions(args: &ImportArgs) -> CommandResult<()> {
    let options = [
        ("--name", args.name.is_some()),
        ("--contract", args.contract.is_some()),
        ("--add-to-config", args.add_to_config),
        ("--from text", args.from == IncidentInputFormat::Text),
        ("--from-langsmith", args.langsmith.is_given()),
        ("A filter of runs", args.filter()? != Filter::default()),
    ];
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(CommandError(format!(
            "{option} is only for sessions; leave it out, or leave out --as"
        ))),
        None => Ok(()),
    }
}

fn read_documents(input: &ReadFiles) -> Vec<(String, Document)> {
    let mut documents = Vec::new();
    for (number, item) in Phase::over("Importing", input.numbered()) {
        match input.project.read(number, item) {
            Ok(document) => documents.push((item.path.to_string(), document)),
            Err(reason) => report_error(&format!("{reason}: {}", shown(&item.path))),
        }
    }
    documents
}

/// Returns the target of which the project has files.
fn only_target(args: &ImportArgs) -> CommandResult<FixtureTarget> {
    let folder = args.within.root().unwrap_or(Path::new("."));
    let project = args.within.read(&[folder.to_owned()], SourceLookup::LeaveAlone)?;
    // The incident itself is no habit of the project.
    let is_source = |item: &&Item| {
        let path = Path::new(item.path.trim_start_matches("./"));
        args.paths.iter().any(|source| path.starts_with(source))
    };
    let targets = offered(project.items.iter().map(|item| &**item).filter(|item| !is_source(item)));
    match targets[..] {
        [target] => Ok(target),
        [] => Err("The project has no fixtures; name the program with --as".into()),
        _ => {
            let names: Vec<&str> = targets.iter().map(|target| target.as_str()).collect();
            Err(CommandError(format!(
                "The project has several kinds of fixtures; use --as with one of {}",
                names.join(", ")
            )))
        }
    }
}

/// Returns the path of the file: of the test, or in the folder of --to, or that of --to itself.
fn path_of(args: &ImportArgs, target: FixtureTarget) -> CommandResult<String> {
    let Some(to) = &args.to else {
        let test = args.fixture.test.as_deref().unwrap_or_default();
        let file = Path::new(test.split("::").next().unwrap_or_default());
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = parent.unwrap_or(Path::new("."));
        if !folder.is_dir() {
            return Ok(fixture_path(target, test, std::iter::empty()));
        }
        let items =
            &read_everything(&[folder.to_owned()], args.within.bounds(), SourceLookup::LeaveAlone)?
                .items;
        return Ok(fixture_path(target, test, items.iter().map(|item| (&*item.path, &**item))));
    };
    let is_named_folder = slashed(to).ends_with('/') || to.is_dir();
    if to.extension().is_some() && !is_named_folder {
        return Ok(slashed(to));
    }
    let name = match &args.fixture.test {
        Some(test) => {
            let path = fixture_path(target, test, std::iter::empty());
            // Below the folder of fixtures, the file has a folder for each module of tests.
            let folder = to.file_name().unwrap_or_default().to_string_lossy();
            let below = path.split_once(&*format!("{folder}/")).filter(|(outer, _)| {
                !folder.is_empty() && (outer.is_empty() || outer.ends_with('/'))
            });
            let name = below.map_or_else(|| path.rsplit('/').next(), |(_, below)| Some(below));
            name.unwrap_or_default().to_owned()
        }
        None => {
            let source = args.paths.first().and_then(|path| path.file_stem());
            let stem = source.filter(|stem| *stem != "-").unwrap_or("incident".as_ref());
            format!("{}{}", stem.to_string_lossy(), target.ending())
        }
    };
    Ok(slashed(&to.join(name)))
}

/// Returns the calls of --call.
fn chosen<'c, 'd>(
    calls: &'c [FixtureCall<'d>],
    choice: Option<&str>,
) -> CommandResult<&'c [FixtureCall<'d>]> {
    let Some(choice) = choice else { return Ok(calls) };
    let (digits, is_range) = choice.strip_prefix("..").map_or((choice, false), |end| (end, true));
    let number = digits.parse().ok().filter(|number| (1..=calls.len()).contains(number));
    let Some(number) = number else {
        let verb = if calls.len() == 1 { "is" } else { "are" };
        let count = counted(calls.len(), "call", "calls");
        return Err(CommandError(format!(
            "Expected the number of a call, or .. and a number: --call {}; there {verb} {count}",
            shown(choice)
        )));
    };
    Ok(&calls[if is_range { 0 } else { number - 1 }..number])
}

/// Names the facts that have to be chosen with their options.
fn refusal(refusal: FixtureRefusal) -> CommandError {
    let missing = match refusal {
        FixtureRefusal::Reason(reason) => return CommandError(reason),
        FixtureRefusal::Missing(missing) => missing,
    };
    let facts: Vec<String> = missing
        .iter()
        .map(|fact| {
            let option = match fact {
                MissingFact::Api => "--api",
                MissingFact::Model => "--model",
                MissingFact::MaxTokens => "--max-tokens, such as 4096",
            };
            format!("{} ({option})", fact.as_str())
        })
        .collect();
    CommandError(format!(
        "The source does not hold {}; set what is missing with these options",
        facts.join(", ")
    ))
}

/// Writes the files unless a secret is not decided, and prints the result. Returns whether a file is not as it should be.
fn report(
    args: &ImportArgs,
    options: &FixtureOptions,
    IncidentFixture { fixture, secrets }: &IncidentFixture,
    recorder: &StepRecorder,
) -> CommandResult<bool> {
    let mode = WriteMode::from_flags(args.dry_run, args.force);
    let mut files = FilesDocument::new(args.dry_run);
    let mut outcomes = Vec::new();
    let is_open = secrets.iter().any(|secret| secret.choice == SecretChoice::Open);
    for (number, (path, text)) in fixture.files.iter().enumerate() {
        if is_open {
            let reasons = open_reasons(&secrets_of(secrets, number));
            files.add_refused(path, FileOutcome::Skipped, &reasons.join("; "));
            reasons.iter().for_each(|reason| report_error(&format!("{reason}: {}", shown(path))));
            continue;
        }
        let (folder, name) = path.rsplit_once('/').unwrap_or((".", path));
        let folder = if folder.is_empty() { "/" } else { folder };
        let outbox =
            OutputFolder { folder: folder.into(), root: args.within.root(), mode, recorder };
        let outcome = outbox.write_file(name, text)?;
        match &outcome {
            WriteOutcome::Written => files.add(path, FileOutcome::Written),
            WriteOutcome::Same => files.add(path, FileOutcome::Unchanged),
            WriteOutcome::Conflict(_) => {
                let reason = "A different file exists; --force replaces it";
                files.add_refused(path, FileOutcome::Skipped, reason);
                report_error(&format!("{reason}: {}", shown(path)));
            }
        }
        outcomes.push((outbox, path, outcome, text));
    }
    let is_unfinished = files.summary.skipped > 0;
    write(args.look.color, |output| {
        if args.json {
            let notes = fixture.notes.iter().map(String::as_str).collect();
            let target = options.target.as_str();
            return output.document(&FixtureDocument { target, notes, files });
        }
        for (outbox, path, outcome, text) in &outcomes {
            outbox.show(output, path, outcome, text)?;
            if mode != WriteMode::DryRun && *outcome == WriteOutcome::Written {
                output.line(&shown_path(path))?;
            }
        }
        Ok(())
    })?;
    if is_open {
        print_stderr(DECIDE_SECRETS);
    }
    if !args.json {
        fixture.notes.iter().for_each(|note| print_summary(note));
        print_summary(CHECKED_FOR);
    }
    Ok(is_unfinished)
}
