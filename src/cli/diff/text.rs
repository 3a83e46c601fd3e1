//! The differences as text for a terminal.

use std::io;

use super::extent;
use super::report::follows;
use crate::cli::count;
use crate::cli::output::{Output, OutputStyle, shown, shown_path};
use crate::ops::review::{ChangeKind, PairStatus, Review, Reviewed, TakeChange, TakeValue};

/// The number of characters of a value that are shown.
const WIDTH: usize = 160;

/// Prints the groups: all changes of the first pair in each, and the paths of the others.
pub(super) fn print(output: &mut Output, review: &Review) -> io::Result<()> {
    let mut differ = 0;
    for group in review.groups.iter().filter(|group| group.needs_decision) {
        let name = output
            .styled(OutputStyle::Strong, &shown(&group.name))
            .into_owned();
        let detail = output
            .styled(OutputStyle::Quiet, &extent(group))
            .into_owned();
        output.line(&format!("{name}  {detail}"))?;
        for (number, at) in group.pairs.iter().enumerate() {
            differ += 1;
            let reviewed = &review.pairs[*at];
            let line = format!("  {}{}", path(reviewed), remark(review, reviewed));
            output.line(&line)?;
            if number == 0 {
                changes(output, reviewed)?;
            }
        }
        output.line("")?;
    }
    let with = |is: fn(&Reviewed) -> bool| review.pairs.iter().filter(|it| is(it)).count();
    let ignored = with(|it| it.compared.status == PairStatus::IgnoredOnly);
    let bytes = with(|it| it.compared.bytes_only);
    let groups = review
        .groups
        .iter()
        .filter(|group| group.needs_decision)
        .count();
    let differ = match differ {
        0 => "No differences".to_owned(),
        1 => "1 pair differs".to_owned(),
        _ => format!("{} in {}", count(differ, "pair"), count(groups, "group")),
    };
    let summary = format!("{differ}; {ignored} only in ignored values, {bytes} only in bytes");
    output.line(&summary)
}

fn path(reviewed: &Reviewed) -> String {
    match (&reviewed.pair.old, &reviewed.pair.new) {
        (Some(old), Some(new)) if old.path != new.path => {
            format!("{} -> {}", shown_path(&old.path), shown_path(&new.path))
        }
        _ => shown_path(reviewed.pair.path()).into_owned(),
    }
}

fn remark(review: &Review, reviewed: &Reviewed) -> String {
    let mut remarks = Vec::new();
    match reviewed.compared.status {
        PairStatus::Added => remarks.push("added".to_owned()),
        PairStatus::Removed => remarks.push("removed".to_owned()),
        _ => {}
    }
    if reviewed.pair.is_renamed() {
        let kind = reviewed.compared.kind;
        remarks.push(reviewed.pair.by.description(kind).to_lowercase());
    }
    if let Some(cause) = reviewed.first_cause {
        let cause = review.pairs[cause].pair.path();
        remarks.push(format!("follows from {}", shown(cause)));
    }
    if remarks.is_empty() {
        String::new()
    } else {
        format!("  ({})", remarks.join(", "))
    }
}

fn changes(output: &mut Output, reviewed: &Reviewed) -> io::Result<()> {
    if let Some(fault) = &reviewed.compared.fault {
        output.line(&format!("    {}", shown(&fault.to_string())))?;
        return Ok(());
    }
    for change in reviewed
        .compared
        .changes
        .iter()
        .filter(|change| change.ignored.is_none())
    {
        let sign = match change.kind {
            ChangeKind::Added => '+',
            ChangeKind::Removed => '-',
            ChangeKind::Changed => '~',
            ChangeKind::Moved => '>',
        };
        let pointer = output
            .styled(OutputStyle::Quiet, &shown(change.pointer()))
            .into_owned();
        let line = format!("    {sign} {}  {pointer}", shown(&change.sentence));
        output.line(&line)?;
        match &change.follows {
            Some(cause) => {
                let line = format!("        follows from {}", shown(follows(cause)));
                let line = output.styled(OutputStyle::Quiet, &line).into_owned();
                output.line(&line)?;
            }
            None => values(output, change)?,
        }
    }
    let ignored = reviewed.compared.ignored_changes().count();
    if ignored > 0 {
        let line = format!("    {} ignored", count(ignored, "difference"));
        let line = output.styled(OutputStyle::Quiet, &line).into_owned();
        output.line(&line)?;
    }
    Ok(())
}

fn values(output: &mut Output, change: &TakeChange) -> io::Result<()> {
    if change.kind == ChangeKind::Moved {
        return Ok(());
    }
    let sides = [
        ('-', &change.old, OutputStyle::Removed),
        ('+', &change.new, OutputStyle::Added),
    ];
    let from = match (&change.old, &change.new) {
        (Some(old), Some(new)) => same_start(&old.json, &new.json),
        _ => 0,
    };
    for (sign, at, style) in sides {
        if let Some(TakeValue { json, .. }) = at {
            let one_line = json.split_whitespace().collect::<Vec<&str>>().join(" ");
            let line = format!("        {sign} {}", shown(&cut(&one_line, from)));
            let line = output.styled(style, &line).into_owned();
            output.line(&line)?;
        }
    }
    Ok(())
}

/// The length of the common prefix of two texts, in characters.
fn same_start(old: &str, new: &str) -> usize {
    old.chars()
        .zip(new.chars())
        .take_while(|(old, new)| old == new)
        .count()
}

/// The part of a long text in which it differs from another, from character `from` on.
fn cut(text: &str, from: usize) -> String {
    let start = if text.chars().count() > WIDTH {
        from.saturating_sub(WIDTH / 4)
    } else {
        0
    };
    let middle: String = text.chars().skip(start).take(WIDTH).collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if text.chars().count() > start + WIDTH {
        "…"
    } else {
        ""
    };
    format!("{before}{middle}{after}")
}
