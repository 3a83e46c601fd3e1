//! Texts of a comparison of two tapes: the candidates, the differences, and the text around one difference.

use std::ops::Range;
use std::path::Path;

use crate::ops::diff::word_diff::marks;
use crate::ops::tape::overlay::{
    ComparedTake, DifferingSteps, OverlayStep, Relation, TapeSimilarity,
};
use crate::ops::tape::prepared_tape::PreparedTape;
use crate::ops::tape::text::TapeText;
use crate::ops::tape::timing::{MILLISECOND, TapePace};
use crate::text::{counted, thousands, visible, visible_lines};
use crate::ui::tapes::data::{format_seconds, one_line, summary};
use crate::workbench::{CompareAction, ComparedTape, DocId, Library, TapesDesk};

/// How much text is shown before and after a difference, in bytes and in steps.
const AROUND_BYTES: usize = 900;
const AROUND_STEPS: usize = 60;
/// Texts longer than this are not compared word by word.
const LONGEST: usize = 4096;

/// Describes how far each of two tapes is, given how many of its chunks have arrived, and which one is ahead.
pub(super) fn describe_progress(
    played: [(&PreparedTape, usize); 2],
    pace: TapePace,
) -> [String; 2] {
    let chars = played.map(|(tape, arrived)| tape.timeline(pace).column(0..arrived).chars);
    [0, 1].map(|side| {
        let (tape, arrived) = played[side];
        let schedule = tape.schedule(pace);
        let progress = if arrived < schedule.len() {
            let (arrived, all) = (thousands(arrived), thousands(schedule.len()));
            format!("{arrived} of {all} chunks")
        } else {
            format!("ended at {} s", format_seconds(schedule.total_nanos()))
        };
        match chars[side].saturating_sub(chars[1 - side]) {
            0 => progress,
            ahead => {
                let ahead = counted(ahead, "character", "characters");
                format!("{progress}, {ahead} ahead")
            }
        }
    })
}

/// The candidates for a comparison, and the search text.
#[derive(Debug, Default)]
pub(super) struct TakeChooser {
    pub(super) typed: String,
    pub(super) selected: usize,
    rows: Vec<TakeChoice>,
    made_from: Option<ChooserInputs>,
}

/// Inputs from which the list was built; it is rebuilt when one changes.
#[derive(Debug, PartialEq)]
struct ChooserInputs {
    items: u64,
    typed: String,
    candidates: Vec<(DocId, TapeSimilarity)>,
    is_committed: bool,
}

/// A tape that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TakeChoice {
    pub(super) name: String,
    /// Path and duration.
    pub(super) facts: String,
    /// Why it is a likely candidate; empty if there is no reason.
    pub(super) similarity: &'static str,
    pub(super) action: CompareAction,
}

impl TakeChooser {
    /// Returns the candidates that match the search text; rebuilds the list only if its inputs changed.
    pub(super) fn rows(&mut self, desk: &TapesDesk, library: &Library) -> &[TakeChoice] {
        let made_from = Some(ChooserInputs {
            items: library.items_revision,
            typed: self.typed.clone(),
            candidates: desk.comparison.candidates.to_vec(),
            is_committed: desk.comparison.is_committed,
        });
        if self.made_from != made_from {
            self.made_from = made_from;
            self.rows = choices(desk, library, &self.typed);
        }
        self.selected = self.selected.min(self.rows.len().saturating_sub(1));
        &self.rows
    }
}

fn choices(desk: &TapesDesk, library: &Library, typed: &str) -> Vec<TakeChoice> {
    let head = desk.comparison.is_committed.then(|| TakeChoice {
        name: "The tape at HEAD".to_owned(),
        facts: "this file as last committed".to_owned(),
        similarity: "same file",
        action: CompareAction::CompareWith(ComparedTape::Head),
    });
    let open = desk.comparison.candidates.iter().filter_map(|(doc, similarity)| {
        let item = library.get(*doc)?;
        let long = summary(item.duration_nanos, item.chunks);
        Some(TakeChoice {
            name: visible(item.label()).into_owned(),
            facts: format!("{}, {long}", visible(&item.root_path)),
            similarity: similarity.describe(),
            action: CompareAction::CompareWith(ComparedTape::Open(*doc)),
        })
    });
    let typed = typed.to_lowercase();
    let fits = |choice: &TakeChoice| {
        let haystack = format!("{} {}", choice.name, choice.facts).to_lowercase();
        typed.split_whitespace().all(|word| haystack.contains(word))
    };
    open.chain(head).filter(fits).collect()
}

/// Returns the display name of the other tape.
pub(super) fn take_name(take: &ComparedTape, library: &Library) -> String {
    match take {
        ComparedTape::Open(doc) => match library.get(*doc) {
            Some(item) => visible(item.label()).into_owned(),
            None => "a tape that is no longer open".to_owned(),
        },
        ComparedTape::Head => "the tape at HEAD".to_owned(),
        ComparedTape::File(path) => {
            let name = path.file_name().map(Path::new).unwrap_or(path);
            visible(&name.to_string_lossy()).into_owned()
        }
    }
}

/// Parses a tolerance in milliseconds and returns nanoseconds.
pub(super) fn parse_tolerance(typed: &str) -> Option<f64> {
    let millis: f64 = typed.trim().parse().ok()?;
    (millis.is_finite() && millis >= 0.0).then_some(millis * MILLISECOND)
}

/// The main kind of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DifferenceSign {
    Text,
    Chunks,
    Time,
}

impl DifferenceSign {
    pub(super) fn for_step(step: &OverlayStep) -> Self {
        match step.relation {
            Relation::Changed => Self::Text,
            Relation::Recut => Self::Chunks,
            Relation::Same => Self::Time,
        }
    }
}

/// A row of the table of differences.
#[derive(Debug, PartialEq)]
pub(super) struct DifferenceRow {
    pub(super) at: String,
    /// Chunk numbers in this tape and in the other tape.
    pub(super) chunks: [String; 2],
    pub(super) summary: String,
    pub(super) text: String,
    pub(super) sign: DifferenceSign,
}

/// Returns the row of the difference with this index, from 0.
pub(super) fn difference_row(
    tape: &PreparedTape,
    takes: &ComparedTake,
    differing: &DifferingSteps,
    index: usize,
    pace: TapePace,
) -> Option<DifferenceRow> {
    let step = takes.steps().get(*differing.steps().get(index)?)?;
    let [ours, _] = takes.time_ranges(tape, step, pace);
    let texts = texts_of(tape, takes, step).map(one_line);
    let text = match (step.relation, &*texts[0], &*texts[1]) {
        (Relation::Changed, "", right) => right.to_owned(),
        (Relation::Changed, left, "") => left.to_owned(),
        (Relation::Changed, left, right) => format!("{left} → {right}"),
        (_, "", right) => right.to_owned(),
        (_, left, _) => left.to_owned(),
    };
    Some(DifferenceRow {
        at: format_seconds(ours.from_nanos),
        chunks: [chunk_numbers(&step.left), chunk_numbers(&step.right)],
        summary: step.describe(differing.tolerance_nanos()),
        text,
        sign: DifferenceSign::for_step(step),
    })
}

/// Formats chunk numbers, counted from 1.
fn chunk_numbers(chunks: &Range<usize>) -> String {
    match chunks.len() {
        0 => "none".to_owned(),
        1 => thousands(chunks.end),
        _ => format!("{}–{}", thousands(chunks.start + 1), thousands(chunks.end)),
    }
}

fn texts_of<'a>(
    tape: &'a PreparedTape,
    takes: &'a ComparedTake,
    step: &OverlayStep,
) -> [&'a str; 2] {
    [text_of(tape.text(), &step.left), text_of(takes.other().text(), &step.right)]
}

fn text_of<'a>(text: &'a TapeText, chunks: &Range<usize>) -> &'a str {
    if chunks.is_empty() {
        return "";
    }
    let (from, to) = (text.range(chunks.start).start, text.range(chunks.end - 1).end);
    text.text().get(from..to).unwrap_or_default()
}

/// A piece of one tape's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextPiece {
    pub(super) text: String,
    /// Only this tape contains the piece.
    pub(super) is_marked: bool,
    /// The piece belongs to the selected difference.
    pub(super) is_here: bool,
    /// A chunk ends here, but not in the other tape.
    pub(super) ends_chunk: bool,
}

/// The texts of both tapes around a difference, compared word by word.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TextPair {
    pub(super) sides: [Vec<TextPiece>; 2],
}

impl TextPair {
    /// Returns the texts around a step, given its index in [`ComparedTake::steps`].
    pub(super) fn around_step(tape: &PreparedTape, takes: &ComparedTake, at: usize) -> Self {
        let steps = takes.steps();
        let len = |step: &OverlayStep| {
            let texts = texts_of(tape, takes, step);
            texts[0].len().max(texts[1].len())
        };
        let mut bytes = 0;
        let mut is_near = |step: &&OverlayStep| {
            bytes += len(step);
            bytes <= AROUND_BYTES
        };
        let before = steps[..at].iter().rev().take(AROUND_STEPS);
        let first = at - before.take_while(&mut is_near).count();
        bytes = 0;
        let mut is_near = |step: &&OverlayStep| {
            bytes += len(step);
            bytes <= AROUND_BYTES
        };
        let behind = steps.get(at + 1..).unwrap_or_default().iter().take(AROUND_STEPS);
        let end = (at + 1 + behind.take_while(&mut is_near).count()).min(steps.len());
        let mut texts = Self::default();
        let shown = steps.iter().enumerate().take(end).skip(first);
        for (index, step) in shown {
            texts.push(tape, takes, step, index == at);
        }
        texts
    }

    fn push(
        &mut self,
        tape: &PreparedTape,
        takes: &ComparedTake,
        step: &OverlayStep,
        is_here: bool,
    ) {
        let [left, right] = texts_of(tape, takes, step);
        let piece = |text: &str, is_marked, ends_chunk| TextPiece {
            text: visible_lines(text),
            is_marked,
            is_here,
            ends_chunk,
        };
        match step.relation {
            Relation::Same => {
                for side in &mut self.sides {
                    side.push(piece(left, false, false));
                }
            }
            Relation::Recut => {
                let sides = [(tape, &step.left), (takes.other(), &step.right)];
                for (side, (tape, chunks)) in self.sides.iter_mut().zip(sides) {
                    let text = tape.text();
                    let cuts = chunks.clone().map(|chunk| {
                        let text = text.text().get(text.range(chunk)).unwrap_or_default();
                        piece(text, false, true)
                    });
                    side.extend(cuts);
                }
            }
            Relation::Changed => {
                let ends = [left, right].map(|text| text.floor_char_boundary(LONGEST));
                let spans = marks(&left[..ends[0]], &right[..ends[1]]);
                let sides = [(left, spans.0, ends[0]), (right, spans.1, ends[1])];
                for (side, (text, spans, end)) in self.sides.iter_mut().zip(sides) {
                    let mut from = 0;
                    for span in &spans {
                        let range = span.range();
                        side.push(piece(&text[from..range.start], false, false));
                        side.push(piece(&text[range.clone()], true, false));
                        from = range.end;
                    }
                    side.push(piece(&text[from..end], false, false));
                    if end < text.len() {
                        side.push(piece(" …", false, false));
                    }
                }
            }
        }
        for side in &mut self.sides {
            side.retain(|piece| !piece.text.is_empty() || piece.ends_chunk);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::format::read;
    use crate::text::Source;

    fn prepared_tape(chunks: &[(f64, &str)]) -> PreparedTape {
        let chunk = |(delay, text): &(f64, &str)| {
            let text = serde_json::Value::from(*text);
            format!("{{\"delayNs\": {delay}, \"text\": {text}}}")
        };
        let stream: Vec<String> = chunks.iter().map(chunk).collect();
        let text = format!(
            "{{\"meta\": {{\"model\": \"m\", \"recordedAt\": \"t\"}}, \"request\": {{}}, \"stream\": [{}]}}",
            stream.join(",")
        );
        PreparedTape::new(Arc::new(read(Source::new(text), "tape.json"))).unwrap()
    }

    fn takes() -> (PreparedTape, ComparedTake) {
        let ours =
            prepared_tape(&[(5e6, "It runs"), (1e6, " on Tues"), (1e6, "day"), (1e6, " at noon")]);
        let theirs =
            prepared_tape(&[(9e6, "It runs"), (1e6, " on"), (1e6, " Tuesday"), (1e6, " at two")]);
        let other = Arc::clone(theirs.document());
        let takes = ComparedTake::new(ours.tape().unwrap(), other).unwrap();
        (ours, takes)
    }

    #[test]
    fn every_difference_is_a_row() {
        let (ours, takes) = takes();
        let differing = takes.find_differing(1e6);
        let rows = (0..differing.steps().len()).map(|index| {
            let row = difference_row(&ours, &takes, &differing, index, TapePace::Recorded).unwrap();
            let [left, right] = &row.chunks;
            format!("{} {left} | {right} {:?}: {} {}", row.at, row.sign, row.summary, row.text)
        });
        insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @"
        0.005 1 | 1 Time: 4 ms slower It runs
        0.006 2–3 | 2–3 Chunks: re-chunked ·on Tuesday
        0.008 4 | 4 Text: text changed ·at noon → ·at two
        ");
    }

    #[test]
    fn both_texts_mark_their_differences_and_chunk_ends() {
        let (ours, takes) = takes();
        let texts = TextPair::around_step(&ours, &takes, 2);
        let side = |pieces: &Vec<TextPiece>| {
            let piece = |piece: &TextPiece| {
                let text =
                    if piece.is_marked { format!("[{}]", piece.text) } else { piece.text.clone() };
                let end = if piece.ends_chunk { "|" } else { "" };
                let here = if piece.is_here { "*" } else { "" };
                format!("{here}{text}{end}")
            };
            pieces.iter().map(piece).collect::<String>()
        };
        insta::assert_snapshot!(texts.sides.each_ref().map(side).join("\n"), @"
        It runs on Tues|day|* at *[noon]
        It runs on| Tuesday|* at *[two]
        ");
    }

    #[test]
    fn a_tolerance_is_typed_in_milliseconds() {
        assert_eq!(
            ["2.5", "0", "-1", "x"].map(parse_tolerance),
            [Some(2.5e6), Some(0.0), None, None]
        );
    }
}
