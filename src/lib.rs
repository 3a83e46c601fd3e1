//! Retake: inspect, compare and curate recordings of language-model agents.
//!
//! This page is the map of the crate. It takes ten minutes to read; after that you know where to look for each part.
//!
//! # The domain
//!
//! Tests of agents do not call a model each time: they play back *recordings*. Someone must maintain these, and uses
//! Retake for one of three jobs: a playback failed and the cause is unknown (*triage*), an incident should become a test
//! (*author*), or recordings were made again and must be accepted or rejected (*review*). The terms:
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
//! | *item* | what stays in memory of one file; the library lists the items, and below one that unfolds its *calls* |
//! | *desk* | a part of the window for one kind of work, with its own state in `workbench/desks/`. The import, the triage of a run, the map and the terminal panel are desks without an entry in the rail; the library, the first entry, is in `workbench/core/`, because all desks use it |
//! | *view* | what fills a desk: its list, a comparison, an import |
//! | *action* | what the user did, as a value |
//! | *effect* | what the workbench requests from the engine or the desktop |
//! | *request*, *task* | work for the engine with all its inputs, and the code that does it |
//! | *control* | a request that starts or stops what runs longer: a command, a listener, a queue |
//! | *lane* | the thread of a task, and what replaces it |
//! | *link* | what one desk requests of another, since no desk names another |
//!
//! # The central idea
//!
//! **A document is its source text; parsing adds values with their places in that text.** An edit replaces a range of bytes,
//! so everything else (order, spelling of numbers, comments, line ends, unknown fields) stays unchanged by construction. And
//! a file that is only partly valid still opens: parsing never fails, but returns what it understood and a list of
//! [problems](format::Problem), each with a line and a column.
//!
//! # Data flow
//!
//! Data flows in one direction, for each thing that happens:
//!
//! ```text
//!     disk ──► engine                       named threads, one bounded channel of events
//!                │  EngineEvent
//!                ▼
//!              Workbench::receive           library, listings, problems
//!                │
//!                ▼
//!              Workbench::refresh           once per frame: desks follow, and request what is missing
//!                │
//!                ▼
//!              data.rs of a view            plain structs, rebuilt when something changed
//!                │
//!                ▼
//!              …_ui.rs of a view            paints what is visible
//!                │  Action
//!                ▼
//!              Workbench::apply             changes only memory
//!                │  Effect
//!                ▼
//!              engine ──► disk              reads, searches, saves; sends the result as an event
//! ```
//!
//! Work for the engine is a *request*: a struct in [`workbench::requests`] that carries all its inputs, so that nothing is looked
//! up on the way. [`workbench::Request`] lists them; [`engine::Engine::run`] gives each to its task in `engine/tasks/`, which says what to do
//! and in which lane. Work that needs neither files nor the project is a closure, [`workbench::Compute`], and needs no task.
//! `engine/run.rs` has the threads, and handles cancellation and panics for all of them. The answer of a cancelled task is not sent; one
//! that nothing awaits any more is dropped by the workbench: by the number of the scan, by its key
//! (`workbench/core/latest.rs`), or by the revision of the document. Reading, saving and the git history are in
//! `engine/disk/`, which knows no tasks and no events.
//!
//! The command line calls the engine directly, uses the same formats and operations, and prints. The path of one file:
//! [`engine::scan()`] finds and reads it, [`format::read`] detects its kind and parses it, [`ops::check`] reports its problems,
//! and [`ops::summarise`] makes the [row](ops::Item) that stays in memory after its text is dropped.
//!
//! # Layers
//!
//! Each folder is a layer, and uses only the layers in the last column. A test checks the `use` lines against it.
//!
//! | layer | content | may use |
//! |---|---|---|
//! | [`text`] | bytes and places: [`Source`](text::Source), [`Span`](text::Span), [`TextEdit`](text::TextEdit) | std |
//! | [`format`](mod@format) | file formats, one file per format; all values with their places in a [`Tree`](format::Tree) | `text` |
//! | [`ops`] | operations on documents, as pure functions: check, compare, search, edit | `format`, `text` |
//! | [`workbench`] | the application without window, files or threads: a core that all desks share, the desks, and what commands do | `ops` and below |
//! | [`engine`] | files and threads: walking, reading, watching, saving, the git history | [`workbench::requests`], `ops` and below |
//! | [`ui`] | the window: views that read data and push actions; most have a `data.rs` without egui beside them | `workbench` and below |
//! | [`cli`] | the command line, one file per command | `engine`, `ops` and below |
//! | [`app`] | the shell around the window, which runs the cycle above | all but `cli` |
//!
//! # Invariants
//!
//! - Parsing never fails, on any bytes, and takes time and memory in proportion to the file.
//! - Only [`engine`] accesses files. A user's file is written, renamed or deleted only by the engine's save,
//!   and only when the user requests it. Retake's own folders contain the user's settings, the window's state, unsaved edits,
//!   the log, [reports of crashes](engine::report_panics), [copies of sources](engine::snapshots), what is listed of files that have
//!   not changed since, and the contents of files before a command of the command line wrote them
//!   ([`engine::undo`]); the command line stores the decisions of a review in the project
//!   ([`ops::review::ledger`]), and `retake stamp` keeps copies of sources in the same folder as the window.
//! - A command of the command line writes the user's files only through its [recorder](engine::undo::StepRecorder), so that
//!   `retake undo` restores them; except what `retake redact` removes. A record is on disk
//!   before its file changes, so that also a killed command can be undone. One that cannot be kept is reported, and never prevents a write.
//! - What is read with the index cache is what would be read without it: a wrong cache may only cost time. A row is used only while size,
//!   times and identity of its file are the same, and only if it depends on nothing but that file, the settings and the program.
//! - Nothing outside the project root is read, except folders that the user names for a queue or for new tapes, names of
//!   files in folders that the user types into the field for a path, git's folders, and Retake's own. The root is a [handle](engine::root::Root), not a path: the system refuses
//!   paths that lead out of it, by `..` or by a link. Only regular files are opened. The history of a linked
//!   work tree is in its repository, which is read only if it lists that work tree itself; objects that a clone borrows are in the
//!   object store of another one. Of a work tree of git around the
//!   root, the patterns of `.gitignore` files and the index are read, to know what git ignores.
//! - Only [`Workbench`](workbench::Workbench) changes state.
//! - Actions refer to ids, never to rows: a click still means the same item after sorting or scanning again.
//! - Nothing is sent over the network unless the user requests that import, also not after a crash, and the only sockets are those of
//!   [`engine::live`], each opened on request. No other program is started without the user's consent: a command is shown, and
//!   runs only after the user has accepted exactly that text. The editor is started without being shown first, only by *Open in
//!   editor* and only as the user has written it into their own settings, which is the consent; it runs without a shell, and stays
//!   open when the window closes. Text from files and folders is always quoted as a single word in
//!   it ([`ops::shell`]). A command is stopped with all its child processes, at the latest when the window closes. Output
//!   on a terminal goes through a pager only if `PAGER` or the user's own configuration of git names one, which is the consent; the
//!   configuration of a repository never starts a program. Git's history, and what git ignores, is read without git and without
//!   any configuration of it; only to check staged files and to install a hook is a repository opened as git opens it, even if its
//!   git directory is elsewhere, after its files were found to be regular ones.
//! - The window never waits for a file, a parse or a comparison; the cost of painting depends on what is visible, not on what
//!   is loaded.
//! - Text from files is shown with its hidden characters escaped ([`text::visible`]), and cannot control a terminal.
//!
//! # To add something
//!
//! | to add | do |
//! |---|---|
//! | a rule | a file in `ops/check/` with `rule!` and its check; its name in `format/problem.rs`, its `mod` and its arm in `ops/check/mod.rs`, the call in `ops/check/document.rs` or `ops/check/project.rs`, a row in `assets/guide/problems.md` |
//! | a fix of a rule | a row in `ops/change/rule_fix.rs` with its change; `retake check --fix`, the problems desk and the inspector offer it. A row in `assets/guide/command-line.md` |
//! | a command | its declaration with icon and keys in `workbench/core/command/declared.rs`, its condition and handler in the file of its section in `workbench/handlers/`, its row in `assets/guide/keys.md`; a letter key that only some views have: `workbench/handlers/applicability.rs` |
//! | a subcommand | a file in `cli/` with its arguments and `run`; its `mod`, variant and arm in `cli/mod.rs`; a row in `README.md` and a section in `assets/guide/command-line.md`. One that writes files gets the `StepRecorder`; one that prints JSON has its document in `cli/schema.rs`; what takes long is a [`Phase`](engine::Phase). A row in `tests/all/command_table.rs` |
//! | a file format | a reader in `format/`, a variant of [`FileKind`](format::FileKind) and of [`DocumentBody`](format::DocumentBody), its detection in `format/detect.rs`; then the compiler names the places that depend on the kind. A format that is only recognised: `format/foreign.rs`; one whose calls of models are read besides: a file in `ops/calls/` and its row in `FOREIGN` there. Listing, playback, serving and comparing follow |
//! | a provider of models | a row of the table in `ops/api/provider.rs`; with an API of its own: a file in `ops/api/` with its `ModelApi`, a variant of [`Api`](ops::api::Api) with its places in `ops/api/mod.rs`, its cells in `ops/live/api_tests.rs` |
//! | a setting of `retake.toml` | its key, field and reader in `ops/settings.rs`, which documents all of them, its lines in `ops/settings/template.rs`, and its row in `assets/guide/retake-toml.md`; if the window needs it, a field of `ProjectInfo`, filled in `engine/runner.rs` |
//! | a setting of the user | its key, field and reader in `workbench/core/user_settings/parse.rs`, a comment in `assets/settings.toml`, a row in `assets/guide/settings.md` |
//! | work that takes long | without files, a [`workbench::Compute`]; else a request in the file of its subject in `workbench/requests/`, its variant in `request.rs` there, a function in `engine/tasks/`, its line in [`engine::Engine::run`]. Its answer is a variant of an event beside the request |
//! | an edit | a variant of [`Edit`](ops::edit::Edit), [`TapeEdit`](ops::tape::edits::TapeEdit), [`SessionEdit`](ops::session::SessionEdit) or [`SeedFileEdit`](ops::seeds::SeedFileEdit); of another kind: a variant of [`ops::change::Change`] with its name and its plan. Undo, saving and the history follow |
//! | a form over the desk | a variant of `Overlay` in `workbench/core/view.rs`, its view in `overlay_ui` in `ui/window.rs` |
//! | a dialog for files | [`Effect::Pick`](workbench::Effect::Pick): a title, a kind, and the action that follows |
//! | a panel beside the content of a desk | `ui/widgets/side_panel.rs`: a name, its width, and the limits for dragging |
//! | a list or a table | rows described for `ui/widgets/list.rs` or `ui/widgets/table.rs`, which paint, scroll and take the focus; for `j` and `k`, `step` of its desk |
//! | a desk | a variant of `Desk` in `workbench/requests/remembered.rs`, before `Live`, and its `Go` command; a file in `workbench/desks/` with its state, actions and `impl DeskState`, and its row in `workbench/desks/mod.rs`; its event in `workbench/requests/` if the engine answers it; its view in `ui/`, shown by `ui/window.rs`; the names of its types in `workbench/mod.rs` |
//! | what one desk requests of another | a variant of `Link` in `workbench/core/link.rs`, carried out by `follow` in `workbench/state.rs` |
//!
//! # Where to find things
//!
//! | to change | go to |
//! |---|---|
//! | how a field is read | its file in [`format`](mod@format), and `format/detect.rs` for the kinds of files |
//! | the names of an enum: words of the command line, labels of the window | its `named_enum!`, declared in `text/named_enum.rs` |
//! | how JSON is written and quoted, and a value of any document as JSON | `format/json/write.rs` |
//! | what PyYAML reads otherwise than YAML 1.2 says | `format/scalar.rs` for types, `format/yaml/line_breaks.rs` for line breaks |
//! | a rule, or its result | `ops/check/`, one file per rule: its doc comment is the text that users read |
//! | a finding of several cassettes, at their settings or at a test | `ops/check/shared_findings.rs`; `cli/check.rs` puts them into the report, `workbench/core/library.rs` counts and lists one |
//! | which test uses a cassette, what its program compares | [`ops::cassette_config`], from the text of Python files that [`ops::python`] reads; `engine/disk/cassette_configs.rs` finds these |
//! | whether a recording matches | [`ops::signature`], [`ops::diff::signature`] |
//! | what a client serves, its error messages, and their fixes | [`ops::playback`]; `engine/disk/playback.rs` reads sets and requests |
//! | which cause the failures of a run have | [`ops::triage`]; `engine/disk/triage.rs` reads logs and sets, `engine/disk/history/empty_folder.rs` finds the commit that removed recordings, `cli/triage/` prints. The page to share: `ops/triage/page.rs`, as HTML by `ops/html.rs` |
//! | which recordings no run uses, copies | [`ops::unused`]; `engine/disk/unused.rs` reads sets and machines, `cli/unused.rs` prints |
//! | which commit recorded a call | [`ops::blame`]; `engine/disk/history/blame.rs` walks the commits, `cli/blame.rs` prints; in the window `workbench/core/call_commits.rs`, `ui/inspector/commits.rs` |
//! | personal data: how it is found and replaced | [`ops::redact`]; `engine/disk/redaction_key.rs` has the project's key |
//! | which texts are searched for secrets and personal data, without which layers and escapes | [`ops::decoded_view`] |
//! | a whole run in the window, and which of its failures are answered now | `workbench/desks/triage/`, `ui/triage/`; `engine/tasks/triage.rs` reads logs and plays |
//! | the playback desk | `workbench/desks/playback/`, `ui/playback/`; `engine/tasks/play.rs` plays what is open |
//! | the calls of a run, or of a session, in time | `ops/playback/strip.rs`, `ops/session/strip.rs`; the playhead and the visible time in `workbench/core/strip_player.rs`, as of tapes in `workbench/core/transport.rs` and `workbench/core/visible_range.rs`; `ui/strip/` draws both, `ui/playback/strip/` what leads to recordings, `ui/sessions/strip_ui.rs` tool calls |
//! | the verdicts on all sets | `ops/playback/set_verdict.rs`, `workbench/desks/playback/verdicts.rs`; `engine/tasks/judge_sets.rs` plays the sets that have changed |
//! | a comparison, or its messages | [`ops::diff`] |
//! | pairing, ignored differences, groups and decisions of a review | [`ops::review`]; `engine/disk/review.rs` reads recordings and writes decisions |
//! | the view of a tape, edits of tapes, conversion from other streams | [`ops::tape`]: one file per edit in `edits/`, saved streams in `sse/` |
//! | how a model's API is recognised, read and written | [`ops::api`]: one file per API, in both directions; `ops/api/provider.rs` has the providers |
//! | which calls of models a file contains, and what is known of each | [`format::call`], [`ops::calls`] |
//! | the shapes of cassettes, by the program that writes them | [`format::cassette`]; their calls: `ops/calls/cassette.rs`, with those of HTTP archives in `ops/calls/http.rs` |
//! | the layers around a body, such as gzip | `ops/body.rs`; edits of what is in them: `ops/edit/decoded.rs` |
//! | pictures for documents, as SVG | [`ops::picture`]; what they show: `ops/tape/picture.rs`, `ops/machine/map_picture.rs`, `ops/playback/strip_picture.rs`. The window paints the shapes of maps and strips with `ui/picture.rs`; `workbench/core/picture.rs` and `engine/tasks/change_files.rs` save them |
//! | how tapes are shown, played and edited in the window | `workbench/desks/tapes/`, `ui/tapes/`; `engine/disk/player.rs` plays to stdout |
//! | whether a request is the one of a tape | [`ops::tape::verify`] |
//! | how sessions are shown and edited in the window | `workbench/desks/sessions/`, `ui/sessions/`; each edit is one of [`ops::session`]'s |
//! | fetching runs from LangSmith | `workbench/desks/incident/fetch.rs`, `ui/incident/fetch_ui.rs`; `engine/tasks/incident.rs`. Proxies and certificates: `engine/live/proxy.rs`, `engine/live/http_client.rs` |
//! | which sessions an incident becomes, and what is a secret in it | [`ops::import`], [`ops::secret`]; a form of keys is a row in `ops/secret/format.rs` |
//! | which tape answers a call, how a proxied call becomes a tape | [`ops::live`]; `engine/live/` has the sockets |
//! | requests in a queue: view, answers, rules | `workbench/desks/live/queue/`, `ui/live/queue/`; `engine/queues.rs` watches and writes |
//! | which rule or recording answers a request in a queue | [`ops::live::queue`], [`ops::live::form`] |
//! | which keywords of a tool's schema are checked, and the fields of its form | [`ops::live::schema`] |
//! | the recorder and the server in the window, and their calls | `workbench/desks/live/calls/`, `ui/live/calls_ui.rs`; `engine/calls.rs` starts, stops and reports |
//! | how a session is written, and whether an answer fulfils its contract | [`ops::session`], [`ops::contract`] |
//! | the contract column of a session | `workbench/desks/sessions/contract/`, `ui/sessions/contract/`; `engine/contract/` |
//! | the sources, their states, and the layout of machines | [`ops::source`], [`ops::layout`]; `workbench/desks/problems/`, `ui/sources/`, `ui/stale/` |
//! | how a machine and the tools of its nodes are parsed | [`ops::machine`] |
//! | which tasks and edges of a machine have recordings, in each of its versions | `ops/machine/coverage.rs`, `ops/machine/map.rs`; `engine/disk/machine_map.rs` reads machines, their history and recordings; in the window `workbench/desks/map.rs`, `ui/map/` |
//! | a filter | [`ops::search`] |
//! | the search in the content of files | `ops/search/body.rs`; `engine/disk/body_search.rs`; in the window `workbench/core/body_search.rs`, `engine/tasks/library.rs` |
//! | a command, key or menu entry | `workbench/core/command/declared.rs`: menu, palette and keys are made from it |
//! | the sheet of keys | `ui/shell/keys_data.rs` |
//! | the user's settings: reading, faults, writing | `workbench/core/user_settings/`; `engine/disk/user_settings.rs` has the file, `ui/settings_ui.rs` shows it |
//! | the keys that a command has now | `workbench/core/command/keymap.rs`; views get them from `ui/keymap.rs` |
//! | the field for a path, also in place of a dialog | `workbench/path.rs`, `engine/disk/typed_path.rs`, `ui/shell/path_ui.rs` |
//! | notices, and when they go away | `workbench/core/notices.rs` |
//! | arrow keys and steps through lists | `workbench/stepping.rs`, `step` of the desk |
//! | the start page | `ui/start/` |
//! | what packages contain, the icon, the notices | `assets/package/`, and the table for `cargo packager` in Cargo.toml; `ui/about.rs` shows version and notices |
//! | the action for GitHub, the template for GitLab, the hooks for pre-commit | `assets/ci/`, `.pre-commit-hooks.yaml`; `tests/all/ci_kit.rs` tries them with the programs that read them |
//! | the samples that are part of the program, and their history | `engine/disk/samples.rs` |
//! | the library: filter, sorting, rows | `workbench/core/library_list.rs`, `workbench/requests/listing.rs`, `ui/library/` |
//! | the problems of cassettes in words, as rows and the inspector show them | `ui/problem_label.rs` |
//! | the sentences above the library, and their buttons | `workbench/requests/findings.rs`, `workbench/handlers/findings.rs`, `ui/library/findings.rs` |
//! | what a project remembers of its window | `workbench/core/project_view.rs` |
//! | the inspector | `workbench/core/inspector.rs`, `ui/inspector/` |
//! | which prompts the inspector shows as a card | [`ops::prompt`], `ui/inspector/prompt_ui.rs` |
//! | the dialog that shows a step before it is applied | `workbench/core/step.rs`, `ui/step/`; its texts are in `ops/change/rule_fix.rs` |
//! | undo and the history | `workbench/core/journal.rs`, `workbench/core/editing.rs` |
//! | links to parts of files, and what the window shows of them when it opens | [`ops::file_part`]; `cli/mod.rs` splits them off, `workbench/handlers/links.rs` shows and copies them, reports have one beside each finding |
//! | what happens in one frame | [`app`]: `logic`, then `ui` |
//! | the effect of a click | [`Action`](workbench::Action) and `workbench/apply.rs` |
//! | which calls in test code are seeds | `format/code.rs` |
//! | which seed answers a call, or how seeds are written | [`ops::seeds`]; `workbench/desks/seeds.rs` and `ui/seeds/` show them |
//! | what a stamp writes, and which source is chosen | [`ops::stamp`]; `engine/disk/stamp_planner.rs` reads the sources |
//! | what Flakestorm rejects in a configuration | `ops/check/config_refused.rs`, by `assets/flakestorm-2.0.schema.json`, the schema of its own models |
//! | detection of other tools' files | [`format::foreign`] |
//! | which files are found, and what is refused | `engine/disk/walk.rs`, `engine/disk/root/` |
//! | what is stored of files that have not changed, and when it is used | `engine/disk/index_cache/`; a field of a row is stored in its `row.rs` |
//! | which files git ignores | `engine/disk/gitignore.rs`; patterns are in `ops/settings/ignore.rs` |
//! | how changes on disk are watched and reported | `engine/watch.rs`, `workbench/core/disk_changes.rs` |
//! | what becomes stable in a file, and when | [`ops::stable`]; `cli/stabilize.rs` prints, `engine/disk/save/` does it on each save if the settings say so |
//! | how a file is written, and the messages of a failed save | `engine/disk/save/`, [`ops::saving`] |
//! | how planned changes of files are carried out and undone | [`ops::files`]; `engine/disk/files.rs` |
//! | where an earlier version of a source is found, and which copies are stored | `engine/disk/source_history.rs`, [`engine::snapshots`] |
//! | how renamed sources are found | `engine/disk/history/source_moves.rs`, [`ops::source::successors`] |
//! | a change of many places in many files: what is found, renamed, refused | [`ops::replace`]; `cli/edit/` has its options and its report; in the window `workbench/core/replacing.rs`, `engine/tasks/plan_replace.rs`, `ui/replace/` |
//! | what `retake undo` restores, and how long it is kept | `engine/disk/undo.rs`, `engine/disk/undo/store.rs`; in the window `workbench/core/command_steps.rs`, `ui/history.rs` |
//! | what is logged, and where to | `engine/logging.rs`, `engine/disk/log_file.rs`; records are made by the macros of the crate `log`. Never log the content of a file |
//! | what a panic leaves, and how the next window offers it | `engine/crash.rs`, `engine/disk/crash_reports.rs`; `workbench/core/stored_texts.rs`, `ui/stored_text.rs`. `RETAKE_PANIC` forces one in a debug build: `start`, or the name of a key |
//! | recovery of unsaved edits | [`engine::recovery`], and [`ops::merge`] if the file changed meanwhile |
//! | colours, sizes, fonts | [`ui::theme`] |
//! | the notice about a script without a font | `ui/theme/missing_fonts.rs` |
//! | a field in `--json`, an exit code | [`cli`] |
//! | an output format of `retake check` | `cli/check/`, one file per format |
//! | how a command follows changes on disk | `engine/change_listener.rs`; `cli/check/watch.rs` prints the differences |
//! | what a baseline contains, and which findings are new | `cli/check/baseline.rs`; what a finding is recognised by: `cli/check/report.rs` |
//! | the settings in a project's `retake.toml` | [`ops::settings`]; the file that `retake init` writes: `ops/settings/template.rs` |
//! | an output format of `retake diff` and `retake review` | `cli/diff/`, one file per format |
//! | what is escaped in Markdown | `cli/markdown.rs` |
//! | which pager shows output | `cli/pager.rs`; `engine/pager.rs` reads git's configuration and starts it |
//! | which call of a cassette is compared with which, and where in its decoded bodies changes are | `ops/review/cassette/` |
//! | what stays of an old file where its noise is kept | `ops/review/keep_noise.rs`; of a cassette `ops/review/cassette/keep_noise.rs`, of ids `ops/review/old_ids.rs` |
//! | keys and the pair view of the review desk | `workbench/desks/review/`, `ui/review/`; `engine/tasks/review.rs` and `engine/tasks/show_pair.rs` provide the data |
//! | which commands are offered, and their placeholders | [`ops::regenerate`], `workbench/desks/terminal/regenerate.rs` |
//! | how a command runs, reports output and is stopped | `engine/command.rs`, `workbench/desks/terminal.rs` |
//! | what is checked before a commit | `engine/disk/staged.rs`, `engine/disk/hook.rs` |
//! | what differs from a revision, and which commit that is | `engine/disk/changed.rs`, `engine/disk/history/revision.rs` |
//! | what documents and this map must contain | `tests/all/guide.rs`, `tests/all/layers.rs` |
//!
//! Two kinds of failure are separate: what is wrong *inside* a file is a [`Problem`](format::Problem) and never stops
//! anything; an error comes from the outside world. Unit tests are below the code they test, and compare text with text;
//! those in `tests/` use the program as a user does.

pub mod app;
