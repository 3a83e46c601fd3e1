//! Work that the workbench requests from the engine.

use std::any::Any;
use std::fmt::Debug;

use super::event::EngineEvent;

/// Work for the engine. A request carries all its inputs, so that the engine looks nothing up; its answer arrives as an
/// [`EngineEvent`].
pub trait TaskRequest: Any + Debug + Send {
    /// Describes the work as it continues the words "Internal error while": "reading a.json". Names the file, if it is about one.
    fn describe(&self) -> String;

    /// Returns the event for a failure that is not the result of the work: no thread, or an internal error. A desk that waits for the
    /// answer gets the reason in place of it; otherwise it is shown as a notice.
    fn fail(&self, reason: String) -> EngineEvent {
        EngineEvent::Failed(reason)
    }
}
