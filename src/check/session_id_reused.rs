//! `session-id-reused`: several sessions have the same id.

use std::collections::HashMap;

use super::project::ProjectIndex;
use crate::check_document::ProblemCollector;
use calls::Item;
use document::config::FlakestormConfig;
use document::text::{count, quoted, visible};
use document::{Field, FileKind, NodeId, Problem, RuleId};

rule! {
    /// Several sessions in the same configuration or folder have the same `id`. Results are identified by it: the output does
    /// not show which session failed, and tools that store results by id keep only one of them.
    ///
    /// Exports start with `export-0` for every report, so two exports in the same folder have the same ids.
    SessionIdReused {
        title: "Several sessions have the same id",
        fix: "Give each session a unique id.",
    }
}

/// Checks the sessions in a configuration.
pub(super) fn judge(config: &FlakestormConfig, findings: &mut ProblemCollector<'_>) {
    let ids = config.sessions.iter().filter_map(|session| session.id.as_ref());
    let mut first_nodes: HashMap<&str, NodeId> = HashMap::new();
    // `session-incomplete` reports an empty id.
    for Field { value, node } in ids.filter(|id| !id.value.is_empty()) {
        let first_node = *first_nodes.entry(value).or_insert(*node);
        if first_node == *node {
            continue;
        }
        let message = format!(
            "Another session has the id {}, at `{}`",
            quoted(value),
            visible(&findings.tree.node(first_node).bounded_pointer())
        );
        findings.add_at(RuleId::SessionIdReused, findings.tree.node(*node), message);
    }
}

/// Checks the session files of each folder together, because runners run whole folders.
pub(super) fn judge_project(project: &ProjectIndex<'_>, findings: &mut Vec<(usize, Problem)>) {
    let mut sessions: HashMap<(&str, &str), Vec<&Item>> = HashMap::new();
    for (_, item) in &project.items {
        if let Some(key) = key(item) {
            sessions.entry(key).or_default().push(item);
        }
    }
    for group in sessions.values_mut() {
        // Which other file is named must not depend on which was read first.
        group.sort_unstable_by_key(|item| item.root_path());
    }
    for (index, item) in &project.items {
        let Some(group) = key(item).and_then(|key| sessions.get(&key)) else { continue };
        let mut others = group.iter().filter(|other| !std::ptr::eq(**other, *item));
        let Some(other) = others.next() else { continue };
        let (other, id) = (visible(other.file_name()), quoted(item.label()));
        let message = match group.len() {
            0..=2 => format!("{other} also has the id {id}"),
            files => {
                let other_files = count(files - 2, "more file");
                format!("{other} and {other_files} also have the id {id}")
            }
        };
        findings.push((*index, Problem::whole_file(RuleId::SessionIdReused, message)));
    }
}

/// Returns a session's folder and id.
fn key(item: &Item) -> Option<(&str, &str)> {
    let id = item.id.as_deref().filter(|id| !id.is_empty())?;
    (item.kind == FileKind::Session).then(|| (item.folder(), id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{found, project};

    #[test]
    fn sessions_of_a_configuration_have_ids_of_their_own() {
        let text = "agent: { endpoint: x }\nreplays:\n  sessions:\n    - { id: a, input: x }\n    - { id: b, input: x }\n    - { id: a, input: y }\n    - { file: c.yaml }\n";
        insta::assert_snapshot!(found(RuleId::SessionIdReused, "flakestorm.yaml", text).join("\n"), @"warning 6:13 /replays/sessions/2/id Another session has the id `a`, at `/replays/sessions/0/id`");
    }

    #[test]
    fn so_have_the_files_of_a_folder() {
        let session = |id: &str| format!("id: {id}\ninput: x\ntool_responses: []\n");
        let files = [
            ("a/1.yaml", session("export-0")),
            ("a/2.yaml", session("export-0")),
            ("a/3.yaml", session("export-0")),
            ("a/4.yaml", session("export-1")),
            ("b/1.yaml", session("export-0")),
        ];
        insta::assert_snapshot!(project(RuleId::SessionIdReused, &files), @"
        a/1.yaml: warning 1:1  2.yaml and 1 more file also have the id `export-0`
        a/2.yaml: warning 1:1  1.yaml and 1 more file also have the id `export-0`
        a/3.yaml: warning 1:1  1.yaml and 1 more file also have the id `export-0`
        ");
    }
}
