//! The differences as text for a terminal.

use std::io;

use super::report::follows;
use super::{extent, ignored_line, lane_heading, remarks, shown_changes, summary, values};
use crate::output::{Output, OutputStyle, shown, shown_path};
use compare::review::{ChangeKind, Review, ReviewGroup, ReviewLane, Reviewed, TakeChange};

/// Prints the groups below their lanes: all changes of the first pair in each, and the paths of the others.
pub(super) fn print(output: &mut Output, review: &Review) -> io::Result<()> {
    for lane in ReviewLane::ALL {
        let groups = review.groups_in(lane).filter(|group| group.needs_decision);
        if let Some(heading) = lane_heading(lane, groups.clone()) {
            output.line(&output.styled(OutputStyle::Strong, &heading))?;
        }
        for group in groups {
            print_group(output, review, group)?;
        }
    }
    output.line(&summary(review))
}

fn print_group(output: &mut Output, review: &Review, group: &ReviewGroup) -> io::Result<()> {
    let name = output.styled(OutputStyle::Strong, &shown(&group.name)).into_owned();
    let detail = output.styled(OutputStyle::Quiet, &extent(group)).into_owned();
    output.line(&format!("{name}  {detail}"))?;
    for (number, index) in group.pairs.iter().enumerate() {
        let reviewed = &review.pairs[*index];
        let line = format!("  {}{}", path(reviewed), remark(review, reviewed));
        output.line(&line)?;
        // The other pairs of the group changed in the same way.
        if number == 0 {
            changes(output, reviewed)?;
        }
    }
    output.line("")
}

pub(super) fn path(reviewed: &Reviewed) -> String {
    match (&reviewed.pair.old, &reviewed.pair.new) {
        (Some(old), Some(new)) if old.path != new.path => {
            format!("{} -> {}", shown_path(&old.path), shown_path(&new.path))
        }
        _ => shown_path(reviewed.pair.path()).into_owned(),
    }
}

fn remark(review: &Review, reviewed: &Reviewed) -> String {
    let remarks = remarks(review, reviewed);
    if remarks.is_empty() { String::new() } else { format!("  ({})", shown(&remarks.join(", "))) }
}

fn changes(output: &mut Output, reviewed: &Reviewed) -> io::Result<()> {
    if let Some(fault) = &reviewed.compared.fault {
        // The remark about the pair says what cannot be read.
        if !fault.is_broken() {
            output.line(&format!("    {}", shown(&fault.to_string())))?;
        }
        return Ok(());
    }
    let (changes, repeat_line) = shown_changes(reviewed);
    for change in changes {
        print_change(output, change)?;
    }
    for line in repeat_line.into_iter().chain(ignored_line(reviewed)) {
        let line = format!("    {line}");
        output.line(&output.styled(OutputStyle::Quiet, &line))?;
    }
    Ok(())
}

/// Prints a change with its values, or with its cause.
pub(super) fn print_change(output: &mut Output, change: &TakeChange) -> io::Result<()> {
    let sign = match change.kind {
        ChangeKind::Added => '+',
        ChangeKind::Removed => '-',
        ChangeKind::Changed => '~',
        ChangeKind::Moved => '>',
    };
    let pointer = output.styled(OutputStyle::Quiet, &shown(change.pointer())).into_owned();
    output.line(&format!("    {sign} {}  {pointer}", shown(&change.sentence)))?;
    match &change.follows {
        Some(cause) => {
            let line = format!("        follows from {}", shown(&follows(cause)));
            output.line(&output.styled(OutputStyle::Quiet, &line))
        }
        None => print_values(output, change),
    }
}

fn print_values(output: &mut Output, change: &TakeChange) -> io::Result<()> {
    let signs = [('-', OutputStyle::Removed), ('+', OutputStyle::Added)];
    for (value, (sign, style)) in values(change).into_iter().zip(signs) {
        if let Some(value) = value {
            let line = format!("        {sign} {}", shown(&value));
            output.line(&output.styled(style, &line))?;
        }
    }
    Ok(())
}
