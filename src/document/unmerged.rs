//! Reads the versions in a text with git's conflict markers.

use crate::text::Source;

/// The versions of a text that could not be merged.
#[derive(Clone, Debug)]
pub struct Unmerged {
    /// The common base; the parts between markers are empty if the markers do not contain the base.
    pub base: Source,
    /// The version that was to be merged.
    pub theirs: Source,
    /// The version of this work tree.
    pub ours: Source,
}

/// The version to which lines belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MarkerSection {
    All,
    Ours,
    Base,
    Theirs,
}

impl Unmerged {
    /// Parses a text with conflict markers; `None` if there are none, or if they are not well-formed.
    pub fn read(text: &str) -> Option<Self> {
        let (mut base, mut theirs, mut ours) = (String::new(), String::new(), String::new());
        let (mut part, mut has_marker) = (MarkerSection::All, false);
        for line in text.split_inclusive('\n') {
            // The file may have CRLF.
            let marker = line.trim_end();
            let is_marker = |sign: &str| {
                let rest = marker.strip_prefix(sign);
                // A longer row of the same sign is a line of the text, such as a heading.
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            };
            part = match part {
                MarkerSection::All if is_marker("<<<<<<<") => MarkerSection::Ours,
                MarkerSection::Ours if is_marker("|||||||") => MarkerSection::Base,
                // git writes no label behind this one.
                MarkerSection::Ours | MarkerSection::Base if marker == "=======" => {
                    MarkerSection::Theirs
                }
                MarkerSection::Theirs if is_marker(">>>>>>>") => {
                    has_marker = true;
                    MarkerSection::All
                }
                part => {
                    let into: &mut [&mut String] = match part {
                        MarkerSection::All => &mut [&mut base, &mut theirs, &mut ours],
                        MarkerSection::Ours => &mut [&mut ours],
                        MarkerSection::Base => &mut [&mut base],
                        MarkerSection::Theirs => &mut [&mut theirs],
                    };
                    into.iter_mut().for_each(|text| text.push_str(line));
                    part
                }
            };
        }
        // Markers without an end may be lines of the text.
        (has_marker && part == MarkerSection::All).then(|| Self {
            base: Source::new(base),
            theirs: Source::new(theirs),
            ours: Source::new(ours),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<[String; 3]> {
        let Unmerged { base, theirs, ours } = Unmerged::read(text)?;
        Some([base, theirs, ours].map(|source| source.text().replace('\n', "|")))
    }

    #[test]
    fn each_version_is_all_that_is_common_and_its_own_parts() {
        let text =
            "a\n<<<<<<< HEAD\nours\n||||||| base\nbase\n=======\ntheirs\n>>>>>>> branch\nz\n";
        let [base, theirs, ours] = ["a|base|z|", "a|theirs|z|", "a|ours|z|"].map(str::to_owned);
        assert_eq!(read(text), Some([base, theirs, ours]));
        let crlf_text = "<<<<<<< HEAD\r\nours\r\n=======\r\n>>>>>>> branch\r\n";
        assert_eq!(read(crlf_text), Some(["".into(), "".into(), "ours\r|".into()]));
    }

    #[test]
    fn markers_that_do_not_fit_are_text() {
        for text in
            ["a\n=======\n", "<<<<<<< HEAD\na\n", "<<<<<<< a\n=======\nb\n", "", "<<<<<<<<\n"]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
