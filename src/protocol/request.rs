//! Work for the engine. A request carries all its inputs, so that the engine looks nothing up; its answer
//! arrives as an [`EngineEvent`].

use std::fmt;
use std::path::{Path, PathBuf};

use super::*;
use check::settings;
use compare::review::ledger;
use document::text::{counted, listed, quoted, visible};

/// A request for the latest lines of the log.
#[derive(Debug)]
pub struct ReadLog;

macro_rules! requests {
    ($($name:ident($request:ty),)*) => {
        /// Work for the engine.
        #[derive(Debug)]
        #[expect(
            clippy::large_enum_variant,
            reason = "requests are few at a time, and a box would only move the bytes elsewhere"
        )]
        pub enum Request {
            $($name($request),)*
        }

        $(impl From<$request> for Request {
            fn from(request: $request) -> Self {
                Self::$name(request)
            }
        })*
    };
}

requests! {
    AnswerByRule(SaveAnswerRule),
    ChangeFiles(FileChangeRequest),
    CheckContract(ContractRequest),
    CompareItems(CompareItems),
    CompareSourceVersions(CompareSourceVersions),
    Compute(Compute),
    CountLines(CountLines),
    DiscardDraft(DiscardDraft),
    DrawPicture(DrawPicture),
    FetchRuns(FetchRequest),
    FindAnswers(FindAnswers),
    FindCommits(FindCommits),
    ForgetDraft(ForgetDraft),
    JudgeSets(JudgeSets),
    KeepDraft(KeepDraft),
    List(ListRequest),
    ListCommandSteps(ListCommandSteps),
    ListSessions(ListSessions),
    Listen(ListenRequest),
    LoadSeeds(LoadSeeds),
    LocateDraft(LocateDraft),
    LookUpPath(LookUpPath),
    MakeTape(MakeTape),
    MakeThumbnails(MakeThumbnails),
    OpenEditor(OpenEditor),
    ParseText(ParseText),
    PlanBatch(PlanBatch),
    PlanChange(PlanChange),
    PlanReplace(PlanReplace),
    PlanReview(PlanReview),
    PlanSessions(PlanSessions),
    Play(PlayRequest),
    PlayRun(PlayRun),
    PrepareTape(PrepareTape),
    PreviewFix(PreviewFix),
    RankRecordings(RankRequest),
    ReadDocument(ReadDocument),
    ReadIncident(ReadIncident),
    ReadLog(ReadLog),
    ReadMap(ReadMap),
    ReadRun(ReadRun),
    ReadUserSettings(ReadUserSettings),
    Review(ReviewRequest),
    RunCommand(RunCommand),
    SaveDecisions(SaveDecisions),
    SaveDocument(SaveDocument),
    SaveDocumentAs(SaveDocumentAs),
    SaveIgnoreRule(SaveIgnoreRule),
    SaveTape(SaveTape),
    Scan(ScanRequest),
    SearchBodies(SearchBodies),
    ShowPair(PairRequest),
    UndoCommandStep(UndoCommandStep),
    UnpackSamples(UnpackSamples),
    WatchQueue(QueueRequest),
    WriteReview(WriteReview),
    WriteRunPage(WriteRunPage),
    SaveSessions(SessionSteps),
    WriteUserSettings(WriteUserSettings),
}

/// A request to read these files and folders in place of what is open. Cancelling it keeps what was read, and stops watching.
#[derive(Debug)]
pub struct ScanRequest(pub Vec<PathBuf>);

/// Work that can be cancelled while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellable {
    Command,
    Comparison,
    Fetch,
    PlanReplace,
    Scan,
    Search,
    Seeds,
}

/// Thread on which work is done, and what cancels it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    /// On a thread of its own. Cancelled by a newer request in the lane, and when another project is opened.
    Newest(&'static str),
    /// As [`Lane::Newest`], but not cancelled when another project is opened.
    Independent(&'static str),
    /// On the thread that reads files, in the order of the requests.
    Reads,
    /// On the thread that works on the texts of documents, in the order of the requests.
    Texts,
    /// On the thread that writes, in the order of the requests. Everything is written, even after the window is gone.
    Writes,
}

/// Work that needs neither files nor the project, and may take long.
pub struct Compute {
    pub lane: Lane,
    description: String,
    /// Does the work; with a reason, returns the event of its failure instead.
    pub run: Box<dyn Fn(Option<String>) -> EngineEvent + Send>,
}

impl Compute {
    /// Work whose failure is shown as a notice. `description` continues the words "Internal error while".
    pub fn new(
        lane: Lane,
        description: String,
        work: impl Fn() -> EngineEvent + Send + 'static,
    ) -> Self {
        let run = move |failure: Option<String>| match failure {
            Some(reason) => EngineEvent::Failed(format!("{reason}.")),
            None => work(),
        };
        Self { lane, description, run: Box::new(run) }
    }

    /// Work whose failure is an answer, too.
    pub fn answering<I: Send + 'static, T: 'static>(
        lane: Lane,
        description: String,
        input: I,
        work: fn(&I) -> Result<T, String>,
        answer: fn(&I, Result<T, String>) -> EngineEvent,
    ) -> Self {
        let run = move |failure: Option<String>| {
            // After a panic, this is called again with the reason, and the answer needs the input then, too.
            answer(&input, failure.map_or_else(|| work(&input), Err))
        };
        Self { lane, description, run: Box::new(run) }
    }
}

impl fmt::Debug for Compute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Compute").field(&self.description).finish()
    }
}

impl Request {
    /// Describes the work as it continues the words "Internal error while": "reading a.json". Names the file, if it is about one.
    pub fn describe(&self) -> String {
        let (work, subject) = match self {
            Self::AnswerByRule(r) => {
                return format!("adding {} to retake.toml", quoted(&r.0.name));
            }
            Self::ChangeFiles(r) => match &r.folders[..] {
                [(_, item)] => ("changing files in", item.folder().into()),
                many => {
                    let folders = counted(many.len(), "folder", "folders");
                    return format!("changing files in {folders}");
                }
            },
            Self::CheckContract(r) => match r.items.get(r.key.id.doc) {
                Some(item) => ("checking the contract of", (*item.root_path).into()),
                None => return "checking the contract of a removed session".to_owned(),
            },
            Self::CompareItems(r) => {
                let [left, right] = [&r.left, &r.right].map(|(_, item)| quoted(&item.root_path));
                return format!("comparing {left} with {right}");
            }
            Self::CompareSourceVersions(r) => {
                ("looking up the source of", (*r.item.root_path).into())
            }
            Self::Compute(r) => return r.description.clone(),
            Self::CountLines(r) => {
                let pairs = counted(r.pairs.len(), "pair", "pairs");
                return format!("counting the changed lines of {pairs}");
            }
            Self::DiscardDraft(_) => {
                return "deleting the stored edits of an earlier run".to_owned();
            }
            Self::DrawPicture(r) => ("drawing", r.path.to_string_lossy()),
            Self::FetchRuns(_) => return "fetching runs from LangSmith".to_owned(),
            Self::FindAnswers(_) => return "searching for answers".to_owned(),
            Self::FindCommits(r) => ("finding the commits of", (*r.item.root_path).into()),
            Self::ForgetDraft(r) => ("deleting the stored edits of", (*r.item.root_path).into()),
            Self::JudgeSets(_) => return "playing the sets".to_owned(),
            Self::KeepDraft(r) => ("storing the unsaved edits of", (*r.item.root_path).into()),
            Self::List(_) => return "listing the library".to_owned(),
            Self::ListCommandSteps(_) => {
                return "reading what the command line has written".to_owned();
            }
            Self::ListSessions(_) => return "listing sessions".to_owned(),
            Self::Listen(r) => match &r.job {
                ListenJob::Record { folder, .. } => ("recording calls into", folder.into()),
                ListenJob::Serve { paths, .. } => return format!("serving {}", quote_paths(paths)),
                ListenJob::Stop => return "stopping to listen".to_owned(),
            },
            Self::LoadSeeds(_) => return "reading seeds".to_owned(),
            Self::LocateDraft(r) => ("locating", r.draft.path.to_string_lossy()),
            Self::LookUpPath(r) => ("looking up", (&r.text).into()),
            Self::MakeTape(r) => match (&r.recipe.origin, &r.answer) {
                (NewTapeSource::Path(path), _) => ("making a tape from", path.to_string_lossy()),
                (_, Some(answer)) => ("making a tape from", (*answer.item.root_path).into()),
                (_, None) => return "making a tape from a text".to_owned(),
            },
            Self::MakeThumbnails(r) => {
                let paths = r.tapes.iter().map(|tape| quoted(&tape.item.root_path));
                return format!("drawing {}", paths.collect::<Vec<_>>().join(", "));
            }
            Self::OpenEditor(_) => return "starting the editor".to_owned(),
            Self::ParseText(r) => ("parsing", (*r.item.root_path).into()),
            Self::PlanBatch(PlanBatch(r)) | Self::PlanChange(r) => match &r.documents[..] {
                [one] => ("editing", (*one.item.root_path).into()),
                many => return format!("editing {}", counted(many.len(), "document", "documents")),
            },
            Self::PlanReplace(_) => return "finding the places to replace".to_owned(),
            Self::PlanReview(_) => return "preparing what the decisions write".to_owned(),
            Self::PlanSessions(r) => ("planning the sessions of", (&r.incident.name).into()),
            Self::Play(r) => match r.set.as_ref().or(r.fallback.as_ref()) {
                Some(set) => ("playing against", (**set).into()),
                None => ("playing", r.requests.label().into()),
            },
            Self::PlayRun(r) => ("playing", (&r.run.name).into()),
            Self::PrepareTape(r) => ("preparing", (*r.path).into()),
            Self::PreviewFix(r) => ("editing", (*r.document.item.root_path).into()),
            Self::RankRecordings(r) => ("comparing recordings with", (*r.id.name).into()),
            Self::ReadDocument(r) => ("reading", (*r.item.root_path).into()),
            Self::ReadIncident(r) => ("importing", r.source.name().into()),
            Self::ReadLog(_) => return "reading the log".to_owned(),
            Self::ReadMap(r) => ("reading the versions of", (*r.key.machine).into()),
            Self::ReadRun(r) => ("reading", r.source.name().into()),
            Self::ReadUserSettings(_) => return format!("reading {USER_SETTINGS_FILE}"),
            Self::Review(r) => return format!("reviewing {}", r.base.label()),
            Self::RunCommand(r) => ("running", (&r.command).into()),
            Self::SaveDecisions(_) => ("writing", ledger::PATH.into()),
            Self::SaveDocument(r) => ("saving", (*r.item.root_path).into()),
            Self::SaveDocumentAs(r) => ("saving", r.path.to_string_lossy()),
            Self::SaveIgnoreRule(_) => ("writing", settings::FILE_NAME.into()),
            Self::SaveTape(r) => ("saving", (&r.path).into()),
            Self::Scan(r) => return format!("reading {}", quote_paths(&r.0)),
            Self::SearchBodies(_) => return "searching the content of files".to_owned(),
            Self::ShowPair(r) => {
                let pair = r.review.pairs.get(r.at);
                ("comparing", pair.map_or("a pair", |p| p.pair.path()).into())
            }
            Self::UndoCommandStep(_) => return "undoing a step of the command line".to_owned(),
            Self::UnpackSamples(_) => return "unpacking the samples".to_owned(),
            Self::WatchQueue(r) => {
                let queue = quote_paths(&[&r.queue]);
                return match &r.command {
                    QueueCommand::Write(name, _) | QueueCommand::AnswerByRule(name) => {
                        format!("answering {} in {queue}", quoted(name))
                    }
                    _ => format!("watching the queue {queue}"),
                };
            }
            Self::WriteReview(r) => {
                let first = r.writes.first().map_or("", |write| write.step.path());
                if let others @ 1.. = r.writes.len().saturating_sub(1) {
                    let others = counted(others, "other file", "other files");
                    return format!("writing {} and {others}", quoted(first));
                }
                ("writing", first.into())
            }
            Self::WriteRunPage(r) => ("writing", r.path.to_string_lossy()),
            Self::SaveSessions(r) => {
                let paths: Vec<String> = r.steps.iter().map(|step| quoted(step.path())).collect();
                return format!("writing {}", listed(&paths));
            }
            Self::WriteUserSettings(_) => return format!("writing {USER_SETTINGS_FILE}"),
        };
        format!("{work} {}", quoted(&subject))
    }
}

/// Names paths for a message: the first, and how many there are besides.
fn quote_paths<P: AsRef<Path>>(paths: &[P]) -> String {
    let first = paths.first().map(|path| path.as_ref().to_string_lossy());
    let first = format!("`{}`", visible(&first.unwrap_or_default()));
    match paths.len() {
        0 | 1 => first,
        count => format!("{first} and {}", counted(count - 1, "other", "others")),
    }
}
