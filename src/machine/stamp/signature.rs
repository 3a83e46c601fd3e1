//! The edits that make a stored signature say what the request says.

use serde_json::Value as Json;

use super::{Renewal, StampContextKeys, StampOptions, member, whole};
use document::edit::Edit;
use document::recording::{Recording, Request, StoredSignature};
use document::signature::SignatureText;
use document::{Document, NodeKind};

pub(super) fn edits(
    document: &Document,
    recording: &Recording,
    options: &StampOptions<'_>,
) -> Result<Vec<Edit>, String> {
    let old_signature = recording.signature.as_ref().map(|field| &field.value);
    if old_signature.is_some() && options.renewal == Renewal::Keep {
        return Ok(Vec::new());
    }
    // A signature of only the parts that were read would match other requests than the client's.
    ensure_complete(document, &recording.request)?;
    let members = members(&recording.request, old_signature, options.context_keys);
    Ok(match old_signature {
        None => whole(document, "signature", &members).into_iter().collect(),
        Some(_) => {
            let edit = |(key, json): &(&str, Json)| member(document, "/signature", key, json);
            members.iter().filter_map(edit).collect()
        }
    })
}

/// Returns the members of the new signature.
fn members(
    request: &Request,
    old_signature: Option<&StoredSignature>,
    keys: StampContextKeys,
) -> [(&'static str, Json); 3] {
    let new_signature = SignatureText::of_request(request);
    let keys: Vec<&str> = match (keys, old_signature) {
        (StampContextKeys::Documented, _) => new_signature.context_keys,
        (StampContextKeys::AsStored, Some(old_signature)) => {
            old_signature.context_keys.iter().map(String::as_str).collect()
        }
        // As shipped clients compute them, so that the recording still matches the same requests.
        (StampContextKeys::AsStored, None) | (StampContextKeys::Shipped, _) => Vec::new(),
    };
    [
        ("toolNames", new_signature.tool_names.into()),
        ("messageCount", new_signature.message_count.into()),
        ("contextKeys", keys.into()),
    ]
}

/// Makes sure that a client computes the same signature from the request: nothing in it was passed over in reading.
fn ensure_complete(document: &Document, request: &Request) -> Result<(), String> {
    let node = document.node(request.node);
    let is_missing = |key: &str| node.get(key).is_none_or(|list| list.kind() == NodeKind::Null);
    let len = |key: &str| node.get(key).map_or(0, |list| list.len());
    if is_missing("messages") {
        return Err("The request has no messages, so it has no signature".to_owned());
    }
    if len("messages") != request.messages.len() {
        return Err(
            "The messages of the request are not understood, so they cannot be counted".to_owned()
        );
    }
    let named_tools = request.tools.iter().filter(|tool| tool.name.is_some());
    if !is_missing("tools") && len("tools") != named_tools.count() {
        return Err("A tool of the request has no name, so it has no signature".to_owned());
    }
    Ok(())
}
