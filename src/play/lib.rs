//! Playing: which recording answers a request, why none does, and the causes of a failed run.
//!
//! [`client`] plays the calls of a cassette by the rules of the client that owns it; [`playback`] plays requests against a set by the rules
//! of DyGram and reads what a client logged; [`run_log`] reads what tests that play cassettes print, and [`run_requests`] what they
//! send; [`triage`] finds the causes that the failures of a run share; [`live`] decides what a server, a proxy and a queue answer;
//! [`drift`] compares what tests send today with what was recorded; [`unused`] finds what no run plays; [`audit`] finds what a green run
//! does not prove; [`blame`] names the commit of a call.
//!
//! It opens no sockets and starts no threads: the engine does, and calls this member.
//!
//! - [`CassettePlayer`](client::CassettePlayer): a client with a cassette, which answers request by request.
//! - [`RecordingSet`](playback::RecordingSet): the recordings of one folder, as a player sees them.
//! - [`PlaybackRun`](playback::PlaybackRun): requests played against a set, with a verdict for each.
//! - [`TriageReport`](triage::TriageReport): the failures of a run, grouped by cause, with their fixes.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod audit;
pub mod blame;
pub mod client;
pub mod drift;
pub mod live;
pub mod playback;
pub mod run_log;
pub mod run_requests;
pub mod triage;
pub mod unused;
