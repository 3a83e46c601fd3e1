//! Parts of views: controls, colours, fonts, icons, and the editor of texts.
//!
//! Each control is a small function or a builder. Every clickable control has a name for screen readers, is reached by Tab and shows when
//! it has the focus. Text that does not fit ends in `…`.
//!
//! Of a desk it knows only the name, the icon and the field for searching; it knows no view.

// When a test unwraps its own value, the failed unwrap is message enough.
#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test fails where it unwraps"))]

pub mod code;
pub mod dates;
pub mod dialog;
pub mod editor;
pub mod fields;
pub mod graph;
pub mod highlight;
pub mod icons;
pub mod keymap;
pub mod markdown;
pub mod picture;
pub mod problem_label;
pub mod sheet;
pub mod theme;

mod banner;
mod button;
mod call_strip;
mod chip;
mod close_button;
mod distinct_name;
mod field;
mod focus;
mod fold;
mod form;
mod hatch;
mod headline;
mod illustration;
mod keys;
mod link;
mod list;
mod main_actions;
mod menu;
mod notice;
mod place;
mod progress;
mod radio;
mod rail;
mod row;
mod section;
mod segmented;
mod selection_line;
mod side_overlay;
mod side_panel;
mod sizes;
mod start_page;
mod styled_text;
mod table;
mod tabs;
mod tag;
mod text;
mod tooltip;
mod top_bar;

pub use banner::{banner, banner_with};
pub use button::{
    Button, check_box, check_mark, command_button, command_icon, icon_button, on_click,
    small_button,
};
pub use call_strip::{
    AlignedBlock, CallBlock, ROW_STRIP_WIDTH, RowStrip, aligned_strips, call_strip, column_cell,
    row_strip, row_strip_width, strip_label, verdict_look,
};
pub use chip::chip;
pub use close_button::close_button;
pub use distinct_name::DistinctName;
pub use field::{FieldState, TextField, field_border, framed_field};
pub use focus::{describe, focus_ring, focus_ring_inside, has_lost_focus};
pub use fold::fold;
pub use form::{FormField, form_row, is_entered};
pub use hatch::hatch;
pub use headline::Headline;
pub use illustration::Illustration;
pub use keys::{Caps, key_caps, key_hint};
pub use link::{crumb, icon_link, link, mono_link, warning_link};
pub use list::{List, RowSlot};
pub use main_actions::{keep_clear, lift_of};
pub use menu::{
    MENU_WIDTH, context_menu, desk_menu, lasting_menu, menu, menu_action, menu_choice,
    menu_command, menu_heading, menu_item, menu_option, menu_run, menu_switch, open_view_menu,
    submenu_item, view_menu,
};
pub use notice::{NoticeClick, notice};
pub use place::line_below;
pub use place::{
    allocate_row, at_left, at_right, header, place, place_left, place_right, row_from_right,
    split_row, strip,
};
pub use progress::{
    awaited, paint_bar, paint_bar_in, paint_bars, share_bar, skeleton_bar, skeleton_rows,
};
pub use radio::radio_row;
pub use rail::rail_entry;
pub use row::keys_row;
pub use row::{Line, Row, RowSelection, RowShape, accent_bar};
pub use section::{
    card, card_with, drop_line, empty_desk, empty_desk_commands, empty_desk_with, empty_sentence,
    empty_state, hair_line, halves, heading, indented, line_above, line_beside, padded,
    padded_frame, title_note,
};
pub use segmented::{Segment, choice, filters, segmented};
pub use selection_line::selection_line;
pub use side_overlay::{side_overlay, side_overlay_left};
pub use side_panel::SidePanel;
pub use sizes::{restore_sizes, sizes};
pub use start_page::{paint_dashed_card, paint_job_card, paint_mark, paint_step};
pub use styled_text::{
    StyledText, elided_tooltip_ui, height_below, line, paint_icon, paint_line, paint_line_right,
};
pub use table::{Column, table_heading};
pub use tabs::{TABS, TabLabel, tabs};
pub use tag::{
    framed_tag, outcome_style, paint_icon_word, severity_tone, status_look, status_tag, step_badge,
    tag, tag_button,
};
pub use text::{body, data, icon, muted, note, remark, small, subtitle, title};
pub use tooltip::{hint, tip};
pub use top_bar::{bar_button, command_field, crumb_chevron};

pub use protocol::BlockVerdict;
