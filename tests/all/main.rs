//! Retake from outside: the program as a script sees it, hostile folders, and the order of the layers.

// A test that unwraps what it made itself says all there is to say when it fails.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod agent_runs;
mod audit;
mod banned_words;
mod blame;
mod broken;
mod cassette_truth;
mod cassettes;
mod checking;
mod ci;
mod ci_kit;
mod cli;
mod command_table;
mod contracts;
mod coverage;
mod drift;
mod edit;
mod first_difference;
mod fixing;
mod fixtures;
mod foreign;
mod formats;
mod gitignore;
mod golden;
mod guide;
mod history;
mod keep_noise;
mod layers;
mod live;
mod logging;
mod machine_versions;
mod matching;
mod output;
mod owner_edits;
mod owner_fixtures;
mod owner_mocks;
mod owner_play;
mod package;
#[cfg(unix)]
mod pager;
mod playback;
mod project;
mod redact;
mod replacing;
mod rerecorded_cassettes;
mod rerecorded_recordings;
mod review;
mod revisions;
mod root;
mod samples;
mod saving;
mod schemas;
mod secrets;
mod seeds;
mod sessions;
mod skill;
mod stabilize;
mod stamp;
mod tapes;
mod triage;
mod undo;
mod unused;
mod window;
