//! Segmented controls: a choice of one among a few, side by side.

use egui::{
    CornerRadius, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::styled_text::{self, StyledText};
use crate::ui::theme::{self, Tone, tokens};

/// One of the choices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Segment<'a> {
    /// An icon before the text. It may be alone if `name` says what it means.
    pub icon: Option<(&'a str, Option<Tone>)>,
    /// The text; may be empty if there is an icon.
    pub text: &'a str,
    /// A muted count after the text.
    pub count: Option<&'a str>,
    /// The name, if the text is not enough.
    pub name: Option<&'a str>,
}

impl<'a> Segment<'a> {
    /// Creates a segment with text.
    pub fn text(text: &'a str) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Adds an icon before the text. Without a tone it has the colour of the text.
    #[must_use]
    pub fn icon(mut self, icon: &'a str, tone: Option<Tone>) -> Self {
        self.icon = Some((icon, tone));
        self
    }

    /// Adds a count after the text.
    #[must_use]
    pub fn count(mut self, count: &'a str) -> Self {
        self.count = Some(count);
        self
    }

    /// The name, if the text is not enough.
    #[must_use]
    pub fn name(mut self, name: &'a str) -> Self {
        self.name = Some(name);
        self
    }
}

/// Adds the segments, of which `chosen` is selected. Returns which one was clicked.
pub fn segmented(ui: &mut Ui, segments: &[Segment<'_>], chosen: usize) -> Option<usize> {
    let tokens = tokens(ui);
    let lines: Vec<_> = segments
        .iter()
        .enumerate()
        .map(|(index, segment)| {
            let (font, text, count) = if index == chosen {
                (theme::medium(theme::ROW), tokens.text_strong, tokens.muted)
            } else {
                (theme::regular(theme::ROW), tokens.muted, tokens.muted)
            };
            let mut words = StyledText::new().with(segment.text, font, text);
            if let Some(number) = segment.count {
                let space = if segment.text.is_empty() {
                    0.0
                } else {
                    theme::ICON_GAP
                };
                words = words.after(space, number, theme::regular(theme::ROW), count);
            }
            words.galley(ui, f32::INFINITY)
        })
        .collect();
    let width_of = |index: usize| {
        let icon = segments.get(index).and_then(|segment| segment.icon);
        let text = lines.get(index).map_or(0.0, |line| line.size().x);
        let gap = if text > 0.0 { theme::ICON_GAP } else { 0.0 };
        (text + icon.map_or(0.0, |_| theme::ICON + gap) + 20.0).ceil()
    };
    let total: f32 = (0..segments.len()).map(width_of).sum::<f32>() + 4.0;
    let (outer, _) = ui.allocate_exact_size(vec2(total, theme::CONTROL), Sense::hover());
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    ui.painter().rect(
        outer,
        radius,
        tokens.input,
        Stroke::new(1.0, tokens.line),
        StrokeKind::Inside,
    );

    let mut pressed = None;
    let mut left = outer.left() + 2.0;
    for (index, (segment, line)) in segments.iter().zip(&lines).enumerate() {
        let width = width_of(index);
        let rect = Rect::from_min_size(
            pos2(left, outer.top() + 2.0),
            vec2(width, theme::CONTROL - 4.0),
        );
        left += width;
        let id = ui.auto_id_with(("segment", index));
        let response = ui.interact(rect, id, Sense::click());
        if response.clicked() {
            pressed = Some(index);
        }
        describe(ui, &response, segment, index == chosen);
        let inner = CornerRadius::same(theme::RADIUS_KEY);
        if index == chosen {
            ui.painter().rect_filled(rect, inner, tokens.selected);
        } else if response.hovered() {
            ui.painter().rect_filled(rect, inner, tokens.hover);
        }
        let mut x = rect.left() + 10.0;
        if let Some((icon, tone)) = segment.icon {
            let plain = if index == chosen {
                tokens.text_strong
            } else {
                tokens.muted
            };
            let color = tone.map_or(plain, |tone| tokens.tone(tone));
            let center = pos2(x + theme::ICON / 2.0, rect.center().y);
            styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, color);
            x += theme::ICON + theme::ICON_GAP;
        }
        styled_text::paint_line(ui.painter(), pos2(x, rect.center().y), line.clone());
        if response.has_focus() {
            super::focus_ring_inside(ui, rect, theme::RADIUS_KEY);
        }
    }
    pressed.filter(|index| *index != chosen)
}

fn describe(ui: &Ui, response: &Response, segment: &Segment<'_>, chosen: bool) {
    let name = match (segment.name, segment.count) {
        (Some(name), _) => name.to_owned(),
        (None, Some(count)) => format!("{} {count}", segment.text),
        (None, None) => segment.text.to_owned(),
    };
    response
        .widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), chosen, &name));
    if segment.text.is_empty()
        && let Some(name) = segment.name
    {
        super::tip(response.clone(), name, &[] as &[&str]);
    }
}
