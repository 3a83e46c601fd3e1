//! What is told of two takes, in words: the list to choose from, the steps that differ, the texts about one of them.

use std::ops::Range;
use std::path::Path;

use crate::ops::diff::thousands;
use crate::ops::diff::words::marks;
use crate::ops::tape::overlay::{Differing, Kinship, Relation, Step, Takes};
use crate::ops::tape::reel::Reel;
use crate::ops::tape::text::TapeText;
use crate::ops::tape::timing::{MILLISECOND, Pace};
use crate::text::{visible, visible_lines};
use crate::ui::tapes::data::{line, seconds, summary};
use crate::workbench::{DocId, Library, Take, TakesAction, TapesDesk};

/// How much text is shown before and behind a step, in bytes and in steps.
const AROUND_BYTES: usize = 900;
const AROUND_STEPS: usize = 60;
/// Longer texts are not compared by word.
const LONGEST: usize = 4096;

/// What is chosen from, and what was typed to find it.
#[derive(Debug, Default)]
pub(super) struct Choosing {
    pub(super) typed: String,
    pub(super) at: usize,
    rows: Vec<Choice>,
    made_from: Option<MadeFrom>,
}

/// What a list was made from.
#[derive(Debug, PartialEq)]
struct MadeFrom {
    items: u64,
    typed: String,
    candidates: Vec<(DocId, Kinship)>,
}

/// A take that can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Choice {
    pub(super) name: String,
    /// Where it is and how long.
    pub(super) facts: String,
    /// Why it is likely; empty where nothing speaks for it.
    pub(super) kinship: &'static str,
    pub(super) action: TakesAction,
}

impl Choosing {
    /// Lists what can be chosen and fits what was typed, where that is not listed already.
    pub(super) fn rows(&mut self, desk: &TapesDesk, library: &Library) -> &[Choice] {
        let made_from = Some(MadeFrom {
            items: library.items_revision(),
            typed: self.typed.clone(),
            candidates: desk.over().candidates().to_vec(),
        });
        if self.made_from != made_from {
            self.made_from = made_from;
            self.rows = choices(desk, library, &self.typed);
        }
        self.at = self.at.min(self.rows.len().saturating_sub(1));
        &self.rows
    }
}

fn choices(desk: &TapesDesk, library: &Library, typed: &str) -> Vec<Choice> {
    let head = Choice {
        name: "The tape at HEAD".to_owned(),
        facts: "this file as last committed".to_owned(),
        kinship: "same file",
        action: TakesAction::Lay(Take::Head),
    };
    let open = desk
        .over()
        .candidates()
        .iter()
        .filter_map(|(doc, kinship)| {
            let item = library.get(*doc)?;
            let long = summary(item.duration_nanos, item.chunks);
            Some(Choice {
                name: visible(item.label()).into_owned(),
                facts: format!("{}, {long}", visible(&item.root_path)),
                kinship: kinship.words(),
                action: TakesAction::Lay(Take::Open(*doc)),
            })
        });
    let typed = typed.to_lowercase();
    let fits = |choice: &Choice| {
        let said = format!("{} {}", choice.name, choice.facts).to_lowercase();
        typed.split_whitespace().all(|word| said.contains(word))
    };
    open.chain([head]).filter(fits).collect()
}

/// What another take is called.
pub(super) fn name(take: &Take, library: &Library) -> String {
    match take {
        Take::Open(doc) => match library.get(*doc) {
            Some(item) => visible(item.label()).into_owned(),
            None => "a tape that is no longer open".to_owned(),
        },
        Take::Head => "the tape at HEAD".to_owned(),
        Take::File(path) => {
            let name = path.file_name().map(Path::new).unwrap_or(path);
            visible(&name.to_string_lossy()).into_owned()
        }
    }
}

/// What was typed as a tolerance in milliseconds, in nanoseconds.
pub(super) fn tolerance(typed: &str) -> Option<f64> {
    let millis: f64 = typed.trim().parse().ok()?;
    (millis.is_finite() && millis >= 0.0).then_some(millis * MILLISECOND)
}

/// In which way a step differs most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Text,
    Chunks,
    Time,
}

impl Sign {
    pub(super) fn of(step: &Step) -> Self {
        match step.relation {
            Relation::Changed => Self::Text,
            Relation::Recut => Self::Chunks,
            Relation::Same => Self::Time,
        }
    }
}

/// A step that differs, as a row.
#[derive(Debug, PartialEq)]
pub(super) struct Row {
    pub(super) at: String,
    /// Which chunks of the tape, and which of the other take.
    pub(super) chunks: [String; 2],
    pub(super) what: String,
    pub(super) text: String,
    pub(super) sign: Sign,
}

/// The row of a difference, by its number from 0.
pub(super) fn row(
    reel: &Reel,
    takes: &Takes,
    differing: &Differing,
    index: usize,
    pace: Pace,
) -> Option<Row> {
    let step = takes.steps().get(*differing.steps().get(index)?)?;
    let [ours, _] = takes.stretches(reel, step, pace);
    let texts = texts_of(reel, takes, step).map(line);
    let text = match (step.relation, &*texts[0], &*texts[1]) {
        (Relation::Changed, "", right) => right.to_owned(),
        (Relation::Changed, left, "") => left.to_owned(),
        (Relation::Changed, left, right) => format!("{left} → {right}"),
        (_, "", right) => right.to_owned(),
        (_, left, _) => left.to_owned(),
    };
    Some(Row {
        at: seconds(ours.from_nanos),
        chunks: [numbers(&step.left), numbers(&step.right)],
        what: step.words(differing.tolerance_nanos()),
        text,
        sign: Sign::of(step),
    })
}

/// Chunks as people count them.
fn numbers(chunks: &Range<usize>) -> String {
    match chunks.len() {
        0 => "none".to_owned(),
        1 => thousands(chunks.end),
        _ => format!("{}–{}", thousands(chunks.start + 1), thousands(chunks.end)),
    }
}

fn texts_of<'a>(reel: &'a Reel, takes: &'a Takes, step: &Step) -> [&'a str; 2] {
    [
        text_of(reel.text(), &step.left),
        text_of(takes.other().text(), &step.right),
    ]
}

fn text_of<'a>(text: &'a TapeText, chunks: &Range<usize>) -> &'a str {
    if chunks.is_empty() {
        return "";
    }
    let (from, to) = (
        text.range(chunks.start).start,
        text.range(chunks.end - 1).end,
    );
    text.text().get(from..to).unwrap_or_default()
}

/// A stretch of one take's text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) text: String,
    /// Only this take says it so.
    pub(super) is_marked: bool,
    /// It belongs to the step that is looked at.
    pub(super) is_here: bool,
    /// A chunk ends with it where the other take cuts otherwise.
    pub(super) ends_chunk: bool,
}

/// Both texts about a step, by word.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Texts {
    pub(super) sides: [Vec<Piece>; 2],
}

impl Texts {
    /// The texts about a step, by its position in [`Takes::steps`].
    pub(super) fn about(reel: &Reel, takes: &Takes, at: usize) -> Self {
        let steps = takes.steps();
        let len = |step: &Step| {
            let texts = texts_of(reel, takes, step);
            texts[0].len().max(texts[1].len())
        };
        let mut bytes = 0;
        let mut is_near = |step: &&Step| {
            bytes += len(step);
            bytes <= AROUND_BYTES
        };
        let before = steps[..at].iter().rev().take(AROUND_STEPS);
        let first = at - before.take_while(&mut is_near).count();
        bytes = 0;
        let mut is_near = |step: &&Step| {
            bytes += len(step);
            bytes <= AROUND_BYTES
        };
        let behind = steps
            .get(at + 1..)
            .unwrap_or_default()
            .iter()
            .take(AROUND_STEPS);
        let end = (at + 1 + behind.take_while(&mut is_near).count()).min(steps.len());
        let mut texts = Self::default();
        let shown = steps.iter().enumerate().take(end).skip(first);
        for (index, step) in shown {
            texts.push(reel, takes, step, index == at);
        }
        texts
    }

    fn push(&mut self, reel: &Reel, takes: &Takes, step: &Step, is_here: bool) {
        let [left, right] = texts_of(reel, takes, step);
        let piece = |text: &str, is_marked, ends_chunk| Piece {
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
                let sides = [(reel, &step.left), (takes.other(), &step.right)];
                for (side, (reel, chunks)) in self.sides.iter_mut().zip(sides) {
                    let text = reel.text();
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

    fn reel(chunks: &[(f64, &str)]) -> Reel {
        let chunk = |(delay, text): &(f64, &str)| {
            let text = serde_json::Value::from(*text);
            format!("{{\"delayNs\": {delay}, \"text\": {text}}}")
        };
        let stream: Vec<String> = chunks.iter().map(chunk).collect();
        let text = format!(
            "{{\"meta\": {{\"model\": \"m\", \"recordedAt\": \"t\"}}, \"request\": {{}}, \"stream\": [{}]}}",
            stream.join(",")
        );
        Reel::of(Arc::new(read(Source::new(text), "tape.json"))).unwrap()
    }

    fn takes() -> (Reel, Takes) {
        let ours = reel(&[
            (5e6, "It runs"),
            (1e6, " on Tues"),
            (1e6, "day"),
            (1e6, " at noon"),
        ]);
        let theirs = reel(&[
            (9e6, "It runs"),
            (1e6, " on"),
            (1e6, " Tuesday"),
            (1e6, " at two"),
        ]);
        let other = Arc::clone(theirs.document());
        let takes = Takes::over(ours.tape().unwrap(), other).unwrap();
        (ours, takes)
    }

    #[test]
    fn every_step_that_differs_is_a_row() {
        let (ours, takes) = takes();
        let differing = takes.differing(1e6);
        let rows = (0..differing.steps().len()).map(|index| {
            let row = row(&ours, &takes, &differing, index, Pace::Recorded).unwrap();
            let [left, right] = &row.chunks;
            format!(
                "{} {left} | {right} {:?}: {} {}",
                row.at, row.sign, row.what, row.text
            )
        });
        insta::assert_snapshot!(rows.collect::<Vec<_>>().join("\n"), @"
        0.005 1 | 1 Time: 4 ms slower It runs
        0.006 2–3 | 2–3 Chunks: re-chunked ·on Tuesday
        0.008 4 | 4 Text: text changed ·at noon → ·at two
        ");
    }

    #[test]
    fn both_texts_show_what_only_one_says_and_where_each_is_cut() {
        let (ours, takes) = takes();
        let texts = Texts::about(&ours, &takes, 2);
        let side = |pieces: &Vec<Piece>| {
            let piece = |piece: &Piece| {
                let text = if piece.is_marked {
                    format!("[{}]", piece.text)
                } else {
                    piece.text.clone()
                };
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
            ["2.5", "0", "-1", "x"].map(tolerance),
            [Some(2.5e6), Some(0.0), None, None]
        );
    }
}
