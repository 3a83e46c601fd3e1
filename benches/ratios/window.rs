//! The window without its frame: how soon it shows what it reads, and what a picture costs when much is open.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use calls::Item;
use egui::{
    Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, RawInput, Rect, Shape, TouchPhase,
    pos2, vec2,
};
use protocol::{EngineEvent, Grouping, LibraryRow, Remembered, Request, Sort, Theme};
use ui::{Views, window_ui};
use widgets::theme;
use workbench::{Action, Command, Effect, Workbench};

use crate::opened_folder::OpenedFolder;
use crate::{
    RECORDING_COUNT, Target, amount, corpus, disk, heading, line, lists, millis, row, timed,
};

/// How many pictures are painted of each kind; the one in the middle counts.
pub(crate) const PICTURE_COUNT: usize = 200;

/// The size of the window.
const WINDOW_RECT: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(1440.0, 900.0) };

/// Returns a turn of the wheel of a mouse, by points.
pub(crate) fn turn_wheel(delta: egui::Vec2) -> Input {
    Input::MouseWheel {
        source: MouseWheelSource::Wheel,
        unit: MouseWheelUnit::Point,
        delta,
        modifiers: Modifiers::NONE,
        phase: TouchPhase::Move,
    }
}

/// A window of which pictures are made and thrown away.
pub(crate) struct Window {
    ctx: egui::Context,
    pub(crate) workbench: Workbench,
    views: Views,
}

impl Window {
    pub(crate) fn new(workbench: Workbench) -> Self {
        let ctx = egui::Context::default();
        theme::install(&ctx, Theme::Dark);
        let views = Views::default();
        Self { ctx, workbench, views }
    }

    /// Paints one picture up to the triangles that a graphics card takes. Returns what the input does.
    pub(crate) fn paint(&mut self, events: Vec<Input>) -> Vec<Action> {
        let input = RawInput { screen_rect: Some(WINDOW_RECT), events, ..RawInput::default() };
        let (workbench, views) = (&mut self.workbench, &mut self.views);
        let mut actions = Vec::new();
        let mut output = self.ctx.run_ui(input, |ui| window_ui(ui, workbench, views, &mut actions));
        // There is no graphics card to send them to.
        output.textures_delta.clear();
        self.ctx.tessellate(output.shapes, output.pixels_per_point);
        actions
    }

    /// Returns the texts of the picture as it is now.
    pub(crate) fn texts(&mut self) -> String {
        fn add(shape: &Shape, texts: &mut String) {
            match shape {
                Shape::Text(text) => texts.push_str(text.galley.text()),
                Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, texts)),
                _ => {}
            }
        }
        let (workbench, views) = (&mut self.workbench, &mut self.views);
        let input = RawInput { screen_rect: Some(WINDOW_RECT), ..RawInput::default() };
        let mut output =
            self.ctx.run_ui(input, |ui| window_ui(ui, workbench, views, &mut Vec::new()));
        output.textures_delta.clear();
        let mut texts = String::new();
        let shapes = output.shapes.iter();
        shapes.for_each(|shape| add(&shape.shape, &mut texts));
        texts
    }

    /// How long the picture in the middle takes, `prepare` it included.
    fn typical(&mut self, prepare: impl FnMut(&mut Workbench), events: &[Input]) -> Duration {
        self.times(prepare, events)[PICTURE_COUNT / 2]
    }

    /// How long each picture takes with new input; the quickest first.
    pub(crate) fn times_with(&mut self, mut events: impl FnMut() -> Vec<Input>) -> Vec<Duration> {
        let mut picture = |_| {
            let events = events();
            timed(|| self.paint(events)).1
        };
        let mut times: Vec<Duration> = (0..PICTURE_COUNT).map(&mut picture).collect();
        times.sort_unstable();
        times
    }

    /// How long each picture takes, `prepare` it included; the quickest first.
    pub(crate) fn times(
        &mut self,
        mut prepare: impl FnMut(&mut Workbench),
        events: &[Input],
    ) -> Vec<Duration> {
        self.paint(vec![Input::PointerMoved(pos2(400.0, 500.0))]);
        let mut times: Vec<Duration> = Vec::with_capacity(PICTURE_COUNT);
        for _ in 0..PICTURE_COUNT {
            let picture = || {
                prepare(&mut self.workbench);
                self.paint(events.to_vec());
            };
            times.push(timed(picture).1);
        }
        times.sort_unstable();
        times
    }
}

/// Opens a folder as the window does, and measures when the first rows are there and when everything is.
pub(crate) fn measure() -> io::Result<()> {
    let folder = corpus::recordings(RECORDING_COUNT)?;
    let files = corpus::files(&folder)?;
    heading(&format!("{} recordings opened", files.len()));
    let (opened_folder, read_time) = timed(|| OpenedFolder::open(&folder));
    let opened_folder = opened_folder?;
    let (_, floor) = timed(|| disk::read_all(&files));
    let floor = ("reading the bytes", floor);
    line("window: the first rows", opened_folder.first_rows, floor);
    line("window: everything is read and watched", read_time, floor);
    line("window: longest picture meanwhile", opened_folder.longest, floor);
    Ok(())
}

/// A million files: what a row takes in memory, when the first are there, and how soon a filter and a sort show theirs.
pub(crate) fn measure_million() -> io::Result<()> {
    const FILE_COUNT: usize = 1_000_000;
    let folder = corpus::small_recordings(FILE_COUNT)?;
    heading(&format!("{FILE_COUNT} recordings of 300 bytes opened"));
    let mut empty_window = Window::new(Workbench::new(Remembered::default()));
    empty_window.paint(Vec::new());
    let old_bytes = resident_bytes();
    let mut opened_folder = OpenedFolder::open(&folder)?;
    let first = opened_folder.first_rows.as_secs_f64();
    amount("the first rows", first, "s", Target::new(0.5, 0.2));
    if let (Some(old_bytes), Some(new_bytes)) = (old_bytes, resident_bytes()) {
        let per_row = new_bytes.saturating_sub(old_bytes) as f64 / FILE_COUNT as f64;
        amount("memory of a row", per_row, "B", Target::new(700.0, 500.0));
    }
    let soon_target = Target::new(100.0, 50.0);
    opened_folder.longest = Duration::ZERO;
    let mut show = |name: &str, action: Action| {
        let list = &opened_folder.workbench().core.list;
        let (old_rows, old_build) = (list.listing_revision, list.built);
        let start = Instant::now();
        opened_folder.act(action);
        opened_folder.wait(|workbench| workbench.core.list.listing_revision != old_rows);
        amount(name, millis(start.elapsed()), "ms", soon_target);
        opened_folder.wait(|workbench| workbench.core.list.built != old_build);
    };
    show("a word is typed into the filter", Action::TypeFilter("go_7".to_owned()));
    show("another letter is typed", Action::TypeFilter("go_77".to_owned()));
    show("the filter is cleared", Action::SetFilter(String::new()));
    show("rows are sorted by name", Action::SortBy(Sort::Name));
    show("rows are sorted by date", Action::SortBy(Sort::Newest));
    show("groups are left out", Action::GroupBy(Grouping::None));
    show("a word is typed, without groups", Action::TypeFilter("go_7".to_owned()));
    let longest_time = millis(opened_folder.longest);
    amount("longest picture meanwhile", longest_time, "ms", Target::new(16.0, 8.0));
    Ok(())
}

/// The memory of this process that no file backs, in bytes; `None` where the system does not report it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Unfolds the sets, or the items that hold calls; of many, the first hundred.
fn unfold(window: &mut Window) {
    let rows = &window.workbench.core.list.listing.rows;
    let library = &window.workbench.core.library;
    let docs = rows.iter().filter_map(|row| match row {
        LibraryRow::Set(set) => Some(set.worst),
        LibraryRow::Item(doc) => library.get(*doc).filter(|i| !i.calls.is_empty()).map(|_| *doc),
        _ => None,
    });
    for doc in docs.take(100).collect::<Vec<_>>() {
        let _ = window.workbench.apply(Action::ToggleCalls(doc));
    }
    list_rows(&mut window.workbench);
}

/// Makes the wanted list as the engine does.
fn list_rows(workbench: &mut Workbench) {
    for effect in workbench.refresh() {
        if let Effect::Run(Request::List(request)) = effect {
            workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));
        }
    }
}

/// Holds pictures of many items against pictures of few: what is not on screen must cost nothing. Each row has a strip.
pub(crate) fn measure_frames(items: &[Arc<Item>], grouping: Grouping) {
    const SMALL_COUNT: usize = 1000;
    let few_items = &items[..SMALL_COUNT.min(items.len())];
    let open = |items: &[Arc<Item>]| {
        let mut workbench = lists::open(items);
        let _ = workbench.apply(Action::GroupBy(grouping));
        list_rows(&mut workbench);
        Window::new(workbench)
    };
    let (mut large_window, mut small_window) = (open(items), open(few_items));
    let wheel = turn_wheel(vec2(0.0, -60.0));
    let reference = |time| ("the same of a thousand items", time);
    let no_change = |_: &mut Workbench| {};
    let idle = |window: &mut Window| window.typical(no_change, &[]);
    line("a picture", idle(&mut large_window), reference(idle(&mut small_window)));
    let scroll = |window: &mut Window| {
        window.times(no_change, std::slice::from_ref(&wheel))[PICTURE_COUNT * 99 / 100]
    };
    unfold(&mut large_window);
    unfold(&mut small_window);
    let slowest_time = scroll(&mut large_window);
    row(
        "a picture while scrolling, p99",
        slowest_time,
        reference(scroll(&mut small_window)),
        Target::new(1.2, 1.0),
    );
    amount("the same", millis(slowest_time), "ms", Target::new(4.0, 2.0));
    let step = |workbench: &mut Workbench| {
        let _ = workbench.apply(Action::Run(Command::NextRow));
        let _ = workbench.refresh();
    };
    let walk = |window: &mut Window| window.typical(step, &[]);
    line(
        "a picture for each step down",
        walk(&mut large_window),
        reference(walk(&mut small_window)),
    );
    let problems = |workbench: &mut Workbench| {
        let _ = workbench.apply(Action::Run(Command::NextProblem));
        let _ = workbench.refresh();
    };
    let walk = |window: &mut Window| window.typical(problems, &[]);
    line("a picture for each problem", walk(&mut large_window), reference(walk(&mut small_window)));
}
