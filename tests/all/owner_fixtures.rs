//! Fixtures that `retake import --as` makes of recordings, played by the clients that own them under the SDKs of OpenAI, Anthropic and
//! Google, and loaded by aimock and httpmock.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use crate::owner_mocks::{aimock, cache_folder, httpmock, pass_over, prepare};
use crate::project::Run;

/// Number of fixtures of each API and form; the variable `RETAKE_OWNER_FIXTURES` sets another number.
const FIXTURES: &str = "2";

const PACKAGES: &str =
    "vcrpy==9.4.2 cassetter==0.16.1 openai==3.57.0 anthropic==2.14.0 google-genai==3.6.1";

/// Makes fixtures for a client and plays them; `server` is the command of one that is a server.
fn play(client: &str, server: &[&OsStr]) {
    let folder = cache_folder("fixture-owners");
    // A registry that does not answer must not keep the tests.
    let install = format!(
        "venv/bin/python -c 'import vcr, cassetter, openai, anthropic, google.genai' || \
         (timeout 60 python3 -m venv venv && timeout 300 venv/bin/python -m pip install -q --timeout 10 --retries 1 {PACKAGES})"
    );
    // The tests of this file share the folder.
    static LOCK: Mutex<()> = Mutex::new(());
    let is_ready = {
        let _lock = LOCK.lock();
        prepare(&folder, &install)
    };
    if !is_ready {
        return pass_over("The SDKs");
    }
    let count = std::env::var("RETAKE_OWNER_FIXTURES");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/play_fixtures.py");
    let state = tempfile::tempdir().unwrap();
    let mut command = Command::new(folder.join("venv/bin/python"));
    command.arg(&script).args([env!("CARGO_BIN_EXE_retake"), client]);
    command.args([count.as_deref().unwrap_or(FIXTURES), "1"]).args(server);
    let output = command.env("RETAKE_STATE_DIR", state.path()).output().unwrap();
    let run = Run::of(&output);
    assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
    let _ = write!(std::io::stderr(), "{}", run.stderr);
}

#[test]
fn clients_of_cassettes_play_fixtures_under_the_sdks() {
    for client in ["vcrpy", "parsed-body", "cassetter"] {
        play(client, &[]);
    }
}

#[test]
fn aimock_answers_the_sdks_from_fixtures() {
    let Some(program) = aimock() else { return pass_over("aimock") };
    let [node, port, zero, validate, file] =
        ["node", "-p", "0", "--validate-on-load", "-f"].map(OsStr::new);
    play("aimock", &[node, program.as_os_str(), port, zero, validate, file]);
}

#[test]
fn httpmock_answers_the_sdks_from_fixtures() {
    let Some(program) = httpmock() else { return pass_over("httpmock") };
    play("httpmock", &[program.as_os_str()]);
}
