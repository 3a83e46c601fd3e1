//! The tests to record again, with the command and the tokens that it uses.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::{ComparedRequest, DriftVerdict};
use crate::run_requests::RunRequests;
use crate::triage::{CassetteFiles, pytest_command};
use document::call::CallFacts;
use document::shell::CommandShell;
use document::text::{counted, thousands};

const PYTEST_RECORDING: &str = "pytest-recording";
const PYTEST_VCR: &str = "pytest-vcr";

/// The smallest list of tests to record again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordPlan {
    /// Their ids, in the order of the log.
    pub tests: Vec<Arc<str>>,
    /// The cassettes that they record.
    pub cassettes: Vec<Arc<str>>,
    /// Those cassettes that several tests play: they are deleted first, and recorded by all of these.
    pub shared: Vec<Arc<str>>,
    /// The plugin of pytest that records them; `None` without one.
    pub recorder: Option<Arc<str>>,
    /// Number of their recorded calls.
    pub calls: usize,
    /// The tokens of those calls, as recorded.
    pub tokens: TokenCount,
}

/// Numbers of tokens, of one call or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCount {
    pub input: u64,
    pub output: u64,
    /// Number of calls whose tokens are not known.
    pub unknown_calls: usize,
}

impl TokenCount {
    pub(super) fn of(facts: &CallFacts) -> Self {
        match (facts.input_tokens, facts.output_tokens) {
            (Some(input), Some(output)) => Self { input, output, unknown_calls: 0 },
            _ => Self { unknown_calls: 1, ..Self::default() },
        }
    }

    fn add(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.unknown_calls += other.unknown_calls;
    }
}

impl RecordPlan {
    pub(super) fn new(
        requests: &[ComparedRequest],
        run: &RunRequests,
        files: &CassetteFiles,
        tokens: &BTreeMap<Arc<str>, Vec<TokenCount>>,
    ) -> Self {
        let is_needed = |request: &&ComparedRequest| match &request.result {
            super::RequestResult::Answered { changes, .. } => {
                changes.iter().any(|(verdict, _)| *verdict == DriftVerdict::RecordAgain)
            }
            _ => false,
        };
        let needed: BTreeSet<&Arc<str>> =
            requests.iter().filter(is_needed).filter_map(|r| r.cassette.as_ref()).collect();
        let mut users: BTreeMap<&Arc<str>, BTreeSet<&Arc<str>>> = BTreeMap::new();
        for request in requests {
            if let Some((cassette, test)) = request.cassette.as_ref().zip(request.test.as_ref()) {
                users.entry(cassette).or_default().insert(test);
            }
        }
        // A test may load a cassette and play nothing of it.
        for test in &run.tests {
            for path in
                test.cassettes.keys().filter_map(|name| Some(files.index.named(name).ok()?.0))
            {
                users.entry(path).or_default().insert(&test.test);
            }
        }
        let of_needed: BTreeSet<&Arc<str>> =
            needed.iter().filter_map(|path| users.get(path)).flatten().copied().collect();
        let mut plan = Self { recorder: run.recorder.clone(), ..Self::default() };
        let order = run.tests.iter().map(|test| &test.test);
        let mut seen = HashSet::new();
        for test in order.chain(run.requests.iter().filter_map(|request| request.test.as_ref())) {
            if of_needed.contains(test) && seen.insert(test) {
                plan.tests.push(Arc::clone(test));
            }
        }
        for path in needed {
            plan.cassettes.push(Arc::clone(path));
            if users.get(path).is_some_and(|tests| tests.len() > 1) {
                plan.shared.push(Arc::clone(path));
            }
            for count in tokens.get(path).into_iter().flatten() {
                plan.tokens.add(*count);
                plan.calls += 1;
            }
        }
        plan
    }

    /// Returns the numbers of tests, or of cassettes if no test is known, and of calls.
    pub fn counts(&self) -> String {
        let tests = match self.tests.len() {
            0 => counted(self.cassettes.len(), "cassette", "cassettes"),
            tests => counted(tests, "test", "tests"),
        };
        format!("{tests}, {}", counted(self.calls, "call", "calls"))
    }

    /// Describes the tokens that recording uses, as a sentence without a full stop.
    pub fn describe_tokens(&self) -> String {
        let TokenCount { input, output, unknown_calls } = self.tokens;
        if self.calls == unknown_calls {
            return "The tokens of the recorded answers are not known".to_owned();
        }
        let number = |count: u64| thousands(usize::try_from(count).unwrap_or(usize::MAX));
        let (input, output) = (number(input), number(output));
        let known =
            format!("About {input} input and {output} output tokens, as in the recorded answers");
        match unknown_calls {
            0 => known,
            calls => format!("{known}; those of {} are not known", counted(calls, "call", "calls")),
        }
    }

    /// Returns the command that records the tests again, with their names or with a file that lists them. `None` if no test is known.
    pub fn command(&self, list: Option<&str>) -> Option<String> {
        let quote = |texts: &[Arc<str>]| -> Option<Vec<String>> {
            texts.iter().map(|text| CommandShell::Posix.quote(text)).collect()
        };
        let tests = match list {
            Some(file) => vec![format!("@{file}")],
            None => quote(&self.tests)?,
        };
        if self.tests.is_empty() {
            return None;
        }
        // This mode deletes the cassette before each test, with the calls of the test before it.
        if self.recorder.as_deref() == Some(PYTEST_RECORDING) && self.shared.is_empty() {
            return Some(pytest_command(&tests, "rewrite"));
        }
        let deleted = quote(&self.cassettes)?.join(" ");
        let command = match self.recorder.as_deref() {
            Some(PYTEST_RECORDING) => pytest_command(&tests, "new_episodes"),
            Some(PYTEST_VCR) => format!("pytest {} --vcr-record=new_episodes", tests.join(" ")),
            // By default vcrpy records into a file that does not exist.
            _ => format!("pytest {}", tests.join(" ")),
        };
        Some(format!("rm {deleted} && {command}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_broken_recordings_are_added() {
        let most = TokenCount { input: u64::MAX, output: u64::MAX, unknown_calls: 0 };
        let mut sum = most;
        sum.add(TokenCount { input: 1, output: 2, unknown_calls: 0 });
        assert_eq!(sum, most);
    }
}
