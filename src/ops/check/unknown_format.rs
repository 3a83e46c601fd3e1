//! `unknown-format`: a file of an unknown format in a folder of known files.

use foldhash::HashSet;

use super::project::ProjectIndex;
use crate::format::{FileKind, Problem, RuleId};
use crate::ops::item::{BASELINE_FILE_NAME, SETTINGS_FILE_NAME};
use crate::ops::secret::GITLEAKS_FILE_NAME;

rule! {
    /// The file is JSON or YAML in a format that Retake does not know, in a folder with files that it knows.
    ///
    /// Players load every `*.json` file of a folder, including this one. Unknown files in other folders are not reported.
    UnknownFormat {
        title: "The format of the file is unknown",
        fix: "Move the file to another folder if it is not a recording; if it is one, check which fields are missing.",
    }
}

pub(super) fn judge_project(project: &ProjectIndex<'_>, found: &mut Vec<(usize, Problem)>) {
    let known: HashSet<&str> = (project.items().iter())
        .filter(|(_, item)| item.kind.is_known())
        .map(|(_, item)| item.folder())
        .collect();
    for (index, item) in project.items() {
        let mut rules = item.problems.iter().map(|problem| problem.rule);
        let unread = rules.any(RuleId::hides_content);
        let is_ours = [SETTINGS_FILE_NAME, GITLEAKS_FILE_NAME].contains(&&*item.root_path)
            || item.file_name() == BASELINE_FILE_NAME;
        if item.kind == FileKind::Unknown && !unread && !is_ours && known.contains(item.folder()) {
            let message = "The file is not a recording, session, tape or seeds file, or any other known format";
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
        insta::assert_snapshot!(project(RuleId::UnknownFormat, &files), @"a/other.json: note 1:1  The file is not a recording, session, tape or seeds file, or any other known format");
    }
}
