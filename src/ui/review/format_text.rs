//! Formats paths, pointers and sentences for narrow columns.

use egui::Color32;

use document::text::visible;
use widgets::StyledText;
use widgets::theme::{self, Tokens};

/// A longer pointer is shortened in the middle.
const MAX_POINTER_CHARS: usize = 30;

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

/// Shortens a path to this many characters. The end of its name distinguishes it from its neighbours, so the end stays.
pub(super) fn truncate_middle(path: &str, letters: usize) -> String {
    let count = path.chars().count();
    // Below eight characters both halves would be too short to recognize.
    if count <= letters || letters < 8 {
        return path.to_owned();
    }
    // One character is the ellipsis; the end gets the odd one.
    let end = (letters - 1).div_ceil(2);
    let start: String = path.chars().take(letters - 1 - end).collect();
    let end: String = path.chars().skip(count - end).collect();
    format!("{start}…{end}")
}

/// Returns the name of a file without its extension.
pub(super) fn stem(path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    visible(name.rsplit_once('.').map_or(name, |(stem, _)| stem)).into_owned()
}

/// Shortens a JSON Pointer to its first and its last steps.
pub(super) fn short_pointer(pointer: &str) -> String {
    let text = visible(pointer);
    if text.is_empty() {
        return "the whole file".to_owned();
    }
    if text.chars().count() <= MAX_POINTER_CHARS {
        return text.into_owned();
    }
    // A pointer begins with a slash, so the first part is empty.
    let steps: Vec<&str> = text.split('/').skip(1).collect();
    let (first, last) = (steps.first().copied().unwrap_or_default(), steps.len());
    let mut end = String::new();
    for step in steps[1..last].iter().rev() {
        // Four more are the slashes and the ellipsis. The last step is always shown, however long.
        if first.len() + end.len() + step.len() + 4 > MAX_POINTER_CHARS && !end.is_empty() {
            break;
        }
        end = format!("/{step}{end}");
    }
    format!("/{first}/…{end}")
}

/// Returns a sentence without the backticks around names, for screen readers.
pub(super) fn without_backticks(sentence: &str) -> String {
    visible(&sentence.replace('`', "")).into_owned()
}

/// Formats a sentence with the names between backticks in the monospaced font.
pub(super) fn rich_text(sentence: &str, size: f32, color: Color32, tokens: &Tokens) -> StyledText {
    let mut words = StyledText::new();
    for (index, piece) in sentence.split('`').enumerate() {
        let piece = visible(piece);
        match index % 2 {
            0 => words.push(&piece, theme::regular(size), color),
            // The monospaced font looks larger than the other at the same size.
            _ => words.push(&piece, theme::mono(size - 0.5), tokens.text_strong),
        }
    }
    words
}

/// Formats an emphasized sentence with the names between backticks in the monospaced font.
pub(super) fn rich_text_strong(sentence: &str, size: f32, tokens: &Tokens) -> StyledText {
    let mut words = StyledText::new();
    for (index, piece) in sentence.split('`').enumerate() {
        let font = match index % 2 {
            0 => theme::semibold(size),
            _ => theme::mono_bold(size),
        };
        words.push(&visible(piece), font, tokens.text_strong);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_pointers_keep_their_distinctive_parts() {
        assert_eq!(short_path("a/recordings/triage/turn-2.json"), "triage/turn-2");
        assert_eq!(short_path("turn-2.json"), "turn-2");
        assert_eq!(stem("a/turn-2.v1.json"), "turn-2.v1");
        assert_eq!(path_below("a/b.c/turn-2.json", 2), "b.c/turn-2");
        assert_eq!(path_below("a/turn-2.json", 2), "turn-2");
        assert_eq!(short_pointer("/request/tools/1/name"), "/request/tools/1/name");
        let long = "/response/response/content/1/input/reason";
        assert_eq!(short_pointer(long), "/response/…/1/input/reason");
        assert_eq!(short_pointer(""), "the whole file");
        assert_eq!(truncate_middle("triage/req-17733-2", 13), "triage…7733-2");
        assert_eq!(truncate_middle("a/b", 2), "a/b");
        assert_eq!(renamed("gpt-5-mini-2", "gpt-5-mini-10"), "gpt-5-mini-2 → 10");
        assert_eq!(renamed("b/turn-1", "c/turn-1"), "b/turn-1 → c/turn-1");
        assert_eq!(renamed("turn", "turn-2"), "turn → turn-2");
        assert_eq!(without_backticks("Tool `a` is now `b`"), "Tool a is now b");
    }
}
