//! Sentences in which text between backticks is data.

use egui::text::{LayoutJob, TextFormat};
use egui::{Color32, FontId};

use crate::theme;

/// Lays out a sentence. Text between backticks is set in the data font, without the backticks.
pub fn sentence(text: &str, font: FontId, color: Color32, data: Color32, width: f32) -> LayoutJob {
    // Half a point smaller than the text around it, so that the baselines of both fonts meet.
    let size = font.size - 0.5;
    let is_bold = font.family == theme::semibold(size).family;
    let mono = if is_bold { theme::mono_bold(size) } else { theme::mono(size) };
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    // An odd number of backticks is no markup but text, such as a quoted backtick in a message.
    let is_paired = text.split('`').count() % 2 == 1;
    for (index, piece) in text.split('`').enumerate() {
        let format = match (index % 2 == 1, is_paired) {
            (true, true) => TextFormat::simple(mono.clone(), data),
            _ => TextFormat::simple(font.clone(), color),
        };
        if index > 0 && !is_paired {
            job.append("`", 0.0, format.clone());
        }
        job.append(piece, 0.0, format);
    }
    job
}

#[cfg(test)]
mod tests {
    use super::sentence;

    #[test]
    fn paired_backticks_are_removed_and_a_single_one_stays() {
        let text = |text: &str| {
            let font = egui::FontId::proportional(12.5);
            sentence(text, font, egui::Color32::WHITE, egui::Color32::RED, 300.0).text
        };
        assert_eq!(text("One more `response` is expected"), "One more response is expected");
        assert_eq!(text("a ` alone"), "a ` alone");
    }
}
