//! The slider over the commits that changed a machine, and how many recordings matched in each.

use egui::{Align2, Color32, Rect, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use document::text::{counted, visible};
use machine::{MachineMap, MapVersion};
use widgets::StyledText;
use widgets::dates;
use widgets::icons;
use widgets::theme::{self, Tone, tokens};
use workbench::{Action, Actions, Command, MapAction};

/// The height of the heading.
const HEAD_HEIGHT: f32 = 40.0;
/// The height of the bars, the slider and its dates.
const SLIDER_HEIGHT: f32 = 106.0;
const BARS_HEIGHT: f32 = 40.0;
/// The least room of a date.
const DATE_WIDTH: f32 = 84.0;

/// Draws the version that is shown, and the slider.
pub(super) fn versions_ui(
    ui: &mut Ui,
    map: &MachineMap,
    index: usize,
    file_name: &str,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let rect = ui.available_rect_before_wrap();
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    widgets::hair_line(ui);
    let (head, rest) = rect.split_top_bottom_at_y(rect.top() + HEAD_HEIGHT);
    let version = &map.versions[index];
    let inner = head.shrink2(vec2(theme::PADDING, 0.0));
    let count = counted(map.versions.len(), "version", "versions");
    let note = StyledText::new()
        .with(&format!("{count} of "), theme::regular(theme::LABEL), colors.muted)
        .with(&visible(file_name), theme::mono(theme::LABEL), colors.text);
    let (_, right) = widgets::place_right(ui, inner, |ui| note.show(ui));
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let next = Some(index + 1).filter(|next| *next < map.versions.len());
        let steps = [
            (Command::PreviousColumn, icons::CHEVRON_LEFT, "Version before", index.checked_sub(1)),
            (Command::NextColumn, icons::CHEVRON_RIGHT, "Version after", next),
        ];
        for (command, icon, name, to) in steps {
            let reason = to.is_none().then_some("there is none");
            let button = widgets::Button::icon_only(icon, name);
            let response = ui.add(button.keys_of(command).disabled(reason));
            if let (true, Some(to)) = (response.clicked(), to) {
                actions.push(Action::from(MapAction::ShowVersion(to)));
            }
        }
        let subject = match &version.commit {
            Some(commit) => {
                let (id, font) = (commit.id.short(), theme::mono(theme::LABEL));
                StyledText::new().with(id, font, colors.accent).show(ui);
                visible(&commit.subject).into_owned()
            }
            None => "Not committed".to_owned(),
        };
        let font = theme::semibold(theme::BODY);
        let room = ui.available_width() - 150.0;
        StyledText::new().with(&subject, font, colors.text_strong).show_middle(ui, room.max(80.0));
        if !version.broke.is_empty() {
            let text = format!("{} here", counted(version.broke.len(), "breaks", "break"));
            widgets::tag(ui, icons::CLOCK_ALERT, &text, Tone::Warning);
        }
    });
    if map.versions.len() > 1 {
        slider_ui(ui, map, index, rest, actions);
    }
}

/// Returns the height for these versions.
pub(super) fn height(map: &MachineMap) -> f32 {
    if map.versions.len() > 1 { HEAD_HEIGHT + SLIDER_HEIGHT } else { HEAD_HEIGHT }
}

fn slider_ui(ui: &mut Ui, map: &MachineMap, index: usize, rect: Rect, actions: &mut Actions) {
    let colors = tokens(ui);
    let count = map.versions.len();
    let bars = Rect::from_min_size(
        // Half a date at each end, since dates are centered below their points.
        pos2(rect.left() + DATE_WIDTH / 2.0, rect.top() + 2.0),
        vec2(rect.width() - DATE_WIDTH, BARS_HEIGHT),
    );
    let line_y = bars.bottom() + 14.0;
    let step = bars.width() / count.max(1) as f32;
    let x = |position: usize| bars.left() + step * position as f32;
    let slider = Rect::from_x_y_ranges(rect.x_range(), bars.top()..=line_y + 12.0);
    let response = ui.interact(slider, ui.scope_id().with("versions"), Sense::click_and_drag());
    response.widget_info(|| {
        let mut info = WidgetInfo::slider(true, index as f64 + 1.0, "Version");
        info.current_text_value = Some(describe(&map.versions[index], index, count));
        info
    });
    if let Some(pointer) = response.interact_pointer_pos() {
        let position =
            (((pointer.x - bars.left()) / step).round().max(0.0) as usize).min(count - 1);
        if position != index {
            actions.push(Action::from(MapAction::ShowVersion(position)));
        }
    }
    if response.has_focus() {
        widgets::focus_ring_inside(ui, slider.shrink(1.0), theme::RADIUS_CONTROL);
    }
    let painter = ui.painter().clone();
    // A version applies until the next one, and the last one until now, the right end.
    let parts = |position: usize, version: &MapVersion| {
        let area = Rect::from_x_y_ranges(x(position)..=x(position + 1), bars.y_range());
        // A version may be older than all recordings.
        let total = (version.matches + version.breaks).max(1) as f32;
        let split = area.top() + area.height() * version.breaks as f32 / total;
        let (break_area, match_area) = area.split_top_bottom_at_y(split);
        (split, break_area, match_area)
    };
    for (position, version) in map.versions.iter().enumerate() {
        let (split, break_area, match_area) = parts(position, version);
        if version.breaks > 0 {
            painter.rect_filled(break_area, 0.0, colors.warning_tint);
        }
        if version.matches > 0 {
            painter.rect_filled(match_area, 0.0, colors.good_tint);
            painter.hline(match_area.x_range(), split, Stroke::new(2.0, colors.good));
        }
    }
    // In a second pass, so that no area covers a number.
    for (position, version) in map.versions.iter().enumerate() {
        let is_new = position == 0 || {
            let previous = &map.versions[position - 1];
            (previous.matches, previous.breaks) != (version.matches, version.breaks)
        };
        // The number is written where it changes, if there is room until it changes again.
        let rest = map.versions[position..].iter();
        let same_count =
            rest.take_while(|v| (v.matches, v.breaks) == (version.matches, version.breaks)).count();
        let end_x = x(position + same_count);
        if is_new && end_x - x(position) > 70.0 {
            let (_, break_area, match_area) = parts(position, version);
            let (text, color, part) = match version.breaks {
                0 => {
                    let text = counted(version.matches, "recording matches", "recordings match");
                    (text, colors.good, match_area)
                }
                breaks => {
                    let part = if break_area.height() >= 14.0 { break_area } else { match_area };
                    (counted(breaks, "recording breaks", "recordings break"), colors.warning, part)
                }
            };
            let middle = pos2(f32::midpoint(x(position), end_x), part.center().y);
            let line =
                widgets::line(ui, &text, theme::regular(theme::SMALL), color, end_x - x(position));
            painter.galley(middle - line.size() / 2.0, line, Color32::PLACEHOLDER);
        }
    }
    painter.hline(bars.x_range(), line_y, Stroke::new(4.0, colors.line));
    painter.hline(bars.left()..=x(index), line_y, Stroke::new(4.0, colors.accent));
    let mut free_x = f32::NEG_INFINITY;
    for (position, version) in map.versions.iter().enumerate() {
        let center = pos2(x(position), line_y);
        let breaks = !version.broke.is_empty();
        if breaks {
            painter.vline(center.x, bars.top()..=line_y, Stroke::new(3.0, colors.warning));
        }
        let tone = match (breaks, position <= index) {
            (true, _) => colors.warning,
            (false, true) => colors.accent,
            (false, false) => colors.strong,
        };
        if position == index {
            painter.circle(center, 8.0, colors.text_strong, Stroke::new(1.0, colors.desk));
            painter.circle_filled(center, 3.0, tone);
        } else {
            painter.circle(center, 4.5, colors.panel, Stroke::new(1.5, tone));
        }
        let is_last = position + 1 == count;
        let has_room = center.x - free_x >= DATE_WIDTH / 2.0
            && (is_last || x(count - 1) - center.x >= DATE_WIDTH);
        if position == index || is_last || has_room {
            // The dates of the shown, the first and the last version come before those between them.
            let is_kept = position == index
                || position == 0
                || is_last
                || (center.x - x(index)).abs() >= DATE_WIDTH;
            if is_kept {
                let text = date(version, is_last);
                let (font, color) = if position == index {
                    (theme::semibold(theme::SMALL), colors.text_strong)
                } else {
                    (theme::regular(theme::SMALL), colors.muted)
                };
                painter.text(center + vec2(0.0, 13.0), Align2::CENTER_TOP, text, font, color);
                free_x = center.x + DATE_WIDTH / 2.0;
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
        counted(version.matches, "recording matches", "recordings match"),
        counted(version.breaks, "breaks", "break")
    )
}
