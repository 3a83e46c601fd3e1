//! A command is written out as it is meant, and a name in it is never more than a name.

use super::*;
use crate::source::{SourceFinding, SourceState};
use document::FileKind;

fn recording(path: &str, source: Option<&str>) -> Item {
    let mut item = Item::new(path);
    item.kind = FileKind::Recording;
    let file = source.map(Into::into);
    item.source = Some(SourceState::new(file, None, SourceFinding::Missing(None)).into());
    item
}

fn recordings() -> Vec<Item> {
    let triage = Some("machines/triage.dygram");
    vec![
        recording("fixtures/triage/turn-2.json", triage),
        recording("fixtures/triage/turn-10.json", triage),
        recording("fixtures/close it/turn-1.json", Some("machines/close it.dygram")),
        recording("old/turn-1.json", None),
    ]
}

fn written(command: &str, items: &[Item]) -> String {
    let template = Template::parse(command, ValueMark::default()).unwrap();
    match template.write(items, CommandShell::Posix) {
        Ok(CommandLines { commands, skipped: left }) => [commands, left].concat().join("\n"),
        Err(sentence) => sentence,
    }
}

#[test]
fn one_means_a_command_each_and_all_for_one_command() {
    let command_lists = [
        "npm test -- {sets}",
        "npm test -- {set}",
        "./again {recordings}",
        "./again --from={source} {recordings} # {x",
        "./again {sources} --in {folders}",
        "awk '{print}' | ./again ${HOME} {recording}",
        "make again",
    ]
    .map(|command| written(command, &recordings()));
    insta::assert_snapshot!(command_lists.join("\n\n"), @"
    npm test -- triage 'close it' old

    npm test -- triage
    npm test -- 'close it'
    npm test -- old

    ./again fixtures/triage/turn-2.json fixtures/triage/turn-10.json 'fixtures/close it/turn-1.json' old/turn-1.json

    ./again --from=machines/triage.dygram fixtures/triage/turn-2.json fixtures/triage/turn-10.json # {x
    ./again --from='machines/close it.dygram' 'fixtures/close it/turn-1.json' # {x
    `old/turn-1.json` is skipped: it names no source.

    ./again machines/triage.dygram 'machines/close it.dygram' --in fixtures/triage 'fixtures/close it'
    `old/turn-1.json` is skipped: it names no source.

    awk '{print}' | ./again ${HOME} fixtures/triage/turn-2.json
    awk '{print}' | ./again ${HOME} fixtures/triage/turn-10.json
    awk '{print}' | ./again ${HOME} 'fixtures/close it/turn-1.json'
    awk '{print}' | ./again ${HOME} old/turn-1.json

    make again
    ");
}

#[test]
fn what_cannot_be_quoted_safely_is_left_out_and_reported() {
    let items = [
        recording("a\u{202e}b/turn.json", None),
        recording("-rf/turn.json", None),
        recording("turn.json", None),
        recording("b\u{fffd}/turn.json", None),
    ];
    let command_lists =
        ["x {set}", "x {folders}", "x {recordings}"].map(|command| written(command, &items));
    insta::assert_snapshot!(command_lists.join("\n\n"), @r"
    `a\u{202e}b/turn.json` is skipped: it has a name that cannot be quoted for a shell.
    `b�/turn.json` is skipped: it has a name that is not valid Unicode.
    `-rf/turn.json` is skipped: it is in a set whose name looks like an option.
    `turn.json` is skipped: it is not in a folder of the project.

    x ./-rf .
    `a\u{202e}b/turn.json` is skipped: it has a name that cannot be quoted for a shell.
    `b�/turn.json` is skipped: it has a name that is not valid Unicode.

    x ./-rf/turn.json turn.json
    `a\u{202e}b/turn.json` is skipped: it has a name that cannot be quoted for a shell.
    `b�/turn.json` is skipped: it has a name that is not valid Unicode.
    ");
}

#[test]
fn a_command_that_is_not_what_it_seems_is_refused() {
    let messages = [
        "",
        "npm test {file}",
        "npm test '{source}'",
        "npm test \"{source}\"",
        "cat <<E\n{source}\nE",
        "npm test \u{202e}",
        "npm\rtest",
    ]
    .map(|command| {
        let TemplateError { message, help } =
            Template::parse(command, ValueMark::default()).unwrap_err();
        format!("{message}\n  {help}")
    });
    insta::assert_snapshot!(messages.join("\n"), @"
    The command is empty
      Write a command, or remove the setting.
    Unknown placeholder `file`
      The placeholders are {source}, {sources}, {set}, {sets}, {folder}, {folders}, {recording}, {recordings}.
    The placeholder {source} is in a place where quoting does not work
      Write it without quotes around it, and not in backquotes, arithmetic or a here-document: Retake quotes each value.
    The placeholder {source} is in a place where quoting does not work
      Write it without quotes around it, and not in backquotes, arithmetic or a here-document: Retake quotes each value.
    The placeholder {source} is in a place where quoting does not work
      Write it without quotes around it, and not in backquotes, arithmetic or a here-document: Retake quotes each value.
    The command contains a character that reorders text, U+202E
      Remove the character, so that the command runs as it is displayed.
    The command contains a carriage return, U+000D
      Remove the character, so that the command runs as it is displayed.
    ");
}

#[test]
fn what_gets_too_long_or_too_many_is_not_written() {
    let name = |n: usize| format!("fixtures/a-set-with-a-rather-long-name/turn-{n:06}.json");
    let items: Vec<Item> = (0..3000).map(|n| recording(&name(n), None)).collect();
    let messages = ["x {recordings}", "x {recording}"].map(|command| written(command, &items));
    insta::assert_snapshot!(messages.join("\n"), @"
    The command would be longer than the system allows. Choose fewer recordings, or use a placeholder with fewer values, such as {sets}.
    This would run 3000 commands one after another. Choose fewer recordings, or use a placeholder in the plural, such as {recordings}.
    ");
}

#[cfg(unix)]
proptest::proptest! {
    #![proptest_config(document::text::cases(64))]
    #[test]
    fn a_shell_reads_back_the_same_names(names in proptest::collection::vec("[^/\0\u{fffd}]{1,12}|[-$`'\"\\\\ ;&|<>(){}*?!#~=a]{1,12}", 1..4)) {
        let names: HashSet<String> = names.into_iter().collect();
        let items: Vec<Item> = names.iter().map(|name| recording(&format!("d/{name}"), None)).collect();
        let sayable = names.iter().filter(|name| CommandShell::Posix.quote(name).is_some());
        let expected: Vec<String> = sayable.map(|name| format!("d/{name}\0")).collect();
        let template = Template::parse(r"printf '%s\0' {recordings}", ValueMark::default()).unwrap();
        let command_lines = template.write(&items, CommandShell::Posix).unwrap();
        let output_text = command_lines.commands.first().map(|command| {
            let output = std::process::Command::new("sh").arg("-c").arg(command).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        proptest::prop_assert_eq!(output_text.unwrap_or_default(), expected.concat());
    }
}
