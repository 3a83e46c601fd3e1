//! Paints the slider over the commits that changed a machine, and how many recordings matched in each.

use egui::{Align2, Color32, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use document::text::{counted, visible};
use machine::{MachineMap, MapVersion};
use widgets::dates;
use widgets::theme::{self, tokens};
use workbench::{Action, Actions, SourceAction};

/// The height of the band, the slider and its dates.
pub(super) const SLIDER_HEIGHT: f32 = 96.0;
const BAND_HEIGHT: f32 = 32.0;
/// The least room of a date.
const DATE_WIDTH: f32 = 84.0;
/// The least room of a number in the band.
const NUMBER_WIDTH: f32 = 56.0;

/// Draws the slider. A stop is the start of a span, in which its version applies; the last one applies now.
pub(super) fn versions_ui(ui: &mut Ui, map: &MachineMap, index: usize, actions: &mut Actions) {
    let colors = tokens(ui);
    let rect = ui.available_rect_before_wrap();
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    widgets::hair_line(ui);
    let band = Rect::from_min_size(
        rect.left_top() + vec2(theme::PADDING, theme::SECTION_GAP),
        vec2(rect.width() - 2.0 * theme::PADDING, BAND_HEIGHT),
    );
    let spans = Spans { band, step: band.width() / map.versions.len().max(1) as f32 };
    track_ui(ui, map, (index, &spans), actions);
    spans.band_ui(ui, map);
    spans.stops_ui(ui, map, index);
}

fn track_ui(ui: &mut Ui, map: &MachineMap, (index, spans): (usize, &Spans), actions: &mut Actions) {
    let count = map.versions.len();
    let slider = spans.band.with_max_y(spans.line() + 12.0).expand2(vec2(8.0, 4.0));
    let response = ui.interact(slider, ui.scope_id().with("versions"), Sense::click_and_drag());
    response.widget_info(|| {
        let mut info = WidgetInfo::slider(true, index as f64 + 1.0, "Version");
        info.current_text_value = Some(describe(&map.versions[index], index, count));
        info
    });
    if let Some(pointer) = response.interact_pointer_pos() {
        let span = ((pointer.x - spans.band.left()) / spans.step).max(0.0) as usize;
        let position = span.min(count - 1);
        if position != index {
            actions.push(Action::from(SourceAction::ShowVersion(position)));
        }
    }
    if response.has_focus() {
        widgets::focus_ring_inside(ui, slider, theme::RADIUS_CONTROL);
    }
}

/// The places of the versions.
struct Spans {
    band: Rect,
    step: f32,
}

impl Spans {
    fn x(&self, position: usize) -> f32 {
        self.band.left() + self.step * position as f32
    }

    fn line(&self) -> f32 {
        self.band.bottom() + 14.0
    }

    /// Returns the parts of a span: of recordings that break, and of those that match.
    fn parts(&self, position: usize, version: &MapVersion) -> (Rect, Rect) {
        let x = self.x(position)..=self.x(position + 1);
        let area = Rect::from_x_y_ranges(x, self.band.y_range());
        // A version may be older than all recordings.
        let total = (version.matches + version.breaks).max(1) as f32;
        area.split_top_bottom_at_y(area.top() + area.height() * version.breaks as f32 / total)
    }

    /// Paints how many recordings match and break, and a tick where some broke.
    fn band_ui(&self, ui: &Ui, map: &MachineMap) {
        let (colors, painter) = (tokens(ui), ui.painter());
        for (position, version) in map.versions.iter().enumerate() {
            let (breaks, matches) = self.parts(position, version);
            painter.rect_filled(breaks, 0.0, colors.warning_tint);
            if version.matches > 0 {
                painter.rect_filled(matches, 0.0, colors.good_tint);
                let stroke = Stroke::new(2.0, colors.good);
                painter.hline(matches.x_range(), matches.top() + 1.0, stroke);
            }
        }
        // In a second pass, so that no area covers a number.
        let counts = |version: &MapVersion| (version.matches, version.breaks);
        let mut position = 0;
        for run in map.versions.chunk_by(|a, b| counts(a) == counts(b)) {
            let (breaks, matches) = self.parts(position, &run[0]);
            if !run[0].broke.is_empty() {
                let stroke = Stroke::new(3.0, colors.warning);
                painter.vline(breaks.left(), self.band.top()..=self.line(), stroke);
            }
            let (text, color, part) = match counts(&run[0]) {
                (0, 0) => (String::new(), colors.muted, matches),
                (count, 0) => (counted(count, "matches", "match"), colors.good, matches),
                (_, count) => {
                    let part = if breaks.height() >= 14.0 { breaks } else { matches };
                    (counted(count, "breaks", "break"), colors.warning, part)
                }
            };
            let width = self.step * run.len() as f32;
            if width >= NUMBER_WIDTH {
                let font = theme::regular(theme::SMALL);
                let line = widgets::line(ui, &text, font, color, width - theme::SECTION_GAP);
                let left =
                    pos2(part.left() + theme::SECTION_GAP, part.center().y - line.size().y / 2.0);
                painter.galley(left, line, Color32::PLACEHOLDER);
            }
            position += run.len();
        }
    }

    /// Paints the stops with their dates.
    fn stops_ui(&self, ui: &Ui, map: &MachineMap, index: usize) {
        let (colors, painter) = (tokens(ui), ui.painter());
        let (y, count) = (self.line(), map.versions.len());
        painter.hline(self.band.x_range(), y, Stroke::new(4.0, colors.line));
        painter.hline(self.x(0)..=self.x(index + 1), y, Stroke::new(4.0, colors.accent));
        let mut free_x = f32::NEG_INFINITY;
        for (position, version) in map.versions.iter().enumerate() {
            let center = pos2(self.x(position).max(self.band.left() + 6.0), y);
            let tone = match (version.broke.is_empty(), position <= index) {
                (false, _) => colors.warning,
                (true, true) => colors.accent,
                (true, false) => colors.strong,
            };
            if position == index {
                painter.circle(center, 8.0, colors.text_strong, Stroke::new(1.0, colors.desk));
            } else {
                painter.circle(center, 4.5, colors.panel, Stroke::new(1.5, tone));
            }
            // The dates of the first, the shown and the last version come before those between them.
            let is_kept = |other: usize| (center.x - self.x(other)).abs() >= DATE_WIDTH;
            let is_needed = [0, index, count - 1].contains(&position);
            let has_room = center.x >= free_x && is_kept(index) && is_kept(count - 1);
            if is_needed || has_room {
                let (font, color) = if position == index {
                    (theme::semibold(theme::SMALL), colors.text_strong)
                } else {
                    (theme::regular(theme::SMALL), colors.muted)
                };
                let place = center + vec2(-6.0, 12.0);
                painter.text(
                    place,
                    Align2::LEFT_TOP,
                    date(version, position + 1 == count),
                    font,
                    color,
                );
                free_x = center.x + DATE_WIDTH;
            }
        }
    }
}

fn date(version: &MapVersion, is_last: bool) -> String {
    match &version.commit {
        Some(commit) if !is_last => dates::day_of_seconds(commit.id.seconds),
        // The last version applies now, whenever it was committed.
        _ => "Now".to_owned(),
    }
}

/// Describes a version for screen readers.
fn describe(version: &MapVersion, index: usize, count: usize) -> String {
    let subject = version.commit.as_ref().map_or("not committed", |commit| &commit.subject);
    format!(
        "{} of {count}, {}, {}, {}",
        index + 1,
        visible(subject),
        counted(version.matches, "matches", "match"),
        counted(version.breaks, "breaks", "break")
    )
}
