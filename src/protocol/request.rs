//! Work for the engine. A request carries all its inputs, so that the engine looks nothing up; its answer
//! arrives as an [`EngineEvent`].

use std::fmt;
use std::path::PathBuf;

use super::*;
use document::text::quoted;

/// A request for the latest lines of the log.
#[derive(Debug)]
pub struct ReadLog;

/// Defines the requests, each with a description of its work, which continues the words "Internal error while", and with what it is
/// about.
macro_rules! requests {
    ($($name:ident($request:ty) $work:literal $(|$r:ident| $subject:expr)?;)*) => {
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

        impl Request {
            /// Describes the work as it continues the words "Internal error while": "reading `a.json`". Names the file, if it is about
            /// one.
            pub fn describe(&self) -> String {
                if let Self::Compute(compute) = self {
                    return compute.description.clone();
                }
                match self {
                    $(Self::$name($($r,)? ..) => describe($work, &[$(&$subject)?]),)*
                }
            }
        }
    };
}

requests! {
    AnswerByRule(SaveAnswerRule) "adding a rule to retake.toml" |r| r.0.name;
    ChangeFiles(FileChangeRequest) "changing files";
    CheckContract(ContractRequest) "checking a contract";
    CompareItems(CompareItems) "comparing another recording with" |r| r.right.1.root_path();
    CompareSourceVersions(CompareSourceVersions) "looking up the source of" |r| r.item.root_path();
    Compute(Compute) "computing";
    CountLines(CountLines) "counting the changed lines of pairs";
    DiscardDraft(DiscardDraft) "deleting the stored edits of an earlier run";
    DrawPicture(DrawPicture) "drawing" |r| r.path.to_string_lossy();
    FetchRuns(FetchRequest) "fetching runs from LangSmith";
    FindAnswers(FindAnswers) "searching for answers";
    FindCommits(FindCommits) "finding the commits of" |r| r.item.root_path();
    FindProvenance(FindProvenance) "reading the histories of files";
    ForgetDraft(ForgetDraft) "deleting the stored edits of" |r| r.item.root_path();
    JudgeSets(JudgeSets) "playing the sets";
    KeepDraft(KeepDraft) "storing the unsaved edits of" |r| r.item.root_path();
    List(ListRequest) "listing the library";
    ListCommandSteps(ListCommandSteps) "reading what the command line has written";
    ListSessions(ListSessions) "listing sessions";
    Listen(ListenRequest) "listening for calls";
    LoadSeeds(LoadSeeds) "reading seeds";
    LocateDraft(LocateDraft) "locating" |r| r.draft.path.to_string_lossy();
    LookUpPath(LookUpPath) "looking up" |r| r.text;
    MakeTape(MakeTape) "making a tape";
    MakeThumbnails(MakeThumbnails) "drawing thumbnails of tapes";
    OpenEditor(OpenEditor) "starting the editor";
    ParseText(ParseText) "parsing" |r| r.item.root_path();
    PlanBatch(PlanBatch) "editing documents";
    PlanChange(PlanChange) "editing" |r| r.documents.first().map_or("", |one| one.item.root_path());
    PlanReplace(PlanReplace) "finding the places to replace";
    PlanReview(PlanReview) "preparing what the decisions write";
    PlanSessions(PlanSessions) "planning the sessions of" |r| r.incident.name;
    Play(PlayRequest) "playing" |r| r.requests.label();
    PlayRun(PlayRun) "playing" |r| r.run.name;
    PrepareTape(PrepareTape) "preparing" |r| r.path;
    PreviewFormat(PreviewFormat) "reading files by a description";
    PreviewFix(PreviewFix) "editing" |r| r.document.item.root_path();
    RankRecordings(RankRequest) "comparing recordings with" |r| r.id.name;
    ReadDocument(ReadDocument) "reading" |r| r.item.root_path();
    ReadIncident(ReadIncident) "importing" |r| r.source.name();
    ReadLog(ReadLog) "reading the log";
    ReadMap(ReadMap) "reading the versions of" |r| r.key.machine;
    ReadRun(ReadRun) "reading" |r| r.source.name();
    ReadUserSettings(ReadUserSettings) "reading the user's settings";
    Review(ReviewRequest) "reviewing" |r| r.base.label();
    RunAudit(RunAudit) "auditing the recordings";
    RunCommand(RunCommand) "running" |r| r.command;
    SaveDecisions(SaveDecisions) "writing the decisions of a review";
    SaveDocument(SaveDocument) "saving" |r| r.item.root_path();
    SaveDocumentAs(SaveDocumentAs) "saving" |r| r.path.to_string_lossy();
    SaveFormat(SaveFormat) "adding a format to retake.toml";
    SaveIgnoreRule(SaveIgnoreRule) "adding a rule to retake.toml";
    SaveTape(SaveTape) "saving" |r| r.path;
    Scan(ScanRequest) "reading" |r| r.0.first().map(|p| p.to_string_lossy()).unwrap_or_default();
    SearchBodies(SearchBodies) "searching the content of files";
    ShowPair(PairRequest) "comparing a pair";
    UndoCommandStep(UndoCommandStep) "undoing a step of the command line";
    UnpackSamples(UnpackSamples) "unpacking the samples";
    WatchQueue(QueueRequest) "watching the queue" |r| r.queue.to_string_lossy();
    WriteReview(WriteReview) "writing what was decided in a review";
    WriteRunPage(WriteRunPage) "writing" |r| r.path.to_string_lossy();
    SaveSessions(SessionSteps) "writing sessions";
    WriteUserSettings(WriteUserSettings) "writing the user's settings";
}

/// Joins a description and what the work is about.
fn describe(work: &str, subject: &[&str]) -> String {
    subject.iter().fold(work.to_owned(), |text, subject| text + " " + &quoted(subject))
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
