//! The compact inspector below the list of a narrow window: the main problem in a sentence, and an action.

use std::borrow::Cow;

use egui::{Rect, Role, Sense, Ui, WidgetInfo, pos2};

use super::content::{Banner, InspectorSection};
use super::inspector_data::{InspectorContent, InspectorData};
use widgets::Button;
use widgets::code::sentence;
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use workbench::{Action, Actions, Command};

/// The height of the strip.
pub const STRIP: f32 = 76.0;

/// The content of the strip.
#[derive(Clone, Debug, PartialEq)]
struct StripSummary {
    icon: &'static str,
    tone: Tone,
    text: String,
    action: Option<(Cow<'static, str>, Action)>,
}

impl StripSummary {
    fn from_data(data: &InspectorData) -> Self {
        // A banner explains a problem and offers its fix, which a problem alone does not.
        if let Some(banner) = data.banner() {
            return Self {
                icon: banner.icon,
                tone: widgets::severity_tone(banner.severity),
                text: format!("{} {}", banner.title, banner.text),
                action: banner.actions.first().cloned(),
            };
        }
        if let Some(problem) = data.problems.iter().max_by_key(|problem| problem.severity) {
            return Self {
                icon: icons::severity(problem.severity),
                tone: widgets::severity_tone(problem.severity),
                text: problem.message.clone(),
                action: Some(("Show the place".into(), Action::Reveal(data.id, problem.span))),
            };
        }
        let (icon, tone) = widgets::status_look(data.status);
        Self { icon, tone, text: "It has no problems.".to_owned(), action: None }
    }
}

impl InspectorData {
    /// Returns the banner of the file once it was read.
    fn banner(&self) -> Option<&Banner> {
        let InspectorContent::Ready(ready) = &self.content else { return None };
        ready.sections.iter().find_map(|section| match section {
            InspectorSection::Banner(banner) => Some(banner),
            _ => None,
        })
    }
}

/// Paints the strip in the remaining space.
pub fn strip_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, STRIP, Sense::hover());
    let summary = StripSummary::from_data(data);
    widgets::line_above(ui, rect);
    let (left, right) = (rect.left() + theme::PADDING, rect.right() - theme::PADDING);
    let middle = rect.top() + 22.0;
    let color = tokens.tone(summary.tone);
    let center = pos2(left + theme::ICON_HEADING / 2.0, middle);
    widgets::paint_icon(ui.painter(), center, summary.icon, theme::ICON_HEADING, color);
    let left = left + theme::ICON_HEADING + theme::GAP;
    let (font, room) = (theme::mono_bold(theme::LABEL), (right - left) / 2.0);
    let label = widgets::line(ui, &data.label, font, tokens.text_strong, room);
    let text_left = left + label.size().x + theme::GAP;
    widgets::paint_line(ui.painter(), pos2(left, middle), label);
    let font = theme::regular(theme::ROW);
    let mut job = sentence(&summary.text, font, tokens.text, tokens.text_strong, right - text_left);
    job.wrap.max_rows = 1;
    job.wrap.break_anywhere = true;
    widgets::paint_line(ui.painter(), pos2(text_left, middle), ui.painter().layout_job(job));
    let response = ui.interact(rect, ui.auto_id_with("strip"), Sense::hover());
    response.widget_info(|| {
        let name = format!("{}: {}", data.label, summary.text);
        WidgetInfo::labeled(Role::Label, true, name)
    });
    widgets::tip(response, &summary.text, &[] as &[&str]);

    let buttons = Rect::from_x_y_ranges(left..=right, rect.top() + 36.0..=rect.bottom() - 8.0);
    let ((), buttons_left) = widgets::place_right(ui, buttons, |ui| {
        let details =
            Button::ghost("Details").icon(icons::PANEL_RIGHT).keys_of(Command::OpenSelected);
        widgets::command_button(ui, details.show_keys(), Command::ToggleInspector, actions);
    });
    let Some((name, action)) = summary.action else { return };
    widgets::place_left(ui, buttons.with_max_x(buttons_left - theme::GAP), |ui| {
        let button = match &action {
            Action::CompareSource(_) => Button::primary(&name).icon(icons::COLUMNS_2),
            _ => Button::secondary(&name),
        };
        widgets::on_click(&ui.add(button), action, actions);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use calls::Item;
    use document::{Problem, RuleId};
    use protocol::DocId;

    #[test]
    fn the_most_severe_problem_is_shown_with_a_link_to_its_place() {
        let mut item = Item::new("a.json");
        let summary = |item: &Item| {
            StripSummary::from_data(&InspectorData::new(DocId::new(0), item, None, 0, None))
        };
        assert_eq!(summary(&item).text, "It has no problems.");
        item.problems = vec![
            Problem::whole_file(RuleId::SignatureMissing, "small"),
            Problem::whole_file(RuleId::Syntax, "great"),
        ]
        .into();
        let severe_summary = summary(&item);
        assert_eq!((severe_summary.text.as_str(), severe_summary.tone), ("great", Tone::Error));
        assert!(matches!(severe_summary.action, Some((_, Action::Reveal(..)))));
    }
}
