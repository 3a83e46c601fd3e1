//! Paints the list of sessions.

use egui::{Align, Layout, Rangef, ScrollArea, Stroke, Ui, pos2};

use crate::ops::diff::thousands;
use crate::ui::icons;
use crate::ui::theme::{self, tokens};
use crate::ui::widgets::{self, Button, RowSelection, StyledText};
use crate::workbench::{Action, Command, Library, ListedSession, SessionsAction, SessionsDesk};

/// Draws the list. A click shows a session.
pub(super) fn list_ui(
    ui: &mut Ui,
    desk: &SessionsDesk,
    library: &Library,
    actions: &mut Vec<Action>,
) {
    let colors = tokens(ui);
    let sessions = desk.sessions();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let count = thousands(sessions.len());
        let title = theme::semibold(theme::TITLE);
        let font = theme::regular(theme::BODY);
        StyledText::new()
            .with("Sessions", title, colors.text_strong)
            .after(theme::GAP, &count, font, colors.muted)
            .show(ui);
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let import = Button::icon_only(icons::DOWNLOAD, "Import");
            let import = ui.add(import);
            widgets::menu(&import, |ui| {
                for command in [Command::ImportIncident, Command::ImportFromLangSmith] {
                    if widgets::menu_command(ui, command, Ok(())).clicked() {
                        actions.push(Action::Run(command));
                        ui.close();
                    }
                }
            });
        });
    });
    widgets::hair_line(ui);
    let area = ScrollArea::vertical()
        .id_salt("sessions")
        .auto_shrink(false);
    area.show_rows(ui, theme::ROW_TWO_LINES, sessions.len(), |ui, rows| {
        for session in sessions.get(rows).unwrap_or_default() {
            if row_ui(ui, desk, library, session) {
                let id = session.id.clone();
                actions.push(Action::Sessions(SessionsAction::Select(id)));
            }
        }
    });
}

fn row_ui(ui: &mut Ui, desk: &SessionsDesk, library: &Library, session: &ListedSession) -> bool {
    let tokens = tokens(ui);
    let chosen = match (desk.selected() == Some(&session.id), desk.cursor()) {
        (true, None) => RowSelection::Selected,
        (true, Some(_)) => RowSelection::SelectedAway,
        (false, _) => RowSelection::None,
    };
    let name = format!("{}, {}", session.name, session.place);
    let response = widgets::row(ui, theme::ROW_TWO_LINES, chosen, &name);
    let rect = response.rect;
    let (left, right) = (rect.left() + theme::PADDING, rect.right() - theme::GAP);
    let painter = ui.painter();
    let copy = library.copy(session.id.doc);
    let middle = rect.top() + 15.0;
    widgets::document_name(ui, Rangef::new(left, right), middle, &session.name, copy);
    let font = theme::regular(theme::LABEL);
    let line = widgets::line(ui, &session.place, font, tokens.muted, right - left);
    widgets::paint_line(painter, pos2(left, rect.top() + 31.0), line);
    let hair = Stroke::new(1.0, tokens.hair);
    painter.hline(rect.x_range(), rect.bottom() - 0.5, hair);
    response.clicked()
}
