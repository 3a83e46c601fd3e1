//! Retake: inspect, compare and curate recordings of language-model agents.
//!
//! This page is the map of the workspace. It takes ten minutes to read; after that you know where to look for each part. `CONTRIBUTING.md`
//! describes how to build, test and add parts.
//!
//! # The domain
//!
//! Tests of agents do not call a model each time: they play back *recordings*. Someone must maintain these, and uses Retake for one of
//! three jobs: a playback failed and the cause is unknown (*triage*), an incident should become a test (*author*), or recordings were made
//! again and must be accepted or rejected (*review*). The terms:
//!
//! | term | meaning |
//! |---|---|
//! | *recording* | one model call in a JSON file: the request and the answer |
//! | *set* | the recordings of one folder; a player serves from one set |
//! | *signature* | what a player compares to choose a recording: offered tools, number of messages, context keys |
//! | *machine* | a program of DyGram that calls models |
//! | *source* | the machine a recording was made from; a recording stores its path and hash, and is *stale* when it has changed |
//! | *stamp* | to write signature and source into a recording |
//! | *player* | the program that answers from recordings or tapes in place of a model |
//! | *cassette* | one file with the HTTP calls of a test, as VCR and its relatives record them |
//! | *tape* | one streamed answer, in *chunks* with their delays |
//! | *incident* | a failure outside tests: a report, stored runs, a log or a text |
//! | *session* | one incident to replay, in YAML or JSON; its *contract* lists what the answer must fulfil |
//! | *seed* | an answer under a key, for a memory that replaces a model in tests |
//! | *queue* | a folder in which a program writes requests and waits for answers |
//! | *take* | one version of a recording, old or new, in a review |
//!
//! DyGram makes and plays recordings, Flakestorm plays sessions, LangSmith stores runs. The terms of the program:
//!
//! | term | meaning |
//! |---|---|
//! | *member* | a crate of the workspace: a folder of `src` with its own `Cargo.toml` and `lib.rs` |
//! | *item* | what stays in memory of one file; the library lists the items, and below one that unfolds its *calls* |
//! | *desk* | a part of the window for one kind of work, with its own state in `workbench/desks/`. The import, the triage of a run, the source and the terminal panel are desks without an entry in the rail; the library, the first entry, is in `workbench/core/`, because all desks use it |
//! | *view* | what fills a desk: its list, a comparison, an import |
//! | *action* | what the user did, as a value |
//! | *effect* | what the workbench requests from the engine or the desktop |
//! | *request*, *task* | work for the engine with all its inputs, and the code that does it |
//! | *control* | a request that starts or stops what runs longer: a command, a listener, a queue |
//! | *lane* | the thread of a task, and what replaces it |
//! | *link* | what one desk requests of another, since no desk names another |
//!
//! # The ideas
//!
//! **A document is its source text; parsing adds values with their places in that text.** An edit replaces a range of bytes, so everything
//! else (order, spelling of numbers, comments, line ends, unknown fields) stays unchanged by construction. And a file that is only partly
//! valid still opens: parsing never fails, but returns what it understood and a list of [problems](document::Problem), each with a line and
//! a column. This is the central idea; four others follow from it:
//!
//! - **A call is found by its shape, not by the file around it.** [`document::recorded`] pairs requests and answers in any file, and
//!   [`calls::reading`] gives the calls of any document one form, so that most desks, rules and commands know no formats. What the shape does
//!   not show is [described](document::format) by the project.
//! - **A text is judged and changed as a reader of the wire sees it**: layers undone, escapes read, pieces of a stream joined, each with
//!   its place in the file. Reports and replacements use the same [view](calls::decoded_view), so that they cannot disagree.
//! - **The rules of a client are in one place.** Those of DyGram are in `compare/signature/`, and [`play::playback`] plays by them; those
//!   of the programs that play cassettes are in [`play::client`]. `match`, `serve`, `triage`, `check` and the desks use these two.
//! - **A change of files is a plan first.** It is data that can be shown and compared; only the engine writes it.
//!
//! # Data flow
//!
//! Data flows in one direction, for each thing that happens:
//!
//! ```text
//!     disk ──► engine                       named threads, one bounded channel of events
//!                ▼  EngineEvent
//!              Workbench::receive           library, listings, problems
//!                ▼
//!              Workbench::refresh           once per frame: desks follow, and request what is missing
//!                ▼
//!              …_data.rs of a view          plain structs, rebuilt when something changed
//!                ▼
//!              …_ui.rs of a view            paints what is visible
//!                ▼  Action
//!              Workbench::apply             changes only memory
//!                ▼  Effect
//!              engine ──► disk              reads, searches, saves; sends the result as an event
//! ```
//!
//! Work for the engine is a *request*: a struct in [`protocol`] that carries all its inputs, so that nothing is looked up on the way.
//! [`protocol::Request`] lists them; [`engine::Engine::run`] gives each to its task in `engine/tasks/`, which says what to do and in which
//! lane. Work that needs neither files nor the project is a closure, [`protocol::Compute`], and needs no task. `engine/run.rs` has the
//! threads, and handles cancellation and panics for all of them. The answer of a cancelled task is not sent; one that nothing awaits any
//! more is dropped by the workbench: by the number of the scan, by its key (`workbench/core/latest.rs`), or by the revision of the
//! document. Reading, saving and the git history are in `engine/disk/`, which knows no tasks and no events.
//!
//! The command line calls the engine directly, uses the same members below it, and prints. The path of one file: [`engine::scan()`] finds
//! and reads it, [`document::read`] detects its kind and parses it, `check` reports its problems, and [`calls::summarise`] makes the
//! [row](calls::Item) that stays in memory after its text is dropped.
//!
//! # Members
//!
//! A folder of `src` is a crate of its own, named after what it knows. Its `Cargo.toml` lists what it may use, so that the compiler keeps
//! the order, and a change rebuilds only the members that use it. Each `lib.rs` says what the member does not know.
//!
//! | member | knows | may use |
//! |---|---|---|
//! | [`document`] | texts with places ([`Source`](document::text::Source), [`Span`](document::text::Span)), formats of files, values in a [`Tree`](document::Tree), edits of bytes, lines and words compared | none |
//! | [`calls`] | calls of models: APIs of providers, cassettes and archives, tapes, secrets, what differs in every recording | `document` |
//! | `machine` | DyGram: parser, offered tools, effects of a changed source, stamps; the shapes of all drawings | `calls`, `document` |
//! | `compare` | differences of calls, of takes and of sources; groups and decisions of a review | `calls`, `document` |
//! | [`play`] | which recording answers a request, why none does, the causes of a failed run | `compare` and above |
//! | `author` | incidents to fixtures of many programs: sessions, seeds, contracts, redaction, replacement in many files | `play` and above, not `compare` |
//! | `check` | rules, one file a rule; their fixes, filters, `retake.toml` | `author` and above |
//! | [`protocol`] | requests and events between workbench and engine, with their data | `check` and above |
//! | [`workbench`] | the application without window, files or threads: a core that all desks share, the desks, and what commands do | `protocol` and above |
//! | [`engine`] | files, threads, git, sockets | `protocol` and above, not `workbench` |
//! | [`widgets`] | parts of the views: controls, colours, fonts, icons, the editor of texts | `workbench` and above |
//! | [`ui`] | the views of the window, which read data and push actions; most have a `…_data.rs` without egui beside them | `widgets`, `workbench` and above |
//! | [`cli`] | the command line, a file or a folder for each command | `engine`, `check` and above |
//! | [`app`] | the program: `main.rs` chooses command line or window; the shell around the window runs the cycle above | all |
//!
//! "Above" is this list. `workbench`, `widgets` and `ui` do not know `engine`; `cli` does not know `workbench` or `protocol`. Helpers for
//! the tests of other members are behind the feature `testing`.
//!
//! # Invariants
//!
//! - Parsing never fails, on any bytes, and takes time and memory in proportion to the file.
//! - Only [`engine`] accesses files. A user's file is written, renamed or deleted only by the engine's save, and only when the user
//!   requests it. Retake's own folders contain the user's settings, the window's state, unsaved edits, the log, [reports of
//!   crashes](engine::report_panics), [copies of sources](engine::snapshots), what is listed of files that have not changed since, and the
//!   contents of files before a command of the command line wrote them ([`engine::undo`]); the command line stores the decisions of a
//!   review in the project (`compare::review::ledger`), and `retake stamp` keeps copies of sources in the same folder as the window.
//! - A command of the command line writes the user's files only through its [recorder](engine::undo::StepRecorder), so that `retake undo`
//!   restores them; except what `retake redact` removes. A record is on disk before its file changes, so that also a killed command can be
//!   undone. One that cannot be kept is reported, and never prevents a write.
//! - The index cache never changes a result: a wrong cache may only cost time. A row is used only while size,
//!   times and identity of its file are the same, and only if all else that it depends on is the same: the settings, the program, what is
//!   configured about a cassette or a session. It has no secret in clear.
//! - Nothing outside the project root is read, except folders that the user names for a queue or for new tapes, names of files in folders
//!   that the user types into the field for a path, git's folders, and Retake's own. The root is a [handle](engine::root::Root), not a
//!   path: the system refuses paths that lead out of it, by `..` or by a link. Only regular files are opened. The history of a linked work
//!   tree is in its repository, which is read only if it lists that work tree itself; objects that a clone borrows are in the object store
//!   of another one. Of a work tree of git around the root, the patterns of `.gitignore` files and the index are read, to know what git
//!   ignores.
//! - Only [`Workbench`](workbench::Workbench) changes state.
//! - Actions refer to ids, never to rows: a click still means the same item after sorting or scanning again.
//! - Nothing is sent over the network unless the user requests that import, also not after a crash, and the only sockets are those of
//!   [`engine::live`], each opened on request. No other program is started without the user's consent: a command is shown, and runs only
//!   after the user has accepted exactly that text. The editor is started without being shown first, only by *Open in editor* and only as
//!   the user has written it into their own settings, which is the consent; it runs without a shell, and stays open when the window closes.
//!   Text from files and folders is always quoted as a single word in it ([`document::shell`]). A command is stopped with all its child
//!   processes, at the latest when the window closes. Output on a terminal goes through a pager only if `PAGER` or the user's own
//!   configuration of git names one, which is the consent; the configuration of a repository never starts a program. Git's history, and
//!   what git ignores, is read without git and without any configuration of it; only to check staged files and to install a hook is a
//!   repository opened as git opens it, even if its git directory is elsewhere, after its files were found to be regular ones.
//! - The window never waits for a file, a parse or a comparison; the cost of painting depends on what is visible, not on what is loaded.
//! - Text from files is shown with its hidden characters escaped ([`document::text::visible`]), and cannot control a terminal.
//!
//! # To add something
//!
//! `CONTRIBUTING.md` shows a rule, a desk, a format, a provider and a command as differences.
//!
//! | to add | do |
//! |---|---|
//! | a rule | a file in `check/` with `rule!` and its check; its name in `document/problem.rs`, its `mod` and its place in `RULES` in `check/lib.rs`, the call in `check/check_document.rs` or `check/project.rs`, a row in `assets/guide/problems.md` |
//! | a fix of a rule | a row in `check/change/rule_fix.rs` with its change; `retake check --fix`, the problems desk and the inspector offer it. A row in `assets/guide/command-line.md` |
//! | a command of the window | its declaration with icon and keys in `workbench/core/command/declared.rs`, its condition and handler in the file of its section in `workbench/handlers/`, its row in `assets/guide/keys.md`; a letter key that only some views have: `workbench/handlers/applicability.rs` |
//! | a command of the command line | a file in `cli/` with its arguments and `run`; its `mod`, variant and arm in `cli/lib.rs`; a row in `README.md` and a section in `assets/guide/command-line.md`. One that writes files gets the `StepRecorder`; one that prints JSON has its document in `cli/schema.rs`; what takes long is a [`Phase`](engine::Phase). A row in `tests/all/command_table.rs` |
//! | a file format | a reader in `document/`, a variant of [`FileKind`](document::FileKind) and of [`DocumentBody`](document::DocumentBody), its detection in `document/detect.rs`; then the compiler names the places that depend on the kind. A format that is only recognised: `document/foreign.rs`. The wrapper of a recorder, whose calls are found by their [shape](document::recorded): its name and its marks there; one whose calls have no shape of an API: a file in `calls/reading/` and its row in `FOREIGN_READERS`. Listing, playback, serving and comparing follow |
//! | a transcript or a trace of agents | a variant of [`ForeignFormat`](document::foreign::ForeignFormat) and its mark in `document/foreign/agent_files.rs`, a reader in [`calls::agent_run`] with its row in `READERS`, a writer of generated runs in `tests/owner/`, a row in `assets/guide/file-formats.md`. Its calls and its import follow |
//! | a provider of models | a row of the table in `calls/api/provider.rs`; with an API of its own: a row of `SHAPES` in `document/shapes.rs`, by which its requests and answers are recognised everywhere, a file in `calls/api/` with its `ModelApi`, a variant of [`Api`](calls::api::Api) with its places in `calls/api/mod.rs`, its cells in `play/live/api_tests.rs`. One that is only read: its row, and its translation in `calls/reading/dialect.rs` |
//! | a setting of `retake.toml` | its key, field and reader in `check/settings.rs`, which documents all of them, its lines in `check/settings/template.rs`, its schema in `cli/schema.rs`, and its row in `assets/guide/retake-toml.md`; if the window needs it, a field of `ProjectInfo` in `protocol/project.rs`, filled in `engine/runner.rs` |
//! | a setting of the user | its key, field and reader in `workbench/core/user_settings/parse.rs`, its field in `ui/settings_ui.rs`, a comment in `assets/settings.toml`, a row in `assets/guide/settings.md` |
//! | work that takes long | without files, a [`protocol::Compute`]; else a request in the file of its subject in `protocol/`, its variant in `protocol/request.rs`, a function in `engine/tasks/`, its line in [`engine::Engine::run`]. Its answer is a variant of an event beside the request |
//! | an edit | a variant of [`Edit`](document::edit::Edit), [`TapeEdit`](calls::tape::edits::TapeEdit), `SessionEdit` in `author/session/edit.rs` or `SeedFileEdit` in `author/seeds/edit.rs`; of another kind: a variant of `Change` in `check/change.rs` with its name and its plan. Undo, saving and the history follow |
//! | a form over the desk | a variant of `Overlay` in `workbench/core/view.rs`, its view in `overlay_ui` in `ui/window.rs`, its fields as `FormField` of `widgets/form.rs` |
//! | a dialog for files | [`Effect::Pick`](workbench::Effect::Pick): a title, a kind, and the action that follows |
//! | a panel beside the content of a desk | `widgets/side_panel.rs`: a name, its width, and the limits for dragging |
//! | a list or a table | rows described for `widgets/list.rs`, which paints, scrolls and takes the focus; the names of columns above them: `widgets/table.rs`; for `j` and `k`, `step` of its desk |
//! | a desk | a variant of `Desk` in `protocol/remembered.rs`, before `Live`, and its `Go` command; a file in `workbench/desks/` with its state, actions and `impl DeskState`, and its row in `workbench/desks/mod.rs`; its event in `protocol/event.rs` if the engine answers it; its view in `ui/`, shown by `ui/window.rs`; the names of its types in `workbench/lib.rs` |
//! | what one desk requests of another | a variant of `Link` in `workbench/core/link.rs`, carried out by `follow` in `workbench/state.rs` |
//!
//! # Where to find things
//!
//! Most parts are found by a search for their name: a type, a file, a command, a desk. This table has the others.
//!
//! | to change | go to |
//! |---|---|
//! | the words of an enum on the command line, its labels in the window | its `named_enum!` (the macro is in `document/text/named_enum.rs`) |
//! | what a described format reads, and the guess of a description | `document/format.rs`; the tables: `check/settings/format.rs` |
//! | differences of PyYAML from YAML 1.2 | `document/scalar.rs` for types, `document/yaml/line_breaks.rs` for line breaks |
//! | the layers around a body, such as gzip | `document/body.rs`; edits of what is in them: `document/edit/decoded.rs` |
//! | the settings of a cassette, which its test or its program makes | [`calls::cassette_config`], from the text of Python files that [`calls::python`] reads; `engine/disk/cassette_configs.rs` finds these |
//! | what the program of a cassette compares, and which call it plays | [`play::client`], compared with the programs themselves by `tests/all/owner_play.rs`; what may become stable for it: `calls/stable/collect.rs` |
//! | a finding of several cassettes, at their settings or at a test | `check/shared_findings.rs`; `cli/check.rs` puts them into the report, `workbench/core/library.rs` counts and lists one |
//! | refusals of Flakestorm | `check/config_refused.rs`, by `assets/flakestorm-2.0.schema.json`, the schema of its own models |
//! | drawings | the shapes of all in `machine/picture/`, the content beside its subject: `machine/map_picture.rs`, `play/playback/strip_picture.rs`, `author/tape_picture.rs`; `widgets/picture.rs` paints them |
//! | logs of tests that play cassettes | `play/run_log/` reads failed tests and errors of clients; `play/triage/cassettes/` finds cassette, nearest call, cause and fix |
//! | the calls of a run in time | `play/playback/strip.rs`; `ui/playback/strip/` draws them, `workbench/core/strip_player.rs` moves the playhead |
//! | the verdicts by which the library is sorted and filtered, and the colours of strips | `protocol/verdict.rs`, `widgets/call_strip.rs` |
//! | the sentences above the library, and their buttons | `protocol/findings.rs`, `workbench/handlers/findings.rs`, `ui/library/findings.rs` |
//! | the dialog that shows a change before it is applied | `workbench/core/step.rs`, `ui/step/`; its texts are in `check/change/rule_fix.rs` |
//! | arrow keys and steps through lists | `workbench/stepping.rs`, `step` of the desk |
//! | the effect of a click, and the order of a frame | [`Action`](workbench::Action) and `workbench/apply.rs`; [`app`]: `logic`, then `ui` |
//! | the files that are found or refused | `engine/disk/walk.rs`, `engine/disk/root/`; `engine/disk/gitignore.rs`, with the patterns in `check/settings/ignore.rs` |
//! | the rows of files that have not changed, stored for the next start | `engine/disk/index_cache/`; a field of a row is stored in its `row.rs` |
//! | planned changes of files, carried out and undone | [`document::files`]; `engine/disk/files.rs`; messages of a failed save: `author/saving.rs` |
//! | the content of the log | `engine/logging.rs`, `engine/disk/log_file.rs`; records are made by the macros of the crate `log`. Never log the content of a file |
//! | the report that a panic leaves | `engine/crash.rs`, `engine/disk/crash_reports.rs`. `RETAKE_PANIC` forces one in a debug build: `start`, or the name of a key |
//! | the demands of the tests on documents and on this map | `tests/all/guide.rs`, `tests/all/layers.rs` |
//!
//! Two kinds of failure are separate: what is wrong *inside* a file is a [`Problem`](document::Problem) and never stops anything; an error
//! comes from the outside world. Unit tests are below the code they test, and compare text with text; those in `tests/` use the program as
//! a user does.

pub mod app;
