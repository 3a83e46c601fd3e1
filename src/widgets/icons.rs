//! Every icon of the window: Lucide icons as characters of the icon font, by their Lucide names.
//!
//! `assets/fonts/cut.sh` reduces the font to the characters in this file, so a new icon is one more line here.

use document::{FileKind, Severity};
pub use machine::{short_tool, tool_prefix};
use protocol::Desk;
use workbench::{Command, CommandSection};

macro_rules! icons {
    ($($name:ident $sign:literal $lucide:literal,)*) => {
        $(#[doc = concat!("`", $lucide, "`")] pub const $name: &str = $sign;)*

        /// Every icon with its Lucide name.
        pub const ALL: &[(&str, &str)] = &[$(($lucide, $sign)),*];
    };
}

icons! {
// Desks.
LIBRARY "\u{e100}" "library",
LIST_CHECKS "\u{e1d0}" "list-checks",
CASSETTE_TAPE "\u{e4ca}" "cassette-tape",
MESSAGES_SQUARE "\u{e40d}" "messages-square",
SPROUT "\u{e1eb}" "sprout",
GIT_COMPARE "\u{e359}" "git-compare",
TRIANGLE_ALERT "\u{e193}" "triangle-alert",
RADIO "\u{e142}" "radio",
// Kinds.
FILE_PLAY "\u{e321}" "file-play",
INBOX "\u{e0f7}" "inbox",
FILE_TEXT "\u{e0cc}" "file-text",
FILE_COG "\u{e316}" "file-cog",
FILE_CHECK "\u{e0c1}" "file-check",
CLIPBOARD_LIST "\u{e086}" "clipboard-list",
FILE_QUESTION_MARK "\u{e322}" "file-question-mark",
VOICEMAIL "\u{e1a8}" "voicemail",
// What a call contains.
FILE_ARCHIVE "\u{e30d}" "file-archive",
TABLE_PROPERTIES "\u{e4db}" "table-properties",
// Tools.
ARROW_RIGHT "\u{e049}" "arrow-right",
BOOK_OPEN "\u{e05f}" "book-open",
PENCIL "\u{e1f9}" "pencil",
WRENCH "\u{e1b1}" "wrench",
LOCK "\u{e10b}" "lock",
SEND "\u{e152}" "send",
// How a recording was found.
HASH "\u{e0ef}" "hash",
LIST_ORDERED "\u{e1d1}" "list-ordered",
REPEAT_2 "\u{e411}" "repeat-2",
// Changes.
PLUS "\u{e13d}" "plus",
MINUS "\u{e11c}" "minus",
PENCIL_LINE "\u{e4f0}" "pencil-line",
REPLACE "\u{e3db}" "replace",
TEXT "\u{e185}" "text",
TYPE "\u{e198}" "type",
SPLINE "\u{e38b}" "spline",
CIRCLE_PLUS "\u{e081}" "circle-plus",
CORNER_DOWN_RIGHT "\u{e0a2}" "corner-down-right",
VOLUME_X "\u{e1ac}" "volume-x",
UNFOLD_VERTICAL "\u{e43e}" "unfold-vertical",
FOLD_VERTICAL "\u{e43c}" "fold-vertical",
SLASH "\u{e51d}" "slash",
SCISSORS "\u{e14e}" "scissors",
MERGE "\u{e43f}" "merge",
IMAGE_DOWN "\u{e53c}" "image-down",
// States.
CIRCLE_CHECK "\u{e226}" "circle-check",
CLOCK_ALERT "\u{e62a}" "clock-alert",
CIRCLE_DASHED "\u{e4b0}" "circle-dashed",
FILE_SYMLINK "\u{e327}" "file-symlink",
WRAP_TEXT "\u{e248}" "wrap-text",
FILE_X "\u{e0cd}" "file-x",
SHIELD_BAN "\u{e159}" "shield-ban",
OCTAGON_X "\u{e128}" "octagon-x",
CIRCLE_MINUS "\u{e07e}" "circle-minus",
HOURGLASS "\u{e296}" "hourglass",
CHECK "\u{e06c}" "check",
CIRCLE_DOT "\u{e345}" "circle-dot",
REFRESH_CW "\u{e145}" "refresh-cw",
// Levels and advice.
INFO "\u{e0f9}" "info",
CIRCLE_QUESTION_MARK "\u{e082}" "circle-question-mark",
CIRCLE_X "\u{e084}" "circle-x",
WAND_SPARKLES "\u{e357}" "wand-sparkles",
// Comparing and merging.
EQUAL "\u{e1bd}" "equal",
EQUAL_NOT "\u{e1be}" "equal-not",
ARROW_LEFT_RIGHT "\u{e24a}" "arrow-left-right",
GIT_MERGE "\u{e0e4}" "git-merge",
GIT_COMMIT_HORIZONTAL "\u{e0e3}" "git-commit-horizontal",
GIT_FORK "\u{e28d}" "git-fork",
HARD_DRIVE "\u{e0ed}" "hard-drive",
COLUMNS_2 "\u{e098}" "columns-2",
WORKFLOW "\u{e425}" "workflow",
// What runs.
SERVER "\u{e153}" "server",
ACTIVITY "\u{e038}" "activity",
WIFI "\u{e1ae}" "wifi",
WIFI_OFF "\u{e1af}" "wifi-off",
PLAY "\u{e13c}" "play",
PAUSE "\u{e12e}" "pause",
SKIP_BACK "\u{e15f}" "skip-back",
SKIP_FORWARD "\u{e160}" "skip-forward",
STEP_BACK "\u{e3e9}" "step-back",
STEP_FORWARD "\u{e3ea}" "step-forward",
// Moving about.
MENU "\u{e115}" "menu",
SEARCH "\u{e151}" "search",
CASE_SENSITIVE "\u{e3d9}" "case-sensitive",
WHOLE_WORD "\u{e3df}" "whole-word",
CHEVRON_DOWN "\u{e06d}" "chevron-down",
CHEVRON_UP "\u{e070}" "chevron-up",
CHEVRON_RIGHT "\u{e06f}" "chevron-right",
CHEVRONS_DOWN_UP "\u{e228}" "chevrons-down-up",
CHEVRONS_UP_DOWN "\u{e211}" "chevrons-up-down",
ARROW_LEFT "\u{e048}" "arrow-left",
ARROW_UP "\u{e04a}" "arrow-up",
ARROW_DOWN "\u{e042}" "arrow-down",
EXTERNAL_LINK "\u{e0b9}" "external-link",
CORNER_DOWN_LEFT "\u{e0a1}" "corner-down-left",
// Files and folders.
FOLDER "\u{e0d7}" "folder",
FOLDER_OPEN "\u{e247}" "folder-open",
FILE "\u{e0c0}" "file",
FILE_CODE "\u{e0c3}" "file-code",
FILE_BRACES "\u{e36b}" "file-braces",
SAVE "\u{e14d}" "save",
COPY "\u{e09e}" "copy",
CLIPBOARD_PASTE "\u{e3e8}" "clipboard-paste",
DOWNLOAD "\u{e0b2}" "download",
UPLOAD "\u{e19e}" "upload",
TRASH_2 "\u{e18e}" "trash-2",
// Lists.
LIST_TREE "\u{e408}" "list-tree",
LIST_PLUS "\u{e23f}" "list-plus",
ROWS_3 "\u{e58a}" "rows-3",
FUNNEL "\u{e0dc}" "funnel",
LAYERS "\u{e529}" "layers",
ASTERISK "\u{e1ef}" "asterisk",
SLIDERS_HORIZONTAL "\u{e29a}" "sliders-horizontal",
FLASK_CONICAL "\u{e0d5}" "flask-conical",
IMAGE "\u{e0f6}" "image",
SHIELD_CHECK "\u{e1ff}" "shield-check",
AUDIO_LINES "\u{e55a}" "audio-lines",
ELLIPSIS "\u{e0b6}" "ellipsis",
TAG "\u{e17f}" "tag",
PIN "\u{e259}" "pin",
EYE "\u{e0ba}" "eye",
EYE_OFF "\u{e0bb}" "eye-off",
PANEL_RIGHT "\u{e431}" "panel-right",
GRIP_VERTICAL "\u{e0eb}" "grip-vertical",
CIRCLE "\u{e076}" "circle",
SQUARE "\u{e167}" "square",
SQUARE_CHECK "\u{e559}" "square-check",
// The conversation.
USER "\u{e19f}" "user",
SPARKLES "\u{e412}" "sparkles",
MESSAGE_SQUARE "\u{e117}" "message-square",
FINGERPRINT "\u{e2cb}" "fingerprint",
STAMP "\u{e3bb}" "stamp",
BRACES "\u{e36a}" "braces",
// What goes wrong with an answer.
ZAP "\u{e1b4}" "zap",
TIMER_OFF "\u{e249}" "timer-off",
UNPLUG "\u{e45d}" "unplug",
GAUGE "\u{e1bf}" "gauge",
SNAIL "\u{e4f8}" "snail",
SYRINGE "\u{e2f2}" "syringe",
// The program.
MOON "\u{e11e}" "moon",
SUN "\u{e178}" "sun",
MONITOR "\u{e11d}" "monitor",
HISTORY "\u{e1f5}" "history",
SETTINGS "\u{e154}" "settings",
X "\u{e1b2}" "x",
UNDO_2 "\u{e2a1}" "undo-2",
REDO_2 "\u{e2a0}" "redo-2",
KEYBOARD "\u{e284}" "keyboard",
MAP "\u{e110}" "map",
SQUARE_TERMINAL "\u{e20a}" "square-terminal",
ZOOM_IN "\u{e1b6}" "zoom-in",
ZOOM_OUT "\u{e1b7}" "zoom-out",
LINK "\u{e102}" "link",
CLOCK "\u{e087}" "clock",
LOG_OUT "\u{e10e}" "log-out",}

/// Returns the icon of a kind of file.
pub fn kind(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Recording => FILE_PLAY,
        FileKind::Request => INBOX,
        FileKind::Session => MESSAGES_SQUARE,
        FileKind::Config => FILE_COG,
        FileKind::Contract => FILE_CHECK,
        FileKind::Report => CLIPBOARD_LIST,
        FileKind::Tape => CASSETTE_TAPE,
        FileKind::Seeds => SPROUT,
        FileKind::Cassette => VOICEMAIL,
        FileKind::Har | FileKind::Runs | FileKind::Foreign => FILE,
        FileKind::Machine => FILE_CODE,
        FileKind::Unknown => FILE_QUESTION_MARK,
    }
}

/// Returns the icon of a tool, chosen by the prefix of its name.
pub fn tool(name: &str) -> &'static str {
    match tool_prefix(name) {
        "transition_to_" => ARROW_RIGHT,
        "read_" => BOOK_OPEN,
        "write_" => PENCIL,
        _ => WRENCH,
    }
}

/// Returns the icon of a severity.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => OCTAGON_X,
        Severity::Warning => TRIANGLE_ALERT,
        Severity::Note => INFO,
    }
}

/// Returns the icon with this Lucide name.
fn named(name: &str) -> &'static str {
    // Commands name their icons as text, because the workbench knows no fonts; a wrong name must be seen, not crash.
    ALL.iter().find(|(lucide, _)| *lucide == name).map_or(FILE_QUESTION_MARK, |(_, sign)| *sign)
}

/// Returns the icon of a desk.
pub fn desk(desk: Desk) -> &'static str {
    command(Command::go_to(desk))
}

/// Returns the icon of a command in menus and in the palette.
pub fn command(command: Command) -> &'static str {
    named(command.icon())
}

/// Returns the icon of a menu section.
pub fn section(section: CommandSection) -> &'static str {
    match section {
        CommandSection::File => FOLDER_OPEN,
        CommandSection::Edit => PENCIL,
        CommandSection::Go => ARROW_RIGHT,
        CommandSection::List => ROWS_3,
        CommandSection::Tape => CASSETTE_TAPE,
        CommandSection::Session => MESSAGES_SQUARE,
        CommandSection::Playback => desk(Desk::Playback),
        CommandSection::Problem => TRIANGLE_ALERT,
        CommandSection::Compare => COLUMNS_2,
        CommandSection::Review => GIT_COMPARE,
        CommandSection::Live => RADIO,
        CommandSection::Run => SQUARE_TERMINAL,
        CommandSection::Window => MONITOR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_an_icon_of_the_font() {
        for command in Command::ALL {
            let icon = command.icon();
            assert!(ALL.iter().any(|(name, _)| *name == icon), "{icon}");
        }
    }

    #[test]
    fn the_prefix_of_a_tool_name_selects_its_icon() {
        assert_eq!(tool("transition_to_close"), ARROW_RIGHT);
        assert_eq!(tool("read_Ticket"), BOOK_OPEN);
        assert_eq!(tool_prefix("write_Ticket"), "write_");
        assert_eq!(tool_prefix("read_"), "");
        assert_eq!(tool("lookup_order"), WRENCH);
    }
}
