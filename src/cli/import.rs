//! `retake import`: incidents become replay sessions.

mod gather;
mod langsmith;
mod listing;
mod told;

use std::path::PathBuf;

use clap::ValueEnum;
use jiff::Timestamp;

use super::common::{Look, Within};
use super::outbox::{Manner, Outbox, Sent};
use super::output::{shown, shown_path};
use super::{Failure, Verdict, complain, count, tell, write};
use crate::ops::import::{
    self, Choice, Draft, Duplicate, Filter, Imported, Secret, Status, Which, Wish, choose,
    file_name, make_ids_unique, parse_time, redaction, start_of_range,
};
use crate::ops::session::Form;
use gather::{Gathered, gather};
use told::{Fate, Told};

/// Make replay sessions of incidents: a Flakestorm report, LangSmith runs, recordings, an HTTP archive, a failure log, a text.
///
/// Of a report each failed mutation becomes a session, with the mutated text as its input and the original kept beside it;
/// of LangSmith each root run, with its tools' answers; of recordings each set. Ids are made of what is imported, so that
/// to import again changes nothing. The path - is what stands on the standard input.
///
/// What is there already is left out. Nothing is written that holds a secret until --redact or --keep says what becomes of
/// it, and no file is replaced that says something else, unless --force is given: the difference is shown instead. Each file
/// that was written is printed; what was not is told with the reason, and the exit code is then 1.
///
/// --redact and --keep may be repeated, and take `all`, a kind of secret as it is told, such as `address`, or a place:
/// `/input` in every session, `run-1:/input` in the one with that id. What is redacted in one place is redacted, by the same
/// word, wherever it stands. --keep is the exception: `--redact all --keep address`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake import sample-recordings/reports --to replays --dry-run\n  \
                  retake import runs.json --to replays --filter-status error --since last_7_days --redact all\n  \
                  retake import --from-langsmith-project helpdesk --filter-status error --to replays\n  \
                  retake import runs.json --to replays --redact /input --keep address --name 'incident-{date}-{id}'\n  \
                  pbpaste | retake import - --to replays --add-to-config"
)]
pub(super) struct Arguments {
    /// Files and folders. What lies in a folder and is no incident is passed over.
    #[arg(
        required_unless_present_any = ["from_langsmith", "from_langsmith_project"],
        value_name = "PATH"
    )]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    langsmith: langsmith::LangSmith,
    /// The folder to write to; it is made if it is not there.
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The contract of the sessions [default: that of the flakestorm.yaml above].
    #[arg(long, value_name = "NAME")]
    contract: Option<String>,
    /// What the files are called; {id}, {date}, {source} and {number} are filled in. The ending says how they are written.
    #[arg(long, value_name = "PATTERN", default_value = import::PATTERN)]
    name: String,
    /// Of LangSmith: runs that ended so.
    #[arg(long, value_name = "STATUS", default_value = "all")]
    filter_status: FilterStatus,
    /// Of LangSmith: runs that began then or later: a date, a time, or last_7_days.
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Of LangSmith: runs that began before.
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Of LangSmith: runs that took so long, or longer.
    #[arg(long, value_name = "MS")]
    min_latency_ms: Option<i64>,
    /// Of LangSmith: runs that took so long, or less.
    #[arg(long, value_name = "MS")]
    max_latency_ms: Option<i64>,
    /// Put words in place of these secrets: all, a kind, a place; `none` is short for --keep all.
    #[arg(long, value_name = "WHICH")]
    redact: Vec<String>,
    /// Write these secrets as they are: all, a kind, a place.
    #[arg(long, value_name = "WHICH")]
    keep: Vec<String>,
    /// List the files under `replays.sessions` of the flakestorm.yaml above.
    #[arg(long)]
    add_to_config: bool,
    /// Replace files that are there and say something else.
    #[arg(long, visible_alias = "overwrite")]
    force: bool,
    /// Change no file; show what would be written.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document: each draft, where its fields came from, and what became of it.
    #[arg(long)]
    json: bool,
    /// What is of no known kind is refused unless it is a text; `text` takes it as the text of an incident, whatever it is.
    #[arg(long, value_enum, default_value = "auto")]
    from: From,
    #[command(flatten)]
    within: Within,
    #[command(flatten)]
    look: Look,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum From {
    /// By its content.
    Auto,
    Text,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FilterStatus {
    All,
    Error,
    Warning,
}

pub(super) fn run(arguments: &Arguments) -> Result<Verdict, Failure> {
    let wish = Wish {
        contract: arguments.contract.clone(),
        filter: arguments.filter()?,
        as_text: arguments.from == From::Text,
    };
    let fetched = arguments.langsmith.fetch(&wish.filter)?;
    let gathered = gather(
        fetched,
        &arguments.paths,
        &arguments.to,
        arguments.within.root(),
        wish,
    )?;
    let Gathered { mut imported, .. } = gathered;
    if imported.drafts.is_empty() && imported.passed_over == 0 {
        imported.notes.iter().for_each(|note| complain(note));
        return Err(Failure("There is nothing to import".to_owned()));
    }
    make_ids_unique(&mut imported.drafts);
    let mut secrets = import::secrets(&imported.drafts, &gathered.secrets);
    arguments.decide(&mut secrets, &imported.drafts);
    let redaction = redaction(&secrets);
    for draft in &mut imported.drafts {
        draft.redact(&redaction);
    }
    let outbox = Outbox {
        folder: arguments.to.clone(),
        root: arguments.within.root(),
        manner: Manner::of(arguments.dry_run, arguments.force),
    };
    let mut all = Vec::new();
    for (number, draft) in imported.drafts.iter().enumerate() {
        let name = file_name(&arguments.name, &draft.session, number + 1);
        let file = outbox.path(&name);
        let secrets = told::secrets_of(&secrets, number);
        let path = file.to_string_lossy().replace('\\', "/");
        let text = draft.session.written(form_of(&file));
        let duplicate = gathered.known.find(&draft.session);
        let fate = match against(draft, duplicate.filter(|_| !arguments.force), &path) {
            Some(fate) => fate,
            None if secrets.iter().any(told::Secret::is_open) => Fate::Secret,
            None => Fate::Sent(outbox.send(&name, &text)?),
        };
        all.push(Told {
            draft,
            path,
            text,
            fate,
            secrets,
        });
    }
    tell_all(arguments, &outbox, &imported, &all)?;
    if arguments.add_to_config {
        listing::list(arguments, &all, outbox.manner)?;
    }
    let is_left = all.iter().any(|told| told.fate.is_left());
    Ok(match (gathered.is_incomplete, is_left) {
        (true, _) => Verdict::Incomplete,
        (false, true) => Verdict::Failed,
        (false, false) => Verdict::Passed,
    })
}

/// What speaks against writing a draft.
fn against(draft: &Draft, duplicate: Option<Duplicate>, path: &str) -> Option<Fate> {
    match (draft.fault(), duplicate) {
        (Some(fault), _) => Some(Fate::Incomplete(fault)),
        (None, Some(Duplicate::Content(place))) if place == path => Some(Fate::Sent(Sent::Same)),
        (None, Some(Duplicate::Content(place))) => Some(Fate::Duplicate(place)),
        // The file of that id is compared when it comes to be written.
        (None, Some(Duplicate::Id(place))) => (place != path).then_some(Fate::IdTaken(place)),
        (None, None) => None,
    }
}

fn form_of(path: &std::path::Path) -> Form {
    match path.extension().and_then(|it| it.to_str()) {
        Some("json") => Form::Json,
        _ => Form::Yaml,
    }
}

fn tell_all(
    arguments: &Arguments,
    outbox: &Outbox<'_>,
    imported: &Imported,
    all: &[Told<'_>],
) -> Result<(), Failure> {
    if arguments.json {
        return write(arguments.look.color, |output| {
            output.json(&told::json(imported, all))
        });
    }
    imported
        .notes
        .iter()
        .for_each(|note| complain(&shown(note)));
    write(arguments.look.color, |output| {
        for told in all {
            let Fate::Sent(sent) = &told.fate else {
                continue;
            };
            outbox.show(output, &told.path, sent, &told.text)?;
            if (sent, outbox.manner) == (&Sent::Written, Manner::Careful)
                || outbox.manner == Manner::Force
            {
                output.line(&shown_path(&told.path))?;
            }
        }
        Ok(())
    })?;
    for told in all {
        told.reasons().iter().for_each(|reason| complain(reason));
    }
    if all.iter().any(|told| matches!(told.fate, Fate::Secret)) {
        tell("Secrets are replaced with --redact, and kept with --keep: all, a kind, or a place");
    }
    tell(&summary(imported, all, outbox.manner));
    Ok(())
}

fn summary(imported: &Imported, all: &[Told<'_>], manner: Manner) -> String {
    let how_many = |is: fn(&Fate) -> bool| all.iter().filter(|told| is(&told.fate)).count();
    let done = if manner == Manner::DryRun {
        "to be written"
    } else {
        "written"
    };
    let mut words = format!(
        "{}: {} {done}",
        count(all.len(), "session"),
        how_many(|it| *it == Fate::Sent(Sent::Written))
    );
    let others = [
        (
            how_many(|it| matches!(it, Fate::Sent(Sent::Same) | Fate::Duplicate(_))),
            "there already",
        ),
        (how_many(Fate::is_left), "left"),
    ];
    for (number, word) in others.into_iter().filter(|(number, _)| *number > 0) {
        words += &format!(", {number} {word}");
    }
    if imported.passed_over > 0 {
        words += &format!("; {} passed over", imported.passed_over);
    }
    words
}

impl Arguments {
    /// Decides on the secrets as it was asked for; what names none of them is told.
    fn decide(&self, secrets: &mut [Secret], drafts: &[Draft]) {
        let redact = self.redact.iter().map(|which| match which.as_str() {
            "none" => ("--redact", "all", Choice::Keep),
            which => ("--redact", which, Choice::Redact),
        });
        let keep = self.keep.iter().map(String::as_str);
        let keep = keep.map(|which| ("--keep", which, Choice::Keep));
        for (option, words, choice) in redact.chain(keep) {
            let which = Which::parse(words);
            if !choose(secrets, &which, drafts, choice) && which != Which::All {
                complain(&format!(
                    "No secret is meant by it: {option} {}",
                    shown(words)
                ));
            }
        }
    }

    fn filter(&self) -> Result<Filter, Failure> {
        let now = Timestamp::now();
        let time = |option: &str, words: &Option<String>| {
            let Some(words) = words else { return Ok(None) };
            let time = start_of_range(words, now).or_else(|| parse_time(words));
            let fault = || {
                Failure(format!(
                    "A date, a time or a range such as last_7_days is expected: {option} {}",
                    shown(words)
                ))
            };
            time.map(Some).ok_or_else(fault)
        };
        Ok(Filter {
            status: match self.filter_status {
                FilterStatus::All => Status::All,
                FilterStatus::Error => Status::Error,
                FilterStatus::Warning => Status::Warning,
            },
            from: time("--since", &self.since)?,
            until: time("--until", &self.until)?,
            min_latency_ms: self.min_latency_ms,
            max_latency_ms: self.max_latency_ms,
        })
    }
}
