//! Fixtures that `retake import --as` makes of recordings, played by the clients that own them under the SDKs of OpenAI, Anthropic and
//! Google, and loaded by aimock and httpmock.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use crate::owner_mocks::prepare;
use crate::project::Run;

/// How many fixtures of each API and form are made; the variable `RETAKE_OWNER_FIXTURES` sets another number.
const FIXTURES: &str = "2";

const PACKAGES: &str =
    "vcrpy==9.4.2 cassetter==0.16.1 openai==3.57.0 anthropic==2.14.0 google-genai==3.6.1";

#[test]
fn clients_play_fixtures_under_the_sdks() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fixture-owners");
    // A registry that does not answer must not keep the tests.
    let install = format!(
        "venv/bin/python -c 'import vcr, cassetter, openai, anthropic, google.genai' || \
         (timeout 60 python3 -m venv venv && timeout 300 venv/bin/python -m pip install -q --timeout 10 --retries 1 {PACKAGES})"
    );
    if !prepare(&folder, &install) {
        let _ =
            writeln!(std::io::stderr(), "the SDKs cannot be installed here: nothing was played");
        return;
    }
    let count = std::env::var("RETAKE_OWNER_FIXTURES");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/owner/play_fixtures.py");
    for client in ["vcrpy", "parsed-body", "cassetter"] {
        let state = tempfile::tempdir().unwrap();
        let mut command = Command::new(folder.join("venv/bin/python"));
        command.arg(&script).args([env!("CARGO_BIN_EXE_retake"), client]);
        command.args([count.as_deref().unwrap_or(FIXTURES), "1"]);
        let output = command.env("RETAKE_STATE_DIR", state.path()).output().unwrap();
        let run = Run::of(&output);
        assert_eq!(run.code, Some(0), "{}{}", run.stdout, run.stderr);
        let _ = write!(std::io::stderr(), "{}", run.stderr);
    }
}
