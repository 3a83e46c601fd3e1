//! `retake skill`: what a coding agent has to know of Retake.

use super::{ColorMode, CommandResult, CommandVerdict, write};

const SKILL: &str = include_str!("../../assets/SKILL.md");

/// Print what a coding agent has to know of Retake, as a skill file.
///
/// It describes how to find out why a test that plays recordings fails, to record again safely, to review and to redact. Save it where your
/// agent looks for skills.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  retake skill > .claude/skills/retake/SKILL.md")]
pub(super) struct SkillArgs {}

pub(super) fn run(SkillArgs {}: &SkillArgs) -> CommandResult {
    write(ColorMode::Never, |output| output.raw(SKILL.as_bytes()))?;
    Ok(CommandVerdict::Passed)
}
