//! Operations on documents, as pure functions without files, threads or a window.

pub mod api;
mod body;
pub mod calls;
pub mod cassette_config;
pub mod change;
pub mod check;
pub mod command_step;
pub mod contract;
pub mod diff;
pub mod edit;
pub mod files;
pub mod html;
pub mod import;
mod item;
mod item_status;
pub mod javascript;
mod json;
pub mod layout;
pub mod live;
pub mod machine;
pub mod merge;
pub mod playback;
mod pool;
pub mod prompt;
pub mod python;
pub mod recovered;
pub mod redact;
pub mod regenerate;
pub mod replace;
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
pub mod stored_text;
pub mod tape;
pub mod time;
mod toml_text;
pub mod triage;
pub mod unmerged;
pub mod unused;
mod value_mark;

pub use item::{
    CallRow, HttpLine, Item, ItemFacts, ItemSummary, SeedKey, first_words, summarise,
};
pub use item_status::ItemStatus;
pub use pool::Pool;
pub use value_mark::ValueMark;
