//! Names of one machine: users and folders in paths, computers, processes and shells. A recording that has them fits the next run
//! only on the same machine.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use regex::Regex;

use super::personal::personal;
use calls::decoded_view::{DocumentTexts, MarkedSecret, Part, TextName, TextSearch, plain_name};
use calls::secret::{CustomPatterns, FoundSecret, SecretKind, is_redacted};
use document::text::{is_part_of_word, remove_overlapping};

const USER: SecretKind = personal("the name of a user in a path", LABEL);
const FOLDER: SecretKind = personal("a temporary folder", LABEL);
const COMPUTER: SecretKind = personal("the name of a computer", LABEL);
const PROCESS: SecretKind = personal("the id of a process or a shell", LABEL);

/// Kind of values on the command line.
pub(super) const LABEL: &str = "machine";

/// Texts without which a text names no machine, separated by `|`.
const MARKS: &str = r#"/home/|/Users/|/users/|\Users\|\users\|-Users-|-home-|/var/folders/|/tmp/tmp|/pytest-of-|/Temp/|\Temp\|MacBook|Mac-mini|Mac-Studio|iMac|DESKTOP-|LAPTOP-|ip-|fv-az|pid |pid:|pid=|pid"|PID|rocess id|rocess ID|rocess_id|rocessId|hell id|hell ID|hell_id|hellId|hostname|host_name|Hostname|hostName|machine_name|machineName|computer_name|computerName|node_name"#;

static MARK_FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    // This kind of match has a search with vectors.
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(MARKS.split('|')).ok()
});

/// Forms, each with its kind; the value is the first group.
static FORMS: LazyLock<Vec<(SecretKind, Regex)>> = LazyLock::new(|| {
    const BREAK: &str = r"(?:\r?\n)?";
    let name = r"([A-Za-z][A-Za-z0-9._-]{1,31})";
    let forms = [
        (FOLDER, r"((?:/private)?/var/folders/[a-z0-9_+]{2}/[A-Za-z0-9_+]{20,40})".to_owned()),
        (FOLDER, r"/tmp/(tmp[a-z0-9_]{8})".to_owned()),
        (FOLDER, r"/(pytest-of-[A-Za-z0-9._-]+/pytest-[0-9]+)".to_owned()),
        (FOLDER, r"[\\/]Temp[\\/]{1,2}(tmp[a-z0-9_]{6,8}|[0-9a-f-]{36})".to_owned()),
        // `ls` in a narrow terminal breaks a long path anywhere, here before the name.
        (USER, format!(r"(?:^|[^A-Za-z0-9.%}}-])(?:/var|/[a-z])?/(?:home|Users)/{BREAK}{name}")),
        (USER, r"[A-Za-z]:[\\/]{1,2}[Uu]sers[\\/]{1,2}([A-Za-z][A-Za-z0-9._-]{1,31})[\\/]".to_owned()),
        // A folder that is named after a path, as agents do it.
        (USER, r"/projects/-(?:Users|home)-([A-Za-z][A-Za-z0-9]+)-".to_owned()),
        (COMPUTER, r"((?:[A-Za-z0-9]+-)*(?:MacBook|Mac-mini|Mac-Studio|iMac)(?:-[A-Za-z0-9]+)*\.(?:local|lan|home))".to_owned()),
        (COMPUTER, r"((?:DESKTOP|LAPTOP)-[A-Z0-9]{7,8})".to_owned()),
        (COMPUTER, r"(ip-[0-9]{1,3}(?:-[0-9]{1,3}){3}|fv-az[0-9]+-[0-9]+)".to_owned()),
        (PROCESS, r"(?-u:\b)(?:pid|PID|[Pp]rocess [Ii][Dd]|[Ss]hell [Ii][Dd])(?: ?[:=] ?| )([0-9]{3,7})".to_owned()),
    ];
    forms.into_iter().filter_map(|(kind, form)| Some((kind, Regex::new(&form).ok()?))).collect()
});

/// Names of users that are the same on many machines, or stand for any.
const COMMON_USERS: &str = "user users username user1 runner root admin administrator ubuntu debian vscode node app agent circleci jenkins \
                            gitpod codespace oai sandbox me you yourname your-name your_username yourusername alice bob foo bar example test tester \
                            dev shared public default all-users linuxbrew site coder jovyan container worker vagrant ec2-user pi git \
                            developer workspace guest someone somebody john jane doe jdoe johndoe name myname myuser builder ci demo \
                            appuser nonroot daytona swe openhands claude codex gemini model assistant";

/// Returns whether names of users are the same on many machines.
fn is_common_user(name: &str) -> bool {
    COMMON_USERS.split_ascii_whitespace().any(|common| name.eq_ignore_ascii_case(common))
}

/// Finds what names a machine in a text, in order.
fn find_machine(text: &str, name: TextName<'_>) -> Vec<FoundSecret> {
    let mut found: Vec<FoundSecret> = field_value(text, name).into_iter().collect();
    let has_mark = MARK_FINDER.as_ref().is_some_and(|marks| marks.is_match(text));
    for (kind, form) in FORMS.iter().filter(|_| has_mark) {
        let values = form.captures_iter(text).filter_map(|captures| captures.get(1));
        let ranges = values.map(|value| trimmed(text, value.range()));
        let ranges = ranges.filter(|range| range.len() > 1 && !is_part_of_word(text, range));
        let is_meant = |range: &Range<usize>| {
            let value = &text[range.clone()];
            (*kind != USER || !is_common_user(value)) && !is_redacted(value)
        };
        found.extend(ranges.filter(is_meant).map(|range| FoundSecret { kind: *kind, range }));
    }
    found.sort_by_key(|secret| (secret.range.start, std::cmp::Reverse(secret.range.end)));
    remove_overlapping(&mut found, |secret| &secret.range);
    found
}

/// Returns a range without a full stop that ends a sentence.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    range.start..range.start + text[range].trim_end_matches(['.', '-', '_']).len()
}

/// Returns a value that its field shows to be the name of a computer, or the id of a process.
fn field_value(text: &str, name: TextName<'_>) -> Option<FoundSecret> {
    let (TextName::Member(field) | TextName::NameOfPerson(field)) = name else { return None };
    let is_number = text.len() >= 3 && text.len() <= 7 && text.bytes().all(|b| b.is_ascii_digit());
    let is_label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    // A name with dots is one of the network, and a name without a digit or hyphen is often that of a service.
    let is_computer = || {
        (4..=63).contains(&text.len())
            && text.bytes().all(is_label)
            && text.bytes().any(|byte| byte.is_ascii_digit() || byte == b'-')
    };
    let kind = match plain_name(field).as_str() {
        "pid" | "ppid" | "processid" | "shellid" if is_number => PROCESS,
        "hostname" | "machinename" | "computername" | "nodename" if is_computer() => COMPUTER,
        _ => return None,
    };
    Some(FoundSecret { kind, range: 0..text.len() })
}

/// A search for what names a machine.
pub(super) struct MachineSearch<'a> {
    pub(super) own: &'a CustomPatterns,
}

impl TextSearch for MachineSearch<'_> {
    fn search(&mut self, text: &str, name: TextName<'_>) -> Vec<Part> {
        let found = find_machine(text, name).into_iter();
        let found = found.filter(|secret| !self.own.allows(&text[secret.range.clone()]));
        found.map(|secret| Part::new(secret, text)).collect()
    }

    fn marks(&self, text: &str) -> Option<Vec<usize>> {
        let marks = MARK_FINDER.as_ref()?;
        Some(marks.find_iter(text).map(|mark| mark.start()).collect())
    }
}

/// Finds what names a machine in a document: each value once, in the order of the text.
pub fn scan_machine<'t>(
    texts: &DocumentTexts<'t, '_>,
    own: &CustomPatterns,
) -> Vec<MarkedSecret<'t>> {
    let mut values = HashSet::new();
    let mut found = texts.marked(&mut MachineSearch { own });
    found.retain(|value| values.insert(value.text.clone()));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        let found = find_machine(text, TextName::None);
        found.into_iter().map(|secret| &text[secret.range]).collect()
    }

    #[test]
    fn what_names_a_machine_is_found() {
        for (text, expected) in [
            ("see /home/ada/src/x.py", "ada"),
            ("/Users/connor.peet/dev", "connor.peet"),
            ("/Users/\nconnorpeet/dev", "connorpeet"),
            (r"C:\Users\Ada\AppData", "Ada"),
            (r"C:\\Users\\Ada\\AppData", "Ada"),
            ("/c/Users/ada/x", "ada"),
            ("~/.claude/projects/-Users-ada-retake/x.jsonl", "ada"),
            (
                "/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/x",
                "/private/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000",
            ),
            ("/tmp/tmp1a2b3c4d/out", "tmp1a2b3c4d"),
            ("/tmp/pytest-of-ada/pytest-12/test_a0", "pytest-of-ada/pytest-12"),
            ("on Adas-MacBook-Pro.local:", "Adas-MacBook-Pro.local"),
            ("DESKTOP-4F7QK2M\\ada", "DESKTOP-4F7QK2M"),
            ("host ip-10-0-3-17.ec2.internal", "ip-10-0-3-17"),
            ("started with PID 48213.", "48213"),
        ] {
            assert_eq!(values(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_is_the_same_on_every_machine_is_not() {
        for text in [
            "/home/user/x /Users/you/x /home/runner/work",
            "https://example.com/home/news/today",
            "GET /users/42/posts",
            "/home/$USER/x and /home/<name>/x and /home/{user}",
            "/tmp/report.txt and /tmp/build",
            "settings.local.json, svc.cluster.local",
            "the pid file, pid 1, rapid 12345",
            "ship-1-2-3-4 zip-10-0-0-1",
            "/Users/[redacted-machine-1]/x",
        ] {
            assert!(values(text).is_empty(), "{text}: {:?}", values(text));
        }
    }

    #[test]
    fn a_field_names_its_value() {
        let found = |text, field| find_machine(text, TextName::Member(field)).len();
        for (text, field) in [("4821", "pid"), ("482", "shellId"), ("build-7", "host_name")] {
            assert_eq!(found(text, field), 1, "{field}");
        }
        for (text, field) in
            [("1", "pid"), ("localhost", "hostname"), ("a-1.example.com", "hostname")]
        {
            assert_eq!(found(text, field), 0, "{field}");
        }
    }
}
