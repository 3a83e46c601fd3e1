//! Patterns of files and folders as in `.gitignore`.

use gix::glob::{Pattern, pattern::Case, wildmatch};

/// Patterns for files and folders that are not listed, as git understands those of a `.gitignore`: one without a slash
/// matches a name anywhere, one with a slash a path from the folder of the file; the last that matches decides, and `!` lists
/// again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ignore {
    patterns: Vec<Pattern>,
}

/// Whether a path is a file or a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    File,
    /// A folder. If a pattern matches it, its contents are not read.
    Folder,
}

/// Decision of patterns about a path that one of them matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IgnoreDecision {
    Ignored,
    /// It is listed, whatever patterns of less weight say.
    Listed,
}

impl Ignore {
    /// Parses a file of patterns: one on each line, and comments behind `#`.
    pub fn parse(text: &[u8]) -> Self {
        let mut ignore = Self::default();
        // git skips a byte order mark, and below the CR of line ends.
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.starts_with(b"#") {
                ignore.add(without_spaces_at_end(line));
            }
        }
        ignore
    }

    /// Adds a pattern, which decides before those added earlier. Returns false if it is empty.
    pub fn add(&mut self, pattern: &[u8]) -> bool {
        let pattern = Pattern::from_bytes(pattern);
        let is_pattern = pattern.is_some();
        self.patterns.extend(pattern);
        is_pattern
    }

    /// Returns true if there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Returns what is decided about this path, relative to the folder of the file; `None` if no pattern matches. The folders
    /// above it are not considered.
    pub fn decide(&self, path: &str, kind: PathKind) -> Option<IgnoreDecision> {
        let is_negative = self.patterns[self.last_match(path, kind)?].is_negative();
        Some(if is_negative { IgnoreDecision::Listed } else { IgnoreDecision::Ignored })
    }

    /// Returns true if this path, relative to the folder of the file, is ignored. The folders above it are not considered.
    pub fn matches(&self, path: &str, kind: PathKind) -> bool {
        self.decide(path, kind) == Some(IgnoreDecision::Ignored)
    }

    /// Removes the pattern that decides about a path.
    pub fn remove_deciding(&mut self, path: &str, kind: PathKind) {
        if let Some(index) = self.last_match(path, kind) {
            self.patterns.remove(index);
        }
    }

    fn last_match(&self, path: &str, kind: PathKind) -> Option<usize> {
        let name = path.rfind('/').map(|slash| slash + 1);
        let is_folder = Some(kind == PathKind::Folder);
        // In git's patterns `*` matches no slash.
        let slashes = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
        self.patterns.iter().rposition(|pattern| {
            let path = path.into();
            pattern.matches_repo_relative_path(path, name, is_folder, Case::Sensitive, slashes)
        })
    }

    /// Returns true if a file or one of the folders above it is ignored.
    pub fn hides(&self, file: &str) -> bool {
        // A pattern for a folder hides its files, although it does not match them.
        let mut folders = file.match_indices('/').map(|(end, _)| &file[..end]);
        folders.any(|dir| self.matches(dir, PathKind::Folder)) || self.matches(file, PathKind::File)
    }
}

/// Removes the spaces at the end of a line, except one behind a backslash.
fn without_spaces_at_end(line: &[u8]) -> &[u8] {
    let (mut end, mut index) = (0, 0);
    while index < line.len() {
        // What is behind a backslash belongs to the pattern.
        let next = index + if line[index] == b'\\' { 2 } else { 1 };
        if line[index] != b' ' {
            end = next.min(line.len());
        }
        index = next;
    }
    &line[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignore(text: &str) -> Ignore {
        Ignore::parse(text.as_bytes())
    }

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        let ignore = ignore("*.tmp.json\n/top.json\ndrafts/\na/**/x.json\nold-?\n!keep.tmp.json");
        let hides = |path| ignore.hides(path);
        for path in [
            "a.tmp.json",
            "deep/er/a.tmp.json",
            "top.json",
            "sets/drafts/one/a.json",
            "a/x.json",
            "a/b/c/x.json",
            "sets/old-1/a.json",
        ] {
            assert!(hides(path), "{path}");
        }
        for path in
            ["deep/top.json", "drafts", "b/x.json", "old-12/a.json", "deep/keep.tmp.json", "a.json"]
        {
            assert!(!hides(path), "{path}");
        }
    }

    #[test]
    fn a_file_of_patterns_is_read_as_git_reads_it() {
        let ignore =
            ignore("\u{feff}# a comment\r\n\r\n  \nspaces  \none\\ \n\\#hash\n\\!bang\r\nlast");
        for path in ["spaces", "one ", "#hash", "!bang", "last"] {
            assert!(ignore.matches(path, PathKind::File), "{path}");
        }
        for path in ["# a comment", "one", "bang", "  "] {
            assert!(!ignore.matches(path, PathKind::File), "{path}");
        }
    }

    #[test]
    fn without_the_pattern_that_decided_the_one_before_it_decides() {
        let mut ignore = ignore("*\n!dist/\ndist");
        for decision in [Some(IgnoreDecision::Ignored), Some(IgnoreDecision::Listed)] {
            assert_eq!(ignore.decide("dist", PathKind::Folder), decision);
            ignore.remove_deciding("dist", PathKind::Folder);
        }
        assert!(ignore.matches("dist", PathKind::Folder));
    }
}
