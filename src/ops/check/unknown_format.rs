//! `unknown-format`: a stranger among known files.

use foldhash::HashSet;

use super::project::Project;
use crate::format::{Kind, Problem, RuleId};
use crate::ops::settings;

rule! {
    /// The file is JSON or YAML of no kind that is known here, and lies beside files that are.
    ///
    /// Players load every `*.json` of a folder, this one too. Elsewhere in a project such files are no business of ours, and
    /// nothing is said of them.
    UnknownFormat {
        title: "The file is of no known kind",
        fix: "Move the file to another folder if it is no recording; if it is one, see what it lacks.",
    }
}

pub(super) fn judge_project(project: &Project<'_>, found: &mut Vec<(usize, Problem)>) {
    let known: HashSet<&str> = (project.items().iter())
        .filter(|(_, item)| item.kind.is_known())
        .map(|(_, item)| item.folder())
        .collect();
    for (index, item) in project.items() {
        let mut rules = item.problems.iter().map(|problem| problem.rule);
        let unread = rules.any(RuleId::hides_content);
        let is_ours = &*item.root_path == settings::FILE_NAME;
        if item.kind == Kind::Unknown && !unread && !is_ours && known.contains(item.folder()) {
            let message =
                "Is no recording, session, tape or seeds file, nor any other kind known here";
            found.push((*index, Problem::whole_file(RuleId::UnknownFormat, message)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::check::testing::{project, recording};

    #[test]
    fn only_beside_known_files_and_only_when_it_could_be_read() {
        let files = [
            ("a/turn-1.json", recording("{}", "[]", "[]", "")),
            ("a/other.json", "{ \"any\": 1 }".to_owned()),
            ("a/broken.json", "{ \"any\": ".to_owned()),
            ("b/package.json", "{ \"any\": 1 }".to_owned()),
        ];
        insta::assert_snapshot!(project(RuleId::UnknownFormat, &files), @"a/other.json: note 1:1  Is no recording, session, tape or seeds file, nor any other kind known here");
    }
}
