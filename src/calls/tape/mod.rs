//! Streaming tapes: analysis, editing and creation.
//!
//! Chunks are identified by their index in [`Tape::chunks`](document::tape::Tape::chunks), from 0. Times are
//! nanoseconds as `f64`, since a tape may contain fractions of them.
//!
//! - [`timing`]: when each chunk arrives, as recorded and as a player with whole milliseconds plays it; statistics of a
//!   tape.
//! - [`timeline`]: the same along an axis, for any zoom and any number of chunks.
//! - [`axis`]: the marks of the time axis. The timeline as SVG is in `author::tape_picture`.
//! - [`prepared_tape`]: all of this, prepared for display.
//! - [`text`]: the text at any time, and which chunk contains which part.
//! - [`playback`]: when each chunk is due at a speed, and its content as UTF-8.
//! - [`edits`]: edits that change no other byte.
//! - [`make`] and [`sse`]: tapes from recordings, from text, from saved streams.
//! - [`verify`]: whether a request is the one a tape was recorded for.

pub mod axis;
pub mod content;
pub mod edits;
pub mod make;
pub mod playback;
pub mod prepared_tape;
pub mod sse;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod text;
pub mod timeline;
pub mod timing;
pub mod verify;
