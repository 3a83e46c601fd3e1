//! Paints the selected rule and its places.

use egui::{Label, Ui, pos2};

use super::folds::ProblemsState;
use super::places_ui::{places_ui, section_heading};
use super::problems_data::{ProblemsData, RuleDetail};
use document::RuleId;
use document::text::{counted, upper_first};
use widgets::code::sentence;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{Button, StyledText};
use workbench::{Action, Actions, Command, Library, ProblemsAction};

/// Maximum share of the desk's height for the rule's text, so that its places have room.
const MAX_TEXT_SHARE: f32 = 0.55;

/// Draws the selected rule: explanation, fix, and places.
pub(super) fn detail_ui(
    ui: &mut Ui,
    data: &ProblemsData,
    library: &Library,
    state: &mut ProblemsState,
    actions: &mut Actions,
) {
    let Some(detail) = &data.rule else {
        // The list of rules says why there is none.
        return;
    };
    head_ui(ui, detail, data.places.len());
    // Taken after the heading, so that it is a share of what remains.
    let max_height = ui.available_height() * MAX_TEXT_SHARE;
    egui::ScrollArea::vertical()
        // By rule, so that another rule's text starts at its top.
        .id_salt(("rule", detail.rule))
        .max_height(max_height)
        .auto_shrink([false, true])
        .show(ui, |ui| {
            about_ui(ui, detail);
            fix_ui(ui, data, detail, actions);
        });
    places_ui(ui, data, library, detail, state, actions);
}

fn head_ui(ui: &mut Ui, detail: &RuleDetail, places: usize) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, theme::DESK_HEADER, egui::Sense::hover());
    let middle = rect.center().y;
    let left = rect.left() + theme::PADDING;
    let color = tokens.tone(widgets::severity_tone(detail.severity));
    let sign = icons::severity(detail.severity);
    widgets::paint_icon(ui.painter(), pos2(left + 8.0, middle), sign, theme::ICON_HEADING, color);
    let (level, font) = (upper_first(detail.severity.as_str()), theme::medium(theme::ROW));
    let level = StyledText::new()
        .with("Level", theme::regular(theme::LABEL), tokens.muted)
        .after(6.0, &level, font, tokens.text_strong)
        .galley(ui, 160.0);
    let room = rect.width() - 2.0 * theme::PADDING - 26.0 - level.size().x - theme::GAP;
    let count = counted(places, "place", "places");
    let title = StyledText::new()
        .with(detail.title, theme::semibold(theme::TITLE), tokens.text_strong)
        .after(theme::GAP, &count, theme::regular(theme::BODY), tokens.muted)
        .galley(ui, room);
    widgets::paint_line(ui.painter(), pos2(left + 26.0, middle), title);
    widgets::paint_line_right(ui.painter(), pos2(rect.right() - theme::PADDING, middle), level);
    widgets::hair_line(ui);
}

/// Draws a part of the rule's text, with the line below it.
fn region(ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
    widgets::padded(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 4.0;
        add(ui);
    });
    widgets::hair_line(ui);
}

fn about_ui(ui: &mut Ui, detail: &RuleDetail) {
    let tokens = tokens(ui);
    region(ui, |ui| {
        ui.label(theme::text(detail.rule.as_str(), theme::mono(theme::LABEL), tokens.muted));
        ui.spacing_mut().item_spacing.y = theme::GAP;
        for paragraph in detail.text.split("\n\n") {
            paragraph_ui(ui, paragraph);
        }
    });
}

/// Draws a paragraph with the words between backticks in the monospaced font.
fn paragraph_ui(ui: &mut Ui, text: &str) {
    let tokens = tokens(ui);
    let font = theme::regular(theme::BODY);
    let mut job = sentence(text, font, tokens.text, tokens.text_strong, ui.available_width());
    for section in &mut job.sections {
        // The monospaced font is taller, and lines with code would be further apart.
        section.format.line_height = Some(theme::TEXT_LINE);
        section.format.valign = egui::Align::Center;
    }
    ui.label(job);
}

fn fix_ui(ui: &mut Ui, data: &ProblemsData, detail: &RuleDetail, actions: &mut Actions) {
    let tokens = tokens(ui);
    region(ui, |ui| {
        section_heading(ui, "Fix");
        // A problem selected before the rule was changed has the help of the other rule.
        let preview = data.preview.as_ref().filter(|preview| preview.rule == detail.rule);
        let help = preview.map_or(detail.fix, |preview| preview.help.as_str());
        for line in help.lines() {
            paragraph_ui(ui, line);
        }
        if let Some(preview) = preview.filter(|_| detail.rule == RuleId::SourceStale) {
            ui.add_space(4.0);
            let button = Button::primary("Compare source versions").icon(icons::COLUMNS_2);
            if ui.add(button.keys_of(Command::CompareSource)).clicked() {
                actions.push(Action::CompareSource(preview.id.doc));
            }
        }
        if let Some((label, tip)) = &detail.fix_all {
            ui.add_space(4.0);
            let button = match detail.rule {
                // The change of the source is compared first.
                RuleId::SourceStale => Button::secondary(label),
                _ => Button::primary(label),
            };
            if ui.add(button.icon(icons::WRENCH).tooltip(tip)).clicked() {
                actions.push(Action::from(ProblemsAction::Fix(detail.rule, None)));
            }
        }
        if let Some(fix) = preview.and_then(|preview| preview.source.as_ref()) {
            ui.add_space(4.0);
            let icon = match detail.rule {
                RuleId::SourceRenamed => icons::FILE_SYMLINK,
                _ => icons::STAMP,
            };
            let tip = "Fixes every recording of this source. The changes are shown before they are saved.";
            if ui.add(Button::primary(&fix.label).icon(icon).tooltip(tip)).clicked() {
                actions.push(Action::from(ProblemsAction::Sources(fix.action.clone())));
            }
        }
        for command in commands(help) {
            ui.horizontal(|ui| {
                if widgets::icon_button(ui, icons::COPY, "Copy command").clicked() {
                    actions.push(Action::Copy(command.to_owned()));
                }
                let text = theme::text(command, theme::mono(theme::LABEL), tokens.text_strong);
                ui.add(Label::new(text).truncate());
            });
        }
    });
}

/// Returns the commands in a text: words between backticks that have arguments.
fn commands(text: &str) -> impl Iterator<Item = &str> {
    // The odd parts are inside of backticks.
    let parts = text.split('`').enumerate().filter(|(index, _)| index % 2 == 1);
    parts.map(|(_, part)| part.trim()).filter(|part| part.contains(' '))
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_texts_between_backticks_with_arguments() {
        let help = "Set `status`, then run `retake stamp recordings --source a.dygram` and commit.";
        let found: Vec<&str> = commands(help).collect();
        assert_eq!(found, ["retake stamp recordings --source a.dygram"]);
    }
}
