//! What the README says is so: its table of keys, its commands, its files.

use crate::project::{Project, Run};
use crate::samples::checkout;

const README: &str = include_str!("../../README.md");

/// The lines of the blocks that are to be typed, without their comments.
fn typed() -> Vec<&'static str> {
    let blocks = README.split("```").skip(1).step_by(2);
    let blocks = blocks.filter_map(|block| block.strip_prefix("sh\n"));
    let lines = blocks.flat_map(str::lines);
    let lines = lines.map(|line| line.split(" #").next().unwrap_or(line).trim());
    lines.filter(|line| !line.is_empty()).collect()
}

/// A line's words; what stands in single quotes is one.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut in_quotes = false;
    for c in line.chars() {
        match (c, words.last_mut()) {
            ('\'', _) => in_quotes = !in_quotes,
            (' ', _) if !in_quotes => words.push(String::new()),
            (c, Some(word)) => word.push(c),
            (_, None) => {}
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn the_table_of_keys_is_that_of_the_commands() {
    let (_, after) = README.split_once("<!-- keys -->\n").unwrap();
    let (table, _) = after.split_once("<!-- /keys -->").unwrap();
    let keys = retake::workbench::keys_markdown();
    assert!(
        table.trim() == keys.trim(),
        "the README's table of keys should be:\n\n{keys}"
    );
}

#[test]
fn every_command_that_is_shown_works() {
    let lines = typed();
    let shown = |command: &str| lines.iter().any(|line| line.starts_with(command));
    for command in [
        "list", "check", "source", "stamp", "edit", "play", "verify", "export",
    ] {
        assert!(shown(&format!("retake {command} ")), "{command}");
    }
    let project = Project::new(&[]);
    for line in lines {
        let words = words(line);
        match words[0].as_str() {
            "retake" => {
                // Whose fixtures these are is for the reader to say.
                let arguments: Vec<&str> = words[1..]
                    .iter()
                    .map(|word| match word.as_str() {
                        "fixtures" => "sample-recordings",
                        word => word,
                    })
                    .collect();
                let mut command = project.command(&arguments);
                let run = Run::of(&command.current_dir(checkout()).output().unwrap());
                assert!(matches!(run.code, Some(0 | 1)), "{line}\n{}", run.stderr);
            }
            "cargo" => assert!(checkout().join(words.last().unwrap()).exists(), "{line}"),
            script => assert!(checkout().join(script).is_file(), "{line}"),
        }
    }
}
