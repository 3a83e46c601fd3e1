//! Personal data in sessions, which are made of what people wrote. The rule is [`secret`](super::secret).

use super::document::ProblemCollector;
use super::secret::report_at;
use crate::format::Document;
use crate::ops::redact::{NameList, find_personal_in};
use crate::ops::secret::{CustomPatterns, Mask, hint};

/// Notes phone numbers, bank accounts, cards, addresses and names in the fields of a session, and adds them to the mask.
pub(super) fn judge(
    document: &Document,
    own: &CustomPatterns,
    findings: &mut ProblemCollector<'_>,
    mask: &mut Mask,
) {
    let nodes = document.tree.nodes();
    let texts = nodes.filter_map(|node| Some((node, node.as_str()?)));
    for (node, text) in texts.filter(|(node, _)| !node.is_alias()) {
        for found in find_personal_in(node, text, &NameList::default()) {
            let value = &text[found.range];
            if !own.allows(value) {
                let message = format!(
                    "This looks like {}: `{}`",
                    found.kind.name,
                    hint(found.kind, value)
                );
                let pointer = node.bounded_pointer();
                report_at(found.kind, node.span(), pointer, message, findings);
                mask.add(found.kind, value);
            }
        }
    }
}
