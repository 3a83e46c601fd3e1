//! Checks that a set answers its own requests as before.

use std::sync::Arc;

use calls::Pool;
use document::text::Source;
use play::playback::{PlaybackRules, PlaybackRun, requests};
use play::triage::SetFiles;

/// A file of a set, before and after: its path and its text.
pub struct SetChange {
    pub before: (Arc<str>, Source),
    pub after: (Arc<str>, Source),
}

/// Returns whether the set in a folder makes the same choices for its own requests before and after.
pub fn makes_same_choices(folder: &str, files: Vec<SetChange>) -> bool {
    let pool = Pool::default();
    let choices = |files: Vec<(Arc<str>, Source)>| {
        let files = files.into_iter().map(|(path, text)| (path, Ok(text)));
        let set = SetFiles::new(folder, files, &pool).set;
        let own = requests::from_set(&set);
        let run = PlaybackRun::new(set, PlaybackRules::default(), own);
        run.calls.iter().map(|call| (call.index(), call.verdict.clone())).collect::<Vec<_>>()
    };
    let (old_files, new_files) = files.into_iter().map(|file| (file.before, file.after)).unzip();
    choices(old_files) == choices(new_files)
}
