//! Paints the top bar.

use egui::containers::menu::SubMenu;
use egui::{Popup, Rect, Response, Ui, pos2, vec2};

use super::shell_data::Crumb;
use crate::start::Recent;
use protocol::ProjectInfo;
use widgets::theme::{self, tokens};
use widgets::{
    Line, MENU_WIDTH, StyledText, hint, icons, menu_heading, place, place_left, submenu_item,
};
use workbench::{Action, Actions, Command, CommandSection, Workbench};

/// Below this width of the window the search field is short and has no keys on it.
const WIDE_MIN_WIDTH: f32 = 1100.0;
/// Width of the search field in a wide and in a narrow window.
const SEARCH_WIDTH: f32 = 300.0;
const SHORT_SEARCH_WIDTH: f32 = 208.0;
/// Number of recent folders in the menu.
const MAX_RECENT: usize = 8;

/// Draws the top bar, in Tab order.
pub(super) fn top_bar_ui(
    ui: &mut Ui,
    workbench: &Workbench,
    crumbs: &[Crumb],
    actions: &mut Actions,
) {
    let rect = ui.max_rect();
    let rail = super::rail_ui::width(ui);
    let menu = Rect::from_center_size(
        pos2(rect.left() + rail / 2.0, rect.center().y),
        vec2(theme::CONTROL, theme::CONTROL),
    );
    place(ui, menu, |ui| menu_ui(ui, workbench, actions));

    let is_wide = rect.width() >= WIDE_MIN_WIDTH;
    let search = if is_wide { SEARCH_WIDTH } else { SHORT_SEARCH_WIDTH };
    // Computed, not laid out from the right: controls get the focus in the order in which they are added.
    let right = rect.right() - 12.0 - theme::CONTROL - theme::GAP - search;
    let left = rect.with_min_x(rect.left() + rail + 6.0).with_max_x(right - theme::PADDING);
    place_left(ui, left, |ui| {
        // Long breadcrumbs end before the search field.
        ui.set_clip_rect(ui.clip_rect().intersect(left));
        ui.spacing_mut().item_spacing.x = 4.0;
        project_ui(ui, workbench, actions);
        ui.add_space(theme::GAP);
        for (icon, command) in
            [(icons::ARROW_LEFT, Command::Back), (icons::ARROW_RIGHT, Command::Forward)]
        {
            widgets::command_icon(ui, icon, command, command.enabled(workbench), actions);
        }
        crumbs_ui(ui, crumbs, actions);
    });
    place_left(ui, Rect::from_min_max(pos2(right, rect.top()), rect.max), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        let field = (search, tokens(ui).desk);
        let command = Command::ShowPalette;
        let words = (icons::SEARCH, "Go to a file or command", command.name());
        // A short field has no room for the keys.
        widgets::command_field(ui, field, words, (command, is_wide), actions);
        widgets::command_icon(ui, icons::SETTINGS, Command::OpenSettings, Ok(()), actions);
    });
}

/// Draws the menu of every command by section, with the reason if it is disabled.
fn menu_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let line = Line::default().sign(icons::MENU, tokens(ui).muted).icon_size(theme::ICON_RAIL);
    let response = widgets::bar_button(ui, "Menu", (theme::ICON_RAIL, 4.0), line);
    Popup::menu(&response).width(200.0).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for section in CommandSection::ALL {
            let item = submenu_item(ui, icons::section(*section), section.name());
            SubMenu::new().show(ui, &item, |ui| {
                ui.set_width(MENU_WIDTH);
                ui.spacing_mut().item_spacing.y = 0.0;
                for command in Command::ALL.iter().filter(|c| c.section() == *section) {
                    widgets::menu_run(ui, *command, command.enabled(workbench), actions);
                }
            });
        }
    });
    hint(response, "Menu");
}

fn project_ui(ui: &mut Ui, workbench: &Workbench, actions: &mut Actions) {
    let project = workbench.core.project.as_ref();
    let response = project_button(ui, project);
    widgets::menu(&response, |ui| {
        for command in
            [Command::OpenFolder, Command::OpenFiles, Command::Reload, Command::CloseProject]
        {
            let reason = match (command, project.is_some()) {
                (Command::Reload | Command::CloseProject, false) => Err("nothing is open"),
                _ => Ok(()),
            };
            widgets::menu_run(ui, command, reason, actions);
        }
        let recent = &workbench.core.remembered.recent;
        if recent.is_empty() {
            return;
        }
        menu_heading(ui, "Recent");
        for path in recent.iter().take(MAX_RECENT) {
            let recent = Recent::from_path(path);
            let text = format!("{}  {}", recent.name, recent.place);
            let action = Action::Open(vec![recent.path]);
            widgets::menu_choice(ui, icons::FOLDER, &text, action, actions);
        }
    });
    let root = project.map_or("Open folder", |project| project.root.as_str());
    if !root.is_empty() {
        hint(response, root);
    }
}

fn project_button(ui: &mut Ui, project: Option<&ProjectInfo>) -> Response {
    let tokens = tokens(ui);
    let name = project.map_or("No project", |project| project.name.as_str());
    let branch = project.and_then(|project| project.branch.as_deref()).unwrap_or_default();
    let space = if branch.is_empty() { 0.0 } else { theme::ICON_GAP };
    let (font, color) = tokens.muted_body();
    let text = StyledText::of(name, tokens.heading()).after(space, branch, font, color);
    let line = Line::from(text)
        .sign(icons::FOLDER_OPEN, tokens.muted)
        .indent(theme::ICON + theme::ICON_GAP)
        .right_icon(icons::CHEVRON_DOWN, tokens.muted);
    // A long name leaves half of the room to the breadcrumbs.
    let width = line.width(ui).min((ui.available_width() * 0.5).max(80.0));
    let width = width + theme::ICON_GAP + theme::ICON;
    widgets::bar_button(ui, &format!("Project: {name}"), (width, 8.0), line)
}

fn crumbs_ui(ui: &mut Ui, crumbs: &[Crumb], actions: &mut Actions) {
    ui.spacing_mut().item_spacing.x = theme::GAP;
    for (index, crumb) in crumbs.iter().enumerate() {
        if index > 0 {
            widgets::crumb_chevron(ui);
        }
        let response = widgets::crumb(ui, &crumb.text, crumb.action.is_some());
        if let Some(action) = &crumb.action {
            widgets::on_click(&response, action.clone(), actions);
        }
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::super::{ShellData, shell_ui};
    use protocol::{Desk, EngineEvent, ProjectInfo, Remembered, Theme};
    use widgets::theme;
    use workbench::{Action, Actions, Command, Workbench};

    #[test]
    fn every_control_round_the_desk_is_found_by_its_name() {
        let mut workbench = Workbench::new(Remembered::default());
        let project = ProjectInfo { name: "helpdesk-agents".to_owned(), ..ProjectInfo::default() };
        workbench.receive(EngineEvent::ScanStarted { generation: 1, project });
        let mut data = ShellData::default();
        data.refresh(&workbench);
        let mut harness = Harness::builder().with_size([1440.0, 900.0]).build_ui_state(
            move |ui, actions: &mut Actions| {
                theme::install(ui.ctx(), Theme::Dark);
                shell_ui(ui, &workbench, &data, actions);
            },
            Vec::new(),
        );
        for name in ["Menu", "Project: helpdesk-agents", "Library", "Settings", "No network"] {
            harness.get_all_by_label(name).next().expect(name);
        }
        harness.get_by_label("Problems").click();
        harness.run();
        harness.get_by_label(Command::ShowPalette.name()).click();
        harness.run();
        harness.get_by_label("Settings").click();
        harness.run();
        let expected = [
            Action::Go(Desk::Problems),
            Action::Run(Command::ShowPalette),
            Action::Run(Command::OpenSettings),
        ];
        assert_eq!(*harness.state(), expected);
    }
}
