//! Texts about a contract.

use std::ops::Range;

use author::contract::{AnswerOrigin, InvariantVerdict};
use document::text::{lower_first, thousands, visible, visible_lines};
use protocol::{CheckedInvariant, ContractReport, ReferenceKind, Resolution, TestedAnswer};
use widgets::theme::Tone;

/// The outcome of a contract as a whole.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) tone: Tone,
    pub(super) title: &'static str,
    /// A sentence.
    pub(super) meaning: String,
}

impl Outcome {
    fn new(tone: Tone, title: &'static str, meaning: &str) -> Self {
        Self { tone, title, meaning: meaning.to_owned() }
    }

    pub(super) fn of(report: &ContractReport) -> Self {
        // First: whatever the others say, Flakestorm does not run any of them.
        if report.invariants.iter().any(|i| i.tried.refusal.is_some()) {
            return Self::new(Tone::Error, "Refused", "Flakestorm does not load this contract.");
        }
        if report.invariants.is_empty() {
            return match resolution(report) {
                (Tone::Plain, _) => Self::new(Tone::Plain, "No rules", "The contract is empty."),
                (tone, words) => Self { tone, title: "No contract", meaning: format!("{words}.") },
            };
        }
        let Some(answer) = &report.answer else {
            return Self::new(Tone::Plain, "Not tested", "The session has no recorded answer.");
        };
        let verdicts = || report.invariants.iter().map(|i| i.tried.verdict.passed());
        let (fails, is_whole) =
            (verdicts().any(|passed| passed == Some(false)), verdicts().all(|v| v.is_some()));
        // For the answer of the incident, failing is what the contract is for, so the meanings are reversed.
        let (tone, title, meaning) = match (fails, is_whole, answer.since) {
            (true, _, AnswerOrigin::Failed) => {
                (Tone::Good, "Caught", "The contract fails the recorded answer.")
            }
            (true, ..) => (Tone::Error, "Fails", "The contract fails this answer."),
            (false, true, AnswerOrigin::Failed) => {
                (Tone::Warning, "Not caught", "The contract passes the recorded answer.")
            }
            (false, true, _) => (Tone::Good, "Passes", "The contract passes this answer."),
            (false, false, _) => {
                let meaning = "What can be checked here passes. Flakestorm checks the rest.";
                (Tone::Note, "Needs a model", meaning)
            }
        };
        Self::new(tone, title, meaning)
    }
}

/// Returns whether an invariant is one of those that decide against the answer or the contract.
pub(super) fn is_against(invariant: &CheckedInvariant, is_tried: bool) -> bool {
    let fails = is_tried && invariant.tried.verdict.passed() == Some(false);
    fails || !faults(invariant).is_empty()
}

/// Names the contract, and what the invariants say that do not fail.
pub(super) fn describe_rest(report: &ContractReport) -> String {
    let name = match report.reference_kind {
        ReferenceKind::Explicit => visible(&report.reference).into_owned(),
        ReferenceKind::Default => "No contract named".to_owned(),
    };
    let is_tried = report.answer.is_some();
    let (mut passes, mut model, mut open) = (0, 0, 0);
    for invariant in report.invariants.iter().filter(|i| !is_against(i, is_tried)) {
        match &invariant.tried.verdict {
            InvariantVerdict::NeedsModel(_) => model += 1,
            InvariantVerdict::Passes(_) if is_tried => passes += 1,
            _ => open += 1,
        }
    }
    let parts = [
        (passes, if passes == 1 { "passes" } else { "pass" }),
        (model, if model == 1 { "needs a model" } else { "need a model" }),
        (open, "not checked"),
    ];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, words)| format!("{count} {words}")).collect();
    if parts.is_empty() { name } else { format!("{name}: {}", parts.join(", ")) }
}

/// Returns the places in a shown text that failing invariants quote, in order.
pub(super) fn quoted_places(report: &ContractReport, text: &str) -> Vec<Range<usize>> {
    let is_failing = |i: &&CheckedInvariant| i.tried.verdict.passed() == Some(false);
    let reasons = report.invariants.iter().filter(is_failing).map(|i| i.tried.verdict.reason());
    let quotes = reasons
        .flat_map(|reason| reason.split('“').skip(1))
        .filter_map(|quote| Some(quote.split_once('”')?.0.to_lowercase()));
    let lower_text = text.to_lowercase();
    // Letters whose lower case is longer would move all places after them.
    let finds = |quote: String| {
        let start = lower_text.find(&quote).filter(|_| lower_text.len() == text.len())?;
        let place = start..start + quote.len();
        (!quote.is_empty() && text.get(place.clone()).is_some()).then_some(place)
    };
    let mut places: Vec<Range<usize>> = quotes.filter_map(finds).collect();
    places.sort_by_key(|place| place.start);
    places.dedup_by(|next, last| next.start < last.end);
    places
}

/// Returns the label and the tone of a verdict.
pub(super) fn verdict(verdict: &InvariantVerdict) -> (&'static str, Tone) {
    match verdict {
        InvariantVerdict::Passes(_) => ("Passes", Tone::Good),
        InvariantVerdict::Fails(_) => ("Fails", Tone::Error),
        InvariantVerdict::NeedsModel(_) => ("Needs a model", Tone::Plain),
        InvariantVerdict::Unsupported(_) => ("Not checked here", Tone::Plain),
    }
}

/// Returns the reason of an invariant's verdict, with its type.
pub(super) fn describe_invariant(invariant: &CheckedInvariant, is_tried: bool) -> String {
    let result = &invariant.tried;
    let kind = match result.kind.as_str() {
        "" => "no type".to_owned(),
        kind => visible(kind).into_owned(),
    };
    match &result.verdict {
        // No invariant that needs a model is run: nothing here calls one.
        InvariantVerdict::NeedsModel(_) => format!("{kind} is not checked here"),
        _ if !is_tried => kind,
        verdict => format!("{kind}: {}", lower_first(verdict.reason())),
    }
}

/// Returns the problems of the invariant itself.
pub(super) fn faults(invariant: &CheckedInvariant) -> Vec<String> {
    let unknown_type = (!invariant.is_known && !invariant.tried.kind.is_empty()).then(|| {
        let kind = visible(&invariant.tried.kind);
        format!("`{kind}` is not an invariant type, so it is treated as `regex`")
    });
    unknown_type.into_iter().chain(invariant.tried.refusal.clone()).collect()
}

/// Describes how the contract is found, up to the position that follows.
pub(super) fn resolution(report: &ContractReport) -> (Tone, String) {
    let config = report.config.as_ref().map_or("", |config| &*config.path);
    let reference = visible(&report.reference);
    match (&report.resolution, report.reference_kind) {
        (Resolution::Named(_), ReferenceKind::Default) => {
            (Tone::Plain, "Not named in the session: `default`, from".to_owned())
        }
        (Resolution::Named(_), ReferenceKind::Explicit) => {
            (Tone::Plain, "By name, from".to_owned())
        }
        (Resolution::File { .. }, _) => (Tone::Plain, "By its path,".to_owned()),
        (Resolution::Unread(reason), _) => {
            let words = format!("Not found: {}", lower_first(reason));
            (Tone::Error, words)
        }
        (Resolution::Missing, ReferenceKind::Default) => {
            let words = format!(
                "Not found: the session names no contract, which means `default`, and {config} has no contract of that name"
            );
            (Tone::Error, words)
        }
        (Resolution::Missing, ReferenceKind::Explicit) => {
            let words = format!(
                "Not found: `{reference}` is neither a contract in {config} nor a file next to it"
            );
            (Tone::Error, words)
        }
        // Only a warning: the contract may be right, and Flakestorm may be started with another configuration.
        (Resolution::NoConfig, _) => {
            let words =
                "No flakestorm.yaml in this folder or above, so the contract cannot be found";
            (Tone::Warning, words.to_owned())
        }
    }
}

/// Describes the origin of an answer.
pub(super) fn origin(answer: &TestedAnswer) -> String {
    let title = match answer.since {
        AnswerOrigin::Failed => "Recorded answer of the failed run",
        AnswerOrigin::Recorded => "Recorded answer",
        AnswerOrigin::Given => "Your own answer",
    };
    let latency = match answer.latency_ms {
        Some(ms) => seconds(ms),
        None => "unknown latency".to_owned(),
    };
    let remark = if answer.is_redacted() {
        "\nRedacted: invariants on redacted text are not reliable for the real answer"
    } else {
        ""
    };
    if answer.place.is_empty() {
        format!("{title}, {latency}{remark}")
    } else {
        format!("{title}, {latency}\n{}{remark}", answer.place)
    }
}

/// Returns the beginning of an answer.
pub(super) fn answer_start(answer: &TestedAnswer) -> String {
    const MAX_CHARS: usize = 400;
    // By characters: a cut at a byte could be inside of one.
    let start: String = answer.text.chars().take(MAX_CHARS).collect();
    let ellipsis = if start.len() < answer.text.len() { "…" } else { "" };
    if start.trim().is_empty() {
        "Empty".to_owned()
    } else {
        format!("{}{ellipsis}", visible_lines(start.trim()))
    }
}

fn seconds(ms: f64) -> String {
    match ms {
        ms if ms >= 1000.0 => format!("{:.1} s", ms / 1000.0),
        // A file may have a negative number, which would become a huge one.
        ms => format!("{} ms", thousands(ms.max(0.0) as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use author::contract::{Sample, check_all, contract_of};
    use document::text::Source;
    use document::{Node, read};
    use protocol::{FilePlace, RunCommands};

    fn tried_on(text: &str, since: AnswerOrigin) -> TestedAnswer {
        TestedAnswer { text: text.into(), latency_ms: Some(31_200.0), since, place: "".into() }
    }

    /// Builds a contract with these invariants, checked against an answer.
    fn look(invariants: &str, answer: TestedAnswer) -> ContractReport {
        let text = format!("name: c\ninvariants:\n{invariants}");
        let document = read(Source::new(text), "c.yaml");
        let contract = contract_of(&document).unwrap();
        let sample = Sample { answer: &answer.text, latency_ms: answer.latency_ms };
        let spot = |node: Node<'_>| FilePlace {
            path: "c.yaml".into(),
            line: node.place().line,
            reveal: None,
        };
        let checked = |tried: author::contract::InvariantResult| CheckedInvariant {
            spot: spot(document.node(tried.node)),
            pointer: "".into(),
            suggestion: None,
            is_known: true,
            tried,
        };
        let tried = check_all(&document, contract, sample).into_iter();
        ContractReport {
            config: None,
            configs: Vec::new(),
            offered: Vec::new(),
            reference: "c".into(),
            reference_kind: ReferenceKind::Explicit,
            resolution: Resolution::NoConfig,
            invariants: tried.map(checked).collect(),
            answer: Some(answer),
            commands: RunCommands::default(),
        }
    }

    const ONCE: &str = "  - {id: once, type: excludes_pattern, patterns: [twice]}\n";
    const TONE: &str = "  - {id: tone, type: behavior_unchanged}\n";
    const NO_ID: &str = "  - {type: completes}\n";

    #[test]
    fn failing_on_the_failed_run_is_no_fault_and_passing_there_catches_nothing() {
        let outcome_of = |invariants: &str, text: &str, since| {
            let report = look(invariants, tried_on(text, since));
            let Outcome { tone, title, .. } = Outcome::of(&report);
            format!("{text}, {since:?}: {title}, {tone:?}; {}", describe_rest(&report))
        };
        let outcomes = [
            outcome_of(ONCE, "paid twice", AnswerOrigin::Failed),
            outcome_of(ONCE, "paid once", AnswerOrigin::Failed),
            outcome_of(ONCE, "paid twice", AnswerOrigin::Given),
            outcome_of(ONCE, "paid once", AnswerOrigin::Given),
            outcome_of(&[ONCE, TONE].concat(), "paid once", AnswerOrigin::Given),
            outcome_of(&[ONCE, NO_ID].concat(), "paid once", AnswerOrigin::Given),
        ];
        insta::assert_snapshot!(outcomes.join("\n"), @"
        paid twice, Failed: Caught, Good; c
        paid once, Failed: Not caught, Warning; c: 1 passes
        paid twice, Given: Fails, Error; c
        paid once, Given: Passes, Good; c: 1 passes
        paid once, Given: Needs a model, Note; c: 1 passes, 1 needs a model
        paid once, Given: Refused, Error; c: 1 passes
        ");
    }

    #[test]
    fn what_a_failing_invariant_quotes_is_marked_in_the_answer() {
        for (answer, marked) in
            [("Paid Twice, twice", &["Twice"][..]), ("İ paid twice", &[]), ("paid once", &[])]
        {
            let report = look(ONCE, tried_on(answer, AnswerOrigin::Failed));
            let places = quoted_places(&report, answer).into_iter();
            let words: Vec<&str> = places.map(|place| &answer[place]).collect();
            assert_eq!(words, marked, "{answer}");
        }
    }

    #[test]
    fn an_answer_is_described_with_its_latency() {
        let mut answer = tried_on("Paid twice.", AnswerOrigin::Failed);
        assert_eq!(origin(&answer), "Recorded answer of the failed run, 31.2 s");
        answer.latency_ms = None;
        answer.since = AnswerOrigin::Given;
        assert_eq!(origin(&answer), "Your own answer, unknown latency");
        answer.text = " \n".into();
        assert_eq!(answer_start(&answer), "Empty");
    }
}
