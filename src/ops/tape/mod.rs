//! Streaming tapes: what can be seen of them, cut in them, made of other things, and asked of them.
//!
//! Chunks are named by their index in [`Tape::chunks`](crate::format::tape::Tape::chunks), from 0. Times are nanoseconds,
//! as `f64`: a tape may hold fractions of them.
//!
//! - [`timing`]: when each chunk arrives, as recorded and as a player of whole milliseconds plays it; the few numbers of a tape.
//! - [`timeline`]: the same along an axis, for any zoom and any count of chunks.
//! - [`axis`]: the round places on it. [`picture`]: all of it as SVG and PNG.
//! - [`reel`]: all of this, made ready to be looked at.
//! - [`text`]: the text as it stood at a time, and which chunk brought which part.
//! - [`playback`]: when each chunk is due at a speed, and what it brings as UTF-8.
//! - [`consumer`]: each chunk as JSON or lines of JSON.
//! - [`overlay`]: two takes over one another, aligned by what they say.
//! - [`cut`]: edits that change no other byte.
//! - [`secrets`]: what should not be in its text, ready to be taken out.
//! - [`make`] and [`sse`]: tapes from recordings, from text, from saved streams.
//! - [`verify`]: whether a request is the one a tape was made for.

pub mod axis;
pub mod consumer;
pub mod cut;
pub mod javascript;
pub mod make;
pub mod overlay;
pub mod picture;
pub mod playback;
pub mod reel;
pub mod secrets;
pub mod sse;
#[cfg(test)]
mod testing;
pub mod text;
pub mod timeline;
pub mod timing;
pub mod verify;
