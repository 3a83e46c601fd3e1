//! `retake schema`: prints the JSON Schema of an output, or of `retake.toml`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::files_document::FilesDocument;
use super::output::{SCHEMA_VERSION, shown};
use super::{ColorMode, CommandError, CommandResult, CommandVerdict, write};

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
    document::<super::audit::AuditDocument<'static>>("audit", "retake audit --json"),
    document::<super::blame::BlameDocument<'static>>("blame", "retake blame --json"),
    document::<super::check::ProblemsDocument<'static>>("check", "retake check --json"),
    document::<super::contract::ContractDocument<'static>>("contract", "retake contract --json"),
    document::<super::diff::report::ReviewDocument<'static>>("diff", "retake diff --json"),
    document::<super::drift::DriftDocument<'static>>("drift", "retake drift --json"),
    document::<super::edit::EditDocument<'static>>("edit", "retake edit --json"),
    document::<super::rules::ExplainDocument>("explain", "retake explain --json"),
    document::<FilesDocument>("export", "retake export --json"),
    document::<super::import::ImportDocument<'static>>("import", "retake import --json"),
    document::<super::import::FixtureDocument<'static>>("import-as", "retake import --as --json"),
    document::<super::list::ListDocument<'static>>("list", "retake list --json"),
    document::<super::lookup::LookupDocument<'static>>("lookup", "retake lookup --json"),
    document::<super::matching::MatchOutput<'static>>("match", "retake match --json"),
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

pub(super) fn run(arguments: &SchemaArgs) -> CommandResult {
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
    const DEFINITIONS: &str = "#/$defs/";
    let mut schema = schema_of::<D>();
    let root = schema.ensure_object();
    // A document that has several forms has no properties of its own.
    let forms = root.get("anyOf").and_then(Value::as_array).into_iter().flatten();
    let names = forms.filter_map(|form| form.get("$ref")?.as_str()?.strip_prefix(DEFINITIONS));
    let names: Vec<String> = names.map(str::to_owned).collect();
    if names.is_empty() {
        add_version(root);
    }
    for name in names {
        let form = root.get_mut("$defs").and_then(|definitions| definitions.get_mut(&name));
        form.and_then(Value::as_object_mut).map(add_version);
    }
    schema
}

fn add_version(schema: &mut Map<String, Value>) {
    let version = json!({
        "type": "integer",
        "const": SCHEMA_VERSION,
        "description": "The version of all documents. Within a version fields are only added.",
    });
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert("schema_version".to_owned(), version);
    }
    let required = schema.entry("required").or_insert_with(|| json!([]));
    if let Some(required) = required.as_array_mut() {
        required.push("schema_version".into());
    }
}

/// The schema of `retake.toml`. What reads the file is in [`check::settings`].
fn settings_schema() -> Schema {
    serde_json::from_str(include_str!("../../assets/retake.schema.json")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use document::RuleId;
    use document::cassette::CassetteClient;

    use super::*;

    #[test]
    fn the_schema_of_the_settings_has_every_rule_and_every_client() {
        let schema = settings_schema().to_value();
        let rules = schema["properties"]["rules"]["properties"].as_object().unwrap();
        let mut names: Vec<&str> = RuleId::ALL.iter().map(|rule| rule.as_str()).collect();
        names.sort_unstable();
        assert!(rules.keys().eq(names));
        let clients = CassetteClient::ALL.iter().map(|client| client.as_str());
        let client = &schema["properties"]["cassettes"]["properties"]["client"];
        assert_eq!(client["enum"], json!(clients.collect::<Vec<_>>()));
    }
}
