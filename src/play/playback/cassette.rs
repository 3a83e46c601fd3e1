//! Plays a cassette with its own requests, in their order. Its client's rules are known to the caller, which says what answers.

use std::sync::{Arc, OnceLock};

use jiff::{SignedDuration, Timestamp};

use super::call::WrongAnswer;
use super::{
    CallOutcome, CallVerdict, MatchStep, PlaybackRules, PlaybackRun, PlayedCall, PlayedRequest,
    PlayerState, RecordingSet, RequestOrigin, ResponseShape, ResultStatus, RunFindings, RunSummary,
    Served, SetRecording,
};
use calls::reading::all_calls;
use calls::{ItemSummary, Pool};
use document::Document;
use document::address::WrittenAddress;
use document::call::ModelCall;
use document::text::{counted, thousands};

/// What answers a call of a cassette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CassetteAnswer {
    /// The call whose answer is played, from 0; `None` if the client loads none for it.
    pub call: Option<usize>,
    /// Number of calls that the client cannot distinguish from it, itself included, if their answers differ; else 1.
    pub alike: usize,
    /// Whether the answer differs from the one that was recorded for it.
    pub is_wrong: bool,
}

impl CassetteAnswer {
    /// The answer of a call that the client distinguishes from all others.
    pub fn own(call: usize) -> Self {
        Self { call: Some(call), alike: 1, is_wrong: false }
    }

    fn verdict(&self) -> CallVerdict {
        match self.call {
            None => CallVerdict::None,
            Some(call) if self.is_wrong => CallVerdict::Wrong(WrongAnswer::OfCall(call)),
            Some(_) if self.alike > 1 => CallVerdict::FirstOf(self.alike),
            Some(_) => CallVerdict::Right,
        }
    }
}

impl RecordingSet {
    /// Creates the set of all calls of a cassette, of models or not, in their order. Their nodes are the endpoints.
    pub fn of_cassette(path: &Arc<str>, document: &Document, pool: &Pool) -> Self {
        let calls = all_calls(document);
        let latencies: Option<Vec<f64>> = calls.iter().map(latency_nanos).collect();
        let recordings = calls.iter().enumerate().map(|(index, call)| {
            // The file decides for all its blocks: beside nominal lengths, measured ones would say nothing.
            let latency = latencies.as_ref().map(|latencies| latencies[index]);
            SetRecording::of_exchange(path, index, (call, latency), document, pool)
        });
        Self {
            folder: Arc::clone(path),
            is_file: true,
            recordings: recordings.collect(),
            skipped: Vec::new(),
        }
    }
}

impl SetRecording {
    fn of_exchange(
        path: &Arc<str>,
        index: usize,
        (call, latency): (&ModelCall<'_>, Option<f64>),
        document: &Document,
        pool: &Pool,
    ) -> Self {
        let name: Arc<str> = format!("{path}#{}", index + 1).into();
        let summary = ItemSummary::of_call(call, document, pool);
        let url = call.facts.http.as_ref().map_or("", |http| http.url.as_str());
        let node = Some(pool.text(&endpoint(url)));
        let request = PlayedRequest {
            node: node.clone(),
            // Only the lengths are known; each call begins where the one before it ends.
            sent: latency.map(|_| Timestamp::UNIX_EPOCH),
            ..PlayedRequest::from_parts(
                Arc::clone(&name),
                RequestOrigin::Own(index),
                Vec::new(),
                0,
                Box::default(),
            )
        };
        let nanos = latency.map(|nanos| SignedDuration::from_nanos(nanos as i64));
        Self {
            node,
            request: Some(Arc::new(request)),
            calls: summary.tool.iter().cloned().collect(),
            is_quote: !summary.quote.is_empty(),
            words: if summary.quote.is_empty() { summary.note } else { summary.quote },
            answered: nanos.and_then(|nanos| Timestamp::UNIX_EPOCH.checked_add(nanos).ok()),
            response: ResponseShape::Answer,
            is_of_model: call.is_of_model(),
            ..Self::blank(name)
        }
    }
}

/// Returns the length of a call as its file or a header of its answer has it.
fn latency_nanos(call: &ModelCall<'_>) -> Option<f64> {
    const HEADERS: [&str; 2] = ["openai-processing-ms", "x-envoy-upstream-service-time"];
    let headers = call.facts.http.iter().flat_map(|http| &http.response_headers);
    let header_millis = || {
        let is_latency = |name: &str| HEADERS.iter().any(|h| name.eq_ignore_ascii_case(h));
        headers.filter(|(n, _)| is_latency(n)).find_map(|(_, value)| value.parse::<f64>().ok())
    };
    let nanos = call.facts.duration_nanos.or_else(|| Some(header_millis()? * 1e6))?;
    (nanos.is_finite() && nanos > 0.0).then_some(nanos)
}

/// Returns what of an address says which endpoint it is: the last parts of its path without versions, models and ids.
fn endpoint(url: &str) -> String {
    const MAX_PARTS: usize = 2;
    // Gemini writes `models/gemini-2.5-flash:generateContent`.
    let parts = WrittenAddress::split(url)
        .path
        .split('/')
        .map(|part| part.rsplit(':').next().unwrap_or(part));
    let is_word = |part: &&str| !part.is_empty() && !part.contains(|c: char| c.is_ascii_digit());
    let parts: Vec<&str> = parts.filter(is_word).collect();
    format!("/{}", parts[parts.len().saturating_sub(MAX_PARTS)..].join("/"))
}

impl PlaybackRun {
    /// Plays the calls of a cassette in their order; `answers` are what its client plays for each of them.
    pub fn of_cassette(set: Arc<RecordingSet>, answers: &[CassetteAnswer]) -> Self {
        let mut served_in = vec![Vec::new(); set.recordings.len()];
        let mut calls = Vec::new();
        for (number, (recording, answer)) in set.recordings.iter().zip(answers).enumerate() {
            let Some(request) = &recording.request else { continue };
            let index = answer.call.filter(|index| *index < served_in.len());
            let reused = index.and_then(|index| served_in[index].last().copied());
            if let Some(index) = index {
                served_in[index].push(number);
            }
            let served = |index| Served {
                index,
                step: MatchStep::Signature,
                first_of: answer.alike,
                response: ResponseShape::Answer,
            };
            calls.push(PlayedCall {
                request: Arc::clone(request),
                outcome: index.map_or(CallOutcome::NoMatch, |i| CallOutcome::Served(served(i))),
                reused,
                verdict: answer.verdict(),
                next: number + 1,
            });
        }
        Self {
            rules: PlaybackRules::default(),
            set,
            before: PlayerState::default(),
            summary: summarise(&calls),
            calls,
            served_in,
            findings: RunFindings::default(),
            miss_index: OnceLock::new(),
            tool_uses: OnceLock::new(),
        }
    }
}

fn summarise(calls: &[PlayedCall]) -> RunSummary {
    let wrong = |call: &PlayedCall| match call.verdict {
        CallVerdict::Wrong(WrongAnswer::OfCall(other)) => Some(other),
        _ => None,
    };
    let count = |is: &dyn Fn(&PlayedCall) -> bool| calls.iter().filter(|call| is(call)).count();
    let wrong_count = count(&|call| wrong(call).is_some());
    let in_order = count(&|call| matches!(call.verdict, CallVerdict::FirstOf(_)));
    let first_wrong = calls.iter().enumerate().find_map(|(at, call)| Some((at, wrong(call)?)));
    let (status, title, detail) = match (first_wrong, in_order) {
        (Some((call, other)), _) => {
            let title = match wrong_count {
                1 => format!("Call {} gets the answer of call {}.", call + 1, other + 1),
                count => format!("{} calls get the answer of another call.", thousands(count)),
            };
            (ResultStatus::Bad, title, "The test may pass for the wrong reason.")
        }
        (None, 0) if calls.is_empty() => {
            (ResultStatus::Doubtful, "The cassette has no calls.".to_owned(), "")
        }
        (None, 0) => {
            let title = match calls.len() {
                1 => "The call gets its own answer.".to_owned(),
                2 => "Both calls get their own answers.".to_owned(),
                count => format!("All {} get their own answers.", counted(count, "call", "calls")),
            };
            (ResultStatus::Good, title, "")
        }
        (None, count) => {
            let depend = counted(count, "call depends", "calls depend");
            (ResultStatus::Doubtful, format!("{depend} on the order of the file."), "")
        }
    };
    RunSummary { status, title, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::text::Source;

    #[test]
    fn an_endpoint_is_named_without_versions_models_and_ids() {
        let table = [
            ("https://api.openai.com/v1/chat/completions", "/chat/completions"),
            ("https://api.openai.com/v1/files/file-a1b2/content?x=1", "/files/content"),
            ("https://a.dev/openai/deployments/gpt-4o/chat/completions", "/chat/completions"),
            (
                "https://g.dev/v1beta/models/gemini-2.5-flash:generateContent",
                "/models/generateContent",
            ),
            ("https://api.anthropic.com/v1/messages", "/messages"),
            ("https://a.dev", "/"),
        ];
        for (url, expected) in table {
            assert_eq!(endpoint(url), expected, "{url}");
        }
    }

    /// A cassette of calls to these paths, each with a header and an answer.
    fn cassette(calls: &[(&str, &str, &str)]) -> Document {
        let call = |(path, header, answer): &(&str, &str, &str)| {
            format!(
                "- request: {{method: POST, uri: 'https://a.dev/{path}', headers: {{}}, body: '{{}}'}}\n  response: {{status: {{code: 200, message: OK}}, headers: {{{header}}}, body: {{string: '{answer}'}}}}\n"
            )
        };
        let calls: String = calls.iter().map(call).collect();
        document::read(Source::new(format!("interactions:\n{calls}version: 1\n")), "a.yaml")
    }

    #[test]
    fn the_calls_of_a_cassette_are_played_as_its_client_answers_them() {
        let header = "openai-processing-ms: ['1500']";
        let document = cassette(&[("files", header, "a"), ("b", header, "b"), ("b", header, "c")]);
        let set =
            Arc::new(RecordingSet::of_cassette(&"a.yaml".into(), &document, &Pool::default()));
        let own: Vec<CassetteAnswer> = (0..3).map(CassetteAnswer::own).collect();
        let first = CassetteAnswer { call: Some(1), alike: 1, is_wrong: true };
        let in_order = |call| CassetteAnswer { alike: 2, ..CassetteAnswer::own(call) };
        for (answers, expected) in [
            (&own[..], "All 3 calls get their own answers."),
            (&[own[0], own[1], first], "Call 3 gets the answer of call 2."),
            (&[own[0], in_order(1), in_order(2)], "2 calls depend on the order of the file."),
        ] {
            let run = PlaybackRun::of_cassette(Arc::clone(&set), answers);
            assert_eq!(run.summary.title, expected);
            let strip = super::super::RunStrip::new(&run);
            assert_eq!((strip.total_nanos(), strip.lanes.len()), (4.5e9, 2));
            assert!(strip.is_timed() && !strip.blocks[0].is_of_model);
        }
        let partly = cassette(&[("a", header, "a"), ("b", "", "b")]);
        let set = RecordingSet::of_cassette(&"a.yaml".into(), &partly, &Pool::default());
        assert!(set.recordings.iter().all(|recording| recording.answered.is_none()));
    }
}
