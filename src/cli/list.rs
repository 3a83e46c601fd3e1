//! `retake list`: lists items, one on each line.

mod coverage;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use super::common::{ColorOption, ScanOptions, paths_or_default};
use super::output::{Output, OutputStyle, column_widths, shown};
use super::{CommandError, CommandResult, CommandVerdict, print_summary, write};
use calls::Item;
use calls::source::SourceState;
use check::search::{FilterError, FilterQuery};
use document::cassette::CassetteClient;
use document::signature::Signature;
use document::text::count;
use document::{FileKind, Severity};
use engine::SourceLookup;

/// List the recordings, tapes, sessions and seeds in files and folders.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake list fixtures --filter 'kind:recording status:stale'\n  retake list . --no-ignore             # also what .gitignore ignores\n  retake list recordings --coverage"
)]
pub(super) struct ListArgs {
    /// Files and folders [default: those that retake.toml lists, else the current folder]. One that does not exist is reported, the others
    /// are listed, and the exit code is 2.
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    /// List also which tasks and edges of their machines the recordings cover.
    #[arg(long)]
    coverage: bool,
    /// List only items that match this filter, such as 'kind:tape -path:archive "free text"'.
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true)]
    filter: Option<String>,
    #[command(flatten)]
    within: ScanOptions,
    #[command(flatten)]
    look: ColorOption,
}

pub(super) fn run(arguments: &ListArgs) -> CommandResult {
    let query = FilterQuery::parse(arguments.filter.as_deref().unwrap_or_default());
    if let Some(refusal) = refusal(&query) {
        return Err(refusal);
    }
    // The status of a recording depends on its source.
    let paths = paths_or_default(&arguments.paths, arguments.within.root())?;
    let paths = paths.unwrap_or_else(|| vec![PathBuf::from(".")]);
    let input = arguments.within.read(&paths, SourceLookup::Look)?;
    let numbered_items = input.filtered(&query);
    let items: Vec<&Item> = numbered_items.iter().map(|(_, item)| &***item).collect();
    let coverage = arguments.coverage.then(|| coverage::read(&input.project, &numbered_items));
    let machines = coverage.as_ref().map(|c| c.machines.as_slice());
    write(arguments.look.color, |output| {
        output.hide(input.secrets());
        if arguments.json {
            let document = ListDocument {
                items: Vec::new(),
                summary: ListSummary {
                    files: input.files(),
                    items: items.len(),
                    bytes: input.progress.bytes,
                    elapsed_ms: u64::try_from(input.elapsed.as_millis()).unwrap_or(u64::MAX),
                },
                coverage: machines.map(coverage::rows),
            };
            output.document_with_rows(&document, "items", &items, |item| [ItemJson::new(item)])
        } else {
            text(output, &items)?;
            coverage::print(output, machines.unwrap_or_default())
        }
    })?;
    input.report_nothing_found();
    if !arguments.json {
        print_summary(&format!(
            "{} in {}, {} bytes, {} ms",
            count(items.len(), "item"),
            count(input.files(), "file"),
            input.progress.bytes,
            input.elapsed.as_millis()
        ));
    }
    let has_failed = coverage.is_some_and(|coverage| coverage.has_failed);
    Ok(input.verdict(if has_failed { CommandVerdict::Incomplete } else { CommandVerdict::Passed }))
}

/// Points at each invalid place of a filter and lists the valid values.
pub(super) fn refusal(query: &FilterQuery) -> Option<CommandError> {
    let faults: Vec<&FilterError> = query.errors().iter().chain(query.unclosed()).collect();
    if faults.is_empty() {
        return None;
    }
    let width = |text: &str| shown(text).chars().count();
    let mut lines = vec!["The filter is invalid:".to_owned(), format!("  {}", shown(query.text()))];
    for fault in &faults {
        let range = fault.span.range();
        let prefix = query.text().get(..range.start).unwrap_or_default();
        let fault_text = query.text().get(range).unwrap_or_default();
        let (indent, mark) = (" ".repeat(width(prefix)), "^".repeat(width(fault_text)));
        lines.push(format!("  {indent}{mark} {}", fault.message));
    }
    let mut hints: Vec<&str> = faults.iter().filter_map(|fault| fault.known.as_deref()).collect();
    // Faults of one key follow each other and have the same help.
    hints.dedup();
    lines.extend(hints.iter().map(|hint| format!("  help: {hint}")));
    Some(CommandError(lines.join("\n")))
}

/// Prints aligned columns: status, kind, time, problems, path.
/// Returns a time to the minute with a blank before the hour; empty if it is none.
fn shown_date(time: &str) -> String {
    let is_date = time.starts_with(|c: char| c.is_ascii_digit());
    if is_date { time.replace('T', " ") } else { String::new() }
}

fn text(output: &mut Output, items: &[&Item]) -> std::io::Result<()> {
    let rows: Vec<[String; 4]> = items
        .iter()
        .map(|item| {
            let version = item.version.map_or("", |version| version.as_str());
            let date: String = item
                .recorded_at
                .as_deref()
                .unwrap_or_default()
                .chars()
                // To the minute; the zone is left out, since the column is for a first look.
                .take("2026-02-02T02:40".len())
                .collect();
            [
                item.status().label().to_owned(),
                format!("{} {version}{}", shown(item.kind_label()), entries(item))
                    .trim_end()
                    .into(),
                shown_date(&shown(&date)),
                problems(item),
            ]
        })
        .collect();
    let widths = column_widths([0; 4], &rows);
    for (item, row) in items.iter().zip(&rows) {
        let mut line = String::new();
        for (index, (cell, width)) in row.iter().zip(widths).enumerate() {
            // A column without any content would be two spaces in each line.
            if width == 0 {
                continue;
            }
            let style = match (index, item.worst()) {
                (0, _) => OutputStyle::Strong,
                (3, Some(severity)) => OutputStyle::Of(severity),
                _ => OutputStyle::Quiet,
            };
            // Outside of the styled text, because escapes have no width.
            let padding = " ".repeat(width - cell.chars().count() + 2);
            line.push_str(&output.styled(style, cell));
            line.push_str(&padding);
        }
        line.push_str(&shown(&item.path));
        output.line(&line)?;
    }
    Ok(())
}

/// The calls of a cassette.
fn calls(item: &Item) -> Vec<ItemCallJson<'_>> {
    let calls = item.calls.iter().enumerate().filter_map(|(index, call)| {
        let http = call.http.as_ref()?;
        Some(ItemCallJson {
            index,
            method: &http.method,
            uri: &http.url,
            provider: call.provider.as_deref(),
            api: call.api.as_deref(),
            model: call.model.as_deref(),
            status: http.status,
            input_tokens: call.tokens.0,
            output_tokens: call.tokens.1,
        })
    });
    calls.collect()
}

/// The number of entries in a file of another tool.
fn entries(item: &Item) -> String {
    let entries = item.foreign.and_then(|foreign| foreign.entries);
    entries.map_or_else(String::new, |entries| format!("({entries})"))
}

/// The numbers of an item's problems in a few words.
fn problems(item: &Item) -> String {
    let counts = [Severity::Error, Severity::Warning, Severity::Note]
        .map(|severity| (item.count(severity), severity.as_str()));
    let nonzero_counts = counts.into_iter().filter(|(number, _)| *number > 0);
    nonzero_counts.map(|(number, noun)| count(number, noun)).collect::<Vec<_>>().join(", ")
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ListDocument<'a> {
    items: Vec<ItemJson<'a>>,
    summary: ListSummary,
    /// The machines of the recordings; only with `--coverage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Vec<coverage::MachineCoverageJson<'a>>>,
}

#[derive(Serialize, JsonSchema)]
struct ListSummary {
    files: usize,
    items: usize,
    bytes: u64,
    elapsed_ms: u64,
}

#[derive(Serialize, JsonSchema)]
struct ItemJson<'a> {
    path: &'a str,
    kind: &'static str,
    /// The format of a file of another tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    /// The name of its format in `retake.toml`, if it is described there.
    #[serde(skip_serializing_if = "Option::is_none")]
    format_name: Option<&'a str>,
    /// The number of calls, runs, spans, samples or results in such a file, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<usize>,
    /// The program whose file a cassette is: `vcrpy`, `cassetter`, `ruby-vcr`, `r-vcr` or `go-vcr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'static str>,
    /// The test that uses a cassette.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<ItemTestJson<'a>>,
    /// What the program of a cassette compares; missing if its default applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    match_on: Option<ItemMatchersJson<'a>>,
    /// The record mode of the test of a cassette; missing if it is set nowhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    record_mode: Option<ItemModeJson<'a>>,
    version: Option<&'static str>,
    id: Option<&'a str>,
    model: Option<&'a str>,
    recorded_at: Option<&'a str>,
    bytes: u64,
    signature: Option<ItemSignatureJson<'a>>,
    source: Option<ItemSourceJson<'a>>,
    chunks: Option<u32>,
    duration_ns: Option<Number>,
    /// The calls of a cassette, in its order.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<ItemCallJson<'a>>>,
    problems: ProblemCountsJson,
}

#[derive(Serialize, JsonSchema)]
struct ItemModeJson<'a> {
    /// As its program names it; null if it is no literal.
    name: Option<&'a str>,
    /// The path from the project root.
    path: &'a str,
    line: u32,
}

#[derive(Serialize, JsonSchema)]
struct ItemTestJson<'a> {
    /// Its name, with that of its class.
    name: &'a str,
    /// The path from the project root.
    path: &'a str,
    line: u32,
}

#[derive(Serialize, JsonSchema)]
struct ItemMatchersJson<'a> {
    /// Null if they are only known when the test runs.
    names: Option<Vec<&'a str>>,
    /// Where they are set: the path from the project root.
    path: &'a str,
    line: u32,
}

#[derive(Serialize, JsonSchema)]
struct ItemCallJson<'a> {
    /// Its number from 0.
    index: usize,
    method: &'a str,
    uri: &'a str,
    /// Who answered; null for a call that is of no model.
    provider: Option<&'a str>,
    /// Null for a call that is of no model.
    api: Option<&'a str>,
    model: Option<&'a str>,
    /// The HTTP status; 0 if there is no response.
    status: u16,
    /// The number of tokens of the request with those of a cache.
    input_tokens: Option<u64>,
    /// The number of tokens of the answer with its reasoning.
    output_tokens: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
struct ItemSignatureJson<'a> {
    tool_names: Vec<&'a str>,
    message_count: u64,
    context_keys: Vec<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct ItemSourceJson<'a> {
    file: Option<&'a str>,
    recorded_hash: Option<&'a str>,
    current_hash: Option<&'a str>,
    status: &'static str,
    affected: Option<bool>,
    /// A sentence that explains `affected`, or why it is not known; null if nothing was compared.
    affected_because: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct ProblemCountsJson {
    error: usize,
    warning: usize,
    note: usize,
}

impl<'a> ItemJson<'a> {
    fn new(item: &'a Item) -> Self {
        let cassette = item.cassette.as_ref();
        Self {
            path: &item.path,
            kind: item.kind.as_str(),
            format: item.foreign.map(|foreign| foreign.format.as_str()),
            format_name: item.format_name.as_deref(),
            entries: item.foreign.and_then(|foreign| foreign.entries),
            test: cassette.and_then(|facts| facts.test.as_ref()).map(|test| ItemTestJson {
                name: &test.name,
                path: &test.origin.path,
                line: test.origin.line,
            }),
            match_on: cassette.and_then(|facts| facts.match_on.as_ref()).map(|setting| {
                let names = setting.texts.as_deref();
                ItemMatchersJson {
                    names: names.map(|names| names.iter().map(|name| &**name).collect()),
                    path: &setting.origin.path,
                    line: setting.origin.line,
                }
            }),
            record_mode: cassette.and_then(|facts| facts.record_mode.as_ref()).map(|setting| {
                let mode = setting.texts.as_ref().and_then(|texts| texts.first());
                ItemModeJson {
                    name: mode.map(|mode| &**mode),
                    path: &setting.origin.path,
                    line: setting.origin.line,
                }
            }),
            client: item.foreign.and_then(|foreign| foreign.client).map(CassetteClient::as_str),
            calls: (item.kind == FileKind::Cassette).then(|| calls(item)),
            version: item.version.map(|version| version.as_str()),
            id: item.id.as_deref(),
            model: item.model.as_deref(),
            recorded_at: item.recorded_at.as_deref(),
            bytes: item.bytes,
            signature: item.signature.as_deref().map(ItemSignatureJson::new),
            source: item.source.as_deref().map(ItemSourceJson::new),
            chunks: item.chunks,
            duration_ns: item.duration_nanos.and_then(number),
            problems: ProblemCountsJson {
                error: item.count(Severity::Error),
                warning: item.count(Severity::Warning),
                note: item.count(Severity::Note),
            },
        }
    }
}

impl<'a> ItemSignatureJson<'a> {
    fn new(signature: &'a Signature) -> Self {
        let texts = |names: &'a [std::sync::Arc<str>]| names.iter().map(|name| &**name).collect();
        Self {
            tool_names: texts(&signature.tool_names),
            message_count: signature.message_count,
            context_keys: texts(&signature.context_keys),
        }
    }
}

impl<'a> ItemSourceJson<'a> {
    fn new(source: &'a SourceState) -> Self {
        Self {
            file: source.file.as_deref(),
            recorded_hash: source.recorded_hash.as_deref(),
            current_hash: source.found.present().map(|file| &*file.hash),
            status: source.found.as_str(),
            affected: source.affected,
            affected_because: source.because.as_deref(),
        }
    }
}

/// A number in JSON notation: an integer without a decimal point. `None` for NaN and infinity.
fn number(value: f64) -> Option<Number> {
    // 2^53: up to it, every whole number has a float of its own.
    const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= MAX_EXACT_INTEGER {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
}
