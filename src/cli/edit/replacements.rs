//! The options of `retake edit` for many places and files.

use clap::{Arg, ArgAction, ArgMatches, Command};

use super::EditArgs;
use crate::output::shown;
use crate::{CommandError, CommandResult};
use author::replace::{PlacePattern, RenameKind, Replacement, TextPattern};
use document::edit::Edit;

/// Options for many places and files.
#[derive(Debug, clap::Args)]
pub(super) struct ManyOptions {
    #[command(flatten)]
    replacements: ReplaceOptions,
    /// Change only files that match this filter, such as 'kind:tape -path:archive'; see `retake list --filter`.
    #[arg(long = "where", value_name = "FILTER", allow_hyphen_values = true)]
    pub(super) filter: Option<String>,
    /// Replace text only in the values at this pointer and below it; * is every element or member of one level.
    #[arg(long, value_name = "POINTER")]
    at: Option<String>,
    /// Leave a file, a line or a single place as it is; may be repeated.
    #[arg(long, value_name = "PATH[:LINE[:COLUMN]]")]
    pub(super) skip: Vec<String>,
    /// Print one JSON document.
    #[arg(long)]
    pub(super) json: bool,
}

/// The replacements in the arguments: each option with its values.
#[derive(Debug)]
struct ReplaceOptions(Vec<(&'static str, Vec<String>)>);

/// The options that replace: name, value names, help.
const OPTIONS: [(&str, &[&str], &str); 5] = [
    ("replace", &["OLD", "NEW"], "Replace this text inside string values"),
    (
        "replace-regex",
        &["PATTERN", "NEW"],
        "Replace what a regular expression matches inside string values; $1 is its first group",
    ),
    (
        "rename-tool",
        &["OLD=NEW"],
        "Rename a tool where it is offered, called or stored, in tool responses and in contracts",
    ),
    (
        "rename-node",
        &["OLD=NEW"],
        "Rename a node in contexts and prompts; stamps stay, since they describe the source",
    ),
    ("rename-model", &["OLD=NEW"], "Rename a model in recordings, requests, tapes and seeds"),
];

impl clap::Args for ReplaceOptions {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, (name, value_names, help_text)| {
            let option = Arg::new(*name)
                .long(*name)
                .help(*help_text)
                .value_names(*value_names)
                .num_args(value_names.len());
            // Texts to replace may begin with a hyphen, as list items do.
            command.arg(option.action(ArgAction::Append).allow_hyphen_values(true))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl clap::FromArgMatches for ReplaceOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut options = Vec::new();
        for (option, ..) in OPTIONS {
            // By occurrence: clap would join the values of `--replace A B --replace C D` into one list.
            let occurrences = matches.get_occurrences::<String>(option).into_iter().flatten();
            options.extend(occurrences.map(|values| (option, values.cloned().collect())));
        }
        Ok(Self(options))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ManyOptions {
    pub(super) fn has_replacements(&self) -> bool {
        !self.replacements.0.is_empty()
    }

    /// Whether one of these options is given.
    pub(super) fn is_used(&self) -> bool {
        let has_option = self.filter.is_some() || self.at.is_some();
        self.has_replacements() || has_option || !self.skip.is_empty()
    }
}

/// Returns what the arguments replace; `edits` are those of the options that also edit a single file.
pub(super) fn replacements(
    arguments: &EditArgs,
    edits: &[Edit],
) -> CommandResult<Vec<Replacement>> {
    let mut replacements = Vec::new();
    for (option, edit) in arguments.edits.0.iter().zip(edits) {
        replacements.push(of_edit(edit, option.option)?);
    }
    let options = &arguments.many;
    let place = options.at.as_deref().map(pattern).transpose()?;
    for (option, values) in &options.replacements.0 {
        replacements.push(of_option(option, values, place.as_ref())?);
    }
    let mut candidates = replacements.iter();
    let is_text = |r: &Replacement| matches!(r, Replacement::Text { .. });
    if replacements.is_empty() {
        return Err(
            "No edit given; use --set, --remove, --replace, --replace-regex or --rename-tool"
                .into(),
        );
    }
    // Otherwise the user would believe that a renaming is limited to these places.
    if place.is_some() && !candidates.any(is_text) {
        return Err("--at needs --replace or --replace-regex".into());
    }
    Ok(replacements)
}

fn pattern(pointer: &str) -> CommandResult<PlacePattern> {
    PlacePattern::parse(pointer).map_err(CommandError)
}

fn of_edit(edit: &Edit, option: &str) -> CommandResult<Replacement> {
    match edit {
        Edit::Set { pointer, value } => {
            Ok(Replacement::Set { at: pattern(pointer)?, value: value.clone() })
        }
        Edit::Remove { pointer } => Ok(Replacement::Remove { at: pattern(pointer)? }),
        _ => Err(CommandError(format!(
            "--{option} edits a single file; give one file, and none of the options for many places"
        ))),
    }
}

fn of_option(
    option: &str,
    values: &[String],
    place: Option<&PlacePattern>,
) -> CommandResult<Replacement> {
    let fault = |reason: String| {
        let values = values.join(" ");
        CommandError(format!("{reason}: --{option} {}", shown(&values)))
    };
    // A value may begin with a hyphen, but an option that is taken for a value would be written into the files.
    if option.starts_with("replace") && values.iter().any(|value| value.starts_with("--")) {
        return Err(fault("expected OLD NEW, found an option".to_owned()));
    }
    let text = |find: Result<TextPattern, String>| {
        Ok(Replacement::Text { find: find.map_err(fault)?, at: place.cloned() })
    };
    let kind = match (option, values) {
        ("replace", [old, new]) => return text(TextPattern::exact(old, new)),
        ("replace-regex", [pattern, new]) => return text(TextPattern::regex(pattern, new)),
        ("rename-tool", _) => RenameKind::Tool,
        ("rename-node", _) => RenameKind::Node,
        _ => RenameKind::Model,
    };
    let names = values
        .first()
        .and_then(|names| names.split_once('='))
        // An empty name would match nothing, and an equal one would change nothing; both are typing errors.
        .filter(|(old, new)| !old.is_empty() && !new.is_empty() && old != new);
    let (old, new) = names.ok_or_else(|| fault("expected OLD=NEW".to_owned()))?;
    Ok(Replacement::Rename { kind, from: old.to_owned(), to: new.to_owned() })
}
