//! The compact inspector below the list of a narrow window: the main problem in a sentence, and an action.

use std::borrow::Cow;

use egui::{Role, Sense, Ui, vec2};

use super::content::{Banner, Section};
use super::inspector_data::{InspectorContent, InspectorData, ProblemLine};
use widgets::theme::{self, Tone, tokens};
use widgets::{Button, Line, StyledText, icons};
use workbench::{Action, Actions, Command};

/// The height of the strip.
pub const STRIP: f32 = 76.0;

/// Icon, tone and sentence of the strip, and its action.
type StripSummary = (&'static str, Tone, String, Option<(Cow<'static, str>, Action)>);

fn summary(data: &InspectorData) -> StripSummary {
    // A banner explains a problem and offers its fix, which a problem alone does not.
    if let Some(banner) = data.banner() {
        let text = format!("{} {}", banner.title, banner.text);
        let tone = widgets::severity_tone(banner.severity);
        return (banner.icon, tone, text, banner.actions.first().cloned());
    }
    // The first is the worst one.
    if let Some(ProblemLine { problem, message, .. }) = data.problems.first() {
        let tone = widgets::severity_tone(problem.severity);
        let action = ("Show the place".into(), Action::Reveal(data.id, problem.span));
        let icon = icons::severity(problem.severity);
        return (icon, tone, message.clone(), Some(action));
    }
    let (icon, tone) = widgets::status_look(data.status);
    (icon, tone, "It has no problems.".to_owned(), None)
}

impl InspectorData {
    /// Returns the banner of the file once it was read.
    fn banner(&self) -> Option<&Banner> {
        let InspectorContent::Ready(ready) = &self.content else { return None };
        ready.sections.iter().find_map(|section| match section {
            Section::Banner(banner) => Some(banner),
            _ => None,
        })
    }
}

/// Paints the strip in the remaining space.
pub fn strip_ui(ui: &mut Ui, data: &InspectorData, actions: &mut Actions) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, STRIP, Sense::hover());
    let (icon, tone, text, action) = summary(data);
    widgets::line_above(ui, rect);
    let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
    let words = inner.with_min_y(rect.top() + 8.0).with_max_y(rect.top() + 36.0);
    // Without the name, which is in the selected row above.
    let font = theme::medium(theme::ROW);
    let color = tokens.text_strong;
    let sentence = widgets::code::sentence(&text, font, color, color, 0.0);
    let line = Line::from(StyledText::new().sentence(sentence));
    line.icon(icon, tokens.tone(tone)).icon_size(theme::ICON_HEADING).show_in(ui, words);
    let response = ui.interact(rect, ui.auto_id_with("strip"), Sense::hover());
    widgets::describe(&response, Role::Label, &format!("{}: {text}", data.label));
    widgets::hint(response, &text);

    let buttons = inner.with_min_y(rect.top() + 36.0).with_max_y(rect.bottom() - 8.0);
    let ((), buttons_left) = widgets::place_right(ui, buttons, |ui| {
        let details =
            Button::ghost("Details").icon(icons::PANEL_RIGHT).keys_of(Command::OpenSelected);
        widgets::command_button(ui, details.show_keys(), Command::ToggleInspector, actions);
    });
    let Some((name, action)) = action else { return };
    widgets::place_left(ui, buttons.with_max_x(buttons_left - theme::GAP), |ui| {
        let button = match &action {
            Action::CompareSource(_) => Button::primary(&name).icon(icons::COLUMNS_2),
            _ => Button::secondary(&name),
        };
        widgets::on_click(&ui.add(button), action, actions);
    });
}
