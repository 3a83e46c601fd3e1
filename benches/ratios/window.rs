//! The window without its frame: how soon it shows what it reads, and what a picture costs when much is open.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use calls::Item;
use egui::{
    Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, RawInput, Rect, Shape, TouchPhase,
    pos2, vec2,
};
use protocol::{DocId, EngineEvent, LibraryColumn, Remembered, Request, Theme};
use ui::{Views, window_ui};
use widgets::theme;
use workbench::{Action, Command, Effect, Workbench};

use crate::opened_folder::OpenedFolder;
use crate::{RECORDINGS, Target, amount, corpus, disk, heading, line, lists, millis, row, timed};

/// How many pictures are painted of each kind; the one in the middle counts.
pub(crate) const PICTURES: usize = 200;

/// The size of the window.
const SCREEN: Rect = Rect { min: pos2(0.0, 0.0), max: pos2(1440.0, 900.0) };

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
        let input = RawInput { screen_rect: Some(SCREEN), events, ..RawInput::default() };
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
        let input = RawInput { screen_rect: Some(SCREEN), ..RawInput::default() };
        let mut output =
            self.ctx.run_ui(input, |ui| window_ui(ui, workbench, views, &mut Vec::new()));
        output.textures_delta.clear();
        let mut texts = String::new();
        let shapes = output.shapes.iter();
        shapes.for_each(|clipped| add(&clipped.shape, &mut texts));
        texts
    }

    /// How long the picture in the middle takes, `before` it included.
    fn typical(&mut self, before: impl FnMut(&mut Workbench), events: &[Input]) -> Duration {
        self.times(before, events)[PICTURES / 2]
    }

    /// How long each picture takes with new input; the quickest first.
    pub(crate) fn times_with(&mut self, mut events: impl FnMut() -> Vec<Input>) -> Vec<Duration> {
        let mut picture = |_| {
            let events = events();
            timed(|| self.paint(events)).1
        };
        let mut times: Vec<Duration> = (0..PICTURES).map(&mut picture).collect();
        times.sort_unstable();
        times
    }

    /// How long each picture takes, `before` it included; the quickest first.
    pub(crate) fn times(
        &mut self,
        mut before: impl FnMut(&mut Workbench),
        events: &[Input],
    ) -> Vec<Duration> {
        self.paint(vec![Input::PointerMoved(pos2(400.0, 500.0))]);
        let mut times: Vec<Duration> = Vec::with_capacity(PICTURES);
        for _ in 0..PICTURES {
            let picture = || {
                before(&mut self.workbench);
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
    let folder = corpus::recordings(RECORDINGS)?;
    let files = corpus::files(&folder)?;
    heading(&format!("{} recordings opened", files.len()));
    let (opened, all) = timed(|| OpenedFolder::open(&folder));
    let opened = opened?;
    let (_, floor) = timed(|| disk::read_all(&files));
    let floor = ("reading the bytes", floor);
    line("window: the first rows", opened.first_rows, floor);
    line("window: everything is read and watched", all, floor);
    line("window: longest picture meanwhile", opened.longest, floor);
    Ok(())
}

/// A million files: what a row takes in memory, when the first are there, and how soon a filter and a sort show theirs.
pub(crate) fn measure_million() -> io::Result<()> {
    const FILES: usize = 1_000_000;
    let folder = corpus::small_recordings(FILES)?;
    heading(&format!("{FILES} recordings of 300 bytes opened"));
    let mut empty = Window::new(Workbench::new(Remembered::default()));
    empty.paint(Vec::new());
    let before = resident_bytes();
    let mut opened = OpenedFolder::open(&folder)?;
    let first = opened.first_rows.as_secs_f64();
    amount("the first rows", first, "s", Target::new(0.5, 0.2));
    if let (Some(before), Some(after)) = (before, resident_bytes()) {
        let per_row = after.saturating_sub(before) as f64 / FILES as f64;
        amount("memory of a row", per_row, "B", Target::new(700.0, 400.0));
    }
    let soon = Target::new(100.0, 50.0);
    opened.longest = Duration::ZERO;
    let mut show = |name: &str, action: Action| {
        let list = &opened.workbench().core.list;
        let (shown, built) = (list.listing.rows.as_ptr(), list.built);
        let started = Instant::now();
        opened.act(action);
        opened.wait(|workbench| workbench.core.list.listing.rows.as_ptr() != shown);
        amount(name, millis(started.elapsed()), "ms", soon);
        opened.wait(|workbench| workbench.core.list.built != built);
    };
    show("a word is typed into the filter", Action::TypeFilter("go_7".to_owned()));
    show("the filter is cleared", Action::SetFilter(String::new()));
    show("rows are sorted by id", Action::SortBy(LibraryColumn::Id));
    show("rows are sorted by answer", Action::SortBy(LibraryColumn::Answer));
    let longest = millis(opened.longest);
    amount("longest picture meanwhile", longest, "ms", Target::new(16.0, 8.0));
    Ok(())
}

/// The memory of this process that no file backs, in bytes; `None` where the system does not report it.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kilobytes << 10)
}

/// Unfolds the items of a list that hold calls; of many, the first hundred.
fn unfold(window: &mut Window, items: &[Arc<Item>]) {
    let holding = items.iter().enumerate().filter(|(_, item)| !item.calls.is_empty());
    for (number, _) in holding.take(100) {
        let _ = window.workbench.apply(Action::ToggleCalls(DocId::new(number)));
    }
    for effect in window.workbench.refresh() {
        if let Effect::Run(Request::List(request)) = effect {
            let listed = EngineEvent::Listed(request.key, Ok(request.list()));
            window.workbench.receive(listed);
        }
    }
}

/// Holds pictures of many items against pictures of few: what is not on screen must cost nothing.
pub(crate) fn measure_frames(items: &[Arc<Item>]) {
    const FEW: usize = 1000;
    let few = &items[..FEW.min(items.len())];
    let open = |items: &[Arc<Item>]| {
        let mut workbench = lists::open(items);
        for effect in workbench.refresh() {
            if let Effect::Run(Request::List(request)) = effect {
                workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));
            }
        }
        Window::new(workbench)
    };
    let (mut large, mut small) = (open(items), open(few));
    let wheel = turn_wheel(vec2(0.0, -60.0));
    let beside = |time| ("the same of a thousand items", time);
    let nothing = |_: &mut Workbench| {};
    let idle = |window: &mut Window| window.typical(nothing, &[]);
    line("a picture", idle(&mut large), beside(idle(&mut small)));
    let scroll = |window: &mut Window| {
        window.times(nothing, std::slice::from_ref(&wheel))[PICTURES * 99 / 100]
    };
    unfold(&mut large, items);
    unfold(&mut small, few);
    let slowest = scroll(&mut large);
    row(
        "a picture while scrolling, p99",
        slowest,
        beside(scroll(&mut small)),
        Target::new(1.2, 1.0),
    );
    amount("the same", millis(slowest), "ms", Target::new(4.0, 2.0));
    let step = |workbench: &mut Workbench| {
        let _ = workbench.apply(Action::Run(Command::NextRow));
        let _ = workbench.refresh();
    };
    let walk = |window: &mut Window| window.typical(step, &[]);
    line("a picture for each step down", walk(&mut large), beside(walk(&mut small)));
    let problems = |workbench: &mut Workbench| {
        let _ = workbench.apply(Action::Run(Command::NextProblem));
        let _ = workbench.refresh();
    };
    let walk = |window: &mut Window| window.typical(problems, &[]);
    line("a picture for each problem", walk(&mut large), beside(walk(&mut small)));
}
