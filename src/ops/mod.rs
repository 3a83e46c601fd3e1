//! Operations on documents, as pure functions without files, threads or a window.

pub mod change;
pub mod check;
pub mod contract;
pub mod diff;
pub mod edit;
pub mod files;
pub mod import;
mod item;
mod item_status;
pub mod layout;
pub mod live;
pub mod machine;
pub mod merge;
pub mod playback;
mod pool;
pub mod recovered;
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
pub mod tape;
pub mod time;
pub mod unmerged;
mod value_mark;

pub use item::{Item, SeedKey, summarise};
pub use item_status::ItemStatus;
pub use pool::Pool;
pub use value_mark::ValueMark;
