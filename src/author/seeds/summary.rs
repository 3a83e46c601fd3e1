//! Summarises a response in two short lines, so that seeds can be distinguished.

use document::text::{Source, count, upper_first, visible};
use document::{Node, NodeKind, json};

/// A summary in two lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedSummary {
    /// The most informative field.
    pub title: String,
    /// The next member in words; may be empty.
    pub detail: String,
}

/// The most characters of a line; views cut further.
const MAX_LINE_CHARS: usize = 60;

/// The most informative members, in order.
const KEY_FIELDS: [&str; 14] = [
    "decision", "choice", "chosen", "intent", "score", "best", "verdict", "status", "action",
    "answer", "result", "title", "name", "reason",
];

/// Summarises a response; `None` if it is not JSON.
pub fn summarise_response(response: &str) -> Option<SeedSummary> {
    let (tree, problems) = json::parse(&Source::new(response));
    if problems.iter().any(|problem| problem.rule.hides_content()) {
        return None;
    }
    let root = tree.root()?;
    let (title, detail) = match root.kind() {
        NodeKind::Object => object(root),
        NodeKind::Array => (count(root.len(), "element"), listed(root)),
        _ => (text_of(root), String::new()),
    };
    Some(SeedSummary { title: short(&title), detail: short(&detail) })
}

fn object(root: Node<'_>) -> (String, String) {
    // Two lines need no more, and a response may have thousands of members.
    let mut members: Vec<Node<'_>> = root.items().take(40).collect();
    // Numbers and short texts are more informative than lists, and lists more than nested values.
    members.sort_by_key(|member| (rank(*member), weight(*member)));
    let Some((first, rest)) = members.split_first() else {
        return ("{ }".to_owned(), "no members".to_owned());
    };
    let detail = rest.iter().find(|m| !matches!(m.kind(), NodeKind::Object | NodeKind::Null));
    let detail = match detail {
        _ if first.kind() == NodeKind::Array && !listed(*first).is_empty() => listed(*first),
        // A sentence says what it is; a word needs its name.
        Some(member) if member.as_str().is_some_and(|text| text.contains(' ')) => text_of(*member),
        Some(member) => field(*member),
        None => match rest.len() {
            0 => String::new(),
            more => format!("{more} more"),
        },
    };
    (upper_first(&field(*first)), detail)
}

fn rank(member: Node<'_>) -> usize {
    let key = member.key().unwrap_or_default();
    KEY_FIELDS.iter().position(|field| field.eq_ignore_ascii_case(key)).unwrap_or(KEY_FIELDS.len())
}

fn weight(member: Node<'_>) -> usize {
    match member.kind() {
        NodeKind::String => 0,
        NodeKind::Number => 1,
        NodeKind::Array => 2,
        NodeKind::Bool | NodeKind::Timestamp => 3,
        NodeKind::Object => 4,
        NodeKind::Null | NodeKind::Expression => 5,
    }
}

/// Returns a member in words: its name and what it says.
fn field(member: Node<'_>) -> String {
    let key = member.key().unwrap_or_default();
    match member.kind() {
        NodeKind::Array if member.len() == 1 => {
            // Names of lists are plurals, and `1 options` is none.
            let one = key.strip_suffix('s').unwrap_or(key);
            format!("1 {}", one.to_lowercase())
        }
        NodeKind::Array => format!("{} {}", member.len(), key.to_lowercase()),
        NodeKind::Object => format!("{key} {{…}}"),
        _ => format!("{key} {}", text_of(member)),
    }
}

/// Returns the first elements of a list, where they are short.
fn listed(list: Node<'_>) -> String {
    let name = |item: Node<'_>| match item.kind() {
        NodeKind::Object => ["name", "title", "tone", "id", "label", "text"]
            .iter()
            .find_map(|key| item.get(key))
            .or_else(|| item.items().find(|part| part.kind() == NodeKind::String))
            .map(text_of),
        NodeKind::Array | NodeKind::Null => None,
        _ => Some(text_of(item)),
    };
    // Sentences would end before a comma.
    let names = list.items().take(4).filter_map(name);
    names.map(|name| name.trim_end_matches('.').to_owned()).collect::<Vec<_>>().join(", ")
}

fn text_of(node: Node<'_>) -> String {
    node.scalar_text().map_or_else(|| short(&json::text(node)), short)
}

fn short(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MAX_LINE_CHARS) {
        Some((end, _)) => format!("{}…", visible(&text[..end])),
        None => visible(text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(response: &str) -> String {
        summarise_response(response)
            .map_or("none".to_owned(), |summary| format!("{} | {}", summary.title, summary.detail))
    }

    #[test]
    fn the_informative_fields_come_first() {
        insta::assert_snapshot!(lines(r#"{"confidence":0.93,"intent":"refund","amountEuro":12}"#), @"Intent refund | confidence 0.93");
        insta::assert_snapshot!(lines(r#"{"candidates":["The 12 euros are on their way.","Sorry."]}"#), @"2 candidates | The 12 euros are on their way, Sorry");
        insta::assert_snapshot!(lines(r#"{"critique":"Names the amount.","score":0.81,"blocking":false}"#), @"Score 0.81 | Names the amount.");
        insta::assert_snapshot!(lines(r#"{"proposals":[{"tone":"short","text":"x"},{"tone":"warm"}]}"#), @"2 proposals | short, warm");
        insta::assert_snapshot!(lines(r#"{"a":{"b":1},"c":null}"#), @"A {…} | 1 more");
        insta::assert_snapshot!(lines("{}"), @"{ } | no members");
        insta::assert_snapshot!(lines("[1,2]"), @"2 elements | 1, 2");
        insta::assert_snapshot!(lines("\"a\\nb\""), @r"a\nb |");
        assert_eq!(summarise_response("{ best: 1 }"), None);
        assert_eq!(summarise_response(""), None);
    }
}
