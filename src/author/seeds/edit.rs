//! Edits of seeds: one more in a file, or one with a trace key in place of one with a hash.

use super::write::{NewSeed, seed_json, typescript};
use document::edit::{self, Edit, JsonValue};
use document::text::TextEdit;
use document::{Document, Node, NodeKind, Syntax};

/// Edit of a file of seeds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeedFileEdit {
    /// It gets one more, behind the others.
    Add(NewSeed),
    /// It gets one in place of another.
    Replace {
        /// The JSON Pointer of the other.
        pointer: String,
        seed: NewSeed,
    },
}

impl SeedFileEdit {
    /// Returns the seed to insert.
    pub fn seed(&self) -> &NewSeed {
        match self {
            Self::Add(seed) | Self::Replace { seed, .. } => seed,
        }
    }
}

/// Finds the bytes to replace; everything else stays unchanged.
///
/// # Errors
///
/// Returns the reason why it cannot be done, as a sentence without a full stop.
pub fn plan(document: &Document, change: &SeedFileEdit) -> Result<TextEdit, String> {
    match (change, document.syntax) {
        (SeedFileEdit::Replace { pointer, seed }, Syntax::Code) => replace_call(document, pointer, seed),
        (SeedFileEdit::Add(_), Syntax::Code) => Err(
            "Seeds can only be added to seeds files; copy the call and insert it into the test code"
                .to_owned(),
        ),
        (SeedFileEdit::Add(seed), _) => planned(document, &insertion(document, seed)?),
        (SeedFileEdit::Replace { pointer, seed }, _) => {
            let pointer = pointer.clone();
            edit::plan_all(&document.tree, &[Edit::Remove { pointer }, insertion(document, seed)?])
                .map_err(|refusal| refusal.to_string())?
                .ok_or_else(|| "The file already contains this".to_owned())
        }
    }
}

/// Returns the edit that adds a seed behind the others.
fn insertion(document: &Document, seed: &NewSeed) -> Result<Edit, String> {
    let root = document.tree.root().ok_or("The file contains no value")?;
    let list = match seed {
        NewSeed::Trace { .. } => "seeds",
        NewSeed::Hash { .. } => "hashSeeds",
    };
    let has_list = root.get(list).is_some_and(|list| list.kind() == NodeKind::Array);
    let (pointer, json) = if has_list {
        (format!("/{list}/-"), seed_json(seed))
    } else {
        (format!("/{list}"), format!("[{}]", seed_json(seed)))
    };
    let value = JsonValue::parse(&json)?;
    Ok(Edit::Insert { pointer, value })
}

fn planned(document: &Document, edit: &Edit) -> Result<TextEdit, String> {
    edit::plan(&document.tree, edit).map_err(|refusal| refusal.to_string())
}

/// Replaces a call; a response that is written out stays unchanged.
fn replace_call(document: &Document, pointer: &str, seed: &NewSeed) -> Result<TextEdit, String> {
    let call = document.tree.at_pointer(pointer).ok_or("The call does not exist any more")?;
    let statement = typescript(std::slice::from_ref(seed));
    let source = statement.trim_end().trim_end_matches(';');
    let response = call.get("response").filter(|old| {
        let same = old.as_str() == Some(seed.response());
        // Code that computes the response is not evaluated, so it stays as it is.
        same || old.kind() == NodeKind::Expression
    });
    let new = match (response, source.split_once(", ")) {
        (Some(old), Some(_)) => with_response(seed, old),
        _ => source.to_owned(),
    };
    Ok(TextEdit { range: call.span().range(), new })
}

fn with_response(seed: &NewSeed, response: Node<'_>) -> String {
    // A number takes the response's place, so that the key is written as before.
    let mut bare = seed.clone();
    match &mut bare {
        NewSeed::Trace { response, .. } | NewSeed::Hash { response, .. } => {
            "0".clone_into(response);
        }
    }
    let source = typescript(&[bare]);
    let key = source.trim_end().strip_suffix("JSON.stringify(0));");
    format!("{}{})", key.unwrap_or_default(), response.raw())
}

#[cfg(test)]
mod tests {
    use super::*;
    use document::read;
    use document::text::Source;

    fn seed(job: &str) -> NewSeed {
        NewSeed::Trace {
            schema: "critique".to_owned(),
            model: "m".to_owned(),
            job: job.to_owned(),
            round: 1,
            response: "{\"a\":1}".to_owned(),
        }
    }

    fn edited(name: &str, text: &str, change: &SeedFileEdit) -> String {
        let document = read(Source::new(text), name);
        match plan(&document, change) {
            Ok(edit) => {
                let mut text = text.to_owned();
                edit.apply(&mut text);
                text
            }
            Err(reason) => reason,
        }
    }

    const FILE: &str = r#"{
  "seeds": [
    { "schema": "critique",  "model": "m", "jobId": "a", "round": 1.0, "response": "{}" }
  ],
  "hashSeeds": [
    { "step": "critique", "model": "m", "userTextHash": "1a", "response": "{\"a\":1}" }
  ]
}
"#;

    #[test]
    fn a_seed_comes_behind_the_others_and_nothing_else_moves() {
        insta::assert_snapshot!(edited("a.seeds.json", FILE, &SeedFileEdit::Add(seed("b"))), @r#"
        {
          "seeds": [
            { "schema": "critique",  "model": "m", "jobId": "a", "round": 1.0, "response": "{}" },
            { "schema": "critique",  "model": "m",  "jobId": "b",  "round": 1,  "response": "{\"a\":1}" }
          ],
          "hashSeeds": [
            { "step": "critique", "model": "m", "userTextHash": "1a", "response": "{\"a\":1}" }
          ]
        }
        "#);
        insta::assert_snapshot!(edited("a.seeds.json", "{ \"seeds\": [] }", &SeedFileEdit::Add(seed("b"))), @r#"{ "seeds": [{ "schema": "critique", "model": "m", "jobId": "b", "round": 1, "response": "{\"a\":1}" }] }"#);
        insta::assert_snapshot!(edited("a.seeds.json", "{ \"hashSeeds\": [] }", &SeedFileEdit::Add(seed("b"))), @r#"{ "hashSeeds": [], "seeds": [{ "schema": "critique", "model": "m", "jobId": "b", "round": 1, "response": "{\"a\":1}" }] }"#);
        insta::assert_snapshot!(edited("a.ts", "seedMemoryResponse('a', 'b', 'c', 'd')", &SeedFileEdit::Add(seed("b"))), @"Seeds can only be added to seeds files; copy the call and insert it into the test code");
    }

    #[test]
    fn a_trace_key_takes_the_place_of_a_hash() {
        let change =
            |pointer: &str| SeedFileEdit::Replace { pointer: pointer.to_owned(), seed: seed("b") };
        insta::assert_snapshot!(edited("a.seeds.json", FILE, &change("/hashSeeds/0")), @r#"
        {
          "seeds": [
            { "schema": "critique",  "model": "m", "jobId": "a", "round": 1.0, "response": "{}" },
            { "schema": "critique",  "model": "m",  "jobId": "b",  "round": 1,  "response": "{\"a\":1}" }
          ],
          "hashSeeds": []
        }
        "#);
        let code = "a();\nseedMemoryResponse('critique', 'm', '1a', JSON.stringify({ a: 1, }));\nseedMemoryResponse('critique', 'm', '1b', text);";
        insta::assert_snapshot!(edited("a.ts", code, &change("/0")), @r#"
        a();
        seedMemoryTraceResponse("critique", "m", "b", 1, JSON.stringify({ a: 1, }));
        seedMemoryResponse('critique', 'm', '1b', text);
        "#);
        insta::assert_snapshot!(edited("a.ts", code, &change("/1")), @r#"
        a();
        seedMemoryResponse('critique', 'm', '1a', JSON.stringify({ a: 1, }));
        seedMemoryTraceResponse("critique", "m", "b", 1, text);
        "#);
        insta::assert_snapshot!(edited("a.ts", code, &change("/7")), @"The call does not exist any more");
    }
}
