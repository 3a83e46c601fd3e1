//! What a plain scalar means: JSON numbers as JavaScript reads them, YAML 1.1 scalars as PyYAML does.

/// The number a JSON or YAML text stands for.
pub fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

/// The boolean a JSON or YAML 1.1 text stands for.
pub fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}
