//! Segmented controls: a choice of one among a few, side by side.

use std::sync::Arc;

use egui::{
    CornerRadius, Galley, Rect, Response, Role, Sense, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

use super::styled_text::{self, StyledText};
use crate::theme::{self, Tone, tokens};

/// Padding beside a segment's text.
const SEGMENT_PADDING: f32 = 10.0;
/// The same without a frame.
const FILTER_PADDING: f32 = 7.0;

/// One of the choices.
#[must_use]
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
        Self { text, ..Self::default() }
    }

    /// Adds an icon before the text. Without a tone it has the colour of the text.
    pub fn icon(self, icon: &'a str, tone: Option<Tone>) -> Self {
        Self { icon: Some((icon, tone)), ..self }
    }

    /// Adds a count after the text.
    pub fn count(self, count: &'a str) -> Self {
        Self { count: Some(count), ..self }
    }

    /// The name, if the text is not enough.
    pub fn name(self, name: &'a str) -> Self {
        Self { name: Some(name), ..self }
    }
}

/// Adds a choice between values with their names, of which `current` is selected. Returns the value that was clicked.
pub fn choice<T: Copy + PartialEq>(ui: &mut Ui, options: &[(T, &str)], current: T) -> Option<T> {
    let segments: Vec<Segment<'_>> = options.iter().map(|(_, name)| Segment::text(name)).collect();
    let position = options.iter().position(|(value, _)| *value == current);
    // Of a value that is not offered, no segment is selected.
    segmented(ui, &segments, position.unwrap_or(usize::MAX)).map(|at| options[at].0)
}

/// Adds the segments, of which `current` is selected. Returns which one was clicked.
pub fn segmented(ui: &mut Ui, segments: &[Segment<'_>], current: usize) -> Option<usize> {
    let tokens = tokens(ui);
    let lines = lines(ui, segments, Some(current));
    let widths = widths(segments, &lines, SEGMENT_PADDING);
    let total: f32 = widths.iter().sum::<f32>() + 4.0;
    let (frame, _) = ui.allocate_exact_size(vec2(total, theme::CONTROL), Sense::hover());
    let (radius, line) = (theme::RADIUS_CONTROL, (1.0, tokens.line));
    ui.painter().rect(frame, radius, tokens.input, line, StrokeKind::Inside);

    let mut pressed_index = None;
    let mut left = frame.left() + 2.0;
    for (index, width) in widths.into_iter().enumerate() {
        let size = vec2(width, theme::CONTROL - 4.0);
        let rect = Rect::from_min_size(pos2(left, frame.top() + 2.0), size);
        left += width;
        if segment_ui(
            ui,
            rect,
            index,
            &segments[index],
            &lines[index],
            SEGMENT_PADDING,
            index == current,
        ) {
            pressed_index = Some(index);
        }
    }
    // A click on the chosen one is no change, and callers would make it an action.
    pressed_index.filter(|index| *index != current)
}

/// Adds the segments side by side without a frame, in as many rows as they need, and a muted note at the right of the last row. For a
/// note that is needed, there is a row more if it does not fit. Returns which one was clicked, also if it is already chosen.
pub fn filters(
    ui: &mut Ui,
    segments: &[Segment<'_>],
    current: Option<usize>,
    (note, is_needed): (&str, bool),
) -> Option<usize> {
    const ROW_HEIGHT: f32 = 24.0;
    const GAP: f32 = 2.0;
    let room = ui.available_width();
    let lines = lines(ui, segments, current);
    let widths = widths(segments, &lines, FILTER_PADDING);
    let (mut places, mut at) = (Vec::new(), vec2(0.0, 0.0));
    for width in &widths {
        if at.x > 0.0 && at.x + width > room {
            at = vec2(0.0, at.y + ROW_HEIGHT + GAP);
        }
        places.push(at);
        at.x += width + GAP;
    }
    let note_line = styled_text::line(ui, note, theme::regular(theme::ROW), tokens(ui).muted, room);
    // Beside the last row if there is room; a note that is not needed is left out.
    let fits = at.x + note_line.size().x <= room;
    if is_needed && !fits {
        at.y += ROW_HEIGHT + GAP;
    }
    let (frame, _) = ui.allocate_exact_size(vec2(room, at.y + ROW_HEIGHT), Sense::hover());
    let mut pressed_index = None;
    for (index, (place, width)) in places.iter().zip(widths).enumerate() {
        let rect = Rect::from_min_size(frame.min + *place, vec2(width, ROW_HEIGHT));
        let is_chosen = current == Some(index);
        if segment_ui(ui, rect, index, &segments[index], &lines[index], FILTER_PADDING, is_chosen) {
            pressed_index = Some(index);
        }
    }
    if !note.is_empty() && (is_needed || fits) {
        let right = pos2(frame.right(), frame.bottom() - ROW_HEIGHT / 2.0);
        styled_text::paint_line_right(ui.painter(), right, note_line);
        let response = ui.interact(frame, ui.scope_id().with("note"), Sense::hover());
        crate::describe(&response, Role::Label, note);
    }
    pressed_index
}

/// Lays out the texts of all segments.
fn lines(ui: &Ui, segments: &[Segment<'_>], current: Option<usize>) -> Vec<Arc<Galley>> {
    let tokens = tokens(ui);
    let line = |(index, segment): (usize, &Segment<'_>)| {
        let (font, color) = if current == Some(index) {
            (theme::medium(theme::ROW), tokens.text_strong)
        } else {
            (theme::regular(theme::ROW), tokens.muted)
        };
        let mut words = StyledText::new().with(segment.text, font, color);
        if let Some(number) = segment.count {
            let space = if segment.text.is_empty() { 0.0 } else { theme::ICON_GAP };
            words = words.after(space, number, theme::regular(theme::ROW), tokens.muted);
        }
        // Never cut: callers with little room use icons.
        words.galley(ui, f32::INFINITY)
    };
    segments.iter().enumerate().map(line).collect()
}

fn widths(segments: &[Segment<'_>], lines: &[Arc<Galley>], padding: f32) -> Vec<f32> {
    let width = |(segment, line): (&Segment<'_>, &Arc<Galley>)| {
        let text = line.size().x;
        let gap = if text > 0.0 { theme::ICON_GAP } else { 0.0 };
        (text + segment.icon.map_or(0.0, |_| theme::ICON + gap) + 2.0 * padding).ceil()
    };
    segments.iter().zip(lines).map(width).collect()
}

/// Draws one segment. Returns whether it was clicked.
fn segment_ui(
    ui: &Ui,
    rect: Rect,
    index: usize,
    segment: &Segment<'_>,
    line: &Arc<Galley>,
    padding: f32,
    is_chosen: bool,
) -> bool {
    let tokens = tokens(ui);
    // By index, not by text: counts in the text change, and the focus would be lost.
    let id = ui.auto_id_with(("segment", index));
    let response = ui.interact(rect, id, Sense::click());
    describe(ui, &response, segment, is_chosen);
    let radius = CornerRadius::same(theme::RADIUS_KEY);
    if is_chosen {
        ui.painter().rect_filled(rect, radius, tokens.selected);
    } else if response.hovered() {
        ui.painter().rect_filled(rect, radius, tokens.hover);
    }
    let mut x = rect.left() + padding;
    if let Some((icon, tone)) = segment.icon {
        let plain_color = if is_chosen { tokens.text_strong } else { tokens.muted };
        let color = tone.map_or(plain_color, |tone| tokens.tone(tone));
        let center = pos2(x + theme::ICON / 2.0, rect.center().y);
        styled_text::paint_icon(ui.painter(), center, icon, theme::ICON, color);
        x += theme::ICON + theme::ICON_GAP;
    }
    styled_text::paint_line(ui.painter(), pos2(x, rect.center().y), Arc::clone(line));
    if response.has_focus() {
        super::focus_ring_inside(ui, rect, theme::RADIUS_KEY);
    }
    response.clicked()
}

fn describe(ui: &Ui, response: &Response, segment: &Segment<'_>, is_chosen: bool) {
    let name = match (segment.name, segment.count) {
        (Some(name), _) => name.to_owned(),
        (None, Some(count)) => format!("{} {count}", segment.text),
        (None, None) => segment.text.to_owned(),
    };
    response
        .widget_info(|| WidgetInfo::selected(Role::RadioButton, ui.is_enabled(), is_chosen, &name));
    if segment.text.is_empty()
        && let Some(name) = segment.name
    {
        super::hint(response.clone(), name);
    }
}
