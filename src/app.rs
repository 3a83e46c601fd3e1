//! The window's shell: receives events, runs effects, paints, applies actions. In that order, every frame.
//!
//! What only the system can do is behind [`System`], so that the whole window can also be used without one, by tests.

mod desktop;

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender};

use crate::engine::{Engine, Question, Setup, Text, ToEdit, ToLay, ToSeed};
use crate::ops::tape::picture::Look;
use crate::ui::{Views, keys, theme, window_ui};
use crate::workbench::{
    Action, Command, ContractEffect, Desk, DocId, Effect, Event, ForTape, ImportAction,
    ImportEffect, ImportEvent, MadeOf, MakeAction, MakeEffect, MakeEvent, OnDisk, Overlay,
    PictureEffect, PictureEvent, PlaybackEffect, PlaybackEvent, Remembered, RequestFrom,
    ReviewEffect, SeedsEffect, SessionsEffect, Take, TakesEffect, TapesAction, TapesEffect,
    TapesEvent, TerminalEffect, Theme, VerifyAction, Wanted, Workbench,
};

pub use desktop::run;

/// How long a frame takes events before it paints.
const RECEIVE_AT_MOST: Duration = Duration::from_millis(4);

/// What the shell asks of the system around the window.
pub trait System {
    /// Lets the user choose; the answer may come at any time.
    fn pick(&mut self, pick: Pick, answer: Answer);

    /// Keeps this for the next start.
    ///
    /// # Errors
    ///
    /// Says in a sentence why it could not be kept; the program goes on without.
    fn remember(&mut self, remembered: &Remembered) -> Result<(), String>;
}

/// What a dialog lets choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pick {
    /// Folders.
    Folder,
    /// Single files.
    Files,
    /// What an incident has left: files.
    Incident,
    /// A folder that sessions are saved to.
    SessionFolder,
    /// Requests to be played: a folder, or a file.
    Requests(Wanted),
    /// A file for a picture. Asks before one is replaced.
    Picture {
        /// What it is called at first.
        name: String,
        /// The colours of the picture.
        look: Look,
    },
    /// A file for the tape that is shown.
    ForTape(ForTape),
    /// A file that a new tape is made of.
    Material,
    /// A file to save a document in. Asks before one is replaced.
    SaveAs {
        /// The document.
        doc: DocId,
        /// The path of the file it was read from.
        near: String,
    },
}

/// Where the answer to a dialog goes.
#[derive(Debug)]
pub struct Answer {
    to_shell: Sender<Event>,
    pick: Pick,
    ctx: egui::Context,
}

impl Answer {
    /// Tells what was chosen, from whatever thread.
    pub fn give(self, picked: Vec<PathBuf>) {
        // Where the answer to an earlier dialog still waits, that one counts.
        let event = match self.pick {
            Pick::Folder | Pick::Files => Event::Picked(picked),
            Pick::Incident => Event::Import(ImportEvent::PickedFiles(picked)),
            Pick::SessionFolder => match picked.into_iter().next() {
                Some(path) => Event::Import(ImportEvent::PickedFolder(path)),
                None => return,
            },
            Pick::Requests(_) => match picked.into_iter().next() {
                Some(path) => Event::Playback(PlaybackEvent::Picked(path)),
                None => return,
            },
            Pick::Picture { look, .. } => match picked.into_iter().next() {
                Some(path) => Event::Tapes(TapesEvent::Picture(PictureEvent::Chosen(path, look))),
                None => return,
            },
            Pick::ForTape(what) => match picked.into_iter().next() {
                Some(path) => Event::Tapes(TapesEvent::Picked(what, path)),
                None => return,
            },
            Pick::Material => match picked.into_iter().next() {
                Some(path) => Event::Tapes(TapesEvent::Make(MakeEvent::Chosen(path))),
                None => return,
            },
            Pick::SaveAs { doc, .. } => match picked.into_iter().next() {
                Some(path) => Event::PickedTarget(doc, path),
                None => return,
            },
        };
        let _ = self.to_shell.try_send(event);
        self.ctx.request_repaint();
    }
}

/// With what a window begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    /// The files and folders to open; none: what was open last.
    pub paths: Vec<PathBuf>,
    /// The folder outside which nothing is read; `None`: the project that each path lies in.
    pub root: Option<PathBuf>,
    /// What was kept from the last time.
    pub remembered: Remembered,
    /// The folder of the sample project, if there is one.
    pub samples: Option<PathBuf>,
    /// The folder in which unsaved edits survive the end of the program; `None`: they do not.
    pub state: Option<PathBuf>,
    /// The folder in which sources are kept as they were; `None`: they are not.
    pub sources: Option<PathBuf>,
}

/// The window without its frame: what it shows, the engine that reads for it, and the system it asks.
pub struct Shell<S> {
    workbench: Workbench,
    engine: Engine,
    events: Receiver<Event>,
    system: S,
    /// The channel by which answers to dialogs come.
    dialog: (Sender<Event>, Receiver<Event>),
    views: Views,
    theme: Theme,
    title: String,
    /// Nothing stands in the way of closing the window.
    closing: bool,
}

impl<S: System> Shell<S> {
    /// Sets up how everything looks and begins to read.
    ///
    /// # Errors
    ///
    /// When no thread can be started to read.
    pub fn new(ctx: &egui::Context, start: Start, system: S) -> io::Result<Self> {
        let Start {
            mut paths,
            root,
            remembered,
            samples,
            state,
            sources,
        } = start;
        theme::install(ctx, remembered.theme);
        let wake = ctx.clone();
        let setup = Setup {
            root,
            state,
            sources,
        };
        let (engine, events) = Engine::start(setup, move || wake.request_repaint())?;
        if paths.is_empty() {
            paths.clone_from(&remembered.opened);
        }
        let mut shell = Self {
            theme: remembered.theme,
            workbench: Workbench::new(remembered),
            engine,
            events,
            system,
            dialog: crossbeam_channel::bounded(1),
            views: Views::new(samples),
            title: String::new(),
            closing: false,
        };
        shell.act(ctx, vec![Action::Open(paths)]);
        Ok(shell)
    }

    fn act(&mut self, ctx: &egui::Context, actions: Vec<Action>) {
        for action in actions {
            let mut before = Vec::new();
            let stays = match action {
                Action::Run(command) => self.views.put_in(command, &mut before),
                _ => Ok(()),
            };
            let effects = before.into_iter().chain(stays.is_ok().then_some(action));
            let effects = effects.flat_map(|action| self.workbench.apply(action));
            let mut effects: Vec<Effect> = effects.collect();
            if let Err(reason) = stays {
                effects.extend(self.workbench.receive(Event::Failed(reason.to_owned())));
            }
            self.perform(ctx, effects);
        }
    }

    fn perform(&mut self, ctx: &egui::Context, effects: Vec<Effect>) {
        for effect in effects {
            let library = self.workbench.library();
            match effect {
                Effect::Scan(paths) => self.engine.scan(paths),
                Effect::CancelScan => self.engine.cancel_scan(),
                Effect::List(request) => self.engine.list(*request),
                Effect::Read(id) => {
                    if let Some(item) = library.share(id) {
                        self.engine.read(id, item);
                    }
                }
                Effect::Playback(effect) => self.play(ctx, effect),
                Effect::Import(effect) => self.import(ctx, effect),
                Effect::Compare { left, right } => {
                    if let (Some(a), Some(b)) = (library.share(left), library.share(right)) {
                        self.engine.compare((left, a), (right, b));
                    }
                }
                Effect::FindSource(id) => {
                    if let Some(item) = library.share(id) {
                        self.engine.then_and_now(id, item);
                    }
                }
                Effect::CancelSideBySide => self.engine.cancel_side_by_side(),
                Effect::Plan { doc, edit, .. } => self.ask(doc, Question::Plan(edit)),
                Effect::Batch(batch, docs) => {
                    let texts = self.to_edit(docs);
                    self.engine.batch(batch, texts);
                }
                Effect::Seeds(effect) => self.perform_on_seeds(effect),
                Effect::Sessions(SessionsEffect::List(wanted)) => self.engine.list_sessions(wanted),
                Effect::Sessions(SessionsEffect::Plan(doc, _, edit)) => {
                    self.ask(doc, Question::Session(edit));
                }
                Effect::Tapes(effect) => self.perform_on_tapes(ctx, effect),
                Effect::Sessions(SessionsEffect::Contract(effect)) => {
                    self.perform_on_contract(effect);
                }
                Effect::Review(effect) => self.perform_on_review(effect),
                Effect::Reread(doc, _) => self.ask(doc, Question::Read),
                Effect::FindChanges(doc, _) => {
                    if let Some(copy) = library.copy(doc) {
                        self.ask(doc, Question::Changes(copy.base().clone()));
                    }
                }
                Effect::Merge(doc, _) => {
                    let copy = library.copy(doc);
                    let question = match copy.map(|copy| (copy.base(), copy.on_disk())) {
                        Some((base, OnDisk::Changed(theirs))) => {
                            Question::Merge(base.clone(), theirs.clone())
                        }
                        _ => Question::Unmerged,
                    };
                    self.ask(doc, question);
                }
                Effect::Save(order) => {
                    if let Some(item) = library.share(order.doc) {
                        self.engine.save(item, order);
                    }
                }
                Effect::SaveAs { doc, path, text } => {
                    if let Some(item) = library.share(doc) {
                        self.engine.save_as(doc, item, path, text);
                    }
                }
                Effect::Keep(doc) => {
                    if let (Some(item), Some(copy)) = (library.share(doc), library.copy(doc)) {
                        let (base, text) = (copy.base().clone(), copy.text().clone());
                        self.engine.keep(doc, item, base, text);
                    }
                }
                Effect::Forget(doc) => {
                    if let Some(item) = library.share(doc) {
                        self.engine.forget(doc, item);
                    }
                }
                Effect::Locate(draft) => self.engine.locate(library.items().clone(), draft),
                Effect::DiscardDraft(id) => self.engine.discard_draft(id),
                Effect::Terminal(TerminalEffect::Run(run, command)) => {
                    self.engine.run_command(run, command);
                }
                Effect::Terminal(TerminalEffect::Stop) => self.engine.stop_command(),
                Effect::PickSave(doc) => {
                    if let Some(item) = library.get(doc) {
                        let near = item.path.to_string();
                        self.pick(ctx, Pick::SaveAs { doc, near });
                    }
                }
                Effect::PickFolder => self.pick(ctx, Pick::Folder),
                Effect::PickFiles => self.pick(ctx, Pick::Files),
                Effect::Copy(text) => ctx.copy_text(text),
                Effect::Remember(remembered) => {
                    if let Err(reason) = self.system.remember(&remembered) {
                        let effects = self.workbench.receive(Event::Failed(reason));
                        debug_assert!(effects.is_empty());
                    }
                }
                Effect::Quit => {
                    self.closing = true;
                    ctx.send_viewport_cmd(egui::ViewportCommand::Close);
                }
            }
        }
    }

    fn perform_on_seeds(&mut self, effect: SeedsEffect) {
        let library = self.workbench.library();
        match effect {
            SeedsEffect::Load(wanted) => self.engine.load_seeds(wanted),
            SeedsEffect::Stop => self.engine.stop_seeds(),
            SeedsEffect::Plan(doc, change) => {
                if let Some(item) = library.share(doc) {
                    let text = library.text(doc);
                    let text = text.map(|(source, revision)| (revision, source.clone()));
                    self.engine.plan_seed(ToSeed {
                        doc,
                        item,
                        text,
                        change,
                    });
                }
            }
        }
    }

    fn import(&mut self, ctx: &egui::Context, effect: ImportEffect) {
        match effect {
            ImportEffect::Read(wanted) => self.engine.read_incident(*wanted),
            ImportEffect::Preview(wanted) => self.engine.preview_draft(wanted),
            ImportEffect::Plan(wanted) => self.engine.plan_sessions(*wanted),
            ImportEffect::Take(order) => self.engine.take_steps(order),
            ImportEffect::PickFiles => self.pick(ctx, Pick::Incident),
            ImportEffect::PickFolder => self.pick(ctx, Pick::SessionFolder),
        }
    }

    fn play(&mut self, ctx: &egui::Context, effect: PlaybackEffect) {
        match effect {
            PlaybackEffect::Play(order) => self.engine.play(*order),
            PlaybackEffect::FindSets(revision, items) => self.engine.find_sets(revision, items.0),
            PlaybackEffect::Explain(played, call) => self.engine.explain(played, call),
            PlaybackEffect::ChangeFiles(order) => self.engine.change_files(order),
            PlaybackEffect::Pick(wanted) => self.pick(ctx, Pick::Requests(wanted)),
        }
    }

    fn perform_on_review(&mut self, effect: ReviewEffect) {
        match effect {
            ReviewEffect::Look(order) => self.engine.look_at_takes(*order),
            ReviewEffect::Show(order) => self.engine.show_pair(order),
            ReviewEffect::Keep(decisions) => self.engine.keep_decisions(decisions),
            ReviewEffect::Try(review, draft) => self.engine.try_rule(review, draft),
            ReviewEffect::KeepRule(rule) => self.engine.keep_rule(rule),
            ReviewEffect::Plan(review, decisions, origin) => {
                self.engine.plan_review(review, decisions, origin);
            }
            ReviewEffect::Write(writes) => self.engine.write_takes(writes),
        }
    }

    fn perform_on_tapes(&mut self, ctx: &egui::Context, effect: TapesEffect) {
        match effect {
            TapesEffect::Lay(doc, revision) => {
                if let Some(document) = self.workbench.library().document(doc) {
                    self.engine.lay_tape(doc, revision, document.clone());
                }
            }
            TapesEffect::Cut(doc, _, cut) => self.ask(doc, Question::Cut(cut)),
            TapesEffect::Try(doc, cut) => {
                if let Some(document) = self.workbench.library().document(doc) {
                    self.engine.try_cut(document.clone(), cut);
                }
            }
            TapesEffect::Make(effect) => self.make_tape(ctx, effect),
            TapesEffect::Picture(PictureEffect::Choose(name, look)) => {
                self.pick(ctx, Pick::Picture { name, look });
            }
            TapesEffect::Picture(PictureEffect::Draw(path, reel, ask)) => {
                self.engine.draw_tape(path, reel, ask);
            }
            TapesEffect::Glance(docs) => {
                let texts = self.to_edit(docs);
                self.engine.glance_at_tapes(texts);
            }
            TapesEffect::Pick(what) => self.pick(ctx, Pick::ForTape(what)),
            TapesEffect::Takes(effect) => self.perform_on_takes(effect),
            TapesEffect::Verify(order) => {
                if let Some(document) = self.workbench.library().document(order.doc) {
                    self.engine.verify_request(order, document.clone());
                }
            }
        }
    }

    fn perform_on_takes(&mut self, effect: TakesEffect) {
        match effect {
            TakesEffect::Rank(doc, others) => {
                let others = self.to_edit(others);
                if let Some(tape) = self.to_edit(vec![doc]).pop() {
                    self.engine.rank_takes(tape, others);
                }
            }
            TakesEffect::Lay(order, tolerance_nanos) => {
                let other = match order.take {
                    Take::Open(other) => self.to_edit(vec![other]).pop(),
                    Take::Head | Take::File(_) => None,
                };
                if let Some(tape) = self.to_edit(vec![order.doc]).pop() {
                    self.engine.lay_take(ToLay {
                        order,
                        tape,
                        other,
                        tolerance_nanos,
                    });
                }
            }
            TakesEffect::Sift(order, tolerance_nanos) => {
                let over = self.workbench.tapes_desk().over();
                if let Some(takes) = over.laid_by(&order).cloned() {
                    self.engine.sift_takes(order, takes, tolerance_nanos);
                }
            }
        }
    }

    fn make_tape(&mut self, ctx: &egui::Context, effect: MakeEffect) {
        match effect {
            MakeEffect::Make(recipe) => {
                let answer = match recipe.origin {
                    MadeOf::Answer(doc) => self.to_edit(vec![doc]).pop(),
                    MadeOf::Text(_) | MadeOf::Path(_) => None,
                };
                self.engine.make_tape(recipe, answer);
            }
            MakeEffect::Save(below, text) => self.engine.save_tape(below, text),
            MakeEffect::Choose => self.pick(ctx, Pick::Material),
        }
    }

    fn perform_on_contract(&mut self, effect: ContractEffect) {
        match effect {
            ContractEffect::Look(wanted) => self.engine.look_at_contract(*wanted),
            ContractEffect::FindAnswers(wanted) => self.engine.find_answers(wanted),
            ContractEffect::Plan(doc, edit) => {
                if let Some(wanted) = self.to_edit(vec![doc]).pop() {
                    self.engine.plan_config(wanted, edit);
                }
            }
        }
    }

    /// Documents with their texts as they are now.
    fn to_edit(&self, docs: Vec<DocId>) -> Vec<ToEdit> {
        let library = self.workbench.library();
        let texts = docs.into_iter().filter_map(|doc| {
            let text = library.text(doc);
            Some(ToEdit {
                doc,
                item: library.share(doc)?,
                text: text.map(|(source, revision)| (revision, source.clone())),
            })
        });
        texts.collect()
    }

    /// Asks about a document's text as it is now.
    fn ask(&self, doc: DocId, question: Question) {
        let library = self.workbench.library();
        if let (Some(item), Some((source, revision))) = (library.share(doc), library.text(doc)) {
            let source = source.clone();
            let text = Text {
                doc,
                item,
                revision,
                source,
            };
            self.engine.ask(text, question);
        }
    }

    fn pick(&mut self, ctx: &egui::Context, pick: Pick) {
        let answer = Answer {
            to_shell: self.dialog.0.clone(),
            pick: pick.clone(),
            ctx: ctx.clone(),
        };
        self.system.pick(pick, answer);
    }

    fn receive(&mut self, ctx: &egui::Context) {
        let started = Instant::now();
        while let Ok(event) = self.events.try_recv() {
            let effects = self.workbench.receive(event);
            self.perform(ctx, effects);
            if started.elapsed() > RECEIVE_AT_MOST {
                ctx.request_repaint();
                break;
            }
        }
        if let Ok(picked) = self.dialog.1.try_recv() {
            let effects = self.workbench.receive(picked);
            self.perform(ctx, effects);
        }
    }

    fn refresh(&mut self, ctx: &egui::Context) {
        let effects = self.workbench.refresh().into_iter().collect();
        self.perform(ctx, effects);
    }

    fn dress(&mut self, ctx: &egui::Context) {
        let wanted = self.workbench.remembered().theme;
        if self.theme != wanted {
            self.theme = wanted;
            theme::choose(ctx, wanted);
        }
        let unsaved = self.workbench.library().unsaved().next();
        let mark = unsaved.map_or("", |_| "• ");
        let title = match self.workbench.project() {
            Some(project) => format!("{mark}{} – Retake", project.name),
            None => "Retake".to_owned(),
        };
        if self.title != title {
            ctx.send_viewport_cmd(egui::ViewportCommand::Title(title.clone()));
            self.title = title;
        }
    }

    /// Takes what happened since the last frame; may not paint.
    pub fn logic(&mut self, ctx: &egui::Context) {
        self.workbench.tell_time(ctx.input(|input| input.time));
        self.receive(ctx);
        self.dress(ctx);
        let mut actions: Vec<Action> = dropped(ctx, &self.workbench).into_iter().collect();
        if ctx.input(|input| input.viewport().close_requested()) && !self.closing {
            // What is unsaved is asked about first.
            ctx.send_viewport_cmd(egui::ViewportCommand::CancelClose);
            actions.push(Action::Run(Command::Quit));
        }
        actions.extend(
            keys::take_commands(ctx, &self.workbench)
                .into_iter()
                .map(Action::Run),
        );
        self.act(ctx, actions);
        self.refresh(ctx);
    }

    /// Paints, and does what the user asks for.
    pub fn ui(&mut self, ui: &mut egui::Ui) {
        let mut actions = Vec::new();
        window_ui(ui, &mut self.workbench, &mut self.views, &mut actions);
        if !actions.is_empty() {
            let ctx = ui.ctx().clone();
            self.act(&ctx, actions);
            self.refresh(&ctx);
            // What an action changed would else stay unseen until the mouse moves.
            ctx.request_repaint();
        }
    }
}

/// Whether a tape is made of a file that was dropped: of a saved stream always, at the tapes desk of all that is no document
/// by its name, in the form of a new tape of any.
fn makes_a_tape(path: &std::path::Path, workbench: &Workbench) -> bool {
    let ending = path.extension().and_then(std::ffi::OsStr::to_str);
    let ending = ending.unwrap_or_default().to_ascii_lowercase();
    let is_document = path.is_dir() || matches!(&*ending, "json" | "yaml" | "yml" | "dygram");
    let at_tapes = workbench.here().desk == Desk::Tapes && !is_document;
    workbench.project().is_some()
        && (ending == "sse" || at_tapes || workbench.overlay() == Some(Overlay::NewTape))
}

/// What follows from files that were dropped on the window: where a request is asked for it is taken for one, of a
/// stream a tape is made; what else it is, is seen when it was read.
fn dropped(ctx: &egui::Context, workbench: &Workbench) -> Option<Action> {
    let paths: Vec<PathBuf> = ctx.input(|input| {
        let dropped = input.raw.dropped_files.iter();
        dropped.map(|file| file.path().to_owned()).collect()
    });
    if workbench.takes_request()
        && let [path] = &paths[..]
    {
        let take = VerifyAction::Take(RequestFrom::File(path.clone()));
        return Some(Action::Tapes(TapesAction::Verify(take)));
    }
    if let [path] = &paths[..]
        && makes_a_tape(path, workbench)
    {
        let make = MakeAction::Begin(Some(MadeOf::Path(path.clone())));
        return Some(Action::Tapes(TapesAction::Make(make)));
    }
    (!paths.is_empty()).then_some(Action::Import(ImportAction::Drop(paths)))
}
