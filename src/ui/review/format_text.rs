//! Formats paths and sentences for narrow columns.

use egui::Color32;

use document::text::visible;
use widgets::StyledText;
use widgets::theme::{self, Tokens};

/// Returns the last two parts of a path, without the extension: `triage-ticket/turn-2`.
pub(super) fn short_path(path: &str) -> String {
    // Files are named `turn-2` in every folder, so the folder belongs to the name.
    let mut parts = path.rsplitn(3, '/');
    let name = parts.next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let text = match parts.next() {
        Some(folder) => format!("{folder}/{stem}"),
        None => stem.to_owned(),
    };
    visible(&text).into_owned()
}

/// Returns the part of a path after a folder of this length, without the extension.
pub(super) fn path_below(path: &str, folder: usize) -> String {
    let rest = path.get(folder..).unwrap_or(path);
    // Only a dot in the name begins an extension; folders may have dots, too.
    let name = rest.rfind('/').map_or(0, |slash| slash + 1);
    let end = rest[name..].rfind('.').map_or(rest.len(), |dot| name + dot);
    visible(&rest[..end]).into_owned()
}

/// Returns the short names of a file that got another one: `turn-11 → 12`, without what both have at the start.
pub(super) fn renamed(old: &str, new: &str) -> String {
    let mut common_chars = old.char_indices().zip(new.chars()).take_while(|((_, a), b)| a == b);
    let is_joint = |c: char| !c.is_alphanumeric();
    let start = common_chars
        .by_ref()
        .filter(|((_, a), _)| is_joint(*a))
        .last()
        // Cut after a joint, so that a number stays whole: `turn-11 → 12`, not `turn-11 → 2`.
        .map_or(0, |((index, joint), _)| index + joint.len_utf8());
    format!("{old} → {}", new.get(start..).unwrap_or(new))
}

/// Returns the name of a file without its extension.
pub(super) fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    visible(name.rsplit_once('.').map_or(name, |(stem, _)| stem)).into_owned()
}

/// Returns a sentence without the backticks around names, for screen readers.
pub(super) fn without_backticks(sentence: &str) -> String {
    visible(&sentence.replace('`', "")).into_owned()
}

/// Formats a sentence with the names between backticks in the monospaced font.
pub(super) fn rich_text(sentence: &str, size: f32, color: Color32, tokens: &Tokens) -> StyledText {
    let (words, font) = (visible(sentence), theme::regular(size));
    let words = widgets::code::sentence(&words, font, color, tokens.text_strong, 0.0);
    StyledText::new().sentence(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_their_distinctive_parts() {
        assert_eq!(short_path("a/recordings/triage/turn-2.json"), "triage/turn-2");
        assert_eq!(short_path("turn-2.json"), "turn-2");
        assert_eq!(stem("a/turn-2.v1.json"), "turn-2.v1");
        assert_eq!(path_below("a/b.c/turn-2.json", 2), "b.c/turn-2");
        assert_eq!(path_below("a/turn-2.json", 2), "turn-2");
        assert_eq!(renamed("gpt-5-mini-2", "gpt-5-mini-10"), "gpt-5-mini-2 → 10");
        assert_eq!(renamed("b/turn-1", "c/turn-1"), "b/turn-1 → c/turn-1");
        assert_eq!(renamed("turn", "turn-2"), "turn → turn-2");
        assert_eq!(without_backticks("Tool `a` is now `b`"), "Tool a is now b");
    }
}
