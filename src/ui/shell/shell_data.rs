//! Data of the shell, read from the workbench.

use crate::playback::PlaybackData;
use compare::review::ledger;
use document::text::{counted, thousands, visible};
use document::{FileKind, Severity};
use protocol::{Desk, WatchFailure, WatchState};
use widgets::icons;
use workbench::{
    Action, Command, DecisionStatus, DeskView, Library, LiveSide, Notice, Overlay, SaveMode,
    SourceTab, TriageAction, Workbench,
};

/// Number of key hints in the status line.
const MAX_HINTS: usize = 5;

/// Data of everything around the desk, besides what the workbench has as it is shown.
#[derive(Clone, Debug, Default)]
pub struct ShellData {
    /// The current location, the desk first.
    pub crumbs: Vec<Crumb>,
    pub rail: Rail,
    /// The number of loaded items, with their noun.
    pub items: String,
    /// Key hints for the current location.
    pub hints: Vec<Hint>,
    pub notices: Vec<NoticeLine>,
    counts: ItemCounts,
}

/// Counts of all items for the rail, as of one revision of the items.
#[derive(Clone, Copy, Debug, Default)]
struct ItemCounts {
    /// `None` before the first count.
    revision: Option<u64>,
    errors: usize,
    has_tapes: bool,
    has_sessions: bool,
    has_seeds: bool,
    has_requests: bool,
    cassettes: usize,
    /// Whether nothing else is known.
    is_cassettes: bool,
}

impl ItemCounts {
    fn new(library: &Library) -> Self {
        let mut counts = Self {
            revision: Some(library.items_revision),
            errors: library.count(Severity::Error),
            is_cassettes: true,
            ..Self::default()
        };
        for (_, item) in library.iter() {
            counts.cassettes += usize::from(item.is_cassette());
            counts.is_cassettes &= item.is_cassette() || !item.kind.is_known();
            match item.kind {
                FileKind::Tape => counts.has_tapes = true,
                FileKind::Session | FileKind::Contract => counts.has_sessions = true,
                FileKind::Seeds => counts.has_seeds = true,
                FileKind::Request => counts.has_requests = true,
                _ => {}
            }
        }
        counts
    }
}

/// A breadcrumb.
#[derive(Clone, Debug, PartialEq)]
pub struct Crumb {
    pub text: String,
    /// The action that goes there; `None` for the current location.
    pub action: Option<Action>,
}

/// The desks of the rail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rail {
    /// Desks with content, and the current one.
    pub desks: Vec<RailEntry>,
    /// Desks that are empty in this project.
    pub more: Vec<Desk>,
}

/// A desk on the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RailEntry {
    pub desk: Desk,
    /// Whether it is the current desk.
    pub is_current: bool,
    /// A count with its severity.
    pub badge: Option<(usize, Severity)>,
}

/// Keys and their effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    pub caps: Vec<String>,
    /// The effect, in a few words.
    pub does: &'static str,
}

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct NoticeLine {
    pub id: u64,
    /// Severity, which decides its colour and icon.
    pub severity: Severity,
    /// One sentence.
    pub text: String,
    /// Its button: icon, label and action.
    pub button: Option<(&'static str, &'static str, Action)>,
}

impl ShellData {
    /// Updates the data from the workbench. Items are counted only if something was read since the last update.
    pub fn refresh(&mut self, workbench: &Workbench) {
        let library = &workbench.core.library;
        // Counting goes through all items, and this runs in every frame.
        if self.counts.revision != Some(library.items_revision) {
            self.counts = ItemCounts::new(library);
        }
        self.crumbs = crumbs(workbench);
        self.rail = rail(workbench, &self.counts);
        self.items = loaded(library.len(), &self.counts);
        self.hints = hints(workbench);
        self.notices = {
            let revision = workbench.core.journal.revision;
            let notices = workbench.core.notices.iter();
            // The dialog offers the report, too.
            let is_offered = workbench.core.overlay == Some(Overlay::Recovered);
            let notices = notices.filter(|n| !(is_offered && n.offers_report()));
            notices.map(|n| notice(n, revision)).collect()
        };
    }
}

fn crumbs(workbench: &Workbench) -> Vec<Crumb> {
    if workbench.core.project.is_none() {
        return Vec::new();
    }
    let location = workbench.core.here();
    let desk = location.desk.name().to_owned();
    let library = &workbench.core.library;
    let visible_text = |text: &str| visible(text).into_owned();
    let label = |id| library.get(id).map_or_else(String::new, |item| visible_text(item.label()));
    let file_name = |doc| library.get(doc).map(|item| visible_text(item.file_name()));
    let inner = match location.view {
        DeskView::List if location.desk == Desk::Sessions => {
            workbench.sessions.selected.as_ref().and_then(|session| file_name(session.doc))
        }
        DeskView::List if location.desk == Desk::Tapes => {
            workbench.tapes.selected.and_then(file_name)
        }
        DeskView::List if matches!(location.desk, Desk::Seeds | Desk::Audit) => None,
        DeskView::List if location.desk == Desk::Problems => {
            workbench.problems.rule.map(|rule| check::rule(rule).title.to_owned())
        }
        DeskView::List if location.desk == Desk::Live => {
            let side = match workbench.live.side {
                LiveSide::Queue => "Queue",
                LiveSide::Calls => "Record and serve",
                LiveSide::Drift => "Drift",
            };
            Some(side.to_owned())
        }
        DeskView::List if location.desk == Desk::Review => {
            let desk = &workbench.review;
            let group = desk.open_group().map(|(group, _)| group.name.replace('`', ""));
            Some(visible(&group.unwrap_or_else(|| desk.base.label())).into_owned())
        }
        DeskView::List if location.desk == Desk::Playback => {
            let is_played = !workbench.playback.is_choosing();
            is_played.then(|| PlaybackData::new(workbench).title())
        }
        DeskView::Import => Some("Import".to_owned()),
        DeskView::Triage => Some("Run".to_owned()),
        DeskView::Failure => Some("Failure".to_owned()),
        // The set of the selected item.
        DeskView::List => {
            let item = workbench.core.list.selected.and_then(|id| library.get(id));
            // The folder of the project is in front of the breadcrumbs.
            let folder = item.map(|item| library.shown_folder(item));
            folder.filter(|folder| *folder != ".").map(last_folder)
        }
        DeskView::Compare { left, right } => Some(format!("{} and {}", label(left), label(right))),
        DeskView::Conflict(id) => Some(label(id)),
        DeskView::Source(id) => {
            let source = workbench.core.library.get(id).and_then(|item| item.source.as_ref());
            let file = source
                .and_then(|source| source.file.as_deref())
                .map(|file| workbench.core.library.shown_path(file));
            Some(file.map_or_else(|| label(id), |file| visible(file).into_owned()))
        }
    };
    let Some(inner) = inner else {
        return vec![Crumb { text: desk, action: None }];
    };
    // Going to the current desk returns to its list.
    let desk_crumb = Crumb { text: desk, action: Some(Action::Go(location.desk)) };
    let is_failure = location.view == DeskView::Failure;
    let run = || Crumb { text: "Run".to_owned(), action: Some(TriageAction::Show.into()) };
    let last = Crumb { text: inner, action: None };
    [Some(desk_crumb), is_failure.then(run), Some(last)].into_iter().flatten().collect()
}

/// Returns the name of a folder, without the folders that it is in.
fn last_folder(folder: &str) -> String {
    visible(folder.rsplit('/').next().unwrap_or(folder)).into_owned()
}

fn rail(workbench: &Workbench, counts: &ItemCounts) -> Rail {
    if workbench.core.project.is_none() {
        return Rail::default();
    }
    let here = workbench.core.here().desk;
    let waiting = workbench.live.queue.waiting();
    let calls = &workbench.live.calls;
    let is_live = calls.calls().len() > 0 || !calls.addresses().is_empty();
    let has_content = |desk: Desk| match desk {
        Desk::Tapes => counts.has_tapes,
        Desk::Sessions => counts.has_sessions,
        Desk::Seeds => counts.has_seeds,
        Desk::Audit => counts.cassettes > 0,
        Desk::Live => counts.has_requests || waiting > 0 || is_live,
        Desk::Library | Desk::Playback | Desk::Review | Desk::Problems => true,
    };
    let entry = |desk: &Desk| RailEntry {
        desk: *desk,
        is_current: *desk == here,
        badge: match desk {
            // Only errors are counted: notes and warnings require no action at once.
            Desk::Problems => Some((counts.errors, Severity::Error)),
            Desk::Live => Some((waiting, Severity::Note)),
            _ => None,
        }
        .filter(|(count, _)| *count > 0),
    };
    // A desk that was opened from the menu stays while it is open.
    let (desks, more): (Vec<&Desk>, Vec<&Desk>) =
        Desk::ALL.iter().partition(|desk| has_content(**desk) || **desk == here);
    Rail {
        desks: desks.into_iter().map(entry).collect(),
        more: more.into_iter().copied().collect(),
    }
}

/// Returns how much is loaded: of one kind, as the people who have that kind call it.
fn loaded(count: usize, counts: &ItemCounts) -> String {
    match (counts.is_cassettes, counts.cassettes) {
        (true, cassettes @ 1..) => counted(cassettes, "cassette", "cassettes"),
        _ => counted(count, "item", "items"),
    }
}

/// Summarizes what the current desk shows; empty if it shows everything.
pub(super) fn desk_summary(workbench: &Workbench) -> String {
    let (location, desk) = (workbench.core.here(), &workbench.review);
    match (location.desk, location.view) {
        // Ignored pairs are done without a decision, and nothing was saved for them.
        (Desk::Review, DeskView::List)
            if desk.progress_label(&workbench.core).is_none()
                && desk.statuses.all.done() > desk.statuses.all.count(DecisionStatus::Ignored) =>
        {
            format!("Decisions saved in {}", ledger::PATH)
        }
        (Desk::Live, _) => streaming_summary(workbench.live.calls.streaming()),
        _ => String::new(),
    }
}

/// Counts the calls being answered.
fn streaming_summary(calls: usize) -> String {
    match calls {
        0 => String::new(),
        1 => "1 call streaming".to_owned(),
        calls => format!("{} calls streaming", thousands(calls)),
    }
}

/// The state of the file watcher in a few words, and what to do to improve it; `None` if it is off.
pub(super) fn watch_status(state: &WatchState) -> Option<(String, String)> {
    Some(match state {
        WatchState::Off => return None,
        WatchState::Live => {
            ("Watching".to_owned(), "Changes on disk appear here immediately".to_owned())
        }
        WatchState::Gone => (
            "Not watching: the folder is gone".to_owned(),
            "The opened folder no longer exists; it is read again as soon as it is back".to_owned(),
        ),
        WatchState::Rescanning(cause) => rescan_reason(cause),
    })
}

fn rescan_reason(cause: &WatchFailure) -> (String, String) {
    let (why, tip) = match cause {
        WatchFailure::NoWatchesLeft => (
            "no watches left",
            "The system cannot watch more folders, so Retake rescans all of them every few seconds. \
             On Linux, raise fs.inotify.max_user_watches and fs.inotify.max_user_instances with sysctl",
        ),
        WatchFailure::TooManyChanges => (
            "too many changes at once",
            "More files changed than the system could report; Retake rescans everything until this stops",
        ),
        // The reason is the system's own text, which has no place in the status line.
        WatchFailure::Unable(reason) => {
            let tip = format!(
                "The system does not report changes ({}), so Retake rescans everything every few seconds",
                visible(reason)
            );
            return ("Rescanning for changes".to_owned(), tip);
        }
    };
    (format!("Rescanning for changes: {why}"), tip.to_owned())
}

fn hints(workbench: &Workbench) -> Vec<Hint> {
    let keymap = &workbench.core.user.settings.keymap;
    // What cannot be used now is not offered.
    let can_run = |command: &&Command| command.enabled(workbench).is_ok();
    let caps = |command: &Command| keymap.caps(*command);
    let hint = |commands: &[Command], effect| Hint {
        caps: commands.iter().filter(can_run).flat_map(caps).collect(),
        does: effect,
    };
    let location = workbench.core.here();
    let mut hints = match (location.view, location.desk) {
        _ if workbench.core.project.is_none() => Vec::new(),
        (DeskView::Compare { .. } | DeskView::Conflict(_), _) => vec![
            hint(&[Command::NextChange, Command::PreviousChange], "next and previous difference"),
            hint(&[Command::Close], "back to the list"),
        ],
        (DeskView::Import, _) => vec![
            hint(
                &[Command::NextRow, Command::PreviousRow],
                if workbench.import.makes_fixture() { "call" } else { "draft" },
            ),
            hint(&[Command::ToggleDraft], "include"),
            hint(&[Command::ChooseFixture], "make a"),
            hint(&[Command::ReplaceSecret, Command::KeepSecret], "replace, keep"),
            hint(&[Command::SaveSessions], "write"),
        ],
        (DeskView::Triage, _) => vec![
            hint(&[Command::NextRow, Command::PreviousRow], "cause"),
            hint(&[Command::OpenSelected], "open test"),
            hint(&[Command::FixPlayback], "fix"),
            hint(&[Command::NextChange], "next unsolved"),
            hint(&[Command::Undo], "undo"),
        ],
        (DeskView::Failure, _) => vec![
            hint(&[Command::FixPlayback], "fix"),
            hint(&[Command::RegenerateSelected], "record again"),
            hint(&[Command::NextRow, Command::PreviousRow], "test"),
            hint(&[Command::Close], "back"),
        ],
        (DeskView::Source(_), _) => {
            let mut hints = match workbench.core.source_tab {
                SourceTab::ThenAndNow => {
                    vec![hint(&[Command::NextChange, Command::PreviousChange], "change")]
                }
                SourceTab::Map => vec![
                    hint(&[Command::PreviousColumn, Command::NextColumn], "commit"),
                    hint(&[Command::NextChange], "next that breaks"),
                    hint(&[Command::NextRow, Command::PreviousRow], "node"),
                    hint(&[Command::OpenSelected], "recordings"),
                ],
                SourceTab::Recordings => vec![
                    hint(&[Command::NextRow, Command::PreviousRow], "recording"),
                    hint(&[Command::OpenSelected], "open"),
                ],
            };
            let digits = ["1", "2", "3"].map(str::to_owned).into();
            hints.push(Hint { caps: digits, does: "tab" });
            hints
        }
        (DeskView::List, Desk::Sessions) => session_hints(workbench, hint),
        (DeskView::List, Desk::Tapes) if workbench.tapes.prepared().is_some() => vec![
            hint(&[Command::PlayTape], "play or pause"),
            hint(&[Command::PreviousColumn, Command::NextColumn], "chunk"),
            hint(&[Command::OpenView], "view"),
        ],
        (DeskView::List, Desk::Audit) => vec![
            hint(&[Command::NextRow, Command::PreviousRow], "cause or place"),
            hint(&[Command::OpenSelected], "unfold or open"),
        ],
        (DeskView::List, Desk::Problems) => {
            vec![
                hint(&[Command::NextRow, Command::PreviousRow], "place"),
                hint(&[Command::FixRule], "fix all"),
                hint(&[Command::FixProblem], "fix this one"),
                hint(&[Command::OpenSelected], "open file"),
                hint(&[Command::NextProblem], "next"),
            ]
        }
        (DeskView::List, Desk::Playback) if workbench.playback.shown_strip().is_some() => vec![
            hint(&[Command::PlayTape], "play"),
            hint(&[Command::PreviousColumn, Command::NextColumn], "step"),
            hint(&[Command::NextChange], "next problem"),
            hint(&[Command::OpenView], "view"),
            hint(&[Command::Close], "back"),
        ],
        (DeskView::List, Desk::Playback) if workbench.playback.has_choice() => vec![
            hint(&[Command::FocusFilter], "filter"),
            hint(&[Command::NextRow, Command::PreviousRow], "next and previous"),
            hint(&[Command::OpenSelected], "play"),
            hint(&[Command::OpenView], "view"),
        ],
        (DeskView::List, Desk::Seeds) => vec![
            hint(&[Command::NextRow, Command::PreviousRow], "row"),
            hint(&[Command::OpenSelected], "show in Library"),
            hint(&[Command::OpenView], "view"),
        ],
        (DeskView::List, Desk::Review) if workbench.review.pair.is_some() => vec![
            hint(&[Command::NextRow, Command::PreviousRow], "pair"),
            hint(&[Command::NextGroup, Command::PreviousGroup], "group"),
            hint(&[Command::NextChange], "next change"),
            hint(&[Command::AcceptPair, Command::RejectPair, Command::KeepNoisePair], "this one"),
            hint(
                &[Command::AcceptGroup, Command::RejectGroup, Command::KeepNoiseGroup],
                "the group",
            ),
            hint(&[Command::UndoDecision], "undo"),
        ],
        (DeskView::List, Desk::Live) if workbench.live.chooses_by_digits(&workbench.core) => vec![
            Hint { caps: vec!["1".to_owned(), "9".to_owned()], does: "tool" },
            hint(&[Command::AnswerByText], "text"),
            hint(&[Command::WriteAnswer], "write"),
            hint(&[Command::NextRow, Command::PreviousRow], "request"),
            hint(&[Command::KeepAsRule], "keep as rule"),
        ],
        (DeskView::List, Desk::Library) if !workbench.core.library.is_empty() => vec![
            hint(&[Command::FocusFilter], "filter"),
            hint(&[Command::OpenSelected], "open"),
            hint(&[Command::Unfold], "unfold"),
            if Command::PlaySet.enabled(workbench).is_ok() {
                hint(&[Command::PlaySet], "play")
            } else {
                hint(&[Command::OpenView], "view")
            },
        ],
        (DeskView::List, _) => Vec::new(),
    };
    // The user may have removed the keys of a command.
    hints.retain(|hint| !hint.caps.is_empty());
    // More would not be read.
    hints.truncate(MAX_HINTS);
    // All others are found by it.
    hints.extend(Some(hint(&[Command::ShowKeys], "keys")).filter(|hint| !hint.caps.is_empty()));
    hints
}

fn session_hints(
    workbench: &Workbench,
    hint: impl Fn(&[Command], &'static str) -> Hint,
) -> Vec<Hint> {
    if workbench.sessions.response().is_none() {
        let Some(session) = workbench.sessions.session(&workbench.core) else {
            return Vec::new();
        };
        let effect = if session.tool_responses.is_empty() {
            "add a tool response"
        } else {
            "go to the tool responses"
        };
        return vec![
            hint(&[Command::NextRow, Command::PreviousRow], "next and previous session"),
            hint(&[Command::OpenSelected], effect),
            hint(&[Command::ToggleSessionText], "YAML"),
        ];
    }
    vec![
        hint(&[Command::OpenSelected], "edit the response"),
        hint(&[Command::EditResponse], "edit the row"),
        hint(&[Command::PutFault], "insert a fault"),
        hint(&[Command::MoveResponseUp, Command::MoveResponseDown], "move"),
        hint(&[Command::ToggleSessionText], "YAML"),
    ]
}

fn notice(notice: &Notice, revision: u64) -> NoticeLine {
    NoticeLine {
        id: notice.id,
        severity: notice.severity,
        text: match notice.count {
            // Equal messages are one line with a number, or a failing disk would fill the window.
            0 | 1 => notice.text.clone(),
            count => format!("{} ({count} times)", notice.text),
        },
        button: match notice.conflict() {
            // A notice has one button: the one that the user cannot do without comes first.
            Some(doc) => Some((icons::COLUMNS_2, "Compare", Action::ShowConflict(doc))),
            None if let Some(doc) = notice.unsaved() => {
                let icon = icons::command(Command::Save);
                Some((icon, Command::Save.name(), Action::Save(doc, SaveMode::Usual)))
            }
            None if notice.offers_report() => {
                Some((icons::FILE_TEXT, "Show report", Action::Run(Command::ShowCrashReport)))
            }
            None if notice.is_about_settings() => {
                let command = Command::OpenSettings;
                Some((icons::command(command), command.name(), Action::Run(command)))
            }
            // Only as long as it is the last step: later, *Undo* would undo something else.
            None if notice.undo == Some(revision) => {
                let icon = icons::command(Command::Undo);
                Some((icon, Command::Undo.name(), Action::Run(Command::Undo)))
            }
            None => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::{EngineEvent, ProjectInfo, Remembered};

    fn open() -> Workbench {
        let mut workbench = Workbench::new(Remembered::default());
        let project = ProjectInfo {
            name: "helpdesk-agents".to_owned(),
            branch: Some("main".to_owned()),
            ..ProjectInfo::default()
        };
        workbench.receive(EngineEvent::ScanStarted { generation: 1, project });
        workbench
    }

    #[test]
    fn the_rail_shows_desks_with_content_and_the_others_under_more() {
        let mut data = ShellData::default();
        data.refresh(&Workbench::new(Remembered::default()));
        assert_eq!(data.rail, Rail::default());
        let mut workbench = open();
        data.refresh(&workbench);
        let desks = |rail: &Rail| rail.desks.iter().map(|entry| entry.desk).collect::<Vec<_>>();
        let always = [Desk::Library, Desk::Playback, Desk::Review, Desk::Problems];
        assert_eq!(desks(&data.rail), always);
        assert_eq!(
            data.rail.more,
            [Desk::Tapes, Desk::Sessions, Desk::Seeds, Desk::Audit, Desk::Live]
        );
        assert!(data.rail.desks.iter().all(|entry| entry.badge.is_none()));
        let _ = workbench.apply(Action::Go(Desk::Seeds));
        data.refresh(&workbench);
        assert!(desks(&data.rail).contains(&Desk::Seeds));
        assert_eq!(data.rail.more, [Desk::Tapes, Desk::Sessions, Desk::Audit, Desk::Live]);
    }

    #[test]
    fn the_status_line_counts_streaming_calls() {
        let words = [0, 1, 3].map(streaming_summary);
        assert_eq!(words, ["", "1 call streaming", "3 calls streaming"]);
    }

    #[test]
    fn the_status_line_shows_how_the_disk_is_watched() {
        let words = |watching| watch_status(&watching).map_or(String::new(), |(words, _)| words);
        assert_eq!(words(WatchState::Off), "");
        assert_eq!(words(WatchState::Live), "Watching");
        assert_eq!(words(WatchState::Gone), "Not watching: the folder is gone");
        let rescanning = |cause| words(WatchState::Rescanning(cause));
        assert_eq!(
            rescanning(WatchFailure::NoWatchesLeft),
            "Rescanning for changes: no watches left"
        );
        assert_eq!(
            rescanning(WatchFailure::TooManyChanges),
            "Rescanning for changes: too many changes at once"
        );
        assert_eq!(rescanning(WatchFailure::Unable("why".into())), "Rescanning for changes");
    }

    #[test]
    fn nothing_open_has_no_crumbs() {
        let mut data = ShellData::default();
        data.refresh(&Workbench::new(Remembered::default()));
        assert_eq!(data.crumbs, []);
        data.refresh(&open());
        assert_eq!(data.crumbs, [Crumb { text: "Library".to_owned(), action: None }]);
    }
}
