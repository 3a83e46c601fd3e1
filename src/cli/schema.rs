//! `retake schema`: prints the JSON Schema of an output, or of `retake.toml`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, json_schema};
use serde_json::{Value, json};

use super::files_document::FilesDocument;
use super::output::{SCHEMA_VERSION, shown};
use super::{ColorMode, CommandError, CommandVerdict, write};
use document::RuleId;
use document::cassette::CassetteClient;

/// Print the JSON Schema of an output or of retake.toml.
///
/// Without a name, the names are listed. An output has the name of its command, such as list for `retake list --json`. All
/// JSON documents have a schema_version; within a version fields are only added.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake schema\n  retake schema check\n  retake schema retake.toml > retake.schema.json"
)]
pub(super) struct SchemaArgs {
    /// The name of an output, or retake.toml.
    name: Option<String>,
}

/// A schema with its name in the list.
struct NamedSchema {
    name: &'static str,
    /// Subject of the schema, after the name in the list.
    about: &'static str,
    schema: fn() -> Schema,
}

const fn document<D: JsonSchema>(name: &'static str, about: &'static str) -> NamedSchema {
    NamedSchema { name, about, schema: document_schema::<D> }
}

/// A line of a command that prints one JSON value on each line.
const fn line<D: JsonSchema>(name: &'static str, about: &'static str) -> NamedSchema {
    NamedSchema { name, about, schema: schema_of::<D> }
}

// In alphabetical order, as they are listed.
const SCHEMAS: &[NamedSchema] = &[
    line::<super::live::answer::AnswerLogLine<'static>>("answer", "a line of retake answer --json"),
    document::<super::blame::BlameDocument<'static>>("blame", "retake blame --json"),
    document::<super::check::ProblemsDocument<'static>>("check", "retake check --json"),
    document::<super::contract::ContractDocument<'static>>("contract", "retake contract --json"),
    document::<super::diff::report::ReviewDocument<'static>>("diff", "retake diff --json"),
    document::<super::edit::EditDocument<'static>>("edit", "retake edit --json"),
    document::<super::rules::ExplainDocument>("explain", "retake explain --json"),
    document::<FilesDocument>("export", "retake export --json"),
    document::<super::import::ImportDocument<'static>>("import", "retake import --json"),
    document::<super::list::ListDocument<'static>>("list", "retake list --json"),
    document::<super::lookup::LookupDocument<'static>>("lookup", "retake lookup --json"),
    document::<super::matching::MatchDocument<'static>>("match", "retake match --json"),
    line::<super::play::PlayedChunk>("play", "a line of retake play --jsonl"),
    line::<super::live::record::RecordLogLine<'static>>("record", "a line of retake record --json"),
    document::<super::redact::RedactJson>("redact", "retake redact --json"),
    NamedSchema {
        name: "retake.toml",
        about: "the settings of a project",
        schema: settings_schema,
    },
    document::<super::diff::report::ReviewDocument<'static>>("review", "retake review --json"),
    document::<super::rules::RulesDocument>("rules", "retake rules --json"),
    line::<super::live::served::ServeLogLine<'static>>("serve", "a line of retake serve --json"),
    document::<super::source::SourceDocument>("source", "retake source --json"),
    document::<FilesDocument>("stabilize", "retake stabilize --json"),
    document::<FilesDocument>("stamp", "retake stamp --json"),
    document::<super::triage::TriageDocument>("triage", "retake triage --json"),
    document::<super::undo::UndoDocument<'static>>("undo", "retake undo --json"),
    document::<super::undo::UndoListDocument<'static>>("undo-list", "retake undo --list --json"),
    document::<super::unused::UnusedDocument<'static>>("unused", "retake unused --json"),
    document::<super::verify::VerifyDocument<'static>>("verify", "retake verify --json"),
];

pub(super) fn run(arguments: &SchemaArgs) -> Result<CommandVerdict, CommandError> {
    let Some(name) = &arguments.name else {
        let width = SCHEMAS.iter().map(|s| s.name.len()).max().unwrap_or(0);
        write(ColorMode::Never, |output| {
            SCHEMAS.iter().try_for_each(|s| output.line(&format!("{:width$}  {}", s.name, s.about)))
        })?;
        return Ok(CommandVerdict::Passed);
    };
    let Some(schema) = SCHEMAS.iter().find(|s| s.name == name) else {
        let names: Vec<&str> = SCHEMAS.iter().map(|s| s.name).collect();
        return Err(CommandError(format!(
            "No schema {}; the schemas are {}",
            shown(name),
            names.join(", ")
        )));
    };
    write(ColorMode::Never, |output| output.line(&format!("{:#}", (schema.schema)().to_value())))?;
    Ok(CommandVerdict::Passed)
}

fn schema_of<D: JsonSchema>() -> Schema {
    // For serialising: documents are only written, and fields that may be skipped are optional.
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<D>()
}

/// The schema of a document with its `schema_version`.
fn document_schema<D: JsonSchema>() -> Schema {
    let mut schema = schema_of::<D>();
    // A document that has several forms has no properties of its own.
    let version = json!({
        "type": "integer",
        "const": SCHEMA_VERSION,
        "description": "The version of all documents. Within a version fields are only added.",
    });
    let properties = schema.ensure_object().entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("schema_version".to_owned(), version);
    }
    let required = schema.ensure_object().entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.push("schema_version".into());
    }
    schema
}

/// The schema of `retake.toml`. What reads the file is in [`check::settings`].
fn settings_schema() -> Schema {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let texts = |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let table = |properties: Value| json!({ "type": "object", "properties": properties, "additionalProperties": false });
    let patterns = |about: &str| {
        let pattern = json!({
            "type": "object",
            "properties": { "name": text("A name for messages."), "regex": text("The regular expression.") },
            "required": ["regex"],
            "additionalProperties": false,
        });
        json!({ "type": "array", "items": { "anyOf": [{ "type": "string" }, pattern] }, "description": about })
    };
    let level = json!({ "enum": ["error", "warning", "note", "off"] });
    let rules: serde_json::Map<String, Value> =
        RuleId::ALL.iter().map(|rule| (rule.as_str().to_owned(), level.clone())).collect();
    let ignore_table = table(json!({
        "at": text("Where: a JSON Pointer with * and **, or the name of a field."),
        "text": text("Only texts that differ in what this regular expression matches."),
        "tolerance": { "type": "number", "description": "Only numbers that differ by no more than this." },
    }));
    let answer = table(json!({
        "name": text("The name of the rule; each name occurs once."),
        "node": text("Matches requests made at this node."),
        "offers": texts("Matches requests that offer all of these tools."),
        "says": text("Matches requests whose last message contains this text."),
        "tool": text("Answers by a call of this tool."),
        "input": text("The input of the tool, as JSON in a text."),
        "before": text("A text before the call."),
        "text": text("Answers by this text."),
        "recording": text("Answers as this recording."),
        "reasoning": text("The reasoning of the answer."),
    }));
    json_schema!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "retake.toml",
        "description": "The settings of a project. Every key is optional.",
        "type": "object",
        "properties": {
            "paths": texts("Files and folders that `retake check` reads if none is named, relative to this file."),
            "mode": { "enum": ["strict", "warn", "skip"], "description": "How to treat stale and missing sources." },
            "fail_on": { "enum": ["error", "warning", "note"], "description": "The level from which a check fails." },
            "require_metadata": { "type": "boolean", "description": "Whether a recording that does not name its source is an error." },
            "ignore": texts("Patterns as in .gitignore of files and folders that are not listed."),
            "gitignore": { "type": "boolean", "description": "Whether files and folders that git ignores are left out." },
            "rules": table(Value::Object(rules)),
            "secrets": table(json!({
                "patterns": patterns("Regular expressions of secrets of this project."),
                "allow": patterns("Regular expressions of texts that look like a secret and are none."),
                "ignore": texts("Patterns as in .gitignore of files whose secrets are not reported."),
            })),
            "cassettes": table(json!({
                "client": {
                    "enum": CassetteClient::ALL.iter().map(|client| client.as_str()).collect::<Vec<_>>(),
                    "description": "The program that plays the cassettes.",
                },
                "match_on": texts("What it compares, in place of what the tests set."),
                "allow_playback_repeats": { "type": "boolean", "description": "Whether the first call that matches answers again and again." },
                "max_age_days": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Calls that were recorded more days ago are reported.",
                },
            })),
            "stable": table(json!({
                "on_save": { "type": "boolean", "description": "Whether recordings, cassettes and tapes are made stable whenever they are saved." },
                "headers": texts("More headers to remove; * stands for the rest of a name."),
                "keep": texts("Headers and keys that stay as they are."),
            })),
            "review": table(json!({
                "difftool": text("The program that shows two recordings side by side, in place of git's diff.tool."),
                "ignore": { "type": "array", "items": ignore_table, "description": "Differences that a review ignores." },
            })),
            "regenerate": table(json!({
                "command": text("The command that makes recordings again, with placeholders such as {sets}."),
            })),
            "answer": { "type": "array", "items": answer, "description": "Rules that answer requests in a queue; the first that matches is used." },
        },
        "additionalProperties": false,
    })
}
