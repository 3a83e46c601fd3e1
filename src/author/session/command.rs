//! The command by which the owner runs a session.

use document::shell::CommandShell;

/// Sessions that a command runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runnable<'a> {
    /// The session in this file.
    File(&'a str),
    /// Everything in a configuration: a session inside of it cannot be run alone.
    All,
}

/// Returns the command, for a shell in the folder to which the paths are relative. `None` if a path cannot be quoted.
pub fn run_command(shell: CommandShell, what: Runnable<'_>, config: &str) -> Option<String> {
    let config = path(shell, config)?;
    Some(match what {
        Runnable::File(file) => {
            let file = path(shell, file)?;
            format!("flakestorm replay run {file} -c {config}")
        }
        Runnable::All => format!("flakestorm ci -c {config}"),
    })
}

/// Quotes a path as a word. A path that begins like an option is prefixed so that it is none.
fn path(shell: CommandShell, path: &str) -> Option<String> {
    if path.starts_with('-') { shell.quote(&format!("./{path}")) } else { shell.quote(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_and_never_an_option() {
        let paths = ["replays/a.yaml", "it's here.yaml", "-rf.yaml", "$(rm x).yaml", "a\nb.yaml"];
        let reported = paths.map(|path| {
            run_command(CommandShell::Posix, Runnable::File(path), "flakestorm.yaml")
                .unwrap_or_else(|| "cannot be quoted".to_owned())
        });
        insta::assert_snapshot!(reported.join("\n"), @r"
        flakestorm replay run replays/a.yaml -c flakestorm.yaml
        flakestorm replay run 'it'\''s here.yaml' -c flakestorm.yaml
        flakestorm replay run ./-rf.yaml -c flakestorm.yaml
        flakestorm replay run '$(rm x).yaml' -c flakestorm.yaml
        cannot be quoted
        ");
        let all = run_command(CommandShell::Posix, Runnable::All, "-c.yaml");
        assert_eq!(all.as_deref(), Some("flakestorm ci -c ./-c.yaml"));
    }
}
