//! Name, version and address of the program.

use std::sync::{LazyLock, OnceLock};

/// Address of the project, as declared in Cargo.toml.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// Version as in Cargo.toml.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Set by the program and not read here, because a build for another commit would else compile every member again.
static COMMIT: OnceLock<&str> = OnceLock::new();

/// Sets the commit that the program was built from; to be called before [`version`].
pub fn set_commit(commit: &'static str) {
    // A second call, as by tests that run the program twice, names the same commit.
    let _ = COMMIT.set(commit);
}

/// Returns the version, followed by the commit it was built from if that is known.
pub fn version() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| match COMMIT.get() {
        Some(commit) if !commit.is_empty() => format!("{VERSION} ({commit})"),
        _ => VERSION.to_owned(),
    });
    &TEXT
}
