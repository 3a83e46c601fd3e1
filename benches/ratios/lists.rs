//! The lists of the window, each made of all items at once, as the engine's thread makes them.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use calls::Item;
use protocol::{
    EngineEvent, Grouping, ListRequest, ProjectInfo, ReadProgress, Remembered, Request, Sort,
};
use workbench::{Action, Effect, Workbench};

use crate::{line, shortest};

pub(crate) fn measure(items: &[Arc<Item>]) {
    let mut workbench = open(items);
    let _ = workbench.apply(Action::GroupBy(Grouping::None));
    let paths = || items.iter().map(|item| item.root_path());
    let ids = || items.iter().filter_map(|item| item.id.as_deref());
    let times = || items.iter().filter_map(|item| item.recorded_at.as_deref());
    let search = (
        "looking for a word in each path",
        shortest(|| paths().filter(|path| path.contains("set-77")).count()),
    );

    line(
        "the first list",
        list(&mut workbench),
        ("sorting paths, sorting times", sorting(paths) + sorting(times)),
    );
    let _ = workbench.apply(Action::TypeFilter("set-77".to_owned()));
    line("a word is typed into the filter", list(&mut workbench), search);
    let _ = workbench.apply(Action::TypeFilter("tool:transition_to_7".to_owned()));
    let request = request(&mut workbench);
    line("a tool is typed into the filter", shortest(|| request.list()), search);
    line("what could complete it", shortest(|| request.complete()), search);
    workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));

    let _ = workbench.apply(Action::SetFilter(String::new()));
    let _ = workbench.apply(Action::SortBy(Sort::Name));
    line("another sort", list(&mut workbench), ("sorting ids", sorting(ids)));
    let _ = workbench.apply(Action::GroupBy(Grouping::Folder));
    let folders = shortest(|| {
        let mut folders: HashMap<&str, usize> = HashMap::new();
        items.iter().for_each(|item| *folders.entry(item.folder()).or_default() += 1);
        folders
    });
    line("groups by folder", list(&mut workbench), ("counting folders", folders));
    let _ = workbench.apply(Action::TypeFilter("set-77".to_owned()));
    line("a word is typed, in groups", list(&mut workbench), search);
}

/// A workbench that has just read these items.
pub(crate) fn open(items: &[Arc<Item>]) -> Workbench {
    let mut workbench = Workbench::new(Remembered::default());
    let (generation, progress) = (1, ReadProgress::default());
    let project = ProjectInfo::default();
    workbench.receive(EngineEvent::ScanStarted { generation, project });
    let items = items.to_vec();
    workbench.receive(EngineEvent::ItemsFound { generation, items });
    workbench.receive(EngineEvent::ScanEnded { generation, progress, cancelled: false });
    workbench
}

/// The list that the workbench wants now, however short.
fn request(workbench: &mut Workbench) -> ListRequest {
    let mut effects = workbench.refresh().into_iter();
    let lists = effects.find_map(|effect| match effect {
        Effect::Run(Request::List(list)) => Some(list),
        _ => None,
    });
    lists.expect("a list of this length exists")
}

/// How long the wanted list takes; the workbench then has it.
fn list(workbench: &mut Workbench) -> Duration {
    let request = request(workbench);
    let time = shortest(|| request.list());
    workbench.receive(EngineEvent::Listed(request.key, Ok(request.list())));
    time
}

fn sorting<'a, I: Iterator<Item = &'a str>>(texts: impl Fn() -> I) -> Duration {
    shortest(|| {
        let mut texts: Vec<&str> = texts().collect();
        texts.sort_unstable();
        texts
    })
}
