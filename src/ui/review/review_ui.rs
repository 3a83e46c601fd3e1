//! Lays out the review desk: the groups on the left, the pair of an old and a new recording beside them.

use egui::{Frame, Panel, Ui, vec2};

use super::decide_ui::{DECIDE_HEIGHT, NoteDrafts, decide_ui};
use super::pair_ui::pair_ui;
use super::queue_ui::queue_ui;
use super::review_data::ReviewData;
use document::text::visible;
use protocol::ReviewBase;
use widgets::theme::tokens;
use widgets::{SidePanel, icons};
use workbench::{Action, Actions, Command, DiffLayout, Workbench};

/// Below this width of the desk the recordings are shown as a unified diff.
const SIDE_BY_SIDE_MIN_WIDTH: f32 = 960.0;

/// State of the desk that is kept between frames.
#[derive(Debug, Default)]
pub struct ReviewView {
    data: ReviewData,
    pub(super) notes: NoteDrafts,
    /// The group whose pairs are all listed, by its position.
    pub(super) listed_group: Option<usize>,
    /// Whether the buttons decide about the whole group, of the group at this position.
    pub(super) scope: Option<(usize, bool)>,
}

/// Draws the review desk. User input becomes an [`Action`].
pub fn review_ui(ui: &mut Ui, workbench: &Workbench, view: &mut ReviewView, actions: &mut Actions) {
    let is_narrow = ui.available_width() < SIDE_BY_SIDE_MIN_WIDTH;
    // The user's choice is kept, and holds again in a wider window.
    let pane = if is_narrow { DiffLayout::Unified } else { workbench.core.diff_layout };
    // Before any part is drawn: the queue and the pair need the same data.
    let mut data = std::mem::take(&mut view.data);
    data.update(workbench, pane);
    ui.spacing_mut().item_spacing = vec2(0.0, 0.0);
    // Without groups it would be an empty column.
    if !workbench.review.review.groups.is_empty() {
        SidePanel::left("review groups", 336.0, 224.0..=560.0)
            .show(ui, |ui| queue_ui(ui, workbench, &data, &mut view.listed_group, actions));
    }
    if data.pair.is_none() {
        Frame::new().fill(tokens(ui).desk).show(ui, |ui| empty_ui(ui, workbench, actions));
    } else {
        Panel::bottom("decide")
            .exact_size(DECIDE_HEIGHT)
            .resizable(false)
            .frame(Frame::new().fill(tokens(ui).panel))
            .show(ui, |ui| decide_ui(ui, workbench, &data, view, actions));
        Frame::new().fill(tokens(ui).desk).show(ui, |ui| {
            ui.set_min_size(ui.available_size());
            pair_ui(ui, workbench, &data, is_narrow, actions);
        });
    }
    view.data = data;
}

/// Draws the placeholder if there is no pair.
fn empty_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let desk = &workbench.review;
    let Some(project) = &workbench.core.project else {
        return widgets::empty_sentence(ui, "No folder is open.");
    };
    let no_version = "No version to compare with";
    let (title, words) = match (desk.fault(), &desk.base) {
        // Without git the fault's own text would name a command that the user cannot run.
        (Some(_), ReviewBase::Revision(_)) if project.branch.is_none() => {
            let words = "This folder has no git history. Compare it with an older copy of it, or two files.";
            (no_version, words.to_owned())
        }
        (Some(fault), _) => (no_version, format!("{}.", visible(fault).trim_end_matches('.'))),
        (None, base) => match desk.progress_label(&workbench.core) {
            Some(words) => return widgets::empty_sentence(ui, &format!("{words}…")),
            None => (
                "Nothing to review",
                format!("The recordings have no differences {}.", base.label()),
            ),
        },
    };
    let heading = (icons::GIT_COMPARE, title);
    if widgets::empty_desk(ui, heading, &words, &["Review against…"]).is_some() {
        actions.push(Action::Run(Command::ChooseReviewBase));
    }
}
