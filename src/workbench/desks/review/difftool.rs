//! The command that shows a pair in the user's diff tool; it runs when the user confirms.

use super::ReviewDesk;
use crate::{Core, Link, Proposal, TerminalPrompt};
use compare::review::{SIDECAR, TakePair};
use document::shell::CommandShell;
use protocol::ReviewBase;

impl ReviewDesk {
    pub(super) fn propose_difftool(&mut self, core: &mut Core) {
        let Some(pair) = self.selected().map(|p| p.pair.clone()) else { return };
        let project_tool = core.project.as_ref().and_then(|p| p.difftool.clone());
        let tool = project_tool.or_else(|| core.user.settings.difftool.clone());
        let prompt = match command(&self.base, &pair, tool.as_deref()) {
            Some(command) => TerminalPrompt::Run(Proposal {
                name: format!("Show {} in your diff tool", pair.path()),
                commands: vec![command],
                remarks: match tool {
                    Some(_) => Vec::new(),
                    None => vec![
                        "Git opens the tool in its diff.tool setting. To use another one, set difftool in your settings.toml, or [review] difftool in retake.toml."
                            .to_owned(),
                    ],
                },
                origin: None,
            }),
            None => TerminalPrompt::Refused("This pair is not two files, so a diff tool cannot open it.".to_owned()),
        };
        core.link(Link::Propose(prompt));
    }
}

/// The command that shows a pair; `None` if the pair is not two files, or a path cannot be quoted for a shell.
fn command(base: &ReviewBase, pair: &TakePair, tool: Option<&str>) -> Option<String> {
    let word = |text: &str| CommandShell::CURRENT.quote(text);
    let (old, new) = (pair.old.as_ref()?, pair.new.as_ref()?);
    let extcmd = match tool {
        Some(tool) => format!(" --extcmd {}", word(tool)?),
        None => String::new(),
    };
    // The user has confirmed the command already.
    let start = format!("git difftool --no-prompt{extcmd}");
    let compare_files =
        |old: &str, new: &str| Some(format!("{start} --no-index -- {} {}", word(old)?, word(new)?));
    match base {
        ReviewBase::Revision(revision) if old.path == new.path => {
            let (revision, path) = (word(revision)?, word(&new.path)?);
            Some(format!("{start} {revision} -- {path}"))
        }
        ReviewBase::Revision(revision) => {
            let (old, new) = (word(&old.path)?, word(&new.path)?);
            // Without `-M`, git takes the renamed file for one that was removed and one that was added.
            Some(format!("{start} -M {} -- {old} {new}", word(revision)?))
        }
        // Where the paths of the folder begin depends on the opened paths, which are not known here.
        ReviewBase::Folder(_) => None,
        ReviewBase::Sidecars => compare_files(&old.path, &format!("{}{SIDECAR}", new.path)),
        ReviewBase::Files { old, new } => {
            compare_files(&old.to_string_lossy(), &new.to_string_lossy())
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use compare::review::{PairedBy, Take};

    #[test]
    fn commands_name_what_is_compared_and_quote_it() {
        let take = |path: &str| Some(Arc::new(Take::new(path, Vec::new())));
        let pair =
            |old: &str, new: &str| TakePair { old: take(old), new: take(new), by: PairedBy::Path };
        let head = ReviewBase::default();
        let same_pair = pair("a b.json", "a b.json");
        let commands = [
            command(&head, &same_pair, None),
            command(&head, &same_pair, Some("code --diff")),
            command(&head, &pair("old.json", "new.json"), None),
            command(&ReviewBase::Sidecars, &pair("a.json", "a.json"), None),
            command(&ReviewBase::Folder("/old".into()), &pair("a.json", "a.json"), None),
            command(&head, &TakePair { old: None, ..same_pair.clone() }, None),
        ];
        let lines = commands.map(|command| command.unwrap_or_else(|| "none".to_owned()));
        insta::assert_snapshot!(lines.join("\n"), @"
        git difftool --no-prompt HEAD -- 'a b.json'
        git difftool --no-prompt --extcmd 'code --diff' HEAD -- 'a b.json'
        git difftool --no-prompt -M HEAD -- old.json new.json
        git difftool --no-prompt --no-index -- a.json a.json.new
        none
        none
        ");
    }
}
