//! The workbench: all state of the application, and the only place where it changes.

use std::collections::HashSet;
use std::path::PathBuf;

use super::action::{Action, Overlay, Pane, Step, Tab, Theme};
use super::command::Command;
use super::event::{Effect, Event, Progress, Project, Remembered};
use super::library::{DocId, Library};
use super::listing::{self, Choice, Grouping, Listing, Sort};
use super::navigation::{Desk, Location, Navigation, View};
use crate::format::{Problem, RuleId, Severity};
use crate::ops::search::Query;
use crate::text::Span;

/// How many recent folders are kept.
const MOST_RECENT: usize = 12;
/// How many rows a page has, for the page keys.
const PAGE: isize = 20;

/// One problem of one item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProblemId {
    /// The item.
    pub doc: DocId,
    /// The problem's position among the item's.
    pub index: usize,
}

/// A short message that goes away by itself or by a click.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// Names it.
    pub id: u64,
    /// How much it weighs.
    pub severity: Severity,
    /// One sentence.
    pub text: String,
}

/// What narrows the library beside its filter, at one press.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Quick {
    /// Nothing.
    #[default]
    All,
    /// Whose source changed.
    Stale,
    /// With an error or a warning.
    Problems,
    /// Without source metadata.
    Unstamped,
}

/// How the library's list is shown.
#[derive(Debug, Default)]
pub struct LibraryDesk {
    filter: String,
    query: Query,
    quick: Quick,
    sort: Sort,
    grouping: Grouping,
    folded: HashSet<String>,
    selected: Option<DocId>,
    marked: Option<DocId>,
    listing: Listing,
    /// What the listing was built from, apart from the library's revision.
    choice: u64,
    built: (u64, u64),
}

/// How the problems desk is shown.
#[derive(Debug, Default)]
pub struct ProblemsDesk {
    level: Option<Severity>,
    rule: Option<RuleId>,
    problem: Option<ProblemId>,
}

/// All state of the application. Views read it, [`Workbench::apply`] and [`Workbench::receive`] change it.
#[derive(Debug)]
pub struct Workbench {
    library: Library,
    project: Option<Project>,
    generation: u64,
    progress: Option<Progress>,
    last: Progress,
    navigation: Navigation,
    list: LibraryDesk,
    problems: ProblemsDesk,
    tab: Tab,
    reveal: Option<(DocId, Span)>,
    pane: Pane,
    inspector: bool,
    overlay: Option<Overlay>,
    filter_wanted: bool,
    notices: Vec<Notice>,
    next_notice: u64,
    remembered: Remembered,
}

impl Workbench {
    /// A workbench with nothing open, as it was left last time.
    pub fn new(remembered: Remembered) -> Self {
        Self {
            library: Library::default(),
            project: None,
            generation: 0,
            progress: None,
            last: Progress::default(),
            navigation: Navigation::new(),
            list: LibraryDesk::default(),
            problems: ProblemsDesk::default(),
            tab: Tab::default(),
            reveal: None,
            pane: Pane::default(),
            inspector: true,
            overlay: None,
            filter_wanted: false,
            notices: Vec::new(),
            next_notice: 0,
            remembered,
        }
    }

    /// Takes what the engine found. What belongs to an older scan is dropped.
    pub fn receive(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::ScanStarted {
                generation,
                project,
            } => self.start(generation, project),
            Event::Found { generation, items } if generation == self.generation => {
                self.library.add(items)
            }
            Event::Progressed {
                generation,
                progress,
            } if generation == self.generation => {
                self.progress = Some(progress);
                self.last = progress;
            }
            Event::Judged {
                generation,
                problems,
            } if generation == self.generation => self.library.judge(problems),
            Event::ScanEnded {
                generation,
                progress,
                cancelled,
            } if generation == self.generation => {
                self.progress = None;
                self.last = progress;
                if cancelled {
                    self.notify(Severity::Note, "Reading was stopped; what was read stays.");
                }
            }
            Event::Opened(id, result) => self.library.opened_as(id, result),
            Event::Picked(paths) if !paths.is_empty() => return self.apply(Action::Open(paths)),
            Event::Failed(text) => self.notify(Severity::Error, text),
            _ => {}
        }
        self.refresh();
        Vec::new()
    }

    fn start(&mut self, generation: u64, project: Project) {
        self.generation = generation;
        self.library.clear();
        self.project = Some(project);
        self.progress = Some(Progress::default());
        self.last = Progress::default();
        self.navigation = Navigation::new();
        self.list = LibraryDesk {
            sort: self.list.sort,
            grouping: self.list.grouping,
            ..LibraryDesk::default()
        };
        self.problems = ProblemsDesk::default();
        self.reveal = None;
    }

    /// Applies one action. Changes memory only: work on files is handed back.
    #[must_use]
    pub fn apply(&mut self, action: Action) -> Vec<Effect> {
        let effects = match action {
            Action::Run(command) => self.run(command),
            Action::Go(desk) => self.go(desk, View::List),
            Action::Open(paths) => self.open(paths),
            Action::ForgetRecent(path) => {
                self.remembered.recent.retain(|other| *other != path);
                vec![Effect::Remember(self.remembered.clone())]
            }
            Action::Select(id) => self.select(id),
            Action::ToggleMark(id) => {
                self.list.marked = if self.list.marked == Some(id) {
                    None
                } else {
                    Some(id)
                };
                Vec::new()
            }
            Action::SetFilter(text) => {
                self.list.query = Query::parse(&text);
                self.list.filter = text;
                self.list.choice += 1;
                Vec::new()
            }
            Action::SetQuick(quick) => {
                self.list.quick = quick;
                self.list.choice += 1;
                Vec::new()
            }
            Action::SortBy(column) => {
                self.list.sort = self.list.sort.pressed(column);
                self.list.choice += 1;
                Vec::new()
            }
            Action::GroupBy(grouping) => {
                self.list.grouping = grouping;
                self.list.folded.clear();
                self.list.choice += 1;
                Vec::new()
            }
            Action::ToggleGroup(name) => {
                if !self.list.folded.remove(&name) {
                    self.list.folded.insert(name);
                }
                self.list.choice += 1;
                Vec::new()
            }
            Action::ShowTab(tab) => {
                self.tab = tab;
                Vec::new()
            }
            Action::Reveal(id, span) => {
                self.tab = Tab::Text;
                self.reveal = Some((id, span));
                self.inspector = true;
                let mut effects = self.go(Desk::Library, View::List);
                effects.extend(self.select(id));
                effects
            }
            Action::Compare(left, right) => {
                self.go(self.here().desk, View::Compare { left, right })
            }
            Action::ThenAndNow(id) => self.go(self.here().desk, View::ThenAndNow(id)),
            Action::ShowChange(_) | Action::ToggleFold(_) => Vec::new(),
            Action::SetPane(pane) => {
                self.pane = pane;
                Vec::new()
            }
            Action::SelectRule(rule) => {
                self.problems.rule = Some(rule);
                self.problems.problem = None;
                Vec::new()
            }
            Action::SelectProblem(problem) => self.select_problem(problem),
            Action::FilterProblems(level) => {
                self.problems.level = level;
                Vec::new()
            }
            Action::Copy(text) => vec![Effect::Copy(text)],
            Action::SetOverlay(overlay) => {
                self.overlay = overlay;
                Vec::new()
            }
            Action::SetTheme(theme) => {
                self.remembered.theme = theme;
                vec![Effect::Remember(self.remembered.clone())]
            }
            Action::Dismiss(id) => {
                self.notices.retain(|notice| notice.id != id);
                Vec::new()
            }
        };
        self.refresh();
        effects
    }

    fn run(&mut self, command: Command) -> Vec<Effect> {
        if let Err(reason) = self.can_run(command) {
            self.notify(Severity::Note, format!("{}: {reason}.", command.name()));
            return Vec::new();
        }
        let selected = self.list.selected;
        match command {
            Command::OpenFolder => return vec![Effect::PickFolder],
            Command::OpenFiles => return vec![Effect::PickFiles],
            Command::Reload => {
                let opened = self.project.as_ref().map(|project| project.opened.clone());
                return vec![Effect::Scan(opened.unwrap_or_default())];
            }
            Command::CancelReading => return vec![Effect::CancelScan],
            Command::CloseProject => return self.close_project(),
            Command::Quit => return vec![Effect::Quit],
            Command::ShowPalette => self.overlay = toggled(self.overlay, Overlay::Palette),
            Command::ShowKeys => self.overlay = toggled(self.overlay, Overlay::Keys),
            Command::GoLibrary => return self.go(Desk::Library, View::List),
            Command::GoProblems => return self.go(Desk::Problems, View::List),
            Command::Back => self.navigation.back(),
            Command::Forward => self.navigation.forward(),
            Command::Close => self.close(),
            Command::NextProblem => return self.step_problem(Step::Next),
            Command::PreviousProblem => return self.step_problem(Step::Previous),
            Command::FocusFilter => {
                let effects = self.go(Desk::Library, View::List);
                self.filter_wanted = true;
                return effects;
            }
            Command::ClearFilter => {
                self.list.quick = Quick::All;
                return self.apply(Action::SetFilter(String::new()));
            }
            Command::NextRow => return self.step_row(1),
            Command::PreviousRow => return self.step_row(-1),
            Command::NextPage => return self.step_row(PAGE),
            Command::PreviousPage => return self.step_row(-PAGE),
            Command::FirstRow => return self.step_to(|ends| ends.0),
            Command::LastRow => return self.step_to(|ends| ends.1),
            Command::OpenSelected => {
                self.inspector = true;
                if let Some(id) =
                    selected.filter(|id| self.library.get(*id).is_some_and(listing::is_stale))
                {
                    return self.apply(Action::ThenAndNow(id));
                }
            }
            Command::MarkSelected => {
                if let Some(id) = selected {
                    return self.apply(Action::ToggleMark(id));
                }
            }
            Command::ShowStale => return self.show_quick(Quick::Stale),
            Command::ShowProblems => return self.show_quick(Quick::Problems),
            Command::ShowUnstamped => return self.show_quick(Quick::Unstamped),
            Command::GroupByFolder => return self.group(Grouping::Folder),
            Command::GroupByStatus => return self.group(Grouping::Status),
            Command::CopyPath => {
                return selected
                    .and_then(|id| self.library.get(id))
                    .map(|item| Effect::Copy(item.path.to_string()))
                    .into_iter()
                    .collect();
            }
            Command::ThenAndNow => {
                if let Some(id) = selected {
                    return self.apply(Action::ThenAndNow(id));
                }
            }
            Command::CompareSelected => {
                if let Some((left, right)) = self.comparable() {
                    return self.apply(Action::Compare(left, right));
                }
            }
            Command::NextChange | Command::PreviousChange => {}
            Command::SwapSides => {
                if let View::Compare { left, right } = self.here().view {
                    self.navigation.replace(View::Compare {
                        left: right,
                        right: left,
                    });
                }
            }
            Command::TogglePane => {
                self.pane = match self.pane {
                    Pane::Sides => Pane::Unified,
                    Pane::Unified => Pane::Sides,
                };
            }
            Command::ToggleInspector => self.inspector = !self.inspector,
            Command::ToggleTheme => {
                let theme = if self.remembered.theme == Theme::Light {
                    Theme::Dark
                } else {
                    Theme::Light
                };
                return self.apply(Action::SetTheme(theme));
            }
        }
        Vec::new()
    }

    /// Whether a command can be used now; if not, the reason in a few words.
    pub fn can_run(&self, command: Command) -> Result<(), &'static str> {
        let need = |held: bool, reason| if held { Ok(()) } else { Err(reason) };
        let selected = self.selected();
        match command {
            Command::Reload | Command::CloseProject => {
                need(self.project.is_some(), "nothing is open")
            }
            Command::CancelReading => need(self.progress.is_some(), "nothing is being read"),
            Command::Back => need(self.navigation.can_go_back(), "this is where you began"),
            Command::Forward => need(self.navigation.can_go_forward(), "there is nothing ahead"),
            Command::NextProblem | Command::PreviousProblem => need(
                self.library.problems().next().is_some(),
                "there are no problems",
            ),
            Command::FocusFilter
            | Command::NextRow
            | Command::PreviousRow
            | Command::NextPage
            | Command::PreviousPage
            | Command::FirstRow
            | Command::LastRow
            | Command::ShowStale
            | Command::ShowProblems
            | Command::ShowUnstamped
            | Command::GroupByFolder
            | Command::GroupByStatus => need(!self.library.is_empty(), "nothing is open"),
            Command::ClearFilter => need(
                !self.list.filter.is_empty() || self.list.quick != Quick::All,
                "there is no filter",
            ),
            Command::OpenSelected | Command::MarkSelected | Command::CopyPath => {
                need(selected.is_some(), "select an item first")
            }
            Command::ThenAndNow => {
                let item = selected.ok_or("select a recording first")?;
                let source = item
                    .source
                    .as_ref()
                    .ok_or("only recordings have a source")?;
                need(
                    source.recorded_hash.is_some(),
                    "the recording names no source",
                )
            }
            Command::CompareSelected => need(
                self.comparable().is_some(),
                "select two items that can be compared",
            ),
            Command::NextChange | Command::PreviousChange | Command::TogglePane => {
                need(self.here().view != View::List, "nothing is side by side")
            }
            Command::SwapSides => need(
                matches!(self.here().view, View::Compare { .. }),
                "no two items are side by side",
            ),
            _ => Ok(()),
        }
    }

    fn open(&mut self, paths: Vec<PathBuf>) -> Vec<Effect> {
        if paths.is_empty() {
            return Vec::new();
        }
        for path in paths.iter().rev() {
            self.remembered.recent.retain(|other| other != path);
            self.remembered.recent.insert(0, path.clone());
        }
        self.remembered.recent.truncate(MOST_RECENT);
        self.remembered.opened.clone_from(&paths);
        vec![
            Effect::Remember(self.remembered.clone()),
            Effect::Scan(paths),
        ]
    }

    fn close_project(&mut self) -> Vec<Effect> {
        self.start(self.generation, Project::default());
        self.project = None;
        self.progress = None;
        self.remembered.opened.clear();
        vec![
            Effect::CancelScan,
            Effect::Remember(self.remembered.clone()),
        ]
    }

    fn go(&mut self, desk: Desk, view: View) -> Vec<Effect> {
        self.navigation.go(Location { desk, view });
        self.overlay = None;
        Vec::new()
    }

    /// Esc: takes away what lies on top, one thing a press.
    fn close(&mut self) {
        if self.overlay.is_some() {
            self.overlay = None;
        } else if self.here().view != View::List {
            self.navigation.go(Location {
                view: View::List,
                ..self.here()
            });
        } else if self.list.marked.is_some() {
            self.list.marked = None;
        }
    }

    fn select(&mut self, id: DocId) -> Vec<Effect> {
        self.list.selected = Some(id);
        if self.reveal.is_some_and(|(doc, _)| doc != id) {
            self.reveal = None;
        }
        self.want(id)
    }

    fn want(&mut self, id: DocId) -> Vec<Effect> {
        if self.library.want(id) {
            vec![Effect::Read(id)]
        } else {
            Vec::new()
        }
    }

    fn step_row(&mut self, by: isize) -> Vec<Effect> {
        match self.list.listing.step(self.list.selected, by) {
            Some(id) => self.select(id),
            None => Vec::new(),
        }
    }

    fn step_to(&mut self, end: impl Fn((DocId, DocId)) -> DocId) -> Vec<Effect> {
        match self.list.listing.ends() {
            Some(ends) => self.select(end(ends)),
            None => Vec::new(),
        }
    }

    fn show_quick(&mut self, quick: Quick) -> Vec<Effect> {
        let effects = self.go(Desk::Library, View::List);
        self.list.quick = quick;
        self.list.choice += 1;
        effects
    }

    fn group(&mut self, grouping: Grouping) -> Vec<Effect> {
        let grouping = if self.list.grouping == grouping {
            Grouping::None
        } else {
            grouping
        };
        self.apply(Action::GroupBy(grouping))
    }

    fn select_problem(&mut self, problem: ProblemId) -> Vec<Effect> {
        if let Some(found) = self.problem(problem) {
            self.problems.rule = Some(found.rule);
            self.problems.problem = Some(problem);
            return self.want(problem.doc);
        }
        Vec::new()
    }

    fn step_problem(&mut self, step: Step) -> Vec<Effect> {
        let level = self.problems.level;
        let ids: Vec<ProblemId> = self
            .library
            .problems()
            .filter(|(_, _, problem)| level.is_none_or(|level| problem.severity == level))
            .map(|(doc, index, _)| ProblemId { doc, index })
            .collect();
        let at = self
            .problems
            .problem
            .and_then(|here| ids.binary_search(&here).ok());
        let to = match (at, step) {
            (None, Step::Next) => 0,
            (None, Step::Previous) => ids.len().saturating_sub(1),
            (Some(at), Step::Next) => (at + 1) % ids.len(),
            (Some(at), Step::Previous) => (at + ids.len() - 1) % ids.len(),
        };
        let Some(problem) = ids.get(to).copied() else {
            return Vec::new();
        };
        let mut effects = self.go(Desk::Problems, View::List);
        effects.extend(self.select_problem(problem));
        effects
    }

    /// The two items a comparison would show: the selected one and the marked one.
    fn comparable(&self) -> Option<(DocId, DocId)> {
        let selected = self.list.selected?;
        let marked = self.list.marked.filter(|marked| *marked != selected)?;
        Some((selected, marked))
    }

    fn notify(&mut self, severity: Severity, text: impl Into<String>) {
        self.notices.push(Notice {
            id: self.next_notice,
            severity,
            text: text.into(),
        });
        self.next_notice += 1;
    }

    /// Builds the listing anew if what it is made from has changed.
    fn refresh(&mut self) {
        let key = (self.library.revision(), self.list.choice);
        if self.list.built == key {
            return;
        }
        let LibraryDesk {
            query,
            quick,
            sort,
            grouping,
            folded,
            ..
        } = &self.list;
        let keep = |item: &crate::ops::Item| query.matches(item);
        let narrow = |item: &crate::ops::Item| quick.keeps(item);
        let choice = Choice {
            keep: &keep,
            quick: &narrow,
            sort: *sort,
            grouping: *grouping,
            folded,
        };
        self.list.listing = Listing::build(&self.library, &choice);
        self.list.built = key;
    }
}

/// What views read.
impl Workbench {
    /// Everything that is open.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// What is open; `None` on the start page.
    pub fn project(&self) -> Option<&Project> {
        self.project.as_ref()
    }

    /// How far reading is; `None` when nothing is being read.
    pub fn reading(&self) -> Option<Progress> {
        self.progress
    }

    /// What the last scan read, or this one so far.
    pub fn totals(&self) -> Progress {
        self.last
    }

    /// Where the user is.
    pub fn here(&self) -> Location {
        self.navigation.here()
    }

    /// How the library is shown.
    pub fn list(&self) -> &LibraryDesk {
        &self.list
    }

    /// How the problems desk is shown.
    pub fn problems_desk(&self) -> &ProblemsDesk {
        &self.problems
    }

    /// The selected item.
    pub fn selected(&self) -> Option<&crate::ops::Item> {
        self.library.get(self.list.selected?)
    }

    /// A problem by its id.
    pub fn problem(&self, id: ProblemId) -> Option<&Problem> {
        self.library.get(id.doc)?.problems.get(id.index)
    }

    /// Which side of the selected item is shown.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// A place to show in the selected item's text.
    pub fn reveal(&self) -> Option<(DocId, Span)> {
        self.reveal
    }

    /// How two texts are laid out.
    pub fn pane(&self) -> Pane {
        self.pane
    }

    /// Whether the inspector is shown.
    pub fn inspector(&self) -> bool {
        self.inspector
    }

    /// What lies over the desk.
    pub fn overlay(&self) -> Option<Overlay> {
        self.overlay
    }

    /// Messages not yet taken away, the oldest first.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// What is kept for the next start.
    pub fn remembered(&self) -> &Remembered {
        &self.remembered
    }

    /// True once after the filter was asked for: the view then puts the cursor into it.
    pub fn take_filter_wanted(&mut self) -> bool {
        std::mem::take(&mut self.filter_wanted)
    }
}

impl LibraryDesk {
    /// The filter's text.
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// What the filter says.
    pub fn query(&self) -> &Query {
        &self.query
    }

    /// What narrows the list at one press.
    pub fn quick(&self) -> Quick {
        self.quick
    }

    /// By what rows are sorted.
    pub fn sort(&self) -> Sort {
        self.sort
    }

    /// Under which headings rows stand.
    pub fn grouping(&self) -> Grouping {
        self.grouping
    }

    /// The selected item.
    pub fn selected(&self) -> Option<DocId> {
        self.selected
    }

    /// The item marked as the other side of a comparison.
    pub fn marked(&self) -> Option<DocId> {
        self.marked
    }

    /// The rows.
    pub fn listing(&self) -> &Listing {
        &self.listing
    }

    /// Changes whenever the rows may have changed: by what is open, or by how it is shown.
    pub fn built_from(&self) -> (u64, u64) {
        self.built
    }
}

impl ProblemsDesk {
    /// The one level that is shown; `None` for all.
    pub fn level(&self) -> Option<Severity> {
        self.level
    }

    /// The selected rule.
    pub fn rule(&self) -> Option<RuleId> {
        self.rule
    }

    /// The selected problem.
    pub fn problem(&self) -> Option<ProblemId> {
        self.problem
    }
}

impl Quick {
    fn keeps(self, item: &crate::ops::Item) -> bool {
        match self {
            Self::All => true,
            Self::Stale => listing::is_stale(item),
            Self::Problems => listing::has_problems(item),
            Self::Unstamped => item.status() == crate::ops::Status::Unstamped,
        }
    }
}

fn toggled(overlay: Option<Overlay>, wanted: Overlay) -> Option<Overlay> {
    if overlay == Some(wanted) {
        None
    } else {
        Some(wanted)
    }
}
