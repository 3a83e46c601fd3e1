//! `seed-key-reused`: one key is seeded more than once.

use std::collections::HashMap;

use super::phrases;
use super::project::ProjectIndex;
use crate::check_document::{MAX_PER_RULE, ProblemCollector};
use calls::{Item, SeedKey};
use document::code::is_code;
use document::seeds::Seeds;
use document::text::{count, quoted, visible};
use document::{NodeId, Problem, RuleId, Severity, Syntax};

rule! {
    /// The same key is seeded more than once. The last seed wins; the others are never used, and there is no warning.
    ///
    /// If the seeds are in different files, it depends on which files a test loads, and in what order. This is a warning for
    /// files in the same folder, which are usually loaded together, and a note for other files. For calls in test code it is
    /// a note, because each call may be in a separate test.
    SeedKeyReused {
        title: "The same key is seeded twice",
        fix: "Remove one of the seeds, or give it a different round or job.",
    }
}

pub(super) fn judge(seeds: &Seeds, findings: &mut ProblemCollector<'_>) {
    let trace_seeds = seeds.seeds.iter().map(|seed| (seed.key(), seed.node));
    let hash_seeds = seeds.hash_seeds.iter().map(|seed| (seed.key(), seed.node));
    let keys: Vec<(String, NodeId)> =
        trace_seeds.chain(hash_seeds).filter_map(|(key, node)| Some((key?, node))).collect();
    // Collecting keeps the last of equal keys, as the provider does.
    let winners: HashMap<&str, NodeId> = keys.iter().map(|(k, node)| (k.as_str(), *node)).collect();
    for (key, node) in &keys {
        let Some(winner) = winners.get(key.as_str()).filter(|winner| *winner != node) else {
            continue;
        };
        let (winner, node) = (findings.tree.node(*winner), findings.tree.node(*node));
        let (key, place) = (quoted(key), phrases::format_place(winner));
        if node.tree().syntax() != Syntax::Code {
            let message = format!("This seed is never used: {key} is seeded again at {place}");
            findings.add_at(RuleId::SeedKeyReused, node, message);
            continue;
        }
        let message = format!(
            "{key} is seeded again at {place}; if both calls run in one test, this seed is never used"
        );
        if let Some(problem) = findings.add_at(RuleId::SeedKeyReused, node, message) {
            problem.severity = Severity::Note;
        }
    }
}

/// Checks the files of a project together and adds one problem for each key and file.
pub(super) fn judge_project(project: &ProjectIndex<'_>, findings: &mut Vec<(usize, Problem)>) {
    let mut files: Vec<(usize, &str, Vec<&SeedKey>)> = Vec::new();
    for (index, item) in &project.items {
        let seeds: Vec<&SeedKey> = last_seeds(item).collect();
        if !seeds.is_empty() {
            files.push((*index, item.root_path(), seeds));
        }
    }
    let mut sorted_files: Vec<(&str, usize)> =
        files.iter().enumerate().map(|(file, (_, path, _))| (*path, file)).collect();
    // Which other file is named must not depend on which was read first.
    sorted_files.sort_unstable();
    let mut files_by_key: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut files_by_folder_key: HashMap<(&str, &str), Vec<usize>> = HashMap::new();
    for (path, file) in sorted_files {
        for seed in &files[file].2 {
            files_by_key.entry(&*seed.key).or_default().push(file);
            files_by_folder_key.entry((folder(path), &*seed.key)).or_default().push(file);
        }
    }
    for (file, (index, path, seeds)) in files.iter().enumerate() {
        let (mut listed_count, mut unlisted_count) = (0, 0);
        let other_file = |f: &[usize]| f.iter().copied().find(|other_file| *other_file != file);
        for seed in seeds {
            let key_files = &files_by_key[&*seed.key];
            let near_file = other_file(&files_by_folder_key[&(folder(path), &*seed.key)]);
            let Some(other_index) = near_file.or_else(|| other_file(key_files)) else { continue };
            if listed_count == MAX_PER_RULE {
                unlisted_count += 1;
                continue;
            }
            listed_count += 1;
            let other_path = files[other_index].1;
            let remark = match key_files.len() {
                0..=2 => String::new(),
                files => format!(" and {} more", count(files - 2, "file")),
            };
            let message = format!(
                "{} is also seeded in {}{remark}; the file that is loaded last wins",
                quoted(&seed.key),
                visible(other_path)
            );
            let is_loaded_together = near_file.is_some() && !is_code(path) && !is_code(other_path);
            let severity = if is_loaded_together { Severity::Warning } else { Severity::Note };
            let problem = seed.mark.problem(RuleId::SeedKeyReused, seed.pointer.clone(), message);
            findings.push((*index, problem.with_severity(severity)));
        }
        if let (1.., Some((_, last))) = (listed_count, findings.last_mut()) {
            last.add_unlisted_count(unlisted_count);
        }
    }
}

/// Returns the folder of a path.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the seeds of a file that are used: for each key, the last one.
fn last_seeds(item: &Item) -> impl Iterator<Item = &SeedKey> {
    let last_positions: HashMap<&str, usize> =
        (item.seed_keys.iter().enumerate()).map(|(spot, seed)| (&*seed.key, spot)).collect();
    let seeds = item.seed_keys.iter().enumerate();
    seeds.filter(move |(p, seed)| last_positions.get(&*seed.key) == Some(p)).map(|(_, seed)| seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{found, project};

    fn seeds(jobs: &[&str]) -> String {
        let seed = |job: &&str| {
            format!(
                r#"{{ "schema": "critique", "model": "m", "jobId": "{job}", "response": "{{}}" }}"#
            )
        };
        let seeds: Vec<String> = jobs.iter().map(seed).collect();
        format!("{{ \"seeds\": [\n{}\n] }}", seeds.join(",\n"))
    }

    #[test]
    fn an_unused_seed_is_reported_with_the_place_of_the_used_one() {
        let text = seeds(&["a", "b", "a", "a"]);
        insta::assert_snapshot!(found(RuleId::SeedKeyReused, "a.seeds.json", &text).join("\n"), @"
        warning 2:1 /seeds/0 This seed is never used: `critique:m:a:0` is seeded again at `/seeds/3`
        warning 4:1 /seeds/2 This seed is never used: `critique:m:a:0` is seeded again at `/seeds/3`
        ");
    }

    #[test]
    fn files_of_one_folder_warn_and_others_are_noted() {
        let files = [
            ("seeds/a.seeds.json", seeds(&["a", "a"])),
            ("seeds/b.seeds.json", seeds(&["b", "a"])),
            ("other/c.seeds.json", seeds(&["b"])),
        ];
        insta::assert_snapshot!(project(RuleId::SeedKeyReused, &files), @"
        seeds/a.seeds.json: warning 3:1 /seeds/1 `critique:m:a:0` is also seeded in seeds/b.seeds.json; the file that is loaded last wins
        seeds/b.seeds.json: note 2:1 /seeds/0 `critique:m:b:0` is also seeded in other/c.seeds.json; the file that is loaded last wins
        seeds/b.seeds.json: warning 3:1 /seeds/1 `critique:m:a:0` is also seeded in seeds/a.seeds.json; the file that is loaded last wins
        other/c.seeds.json: note 2:1 /seeds/0 `critique:m:b:0` is also seeded in seeds/b.seeds.json; the file that is loaded last wins
        ");
    }

    #[test]
    fn calls_in_code_are_noted_for_each_may_be_a_test_of_its_own() {
        let text = "it('a', () => {\n  seedMemoryTraceResponse('critique', 'm', 'a', 0, '{}');\n});\n\
                    it('b', () => {\n  seedMemoryTraceResponse('critique', 'm', 'a', 0, '[]');\n});\n";
        insta::assert_snapshot!(found(RuleId::SeedKeyReused, "a.test.ts", text).join("\n"), @"note 2:3 /0 `critique:m:a:0` is seeded again at line 5; if both calls run in one test, this seed is never used");
        let files = [("tests/a.seeds.json", seeds(&["a"])), ("tests/a.test.ts", text.to_owned())];
        insta::assert_snapshot!(project(RuleId::SeedKeyReused, &files), @"
        tests/a.seeds.json: note 2:1 /seeds/0 `critique:m:a:0` is also seeded in tests/a.test.ts; the file that is loaded last wins
        tests/a.test.ts: note 5:3 /1 `critique:m:a:0` is also seeded in tests/a.seeds.json; the file that is loaded last wins
        ");
    }

    #[test]
    fn of_two_files_with_the_same_keys_not_each_key_is_reported() {
        let jobs: Vec<String> = (0..1_500).map(|n| format!("j{n}")).collect();
        let jobs: Vec<&str> = jobs.iter().map(String::as_str).collect();
        let files = ["a.seeds.json", "b.seeds.json"].map(|path| (path, seeds(&jobs)));
        let report = project(RuleId::SeedKeyReused, &files);
        assert_eq!(report.lines().count(), 2_000);
        let last = report.lines().last().unwrap_or_default();
        assert!(last.ends_with("(and 500 more like this)"), "{last}");
    }
}
