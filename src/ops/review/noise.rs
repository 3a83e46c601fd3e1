//! What differs between any two takes and says nothing.

/// `delayNs`, `latency_ms`, `duration`, `elapsedMs`: how long something took.
pub(super) fn names_duration(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    ["duration", "latency", "elapsed", "delay", "took"]
        .iter()
        .any(|start| key.starts_with(start) || key.ends_with(start))
        || key.ends_with("_ms")
}
