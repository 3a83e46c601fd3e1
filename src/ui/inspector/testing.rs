//! The inspector's content as plain text, for tests.

use super::content::{Heading, Section, SectionPart};
use super::values::Values;

/// Returns the sections as text, one item per line.
pub(super) fn snapshot(sections: &[Section]) -> String {
    use std::fmt::Write as _;
    let mut text = String::new();
    let heading = |text: &mut String, heading: &Heading, right: &str| {
        if !heading.title.is_empty() {
            let _ = writeln!(text, "# {} | {} | {right}", heading.title, heading.note);
        }
    };
    for section in sections {
        match section {
            Section::Banner(banner) => {
                let names: Vec<&str> = banner.actions.iter().map(|(name, _)| &**name).collect();
                let _ = writeln!(
                    text,
                    "! {} {} {} {names:?}",
                    banner.severity, banner.title, banner.text
                );
            }
            Section::Turn(turn) => {
                heading(&mut text, &turn.heading, &turn.right);
                parts(&mut text, &turn.parts);
            }
            Section::Prompt(card) => {
                heading(&mut text, &card.turn.heading, &card.turn.right);
                let node = &card.node;
                let _ = writeln!(text, "  {} | {} | {}", node.name, node.kind, node.step);
                let _ = writeln!(text, "  {}", node.objective);
                for chip in node.transitions.iter().chain(&node.context) {
                    let mark = if chip.called { " called" } else { "" };
                    let _ = writeln!(text, "  {:?} {}: {}{mark}", chip.kind, chip.name, chip.note);
                }
                for (title, words) in &card.own {
                    let words = words.beginning().replace('\n', "\n  ");
                    let _ = writeln!(text, "  “{title}” {words}");
                }
            }
            Section::Tools(tools) => {
                heading(&mut text, &tools.heading, "");
                for tool in &tools.tools {
                    let mark = if tool.called { " called" } else { "" };
                    let name = &tool.tool;
                    let _ = writeln!(text, "  [{}]{}{mark}", name.prefix, name.rest);
                }
            }
            Section::Facts(facts) => {
                heading(&mut text, &facts.heading, "");
                for fact in &facts.facts {
                    let _ = writeln!(text, "  {}: {} {}", fact.name, fact.value, fact.remark);
                }
                if let Some(foot) = &facts.footer {
                    let _ = writeln!(text, "  {} {}", foot.text, foot.link_label);
                }
            }
            Section::Fold(fold) => {
                let (title, note) = (&fold.heading.title, &fold.heading.note);
                let _ = writeln!(text, "> {title} | {note}");
            }
            Section::Heading(section_heading) => heading(&mut text, section_heading, ""),
            Section::Row(row) => {
                let state = row.state.map_or(String::new(), |state| format!(" {state:?}"));
                let right: Vec<&str> = row.right.iter().map(|row_text| &*row_text.text).collect();
                let (lead, title, right) = (&row.lead, &row.title.text, right.join(" · "));
                let _ = writeln!(text, "- {lead} {title} | {right}{state}");
                parts(&mut text, &row.parts);
            }
        }
    }
    return text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");

    fn parts(text: &mut String, parts: &[SectionPart]) {
        for part in parts {
            let _ = match part {
                SectionPart::Prose(prose) => {
                    writeln!(text, "  {}", prose.beginning().replace('\n', "\n  "))
                }
                SectionPart::Json(_, value) => {
                    values(text, value);
                    Ok(())
                }
                SectionPart::Remark(remark) => writeln!(text, "  ({remark})"),
                SectionPart::Verdict(state, finding) => writeln!(text, "  {state:?}: {finding}"),
                SectionPart::Data(data) => writeln!(text, "  {}", data.replace('\n', "\n  ")),
                SectionPart::Layers(layers) => writeln!(text, "  {}", layers.names.join(" › ")),
                SectionPart::Media(spot) if spot.named_pictures == 0 => Ok(()),
                SectionPart::Media(spot) => writeln!(text, "  pictures: {}", spot.named_pictures),
                SectionPart::Events(lengths) => writeln!(text, "  {} events", lengths.len()),
                SectionPart::Call(call) => {
                    let name = format!("{}{}", call.tool.prefix, call.tool.rest);
                    let _ = writeln!(text, "  call {name} {}", call.id);
                    values(text, &call.input);
                    Ok(())
                }
                SectionPart::Value(caption, value) => {
                    let _ = writeln!(text, "  {caption}");
                    values(text, value);
                    Ok(())
                }
            };
        }
    }

    fn values(text: &mut String, values: &Values) {
        for line in &values.lines {
            let indent = "  ".repeat(usize::from(line.depth) + 2);
            let _ = writeln!(text, "{indent}{}: {}", line.key, line.value);
        }
    }
}
