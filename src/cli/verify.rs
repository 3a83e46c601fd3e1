//! `retake verify`: compares a request with the one in a tape.

use std::io;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::common::{ColorOption, RootOption};
use super::output::{Output, OutputStyle, shown, shown_path};
use super::{CommandResult, CommandVerdict, print_summary, read_with_secrets, write};
use calls::tape::verify::{self, RequestDifference, Strictness};
use document::tape::RequestShape;
use document::text::{Place, count};

/// Compare a request with the one in a tape.
///
/// Requests are compared as the player of such tapes does: a request with contents by model, contents and config; a request
/// with a history by model, system prompt and history; any other as a whole. Other keys and the order of these three do not
/// count. Their values are compared as JSON.stringify texts, in which the order of keys and white space in strings count. With
/// --loose, ids, dates and differences in bytes but not in meaning are ignored and listed.
///
/// The exit code is 1 if the tape does not answer the request.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake verify tapes/slow-start.json --request request.json\n  \
                  retake verify tapes/slow-start.json --request request.json --loose --json"
)]
pub(super) struct VerifyArgs {
    /// A tape.
    tape: PathBuf,
    /// A file with the request as JSON, or another tape whose request to use.
    #[arg(long, value_name = "FILE")]
    request: PathBuf,
    /// Ignore ids and dates.
    #[arg(long)]
    loose: bool,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    within: RootOption,
    #[command(flatten)]
    look: ColorOption,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct VerifyDocument<'a> {
    matches: bool,
    mode: &'static str,
    shape: &'static str,
    differences: Vec<DifferenceJson<'a>>,
    ignored: Vec<DifferenceJson<'a>>,
}

/// A difference as JSON.
#[derive(Serialize, JsonSchema)]
struct DifferenceJson<'a> {
    kind: &'static str,
    pointer: &'a str,
    tape: PlaceJson,
    request: PlaceJson,
    message: &'a str,
}

#[derive(Serialize, JsonSchema)]
struct PlaceJson {
    line: u32,
    column: u32,
}

pub(super) fn run(arguments: &VerifyArgs) -> CommandResult {
    let root = arguments.within.root();
    let (tape, mut secrets) = read_with_secrets(&arguments.tape, root)?;
    let (request, request_secrets) = read_with_secrets(&arguments.request, root)?;
    // Messages quote both files.
    secrets.merge(&request_secrets);
    let (strictness, mode) =
        if arguments.loose { (Strictness::Loose, "loose") } else { (Strictness::Strict, "strict") };
    let verdict = verify::verify(&tape, &request, strictness)?;
    write(arguments.look.color, |output| {
        output.hide(secrets);
        if arguments.json {
            output.document(&VerifyDocument {
                matches: verdict.matches(),
                mode,
                shape: match verdict.shape {
                    RequestShape::History => "history",
                    RequestShape::Contents => "contents",
                    RequestShape::Other => "other",
                },
                differences: verdict.differences.iter().map(difference_json).collect(),
                ignored: verdict.ignored.iter().map(difference_json).collect(),
            })
        } else {
            print(output, arguments, &verdict)
        }
    })?;
    if !arguments.json {
        print_summary(&sentence(&verdict));
    }
    Ok(if verdict.matches() { CommandVerdict::Passed } else { CommandVerdict::Failed })
}

fn difference_json(difference: &RequestDifference) -> DifferenceJson<'_> {
    let place = |Place { line, column }: Place| PlaceJson { line, column };
    DifferenceJson {
        kind: difference.kind.as_str(),
        pointer: &difference.pointer,
        tape: place(difference.tape_place),
        request: place(difference.request_place),
        message: &difference.message,
    }
}

fn print(
    output: &mut Output,
    arguments: &VerifyArgs,
    verdict: &verify::VerifyVerdict,
) -> io::Result<()> {
    let (tape, request) = (arguments.tape.to_string_lossy(), arguments.request.to_string_lossy());
    let mut line = |gap: &RequestDifference, lead: &str| {
        let place = format!("{}:{}", shown_path(&request), gap.request_place);
        let place = output.styled(OutputStyle::Strong, &place);
        let tape = format!("({}:{})", shown(&tape), gap.tape_place);
        let tape = output.styled(OutputStyle::Quiet, &tape);
        let pointer = if gap.pointer.is_empty() { "the request" } else { &gap.pointer };
        output.line(&format!("{place}: {lead}{}: {} {tape}", shown(pointer), shown(&gap.message)))
    };
    verdict.differences.iter().try_for_each(|d| line(d, ""))?;
    verdict.ignored.iter().try_for_each(|d| line(d, "ignored: "))
}

fn sentence(verdict: &verify::VerifyVerdict) -> String {
    let remark = match verdict.ignored.len() {
        0 => String::new(),
        number => format!("; {} ignored", count(number, "difference")),
    };
    match verdict.differences.len() {
        0 => format!("The tape answers the request{remark}"),
        differences => format!(
            "The tape does not answer the request: {}{remark}",
            count(differences, "difference")
        ),
    }
}
