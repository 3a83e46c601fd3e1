//! Describes the differences within a section, by its labelled parts.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{
    CallSection, ChangeSign, DescriptionPart, DifferenceTarget, DifferenceWeight,
    RecordingDifference, SectionKind, SectionLabel, name, only, plain,
};
use crate::signature::short;
use document::diff::Side;
use document::diff::text::DiffSize;
use document::text::upper_first;

/// Returns the differences within a section: one for each changed labelled part. `lone` are the tools on only one side,
/// which are already reported.
pub(super) fn of_section(
    index: usize,
    section: &CallSection,
    lone: &[HashSet<&str>; 2],
    all: &mut Vec<RecordingDifference>,
) {
    let [left, right] = &section.notes;
    let sides = Side::BOTH.map(|side| {
        !section.diff.source(side).text().is_empty() || section.pointers[side as usize].is_some()
    });
    let [left_pointer, right_pointer] = &section.pointers;
    let pointer = right_pointer.clone().or(left_pointer.clone()).unwrap_or_default();
    if let [true, false] | [false, true] = sides {
        let (side, note) = if sides[0] { (Side::Left, left) } else { (Side::Right, right) };
        if section.kind == SectionKind::Tool && lone[side as usize].contains(note.as_str()) {
            return;
        }
        if let Some(words) = one_sided(section, note, side) {
            all.push(RecordingDifference {
                description: words,
                pointer,
                weight: Some(DifferenceWeight::Ignored),
                sign: only(side),
                target: DifferenceTarget::Heading(index),
            });
            return;
        }
    }
    let names = (section.labels.each_ref())
        .map(|labels| labels.iter().map(|label| label.name.as_str()).collect());
    for part in parts(section) {
        let own = part.label.map(|label| label.pointer.clone());
        let (words, sign) = part.describe(section, &names);
        all.push(RecordingDifference {
            description: words,
            pointer: own.unwrap_or_else(|| pointer.clone()),
            weight: Some(DifferenceWeight::Ignored),
            sign,
            target: DifferenceTarget::Rows(index, part.rows),
        });
    }
}

/// Describes a section on only one side.
fn one_sided(section: &CallSection, note: &str, side: Side) -> Option<Vec<DescriptionPart>> {
    let only = plain(format!(", only {}", side.as_str()));
    Some(match section.kind {
        SectionKind::Tool => vec![plain("Offered tool "), name(short(note)), only],
        SectionKind::ToolCall => {
            let tool = section.diff.line(side, 1);
            vec![plain("Calls "), name(short(tool)), only]
        }
        SectionKind::Message => {
            // The note is a text such as `message 2 of 5`, whose total is not needed here.
            vec![plain(upper_first(note.split(" of ").next().unwrap_or("message"))), only]
        }
        SectionKind::System => vec![plain("System prompt"), only],
        SectionKind::Context => vec![plain("Context"), only],
        SectionKind::Reasoning | SectionKind::Answer => vec![plain(section.title), only],
        SectionKind::Timing | SectionKind::Other => return None,
    })
}

/// The changed rows of a section with one label.
struct ChangedSectionPart<'a> {
    heading: Option<&'a str>,
    label: Option<&'a SectionLabel>,
    rows: Vec<Range<usize>>,
    size: DiffSize,
}

fn parts(section: &CallSection) -> Vec<ChangedSectionPart<'_>> {
    let mut parts: Vec<ChangedSectionPart<'_>> = Vec::new();
    let mut indices = HashMap::new();
    for (row, diff_row) in section.diff.rows.iter().enumerate() {
        if diff_row.is_same() {
            continue;
        }
        let heading = section.diff.heading(row);
        let label = section.label(row);
        let index = *indices.entry((heading, label.map(|l| &l.name))).or_insert(parts.len());
        if index == parts.len() {
            let (rows, size) = Default::default();
            parts.push(ChangedSectionPart { heading, label, rows, size });
        }
        let part = &mut parts[index];
        part.size = part.size.and(section.diff.row_size(diff_row));
        match part.rows.last_mut() {
            Some(last) if last.end == row => last.end += 1,
            _ => part.rows.push(row..row + 1),
        }
    }
    parts
}

impl CallSection {
    /// Returns the labelled part of the text that contains a row.
    fn label(&self, row: usize) -> Option<&SectionLabel> {
        let row = self.diff.rows.get(row)?;
        // The right side first: it is the newer one.
        Side::BOTH.into_iter().rev().find_map(|side| {
            let number = row.number(side)?;
            let labels = &self.labels[side as usize];
            labels.get(labels.partition_point(|label| label.first_line <= number).checked_sub(1)?)
        })
    }

    /// Returns the value of a labelled part of one line.
    fn labelled_value(&self, side: Side, name: &str) -> Option<&str> {
        let label = self.labels[side as usize].iter().find(|label| label.name == name)?;
        let (_, value) = self.diff.line(side, label.first_line).split_once(": ")?;
        Some(value)
    }
}

impl ChangedSectionPart<'_> {
    fn describe(
        &self,
        section: &CallSection,
        names: &[HashSet<&str>; 2],
    ) -> (Vec<DescriptionPart>, ChangeSign) {
        let (size, sign) = match self.only(names) {
            Some(side) => (format!(", only {}", side.as_str()), only(side)),
            None => (format!(", {}", self.size), ChangeSign::Value),
        };
        let size = plain(size);
        let [left, right] = &section.notes;
        let note = if right.is_empty() { left } else { right };
        let label = self.label.map(|label| name(&label.name));
        let words = match (section.kind, label) {
            // The first line of a call is the name of the tool, which has no label.
            (SectionKind::ToolCall, None) => {
                let [old, new] = Side::BOTH.map(|side| section.diff.line(side, 1));
                let [old, new] = [old, new].map(|tool| name(short(tool)));
                return (
                    vec![plain("Calls "), new, plain(" instead of "), old],
                    ChangeSign::Replaced,
                );
            }
            (SectionKind::Timing, Some(DescriptionPart::Name(figure))) => {
                let [old, new] = Side::BOTH.map(|side| section.labelled_value(side, &figure));
                match (old, new) {
                    (Some(old), Some(new)) => {
                        vec![plain(figure + " "), name(new), plain(" instead of "), name(old)]
                    }
                    _ => vec![plain(figure), size],
                }
            }
            (SectionKind::ToolCall, Some(label)) => vec![plain("Input "), label, size],
            (SectionKind::Context, Some(label)) => vec![plain("Context "), label, size],
            (SectionKind::Tool, Some(label)) => {
                vec![plain("Offered tool "), name(short(note)), plain(": "), label, size]
            }
            (SectionKind::Other, Some(label)) => vec![plain("Field "), label, size],
            _ => {
                let what = match (self.heading, section.kind) {
                    (Some(heading), _) => heading.to_owned(),
                    (None, SectionKind::System) => "System prompt".to_owned(),
                    (None, SectionKind::Message) => {
                        upper_first(note.split(" of ").next().unwrap_or("message"))
                    }
                    (None, _) => section.title.to_owned(),
                };
                return (vec![plain(what), size], ChangeSign::Text);
            }
        };
        (words, sign)
    }

    /// Returns the side if only one has the labelled part; `names` are the labels of each side.
    fn only(&self, names: &[HashSet<&str>; 2]) -> Option<Side> {
        let label = self.label?;
        match names.each_ref().map(|names| names.contains(label.name.as_str())) {
            [true, false] => Some(Side::Left),
            [false, true] => Some(Side::Right),
            _ => None,
        }
    }
}
