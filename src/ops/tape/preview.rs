//! The text of a tape in recorded time, small enough to be kept for each tape of a list.

use super::text::TapeText;
use super::timeline::{TimeRange, Timeline};
use super::timing::SECOND;

/// The most steps. Of a tape with more chunks, those that arrive close to each other are one step.
const MAX_STEPS: usize = 1000;
/// The most bytes that are kept of the end of a step.
const MAX_STEP_BYTES: usize = 300;
/// How long the whole text is shown before it begins again, in seconds.
const REST_SECONDS: f64 = 1.5;

/// The text of a tape in recorded time, on one line: line ends and repeated spaces are one space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TapePreview {
    text: String,
    steps: Vec<PreviewStep>,
}

/// What arrives at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
struct PreviewStep {
    /// In nanoseconds since the start of the call.
    nanos: f64,
    /// Where the text ends.
    bytes: usize,
}

/// What a preview shows at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PreviewMoment {
    /// How many steps have arrived.
    pub steps: usize,
    /// How often the whole text was typed and shown before.
    pub rounds: usize,
    /// The time until this changes.
    pub seconds_to_next: f64,
}

impl TapePreview {
    /// Makes the preview of a tape.
    pub fn new(timeline: &Timeline, text: &TapeText) -> Self {
        let schedule = timeline.schedule();
        let mut preview = Self::default();
        if schedule.len() <= MAX_STEPS {
            for chunk in 0..schedule.len() {
                let range = text.range(chunk);
                preview.add(schedule.arrival_nanos(chunk), text.text().get(range));
            }
            return preview;
        }
        let whole = TimeRange { from_nanos: 0.0, to_nanos: schedule.total_nanos() };
        for column in timeline.columns(whole, MAX_STEPS) {
            let chunks = column.chunks;
            if let Some(last) = chunks.end.checked_sub(1).filter(|_| !chunks.is_empty()) {
                let range = text.range(chunks.start).start..text.range(last).end;
                preview.add(schedule.arrival_nanos(last), text.text().get(range));
            }
        }
        preview
    }

    fn add(&mut self, nanos: f64, text: Option<&str>) {
        let text = text.unwrap_or_default();
        let end = text.ceil_char_boundary(text.len().saturating_sub(MAX_STEP_BYTES));
        for letter in text[end..].chars() {
            let is_space = letter.is_whitespace() || letter.is_control();
            if is_space && (self.text.is_empty() || self.text.ends_with(' ')) {
                continue;
            }
            self.text.push(if is_space { ' ' } else { letter });
        }
        self.steps.push(PreviewStep { nanos, bytes: self.text.len() });
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether nothing arrives.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns what is shown after some seconds: it begins when the first step arrives, ends when the last one does, and begins
    /// again after a rest.
    pub fn moment(&self, seconds: f64) -> PreviewMoment {
        let (first, last) = (self.nanos(1), self.nanos(self.len()));
        let round = (last - first) / SECOND + REST_SECONDS;
        let seconds = seconds.max(0.0);
        let at = seconds % round;
        let steps = self.steps.partition_point(|step| (step.nanos - first) / SECOND <= at);
        let next = match self.steps.get(steps) {
            Some(step) => (step.nanos - first) / SECOND,
            None => round,
        };
        PreviewMoment { steps, rounds: (seconds / round) as usize, seconds_to_next: next - at }
    }

    /// Returns when the last of some steps arrives, in nanoseconds since the start of the call.
    pub fn nanos(&self, steps: usize) -> f64 {
        self.last_of(steps).map_or(0.0, |step| step.nanos)
    }

    /// Returns when the last of some steps arrives, as a share of the whole tape from 0 to 1.
    pub fn share(&self, steps: usize) -> f32 {
        (self.nanos(steps) / self.nanos(self.len()).max(1.0)) as f32
    }

    /// Returns the line that is being typed once some steps have arrived, in lines of `columns` characters. A line begins at
    /// the start of a word, unless the word is longer than a line; a space at its end may be beyond its last column.
    pub fn line(&self, steps: usize, columns: usize) -> &str {
        let Some(step) = self.last_of(steps) else {
            return "";
        };
        let text = self.text.get(..step.bytes).unwrap_or_default();
        let (mut line, mut typed) = (0, 0);
        let (mut word, mut typed_of_word) = (0, 0);
        for (at, letter) in text.char_indices() {
            if letter == ' ' {
                (word, typed_of_word) = (at + 1, 0);
            } else {
                if typed >= columns.max(1) {
                    if word == line {
                        (word, typed_of_word) = (at, 0);
                    }
                    (line, typed) = (word, typed_of_word);
                }
                typed_of_word += 1;
            }
            typed += 1;
        }
        &text[line..]
    }

    /// Returns the beginning of the text, at most some characters.
    pub fn beginning(&self, chars: usize) -> &str {
        let end = self.text.char_indices().nth(chars);
        end.map_or(&self.text, |(end, _)| &self.text[..end])
    }

    fn last_of(&self, steps: usize) -> Option<&PreviewStep> {
        self.steps.get(steps.min(self.len()).checked_sub(1)?)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::tape;
    use super::super::timing::TapePace;
    use super::*;

    fn preview(chunks: &[(f64, &str)]) -> TapePreview {
        let tape = tape(chunks);
        let timeline = Timeline::new(&tape, TapePace::Recorded);
        TapePreview::new(&timeline, &TapeText::new(&tape))
    }

    #[test]
    fn a_text_is_typed_in_recorded_time_from_its_first_chunk_and_begins_again_after_a_rest() {
        let preview = preview(&[(4e9, "It\n"), (1e9, " goes"), (0.0, ""), (3e9, " out.")]);
        let shown = [0.0, 0.9, 1.0, 3.5, 4.0, 5.4, 5.5, 6.5].map(|seconds| {
            let moment = preview.moment(seconds);
            format!(
                "{seconds} s: {:?} at {:.2}, round {}, next in {:.1} s\n",
                preview.line(moment.steps, 40),
                preview.share(moment.steps),
                moment.rounds,
                moment.seconds_to_next
            )
        });
        insta::assert_snapshot!(shown.concat(), @r#"
        0 s: "It " at 0.50, round 0, next in 1.0 s
        0.9 s: "It " at 0.50, round 0, next in 0.1 s
        1 s: "It goes" at 0.62, round 0, next in 3.0 s
        3.5 s: "It goes" at 0.62, round 0, next in 0.5 s
        4 s: "It goes out." at 1.00, round 0, next in 1.5 s
        5.4 s: "It goes out." at 1.00, round 0, next in 0.1 s
        5.5 s: "It " at 0.50, round 1, next in 1.0 s
        6.5 s: "It goes" at 0.62, round 1, next in 3.0 s
        "#);
    }

    #[test]
    fn a_full_line_is_followed_by_the_next_one() {
        let preview = preview(&[(0.0, "abé"), (1.0, "d"), (1.0, "e"), (1.0, "fghij")]);
        let lines = [1, 2, 3, 4, 9].map(|steps| preview.line(steps, 4));
        assert_eq!(lines, ["abé", "abéd", "e", "ij", "ij"]);
        assert_eq!(preview.line(0, 4), "");
        assert_eq!((preview.beginning(3), preview.beginning(99)), ("abé", "abédefghij"));
    }

    #[test]
    fn a_line_begins_at_the_start_of_a_word() {
        let preview = preview(&[(0.0, "It goes "), (1.0, "ou"), (1.0, "t at"), (1.0, " noon")]);
        let lines = [1, 2, 3, 4].map(|steps| preview.line(steps, 10));
        assert_eq!(lines, ["It goes ", "It goes ou", "out at", "noon"]);
    }

    #[test]
    fn a_preview_of_many_chunks_stays_small_and_ends_with_them() {
        let chunks = vec![(1e6, "wordé "); 5000];
        let preview = preview(&chunks);
        assert_eq!(preview.len(), MAX_STEPS);
        assert_eq!(preview.nanos(preview.len()), 5e9);
        assert_eq!(preview.line(usize::MAX, 6), "wordé ");
        let long = self::preview(&[(0.0, &"é".repeat(1000))]);
        assert_eq!(long.beginning(usize::MAX).chars().count(), MAX_STEP_BYTES / 2);
    }

    #[test]
    fn a_tape_without_chunks_shows_nothing() {
        let preview = preview(&[]);
        assert!(preview.is_empty());
        assert_eq!((preview.moment(1.0).steps, preview.line(1, 4)), (0, ""));
    }
}
