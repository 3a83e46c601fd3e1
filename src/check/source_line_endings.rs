//! `source-line-endings`: only the line endings of the source have changed.

use super::phrases::shell_word;
use super::project::{JudgedSource, short_hash};
use calls::source::PresentSource;
use document::text::{quoted, visible};
use document::{Problem, RuleId};

rule! {
    /// The source has the same text as at recording time, but different line endings: `\r\n` in place of `\n`, or the
    /// reverse. The hash is therefore different, and DyGram treats the recording as stale.
    ///
    /// The usual cause is git, which converts line endings on checkout; on another computer there is no problem.
    SourceLineEndings {
        title: "Only the line endings of the source have changed",
        fix: "Set the line endings of sources in `.gitattributes`, for example with `*.dygram text eol=lf`, and check the files out again.",
    }
}

pub(super) fn judge(judged_source: JudgedSource<'_>, present_source: &PresentSource) -> Problem {
    let recorded_hash = judged_source.recorded_hash();
    let (new_ends, old_ends) =
        if *present_source.hash_lf == *recorded_hash { (r"\r\n", r"\n") } else { (r"\n", r"\r\n") };
    let message = format!(
        "{} has the text that {} was recorded from, but with different line endings, {new_ends} in place of {old_ends}: recorded hash {}, current hash {} ({})",
        visible(&present_source.path),
        quoted(judged_source.item.label()),
        short_hash(recorded_hash),
        short_hash(&present_source.hash),
        judged_source.describe_affected()
    );
    let extension = present_source.path.rsplit_once('.').map_or("dygram", |(_, ending)| ending);
    // The endings at recording time, so that the recorded hash fits again.
    let eol = if old_ends == r"\n" { "lf" } else { "crlf" };
    let help = format!(
        "1. Add this line to .gitattributes: `*.{} text eol={eol}`\n\
         2. If the source has no changes of your own, delete it and restore it: `git checkout -- {}`",
        visible(extension),
        shell_word(&present_source.path)
    );
    judged_source.problem_at_hash(RuleId::SourceLineEndings, message).with_help(help)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::testing::{at_source, judged_with_help};
    use calls::source::{SourceFinding, sha256_hex};

    #[test]
    fn the_direction_is_reported() {
        let present_source =
            Arc::new(PresentSource::from_bytes("machines/a.dy", b"a -> b\r\n", true));
        let mut item =
            at_source("recordings/a/turn-1.json", SourceFinding::LineEndings(present_source));
        if let Some(source) = &mut item.source {
            Arc::make_mut(source).recorded_hash = Some((*sha256_hex(b"a -> b\n")).into());
        }
        insta::assert_snapshot!(judged_with_help(RuleId::SourceLineEndings, &[item]), @r"
        recordings/a/turn-1.json: warning 21:17 /sourceMetadata/contentHash machines/a.dy has the text that `turn-1.json` was recorded from, but with different line endings, \r\n in place of \n: recorded hash 54c9f6238cc5, current hash d50e5f645d66 (the only recording in recordings/a)
          1. Add this line to .gitattributes: `*.dy text eol=lf`
          2. If the source has no changes of your own, delete it and restore it: `git checkout -- machines/a.dy`
        ");
    }
}
