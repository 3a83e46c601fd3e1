//! The first line of a view: what is wrong, with its number, and the one thing to do next.

use egui::{Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::place::line_below;
use super::place::{allocate_row, place_right};
use super::styled_text::{self, StyledText};
use super::{Button, severity_tone};
use crate::icons;
use crate::theme::{self, Tone, tokens};
use document::Severity;

/// Height of the line.
const HEADLINE_HEIGHT: f32 = 52.0;

/// The first line of a view. Code in its sentence is between backticks.
#[must_use]
pub struct Headline<'a> {
    icon: &'a str,
    tone: Tone,
    lead: &'a str,
    rest: &'a str,
}

impl<'a> Headline<'a> {
    /// Creates a line about what is wrong. `lead` is the problem with its number, and `rest` the sentence after it.
    pub fn new(severity: Severity, lead: &'a str, rest: &'a str) -> Self {
        Self { icon: icons::severity(severity), tone: severity_tone(severity), lead, rest }
    }

    /// Creates the line of a view in which nothing is wrong; it has no button.
    pub fn good(sentence: &'a str) -> Self {
        Self { icon: icons::CIRCLE_CHECK, tone: Tone::Good, lead: "", rest: sentence }
    }

    /// Changes the icon and its colour.
    pub fn icon(self, icon: &'a str, tone: Tone) -> Self {
        Self { icon, tone, ..self }
    }

    /// Adds the line. Returns whether its button was clicked.
    pub fn show(self, ui: &mut Ui, button: Option<Button<'_>>) -> bool {
        self.show_with(ui, |ui| button.is_some_and(|button| ui.add(button).clicked()))
    }

    /// Adds the line with controls at its right end, the last one first.
    pub fn show_with<R>(self, ui: &mut Ui, controls: impl FnOnce(&mut Ui) -> R) -> R {
        let tokens = tokens(ui);
        let (row, _) = allocate_row(ui, HEADLINE_HEIGHT, Sense::hover());
        line_below(ui, row);
        let inner = row.shrink2(vec2(theme::PADDING, 0.0));
        let (answer, end) = place_right(ui, inner, controls);
        let sentence = format!("{}{}", self.lead, self.rest).replace('`', "");
        let place = inner.with_max_x(end - theme::GAP);
        let response = ui.interact(place, ui.auto_id_with(&sentence), Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Label, true, &sentence));
        let center = pos2(place.left() + theme::ICON / 2.0, place.center().y);
        let color = tokens.tone(self.tone);
        styled_text::paint_icon(ui.painter(), center, self.icon, theme::ICON_HEADING, color);
        let mut text = StyledText::new();
        let parts = [
            (self.lead, theme::semibold(theme::BODY), theme::mono_bold(theme::ROW)),
            (self.rest, theme::regular(theme::BODY), theme::mono(theme::ROW)),
        ];
        for (words, font, code_font) in parts {
            for (at, piece) in words.split('`').enumerate() {
                let font = if at % 2 == 1 { &code_font } else { &font };
                text.push(piece, font.clone(), tokens.text_strong);
            }
        }
        let left = place.left() + theme::INDENT + 4.0;
        let line = text.galley(ui, place.right() - left);
        styled_text::paint_line(ui.painter(), pos2(left, place.center().y), line);
        answer
    }
}
