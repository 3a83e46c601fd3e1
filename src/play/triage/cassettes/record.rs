//! The commands that record tests again, as the owners of their clients document them.

use super::fixes::CassetteFix;
use super::index::{split, stem};
use crate::run_log::FailedTest;
use document::shell::CommandShell;

/// Number of commands up to which all are shown.
const MAX_COMMANDS: usize = 3;

/// The way in which a test is recorded again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordCommand {
    /// By a plugin of pytest: the test, quoted for a POSIX shell.
    Pytest(String),
    /// By a command of its own, and whether that deletes the cassette first, with the calls of all tests.
    Own { command: String, deletes: bool },
}

impl RecordCommand {
    /// Returns the command of a client for a test and its cassette; `None` if its owner documents none.
    pub(super) fn new(failed: &FailedTest, path: Option<&str>) -> Option<Self> {
        let quote = |text: &str| CommandShell::Posix.quote(text);
        let test = &failed.test;
        let own = |command: String| Some(Self::Own { command, deletes: false });
        // By default these clients record into a file that does not exist.
        let deleting = |command: String| {
            let records = failed.miss.record_mode.as_deref().is_none_or(|mode| mode != "none");
            let path = quote(path.filter(|_| records)?)?;
            Some(Self::Own { command: format!("rm {path} && {command}"), deletes: true })
        };
        let file = || quote(test.file.as_deref()?);
        // A subtest of Go is named `TestA/case`, each part a pattern.
        let go = || {
            let parts: Vec<String> = test.name.split('/').map(|part| format!("^{part}$")).collect();
            Some(format!("go test -run {}", quote(&parts.join("/"))?))
        };
        match failed.miss.client? {
            // Both plugins have this mode.
            client
                if client.starts_with("vcrpy")
                    || ["cassetter", "pytest-recording"].contains(&client) =>
            {
                Some(Self::Pytest(quote(&test.node_id()?)?))
            }
            "llama-stack" => own(format!(
                "OGX_TEST_INFERENCE_MODE=record-if-missing pytest {}",
                quote(&test.node_id()?)?
            )),
            "httprr" => own(format!("{} -httprecord={}", go()?, quote(stem(split(path?).1))?)),
            "req_llm" => own(format!("REQ_LLM_FIXTURES_MODE=record mix test {}", file()?)),
            "go-vcr" => deleting(format!("{} ./...", go()?)),
            "VCR for Ruby" if test.file.as_deref()?.ends_with("_spec.rb") => {
                deleting(format!("bundle exec rspec {}", file()?))
            }
            "VCR for Ruby" => {
                deleting(format!("bundle exec ruby -Itest {} -n {}", file()?, quote(&test.name)?))
            }
            "vcr for R" => deleting(format!(
                "Rscript -e {}",
                quote(&format!("testthat::test_file('{}')", test.file.as_deref()?))?
            )),
            _ => None,
        }
    }
}

/// Returns the mode in which plugins of pytest record again: the first one deletes the cassette, which would remove the calls of other
/// tests.
fn record_mode(fixes: &[&CassetteFix]) -> &'static str {
    if fixes.iter().any(|fix| fix.is_shared) { "new_episodes" } else { "rewrite" }
}

/// Returns the command with which plugins of pytest record tests, each quoted for a shell.
pub(crate) fn pytest_command(tests: &[impl AsRef<str>], mode: &str) -> String {
    let tests: Vec<&str> = tests.iter().map(AsRef::as_ref).collect();
    format!("pytest {} --record-mode={mode}", tests.join(" "))
}

/// Returns the command that records tests again; `None` if none is known of them.
pub(crate) fn record_command(fixes: &[&CassetteFix]) -> Option<String> {
    let (mut tests, mut commands): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
    for fix in fixes {
        match &fix.record {
            Some(RecordCommand::Pytest(test)) => tests.push(test),
            Some(RecordCommand::Own { command, deletes }) if !(*deletes && fix.is_shared) => {
                commands.push(command.clone());
            }
            _ => {}
        }
    }
    tests.dedup();
    commands.extend((!tests.is_empty()).then(|| pytest_command(&tests, record_mode(fixes))));
    commands.dedup();
    (!commands.is_empty() && commands.len() <= MAX_COMMANDS).then(|| commands.join(" && "))
}

/// Describes how tests are recorded again, as a phrase; up to some tests by the command.
pub(super) fn describe_recording(fixes: &[&CassetteFix]) -> Option<String> {
    let is_of_pytest = |fix: &&&CassetteFix| matches!(fix.record, Some(RecordCommand::Pytest(_)));
    match fixes.iter().filter(is_of_pytest).count() {
        tests if tests > MAX_COMMANDS => Some(format!(
            "record these {tests} tests again with `--record-mode={}`",
            record_mode(fixes)
        )),
        _ => record_command(fixes).map(|command| format!("record again with `{command}`")),
    }
}
