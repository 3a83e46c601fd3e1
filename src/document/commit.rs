//! Commits of the git history.

/// A commit of the git history.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitId {
    /// Hexadecimal, 40 digits.
    pub id: Box<str>,
    /// When it was committed, in seconds since 1970, UTC.
    pub seconds: i64,
}

impl CommitId {
    /// Returns the first seven digits.
    pub fn short(&self) -> &str {
        // git abbreviates to seven digits as well.
        self.id.get(..7).unwrap_or(&self.id)
    }
}

/// A commit as it is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitSummary {
    pub id: CommitId,
    pub author: String,
    /// When it was written, in seconds since 1970, UTC. The id has when it was committed.
    pub written_at: i64,
    /// The first paragraph of its message, in one line.
    pub subject: String,
    /// Whether the history ends here before its beginning, as in a shallow clone: what is in this commit may be older.
    pub is_cut_off: bool,
}
