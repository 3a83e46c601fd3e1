//! Operations on documents, as pure functions without files, threads or a window.

pub mod check;
pub mod contract;
pub mod diff;
pub mod draft;
pub mod edit;
pub mod import;
mod item;
pub mod layout;
pub mod live;
pub mod machine;
pub mod merge;
pub mod playback;
mod pool;
pub mod regenerate;
pub mod review;
pub mod saving;
pub mod search;
pub mod secret;
pub mod seeds;
pub mod session;
pub mod settings;
pub mod shell;
pub mod signature;
pub mod source;
pub mod stamp;
mod status;
pub mod tape;
pub mod unmerged;

pub use item::{Item, Mark, SeedKey, summarise};
pub use pool::Pool;
pub use status::Status;
