//! The promise of `sample-recordings`: what a first visitor finds there.

use std::fmt::Write as _;
use std::path::Path;

use calls::source::sha256_hex;

use crate::project::{Project, Run};

/// The source of `triage-ticket` as it is.
pub(crate) const NOW: &str = include_str!("../../sample-recordings/machines/triage-ticket.dygram");

/// The source of `triage-ticket` as it was when its recordings were made. It must not be a file here: that would be
/// found in place of the one in the history.
pub(crate) use engine::samples::source_when_recorded;

pub(crate) const STALE: &str =
    "sample-recordings/recordings/triage-ticket/req-1773324124911-3.json";

/// The checkout that the samples belong to.
pub(crate) fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the program in the checkout.
fn run(arguments: &[&str]) -> Run {
    let project = Project::new(&[]);
    let mut command = project.command(arguments);
    Run::of(&command.current_dir(checkout()).output().unwrap())
}

#[test]
fn each_sample_shows_what_its_readme_says() {
    let listed = run(&["list", "sample-recordings", "--root", "."]);
    assert_eq!(listed.code, Some(0), "{}", listed.stderr);
    insta::assert_snapshot!(listed.stdout, @"
    OK             config                                                    sample-recordings/flakestorm.yaml
    Pending        request             2026-06-02 14:25                      sample-recordings/.dygram-test-queue/requests/req-1780410311902-1.json
    OK             VCR cassette (1)                                          sample-recordings/cassettes/mailer/TestDraftReply.yaml
    OK             VCR cassette (1)    2026-03-12 09:14                      sample-recordings/cassettes/spec/draft_reply.yml
    OK             VCR cassette (2)    2026-03-12 09:14                      sample-recordings/cassettes/test_mail/test_mail_draft.toml
    Problems       VCR cassette (4)                      1 warning           sample-recordings/cassettes/test_refund/test_refund_needs_approval.yaml
    Problems       VCR cassette (2)                      1 warning           sample-recordings/cassettes/test_refund/test_refund_rate_limit.yaml
    Problems       VCR cassette (1)                      1 warning           sample-recordings/cassettes/test_summary/test_summary_cut_off.yaml
    OK             VCR cassette (1)                                          sample-recordings/cassettes/test_summary/test_summary_plain.json
    OK             VCR cassette (1)                                          sample-recordings/cassettes/test_summary/test_summary_stream.yaml
    OK             VCR cassette (2)                                          sample-recordings/cassettes/test_summary/test_summary_vertex.yaml
    OK             recorded calls (1)                                        sample-recordings/fixtures/classify_ticket.json
    OK             recorded calls (1)                                        sample-recordings/fixtures/look_up_order.json
    Fresh          recording v3        2026-06-01 02:33                      sample-recordings/recordings/close-ticket/req-1780281201443-1.json
    Fresh          recording v3        2026-06-01 02:33                      sample-recordings/recordings/close-ticket/req-1780281202377-2.json
    Fresh          recording v3        2026-06-01 02:33  1 warning           sample-recordings/recordings/close-ticket/req-1780281204339-3.json
    Unstamped      recording v2        2026-02-03 10:11  1 warning           sample-recordings/recordings/merge-tickets/turn-1.json
    Unstamped      recording v2        2026-02-03 10:11                      sample-recordings/recordings/merge-tickets/turn-10.json
    Unstamped      recording v2        2026-02-03 10:11                      sample-recordings/recordings/merge-tickets/turn-2.json
    Unstamped      recording v1        2025-12-03 09:11  1 warning, 2 notes  sample-recordings/recordings/ticket-legacy/req-1764753074326-1.json
    Unstamped      recording v1        2025-12-04 16:05  1 note              sample-recordings/recordings/ticket-legacy/req-1764864336562-1.json
    Incomplete     recording v1        2025-12-02 17:02  1 error, 2 notes    sample-recordings/recordings/ticket-legacy/turn-1.json
    Renamed        recording v3        2026-02-19 09:37  1 warning           sample-recordings/recordings/ticket-routing/turn-1.json
    Renamed        recording v3        2026-02-19 09:37  1 warning           sample-recordings/recordings/ticket-routing/turn-2.json
    Stale          recording v3        2026-03-12 14:02  1 warning           sample-recordings/recordings/triage-ticket/req-1773324121806-1.json
    Stale, breaks  recording v3        2026-03-12 14:02  1 warning, 1 note   sample-recordings/recordings/triage-ticket/req-1773324123377-2.json
    Stale, breaks  recording v3        2026-03-12 14:02  1 warning           sample-recordings/recordings/triage-ticket/req-1773324124911-3.json
    Stale          recording v3        2026-03-12 14:02  1 warning           sample-recordings/recordings/triage-ticket/req-1773324126480-4.json
    Stale          recording v3        2026-03-12 14:02  1 warning           sample-recordings/recordings/triage-ticket/req-1773324127914-5.json
    Stale, breaks  recording v3        2026-03-13 13:45  1 warning, 1 note   sample-recordings/recordings/triage-ticket/req-1773409556874-1.json
    Stale          recording v3        2026-03-13 13:46  1 warning           sample-recordings/recordings/triage-ticket/req-1773409558302-2.json
    OK             session             2026-02-27 17:40                      sample-recordings/replays/refund-twice.yaml
    OK             session             2026-03-04 08:17  1 note              sample-recordings/replays/ticket-loop.yaml
    Failed         report              2026-05-28 06:00                      sample-recordings/reports/flakestorm-2026-05-28.json
    Problems       seeds                                 1 warning           sample-recordings/seeds/closing-line.test.ts
    Problems       seeds                                 1 warning           sample-recordings/seeds/refund-decision.seeds.json
    OK             tape                2026-03-09 11:02  2 notes             sample-recordings/tapes/slow-start.json
    OK             tape                2026-03-10 08:47  2 notes             sample-recordings/tapes/stall-mid-answer.json
    OK             tape                2026-03-09 11:08  1 note              sample-recordings/tapes/ticket-summary.json
    ");
}

#[test]
fn each_sample_has_the_problems_it_is_there_for_and_no_others() {
    let report = run(&["check", "sample-recordings", "--root", ".", "--json"]);
    assert_eq!(report.code, Some(1), "{}", report.stderr);
    let mut printed = String::new();
    let mut last = String::new();
    for problem in report.json()["problems"].as_array().unwrap() {
        let text = |field: &str| problem[field].as_str().unwrap().to_owned();
        let path = text("path");
        if path != last {
            let _ = writeln!(printed, "{}", path.trim_start_matches("sample-recordings/"));
        }
        last = path;
        let (severity, rule, pointer) = (text("severity"), text("rule"), text("pointer"));
        let (line, column) = (&problem["line"], &problem["column"]);
        let problem = format!("  {line}:{column} {severity} {rule} {pointer}");
        let _ = writeln!(printed, "{}", problem.trim_end());
    }
    insta::assert_snapshot!(printed, @"
    cassettes/test_refund/test_refund_needs_approval.yaml
      2:3 warning call-ambiguous
    cassettes/test_summary/test_summary_cut_off.yaml
      20:15 warning stream-truncated /interactions/0/response/body/string
    recordings/close-ticket/req-1780281204339-3.json
      95:20 warning signature-unmatchable /signature/contextKeys
    recordings/merge-tickets/turn-1.json
      1:1 warning source-unstamped
    recordings/ticket-legacy/req-1764753074326-1.json
      1:1 note signature-missing
      1:1 note signature-shared
      1:1 warning source-unstamped
    recordings/ticket-legacy/req-1764864336562-1.json
      1:1 note signature-missing
    recordings/ticket-legacy/turn-1.json
      1:1 note signature-missing
      1:1 note signature-shared
      39:15 error response-not-wrapped /response
    recordings/ticket-routing/turn-1.json
      104:19 warning source-renamed /sourceMetadata/sourceFile
    recordings/ticket-routing/turn-2.json
      93:19 warning source-renamed /sourceMetadata/sourceFile
    recordings/triage-ticket/req-1773324121806-1.json
      92:20 warning source-stale /sourceMetadata/contentHash
    recordings/triage-ticket/req-1773324123377-2.json
      1:1 note signature-shared
      109:20 warning source-stale /sourceMetadata/contentHash
    recordings/triage-ticket/req-1773324124911-3.json
      136:20 warning source-stale /sourceMetadata/contentHash
    recordings/triage-ticket/req-1773324126480-4.json
      83:20 warning source-stale /sourceMetadata/contentHash
    recordings/triage-ticket/req-1773324127914-5.json
      110:20 warning source-stale /sourceMetadata/contentHash
    recordings/triage-ticket/req-1773409556874-1.json
      1:1 note signature-shared
      111:20 warning source-stale /sourceMetadata/contentHash
    recordings/triage-ticket/req-1773409558302-2.json
      94:20 warning source-stale /sourceMetadata/contentHash
    replays/ticket-loop.yaml
      18:3 note tool-responses-unused /tool_responses
    seeds/closing-line.test.ts
      9:70 warning seed-empty /1/response
    seeds/refund-decision.seeds.json
      40:5 warning seed-hash-key /hashSeeds/0
    tapes/slow-start.json
      9:14 note request-incomplete /request
      27:13 note delay-lost /stream
    tapes/stall-mid-answer.json
      9:14 note request-incomplete /request
      22:13 note delay-lost /stream
    tapes/ticket-summary.json
      16:13 note delay-lost /stream
    ");
}

#[test]
fn a_sample_session_breaks_its_contract_with_the_answer_of_its_incident() {
    let refund = "sample-recordings/replays/refund-twice.yaml";
    let checked = run(&["contract", refund, "--json"]);
    assert_eq!(checked.code, Some(1), "{}", checked.stderr);
    let sessions = checked.json()["sessions"].clone();
    let invariants = sessions[0]["invariants"].as_array().unwrap().iter();
    let fails: Vec<_> =
        invariants.filter(|it| it["verdict"] == "fails").map(|it| it["id"].clone()).collect();
    assert_eq!(fails, ["promises-nothing"]);
}

#[test]
fn a_stale_sample_names_the_text_that_was_recorded() {
    let recording = std::fs::read_to_string(checkout().join(STALE)).unwrap();
    assert!(recording.contains(&*sha256_hex(source_when_recorded().as_bytes())));
}

/// Looks in a clone of this very repository, so that the work tree's own `.git` may be of any kind. Where the history is
/// not all there, the promise is that the program says so.
#[test]
fn the_old_text_of_a_stale_sample_is_found_in_this_repositorys_history() {
    let clone = Project::new(&[]);
    let from = checkout().to_str().unwrap();
    if !checkout().join(".git").exists() {
        eprintln!("{from} is no git repository, so there is no history to look in");
        return;
    }
    clone.git(&["clone", "-q", "--no-hardlinks", from, "."]);
    let run = clone.run(&["source", STALE]);
    if clone.path(".git/shallow").exists() {
        assert_eq!(run.code, Some(1), "{}", run.stderr);
        assert!(
            run.stderr.contains("shallow"),
            "{from} is a shallow clone, and `retake source` should say so (all of it comes with \
             `git fetch --unshallow`), but it says: {}",
            run.stderr
        );
        return;
    }
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stdout, source_when_recorded());
    let place = ": sample-recordings/machines/triage-ticket.dygram";
    assert!(run.stderr.starts_with("retake: Found in commit "), "{}", run.stderr);
    assert!(run.stderr.trim_end().ends_with(place), "{}", run.stderr);
}
