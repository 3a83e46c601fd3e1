//! The window without its frame: how soon it shows what it reads, and what a picture costs when much is open.

use std::io;
use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use egui::{
    Event as Input, Modifiers, MouseWheelSource, MouseWheelUnit, RawInput, Rect, TouchPhase, pos2,
    vec2,
};
use retake::engine::{Engine, EngineOptions};
use retake::ops::Item;
use retake::ui::{Views, theme, window_ui};
use retake::workbench::{
    Action, Command, Effect, EngineEvent, ListRequest, Remembered, Theme, Workbench,
};

use crate::{RECORDINGS, Target, amount, corpus, disk, heading, line, lists, millis, row, timed};

/// How many pictures are painted of each kind; the one in the middle counts.
const PICTURES: usize = 200;

/// A window of which pictures are made and thrown away.
struct Window {
    ctx: egui::Context,
    workbench: Workbench,
    views: Views,
}

impl Window {
    fn new(workbench: Workbench) -> Self {
        let ctx = egui::Context::default();
        theme::install(&ctx, Theme::Dark);
        let views = Views::default();
        Self {
            ctx,
            workbench,
            views,
        }
    }

    /// Paints one picture up to the triangles that a graphics card takes.
    fn paint(&mut self, events: Vec<Input>) {
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(pos2(0.0, 0.0), vec2(1440.0, 900.0))),
            events,
            ..RawInput::default()
        };
        let (workbench, views) = (&mut self.workbench, &mut self.views);
        let output = self
            .ctx
            .run_ui(input, |ui| window_ui(ui, workbench, views, &mut Vec::new()));
        self.ctx.tessellate(output.shapes, output.pixels_per_point);
    }

    /// How long the picture in the middle takes, `before` it included.
    fn typical(&mut self, before: impl FnMut(&mut Workbench), events: &[Input]) -> Duration {
        self.times(before, events)[PICTURES / 2]
    }

    /// How long each picture takes, `before` it included; the quickest first.
    fn times(&mut self, mut before: impl FnMut(&mut Workbench), events: &[Input]) -> Vec<Duration> {
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
    let mut window = Window::new(Workbench::new(Remembered::default()));
    window.paint(Vec::new());
    let (wake, wakes) = mpsc::channel();
    let (mut engine, events) = Engine::start(EngineOptions::default(), move || {
        let _ = wake.send(());
    })?;
    let started = Instant::now();
    engine.scan(vec![folder]);
    let (mut first, mut longest) = (None, Duration::ZERO);
    let mut done = false;
    while !done && wakes.recv().is_ok() {
        let picture = Instant::now();
        for event in events.try_iter() {
            done |= matches!(event, EngineEvent::ScanEnded { .. });
            let _ = window.workbench.receive(event);
        }
        for effect in window.workbench.refresh() {
            if let Effect::Run(request) = effect {
                engine.run(request);
            }
        }
        window.paint(Vec::new());
        longest = longest.max(picture.elapsed());
        if first.is_none() && !window.workbench.core.list.listing.is_empty() {
            first = Some(started.elapsed());
        }
    }
    let all = started.elapsed();
    let (_, floor) = timed(|| disk::read_all(&files));
    let floor = ("reading the bytes", floor);
    line("window: the first rows", first.unwrap_or(all), floor);
    line("window: everything is read", all, floor);
    line("window: longest picture meanwhile", longest, floor);
    Ok(())
}

/// Holds pictures of many items against pictures of few: what is not on screen must cost nothing.
pub(crate) fn measure_frames(items: &[Arc<Item>]) {
    const FEW: usize = 1000;
    let few = &items[..FEW.min(items.len())];
    let open = |items: &[Arc<Item>]| {
        let mut workbench = lists::open(items);
        for effect in workbench.refresh() {
            if let Some(request) = effect.into_request::<ListRequest>() {
                workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));
            }
        }
        Window::new(workbench)
    };
    let (mut large, mut small) = (open(items), open(few));
    let wheel = Input::MouseWheel {
        source: MouseWheelSource::Wheel,
        unit: MouseWheelUnit::Point,
        delta: vec2(0.0, -60.0),
        modifiers: Modifiers::NONE,
        phase: TouchPhase::Move,
    };
    let beside = |time| ("the same of a thousand items", time);
    let nothing = |_: &mut Workbench| {};
    let idle = |window: &mut Window| window.typical(nothing, &[]);
    line("a picture", idle(&mut large), beside(idle(&mut small)));
    let scroll = |window: &mut Window| {
        window.times(nothing, std::slice::from_ref(&wheel))[PICTURES * 99 / 100]
    };
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
    line(
        "a picture for each step down",
        walk(&mut large),
        beside(walk(&mut small)),
    );
    let problems = |workbench: &mut Workbench| {
        let _ = workbench.apply(Action::Run(Command::NextProblem));
        let _ = workbench.refresh();
    };
    let walk = |window: &mut Window| window.typical(problems, &[]);
    line(
        "a picture for each problem",
        walk(&mut large),
        beside(walk(&mut small)),
    );
}
