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
const HEAD: f32 = 40.0;
/// The height of the bars, the slider and its dates.
const SLIDER: f32 = 106.0;
const BARS: f32 = 40.0;
/// The least room of a date.
const DATE: f32 = 84.0;

/// Draws the version that is shown, and the slider.
pub(super) fn versions_ui(
    ui: &mut Ui,
    map: &MachineMap,
    shown: usize,
    file_name: &str,
    actions: &mut Actions,
) {
    let colors = tokens(ui);
    let rect = ui.available_rect_before_wrap();
    ui.painter().rect_filled(rect, 0.0, colors.panel);
    widgets::hair_line(ui);
    let (head, rest) = rect.split_top_bottom_at_y(rect.top() + HEAD);
    let version = &map.versions[shown];
    let inner = head.shrink2(vec2(theme::PADDING, 0.0));
    let count = counted(map.versions.len(), "version", "versions");
    let note = StyledText::new()
        .with(&format!("{count} of "), theme::regular(theme::LABEL), colors.muted)
        .with(&visible(file_name), theme::mono(theme::LABEL), colors.text);
    let (_, right) = widgets::place_right(ui, inner, |ui| note.show(ui));
    widgets::place_left(ui, inner.with_max_x(right - theme::GAP), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let next = Some(shown + 1).filter(|next| *next < map.versions.len());
        let steps = [
            (Command::PreviousColumn, icons::CHEVRON_LEFT, "Version before", shown.checked_sub(1)),
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
        slider_ui(ui, map, shown, rest, actions);
    }
}

/// Returns the height for these versions.
pub(super) fn height(map: &MachineMap) -> f32 {
    if map.versions.len() > 1 { HEAD + SLIDER } else { HEAD }
}

fn slider_ui(ui: &mut Ui, map: &MachineMap, shown: usize, rect: Rect, actions: &mut Actions) {
    let colors = tokens(ui);
    let count = map.versions.len();
    let bars = Rect::from_min_size(
        // Half a date at each end, since dates are centered below their points.
        pos2(rect.left() + DATE / 2.0, rect.top() + 2.0),
        vec2(rect.width() - DATE, BARS),
    );
    let line_y = bars.bottom() + 14.0;
    let step = bars.width() / count.max(1) as f32;
    let x = |at: usize| bars.left() + step * at as f32;
    let slider = Rect::from_x_y_ranges(rect.x_range(), bars.top()..=line_y + 12.0);
    let response = ui.interact(slider, ui.scope_id().with("versions"), Sense::click_and_drag());
    response.widget_info(|| {
        let mut info = WidgetInfo::slider(true, shown as f64 + 1.0, "Version");
        info.current_text_value = Some(describe(&map.versions[shown], shown, count));
        info
    });
    if let Some(pointer) = response.interact_pointer_pos() {
        let at = (((pointer.x - bars.left()) / step).round().max(0.0) as usize).min(count - 1);
        if at != shown {
            actions.push(Action::from(MapAction::ShowVersion(at)));
        }
    }
    if response.has_focus() {
        widgets::focus_ring_inside(ui, slider.shrink(1.0), theme::RADIUS_CONTROL);
    }
    let painter = ui.painter().clone();
    // A version applies until the next one, and the last one until now, the right end.
    let parts = |at: usize, version: &MapVersion| {
        let area = Rect::from_x_y_ranges(x(at)..=x(at + 1), bars.y_range());
        // A version may be older than all recordings.
        let all = (version.matches + version.breaks).max(1) as f32;
        let split = area.top() + area.height() * version.breaks as f32 / all;
        let (broken, whole) = area.split_top_bottom_at_y(split);
        (split, broken, whole)
    };
    for (at, version) in map.versions.iter().enumerate() {
        let (split, broken, whole) = parts(at, version);
        if version.breaks > 0 {
            painter.rect_filled(broken, 0.0, colors.warning_tint);
        }
        if version.matches > 0 {
            painter.rect_filled(whole, 0.0, colors.good_tint);
            painter.hline(whole.x_range(), split, Stroke::new(2.0, colors.good));
        }
    }
    // In a second pass, so that no area covers a number.
    for (at, version) in map.versions.iter().enumerate() {
        let is_new = at == 0 || {
            let before = &map.versions[at - 1];
            (before.matches, before.breaks) != (version.matches, version.breaks)
        };
        // The number is written where it changes, if there is room until it changes again.
        let rest = map.versions[at..].iter();
        let same = rest
            .take_while(|it| (it.matches, it.breaks) == (version.matches, version.breaks))
            .count();
        let until = x(at + same);
        if is_new && until - x(at) > 70.0 {
            let (_, broken, whole) = parts(at, version);
            let (text, color, part) = match version.breaks {
                0 => {
                    let text = counted(version.matches, "recording matches", "recordings match");
                    (text, colors.good, whole)
                }
                breaks => {
                    let part = if broken.height() >= 14.0 { broken } else { whole };
                    (counted(breaks, "recording breaks", "recordings break"), colors.warning, part)
                }
            };
            let middle = pos2(f32::midpoint(x(at), until), part.center().y);
            let line = widgets::line(ui, &text, theme::regular(theme::SMALL), color, until - x(at));
            painter.galley(middle - line.size() / 2.0, line, Color32::PLACEHOLDER);
        }
    }
    painter.hline(bars.x_range(), line_y, Stroke::new(4.0, colors.line));
    painter.hline(bars.left()..=x(shown), line_y, Stroke::new(4.0, colors.accent));
    let mut free = f32::NEG_INFINITY;
    for (at, version) in map.versions.iter().enumerate() {
        let center = pos2(x(at), line_y);
        let breaks = !version.broke.is_empty();
        if breaks {
            painter.vline(center.x, bars.top()..=line_y, Stroke::new(3.0, colors.warning));
        }
        let tone = match (breaks, at <= shown) {
            (true, _) => colors.warning,
            (false, true) => colors.accent,
            (false, false) => colors.strong,
        };
        if at == shown {
            painter.circle(center, 8.0, colors.text_strong, Stroke::new(1.0, colors.desk));
            painter.circle_filled(center, 3.0, tone);
        } else {
            painter.circle(center, 4.5, colors.panel, Stroke::new(1.5, tone));
        }
        let is_last = at + 1 == count;
        let has_room =
            center.x - free >= DATE / 2.0 && (is_last || x(count - 1) - center.x >= DATE);
        if at == shown || is_last || has_room {
            // The dates of the shown, the first and the last version come before those between them.
            let is_kept = at == shown || at == 0 || is_last || (center.x - x(shown)).abs() >= DATE;
            if is_kept {
                let text = date(version, is_last);
                let (font, color) = if at == shown {
                    (theme::semibold(theme::SMALL), colors.text_strong)
                } else {
                    (theme::regular(theme::SMALL), colors.muted)
                };
                painter.text(center + vec2(0.0, 13.0), Align2::CENTER_TOP, text, font, color);
                free = center.x + DATE / 2.0;
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
fn describe(version: &MapVersion, at: usize, count: usize) -> String {
    let subject = version.commit.as_ref().map_or("not committed", |commit| &commit.subject);
    format!(
        "{} of {count}, {}, {}, {}",
        at + 1,
        visible(subject),
        counted(version.matches, "recording matches", "recordings match"),
        counted(version.breaks, "breaks", "break")
    )
}
