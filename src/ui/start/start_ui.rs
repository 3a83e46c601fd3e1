//! Paints the start page.

use egui::{Margin, Rect, ScrollArea, Sense, Ui, pos2, vec2};

use super::start_data::{Recent, StartData};
use protocol::SampleStop;
use widgets::theme::{self, TextRole, tokens};
use widgets::{
    Button, Illustration, Line, List, Row, RowShape, StyledText, hair_line, icon_button, icon_link,
    icons, key_caps, keymap, link, on_click, paint_job_card, paint_mark, paint_step, place,
    place_left, place_right,
};
use workbench::{Action, Actions, Command};

const PAGE_WIDTH: f32 = 880.0;
/// The space between cards.
const CARD_GAP: f32 = 20.0;
/// From this width on, the jobs have illustrations and show their keys.
const ILLUSTRATIONS_MIN_WIDTH: f32 = 844.0;
/// From this width on, the jobs are beside each other, otherwise below each other.
const JOB_COLUMNS_MIN_WIDTH: f32 = 700.0;
/// The height of the whole page at its full width, without recent folders.
const PAGE_HEIGHT: f32 = 660.0;
/// Height that the drop zone loses where there is little room.
const OPEN_HEIGHT_LOSS: f32 = 40.0;
const ILLUSTRATION_HEIGHT: f32 = 124.0;
/// The height of a job with its illustration.
const ILLUSTRATED_JOB_HEIGHT: f32 = ILLUSTRATION_HEIGHT + 121.0;
const RECENT_HEADING_HEIGHT: f32 = 38.0;
/// The height of the drop zone with the path field.
const OPEN_HEIGHT: f32 = 188.0;
/// Height that they gain beside many recent folders.
const OPEN_HEIGHT_GAIN: f32 = 12.0;
const RECENT_ROW: RowShape = RowShape {
    height: 40.0,
    lines: &[20.0],
    margins: (theme::PADDING, 46.0),
    ..RowShape::TWO_LINES
};
/// The widest name of a recent folder after which the paths are aligned.
const MAX_NAME_WIDTH: f32 = 240.0;

/// Draws the start page in the remaining space.
pub fn start_ui(ui: &mut Ui, data: &StartData, actions: &mut Actions) {
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let room = ui.available_rect_before_wrap();
        let width = PAGE_WIDTH.min(room.width() - 2.0 * theme::PADDING);
        let left = (room.center().x - width / 2.0).round();
        // A little above the middle, but never above the edge.
        let top = ((room.height() - PAGE_HEIGHT) * 0.45).clamp(16.0, 200.0).round();
        let rect = Rect::from_min_size(pos2(left, room.top() + top), vec2(width, room.height()));
        ui.scope_builder(egui::UiBuilder::new().max_rect(rect), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            title(ui);
            ui.add_space(24.0);
            let height = bottom_height(width, room.height(), data.recent.len());
            // Title, the cards of the samples, and the spaces between: all but jobs and drop zone.
            let rest_height = 48.0 + 24.0 + CARD_GAP + 107.0 + CARD_GAP + 24.0;
            let has_room = top + rest_height + ILLUSTRATED_JOB_HEIGHT + height <= room.height();
            // The drawings are the first to go: the page should fit without scrolling.
            jobs(ui, width >= ILLUSTRATIONS_MIN_WIDTH && has_room, actions);
            ui.add_space(CARD_GAP);
            new_here(ui, data.has_focus, actions);
            ui.add_space(CARD_GAP);
            bottom(ui, room.height(), &data.recent, actions);
            ui.add_space(24.0);
        });
    });
}

fn title(ui: &mut Ui) {
    let tokens = tokens(ui);
    let (rect, _) = widgets::allocate_row(ui, 48.0, Sense::hover());
    paint_mark(ui, rect.left_top() + vec2(0.0, 5.0));
    let text = rect.with_min_x(rect.left() + 64.0);
    place(ui, text, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        let title = theme::text("Retake", theme::semibold(20.0), tokens.text_strong);
        ui.label(title.line_height(Some(28.0)));
        let words = "Browse recordings of LLM agents, see why a replay fails, and fix the files.";
        sentence(ui, words, tokens.body());
    });
}

/// The left edges and the width of three columns.
fn columns(rect: Rect) -> ([f32; 3], f32) {
    let width = (rect.width() - 2.0 * CARD_GAP) / 3.0;
    let left = |column: f32| (rect.left() + column * (width + CARD_GAP)).round();
    ([left(0.0), left(1.0), left(2.0)], width.floor())
}

/// Opens the project with pytest and vcrpy, of which the three stops are no part.
const FAILED_TEST_LINK: &str = "Or see why a pytest run is red";

struct StartJob {
    illustration: Illustration,
    title: &'static str,
    text: &'static str,
    icon: &'static str,
    link: &'static str,
    command: Command,
    /// Place in the samples that shows this job.
    stop: (SampleStop, &'static str),
}

const JOBS: [StartJob; 3] = [
    StartJob {
        illustration: Illustration::Signatures,
        title: "A test fails",
        text: "See which recording was served, why, and what has changed since.",
        icon: icons::CLIPBOARD_PASTE,
        link: "Paste failure log…",
        command: Command::ReadLog,
        stop: (SampleStop::Sources, "See why 3 recordings break"),
    },
    StartJob {
        illustration: Illustration::Report,
        title: "An incident happened",
        text: "Turn a report, a trace or a log into a session that a test can run.",
        icon: icons::DOWNLOAD,
        link: "Import incident…",
        command: Command::ImportIncident,
        stop: (SampleStop::Import, "Make 2 sessions of a report"),
    },
    StartJob {
        illustration: Illustration::Groups,
        title: "Files were re-recorded",
        text: "Review hundreds of changes as a few groups. Decide once for each.",
        icon: icons::GIT_COMPARE,
        link: "Review changes…",
        command: Command::GoReview,
        stop: (SampleStop::Review, "Review 3 re-recorded calls"),
    },
];

/// Draws the jobs, with illustrations if there is room for them.
fn jobs(ui: &mut Ui, is_illustrated: bool, actions: &mut Actions) {
    let has_columns = ui.available_width() >= JOB_COLUMNS_MIN_WIDTH;
    let height = match (has_columns, is_illustrated) {
        (true, true) => ILLUSTRATED_JOB_HEIGHT,
        (true, false) => 120.0,
        (false, _) => 100.0,
    };
    if has_columns {
        let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
        let (lefts, width) = columns(rect);
        for (job, left) in JOBS.iter().zip(lefts) {
            let card = Rect::from_min_size(pos2(left, rect.top()), vec2(width, height));
            job_card(ui, job, card, is_illustrated, actions);
        }
        return;
    }
    for (index, job) in JOBS.iter().enumerate() {
        ui.add_space(if index == 0 { 0.0 } else { theme::SECTION_GAP });
        let (card, _) = widgets::allocate_row(ui, height, Sense::hover());
        job_card(ui, job, card, false, actions);
    }
}

fn job_card(ui: &mut Ui, job: &StartJob, card: Rect, is_illustrated: bool, actions: &mut Actions) {
    let tokens = tokens(ui);
    let picture = is_illustrated.then_some((job.illustration, ILLUSTRATION_HEIGHT));
    let text = paint_job_card(ui, card, picture);
    let text = text.with_min_y(text.top() + if is_illustrated { 14.0 } else { 10.0 });
    place(ui, text, |ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        sentence(ui, job.title, tokens.heading());
        ui.add_space(3.0);
        sentence(ui, job.text, tokens.body());
    });
    let foot = text.with_min_y(card.bottom() - 36.0).with_max_y(card.bottom() - 8.0);
    place_left(ui, foot, |ui| {
        let link = icon_link(ui, job.icon, job.link);
        on_click(&link.on_hover_text("Opens a folder first"), Action::Run(job.command), actions);
    });
    if is_illustrated {
        let mut caps = keymap::caps(ui, job.command);
        // A log is pasted on any page, without a command.
        if caps.is_empty() {
            caps = vec!["Ctrl".to_owned(), "V".to_owned()];
        }
        place_right(ui, foot, |ui| key_caps(ui, &caps));
    }
}

fn new_here(ui: &mut Ui, has_focus: bool, actions: &mut Actions) {
    let tokens = tokens(ui);
    widgets::card_with(ui, tokens.panel, Margin::ZERO, |ui| {
        let (rect, _) = widgets::allocate_row(ui, 64.0, Sense::hover());
        let inner = rect.shrink2(vec2(theme::PADDING, 0.0));
        let (button, right) = place_right(ui, inner, |ui| {
            let button = Button::primary("Open the samples")
                .icon(icons::MAP)
                .command(Command::OpenSamples, Ok(()));
            ui.add(button.large())
        });
        // Enter opens the samples unless something else was chosen.
        if has_focus && ui.memory(|memory| memory.focused().is_none()) {
            button.request_focus();
        }
        on_click(&button, Action::Run(Command::OpenSamples), actions);
        let rest = inner.with_max_x(right - theme::PADDING);
        let (failed_test, right) = place_right(ui, rest, |ui| link(ui, FAILED_TEST_LINK));
        on_click(&failed_test, Action::OpenSamples(SampleStop::FailedTest), actions);
        place(ui, rest.with_max_x(right - theme::PADDING).shrink2(vec2(0.0, 12.0)), |ui| {
            ui.spacing_mut().item_spacing.y = 0.0;
            sentence(ui, "New here?", tokens.heading());
            let words =
                "A small help desk project with its history. Three stops, about two minutes.";
            sentence(ui, words, tokens.muted_body());
        });
        hair_line(ui);
        stops(ui, actions);
    });
}

/// The three places in the samples, each below its job.
fn stops(ui: &mut Ui, actions: &mut Actions) {
    let has_columns = ui.available_width() >= JOB_COLUMNS_MIN_WIDTH;
    let height = if has_columns { 42.0 } else { 3.0 * 32.0 + 8.0 };
    let (rect, _) = widgets::allocate_row(ui, height, Sense::hover());
    let (lefts, width) = columns(rect);
    for (index, job) in JOBS.iter().enumerate() {
        let row = if has_columns {
            Rect::from_min_size(pos2(lefts[index], rect.top()), vec2(width, height))
        } else {
            let top = rect.top() + 4.0 + 32.0 * index as f32;
            Rect::from_min_size(pos2(rect.left(), top), vec2(rect.width(), 32.0))
        };
        stop(ui, index + 1, job, row, actions);
    }
}

fn stop(ui: &mut Ui, number: usize, job: &StartJob, row: Rect, actions: &mut Actions) {
    let center = pos2(row.left() + theme::PADDING + 10.0, row.center().y);
    paint_step(ui, center, number);
    place_left(ui, row.with_min_x(center.x + 18.0), |ui| {
        on_click(&link(ui, job.stop.1), Action::OpenSamples(job.stop.0), actions);
    });
}

/// The height of the drop zone with the path field.
fn open_height(width: f32, room: f32) -> f32 {
    let is_small = width < ILLUSTRATIONS_MIN_WIDTH || room < PAGE_HEIGHT + OPEN_HEIGHT_LOSS;
    OPEN_HEIGHT - if is_small { OPEN_HEIGHT_LOSS } else { 0.0 }
}

/// The height of what is below the samples, if recent folders are beside the drop zone.
fn bottom_height(width: f32, room: f32, recent: usize) -> f32 {
    let list = if recent > 0 { recent_height(recent) } else { 0.0 };
    list.max(open_height(width, room))
}

fn recent_height(count: usize) -> f32 {
    RECENT_HEADING_HEIGHT + RECENT_ROW.height * count as f32 + 2.0
}

/// Recent folders beside the drop zone and the path field; without recent ones these have the full width.
fn bottom(ui: &mut Ui, room: f32, entries: &[Recent], actions: &mut Actions) {
    let list = recent_height(entries.len());
    let open_height = open_height(ui.available_width(), room);
    if entries.is_empty() || ui.available_width() < JOB_COLUMNS_MIN_WIDTH {
        if !entries.is_empty() {
            let (rect, _) = widgets::allocate_row(ui, list, Sense::hover());
            place(ui, rect, |ui| recent(ui, entries, actions));
            ui.add_space(CARD_GAP);
        }
        let (rect, _) = widgets::allocate_row(ui, open_height, Sense::hover());
        return open(ui, rect, actions);
    }
    let (rect, _) = widgets::allocate_row(ui, list.max(open_height), Sense::hover());
    let (lefts, _) = columns(rect);
    let list_rect = rect.with_max_x(lefts[2] - CARD_GAP).with_max_y(rect.top() + list);
    place(ui, list_rect, |ui| recent(ui, entries, actions));
    let height = rect.height().min(open_height + OPEN_HEIGHT_GAIN);
    open(ui, rect.with_min_x(lefts[2]).with_max_y(rect.top() + height), actions);
}

/// The drop zone above the path field.
fn open(ui: &mut Ui, rect: Rect, actions: &mut Actions) {
    let foot = rect.bottom() - theme::CONTROL;
    drop_zone(ui, rect.with_max_y(foot - theme::SECTION_GAP), actions);
    place(ui, rect.with_min_y(foot), |ui| path_ui(ui, actions));
}

/// A button with the look of the field for a path, which it shows.
fn path_ui(ui: &mut Ui, actions: &mut Actions) {
    const LABEL: &str = "Type or paste a path";
    let field = (ui.available_width(), tokens(ui).input);
    let words = (icons::FOLDER, LABEL, LABEL);
    widgets::command_field(ui, field, words, (Command::GoPath, true), actions);
}

fn drop_zone(ui: &mut Ui, rect: Rect, actions: &mut Actions) {
    let tokens = tokens(ui);
    let is_dropping = ui.input(|input| !input.raw.hovered_files.is_empty());
    let (border, fill) =
        if is_dropping { (tokens.ring, tokens.tint) } else { (tokens.strong, tokens.desk) };
    widgets::paint_dashed_card(ui, rect, fill, border);
    // In the middle of what is seen: the icon has room above it in its own box.
    let center = rect.center() - vec2(0.0, 3.0);
    let row = |y: f32| Rect::from_center_size(center + vec2(0.0, y), vec2(rect.width(), 20.0));
    let centered_line = |line: Line, width: f32, y: f32| {
        line.show_in(ui, row(y).with_min_x(center.x - width / 2.0));
    };
    let size = theme::ICON_RAIL;
    let icon = Line::default().sign(icons::FOLDER_OPEN, tokens.muted).icon_size(size);
    centered_line(icon, size, -36.0);
    let heading = Line::of("Drop a folder or files here", tokens.heading());
    let width = heading.width(ui);
    centered_line(heading, width, -8.0);
    let caps = keymap::caps(ui, Command::OpenFolder);
    centered(ui, row(19.0), "folder", |ui| {
        on_click(&link(ui, "Open folder…"), Action::Run(Command::OpenFolder), actions);
        key_caps(ui, &caps);
    });
    centered(ui, row(43.0), "files", |ui| {
        on_click(&link(ui, "Open files…"), Action::Run(Command::OpenFiles), actions);
    });
}

/// Places a few controls in the middle of a row, by their width in the frame before.
fn centered(ui: &mut Ui, row: Rect, id: &str, content: impl FnOnce(&mut Ui)) {
    let id = ui.scope_id().with(("centered", id));
    let width: f32 = ui.data(|data| data.get_temp(id)).unwrap_or_default();
    let new_width = place_left(ui, row.with_min_x((row.center().x - width / 2.0).round()), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        content(ui);
        ui.min_rect().width()
    });
    // Another frame at once, or the controls would jump when the mouse moves next.
    if new_width != width {
        ui.data_mut(|data| data.insert_temp(id, new_width));
        ui.ctx().request_repaint();
    }
}

fn recent(ui: &mut Ui, entries: &[Recent], actions: &mut Actions) {
    let tokens = tokens(ui);
    widgets::card_with(ui, tokens.panel, Margin::ZERO, |ui| {
        let (heading, _) = widgets::allocate_row(ui, RECENT_HEADING_HEIGHT, Sense::hover());
        let heading = heading.with_min_x(heading.left() + theme::PADDING);
        Line::of("Recent", tokens.heading()).show_in(ui, heading);
        hair_line(ui);
        let font = theme::medium(theme::ROW);
        let name = |ui: &Ui, entry: &Recent| {
            let font = font.clone();
            widgets::line(ui, &entry.name, font, tokens.text_strong, MAX_NAME_WIDTH)
        };
        // The widest name decides where all paths begin; 24 points are between.
        let paths_left =
            entries.iter().map(|entry| name(ui, entry).size().x).fold(0.0, f32::max) + 24.0;
        List::new("Recent projects", &RECENT_ROW, entries.len()).show_inside(ui, |slot| {
            let (entry, rect) = (&entries[slot.index], slot.rect);
            // The paths are aligned, so the space depends on the name.
            let space = (paths_left - name(slot.ui, entry).size().x).max(theme::GAP);
            let words = StyledText::new()
                .with(&entry.name, font.clone(), tokens.text_strong)
                .after(space, &entry.place, theme::mono(theme::LABEL), tokens.muted);
            let row = Row::new(format!("Open {} in {}", entry.name, entry.place))
                .line(Line::from(words).icon(icons::FOLDER, tokens.muted));
            let response = slot.show(row);
            let center = pos2(rect.right() - 24.0, rect.center().y);
            let button_rect = Rect::from_center_size(center, vec2(28.0, 28.0));
            let name = format!("Forget {}", entry.name);
            let button = place(slot.ui, button_rect, |ui| icon_button(ui, icons::X, &name));
            // First: the button is inside of the row, which is clicked as well.
            if button.clicked() {
                actions.push(Action::ForgetRecent(entry.path.clone()));
            } else if response.clicked() {
                actions.push(Action::Open(vec![entry.path.clone()]));
            }
        });
    });
}

fn sentence(ui: &mut Ui, text: &str, (font, color): TextRole) {
    ui.label(theme::text(text, font, color).line_height(Some(theme::TEXT_LINE)));
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use protocol::Theme;

    fn harness(data: StartData) -> Harness<'static, Actions> {
        harness_of(data, [960.0, 800.0])
    }

    fn harness_of(data: StartData, size: [f32; 2]) -> Harness<'static, Actions> {
        let paint = move |ui: &mut Ui, actions: &mut Actions| {
            theme::install(ui.ctx(), Theme::Light);
            start_ui(ui, &data, actions);
        };
        Harness::builder().with_size(size).build_ui_state(paint, Vec::new())
    }

    #[test]
    fn a_folder_is_opened_by_button_from_the_recent_ones_or_from_the_samples() {
        let data = StartData {
            recent: vec![Recent::from_path("/home/ada/helpdesk-agents".as_ref())],
            has_focus: true,
        };
        let mut harness = harness(data);
        for name in [
            "Open folder…",
            "Open helpdesk-agents in /home/ada",
            "Forget helpdesk-agents",
            "Open the samples",
            "Make 2 sessions of a report",
            FAILED_TEST_LINK,
            "Import incident…",
        ] {
            harness.get_by_label(name).click();
            harness.run();
        }
        let expected = [
            Action::Run(Command::OpenFolder),
            Action::Open(vec!["/home/ada/helpdesk-agents".into()]),
            Action::ForgetRecent("/home/ada/helpdesk-agents".into()),
            Action::Run(Command::OpenSamples),
            Action::OpenSamples(SampleStop::Import),
            Action::OpenSamples(SampleStop::FailedTest),
            Action::Run(Command::ImportIncident),
        ];
        assert_eq!(*harness.state(), expected);
    }

    #[test]
    fn in_a_small_window_the_page_is_whole() {
        let folder =
            |number| Recent::from_path(std::path::Path::new(&format!("/home/ada/{number}")));
        // The windows of 1280x720 and 900x600 without what surrounds the page.
        let sizes = [([1208.0, 654.0], 0), ([1208.0, 654.0], 4), ([828.0, 534.0], 0)];
        for (size, recent) in sizes {
            let data =
                StartData { recent: (0..recent).map(folder).collect(), ..StartData::default() };
            let mut harness = harness_of(data, size);
            harness.run();
            let last = match recent {
                0 => "Type or paste a path".to_owned(),
                count => format!("Open {} in /home/ada", count - 1),
            };
            for last in ["Type or paste a path", &last] {
                let bottom = harness.get_by_label(last).rect().bottom();
                assert!(bottom + 8.0 <= size[1], "{size:?} {last}: {bottom}");
            }
        }
    }

    #[test]
    fn the_first_start_shows_no_recent_folders_and_enter_opens_the_samples() {
        let mut harness = harness(StartData { has_focus: true, ..StartData::default() });
        harness.run();
        assert!(harness.query_by_label("Recent").is_none());
        harness.key_press(egui::Key::Enter);
        harness.run();
        assert_eq!(*harness.state(), [Action::Run(Command::OpenSamples)]);
    }
}
