//! A cassette with its bodies decoded, to be shown.

use super::view::CallView;
use document::edit::JsonValue;
use document::text::Source;
use document::{Document, Tree, json};

/// Returns the values of a cassette as JSON, with the content of each body in its place. Pointers are those of changes without
/// `#`. `None` if the file is no cassette.
pub fn decoded_values(document: &Document) -> Option<Tree> {
    let views = CallView::read_all(document)?;
    let text = JsonValue::from_node(document.tree.root()?).json().to_owned();
    let (tree, _) = json::parse(&Source::new(text.as_str()));
    let bodies = views.iter().flat_map(|view| [&view.request, &view.response]);
    let decoded_bodies = bodies.filter_map(|body| {
        let place = tree.at_pointer(&body.node?.pointer())?.span();
        Some((place.range(), json::text(body.json()?.root()?)))
    });
    let mut decoded_bodies: Vec<_> = decoded_bodies.collect();
    // From the end, so that the places in front stay valid. Two bodies may be in one value, or one in the value of the other.
    decoded_bodies.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    let mut end = text.len();
    decoded_bodies.retain(|(place, _)| {
        let is_apart = place.end <= end;
        end = if is_apart { place.start } else { end };
        is_apart
    });
    let mut text = text;
    for (place, content) in decoded_bodies {
        text.replace_range(place, &content);
    }
    Some(json::parse(&Source::new(text)).0)
}
