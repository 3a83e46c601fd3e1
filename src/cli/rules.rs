//! `retake rules` lists the rules of `retake check`, `retake explain` explains one.

use schemars::JsonSchema;
use serde::Serialize;

use super::common::ColorOption;
use super::output::{Output, OutputStyle};
use super::{CommandError, CommandResult, CommandVerdict, write};
use check::change::fix_of;
use check::{Example, near_rule, rule};
use document::RuleId;
use document::text::upper_first;

/// List the rules of `retake check` with their levels.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake rules\n  retake rules --json")]
pub(super) struct RulesArgs {
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

/// Explain a rule of `retake check`: what it means, why it matters, and how to fix it.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake explain source-stale\n  retake explain response-not-wrapped --json"
)]
pub(super) struct ExplainArgs {
    /// The id of the rule, as `retake check` prints it.
    #[arg(value_name = "RULE")]
    rule: String,
    /// Print one JSON document.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    look: ColorOption,
}

/// All rules.
#[derive(Serialize, JsonSchema)]
pub(super) struct RulesDocument {
    rules: Vec<RuleJson>,
}

#[derive(Serialize, JsonSchema)]
struct RuleJson {
    id: &'static str,
    /// The level unless the user sets another: `error`, `warning`, `note` or `off`.
    level: &'static str,
    /// What is wrong, in one sentence.
    title: &'static str,
    /// Whether `retake check --fix` can fix it.
    has_fix: bool,
}

/// One rule, with everything that is known about it.
#[derive(Serialize, JsonSchema)]
pub(super) struct ExplainDocument {
    #[serde(flatten)]
    rule: RuleJson,
    /// What is checked and why it matters: paragraphs of Markdown.
    text: String,
    /// How to fix it.
    help: &'static str,
    /// A short part of a file, and the same part fixed.
    example: Option<ExampleJson>,
}

#[derive(Serialize, JsonSchema)]
struct ExampleJson {
    before: &'static str,
    after: &'static str,
}

impl RuleJson {
    fn new(id: RuleId) -> Self {
        Self {
            id: id.as_str(),
            level: id.default_word(),
            title: rule(id).title,
            has_fix: fix_of(id).is_some(),
        }
    }
}

pub(super) fn list(arguments: &RulesArgs) -> CommandResult {
    let rules: Vec<RuleJson> = RuleId::ALL.iter().map(|id| RuleJson::new(*id)).collect();
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    write(arguments.look.color, |output| {
        if arguments.json {
            return output.document(&RulesDocument { rules });
        }
        for (id, rule) in RuleId::ALL.iter().zip(&rules) {
            // Padded before it is styled, because escapes have no width. `warning` has 7 letters.
            let level = format!("{:7}", rule.level);
            let level = output.styled(OutputStyle::Of(id.default_level()), &level);
            let fix = if rule.has_fix { "fix" } else { "" };
            let line = format!("{:width$}  {level}  {fix:3}  {}", rule.id, rule.title);
            output.line(&line)?;
        }
        Ok(())
    })?;
    Ok(CommandVerdict::Passed)
}

pub(super) fn explain(arguments: &ExplainArgs) -> CommandResult {
    let id = near_rule(&arguments.rule).map_err(|error| {
        let error = upper_first(&error);
        CommandError(format!("{error} `retake rules` lists all rules"))
    })?;
    write(arguments.look.color, |output| {
        if arguments.json {
            return output.document(&document(id));
        }
        text(output, id)
    })?;
    Ok(CommandVerdict::Passed)
}

fn document(id: RuleId) -> ExplainDocument {
    let texts = rule(id);
    ExplainDocument {
        rule: RuleJson::new(id),
        text: texts.text(),
        help: texts.fix,
        example: texts.example.as_ref().map(|e| ExampleJson { before: e.before, after: e.after }),
    }
}

fn text(output: &mut Output, id: RuleId) -> std::io::Result<()> {
    let (texts, level) = (rule(id), id.default_level());
    let title = output.styled(OutputStyle::Strong, texts.title);
    output.line(&format!("{id}: {title}"))?;
    output.line("")?;
    for paragraph in texts.text().lines() {
        output.line(paragraph)?;
    }
    output.line("")?;
    output.line(&format!("Fix: {}", texts.fix))?;
    if let Some(fix) = fix_of(id) {
        let question = fix.question.map_or_else(String::new, |question| format!(" {question}"));
        output.line(&format!("`retake check --fix={id}` does it: {}{question}", fix.does))?;
    }
    if let Some(example) = &texts.example {
        write_example(output, example)?;
    }
    output.line("")?;
    output.line(&format!(
        "Level: {level}. Another level, or \"off\": in retake.toml below [rules], {id} = \"note\"; or with --rule {id}=note."
    ))
}

fn write_example(output: &mut Output, example: &Example) -> std::io::Result<()> {
    for (title, part, style) in [
        (example.before_title, example.before, OutputStyle::Removed),
        (example.after_title, example.after, OutputStyle::Added),
    ] {
        output.line("")?;
        output.line(&format!("{title}:"))?;
        for line in part.lines() {
            let line = output.styled(style, line);
            output.line(&format!("    {line}"))?;
        }
    }
    Ok(())
}
