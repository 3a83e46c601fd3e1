//! Paints the places that are found, below each change.

use std::collections::HashSet;

use egui::{Rangef, Response, Ui};

use document::text::{counted, thousands, visible};
use protocol::{PreviewPlace, ReplaceGroup, ReplacePreview};
use widgets::dialog::body_height;
use widgets::icons;
use widgets::theme::{self, tokens};
use widgets::{DistinctName, Line, List, Row, RowShape, RowSlot, StyledText};
use workbench::{Action, Actions, ReplaceAction, Replacing, Workbench};

/// The most characters of an old or a new value in the line of a change.
const MAX_VALUE_CHARS: usize = 48;

const CHANGE_ROW: RowShape =
    RowShape { margins: (8.0, theme::GAP), radius: theme::RADIUS_CONTROL, ..RowShape::ONE_LINE };

/// The same for a place, which is indented.
const PLACE_ROW: RowShape = RowShape { margins: (8.0 + theme::INDENT, theme::GAP), ..CHANGE_ROW };

/// Largest share of a row that the name of the file takes.
const PATH_SHARE: f32 = 0.5;

/// Unfolded changes and refusals.
#[derive(Debug, Default)]
pub struct ReplaceView {
    /// The changes that the user folded or unfolded, as old and new value.
    toggled: HashSet<(Box<str>, Box<str>)>,
    shows_refused: bool,
}

/// Up to this many changes are unfolded from the start.
const MAX_OPEN_GROUPS: usize = 3;

impl ReplaceView {
    fn is_open(&self, group: &ReplaceGroup, groups: usize) -> bool {
        // The set holds what differs from the first state, so it stays right when a preview has other groups.
        (groups <= MAX_OPEN_GROUPS) != self.toggled.contains(&key(group))
    }

    fn toggle(&mut self, group: &ReplaceGroup) {
        let key = key(group);
        if !self.toggled.remove(&key) {
            self.toggled.insert(key);
        }
    }
}

fn key(group: &ReplaceGroup) -> (Box<str>, Box<str>) {
    let change = &group.change;
    // By its values, not its position: a new preview keeps what is unfolded.
    (change.old.clone(), change.new.clone().unwrap_or_default())
}

/// A row of the list, by its position in the preview.
#[derive(Clone, Copy)]
enum PreviewRow {
    Group(usize),
    Place(usize, usize),
    Refusals,
    Refusal(usize),
}

/// Draws how many places were found, and all of them.
pub(super) fn places_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    view: &mut ReplaceView,
    actions: &mut Actions,
) {
    let replacing = &workbench.core.replacing;
    widgets::muted(ui, &summary(replacing));
    ui.add_space(theme::GAP);
    let Some(Ok(preview)) = &replacing.preview.value else { return };
    let rows = rows(preview, view);
    if rows.is_empty() {
        return;
    }
    // The list scrolls by itself, so the body of the dialog must not.
    let used_height = ui.cursor().top() - ui.min_rect().top();
    let room = body_height(ui) - used_height - theme::GAP;
    // Three rows at least: below that the body scrolls instead.
    let height = (rows.len() as f32 * theme::ROW_HEIGHT).min(room.max(3.0 * theme::ROW_HEIGHT));
    let level = |row: usize| match rows[row] {
        PreviewRow::Group(_) | PreviewRow::Refusals => 0,
        PreviewRow::Place(..) | PreviewRow::Refusal(_) => 1,
    };
    let list = List::new("Places", &CHANGE_ROW, rows.len()).max_height(height).levels(&level);
    ui.allocate_ui(egui::vec2(ui.available_width(), height), |ui| {
        list.show(ui, |slot| match rows[slot.index] {
            PreviewRow::Group(group) => {
                let groups = preview.groups.len();
                group_ui(slot, &preview.groups[group], groups, replacing, view, actions);
            }
            PreviewRow::Place(group, place) => {
                place_ui(slot, workbench, (&preview.groups[group].places, place), actions);
            }
            PreviewRow::Refusals => refusals_ui(slot, preview.refused.len(), view),
            PreviewRow::Refusal(index) => refusal_ui(slot, workbench, &preview.refused[index]),
        });
    });
    ui.add_space(theme::GAP);
}

fn rows(preview: &ReplacePreview, view: &ReplaceView) -> Vec<PreviewRow> {
    let mut rows = Vec::new();
    for (index, group) in preview.groups.iter().enumerate() {
        rows.push(PreviewRow::Group(index));
        if view.is_open(group, preview.groups.len()) {
            rows.extend((0..group.places.len()).map(|place| PreviewRow::Place(index, place)));
        }
    }
    if !preview.refused.is_empty() {
        rows.push(PreviewRow::Refusals);
        if view.shows_refused {
            rows.extend((0..preview.refused.len()).map(PreviewRow::Refusal));
        }
    }
    rows
}

/// Returns the sentence above the list.
fn summary(replacing: &Replacing) -> String {
    match (replacing.form.replacement(), replacing.current()) {
        // Before the others: an old preview may still be there.
        (Err(_), _) => "Nothing is searched while a field is not valid.".to_owned(),
        (Ok(None), _) => "Type what to replace. The places are listed here.".to_owned(),
        (_, None) => "Searching…".to_owned(),
        (_, Some(Err(reason))) => format!("{}.", visible(reason)),
        (_, Some(Ok(preview))) => found(replacing, preview),
    }
}

fn found(replacing: &Replacing, preview: &ReplacePreview) -> String {
    let searched_files = counted(preview.searched, "file", "files");
    let listed_places: usize = preview.groups.iter().map(|g| g.places.len()).sum();
    let place_count = listed_places + preview.more_places;
    if place_count == 0 {
        return format!("Nothing to change in {searched_files}.");
    }
    let places = counted(place_count, "place", "places");
    let mut text = format!("{places} in {} of {searched_files}", thousands(preview.files));
    let (included_count, _) = replacing.included(preview);
    if included_count < place_count {
        text.push_str(&format!(", {} excluded", thousands(place_count - included_count)));
    }
    // Shown because a change of what is not shown must not surprise.
    if preview.more_places > 0 {
        let more = counted(preview.more_places, "more place", "more places");
        text.push_str(&format!(". {more} not listed, but changed with the others"));
    }
    text.push('.');
    text
}

fn group_ui(
    slot: &mut RowSlot<'_>,
    group: &ReplaceGroup,
    groups: usize,
    replacing: &Replacing,
    view: &mut ReplaceView,
    actions: &mut Actions,
) {
    let colors = tokens(slot.ui);
    let included_count = group.places.iter().filter(|p| replacing.includes(p)).count();
    let is_open = view.is_open(group, groups);
    let old = shortened(&group.change.old);
    let new = group.change.new.as_deref().map(shortened).unwrap_or_else(|| "removed".to_owned());
    let places = counted(group.places.len(), "place", "places");
    let files = counted(group.files, "file", "files");
    let extent = if included_count < group.places.len() {
        format!("{} of {places} in {files}", thousands(included_count))
    } else {
        format!("{places} in {files}")
    };
    let mono = || theme::mono(theme::LABEL);
    let words = StyledText::new()
        .with(&old, mono(), colors.text_strong)
        .after(6.0, "→", mono(), colors.muted)
        .after(6.0, &new, mono(), colors.text_strong);
    let icon = if is_open { icons::CHEVRON_DOWN } else { icons::CHEVRON_RIGHT };
    let right = StyledText::new().with(&extent, theme::regular(theme::ROW), colors.text);
    let line = Line::from(words).icon(icon, colors.muted).right(right);
    let row = Row::new(format!("{old} → {new}, {extent}"))
        // Partly included counts as checked, so that a click on it excludes the rest.
        .checked(included_count > 0)
        .unfolds(is_open)
        .line(line);
    let response = slot.show(row);
    // The row is one control: a click on its chevron folds, elsewhere it includes or excludes.
    let left = slot.rect.left() + CHANGE_ROW.margins.0 + theme::INDENT - theme::ICON_GAP;
    let chevron = Rangef::new(left, left + theme::INDENT + theme::ICON_GAP);
    let is_chevron = |response: &Response| {
        let position = response.interact_pointer_pos();
        response.clicked() && position.is_some_and(|position| chevron.contains(position.x))
    };
    if slot.is_toggled || is_chevron(&response) {
        view.toggle(group);
    } else if response.clicked() {
        let places = group.places.iter().map(PreviewPlace::key).collect();
        actions.push(Action::Replace(ReplaceAction::Include(places, included_count == 0)));
    }
}

fn place_ui(
    slot: &mut RowSlot<'_>,
    workbench: &Workbench,
    (places, index): (&[PreviewPlace], usize),
    actions: &mut Actions,
) {
    let place = &places[index];
    let colors = tokens(slot.ui);
    let is_included = workbench.core.replacing.includes(place);
    let location = at(workbench, place);
    let text = visible(&place.line);
    let color = if is_included { colors.text_strong } else { colors.muted };
    let others = [index.checked_sub(1), Some(index + 1)].into_iter().flatten();
    let others: Vec<String> =
        others.filter_map(|number| Some(at(workbench, places.get(number)?))).collect();
    let room = (slot.rect.width() - PLACE_ROW.margins.0 - PLACE_ROW.margins.1) * PATH_SHARE;
    let path = DistinctName::new(&location, others.iter().map(String::as_str)).fitted(
        slot.ui,
        room - theme::INDENT,
        false,
    );
    let line = Line::new(&text, theme::mono(theme::LABEL), color);
    let row = Row::new(format!("{location}, {text}"))
        .checked(is_included)
        .line(line.right(path).right_share(PATH_SHARE))
        .tip(visible(&place.path));
    if slot.show_as(&PLACE_ROW, row).clicked() {
        actions.push(Action::Replace(ReplaceAction::Include(vec![place.key()], !is_included)));
    }
}

/// Returns the file of a place, with its folder, and the line.
fn at(workbench: &Workbench, place: &PreviewPlace) -> String {
    let path = workbench.core.library.shown_path(&place.path);
    // One folder is enough to distinguish files that have equal names in each set.
    let name = path.rmatch_indices('/').nth(1).map_or(path, |(slash, _)| &path[slash + 1..]);
    format!("{}:{}", visible(name), place.place.line)
}

fn refusals_ui(slot: &mut RowSlot<'_>, count: usize, view: &mut ReplaceView) {
    let colors = tokens(slot.ui);
    let words = format!("{} cannot be changed", counted(count, "place", "places"));
    let line = Line::new(&words, theme::regular(theme::ROW), colors.warning);
    let row = Row::new(&*words)
        .expanded(view.shows_refused)
        .line(line.icon(icons::TRIANGLE_ALERT, colors.warning));
    if slot.show(row).clicked() {
        view.shows_refused = !view.shows_refused;
    }
}

fn refusal_ui(
    slot: &mut RowSlot<'_>,
    workbench: &Workbench,
    (place, reason): &(PreviewPlace, String),
) {
    let colors = tokens(slot.ui);
    let location = at(workbench, place);
    let reason = visible(reason);
    let path = StyledText::of(&location, colors.muted_data());
    // The reasons are written for Markdown, as in messages.
    let line = Line::new(&reason.replace('`', ""), theme::regular(theme::ROW), colors.text);
    let row = Row::new(format!("{location}, {reason}"))
        .line(line.right(path).right_share(PATH_SHARE))
        .tip(format!("{}: {reason}", visible(&place.path)));
    slot.show_as(&PLACE_ROW, row);
}

/// Returns the start of a value, escaped.
fn shortened(value: &str) -> String {
    // Cut before escaping, which makes one character into several.
    match value.char_indices().nth(MAX_VALUE_CHARS) {
        Some((end, _)) => format!("{}…", visible(&value[..end])),
        None => visible(value).into_owned(),
    }
}
