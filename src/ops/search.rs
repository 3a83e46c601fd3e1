//! The filter language of every list: `kind:recording status:stale tool:transition_to_* -path:archive "free text"`.
