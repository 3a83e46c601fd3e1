//! Paints what is above the list: the worst finding, and the verdicts with their numbers.

use egui::{Rect, Ui, UiBuilder, vec2};

use super::findings::FindingRow;
use super::library_data::LibraryData;
use document::text::{counted, thousands};
use protocol::BlockVerdict;
use widgets::icons;
use widgets::theme::{self, Tone};
use widgets::{Button, Headline, Segment};
use workbench::{Action, Actions, Command};

/// Below this height, the verdicts are in the menu *View*.
const MIN_FULL_HEIGHT: f32 = 520.0;

/// Height of a line of verdicts.
const LINE_HEIGHT: f32 = 24.0;

/// Returns whether the desk has no room for the verdicts above the list.
pub(super) fn is_low(ui: &Ui) -> bool {
    ui.available_height() < MIN_FULL_HEIGHT
}

/// Draws the first line, and below it the verdicts if there is room.
pub(super) fn header_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    findings: &[FindingRow],
    is_low: bool,
    actions: &mut Actions,
) {
    if data.reading {
        // In the place of the finding, so that rows do not move when it appears.
        let words = match data.known {
            0 => "Reading files".to_owned(),
            count => format!("Reading {}", counted(count, "file", "files")),
        };
        Headline::new(document::Severity::Note, &words, "")
            .icon(icons::HOURGLASS, Tone::Plain)
            .show(ui, None);
    } else if data.counts().1 > 0 {
        match findings.first() {
            Some(finding) => finding_ui(ui, finding, actions),
            None => healthy_ui(ui, data),
        }
    }
    if data.counts().1 > 0 && !is_low {
        ui.add_space(theme::GAP);
        verdicts_ui(ui, data, findings, actions);
        ui.add_space(theme::GAP);
    }
}

fn finding_ui(ui: &mut Ui, finding: &FindingRow, actions: &mut Actions) {
    let mut button = Button::primary(&finding.button);
    if let Some(command) = Command::finding(0) {
        button = button.keys_of(command).tooltip(command.tooltip()).show_keys();
    }
    let tone = widgets::severity_tone(finding.severity);
    let rest = format!("{}.", finding.rest);
    let headline = Headline::new(finding.severity, &finding.lead, &rest).icon(finding.sign, tone);
    let button = Some(button).filter(|_| !finding.button.is_empty());
    if headline.show(ui, button) {
        actions.push(Action::ActOnFinding(finding.kind.clone()));
    }
}

/// The line of a project without findings, of which some files may not have been read.
fn healthy_ui(ui: &mut Ui, data: &LibraryData<'_>) {
    let mut verdicts = data.list.listing.totals.by_verdict();
    let foreign = verdicts.find(|(verdict, _)| *verdict == BlockVerdict::OtherCall);
    let unread_count = foreign.map_or(0, |(_, count)| count) + data.not_opened;
    // A filter leaves findings out.
    let has_findings = !data.list.listing.orders.findings.is_empty();
    if unread_count == 0 || has_findings {
        let words =
            if has_findings { "Nothing to fix in what is listed" } else { "Nothing to fix" };
        Headline::good(words).show(ui, None);
        return;
    }
    let files = counted(unread_count, "file was not read", "files were not read");
    let words = format!("Nothing to fix in what was read; {files}");
    Headline::good(&words).icon(icons::INFO, Tone::Plain).show(ui, None);
}

fn verdicts_ui(
    ui: &mut Ui,
    data: &LibraryData<'_>,
    findings: &[FindingRow],
    actions: &mut Actions,
) {
    let choices = data.verdicts();
    let counts: Vec<String> = choices.iter().map(|(.., count)| thousands(*count)).collect();
    let segments: Vec<Segment<'_>> = (choices.iter().zip(&counts))
        .map(|((verdict, word, _), count)| {
            let segment = Segment::text(word).count(count);
            match verdict.map(widgets::verdict_look) {
                Some((icon, tone)) => segment.icon(icon, Some(tone)),
                None => segment,
            }
        })
        .collect();
    let selection = choices.iter().position(|(verdict, ..)| *verdict == data.list.verdict);
    let place = ui.available_rect_before_wrap().shrink2(vec2(theme::PADDING, 0.0));
    let line = Rect::from_min_size(place.min, vec2(place.width(), LINE_HEIGHT));
    let (_, end) = widgets::place_right(ui, line, |ui| {
        if findings.len() > 1 && !data.reading {
            let words = counted(findings.len() - 1, "more finding", "more findings");
            let button = ui.add(Button::ghost(&words).trailing(icons::CHEVRON_DOWN));
            widgets::menu(&button, |ui| more_findings_ui(ui, findings, actions));
        }
    });
    let room = place.with_max_x(end - theme::GAP);
    let filters = |ui: &mut Ui| widgets::filters(ui, &segments, selection, (note_of(data), true));
    // As many lines as the verdicts need beside the button.
    if let Some(index) = ui.scope_builder(UiBuilder::new().max_rect(room), filters).inner {
        actions.push(Action::ShowVerdict(choices[index].0));
    }
}

/// Adds the findings after the first to a menu.
pub(super) fn more_findings_ui(ui: &mut Ui, findings: &[FindingRow], actions: &mut Actions) {
    for (number, finding) in findings.iter().enumerate().skip(1) {
        let caps = Command::finding(number).map(|command| widgets::keymap::caps(ui, command));
        let lead = finding.lead.replace('`', "");
        let caps = caps.unwrap_or_default();
        if widgets::menu_item(ui, finding.sign, &lead, &caps, None).clicked() {
            ui.close();
            actions.push(Action::ActOnFinding(finding.kind.clone()));
        }
    }
}

/// Says what is marked for a comparison.
fn note_of(data: &LibraryData<'_>) -> &'static str {
    match (data.list.marked, data.list.target()) {
        (None, _) => "",
        (Some(marked_id), Some((selected_id, _))) if selected_id != marked_id => {
            "A and B can be compared"
        }
        (Some(_), _) => "A is marked, select B",
    }
}
