//! Output on a terminal goes through the user's pager, if there is one.

use std::io::{self, IsTerminal as _};

use super::output::{Output, shown};
use super::{ColorMode, CommandResult, report_error};
use engine::{git_pager, show_in_pager};

/// Whether output on a terminal goes through the user's pager.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct PagerOption {
    /// Print to the terminal without the pager that PAGER or git's core.pager names.
    #[arg(long)]
    no_pager: bool,
}

/// Writes the result like [`write`](super::write); on a terminal, through the user's pager.
pub(super) fn write_paged(
    color: ColorMode,
    pager: PagerOption,
    write: impl FnOnce(&mut Output) -> io::Result<()>,
) -> CommandResult<()> {
    let is_wanted = !pager.no_pager && io::stdout().is_terminal();
    let Some(pager) = choose(is_wanted, std::env::var("PAGER").ok(), git_pager) else {
        return super::write(color, write);
    };
    // Collected first: no pager is started for an empty result.
    let mut output = Output::in_memory(color);
    write(&mut output)?;
    let text = output.take_bytes()?;
    if text.is_empty() {
        return Ok(());
    }
    show_in_pager(&pager, &text).or_else(|error| {
        let pager = shown(&pager);
        report_error(&format!("The pager {pager} cannot be started: {error}"));
        // Without the pager the result is printed all the same.
        super::write(color, |output| output.raw(&text))
    })
}

/// Chooses the pager: that of the variable, else that of git; `cat` and nothing are none.
fn choose(
    is_wanted: bool,
    variable: Option<String>,
    git_pager: impl FnOnce() -> Option<String>,
) -> Option<String> {
    if !is_wanted {
        return None;
    }
    let pager = variable.or_else(git_pager)?;
    let is_none = ["", "cat"].contains(&pager.trim());
    (!is_none).then_some(pager)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_is_stronger_than_git_and_cat_is_no_pager() {
        let choose = |variable: Option<&str>, git: Option<&str>| {
            choose(true, variable.map(str::to_owned), || git.map(str::to_owned))
        };
        assert_eq!(choose(None, None), None);
        assert_eq!(choose(None, Some("delta")).as_deref(), Some("delta"));
        assert_eq!(choose(Some("less -R"), Some("delta")).as_deref(), Some("less -R"));
        assert_eq!(choose(Some(""), Some("delta")), None);
        assert_eq!(choose(Some("cat"), Some("delta")), None);
        assert_eq!(choose(None, Some("cat")), None);
        let unread = || panic!("git's configuration is read only if it is needed");
        assert_eq!(super::choose(false, None, unread), None);
        assert_eq!(super::choose(true, Some("cat".into()), unread), None);
    }
}
