//! The whole window: what stands round the desks, the desk in the middle, the inspector, and what lies on top.

use std::path::PathBuf;

use egui::{Frame, Margin, Panel, Ui};

use super::compare::{CompareData, compare_ui};
use super::fields;
use super::inspector::{InspectorData, InspectorState, inspector_ui};
use super::library::{LibraryView, data::LibraryData, library_ui};
use super::palette::{Palette, palette_ui};
use super::problems::{ProblemsData, ProblemsState, problems_ui};
use super::shell::{ShellData, keys_ui, notices_ui, shell_ui};
use super::stale::{StaleData, stale_ui};
use super::start::{StartData, start_ui};
use super::theme::tokens;
use crate::workbench::{Action, Desk, DocId, Overlay, View, Workbench};

/// Below this width the inspector opens over the desk.
const INSPECTOR_BESIDE: f32 = 1200.0;

/// What the views keep to themselves between frames: scroll positions, drafts, and data built when something changed.
#[derive(Default)]
pub struct Views {
    /// The folder of the sample project, if one was found.
    samples: Option<PathBuf>,
    shell: ShellData,
    library: LibraryView,
    inspected: Inspected,
    inspector: InspectorState,
    problems: ProblemsData,
    problems_state: ProblemsState,
    palette: Palette,
    compare: Option<CompareData>,
    stale: Option<StaleData>,
    overlay: Option<Overlay>,
}

impl Views {
    /// Views that were never painted. `samples` is the folder of the sample project, if there is one.
    pub fn new(samples: Option<PathBuf>) -> Self {
        Self {
            samples,
            ..Self::default()
        }
    }
}

/// The inspector's data and what it was built from.
#[derive(Default)]
struct Inspected {
    key: Option<(DocId, u64)>,
    data: Option<InspectorData>,
}

/// Paints the window. Every wish of the user becomes an [`Action`].
pub fn window_ui(
    ui: &mut Ui,
    workbench: &mut Workbench,
    views: &mut Views,
    actions: &mut Vec<Action>,
) {
    if workbench.take_filter_wanted() {
        ui.memory_mut(|memory| memory.request_focus(fields::filter()));
    }
    let workbench = &*workbench;
    views.shell.refresh(workbench);
    shell_ui(ui, &views.shell, actions);
    desk_ui(ui, workbench, views, actions);
    overlay_ui(ui, workbench, views, actions);
    notices_ui(ui, &views.shell.notices, actions);
}

fn desk_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Vec<Action>) {
    let width = ui.ctx().content_rect().width();
    if workbench.project().is_none() {
        let data = StartData::new(workbench.remembered(), views.samples.clone());
        central(ui, |ui| start_ui(ui, &data, actions));
        return;
    }
    let here = workbench.here();
    match (here.view, here.desk) {
        (View::List, Desk::Library) => {
            inspector_panel(ui, workbench, views, width >= INSPECTOR_BESIDE, actions);
            let data = LibraryData::new(workbench);
            central(ui, |ui| library_ui(ui, &data, &mut views.library, actions));
        }
        (View::List, Desk::Problems) => {
            views.problems.update(workbench);
            let (data, state) = (&views.problems, &mut views.problems_state);
            let level = workbench.problems_desk().level();
            central(ui, |ui| {
                problems_ui(ui, data, workbench.library(), level, state, actions);
            });
        }
        (View::Compare { .. }, _) => {
            CompareData::update(&mut views.compare, workbench, width);
            if let Some(data) = &views.compare {
                central(ui, |ui| compare_ui(ui, data, actions));
            }
        }
        (View::ThenAndNow(_), _) => {
            StaleData::update(&mut views.stale, workbench, width);
            if let Some(data) = &views.stale {
                central(ui, |ui| stale_ui(ui, data, actions));
            }
        }
    }
}

/// Paints a desk on what the panels leave.
fn central(ui: &mut Ui, desk: impl FnOnce(&mut Ui)) {
    let frame = Frame::new().fill(tokens(ui).desk);
    egui::CentralPanel::default().frame(frame).show(ui, desk);
}

fn inspector_panel(
    ui: &mut Ui,
    workbench: &Workbench,
    views: &mut Views,
    beside: bool,
    actions: &mut Vec<Action>,
) {
    let (Some(id), true) = (workbench.list().selected(), workbench.inspector()) else {
        return;
    };
    let Some(data) = views.inspected.follow(workbench, id) else {
        return;
    };
    let reveal = workbench
        .reveal()
        .filter(|(doc, _)| *doc == id)
        .map(|(_, span)| span);
    let width = if beside {
        400.0
    } else {
        (ui.available_width() * 0.5).clamp(320.0, 400.0)
    };
    let colors = tokens(ui);
    Panel::right("inspector")
        .default_size(width)
        .size_range(320.0..=560.0)
        .frame(Frame::new().fill(colors.panel).inner_margin(Margin::ZERO))
        .show(ui, |ui| {
            inspector_ui(
                ui,
                data,
                workbench.tab(),
                reveal,
                &mut views.inspector,
                actions,
            );
        });
}

impl Inspected {
    fn follow(&mut self, workbench: &Workbench, id: DocId) -> Option<&InspectorData> {
        let library = workbench.library();
        let key = Some((id, library.revision()));
        if self.key != key {
            let item = library.get(id)?;
            let same = library.same_signature(id);
            self.data = Some(InspectorData::new(id, item, library.opened(id), same));
            self.key = key;
        }
        self.data.as_ref()
    }
}

fn overlay_ui(ui: &mut Ui, workbench: &Workbench, views: &mut Views, actions: &mut Vec<Action>) {
    let overlay = workbench.overlay();
    let opened = views.overlay != overlay;
    views.overlay = overlay;
    if opened && overlay.is_some() {
        egui::Popup::close_all(ui.ctx());
    }
    match overlay {
        Some(Overlay::Palette) => {
            if opened {
                views.palette.reset();
            }
            views.palette.refresh(workbench);
            palette_ui(ui, &mut views.palette, actions);
        }
        Some(Overlay::Keys) => keys_ui(ui, actions),
        None => {}
    }
}
