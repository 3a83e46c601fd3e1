//! Paints the start page.

use egui::{
    CornerRadius, Frame, Margin, Rect, RichText, ScrollArea, Sense, Shape, Stroke, Ui, pos2, vec2,
};

use super::data::{Recent, StartData};
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{
    self, Button, Line, List, Row, RowShape, StyledText, icon_button, link, paint_icon, paint_line,
    place, place_left, place_right,
};
use crate::workbench::{Action, Command};

const WIDTH: f32 = 760.0;
const RECENT: RowShape = RowShape {
    height: 36.0,
    lines: &[18.0],
    margins: (theme::PADDING, 46.0),
    hair: false,
    radius: 0,
};
/// From this width on, the buttons are beside the text of the drop zone, otherwise below it.
const BUTTONS_BESIDE: f32 = 640.0;

/// Draws the start page in the remaining space.
pub fn start_ui(ui: &mut Ui, data: &StartData, actions: &mut Vec<Action>) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let room = ui.available_rect_before_wrap();
        let width = WIDTH.min(room.width() - 2.0 * theme::PADDING);
        let left = (room.center().x - width / 2.0).round();
        // A little above the middle, but never above the edge.
        let top = room.top() + ((room.height() - 540.0) * 0.45).clamp(24.0, 200.0).round();
        let rect = Rect::from_min_size(pos2(left, top), vec2(width, room.height()));
        ui.scope_builder(egui::UiBuilder::new().max_rect(rect), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            title(ui);
            ui.add_space(24.0);
            drop_zone(ui, actions);
            ui.add_space(theme::PADDING);
            jobs(ui, actions);
            ui.add_space(theme::PADDING);
            if !data.recent.is_empty() {
                recent(ui, &data.recent, actions);
                ui.add_space(theme::PADDING);
            }
            if let Some(samples) = &data.samples
                && new_here(ui)
            {
                actions.push(Action::Open(vec![samples.clone()]));
            }
            ui.add_space(24.0);
        });
    });
}

fn title(ui: &mut Ui) {
    let tokens = tokens(ui);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 48.0), Sense::hover());
    let badge = Rect::from_min_size(pos2(rect.left(), rect.top() + 5.0), vec2(48.0, 36.0));
    let painter = ui.painter();
    painter.rect(
        badge,
        CornerRadius::same(theme::RADIUS_CARD),
        tokens.tint,
        Stroke::new(1.5, tokens.accent),
        egui::StrokeKind::Inside,
    );
    let stroke = Stroke::new(1.5, tokens.accent);
    let (left, right) = (
        badge.center() - vec2(8.0, 3.0),
        badge.center() + vec2(8.0, -3.0),
    );
    for center in [left, right] {
        painter.circle_stroke(center, 5.0, stroke);
        painter.circle_filled(center, 1.5, tokens.accent);
    }
    painter.hline(left.x..=right.x, left.y + 5.0, stroke);
    let foot = [
        pos2(badge.left() + 12.0, badge.bottom() - 1.0),
        pos2(badge.left() + 15.0, badge.bottom() - 6.0),
        pos2(badge.right() - 15.0, badge.bottom() - 6.0),
        pos2(badge.right() - 12.0, badge.bottom() - 1.0),
    ];
    painter.add(Shape::line(foot.to_vec(), stroke));

    let left = rect.left() + 64.0;
    let room = rect.right() - left;
    let heading = widgets::line(
        ui,
        "Nothing is open yet",
        theme::semibold(20.0),
        tokens.text_strong,
        room,
    );
    paint_line(ui.painter(), pos2(left, rect.top() + 14.0), heading);
    let promise = "Open a folder of recordings, sessions, tapes or seeds. Opening changes no file.";
    let promise = widgets::line(ui, promise, theme::regular(theme::BODY), tokens.muted, room);
    paint_line(ui.painter(), pos2(left, rect.top() + 38.0), promise);
}

fn drop_zone(ui: &mut Ui, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let width = ui.available_width();
    let beside = width >= BUTTONS_BESIDE;
    let height = if beside { 118.0 } else { 146.0 };
    let (rect, _) = ui.allocate_exact_size(vec2(width, height), Sense::hover());
    let dropping = ui.input(|input| !input.raw.hovered_files.is_empty());
    let (color, fill) = if dropping {
        (tokens.ring, tokens.tint)
    } else {
        (tokens.strong, tokens.desk)
    };
    ui.painter()
        .rect_filled(rect, CornerRadius::same(theme::RADIUS_PALETTE), fill);
    dashed_frame(
        ui,
        rect,
        f32::from(theme::RADIUS_PALETTE),
        Stroke::new(1.0, color),
    );

    let inner = rect.shrink2(vec2(25.0, 0.0));
    let text = if beside {
        let ((), right) = place_right(ui, inner, |ui| {
            ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
            open_files(ui, actions);
            open_folder(ui, actions);
        });
        Rect::from_min_max(
            pos2(inner.left(), rect.center().y - 30.0),
            pos2(right - theme::PADDING, rect.bottom()),
        )
    } else {
        let buttons = inner.with_min_y(rect.bottom() - 16.0 - theme::CONTROL_LARGE);
        place_left(ui, buttons.with_max_y(rect.bottom() - 16.0), |ui| {
            ui.spacing_mut().item_spacing.x = theme::SECTION_GAP;
            open_folder(ui, actions);
            open_files(ui, actions);
        });
        inner.with_min_y(rect.top() + 16.0)
    };
    place(ui, text, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        sentence(
            ui,
            "Drop a folder or files here",
            theme::semibold(theme::BODY),
            tokens.text_strong,
        );
        let what = "A project root, a recording set, a tape, a session, seeds or a report";
        sentence(ui, what, theme::regular(theme::BODY), tokens.muted);
    });
}

fn open_folder(ui: &mut Ui, actions: &mut Vec<Action>) {
    let folder = Button::primary("Open folder…")
        .icon(icons::FOLDER_OPEN)
        .command(Command::OpenFolder, Ok(()));
    if ui.add(folder.large().show_keys()).clicked() {
        actions.push(Action::Run(Command::OpenFolder));
    }
}

fn open_files(ui: &mut Ui, actions: &mut Vec<Action>) {
    let files = Button::secondary("Open files…")
        .icon(icons::FILE)
        .command(Command::OpenFiles, Ok(()));
    if ui.add(files.large()).clicked() {
        actions.push(Action::Run(Command::OpenFiles));
    }
}

/// Draws a dashed line around a rect. The corners are arcs of short straight segments.
fn dashed_frame(ui: &Ui, rect: Rect, radius: f32, stroke: Stroke) {
    let rect = rect.shrink(0.5);
    let corners = [
        (pos2(rect.right() - radius, rect.top() + radius), -90.0_f32),
        (pos2(rect.right() - radius, rect.bottom() - radius), 0.0),
        (pos2(rect.left() + radius, rect.bottom() - radius), 90.0),
        (pos2(rect.left() + radius, rect.top() + radius), 180.0),
    ];
    let mut path: Vec<_> = corners
        .iter()
        .flat_map(|(center, from)| {
            (0..=6).map(move |step| {
                let angle = (from + 15.0 * step as f32).to_radians();
                *center + radius * vec2(angle.cos(), angle.sin())
            })
        })
        .collect();
    path.extend(path.first().copied());
    ui.painter()
        .extend(Shape::dashed_line(&path, stroke, 4.0, 3.0));
}

struct StartJob {
    icon: &'static str,
    title: &'static str,
    text: &'static str,
    link: &'static str,
}

const JOBS: [StartJob; 2] = [
    StartJob {
        icon: icons::CLOCK_ALERT,
        title: "Find out why a test fails",
        text: "See which recordings are stale, what has changed in their source, and which no longer match.",
        link: "Open folder of the test…",
    },
    StartJob {
        icon: icons::TRIANGLE_ALERT,
        title: "Check a folder",
        text: "See every problem in the files, grouped by rule, with its location and its fix.",
        link: "Open folder to check…",
    },
];

fn jobs(ui: &mut Ui, actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    let gap = theme::SECTION_GAP;
    let width = (ui.available_width() - gap * (JOBS.len() - 1) as f32) / JOBS.len() as f32;
    // The text of a narrow card takes one more line.
    let height = if width < 320.0 { 170.0 } else { 148.0 };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    for (index, job) in JOBS.iter().enumerate() {
        let min = pos2(rect.left() + index as f32 * (width + gap), rect.top());
        let card = Rect::from_min_size(min, vec2(width, rect.height()));
        let radius = CornerRadius::same(theme::RADIUS_CARD);
        let stroke = Stroke::new(1.0, tokens.line);
        ui.painter()
            .rect(card, radius, tokens.panel, stroke, egui::StrokeKind::Inside);
        place(ui, card.shrink(theme::PADDING), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            let (icon, _) = ui.allocate_exact_size(vec2(20.0, 20.0), Sense::hover());
            paint_icon(
                ui.painter(),
                icon.center(),
                job.icon,
                theme::ICON_RAIL,
                tokens.accent,
            );
            ui.add_space(10.0);
            sentence(
                ui,
                job.title,
                theme::semibold(theme::BODY),
                tokens.text_strong,
            );
            ui.add_space(4.0);
            let text = RichText::new(job.text)
                .font(theme::regular(theme::ROW))
                .color(tokens.text);
            ui.label(text.line_height(Some(18.0)));
            ui.add_space(6.0);
            if link(ui, job.link).clicked() {
                actions.push(Action::Run(Command::OpenFolder));
            }
        });
    }
}

fn recent(ui: &mut Ui, recent: &[Recent], actions: &mut Vec<Action>) {
    let tokens = tokens(ui);
    framed(ui, Margin::symmetric(0, 8), |ui| {
        let (heading, _) = ui.allocate_exact_size(vec2(ui.available_width(), 28.0), Sense::hover());
        let text = widgets::line(
            ui,
            "Recent",
            theme::semibold(theme::BODY),
            tokens.text_strong,
            heading.width(),
        );
        paint_line(
            ui.painter(),
            heading.left_center() + vec2(theme::PADDING, 0.0),
            text,
        );
        List::new("Recent projects", &RECENT, recent.len()).show_inside(ui, |slot| {
            let (entry, rect) = (&recent[slot.index], slot.rect);
            let words = StyledText::new()
                .with(&entry.name, theme::medium(theme::ROW), tokens.text_strong)
                .after(
                    theme::GAP,
                    &entry.place,
                    theme::regular(theme::ROW),
                    tokens.muted,
                );
            let row = Row::new(format!("Open {} in {}", entry.name, entry.place))
                .line(Line::from(words).icon(icons::FOLDER, tokens.muted));
            let response = slot.show(row);
            let center = pos2(rect.right() - 24.0, rect.center().y);
            let forget = Rect::from_center_size(center, vec2(28.0, 28.0));
            let name = format!("Forget {}", entry.name);
            let forget = place(slot.ui, forget, |ui| icon_button(ui, icons::X, &name));
            if forget.clicked() {
                actions.push(Action::ForgetRecent(entry.path.clone()));
            } else if response.clicked() {
                actions.push(Action::Open(vec![entry.path.clone()]));
            }
        });
    });
}

fn new_here(ui: &mut Ui) -> bool {
    let tokens = tokens(ui);
    framed(ui, Margin::same(16), |ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 44.0), Sense::hover());
        let (pressed, right) = place_right(ui, rect, |ui| {
            let button = Button::secondary("Open the samples")
                .icon(icons::MAP)
                .large();
            ui.add(button).clicked()
        });
        let room = right - theme::PADDING - rect.left();
        let heading = widgets::line(
            ui,
            "New here?",
            theme::semibold(theme::BODY),
            tokens.text_strong,
            room,
        );
        paint_line(ui.painter(), pos2(rect.left(), rect.top() + 12.0), heading);
        let text = "A small sample project, with a stale source and a few problems to find.";
        let text = widgets::line(ui, text, theme::regular(theme::BODY), tokens.muted, room);
        paint_line(ui.painter(), pos2(rect.left(), rect.top() + 32.0), text);
        pressed
    })
}

fn framed<R>(ui: &mut Ui, margin: Margin, content: impl FnOnce(&mut Ui) -> R) -> R {
    let tokens = tokens(ui);
    Frame::new()
        .fill(tokens.panel)
        .stroke(Stroke::new(1.0, tokens.line))
        .corner_radius(CornerRadius::same(theme::RADIUS_CARD))
        .inner_margin(margin)
        .show(ui, content)
        .inner
}

fn sentence(ui: &mut Ui, text: &str, font: egui::FontId, color: egui::Color32) {
    ui.label(
        RichText::new(text)
            .font(font)
            .color(color)
            .line_height(Some(theme::TEXT_LINE)),
    );
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::workbench::Theme;

    #[test]
    fn a_folder_is_opened_by_button_from_the_recent_ones_or_from_the_samples() {
        let data = StartData {
            recent: vec![Recent::from_path("/home/ada/helpdesk-agents".as_ref())],
            samples: Some("/opt/samples".into()),
        };
        let paint = move |ui: &mut Ui, actions: &mut Vec<Action>| {
            theme::install(ui.ctx(), Theme::Light);
            start_ui(ui, &data, actions);
        };
        let builder = Harness::builder().with_size([900.0, 800.0]);
        let mut harness = builder.build_ui_state(paint, Vec::new());
        for name in [
            "Open folder…",
            "Open helpdesk-agents in /home/ada",
            "Forget helpdesk-agents",
            "Open the samples",
        ] {
            harness.get_by_label(name).click();
            harness.run();
        }
        let expected = [
            Action::Run(Command::OpenFolder),
            Action::Open(vec!["/home/ada/helpdesk-agents".into()]),
            Action::ForgetRecent("/home/ada/helpdesk-agents".into()),
            Action::Open(vec!["/opt/samples".into()]),
        ];
        assert_eq!(*harness.state(), expected);
    }
}
