//! Names of the files that drafts become.

use crate::session::NewSession;

/// The default pattern of file names for drafts.
pub const PATTERN: &str = "{id}.yaml";

/// The longest that one field may make a name.
const MAX_FIELD_CHARS: usize = 100;

/// Makes the path of a file, from the folder it goes to, by a pattern such as `incident-{date}-{id}.yaml`. What a name
/// cannot hold becomes `-`. No file's name begins with `-`, which other programs take for an option, or with `.`, which
/// hides it. One without an ending gets that of YAML, and none leads out of the folder. `number` counts from 1.
pub fn file_name(pattern: &str, session: &NewSession, number: usize) -> String {
    let source = session.source.as_deref().unwrap_or("manual");
    let filled = pattern
        .trim()
        // `plain` leaves no braces, so no value is filled in again.
        .replace("{id}", &plain(&session.id))
        .replace("{source}", &plain(source))
        .replace("{date}", &date(session))
        // Three digits, so that names sort as their numbers.
        .replace("{number}", &format!("{number:03}"));
    let mut parts: Vec<&str> =
        // Both signs separate folders on Windows, where the project may be opened later.
        filled.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let last = parts.pop().unwrap_or_default();
    let mut endings = [".yaml", ".yml", ".json"].into_iter();
    let split = endings.find_map(|ending| Some((last.strip_suffix(ending)?, ending)));
    let (stem, ending) = split.unwrap_or((last, ".yaml"));
    let stem = match stem.trim_start_matches(['-', '.']) {
        "" => "session",
        stem => stem,
    };
    let name = format!("{stem}{ending}");
    parts.push(&name);
    let path = parts.join("/");
    // Other programs take a path that begins with `-` for an option.
    path.trim_start_matches('-').to_owned()
}

/// Returns the day on which a session was captured.
fn date(session: &NewSession) -> String {
    let day = session.captured_at.as_deref().unwrap_or_default().get(..10).filter(|day| {
        let is_day = |(at, byte): (usize, u8)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        };
        day.bytes().enumerate().all(is_day)
    });
    day.unwrap_or("undated").to_owned()
}

fn plain(text: &str) -> String {
    let plain = |letter: char| {
        if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '-' }
    };
    text.chars().map(plain).take(MAX_FIELD_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_filled_in_and_none_leads_out_of_the_folder() {
        let name_of = |pattern, id: &str, number| {
            let session = NewSession {
                id: id.to_owned(),
                source: Some("langsmith".to_owned()),
                captured_at: Some("2026-06-11T10:00:00Z".to_owned()),
                ..NewSession::default()
            };
            file_name(pattern, &session, number)
        };
        assert_eq!(name_of(PATTERN, "a/../b c", 1), "a-..-b-c.yaml");
        assert_eq!(name_of("../{source}/{number}-{id}.json", "é", 7), "langsmith/007-é.json");
        assert_eq!(name_of("incident-{date}-{id}", "run.1", 1), "incident-2026-06-11-run.1.yaml");
        assert_eq!(name_of("..", "", 1), "session.yaml");
        assert_eq!(name_of(" {id}.yaml ", "x", 1), "x.yaml");
        assert_eq!(name_of(PATTERN, "/tmp/x", 1), "tmp-x.yaml");
        assert_eq!(name_of(PATTERN, "../x", 1), "x.yaml");
        assert_eq!(name_of(PATTERN, "---", 1), "session.yaml");
        assert_eq!(name_of("{id}/{number}.json", "-r", 1), "r/001.json");
        assert_eq!(name_of("a/.{id}", "b", 1), "a/b.yaml");
        assert_eq!(name_of(PATTERN, "x-1_.v", 1), "x-1_.v.yaml");
        assert_eq!(
            file_name("{date}", &NewSession::default(), 1),
            "undated.yaml",
            "without a time"
        );
    }
}
