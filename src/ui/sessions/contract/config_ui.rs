//! Paints the sessions and sources of the configuration, and the button that adds this session.

use egui::{Color32, Frame, Margin, Sense, Ui};

use super::ContractProps;
use document::text::{counted, visible};
use protocol::{ConfigFound, ContractReport, ListedInConfig, SessionId, SourceInConfig};
use widgets::theme::{self, tokens};
use widgets::{Button, Line, Row, RowShape, StyledText, icons};
use workbench::{
    Action, Actions, Command, ContractAction, FetchAction, ImportAction, SaveMode, SessionsAction,
};

/// Maximum number of sessions shown here; the library lists all.
const MAX_LISTED_SESSIONS: usize = 40;
const SESSION_ROW: RowShape =
    RowShape { height: theme::FOLD, lines: &[12.0], ..RowShape::ONE_LINE };
const SOURCE_ROW: RowShape =
    RowShape { height: theme::CONTROL + 8.0, lines: &[18.0], ..RowShape::ONE_LINE };
/// Width of the button that fetches from a source.
const FETCH_WIDTH: f32 = 72.0;

pub(super) fn config_ui(ui: &mut Ui, (props, report): ContractProps<'_>, actions: &mut Actions) {
    let Some(config) = &report.config else {
        widgets::padded_frame().show(ui, |ui| {
            let words = "Without a flakestorm.yaml, sessions can be neither listed nor run. It needs the address of your agent; `flakestorm init` writes a first version.";
            widgets::note(ui, words);
        });
        return;
    };
    head_ui(ui, (props, report), config, actions);
    for session in config.sessions.iter().take(MAX_LISTED_SESSIONS) {
        session_ui(ui, session, actions);
    }
    if config.sessions.len() > MAX_LISTED_SESSIONS {
        let more = format!("and {} more", config.sessions.len() - MAX_LISTED_SESSIONS);
        widgets::strip(ui, 26.0, |ui| {
            widgets::small(ui, &more);
        });
    }
    for source in &config.sources {
        source_ui(ui, source, actions);
    }
    ui.add_space(theme::SECTION_GAP);
}

/// Draws the path of the configuration in use, and a menu if there are several.
fn head_ui(
    ui: &mut Ui,
    (props, report): ContractProps<'_>,
    config: &ConfigFound,
    actions: &mut Actions,
) {
    widgets::strip(ui, theme::TOOL_ROW, |ui| {
        let count = match config.sessions.len() {
            0 => "lists no sessions".to_owned(),
            count => format!("lists {}", counted(count, "session", "sessions")),
        };
        widgets::at_right(ui, |ui| {
            if report.configs.len() > 1 {
                let name = "Choose the configuration";
                let button = widgets::icon_button(ui, icons::CHEVRON_DOWN, name);
                widgets::menu(&button, |ui| configs_ui(ui, report, actions));
            }
            if props.can_add.is_ok() {
                let add = Button::secondary("Add to config…").command(Command::AddToConfig, Ok(()));
                widgets::command_button(ui, add, Command::AddToConfig, actions);
            }
            let copy = |doc| Some(doc).zip(props.library.copy(doc));
            let config_copy = config.doc.and_then(copy);
            // Adding a session changes the configuration, whose document has no other button here.
            if let Some((doc, _)) = config_copy.filter(|(_, copy)| copy.is_unsaved()) {
                let name = format!("Save {}", visible(props.library.shown_path(&config.path)));
                let save = Button::secondary("Save").tooltip(&name);
                let response = ui.add(save).accessible_name(name);
                widgets::on_click(&response, Action::Save(doc, SaveMode::Usual), actions);
            }
            widgets::at_left(ui, |ui| {
                let path = visible(props.library.shown_path(&config.path));
                widgets::title_note(ui, (&path, theme::BODY), (&count, theme::ROW));
            });
        });
    });
}

/// Draws the menu of configurations.
pub(super) fn configs_ui(ui: &mut Ui, report: &ContractReport, actions: &mut Actions) {
    let config_doc = report.config.as_ref().and_then(|config| config.doc);
    for (doc, path) in &report.configs {
        let icon = if config_doc == Some(*doc) { icons::CHECK } else { "" };
        let action = SessionsAction::Contract(ContractAction::UseConfig(*doc));
        widgets::menu_choice(ui, icon, &visible(path), action, actions);
    }
}

/// Draws a row with an icon, a name with details, and a label; returns whether it was clicked.
fn line_ui(
    ui: &mut Ui,
    icon: &'static str,
    (name, detail): (&str, &str),
    (tag, color): (&str, Color32),
) -> bool {
    let parts = [name, tag, detail].into_iter().filter(|part| !part.is_empty());
    let label = parts.collect::<Vec<_>>().join(", ");
    let tag = StyledText::new().with(tag, theme::regular(theme::LABEL), color);
    let name = Line::new(name, theme::mono(theme::LABEL), tokens(ui).text).icon(icon, color);
    let row = Row::new(&*label).tip(&*label).line(name.right(tag).right_share(0.6));
    row.show(ui, &SESSION_ROW).clicked()
}

fn session_ui(ui: &mut Ui, session: &ListedInConfig, actions: &mut Actions) {
    let colors = tokens(ui);
    let (icon, tag, detail) = match (&session.missing, session.is_inline) {
        (Some(reason), _) => (icons::FILE_X, ("missing", colors.error), &**reason),
        (None, true) => (icons::FILE_COG, ("inline", colors.muted), ""),
        (None, false) => (icons::FILE_TEXT, ("file", colors.muted), ""),
    };
    if line_ui(ui, icon, (&visible(&session.name), detail), tag) {
        actions.extend(match (session.is_inline, session.doc, session.spot.reveal) {
            // A file is shown as a session; an inline one has its place only in the configuration.
            (false, Some(doc), _) => Some(SessionsAction::Select(SessionId::file(doc)).into()),
            (_, _, Some((doc, span))) => Some(Action::Reveal(doc, span)),
            _ => None,
        });
    }
}

/// Draws a source with the button that fetches from it, and below it the settings of the source.
fn source_ui(ui: &mut Ui, source: &SourceInConfig, actions: &mut Actions) {
    let colors = tokens(ui);
    let name = visible(&source.name);
    let (row, _) = widgets::allocate_row(ui, SOURCE_ROW.height, Sense::hover());
    let button = row.with_min_x(row.right() - theme::PADDING - FETCH_WIDTH);
    let rect = row.with_max_x(match source.fetch {
        Some(_) => button.left() - theme::GAP,
        None => row.right(),
    });
    // Beside the button, not below it, or a click on the button would hit both.
    let response = ui.interact(rect, ui.auto_id_with("source"), Sense::click());
    let label = format!("{name}, {}", source.description);
    let line = Line::new(&name, theme::mono(theme::LABEL), colors.text)
        .icon(icons::DOWNLOAD, colors.muted);
    let content = Row::new(label).tip("Show where it is listed").line(line);
    let is_clicked = content.show_as(ui, &SOURCE_ROW, rect, response).clicked();
    if let Some((doc, span)) = source.spot.reveal.filter(|_| is_clicked) {
        actions.push(Action::Reveal(doc, span));
    }
    if let Some(form) = &source.fetch {
        let tip = format!("Import from {name}. Shows first what would be fetched.");
        let fetch = Button::secondary("Fetch…").width(FETCH_WIDTH).tooltip(&tip);
        let fetch = widgets::place_left(ui, button, |ui| ui.add(fetch));
        // All buttons have the same label, so the accessible name includes the source.
        if fetch.accessible_name(format!("Fetch from {name}…")).clicked() {
            actions.push(Action::from(ImportAction::Fetch(FetchAction::Open(Some(form.clone())))));
        }
    }
    let mut margin = Margin::symmetric(theme::PADDING as i8, 0);
    margin.left += theme::INDENT as i8;
    Frame::new().inner_margin(margin).show(ui, |ui| {
        widgets::remark(ui, &source.description);
    });
    ui.add_space(4.0);
}
