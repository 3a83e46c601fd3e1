//! The user's pager: which one git's configuration of the user names, and showing a text in it.

use std::io::{self, Write as _};
use std::process::{Child, Command, Stdio};

use gix::bstr::ByteSlice as _;
use gix::config::file::{Metadata, includes, init};
use gix::config::{File, Source};
use gix::sec::Trust;

use crate::live::ignore_interrupts;

/// Variables that git sets for `less` unless the user has: end at once if all fits, colors, and leave the text on the screen.
const DEFAULT_VARIABLES: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];

/// Returns `core.pager` of the user's own git configuration. That of a repository is never read: who wrote it could start
/// programs. That of the system is not read either: only git knows its place.
pub fn git_pager() -> Option<String> {
    let files = [Source::Git, Source::User].into_iter().filter_map(|source| {
        let path = source.storage_location(&mut |name| std::env::var_os(name))?;
        path.is_file().then_some(Metadata {
            path: Some(path),
            source,
            level: 0,
            trust: Trust::Full,
        })
    });
    let home = std::env::home_dir();
    let options = init::Options {
        includes: includes::Options::follow_without_conditional(home.as_deref()),
        ..init::Options::default()
    };
    let configuration = File::from_paths_metadata(files, options).ok()??;
    Some(configuration.string("core.pager")?.to_str().ok()?.to_owned())
}

/// Shows a text in a pager, and waits until the user has closed it.
///
/// # Errors
///
/// The reason the pager cannot be started; nothing was shown then. A pager that ends before it has read everything is no error.
pub fn show_in_pager(pager: &str, text: &[u8]) -> io::Result<()> {
    // Ctrl+C is for the pager, which would lose its terminal if this program ended before it.
    let _interrupts = ignore_interrupts();
    let mut command = command(pager);
    for (name, value) in DEFAULT_VARIABLES {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
    let mut child = command.stdin(Stdio::piped()).spawn()?;
    let write_result = write_to(&mut child, text);
    let status = child.wait()?;
    match (status.code(), write_result) {
        // A shell ends with these codes if it finds no program, or one that it cannot run.
        (Some(126 | 127), _) => Err(io::Error::other("the program was not found")),
        // The pipe breaks when the user closes the pager before the end of the text.
        (_, Err(error)) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
        _ => Ok(()),
    }
}

fn write_to(child: &mut Child, text: &[u8]) -> io::Result<()> {
    // Dropped at the end, which is the end of the text for the pager.
    match child.stdin.take() {
        Some(mut input) => input.write_all(text),
        None => Ok(()),
    }
}

/// Returns the command of a pager: a program with its arguments, or what only a shell understands, as git decides.
fn command(pager: &str) -> Command {
    // The letters of `prepare_shell_cmd` in git, without blanks, at which words are split below.
    let needs_shell = |letter: char| "|&;<>()$`\\\"'*?[#~=%\n".contains(letter);
    if cfg!(unix) && pager.contains(needs_shell) {
        let mut shell = Command::new("sh");
        shell.args(["-c", pager]);
        return shell;
    }
    let mut words = pager.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words);
    command
}
