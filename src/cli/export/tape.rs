//! `retake export tape`: makes tapes from recordings, saved streams and plain texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::Destination;
use crate::files_document::{FileOutcome, FilesDocument, slashed};
use crate::output::{shown, shown_path};
use crate::{
    ColorMode, CommandError, CommandResult, CommandVerdict, print_summary, read_document,
    report_error, write,
};
use calls::Item;
use calls::reading::call_at;
use calls::tape::make::{Material, NewTape, PieceTiming, TapePlan, TextSplit, from_call};
use document::call::CallFailure;
use document::tape::RequestShape;
use document::text::count;
use document::{Document, FileKind, json};
use engine::undo::StepRecorder;
use engine::{Phase, SourceLookup, request_shape_in};

/// Make tapes from recordings, cassettes, saved streams of model APIs and plain texts.
///
/// Each call of a model in a cassette or an HTTP archive becomes a tape: a stream with the pieces that were received. Of several calls, the
/// number is appended to the name of the file.
///
/// Streams of server-sent events are parsed in the formats of Anthropic, OpenAI (chat completions, responses) and Gemini. The
/// timing is read from the times that `ts` writes before each line. Without them, it is estimated, as for recordings and texts, and the tape's comment says so.
///
/// The request of a tape has `model`, `contents` and `config`, as the player of such tapes requires. If most tapes in the
/// folder have `model`, `systemPrompt` and `history` instead, the new ones have these, too.
///
/// The destination is a folder, also for one tape, unless its name ends in `.json`. Recordings in a folder keep their subfolders. The path of each written file is printed. An existing file with different
/// content is not replaced, and a diff is shown, unless --force is given.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake export tape recordings/triage --to tapes --json\n  \
                  retake export tape answer.sse --to tapes/answer.json --request request.json\n  \
                  retake export tape answer.txt --to tapes/answer.json --cut sentence --rate 40")]
pub(super) struct ExportTapeArgs {
    /// Recordings, cassettes, saved streams and texts; folders with recordings and cassettes.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    destination: Destination,
    /// Where to split texts: after each sentence, at about the size of tokens, or after this many characters.
    #[arg(long, value_name = "sentence|token|N", default_value = "token", value_parser = parse_chunk_size)]
    cut: TextSplit,
    /// Time to the first chunk in milliseconds, if it was not measured.
    #[arg(long, value_name = "MS", default_value = "500", value_parser = parse_positive)]
    first: f64,
    /// Characters per second, if the times were not measured.
    #[arg(long, value_name = "N", default_value = "250", value_parser = parse_positive)]
    rate: f64,
    /// The model, if the input does not name it.
    #[arg(long)]
    model: Option<String>,
    /// The time of the recording, if the input does not contain it: as such, in the header `date` of a response, or as `created` of an
    /// answer [default: now].
    #[arg(long, value_name = "TIME")]
    recorded_at: Option<String>,
    /// A file with the request as JSON, for streams and texts.
    #[arg(long, value_name = "FILE")]
    request: Option<PathBuf>,
    /// The format of the input, if it cannot be detected.
    #[arg(long, value_enum, default_value = "auto")]
    from: TapeInputFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum TapeInputFormat {
    Auto,
    Recording,
    Stream,
    Text,
}

fn parse_chunk_size(text: &str) -> Result<TextSplit, String> {
    match text {
        "sentence" => Ok(TextSplit::Sentences),
        "token" => Ok(TextSplit::Tokens),
        number => match number.parse() {
            // Chunks of no characters would never end.
            Ok(chars @ 1..) => Ok(TextSplit::Chars(chars)),
            _ => Err("expected `sentence`, `token` or a number of characters".to_owned()),
        },
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    // Rust parses `inf` and `nan` as numbers.
    let number = text.parse().ok().filter(|number: &f64| number.is_finite() && *number > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
}

/// Numbers for the summary.
#[derive(Default)]
struct TapeExport {
    files: FilesDocument,
    /// The paths in `files` that were written, to find two tapes for one file.
    written: BTreeSet<PathBuf>,
    /// The number of tapes written to standard output.
    printed: usize,
    /// Notes, and the files they are about.
    notes: BTreeMap<String, Vec<String>>,
    failed: usize,
}

pub(super) fn run(arguments: &ExportTapeArgs, recorder: &StepRecorder) -> CommandResult {
    arguments.destination.check()?;
    let request = arguments.request.as_deref().map(|f| request_in(f, arguments)).transpose()?;
    let root = arguments.destination.within.root();
    let input = arguments.destination.within.read(&arguments.paths, SourceLookup::LeaveAlone)?;
    let is_named = |item: &Item| {
        let path = Path::new(&*item.path);
        arguments.paths.iter().any(|p| p == path)
    };
    let rows: Vec<_> = input
        .numbers
        .iter()
        .zip(&input.items)
        .filter(|(_, item)| {
            // In a folder, texts and streams are not distinguished from other files with certainty.
            matches!(item.kind, FileKind::Recording | FileKind::Cassette) || is_named(item)
        })
        .flat_map(|(number, item)| calls_of(item).into_iter().map(move |call| (number, item, call)))
        .collect();
    let destination = &arguments.destination;
    let mut export = TapeExport::default();
    for (path, reason) in input.report_broken(&arguments.paths) {
        export.failed += 1;
        export.files.add_refused(path, FileOutcome::Failed, &reason);
    }
    if rows.is_empty() {
        let calls = input.items.iter().flat_map(|item| &item.calls);
        let unread_calls = calls.filter(|call| call.failure == Some(CallFailure::UnreadAnswer));
        let reason = match unread_calls.count() {
            0 => "in folders, only recordings and cassettes are used".to_owned(),
            1 => "the answer of 1 call is in a form that is not read".to_owned(),
            count => format!("the answers of {count} calls are in a form that is not read"),
        };
        return Err(CommandError(format!("Nothing to make a tape from; {reason}")));
    }
    let is_file_name = destination.to.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"));
    // Several tapes cannot be one file, whatever its name.
    let into_folder = rows.len() > 1 || destination.to.is_dir() || !is_file_name;
    let mut shapes: BTreeMap<PathBuf, RequestShape> = BTreeMap::new();
    for (number, item, call) in Phase::over("Exporting", rows.into_iter()) {
        let relative_path = into_folder.then(|| arguments.path_of(item, call));
        let document = input.project.read(*number, item);
        let folder = match &relative_path {
            Some(relative_path) => folder_of(&destination.to.join(relative_path)),
            None => folder_of(&destination.to),
        };
        // Kept from before the first write, so that the tapes of this export do not change the shape of later ones.
        let shape = *shapes.entry(folder).or_insert_with_key(|dir| request_shape_in(dir, root));
        let mut plan = arguments.plan(item, shape);
        if let Some(call) = call.filter(|_| calls_of(item).len() > 1) {
            plan.label = plan.label.map(|label| format!("{label}-{}", call + 1));
        }
        let tape = document.and_then(|doc| match call.and_then(|call| item.calls.get(call)) {
            Some(row) => from_call(&call_at(&doc, row.node).ok_or("The file has changed")?, &plan),
            None => arguments.make_tape(&doc, item, &plan, request.as_deref()),
        });
        match tape.and_then(|tape| {
            export.export_item(relative_path, &tape, (destination, recorder)).map(|()| tape.notes)
        }) {
            Ok(notes) => notes.into_iter().for_each(|note| export.note(note, item)),
            Err(reason) => {
                export.failed += 1;
                export.files.add_refused(&item.path, FileOutcome::Failed, &reason);
                report_error(&format!("{reason}: {}", shown(&item.path)));
            }
        }
    }
    export.report_notes();
    if destination.json {
        destination.report_files(&export.files)?;
    } else {
        write(ColorMode::Never, |output| {
            export.files.done().try_for_each(|path| output.line(&shown_path(path)))
        })?;
        export.print_summary();
    }
    Ok(input.verdict(match export.failed {
        0 if !export.written.is_empty() || export.printed > 0 => CommandVerdict::Passed,
        _ => CommandVerdict::Incomplete,
    }))
}

impl TapeExport {
    /// Writes a tape to a file in the destination folder, or to the destination file.
    fn export_item(
        &mut self,
        relative_path: Option<PathBuf>,
        tape: &NewTape,
        (destination, recorder): (&Destination, &StepRecorder),
    ) -> Result<(), String> {
        let reason_of = |CommandError(reason)| reason;
        if destination.is_stdout() {
            self.printed += 1;
            return destination.write(recorder, &tape.json()).map(drop).map_err(reason_of);
        }
        let path = match &relative_path {
            Some(relative_path) => destination.to.join(relative_path),
            None => destination.to.clone(),
        };
        // Without this, the second of two recordings with one name would replace the first under --force.
        if self.written.contains(&path) {
            let path = path.to_string_lossy();
            return Err(format!("Another tape of this export was written to {}", shown(&path)));
        }
        let target = destination.target_of(relative_path.as_deref()).map_err(reason_of)?;
        let outcome = destination.write_to(recorder, target, &tape.json()).map_err(reason_of)?;
        self.files.add(&slashed(&path), outcome);
        self.written.insert(path);
        Ok(())
    }

    fn note(&mut self, note: String, item: &Item) {
        self.notes.entry(note).or_default().push(item.path.to_string());
    }

    /// Prints each note once for all files it is about.
    fn report_notes(&self) {
        for (note, files) in &self.notes {
            let others = match files.len() - 1 {
                0 => String::new(),
                others => format!(" and {}", count(others, "other")),
            };
            report_error(&format!("{note}: {}{others}", shown(&files[0])));
        }
    }

    fn print_summary(&self) {
        if !self.written.is_empty() {
            print_summary(&format!("{} written", count(self.written.len(), "tape")));
        }
    }
}

/// The request of --request, as JSON.
fn request_in(file: &Path, arguments: &ExportTapeArgs) -> CommandResult<String> {
    let document = read_document(file, arguments.destination.within.root())?;
    match document.tree.root().filter(|_| document.tree.is_well_formed()) {
        Some(root) => Ok(json::text(root).into_owned()),
        None => Err(CommandError(format!(
            "The request is not JSON: {}",
            shown(&file.to_string_lossy())
        ))),
    }
}

/// Returns the calls of models that were answered in a file of calls, by their numbers from 0; one `None` for another file.
fn calls_of(item: &Item) -> Vec<Option<usize>> {
    let calls: Vec<_> = item
        .calls
        .iter()
        .enumerate()
        // A failed call has no answer to play, and a call to something other than a model has no stream.
        .filter(|(_, call)| call.api.is_some() && call.failure.is_none())
        .map(|(number, _)| Some(number))
        .collect();
    if item.kind != FileKind::Cassette && calls.is_empty() {
        return vec![None];
    }
    calls
}

/// The folder of a file; `.` if its path has none.
fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The name of a file without its folder and ending.
fn stem(item: &Item) -> &str {
    let name = item.file_name();
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

impl ExportTapeArgs {
    /// Returns the path of the tape of an item, or of a call in it, below the destination.
    fn path_of(&self, item: &Item, call: Option<usize>) -> PathBuf {
        let path = self.relative_path(item);
        match call.filter(|_| calls_of(item).len() > 1) {
            Some(call) => path.with_file_name(format!("{}-{}.json", stem(item), call + 1)),
            None => path.with_extension("json"),
        }
    }

    /// The path of an item relative to the argument that contains it, or its name alone.
    fn relative_path<'a>(&self, item: &'a Item) -> &'a Path {
        let path = Path::new(&*item.path);
        self.paths
            .iter()
            .filter_map(|folder| path.strip_prefix(folder).ok())
            .filter(|rest| !rest.as_os_str().is_empty())
            // Arguments may be nested, as `fixtures` and `fixtures/triage`: the closest counts.
            .min_by_key(|rest| rest.as_os_str().len())
            .unwrap_or_else(|| Path::new(item.file_name()))
    }

    fn plan(&self, item: &Item, shape: RequestShape) -> TapePlan {
        let now = || {
            let now = jiff::Timestamp::now().round(jiff::Unit::Second);
            now.map_or_else(|_| String::new(), |now| now.to_string())
        };
        TapePlan {
            model: self.model.clone(),
            recorded_at: self.recorded_at.clone().unwrap_or_else(now),
            label: Some(stem(item).to_owned()),
            split: self.cut,
            timing: PieceTiming { first_nanos: self.first * 1e6, chars_per_second: self.rate },
            shape,
        }
    }

    fn make_tape(
        &self,
        document: &Document,
        item: &Item,
        plan: &TapePlan,
        request: Option<&str>,
    ) -> Result<NewTape, String> {
        let text = document.source().text();
        let material = match self.from {
            TapeInputFormat::Auto => {
                Material::detect(document, item.file_name()).map_err(|reason| {
                    match document.not_plain_text(item.file_name()) {
                        Some(_) => format!("{reason}; --from text treats it as plain text"),
                        None => reason,
                    }
                })?
            }
            TapeInputFormat::Recording => Material::Recording(document),
            TapeInputFormat::Stream => Material::stream(text)?,
            TapeInputFormat::Text => Material::text(text),
        };
        material.tape(plan, request)
    }
}
