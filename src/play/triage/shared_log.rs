//! Logs inside an HTML page, so that a page that was shared can be opened like the logs that it was made from.

use serde::{Deserialize, Serialize};

/// Begins the logs. Pages of other programs do not contain it.
const BEGIN: &str = "<script type=\"application/json\" id=\"retake-logs\">";
const END: &str = "</script>";

#[derive(Serialize, Deserialize)]
struct SharedLog {
    name: String,
    text: String,
}

/// Returns an element for a page that contains logs with their names, and shows nothing.
pub fn embed_logs<'a>(logs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let logs: Vec<SharedLog> =
        logs.map(|(n, t)| SharedLog { name: n.to_owned(), text: t.to_owned() }).collect();
    // Two texts always serialize.
    let json = serde_json::to_string(&logs).unwrap_or_default();
    // Without `<`, the logs cannot end the element.
    format!("{BEGIN}{}{END}\n", json.replace('<', "\\u003c"))
}

/// Returns the logs in a page; `None` if it has none.
pub(super) fn embedded_logs(text: &str) -> Option<Vec<(String, String)>> {
    let (_, rest) = text.split_once(BEGIN)?;
    let (json, _) = rest.split_once(END)?;
    let logs: Vec<SharedLog> = serde_json::from_str(json).ok()?;
    Some(logs.into_iter().map(|log| (log.name, log.text)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_come_out_of_a_page_as_they_were() {
        let logs = [("ci.log", "</script><b>\n\u{1b}[31m\"\\"), ("b", "")];
        let page = format!("<html>{}</html>", embed_logs(logs.into_iter()));
        let found = embedded_logs(&page).unwrap();
        assert_eq!(found, logs.map(|(name, text)| (name.to_owned(), text.to_owned())));
        assert_eq!(page.matches("</script>").count(), 1);
        assert_eq!(embedded_logs("<script>[]</script>"), None);
    }
}
