//! `retake redact`: replaces personal data and secrets in all files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use super::choices::{ChoiceReport, SentValues};
use super::common::{ColorOption, ScanOptions, one_of};
use super::difference::difference;
use super::output::{Output, shown, shown_path};
use super::{CommandResult, CommandVerdict, ReadFiles, print_summary, report_error, write};
use author::redact::{
    CHECKED_FOR, CHECKED_FOR_MACHINE, NameList, PersonalValues, RedactedDocument, Redactor,
    SetChange, ValueKind, makes_same_choices, redact,
};
use author::saving::Expected;
use calls::secret::CustomPatterns;
use document::files::file_name;
use document::text::{Source, counted, listed};
use document::{Document, Problem, RuleId};
use engine::{Phase, SourceLookup, project_key, read_key, read_text, save};

/// Replace personal data and secrets in all files, each by the same placeholder everywhere.
///
/// E-mail addresses, phone numbers, street addresses, card and bank account numbers, numbers of persons and customers, dates of birth,
/// public IP addresses, secrets, and the names in a list are found in all files first. Then each value is replaced wherever it occurs: in texts, keys, comments, names of files, and across the chunks of
/// tapes. The number of a placeholder follows from the value and a key of the project, which is kept outside the project and made when
/// it is first used, so that files that are added later get the same placeholders.
///
/// A file in which a value decides which recording answers a request is not changed. Before anything is written, each set of
/// recordings is played with its own requests: it has to make the same choices as before.
///
/// Then each cassette with values is played by the rules of its client, before and after: with its own requests, and with those that were
/// recorded. A call that gets another answer is reported, and so is a cassette whose rules are not known.
///
/// With --only machine, what names the machine of the recording is replaced: users in paths, temporary folders, computers, and ids of
/// processes and shells.
///
/// The original values are not kept anywhere: this cannot be undone with `retake undo`. The exit code is 1 if a value remains, with
/// --check also if there is one.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake redact fixtures --check --json\n  retake redact fixtures --names customers.txt --dry-run\n  \
                  retake redact fixtures --only email,phone"
)]
pub(super) struct RedactArgs {
    /// Files and folders.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// A text file with a name on each line. Keep it out of the repository.
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Replace only these.
    #[arg(
        long,
        value_name = "KIND,…",
        value_delimiter = ',',
        value_parser = one_of(ValueKind::ALL.map(|kind| (kind.as_str(), "", kind)))
    )]
    only: Vec<ValueKind>,
    /// A file with the key, in place of the project's own, to share it [default: made in Retake's state folder].
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
    /// Write nothing; list the files and how many values they have.
    #[arg(long, conflicts_with = "dry_run")]
    check: bool,
    /// Write nothing; show the differences, with a hint in place of each value.
    #[arg(long)]
    dry_run: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

/// A file with values.
struct RedactedFile {
    path: Arc<str>,
    /// The path without values, if its name has some.
    renamed: Option<String>,
    number: usize,
    row: usize,
    before: Source,
    after: RedactedDocument,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct RedactJson {
    /// How many values there are of each kind.
    values: BTreeMap<&'static str, usize>,
    files: Vec<FileJson>,
    refused: Vec<RefusedJson>,
    written: bool,
}

#[derive(Serialize, JsonSchema)]
struct FileJson {
    path: String,
    places: usize,
    renamed: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct RefusedJson {
    path: String,
    line: u32,
    column: u32,
    reason: String,
}

impl RedactJson {
    /// Refuses whole files or folders.
    fn refuse(&mut self, paths: impl Iterator<Item: AsRef<str>>, reason: &str) {
        self.refused.extend(paths.map(|path| RefusedJson {
            path: path.as_ref().to_owned(),
            line: 1,
            column: 1,
            reason: reason.to_owned(),
        }));
    }
}

pub(super) fn run(arguments: &RedactArgs) -> CommandResult {
    let names = read_names(arguments.names.as_deref())?;
    let input = arguments.within.read(&arguments.paths, SourceLookup::LeaveAlone)?;
    let input = &*input;
    let own_patterns = input.project.secrets();
    let (mut documents, mut is_incomplete) = (Vec::new(), input.unopened > 0);
    let mut values = PersonalValues::default();
    let rows = input.items.iter().zip(&input.numbers).enumerate();
    for (row, (item, number)) in Phase::over("Searching", rows) {
        match input.project.read(*number, item) {
            Ok(document) => {
                // A file that cannot be decoded has an empty tree, in which nothing would be found.
                let is_fault = |p: &&Problem| p.rule == RuleId::Encoding;
                let fault = document.problems.iter().find(is_fault);
                if let Some(problem) = fault.filter(|_| document.tree.is_empty()) {
                    is_incomplete = true;
                    let (path, message) = (shown(&item.path), shown(&problem.message));
                    report_error(&format!("{path}: The file cannot be searched: {message}"));
                    continue;
                }
                values.add(&document, &own_patterns, &names);
                if arguments.only.contains(&ValueKind::MACHINE) {
                    values.add_machine(&document, &own_patterns);
                }
                // Names of files may have values, too.
                values.add_text(item.root_path(), &own_patterns, &names);
                documents.push((row, *number, document));
            }
            Err(reason) => {
                is_incomplete = true;
                report_error(&format!("{}: {}", shown(&item.path), shown(&reason)));
            }
        }
    }
    if !arguments.only.is_empty() {
        values.retain(&arguments.only);
    }
    let key = match &arguments.key {
        Some(file) => read_key(file)?,
        None => {
            let root = input.project.root().map(|root| root.path().to_owned());
            // A run that changes nothing must not create a key either.
            let may_write = !arguments.check && !arguments.dry_run && !values.is_empty();
            project_key(&root.unwrap_or_default(), may_write)?
        }
    };
    let redactor = Redactor::new(&values.redaction(key))?;
    let mut result = RedactJson {
        values: values.counts().into_iter().map(|(kind, count)| (kind.as_str(), count)).collect(),
        files: Vec::new(),
        refused: Vec::new(),
        written: false,
    };
    let mut files = Vec::new();
    for (row, number, document) in Phase::over("Redacting", documents.iter()) {
        let place = (*row, *number, document);
        plan(input, place, (&redactor, &own_patterns), &mut files, &mut result);
    }
    // Before the sets are played, in which a file that is left out keeps its old text.
    refuse_same_names(input, &mut files, &mut result);
    refuse_folders(input, &redactor, &mut result);
    check_sets(input, &documents, &mut files, &mut result);
    let choices = play_cassettes(input, &documents, &files);
    let mut failure_count = 0;
    if !arguments.check && !arguments.dry_run {
        failure_count = write_all(input, &files);
        result.written = true;
    }
    result.files = files.iter().map(RedactedFile::to_json).collect();
    write(arguments.look.color, |output| {
        if arguments.json {
            return output.document(&result);
        }
        if arguments.dry_run {
            // The removed lines contain the values, which must not be printed as a whole.
            output.hide(values.mask());
            for file in &files {
                difference(output, &file.path, file.before.text(), file.after.after.text())?;
            }
        }
        print(output, &result, &arguments.only, is_incomplete)
    })?;
    if !arguments.json {
        choices.print();
        print_summary(&checked_for(&arguments.only));
    }
    let has_remains = !result.refused.is_empty() || arguments.check && !files.is_empty();
    Ok(CommandVerdict::new(is_incomplete || failure_count > 0, has_remains))
}

/// Plays the cassettes with values by the rules of their clients, before and after.
fn play_cassettes(
    input: &ReadFiles,
    documents: &[(usize, usize, Document)],
    files: &[RedactedFile],
) -> ChoiceReport {
    let mut report = ChoiceReport::default();
    for file in files {
        let document = documents.iter().find(|(row, ..)| *row == file.row);
        let Some((_, _, document)) = document else { continue };
        // The old name may have a value.
        let path = file.renamed.as_deref().unwrap_or(&file.path);
        let item = &input.items[file.row];
        report.add((item, path), document, &file.after.after, SentValues::Recorded);
    }
    report
}

/// Returns what was checked, as a sentence without a full stop.
fn checked_for(only: &[ValueKind]) -> String {
    match only {
        [ValueKind::MACHINE] => CHECKED_FOR_MACHINE.to_owned(),
        [] => CHECKED_FOR.to_owned(),
        kinds => {
            let names: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
            format!("Checked only for values of these kinds: {}", listed(&names))
        }
    }
}

/// Returns the line for files without values.
fn none_found(only: &[ValueKind]) -> &'static str {
    match only {
        [] => "No personal data and no secrets",
        [ValueKind::MACHINE] => "Nothing names a machine",
        _ => "No values of these kinds",
    }
}

/// Reads a list of names; an empty one without a file.
pub(super) fn read_names(file: Option<&Path>) -> CommandResult<NameList> {
    Ok(match file {
        Some(file) => NameList::parse(&read_text(file)?)?,
        None => NameList::default(),
    })
}

/// Plans one file. What cannot be replaced is added to the result, and the file is left out.
fn plan(
    input: &ReadFiles,
    (row, number, doc): (usize, usize, &Document),
    (redactor, own_patterns): (&Redactor, &CustomPatterns),
    files: &mut Vec<RedactedFile>,
    result: &mut RedactJson,
) {
    let item = &input.items[row];
    let new_path = redactor.rename(item.file_name()).map(|name| {
        let folder = item.path.strip_suffix(item.file_name()).unwrap_or_default();
        format!("{folder}{name}")
    });
    match redact(doc, item.file_name(), redactor, own_patterns) {
        Ok(None) if new_path.is_none() => {}
        Ok(redaction) => files.push(RedactedFile {
            path: Arc::clone(&item.path),
            renamed: new_path,
            number,
            row,
            before: doc.source().clone(),
            after: redaction
                .unwrap_or_else(|| RedactedDocument { after: doc.source().clone(), places: 0 }),
        }),
        Err(refusals) => result.refused.extend(refusals.into_iter().map(|refusal| RefusedJson {
            path: item.path.to_string(),
            line: refusal.place.line,
            column: refusal.place.column,
            reason: refusal.reason,
        })),
    }
}

/// Leaves out files that would get the name of another one.
fn refuse_same_names(input: &ReadFiles, files: &mut Vec<RedactedFile>, result: &mut RedactJson) {
    let mut paths: BTreeSet<String> = input.items.iter().map(|row| row.path.to_string()).collect();
    let is_taken = |file: &mut RedactedFile| {
        let new_path = file.renamed.clone();
        new_path.is_some_and(|new_path| !paths.insert(new_path))
    };
    let refusals = files.extract_if(.., is_taken).map(|file| file.path);
    result.refuse(refusals, "Another file has the name that this one would get; rename it first");
}

/// Reports the folders whose names have values: folders are not renamed.
fn refuse_folders(input: &ReadFiles, redactor: &Redactor, result: &mut RedactJson) {
    let folders: BTreeSet<&str> = input.items.iter().map(|item| item.folder()).collect();
    let matches = folders.into_iter().filter(|f| redactor.finds(f));
    result.refuse(matches, "The name of the folder has a value; rename it");
}

/// Leaves out the files of each set that would make other choices than before.
fn check_sets(
    input: &ReadFiles,
    documents: &[(usize, usize, Document)],
    files: &mut Vec<RedactedFile>,
    result: &mut RedactJson,
) {
    let mut files_by_row: BTreeMap<usize, &RedactedFile> = BTreeMap::new();
    let mut sets: BTreeMap<&str, Vec<SetChange>> = BTreeMap::new();
    for file in files.iter() {
        files_by_row.insert(file.row, file);
        sets.entry(input.items[file.row].folder()).or_default();
    }
    for (row, _, document) in documents {
        let item = &input.items[*row];
        let Some(set) = sets.get_mut(item.folder()) else { continue };
        // Clients load only these from a folder.
        if !item.file_name().ends_with(".json") {
            continue;
        }
        let old_source = document.source().clone();
        let file = files_by_row.get(row);
        let new_source = file.map_or(&old_source, |file| &file.after.after).clone();
        let name = file.and_then(|f| f.renamed.as_deref()).map_or(item.file_name(), file_name);
        let path = |name: &str| format!("{}/{name}", item.folder()).into();
        set.push(SetChange {
            before: (path(item.file_name()), old_source),
            after: (path(name), new_source),
        });
    }
    let changed_folders: BTreeSet<&str> = Phase::over("Playing", sets.into_iter())
        .filter_map(|(folder, set)| (!makes_same_choices(folder, set)).then_some(folder))
        .collect();
    let is_refused = |f: &mut RedactedFile| changed_folders.contains(input.items[f.row].folder());
    let refused_paths = files.extract_if(.., is_refused).map(|file| file.path);
    result.refuse(refused_paths, "The set would answer its requests otherwise than before");
}

/// Writes all files. Returns how many could not be written. The step is not kept for `retake undo`: that would keep the values.
fn write_all(input: &ReadFiles, files: &[RedactedFile]) -> usize {
    input.project.clean_leftovers(&AtomicBool::new(false));
    let mut failure_count = 0;
    for file in Phase::over("Writing", files.iter()) {
        let item = &input.items[file.row];
        let result = input.project.target(file.number, item).and_then(|target| {
            // A file that changed since it was searched may have other values.
            let expected = Expected::from_bytes(Some(file.before.text().as_bytes()));
            let new_name = file.renamed.as_deref().map(file_name);
            let bytes = file.after.after.text().as_bytes();
            save::rewrite(target, bytes, expected, new_name).map_err(|fault| fault.to_string())
        });
        if let Err(reason) = result {
            failure_count += 1;
            report_error(&reason);
        }
    }
    failure_count
}

impl RedactedFile {
    fn to_json(&self) -> FileJson {
        FileJson {
            // The old name contains a value.
            path: self.renamed.clone().unwrap_or_else(|| self.path.to_string()),
            places: self.after.places,
            renamed: self.renamed.clone(),
        }
    }
}

/// Prints the result; `is_incomplete` says that some files could not be searched.
fn print(
    output: &mut Output,
    result: &RedactJson,
    only: &[ValueKind],
    is_incomplete: bool,
) -> std::io::Result<()> {
    for file in &result.files {
        let places = counted(file.places, "place", "places");
        let rename_remark = if file.renamed.is_some() { ", renamed" } else { "" };
        output.line(&format!("{}: {places}{rename_remark}", shown_path(&file.path)))?;
    }
    for refusal in &result.refused {
        let RefusedJson { path, line, column, reason } = refusal;
        report_error(&format!("{}:{line}:{column}: {reason}", shown(path)));
    }
    let plural = |kind: &str| match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{kind}s"),
    };
    let values: Vec<String> =
        result.values.iter().map(|(kind, n)| counted(*n, kind, &plural(kind))).collect();
    let places = result.files.iter().map(|file| file.places).sum();
    let places = counted(places, "place", "places");
    let files = counted(result.files.len(), "file", "files");
    let verb = if result.written { "Replaced" } else { "Found" };
    let end = if result.written {
        "; `retake undo` does not restore them, because no original value is kept"
    } else {
        ""
    };
    if values.is_empty() {
        let place = if is_incomplete { " in the files that could be searched" } else { "" };
        return output.line(&format!("{}{place}", none_found(only)));
    }
    let values = values.join(", ");
    output.line(&format!("{verb} {values} in {places} ({files}){end}"))
}
