//! `retake source`: prints the source of a recording at the time of the recording.

use std::io::{IsTerminal as _, stdout};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, RootOption};
use super::output::{Output, shown};
use super::pager::{PagerOption, write_paged};
use super::{CommandError, CommandResult, CommandVerdict, read_everything, report_error};
use calls::Item;
use calls::source::SourceOrigin;
use document::FileKind;
use engine::snapshots::Snapshots;
use engine::{OriginalSource, SourceLookup, find_as_recorded, state};

/// Print the source of a recording as it was at the time of the recording.
///
/// A recording contains only the hash of its source. This command searches for the text with that hash in the work tree, in
/// the history of the project's git repository (without running git; also in code blocks of Markdown files), and among the
/// sources that the window and `retake stamp` have stored.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake source fixtures/triage/turn-1.json > recorded.dygram\n  \
                  retake source fixtures/triage/turn-1.json --json\n  \
                  retake source fixtures/triage/turn-1.json --no-pager"
)]
pub(super) struct SourceArgs {
    /// A recording with source metadata.
    recording: PathBuf,
    #[command(flatten)]
    within: RootOption,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
    #[command(flatten)]
    pager: PagerOption,
}

#[derive(Default, Serialize, JsonSchema)]
pub(super) struct SourceDocument {
    found: bool,
    #[serde(rename = "where")]
    place: Option<&'static str>,
    commit: Option<String>,
    committed_at: Option<String>,
    path: Option<String>,
    /// The line of the fence that opens the Markdown code block with the text.
    line: Option<u32>,
    text: Option<String>,
    current_text: Option<String>,
    reason: Option<String>,
}

pub(super) fn run(arguments: &SourceArgs) -> CommandResult {
    let paths = [arguments.recording.clone()];
    let input = read_everything(&paths, arguments.within.root(), SourceLookup::Look)?;
    let path = arguments.recording.to_string_lossy();
    let path = shown(&path);
    let item = Arc::clone(input.only_item(&path)?);
    if item.kind != FileKind::Recording {
        let problem = item.problems.first().map(|p| format!(": {}", shown(&p.message)));
        let (kind, reason) =
            (item.kind.describe(item.foreign.as_ref()), problem.unwrap_or_default());
        return Err(CommandError(format!("Expected a recording, found {kind}: {path}{reason}")));
    }
    input.project.use_snapshots(state::sources().map(Snapshots::open));
    let source = input.project.read_source(0, &item);
    let current_text = source.as_ref().ok().map(|source| source.text());
    let base = find_as_recorded(&input.project, 0, &item, &AtomicBool::new(false));
    let verdict = if base.is_ok() { CommandVerdict::Passed } else { CommandVerdict::Failed };
    if !arguments.json {
        // On stderr, so that stdout has only the text.
        report_origin(&base, &item);
    }
    write_paged(arguments.look.color, arguments.pager, |output| {
        if arguments.json {
            output.document(&answer(base.clone(), &item, current_text))
        } else {
            print(output, &base)
        }
    })?;
    Ok(verdict)
}

/// Reports on stderr where the text was found, or why it was not found.
fn report_origin(original_source: &Result<OriginalSource, String>, item: &Item) {
    let source = match original_source {
        Ok(source) => source,
        Err(reason) => return report_error(&format!("Not found: {}", shown(reason))),
    };
    let line_ends = if source.line_ends_differ { ", with different line endings" } else { "" };
    report_error(&match &source.origin {
        SourceOrigin::WorkingTree => {
            let path = present_path(item).unwrap_or_default();
            format!("Unchanged since the recording: {}{line_ends}", shown(path))
        }
        SourceOrigin::Commit { id, seconds, path, line } => {
            let date = date(*seconds);
            let block = line.map_or_else(String::new, |line| format!(":{line}, in a code block"));
            format!("Found in commit {id} of {date}: {}{block}{line_ends}", shown(path))
        }
        SourceOrigin::Snapshot { seconds } => format!("Stored by Retake on {}", date(*seconds)),
    });
}

fn present_path(item: &Item) -> Option<&str> {
    Some(&item.source.as_ref()?.found.present()?.path)
}

/// Prints the text: byte for byte to a file or a pipe, with hidden characters made visible on a terminal.
fn print(output: &mut Output, base: &Result<OriginalSource, String>) -> std::io::Result<()> {
    let Ok(source) = base else { return Ok(()) };
    if !stdout().is_terminal() {
        return output.raw(&source.bytes);
    }
    for line in String::from_utf8_lossy(&source.bytes).lines() {
        // Tabs are kept, because they indent the source.
        output.line(&line.split('\t').map(shown).collect::<Vec<_>>().join("\t"))?;
    }
    Ok(())
}

fn answer(
    original_source: Result<OriginalSource, String>,
    item: &Item,
    current_text: Option<&str>,
) -> SourceDocument {
    let current_text = current_text.map(str::to_owned);
    let answer = SourceDocument { current_text, ..SourceDocument::default() };
    let source = match original_source {
        Ok(source) => source,
        Err(reason) => return SourceDocument { reason: Some(reason), ..answer },
    };
    let text = Some(String::from_utf8_lossy(&source.bytes).into_owned());
    let answer = SourceDocument { found: true, text, ..answer };
    match source.origin {
        SourceOrigin::WorkingTree => SourceDocument {
            place: Some("working-tree"),
            path: present_path(item).map(str::to_owned),
            ..answer
        },
        SourceOrigin::Commit { id, seconds, path, line } => SourceDocument {
            place: Some("git"),
            commit: Some(id),
            committed_at: Some(date(seconds)),
            path: Some(path),
            line,
            ..answer
        },
        SourceOrigin::Snapshot { .. } => SourceDocument { place: Some("snapshot"), ..answer },
    }
}

/// A time as ISO 8601 in UTC. The time of a commit may be out of range.
fn date(seconds: i64) -> String {
    jiff::Timestamp::from_second(seconds)
        .map_or_else(|_| "unknown date".to_owned(), |time| time.to_string())
}
