//! Report of `retake edit` about many places.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{EditArgs, MadeEdit};
use crate::output::{Output, OutputStyle, shown, shown_path};
use crate::report_error;
use author::replace::{ChangeGroup, PlaceChange, ReplacePlace, group_changes};
use document::edit::EditRefusal;
use document::text::{Place, count};

/// The changed places of one file.
pub(super) struct ChangedFile {
    pub(super) path: String,
    pub(super) places: Vec<ReplacePlace>,
}

/// The result for all files.
#[derive(Default)]
pub(super) struct EditReport {
    pub(super) files: Vec<ChangedFile>,
    /// Refusals, each with the path of its file.
    pub(super) refused: Vec<(String, EditRefusal)>,
}

impl EditReport {
    /// Adds a file of which nothing was changed.
    pub(super) fn refuse_file(&mut self, path: String, reason: String) {
        // A file that cannot be read or written has no better place.
        let place = Place::START;
        self.refused.push((path, EditRefusal { reason, place }));
    }

    fn groups(&self) -> Vec<ChangeGroup<'_>> {
        group_changes(self.files.iter().map(|file| (&*file.path, &*file.places)))
    }

    fn places(&self) -> usize {
        self.files.iter().map(|file| file.places.len()).sum()
    }

    pub(super) fn write(&self, output: &mut Output, arguments: &EditArgs) -> io::Result<()> {
        if arguments.many.json {
            return output.document(&EditDocument::new(self));
        }
        if arguments.dry_run {
            for group in self.groups() {
                write_group(output, &group)?;
            }
        } else {
            for file in &self.files {
                let places = count(file.places.len(), "place");
                output.line(&format!("{}: {places}", shown_path(&file.path)))?;
            }
        }
        if self.files.is_empty() {
            return Ok(());
        }
        output.line(&extent(self.places(), self.files.len()))
    }

    /// Reports what was refused.
    pub(super) fn report_refused(&self) {
        for (path, EditRefusal { reason, place }) in &self.refused {
            report_error(&format!("{}:{place}: {reason}", shown_path(path)));
        }
    }
}

fn extent(places: usize, files: usize) -> String {
    format!("{} in {}", count(places, "place"), count(files, "file"))
}

/// Maximum number of listed places of one file.
const MAX_PLACES: usize = 8;

/// Writes a change, and where it is made.
fn write_group(output: &mut Output, group: &ChangeGroup<'_>) -> io::Result<()> {
    let PlaceChange { old, new } = group.change;
    let change = match new {
        Some(new) => format!("{} → {}", short(old), short(new)),
        None => format!("{} removed", short(old)),
    };
    let change = output.styled(OutputStyle::Strong, &change);
    let extent = extent(group.places(), group.files.len());
    output.line(&format!("{change}: {extent}"))?;
    for (path, places) in &group.files {
        let mut positions: Vec<String> =
            places.iter().take(MAX_PLACES).map(|place| place.place.to_string()).collect();
        if let Some(more @ 1..) = places.len().checked_sub(MAX_PLACES) {
            positions.push(format!("and {more} more"));
        }
        let positions = positions.join(", ");
        let positions = output.styled(OutputStyle::Quiet, &positions);
        output.line(&format!("  {}  {positions}", shown_path(path)))?;
    }
    Ok(())
}

/// The beginning of a value, on one line.
fn short(json: &str) -> String {
    const MAX_CHARS: usize = 80;
    let text = shown(json);
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into_owned(),
    }
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EditDocument<'a> {
    changes: Vec<ChangeJson<'a>>,
    files: usize,
    places: usize,
    refused: Vec<RefusedJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct ChangeJson<'a> {
    /// What was done, of an edit of a single file.
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<&'a str>,
    /// Missing if the value is inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    old: Option<Value>,
    /// Missing if the value is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    new: Option<Value>,
    places: Vec<PlaceJson<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct PlaceJson<'a> {
    path: &'a str,
    pointer: &'a str,
    line: u32,
    column: u32,
}

#[derive(Serialize, JsonSchema)]
struct RefusedJson<'a> {
    path: &'a str,
    line: u32,
    column: u32,
    reason: &'a str,
}

/// A value for the document. What no JSON reader of Rust holds, such as half a surrogate pair, is printed as it is written.
fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_else(|_| json.into())
}

impl<'a> PlaceJson<'a> {
    fn new(path: &'a str, pointer: &'a str, Place { line, column }: Place) -> Self {
        Self { path, pointer, line, column }
    }
}

impl<'a> EditDocument<'a> {
    /// The edits of a single file, in the order in which they were made.
    pub(super) fn of_one(path: &'a str, edits: &'a [MadeEdit], has_changed: bool) -> Self {
        let changes = edits.iter().map(|edit| ChangeJson {
            edit: Some(&edit.description),
            old: edit.old.as_deref().map(value),
            new: edit.new.as_deref().map(value),
            places: vec![PlaceJson::new(path, &edit.pointer, edit.place)],
        });
        Self {
            changes: changes.collect(),
            files: usize::from(has_changed),
            places: edits.len(),
            refused: Vec::new(),
        }
    }

    fn new(report: &'a EditReport) -> Self {
        let refusals = report.refused.iter().map(|(path, refusal)| RefusedJson {
            path,
            line: refusal.place.line,
            column: refusal.place.column,
            reason: &refusal.reason,
        });
        Self {
            changes: report.groups().iter().map(ChangeJson::new).collect(),
            files: report.files.len(),
            places: report.places(),
            refused: refusals.collect(),
        }
    }
}

impl<'a> ChangeJson<'a> {
    fn new(group: &ChangeGroup<'a>) -> Self {
        let places = group.files.iter().flat_map(|(path, places)| {
            places.iter().map(|place| PlaceJson::new(path, &place.pointer, place.place))
        });
        Self {
            edit: None,
            old: Some(value(&group.change.old)),
            new: group.change.new.as_deref().map(value),
            places: places.collect(),
        }
    }
}
