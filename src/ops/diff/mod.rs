//! Differences between two texts, two recordings, two takes of a source.
