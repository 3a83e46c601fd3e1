//! Restores the order in which callers of Gemini's SDK write the keys of `config`.
//!
//! The SDK sends them in its own order, so a recorder cannot know the caller's; a player that compares requests
//! strictly compares `JSON.stringify(config)`, where the order counts. Tapes of other recorders in the same folder have
//! the caller's order.

use jiff::Timestamp;

use crate::live::client_call::ClientCall;
use calls::api::Api;
use calls::json::Json;
use document::text::Source;
use document::time::parse_time;
use document::{Document, Node, NodeKind, read};

/// The key orders of the tapes in one folder.
#[derive(Clone, Debug, Default)]
pub struct ConfigOrders {
    found: Vec<ConfigOrder>,
}

#[derive(Clone, Debug)]
struct ConfigOrder {
    /// File name of the tape.
    tape: String,
    recorded_at: Option<Timestamp>,
    /// Whether Retake wrote the tape.
    is_own: bool,
    keys: Vec<String>,
    /// `{"config": …}`, with strings where the tape has strings, and zeros elsewhere.
    like: Document,
}

impl ConfigOrders {
    /// Notes the order of a tape, if its `config` has several keys.
    pub fn add(&mut self, tape: &str, document: &Document) {
        let root = document.tree.root();
        let config = root.and_then(|root| root.get("request")?.get("config"));
        let keys = keys(config);
        if keys.len() < 2 {
            return;
        }
        let meta = root.and_then(|root| root.get("meta"));
        let text = |key| meta.and_then(|meta| meta.get(key)?.as_str());
        let members = config.into_iter().flat_map(Node::items).map(|item| {
            let shape = if item.kind() == NodeKind::String { "\"\"" } else { "0" };
            (item.key().unwrap_or_default(), Json::raw(shape))
        });
        let example = Json::object([("config", Json::object(members))]);
        let order = ConfigOrder {
            tape: tape.to_owned(),
            recorded_at: text("recordedAt").and_then(parse_time),
            is_own: text("sdk") == Some(Api::Gemini.as_str()),
            keys,
            like: read(Source::new(example.into_string()), "order.json"),
        };
        // One of the tapes that agree is enough.
        let is_equal =
            |entry: &&mut ConfigOrder| entry.keys == order.keys && entry.is_own == order.is_own;
        match self.found.iter_mut().find(is_equal) {
            Some(entry) if entry.recorded_at >= order.recorded_at => {}
            Some(entry) => *entry = order,
            None => self.found.push(order),
        }
    }

    /// Returns the request of a call to Gemini as a tape stores it, with the keys of `config` in the order of the
    /// latest tape with the same keys, and a note about that.
    pub(super) fn request(&self, call: &ClientCall) -> (String, Option<String>) {
        let json = call.for_tape(None);
        let document = read(Source::new(json.as_str()), "request.json");
        let root = document.tree.root();
        let own = keys(root.and_then(|root| root.get("config")));
        if own.len() < 2 {
            return (json, None);
        }
        // Only a tape with the same keys can say in which order the caller writes them.
        let sorted = |keys: &[String]| {
            let mut keys = keys.to_vec();
            keys.sort();
            keys
        };
        let has_same = |order: &&ConfigOrder| sorted(&order.keys) == sorted(&own);
        // Where this program wrote its own order, the caller's is not known.
        let is_callers = |order: &&ConfigOrder| !order.is_own || order.keys != own;
        let orders = self.found.iter().filter(has_same).filter(is_callers);
        // Between equal times the name decides, not the order in which files were read.
        let latest = orders.clone().max_by_key(|order| (order.recorded_at, order.tape.as_str()));
        let Some(latest) = latest else {
            let note = "The order of the keys in `config` is the recorder's, as no other tape in the folder has the same keys; \
                        a player that compares requests strictly may refuse this tape";
            return (json, Some(note.to_owned()));
        };
        let note = orders.clone().any(|order| order.keys != latest.keys).then(|| {
            format!(
                "Tapes in the folder have the keys of `config` in different orders; this one has that of {}, the latest",
                latest.tape
            )
        });
        (call.for_tape(latest.like.tree.root()), note)
    }
}

fn keys(config: Option<Node<'_>>) -> Vec<String> {
    let items = config.into_iter().flat_map(Node::items);
    items.filter_map(|item| item.key().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::api::Route;

    const BODY: &str = r#"{"contents":[{"role":"user","parts":[{"text":"Hi"}]}],"systemInstruction":{"role":"user","parts":[{"text":"Be brief."}]},
        "generationConfig":{"temperature":0.5,"responseMimeType":"application/json"}}"#;

    fn tape(sdk: &str, recorded_at: &str, config: &str) -> Document {
        let text = format!(
            r#"{{"meta":{{"model":"m","recordedAt":"{recorded_at}","sdk":"{sdk}"}},"request":{{"model":"m","contents":"x","config":{config}}},"stream":[]}}"#
        );
        read(Source::new(text), "tape.json")
    }

    fn request(tapes: &[Document]) -> (String, Option<String>) {
        let mut orders = ConfigOrders::default();
        for (index, tape) in tapes.iter().enumerate() {
            orders.add(&format!("{index}.json"), tape);
        }
        let path = "/v1beta/models/m:streamGenerateContent";
        let mut route = Route::from_request("POST", path, Some("alt=sse")).unwrap();
        orders.request(&ClientCall::read(&mut route, "", BODY).unwrap())
    }

    const OWN_CONFIG: &str = r#"{"systemInstruction":"Be brief.","temperature":0.5,"responseMimeType":"application/json"}"#;
    const CALLERS_CONFIG: &str =
        r#"{"responseMimeType":"a","temperature":1,"systemInstruction":"b"}"#;

    fn expected(config: &str) -> String {
        format!(r#"{{"model":"m","contents":"Hi","config":{config}}}"#)
    }

    #[test]
    fn the_order_of_a_tape_with_the_same_keys_is_taken() {
        let callers = r#"{"responseMimeType":"application/json","temperature":0.5,"systemInstruction":"Be brief."}"#;
        let other = tape("google", "2026-01-01", r#"{"temperature":1,"systemInstruction":""}"#);
        let own = tape("Gemini streamGenerateContent", "2026-02-02", OWN_CONFIG);
        let found =
            request(&[other.clone(), own.clone(), tape("google", "2026-01-01", CALLERS_CONFIG)]);
        assert_eq!(found, (expected(callers), None));
        // A tape of this recorder whose order was corrected counts; its own order does not.
        let corrected = tape("Gemini streamGenerateContent", "2026-01-01", CALLERS_CONFIG);
        assert_eq!(request(&[corrected]), (expected(callers), None));
        let (json, note) = request(&[other, own]);
        assert_eq!(json, expected(OWN_CONFIG));
        assert!(note.unwrap().contains("is the recorder's"));
    }

    #[test]
    fn of_several_orders_the_latest_is_taken_and_named() {
        let later = tape("google", "2026-03-03T00:00:00Z", OWN_CONFIG);
        let (json, note) =
            request(&[later, tape("google", "2026-01-01T00:00:00Z", CALLERS_CONFIG)]);
        assert_eq!(json, expected(OWN_CONFIG));
        assert!(note.unwrap().ends_with("that of 0.json, the latest"));
        assert_eq!(request(&[tape("google", "", OWN_CONFIG)]), (expected(OWN_CONFIG), None));
    }
}
