//! Finds the scripts of painted text for which neither Retake nor the system has a font.

use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use egui::epaint::text::{FallbackRequest, FontInsert};
use egui::{Context, FontProvider};

use document::text::listed;

/// A script that the fonts of the window lack: its name, its letters without rare ones, and the suffix of its Noto font.
type Script = (&'static str, &'static [RangeInclusive<char>], &'static str);

/// Punctuation is left out, because several scripts share it and a font of the script may lack it.
const SCRIPTS: &[Script] = &[
    ("Arabic", &['ؠ'..='ؿ', 'ف'..='ي', 'ٮ'..='ۓ'], "Arabic"),
    ("Armenian", &['Ա'..='Ֆ', 'ա'..='և'], "Armenian"),
    ("Bengali", &['অ'..='হ'], "Bengali"),
    ("Chinese characters", &['一'..='鿿'], "SC"),
    ("Devanagari", &['ऄ'..='ह'], "Devanagari"),
    ("Ethiopic", &['ሀ'..='ፚ'], "Ethiopic"),
    ("Georgian", &['Ⴀ'..='Ⴥ', 'ა'..='ჺ'], "Georgian"),
    ("Gujarati", &['અ'..='હ'], "Gujarati"),
    ("Gurmukhi", &['ਅ'..='ਹ'], "Gurmukhi"),
    ("Hangul", &['ᄀ'..='ᇿ', 'ㄱ'..='ㆎ', '가'..='힣'], "KR"),
    ("Hebrew", &['א'..='ת'], "Hebrew"),
    ("Japanese kana", &['ぁ'..='ゖ', 'ァ'..='ヺ'], "JP"),
    ("Kannada", &['ಅ'..='ಹ'], "Kannada"),
    ("Khmer", &['ក'..='ឳ'], "Khmer"),
    ("Lao", &['ກ'..='ະ'], "Lao"),
    ("Malayalam", &['അ'..='ഹ'], "Malayalam"),
    ("Myanmar", &['က'..='ဪ'], "Myanmar"),
    ("Sinhala", &['අ'..='ෆ'], "Sinhala"),
    ("Tamil", &['அ'..='ஹ'], "Tamil"),
    ("Telugu", &['అ'..='హ'], "Telugu"),
    ("Thai", &['ก'..='ะ'], "Thai"),
    ("Tibetan", &['ཀ'..='ཬ'], "Tibetan"),
];

/// The scripts of characters that were painted as boxes.
#[derive(Clone, Debug, Default)]
pub struct MissingFonts(Arc<Mutex<Found>>);

#[derive(Debug, Default)]
struct Found {
    scripts: Vec<&'static Script>,
    /// Number of them that have been reported.
    reported: usize,
}

impl MissingFonts {
    /// Starts to look for such characters, after all other sources of fonts of the context.
    pub fn watch(ctx: &Context) -> Self {
        let missing_fonts = Self::default();
        ctx.add_font_provider(Arc::new(missing_fonts.clone()));
        missing_fonts
    }

    /// Returns a message about the scripts that were found since the last call.
    pub fn take_message(&self) -> Option<String> {
        // A panic in another place while the lock was held leaves at worst a script that is reported twice.
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let new = state.scripts.get(state.reported..)?;
        let scripts: Vec<&str> = new.iter().map(|(name, ..)| *name).collect();
        let fonts: Vec<String> = new.iter().map(|(.., font)| format!("Noto Sans {font}")).collect();
        state.reported = state.scripts.len();
        (!scripts.is_empty()).then(|| {
            format!(
                "No font for {} was found on this system, so boxes are shown instead. Install {}, or similar, and \
                 start Retake again.",
                listed(&scripts),
                listed(&fonts)
            )
        })
    }
}

impl FontProvider for MissingFonts {
    /// Notes the script and returns no font. Called once for each character that all other fonts lack.
    fn font_for(&self, request: &FallbackRequest<'_>) -> Option<FontInsert> {
        // The first character decides the script; what follows it are marks.
        let first = request.cluster.chars().next()?;
        let is_letter =
            |letters: &[RangeInclusive<char>]| letters.iter().any(|range| range.contains(&first));
        let script = SCRIPTS.iter().find(|(_, letters, _)| is_letter(letters))?;
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // egui requests each character, and a script is reported once.
        if !state.scripts.contains(&script) {
            state.scripts.push(script);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::fonts::{mono, regular};

    #[test]
    fn each_script_without_a_font_is_reported_once() {
        let ctx = Context::default();
        ctx.set_fonts(super::super::fonts::definitions());
        let missing_fonts = MissingFonts::watch(&ctx);
        let paint = |text: &str| {
            let mut output = ctx.run_ui(egui::RawInput::default(), |ui| {
                for font in [regular(13.0), mono(12.0)] {
                    ui.label(egui::RichText::new(text).font(font));
                }
            });
            output.textures_delta.clear();
            missing_fonts.take_message().unwrap_or_default()
        };
        assert_eq!(paint("Größe, Ελλάδα, Україна, ≥ 1 🚀, \u{e000}"), "");
        assert_eq!(
            paint("안녕하세요"),
            "No font for Hangul was found on this system, so boxes are shown instead. Install Noto Sans KR, or similar, \
             and start Retake again."
        );
        assert_eq!(
            paint("안녕 세계, 你好, سلام"),
            "No font for Chinese characters and Arabic was found on this system, so boxes are shown instead. Install \
             Noto Sans SC and Noto Sans Arabic, or similar, and start Retake again."
        );
        assert_eq!(paint("你们好"), "");
    }
}
