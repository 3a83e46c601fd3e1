//! Keys for tests.

/// Returns a key in its issuer's format, assembled at run time so that no file contains a complete key.
pub fn sample_key(prefix: &str, letters: usize) -> String {
    let alphabet = "Zk3vQ8rT1mXw7LpBy5NcHs2JdGf9Ra4EuKoVi6Cx0";
    prefix.chars().chain(alphabet.chars().cycle().take(letters)).collect()
}
