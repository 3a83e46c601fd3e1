//! Paints the list of sessions.

use egui::{Align, Layout, Ui};

use document::text::thousands;
use widgets::theme::{self, tokens};
use widgets::{Button, Line, List, Row, RowSelection, RowShape, icons};
use workbench::{Actions, Command, SessionsAction, Workbench};

const SESSION_ROW: RowShape =
    RowShape { lines: &[15.0, 31.0], margins: (theme::PADDING, theme::GAP), ..RowShape::TWO_LINES };

/// Draws the list. A click shows a session.
pub(super) fn list_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let (desk, library) = (&workbench.sessions, &workbench.core.library);
    let colors = tokens(ui);
    let sessions = desk.sessions();
    widgets::strip(ui, theme::DESK_HEADER, |ui| {
        let count = thousands(sessions.len());
        widgets::title_note(ui, ("Sessions", theme::TITLE), (&count, theme::BODY));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            let import = Button::icon_only(icons::DOWNLOAD, "Import");
            let import = ui.add(import);
            widgets::menu(&import, |ui| {
                for command in [Command::ImportIncident, Command::ImportFromLangSmith] {
                    widgets::menu_run(ui, command, Ok(()), actions);
                }
            });
        });
    });
    widgets::hair_line(ui);
    List::new("List of sessions", &SESSION_ROW, sessions.len())
        .selection(desk.selected.as_ref(), |id| {
            sessions.iter().position(|session| session.id == *id)
        })
        .show(ui, |slot| {
            let session = &sessions[slot.index];
            let place = library.shown_path(&session.place);
            let row = Row::new(format!("{}, {place}", session.name))
                // With a cursor in the form, arrow keys act there, and the row is only marked.
                .selection(match (desk.selected.as_ref() == Some(&session.id), desk.cursor) {
                    (true, None) => RowSelection::Selected,
                    (true, Some(_)) => RowSelection::SelectedAway,
                    (false, _) => RowSelection::None,
                })
                .line(Line::document(&session.name, library.copy(session.id.doc), colors))
                .line(Line::detail(place, colors));
            widgets::on_click(&slot.show(row), SessionsAction::Select(session.id.clone()), actions);
        });
}
