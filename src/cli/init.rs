//! `retake init`: writes a `retake.toml` in which every setting is explained.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::common::ColorOption;
use super::outbox::{OutputFolder, WriteMode, WriteOutcome};
use super::output::shown_path;
use super::{
    CommandError, CommandResult, CommandVerdict, ReadFiles, print_summary, read_everything, write,
};
use calls::Item;
use check::settings::{FILE_NAME, Formats, template};
use document::foreign::ForeignFormat;
use document::format::RecordingFormat;
use engine::undo::StepRecorder;
use engine::{SourceLookup, guess_format};

/// Write a retake.toml with every setting in a comment, the folders of the recordings it finds, and descriptions of formats
/// that it knows only by their shape.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  retake init\n  retake init --dry-run\n  retake init ../other-project"
)]
pub(super) struct InitArgs {
    /// The folder of the project.
    #[arg(value_name = "DIR", default_value = ".")]
    folder: PathBuf,
    /// Write nothing; print the file.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    look: ColorOption,
}

pub(super) fn run(arguments: &InitArgs, recorder: &StepRecorder) -> CommandResult {
    let folder = std::slice::from_ref(&arguments.folder);
    let root = Some(arguments.folder.as_path());
    let input = read_everything(folder, root, SourceLookup::LeaveAlone)?;
    if !input.project.has_folder() {
        let path = arguments.folder.to_string_lossy();
        return Err(CommandError(format!(
            "Expected a folder, found a file: {}",
            shown_path(&path)
        )));
    }
    let text = template(&find_paths(input), &find_formats(input));
    if arguments.dry_run {
        write(arguments.look.color, |output| output.raw(text.as_bytes()))?;
        return Ok(CommandVerdict::Passed);
    }
    let mut output =
        OutputFolder { folder: arguments.folder.clone(), root, mode: WriteMode::DryRun, recorder };
    let file = arguments.folder.join(FILE_NAME);
    let path = file.strip_prefix(".").unwrap_or(&file).to_string_lossy();
    // A dry run first, because writing the same text to an existing file would not fail.
    let is_free = output.write_file(FILE_NAME, &text)? == WriteOutcome::Written;
    output.mode = WriteMode::Careful;
    if !is_free || output.write_file(FILE_NAME, &text)? != WriteOutcome::Written {
        return Err(CommandError(format!(
            "The file already exists and was not changed; `retake init --dry-run` prints a new one: {}",
            shown_path(&path)
        )));
    }
    print_summary(&format!("Wrote {}", shown_path(&path)));
    Ok(CommandVerdict::Passed)
}

/// Returns the folders that contain what Retake reads: below each folder of the project the deepest one that contains all. None
/// if there are files in the project's folder itself.
fn find_paths(input: &ReadFiles) -> Vec<String> {
    let mut folders: BTreeMap<&str, &str> = BTreeMap::new();
    for folder in input.items.iter().filter(|item| item.kind.is_known()).map(|item| item.folder()) {
        // A path for each top folder: listing every folder of recordings would go out of date with the next one.
        let top = folder.split('/').next().unwrap_or_default();
        let parent = folders.entry(top).or_insert(folder);
        *parent = common_folder(parent, folder);
    }
    // Without paths in the settings, the whole project is read.
    if folders.contains_key("") {
        return Vec::new();
    }
    folders.into_values().map(str::to_owned).collect()
}

/// Returns descriptions of the formats that were recognised only by the shape of their calls: one for the files of a folder that are alike.
fn find_formats(input: &ReadFiles) -> Vec<RecordingFormat> {
    /// More are of a collection of formats, and would hide the other settings.
    const MAX_FORMATS: usize = 5;
    let mut formats: Vec<RecordingFormat> = Vec::new();
    let mut described = Formats::default();
    // What a damaged file is seen to contain may be only a part of its calls.
    let is_unnamed = |item: &Item| {
        item.foreign.is_some_and(|f| f.format == ForeignFormat::Recorded)
            && !item.problems.iter().any(|problem| problem.rule.hides_content())
    };
    for (number, item) in input.numbered().filter(|(_, item)| is_unnamed(item)) {
        if formats.len() == MAX_FORMATS || described.of(item.root_path()).is_some() {
            continue;
        }
        let Ok(format) = guess_format(&input.project, number, item) else { continue };
        described.add(format.clone());
        let settings = input.project.settings();
        let is_described = settings.is_some_and(|known| known.formats.describes(item.root_path()));
        if !is_described && format.pointers.as_ref().is_some_and(|p| p.fault().is_none()) {
            formats.push(format);
        }
    }
    formats
}

/// Returns the deepest folder that contains both.
fn common_folder<'a>(a: &'a str, b: &str) -> &'a str {
    let mut end = 0;
    for (part, other) in a.split('/').zip(b.split('/')) {
        if part != other {
            break;
        }
        end += part.len() + 1;
    }
    // `end` is after the slash of the last common part.
    a.get(..end.saturating_sub(1)).unwrap_or(a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_common_folder_ends_between_names() {
        assert_eq!(common_folder("a/b/c", "a/b/d"), "a/b");
        assert_eq!(common_folder("a/bc", "a/b"), "a");
        assert_eq!(common_folder("a", "a"), "a");
        assert_eq!(common_folder("a/b", "a/b/c"), "a/b");
    }
}
