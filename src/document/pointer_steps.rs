//! Steps of JSON pointers (RFC 6901): keys, with their slashes and tildes escaped.

/// Returns the JSON Pointer of a member of the object at `pointer`.
pub fn member_pointer(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", escape_step(key))
}

/// Escapes a key as a step of a JSON Pointer.
pub fn escape_step(key: &str) -> String {
    // The tilde first, or the one of `~1` would be escaped again.
    key.replace('~', "~0").replace('/', "~1")
}

/// Returns the key that a step of a JSON Pointer names.
pub fn unescape_step(step: &str) -> String {
    // The slash first: `~01` is the text `~1`.
    step.replace("~1", "/").replace("~0", "~")
}
