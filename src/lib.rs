//! Retake: see, compare and curate recordings of language-model agents.
//!
//! This is the map of the house. It takes ten minutes; after that you know where a thing is before you look for it.
//!
//! # What it is about
//!
//! Tests of agents do not ask a model each time: they play *recordings*. Somebody has to keep these, and comes here with
//! one of three jobs: a playback failed and they want to know why (*triage*), an incident is to become a test (*author*),
//! recordings were made anew and somebody has to say yes (*review*). The words of the trade:
//!
//! | word | what it means |
//! |---|---|
//! | *recording* | one model call in a JSON file: what was asked, what was answered |
//! | *set* | the recordings of one folder; a player serves from one set |
//! | *signature* | what a player compares to choose a recording: tools offered, count of messages, context keys |
//! | *source* | the machine a recording was made from; a recording keeps its path and hash, and is *stale* when it changed |
//! | *tape* | one streamed answer, in *chunks* with their delays |
//! | *session* | one incident to be replayed, in YAML or JSON; what must hold of it stands in a *contract* |
//! | *seed* | an answer under a key, for a memory that stands in for a model |
//!
//! # One idea carries the rest
//!
//! **A document is its source text; what is parsed is a reading of it, with places.** A change replaces a range of bytes,
//! so all that nobody touched (order, spelling of numbers, comments, line ends, unknown fields) stays by construction. And
//! a file that is only half right still opens: reading always answers, with what it understood and a list of
//! [problems](format::Problem) that each have a line and a column.
//!
//! # The way of the data
//!
//! One direction, around once for everything that happens:
//!
//! ```text
//!     disk ──► engine                       named threads, bounded channels
//!                │  Event
//!                ▼
//!              Workbench::receive           library, listings, problems
//!                │
//!                ▼
//!              data.rs of a view            plain structs, built anew when something changed
//!                │
//!                ▼
//!              …_ui.rs of a view            paints what is visible
//!                │  Action
//!                ▼
//!              Workbench::apply             changes memory only
//!                │  Effect
//!                ▼
//!              engine ──► disk              reads, searches, saves; answers by an Event
//! ```
//!
//! The command line comes in at the engine, uses the same formats and operations, and prints. Follow one file through
//! it: [`engine::scan()`] finds and reads it, [`format::read`] tells its kind and takes it apart, [`ops::check`] judges it,
//! [`ops::summarise`] makes the [row](ops::Item) of it that stays in memory when its text is gone.
//!
//! # The layers
//!
//! Each folder is a layer, and uses only what stands above it here. A test reads the `use` lines and holds this table.
//!
//! | layer | what is in it | may use |
//! |---|---|---|
//! | [`text`] | bytes and places: [`Source`](text::Source), [`Span`](text::Span), [`TextEdit`](text::TextEdit) | std |
//! | [`format`](mod@format) | what files mean, a file a format; all values with their places in a [`Tree`](format::Tree) | `text` |
//! | [`ops`] | what one can do with documents, as pure functions: judge, compare, search, edit | `format`, `text` |
//! | [`workbench`] | the application without window, files or threads: state, actions, events, effects | `ops` and below |
//! | [`engine`] | files and threads: walking, reading, watching, saving, the git history | `workbench` and below |
//! | [`ui`] | the window: views that read data and push actions; a `data.rs` without egui beside each | `workbench` and below |
//! | [`cli`] | a file a command | `engine`, `ops` and below |
//! | [`app`] | the shell around the window, which runs the circle above | all but `cli` |
//!
//! # What always holds
//!
//! - Parsing never fails, on any bytes, and takes time and memory in proportion to the file.
//! - Only [`engine`] touches files. A file of the user's is written by the engine's save and nothing else, gets
//!   another name or goes to the trash beside it, and nothing of this happens that the user did not ask for. In its own folders the window keeps what was open, unsaved edits, and
//!   [sources as they were](engine::snapshots); the command line keeps what a review decided, in the project
//!   ([`ops::review::ledger`]), and `stamp` keeps the sources that it stamps, beside those of the window.
//! - Nothing outside the project root is read. The root is a [handle](engine::root::Root), not a path: what leads out of
//!   it, by `..` or by a link, is refused by the system. What is no ordinary file is not opened. The history of a linked
//!   work tree lies in its repository, which is read where it names that work tree itself.
//! - Only [`Workbench`](workbench::Workbench) changes state.
//! - Actions name ids, never rows: what was clicked survives a new sort and a new scan.
//! - Nothing is sent over the network unless the user asked for that very import, and no socket is open but those of
//!   [`engine::live`], each because it was asked for. No other program is started unless the user pressed for it: a command is shown as it is, and runs when that very text was said yes to. What comes from
//!   a file or a folder is never more than a word in it ([`ops::shell`]). It is stopped with all it started, at the latest
//!   when the window closes. Git's history is read without git, and without a repository's configuration; only for what is
//!   staged, and to install a hook, a repository is opened as git opens it, also where its git directory lies elsewhere.
//! - The window never waits for a file, a parse or a comparison; painting costs what is visible, not what is loaded.
//! - What comes from a file is shown with nothing hidden in it ([`text::visible`]), and commands no terminal.
//!
//! # Where to go
//!
//! | you want | go to |
//! |---|---|
//! | another reading of a field | its file in [`format`](mod@format), and `format/detect.rs` for what makes a file of a kind |
//! | a new rule, or another judgement | `ops/check/`, a file a rule: its doc comment is the text that users read |
//! | another answer to "does this recording match?" | [`ops::signature`], [`ops::diff::signature`] |
//! | what a client serves, in which words it ends, what would mend that | [`ops::playback`]; `engine/playback.rs` reads sets and requests |
//! | what the playback desk plays, and what follows from a click there | `workbench/playback/`; `engine/playing.rs` plays what is open |
//! | another comparison, or how it is worded | [`ops::diff`] |
//! | what changed between takes, what of it is noise, who follows from whom, which groups there are | [`ops::review`]; `engine/review.rs` reads takes and writes decisions |
//! | what is seen of a tape, an edit of one, another stream it is made of | [`ops::tape`]: an edit a file in `cut/`, an API a file in `sse/` |
//! | what a picture of a tape shows | `ops/tape/picture/`, as SVG and as PNG |
//! | how tapes are shown, played and cut in the window | `workbench/tapes/`, `ui/tapes/`; `engine/player.rs` plays to stdout |
//! | what a tape is compared with: another take, a request | [`ops::tape::overlay`], [`ops::tape::verify`]; `engine/comparing.rs`, `ui/tapes/takes/`, `ui/tapes/verify/` |
//! | how sessions are shown and edited in the window | `workbench/sessions/`, `ui/sessions/`; each edit is one of [`ops::session`]'s |
//! | which runs are fetched from LangSmith, and what is said of that | `workbench/incident/fetching.rs`, `ui/incident/fetch_ui.rs`; `engine/fetching.rs` |
//! | what an incident becomes a session of, and what is a secret in it | [`ops::import`], [`ops::secret`] |
//! | the words of a model's API, which tape answers a call, what a proxy makes of one | [`ops::live`]; `engine/live/` has the sockets |
//! | who waits at a queue, and how that is shown, answered and ruled | `workbench/live/queue/`, `ui/live/queue/`; `engine/queues.rs` watches and writes |
//! | what a request at a queue is answered, by which rule | [`ops::live::queue`], [`ops::live::form`] |
//! | what runs of the recorder and the server in the window, and how their calls show | `workbench/live/calls/`, `ui/live/calls/`; `engine/calls/` starts, stops and tells |
//! | how a session is written, and whether an answer keeps its contract | [`ops::session`], [`ops::contract`] |
//! | what is found of a contract for the window, and what its column shows | `engine/contract/`, `ui/sessions/contract/` |
//! | which sources there are, what became of each, and how a machine is drawn | `workbench/sources.rs`, [`ops::layout`] |
//! | another reading of a machine, or of the tools its nodes offer | [`ops::machine`] |
//! | another filter | [`ops::search`] |
//! | a new command, key or menu entry | `workbench/command/`: declared in `declared.rs`, needs and does in the file of its section; menu, palette, keys and the guide's tables of keys come from there |
//! | what a click leads to | [`Action`](workbench::Action) and `workbench/apply.rs` |
//! | which calls in test code are seeds | `format/code.rs` |
//! | which seed answers a call, or how seeds are written | [`ops::seeds`]; `workbench/seeds.rs` shows them |
//! | what a stamp writes, and which source is chosen | [`ops::stamp`]; `engine/stamping.rs` reads the sources |
//! | what a file of another tool is | [`format::foreign`] |
//! | which files are found, and what is refused | `engine/walk.rs`, [`engine::root`] |
//! | how changes on disk are followed, and what of them is told | `engine/watch.rs`, `workbench/news.rs` |
//! | how a file is written, and what a failed save says | [`engine::save`], [`ops::saving`] |
//! | where a source is looked for as it was, and which are kept | `engine/then.rs`, [`engine::snapshots`] |
//! | how a source is followed that was renamed | `engine/history/moves.rs`, [`ops::source::successors`] |
//! | what becomes of unsaved edits | [`engine::recovery`], [`ops::merge`] where the file changed meanwhile |
//! | colours, sizes, fonts | [`ui::theme`] |
//! | a field in `--json`, an exit code | [`cli`] |
//! | another format of `retake check` | `cli/check/`, a file a format |
//! | what a project may set in its `retake.toml` | [`ops::settings`] |
//! | which take replaces which, what differs, what a decision writes | [`ops::review`]; `engine/review.rs` reads and writes takes |
//! | what a key at the review desk decides, and what is shown of a pair | `workbench/review/`, `ui/review/`; `engine/reviewing.rs` feeds it |
//! | which commands are offered, and what is put into them | [`ops::regenerate`], `workbench/regenerate.rs` |
//! | how a command runs, is heard and is stopped | `engine/command.rs`, `workbench/terminal.rs` |
//! | what is checked before a commit | `engine/staged.rs`, [`engine::hook`] |
//!
//! Two kinds of trouble are kept apart: what is wrong *inside* a file is a [`Problem`](format::Problem) and never stops
//! anything; an error is of the outside world. Tests state promises, text in and text out, and stand below what they test;
//! those in `tests/` see the program as a user does.

// A test that unwraps what it made itself says all there is to say when it fails.
#![cfg_attr(
    test,
    expect(clippy::unwrap_used, reason = "a test fails where it unwraps")
)]

// From the ground up, which is also the order to read them in.

pub mod text;

pub mod format;

pub mod ops;

pub mod workbench;

pub mod engine;

pub mod ui;

pub mod cli;

pub mod app;
