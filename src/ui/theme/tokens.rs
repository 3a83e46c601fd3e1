//! The colours of the window: one table for dark and one for light.
//!
//! Text keeps a contrast of at least 4.5 on every surface it may stand on, and each tone the same on its own tint.

use egui::{Color32, Ui};

/// A severity or a state, as a colour. Never shown without an icon and a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tone {
    /// Quiet: nothing to say by colour.
    Plain,
    /// The accent: links, what is active, what is unsaved.
    Accent,
    /// Fresh, passes, accepted.
    Good,
    /// Stale, by position, silence.
    Warning,
    /// Unreadable, wrong, fails.
    Error,
    /// Renamed, pending, first.
    Note,
}

/// Every colour the window uses, for one of the two appearances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tokens {
    /// Rail, top bar, status line.
    pub ground: Color32,
    /// Lists, tables, text.
    pub desk: Color32,
    /// Side panels, table headings.
    pub panel: Color32,
    /// Buttons, group headings, skeletons.
    pub raised: Color32,
    /// Menus, palette, notices.
    pub overlay: Color32,
    /// Fields, raw text.
    pub input: Color32,
    /// A row under the pointer.
    pub hover: Color32,
    /// Chips; what is selected while its list has no focus.
    pub quiet: Color32,
    /// The selected row, the chosen segment.
    pub selected: Color32,
    /// Lines between regions.
    pub hair: Color32,
    /// Lines around controls and cards.
    pub line: Color32,
    /// Marks that must be seen: edges, a dashed drop zone.
    pub strong: Color32,
    /// Names, values, headings.
    pub text_strong: Color32,
    /// Sentences.
    pub text: Color32,
    /// Labels, counts, common prefixes.
    pub muted: Color32,
    /// Only what cannot be pressed.
    pub disabled: Color32,
    /// Links, active icons, the selection's bar.
    pub accent: Color32,
    /// The one primary button.
    pub fill: Color32,
    /// The primary button under the pointer, and pressed.
    pub fill_hover: Color32,
    /// Text on `fill`.
    pub on_fill: Color32,
    /// Focus and caret.
    pub ring: Color32,
    /// Behind the called tool; accent text stands on it.
    pub tint: Color32,
    /// Fresh, passes, accepted.
    pub good: Color32,
    /// Behind `good`.
    pub good_tint: Color32,
    /// Stale, by position, silence.
    pub warning: Color32,
    /// Behind `warning`.
    pub warning_tint: Color32,
    /// Unreadable, wrong, fails.
    pub error: Color32,
    /// Behind `error`.
    pub error_tint: Color32,
    /// Renamed, pending, first.
    pub note: Color32,
    /// Behind `note`.
    pub note_tint: Color32,
    /// A line only in the new text.
    pub added_line: Color32,
    /// Words only in the new line.
    pub added_word: Color32,
    /// A line only in the old text.
    pub removed_line: Color32,
    /// Words only in the old line.
    pub removed_word: Color32,
    /// A folded stretch.
    pub fold: Color32,
    /// Syntax: keywords.
    pub keyword: Color32,
    /// Syntax: keys.
    pub key: Color32,
    /// Syntax: strings.
    pub string: Color32,
    /// Syntax: numbers and literals.
    pub number: Color32,
    /// Syntax: comments.
    pub comment: Color32,
    /// Shadow of menus, notices and the palette.
    pub shadow: Color32,
    /// Laid over everything behind the palette.
    pub veil: Color32,
}

const fn rgb(hex: u32) -> Color32 {
    let [_, red, green, blue] = hex.to_be_bytes();
    Color32::from_rgb(red, green, blue)
}

/// Dark surfaces, light text.
pub static DARK: Tokens = Tokens {
    ground: rgb(0x0E_10_14),
    desk: rgb(0x14_17_1C),
    panel: rgb(0x17_1A_20),
    raised: rgb(0x1D_21_28),
    overlay: rgb(0x21_25_2E),
    input: rgb(0x10_13_17),
    hover: rgb(0x1E_23_2B),
    quiet: rgb(0x24_29_32),
    selected: rgb(0x28_30_4F),
    hair: rgb(0x23_27_2F),
    line: rgb(0x2E_34_3F),
    strong: rgb(0x69_73_8A),
    text_strong: rgb(0xF1_F3_F6),
    text: rgb(0xCF_D4_DC),
    muted: rgb(0x9A_A2_B1),
    disabled: rgb(0x63_6B_79),
    accent: rgb(0xA3_B0_FF),
    fill: rgb(0x53_62_E6),
    fill_hover: rgb(0x49_57_D8),
    on_fill: Color32::WHITE,
    ring: rgb(0x8A_99_FF),
    tint: rgb(0x24_2A_47),
    good: rgb(0x62_CD_96),
    good_tint: rgb(0x15_29_1F),
    warning: rgb(0xEA_B4_54),
    warning_tint: rgb(0x2D_26_17),
    error: rgb(0xFF_91_8C),
    error_tint: rgb(0x35_1F_22),
    note: rgb(0x74_BD_F5),
    note_tint: rgb(0x16_2A_39),
    added_line: rgb(0x13_26_1D),
    added_word: rgb(0x1E_52_39),
    removed_line: rgb(0x2A_19_1D),
    removed_word: rgb(0x64_2C_36),
    fold: rgb(0x19_1D_24),
    keyword: rgb(0xC3_B1_FF),
    key: rgb(0x8C_C8_F5),
    string: rgb(0xA9_D5_A0),
    number: rgb(0xF0_B8_88),
    comment: rgb(0x98_A1_B1),
    shadow: Color32::from_rgba_premultiplied(0, 0, 0, 140),
    veil: Color32::from_rgba_premultiplied(4, 5, 7, 158),
};

/// Light surfaces, dark text.
pub static LIGHT: Tokens = Tokens {
    ground: rgb(0xED_EF_F3),
    desk: rgb(0xFF_FF_FF),
    panel: rgb(0xF8_F9_FB),
    raised: rgb(0xF1_F3_F6),
    overlay: rgb(0xFF_FF_FF),
    input: rgb(0xFF_FF_FF),
    hover: rgb(0xF2_F4_F8),
    quiet: rgb(0xE9_EC_F1),
    selected: rgb(0xDF_E5_FF),
    hair: rgb(0xE6_E9_EE),
    line: rgb(0xD6_DB_E3),
    strong: rgb(0x82_8C_9D),
    text_strong: rgb(0x12_15_1A),
    text: rgb(0x32_39_45),
    muted: rgb(0x59_61_70),
    disabled: rgb(0x9C_A4_B1),
    accent: rgb(0x3C_49_CF),
    fill: rgb(0x44_52_DA),
    fill_hover: rgb(0x38_44_C2),
    on_fill: Color32::WHITE,
    ring: rgb(0x59_69_F0),
    tint: rgb(0xE7_EA_FF),
    good: rgb(0x0F_6F_45),
    good_tint: rgb(0xE0_F4_E9),
    warning: rgb(0x85_56_00),
    warning_tint: rgb(0xFC_F0_D6),
    error: rgb(0xB4_2E_36),
    error_tint: rgb(0xFD_E7_E7),
    note: rgb(0x0F_61_99),
    note_tint: rgb(0xE2_F0_FB),
    added_line: rgb(0xE8_F7_EE),
    added_word: rgb(0xB4_E6_CA),
    removed_line: rgb(0xFD_ED_ED),
    removed_word: rgb(0xF8_C6_C6),
    fold: rgb(0xF4_F6_F9),
    keyword: rgb(0x5D_3F_C4),
    key: rgb(0x0B_5F_94),
    string: rgb(0x2B_6B_2F),
    number: rgb(0x95_51_00),
    comment: rgb(0x5C_65_73),
    shadow: Color32::from_rgba_premultiplied(4, 6, 9, 46),
    veil: Color32::from_rgba_premultiplied(10, 12, 16, 87),
};

impl Tokens {
    /// The colour of a tone's icon and word.
    pub fn tone(&self, tone: Tone) -> Color32 {
        match tone {
            Tone::Plain => self.text,
            Tone::Accent => self.accent,
            Tone::Good => self.good,
            Tone::Warning => self.warning,
            Tone::Error => self.error,
            Tone::Note => self.note,
        }
    }

    /// The surface behind a tone's icon and word.
    pub fn tint_of(&self, tone: Tone) -> Color32 {
        match tone {
            Tone::Plain => self.quiet,
            Tone::Accent => self.tint,
            Tone::Good => self.good_tint,
            Tone::Warning => self.warning_tint,
            Tone::Error => self.error_tint,
            Tone::Note => self.note_tint,
        }
    }
}

/// The colours of the appearance this [`Ui`] is painted in.
pub fn tokens(ui: &Ui) -> &'static Tokens {
    if ui.visuals().dark_mode {
        &DARK
    } else {
        &LIGHT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast ratio of two opaque colours, as WCAG 2 defines it.
    fn contrast(a: Color32, b: Color32) -> f32 {
        let luminance = |color: Color32| {
            let linear = egui::Rgba::from(color);
            0.2126 * linear.r() + 0.7152 * linear.g() + 0.0722 * linear.b()
        };
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    fn surfaces(of: &Tokens) -> [Color32; 9] {
        [
            of.ground,
            of.desk,
            of.panel,
            of.raised,
            of.overlay,
            of.input,
            of.hover,
            of.quiet,
            of.selected,
        ]
    }

    #[test]
    fn text_is_readable_on_every_surface() {
        for of in [&DARK, &LIGHT] {
            let texts = [
                of.text_strong,
                of.text,
                of.muted,
                of.accent,
                of.good,
                of.warning,
                of.error,
                of.note,
            ];
            for (text, surface) in texts
                .into_iter()
                .flat_map(|text| surfaces(of).map(|surface| (text, surface)))
            {
                let ratio = contrast(text, surface);
                assert!(ratio >= 4.5, "{text:?} on {surface:?} has only {ratio:.2}");
            }
        }
    }

    #[test]
    fn words_are_readable_on_their_tints_and_on_the_primary_button() {
        for of in [&DARK, &LIGHT] {
            for tone in [
                Tone::Accent,
                Tone::Good,
                Tone::Warning,
                Tone::Error,
                Tone::Note,
            ] {
                assert!(contrast(of.tone(tone), of.tint_of(tone)) >= 4.5, "{tone:?}");
            }
            for fill in [of.fill, of.fill_hover] {
                assert!(contrast(of.on_fill, fill) >= 4.5);
            }
        }
    }

    #[test]
    fn source_text_is_readable_on_changed_lines() {
        for of in [&DARK, &LIGHT] {
            let texts = [
                of.text, of.keyword, of.key, of.string, of.number, of.comment,
            ];
            let lines = [of.desk, of.input, of.added_line, of.removed_line, of.fold];
            for (text, line) in texts
                .into_iter()
                .flat_map(|text| lines.map(|line| (text, line)))
            {
                assert!(contrast(text, line) >= 4.5, "{text:?} on {line:?}");
            }
            for word in [of.added_word, of.removed_word] {
                assert!(contrast(of.text_strong, word) >= 4.5);
            }
        }
    }

    #[test]
    fn focus_and_strong_marks_stand_out_from_what_they_lie_on() {
        for of in [&DARK, &LIGHT] {
            assert!(contrast(of.ring, of.desk) >= 3.0);
            assert!(contrast(of.strong, of.desk) >= 3.0);
        }
    }
}
