//! Finds the source that a recording was made from, among several.

use std::fmt;

use document::files::file_name;
use document::recording::Recording;
use document::text;
use document::text::quoted;

/// A source that a recording may have been made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceCandidate {
    /// Its path from the project root, joined with `/`.
    pub path: Box<str>,
    /// The hash of its text.
    pub hash: Box<str>,
    /// The title of its machine.
    pub title: Option<Box<str>>,
}

/// Traces that lead from a recording to its source.
#[derive(Clone, Copy, Debug, Default)]
pub struct SourceTraces<'a> {
    /// `sourceMetadata.sourceFile`
    pub file: Option<&'a str>,
    /// `sourceMetadata.contentHash`
    pub hash: Option<&'a str>,
    /// `request.context.machineTitle`
    pub title: Option<&'a str>,
    /// The name of the recording's folder.
    pub set: &'a str,
}

impl<'a> SourceTraces<'a> {
    /// Collects the traces of a recording in a set.
    pub fn new(recording: &'a Recording, set: &'a str) -> Self {
        let metadata = recording.source.as_ref().map(|field| &field.value);
        Self {
            file: metadata.and_then(|metadata| text(&metadata.file)),
            hash: metadata.and_then(|metadata| text(&metadata.hash)),
            title: text(&recording.request.machine_title),
            set,
        }
    }
}

/// Reason for which no source was chosen. Displays a sentence without a full stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undecided {
    /// No source fits.
    None,
    /// Several do: their paths.
    Several(Vec<Box<str>>),
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str(
                "No source matches the title of its machine, the name of its folder or the stamped path",
            ),
            Self::Several(paths) => {
                let paths: Vec<_> = paths.iter().map(|path| quoted(path)).collect();
                write!(f, "Several sources match: {}", paths.join(", "))
            }
        }
    }
}

/// Chooses the source that was stamped, by its path or by its text, if it is there; else the one to which everything points
/// that points anywhere: the name of the file that was stamped, the title of the machine, the name of the folder.
///
/// Never guesses: if two match equally well, or two traces differ, nothing is chosen.
///
/// # Errors
///
/// Returns an error if none or several fit.
pub fn choose(
    candidates: &[SourceCandidate],
    traces: SourceTraces<'_>,
) -> Result<usize, Undecided> {
    let find_indices = |fits: &dyn Fn(&SourceCandidate) -> bool| -> Vec<usize> {
        candidates.iter().enumerate().filter(|(_, c)| fits(c)).map(|(index, _)| index).collect()
    };
    let is_stamped: [&dyn Fn(&SourceCandidate) -> bool; 2] =
        [&|c| traces.file == Some(&c.path), &|c| traces.hash == Some(&c.hash)];
    // A path or a hash that was stamped decides alone; names are only compared where neither is found.
    for fits in is_stamped {
        if let [index] = find_indices(fits)[..] {
            return Ok(index);
        }
    }
    // A trace that leads to no source says nothing against those that do, so it is left out below.
    let mut ways = vec![
        find_indices(&|c| traces.file.is_some_and(|file| file_name(file) == file_name(&c.path))),
        find_indices(&|c| traces.title.is_some() && traces.title == c.title.as_deref()),
        find_indices(&|c| stem(&c.path) == traces.set),
    ];
    ways.retain(|way| !way.is_empty());
    let mut indices: Vec<usize> = ways.concat();
    indices.sort_unstable();
    indices.dedup();
    let mut common_indices = indices.iter().filter(|i| ways.iter().all(|way| way.contains(i)));
    match (common_indices.next(), common_indices.next()) {
        (Some(index), None) => Ok(*index),
        _ if indices.is_empty() => Err(Undecided::None),
        _ => {
            let paths = indices.iter().map(|i| candidates[*i].path.clone());
            Err(Undecided::Several(paths.collect()))
        }
    }
}

fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(traces: SourceTraces<'_>) -> String {
        let candidate = |(path, title): (&str, &str)| SourceCandidate {
            path: path.into(),
            hash: path.len().to_string().into(),
            title: Some(title.into()),
        };
        let candidates = [
            ("m/triage.dygram", "Triage"),
            ("m/old/triage.dygram", "Triage"),
            ("m/close.mach", "Close a ticket"),
            ("m/shop.dy", "Close a ticket"),
        ]
        .map(candidate);
        match choose(&candidates, traces) {
            Ok(index) => candidates[index].path.to_string(),
            Err(undecided) => undecided.to_string(),
        }
    }

    #[test]
    fn a_source_is_chosen_where_all_traces_lead_to_one() {
        let none = SourceTraces::default();
        let table = [
            SourceTraces {
                file: Some("m/triage.dygram"),
                title: Some("Close a ticket"),
                set: "close",
                ..none
            },
            SourceTraces { set: "close", ..none },
            SourceTraces { title: Some("Close a ticket"), set: "shop", ..none },
            SourceTraces { title: Some("Close a ticket"), ..none },
            SourceTraces { title: Some("Triage"), set: "shop", ..none },
            SourceTraces { file: Some("gone/triage.dygram"), ..none },
            SourceTraces { file: Some("gone/close.mach"), set: "unknown", ..none },
            SourceTraces { file: Some("gone/shop.dy"), hash: Some("12"), ..none },
            SourceTraces { title: Some("No such"), set: "unknown", ..none },
        ];
        let lines: Vec<String> = table.into_iter().map(chosen).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        m/triage.dygram
        m/close.mach
        m/shop.dy
        Several sources match: `m/close.mach`, `m/shop.dy`
        Several sources match: `m/triage.dygram`, `m/old/triage.dygram`, `m/shop.dy`
        Several sources match: `m/triage.dygram`, `m/old/triage.dygram`
        m/close.mach
        m/close.mach
        No source matches the title of its machine, the name of its folder or the stamped path
        ");
    }
}
