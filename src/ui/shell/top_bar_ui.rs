//! Paints the top bar.

use egui::containers::menu::SubMenu;
use egui::{
    CornerRadius, CursorIcon, Popup, Rect, Response, Role, Sense, StrokeKind, Ui, pos2, vec2,
};

use super::shell_data::{Crumb, MenuEntry, TopBar};
use widgets::theme::{self, tokens};
use widgets::{
    Caps, StyledText, focus_ring, icons, keymap, menu_heading, paint_icon, paint_line, place,
    place_left, submenu_item, tip,
};
use workbench::{Action, Actions, Command, CommandSection};

/// Below this width of the window the search field is short and has no keys on it.
const WIDE_MIN_WIDTH: f32 = 1100.0;
/// Width of the search field in a wide and in a narrow window.
const SEARCH_WIDTH: f32 = 300.0;
const SHORT_SEARCH_WIDTH: f32 = 208.0;
const MENU_WIDTH: f32 = 320.0;
/// Number of recent folders in the menu.
const MAX_RECENT: usize = 8;

/// Draws the top bar, in Tab order.
pub(super) fn top_bar_ui(ui: &mut Ui, data: &TopBar, actions: &mut Actions) {
    let rect = ui.max_rect();
    let rail = super::rail_ui::width(ui);
    let menu = Rect::from_center_size(
        pos2(rect.left() + rail / 2.0, rect.center().y),
        vec2(theme::CONTROL, theme::CONTROL),
    );
    place(ui, menu, |ui| menu_ui(ui, &data.menu, actions));

    let search = if rect.width() >= WIDE_MIN_WIDTH { SEARCH_WIDTH } else { SHORT_SEARCH_WIDTH };
    // Computed, not laid out from the right: controls get the focus in the order in which they are added.
    let right = rect.right() - 12.0 - theme::CONTROL - theme::GAP - search;
    let left = rect.with_min_x(rect.left() + rail + 6.0).with_max_x(right - theme::PADDING);
    place_left(ui, left, |ui| {
        // Long breadcrumbs end before the search field.
        ui.set_clip_rect(ui.clip_rect().intersect(left));
        ui.spacing_mut().item_spacing.x = 4.0;
        project_ui(ui, data, actions);
        ui.add_space(theme::GAP);
        for (icon, command, reason) in [
            (icons::ARROW_LEFT, Command::Back, data.back),
            (icons::ARROW_RIGHT, Command::Forward, data.forward),
        ] {
            widgets::command_icon(ui, icon, command, reason.map_or(Ok(()), Err), actions);
        }
        crumbs_ui(ui, &data.crumbs, actions);
    });
    place_left(ui, Rect::from_min_max(pos2(right, rect.top()), rect.max), |ui| {
        ui.spacing_mut().item_spacing.x = theme::GAP;
        search_ui(ui, search, actions);
        widgets::command_icon(ui, icons::SETTINGS, Command::OpenSettings, Ok(()), actions);
    });
}

fn search_ui(ui: &mut Ui, width: f32, actions: &mut Actions) {
    let tokens = tokens(ui);
    // Both are constants, so comparing floats is exact.
    let is_wide = width == SEARCH_WIDTH;
    let hint = "Go to a file or command";
    let (rect, response) = ui.allocate_exact_size(vec2(width, theme::CONTROL), Sense::click());
    // It looks like a field and is a button: typing happens in the palette, which opens below it.
    widgets::describe(&response, Role::Button, Command::ShowPalette.name());
    let stroke = if response.hovered() { tokens.strong } else { tokens.line };
    ui.painter().rect(rect, theme::RADIUS_CONTROL, tokens.desk, (1.0, stroke), StrokeKind::Inside);
    let center = pos2(rect.left() + 16.0, rect.center().y);
    paint_icon(ui.painter(), center, icons::SEARCH, theme::ICON, tokens.muted);
    let line =
        widgets::line(ui, hint, theme::regular(theme::ROW), tokens.muted, rect.width() - 40.0);
    paint_line(ui.painter(), pos2(rect.left() + 29.0, rect.center().y), line);
    let caps = keymap::caps(ui, Command::ShowPalette);
    if is_wide {
        let cap_row = Caps::new(ui, &caps);
        let left = rect.right() - 9.0 - cap_row.width();
        cap_row.paint(ui.painter(), pos2(left, rect.center().y));
    }
    focus_ring(ui, &response, theme::RADIUS_CONTROL);
    widgets::on_click(&response, Action::Run(Command::ShowPalette), actions);
    tip(response, Command::ShowPalette.tooltip(), &caps);
}

fn menu_ui(ui: &mut Ui, menu: &[(CommandSection, Vec<MenuEntry>)], actions: &mut Actions) {
    let tokens = tokens(ui);
    let (rect, response) = ui.allocate_exact_size(vec2(28.0, 28.0), Sense::click());
    widgets::describe(&response, Role::Button, "Menu");
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let is_open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
    if response.hovered() || is_open {
        ui.painter().rect_filled(rect, radius, tokens.quiet);
    }
    paint_icon(ui.painter(), rect.center(), icons::MENU, theme::ICON_RAIL, tokens.muted);
    focus_ring(ui, &response, theme::RADIUS_CONTROL);
    Popup::menu(&response).width(200.0).show(|ui| {
        ui.spacing_mut().item_spacing.y = 0.0;
        for (section, entries) in menu {
            let item = submenu_item(ui, icons::section(*section), section.name());
            SubMenu::new().show(ui, &item, |ui| {
                ui.set_width(MENU_WIDTH);
                ui.spacing_mut().item_spacing.y = 0.0;
                for entry in entries {
                    widgets::menu_run(ui, entry.command, entry.enabled, actions);
                }
            });
        }
    });
    tip(response, "Menu", &[] as &[&str]);
}

fn project_ui(ui: &mut Ui, data: &TopBar, actions: &mut Actions) {
    let response = project_button(ui, data);
    widgets::menu(&response, |ui| {
        for command in
            [Command::OpenFolder, Command::OpenFiles, Command::Reload, Command::CloseProject]
        {
            let reason = match (command, data.open.is_some()) {
                (Command::Reload | Command::CloseProject, false) => Err("nothing is open"),
                _ => Ok(()),
            };
            widgets::menu_run(ui, command, reason, actions);
        }
        if data.recent.is_empty() {
            return;
        }
        menu_heading(ui, "Recent");
        for recent in data.recent.iter().take(MAX_RECENT) {
            let text = format!("{}  {}", recent.name, recent.place);
            if widgets::menu_action(ui, icons::FOLDER, &text, None) {
                actions.push(Action::Open(vec![recent.path.clone()]));
            }
        }
    });
    let root = data.open.as_ref().map_or("Open folder", |project| project.root.as_str());
    if !root.is_empty() {
        tip(response, root, &[] as &[&str]);
    }
}

fn project_button(ui: &mut Ui, data: &TopBar) -> Response {
    let tokens = tokens(ui);
    let (name, branch) =
        data.open.as_ref().map_or(("No project", ""), |project| (&project.name, &project.branch));
    let space = if branch.is_empty() { 0.0 } else { theme::ICON_GAP };
    // A long name leaves half of the room to the breadcrumbs.
    let room = (ui.available_width() * 0.5).max(80.0);
    let line = StyledText::new()
        .with(name, theme::semibold(theme::BODY), tokens.text_strong)
        .after(space, branch, theme::regular(theme::BODY), tokens.muted)
        .galley(ui, room);
    let width =
        8.0 + theme::ICON + theme::ICON_GAP + line.size().x + theme::ICON_GAP + theme::ICON + 8.0;
    let (rect, response) = ui.allocate_exact_size(vec2(width, theme::CONTROL), Sense::click());
    widgets::describe(&response, Role::Button, &format!("Project: {name}"));
    let radius = CornerRadius::same(theme::RADIUS_CONTROL);
    let is_open = Popup::is_id_open(ui.ctx(), Popup::default_response_id(&response));
    if response.hovered() || is_open {
        ui.painter().rect_filled(rect, radius, tokens.quiet);
    }
    let middle = rect.center().y;
    let icon = pos2(rect.left() + 8.0 + theme::ICON / 2.0, middle);
    paint_icon(ui.painter(), icon, icons::FOLDER_OPEN, theme::ICON, tokens.muted);
    paint_line(ui.painter(), pos2(icon.x + theme::ICON / 2.0 + theme::ICON_GAP, middle), line);
    let chevron = pos2(rect.right() - 8.0 - theme::ICON / 2.0, middle);
    paint_icon(ui.painter(), chevron, icons::CHEVRON_DOWN, theme::ICON, tokens.muted);
    focus_ring(ui, &response, theme::RADIUS_CONTROL);
    response
}

fn crumbs_ui(ui: &mut Ui, crumbs: &[Crumb], actions: &mut Actions) {
    let tokens = tokens(ui);
    ui.spacing_mut().item_spacing.x = theme::GAP;
    for (index, crumb) in crumbs.iter().enumerate() {
        if index > 0 {
            let (rect, _) =
                ui.allocate_exact_size(vec2(theme::ICON, theme::CONTROL), Sense::hover());
            let (center, icon) = (rect.center(), icons::CHEVRON_RIGHT);
            paint_icon(ui.painter(), center, icon, theme::ICON, tokens.muted);
        }
        let sense = if crumb.action.is_some() { Sense::click() } else { Sense::hover() };
        let font = theme::regular(theme::ROW);
        let line =
            // The colour depends on the pointer, which is known only after the text has its place.
            widgets::line(ui, &crumb.text, font, egui::Color32::PLACEHOLDER, ui.available_width());
        let (rect, response) = ui.allocate_exact_size(vec2(line.size().x, theme::TEXT_LINE), sense);
        let role = if crumb.action.is_some() { Role::Link } else { Role::Label };
        widgets::describe(&response, role, &crumb.text);
        let is_strong = crumb.action.is_none() || response.hovered();
        let color = if is_strong { tokens.text_strong } else { tokens.muted };
        let top = (rect.center().y - line.size().y / 2.0).floor();
        let response = if line.elided { response.on_hover_text(&crumb.text) } else { response };
        ui.painter().galley_with_override_text_color(pos2(rect.left(), top), line, color);
        focus_ring(ui, &response, 2);
        if let Some(action) = &crumb.action
            && response.on_hover_cursor(CursorIcon::PointingHand).clicked()
        {
            actions.push(action.clone());
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
                shell_ui(ui, &data, actions);
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
