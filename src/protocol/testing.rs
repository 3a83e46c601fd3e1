//! Requests by their type, for the tests of the members that use this one.

use super::*;

macro_rules! requests {
    ($($name:ident($request:ty),)*) => {
        $(impl<'r> TryFrom<&'r Request> for &'r $request {
            type Error = ();

            fn try_from(request: &'r Request) -> Result<Self, ()> {
                match request {
                    Request::$name(request) => Ok(request),
                    _ => Err(()),
                }
            }
        })*
    };
}

requests! {
    FetchRuns(FetchRequest),
    FindCommits(FindCommits),
    Listen(ListenRequest),
    ParseText(ParseText),
    ReadDocument(ReadDocument),
    RunCommand(RunCommand),
    WatchQueue(QueueRequest),
    SaveSessions(SessionSteps),
}
