//! `format-mismatch`: found by the reader of described formats, and of a table as a whole by the reader of `retake.toml`.

rule! {
    /// A table `[[format]]` of `retake.toml` is for this file, and one of its pointers leads to no value in it. The message says how far
    /// the pointer leads.
    ///
    /// No call, or no call with both sides, is found in the file, so nothing of it is compared, searched or played. At the table itself it
    /// is reported once that it is for no file, that a pointer which is not required leads nowhere in any of its files, or that requests
    /// are where the answers should be.
    FormatMismatch {
        title: "The description of the format does not fit",
        fix: "Correct the pointer in the table [[format]], or leave the file out of its paths. In the window, Describe this format… shows what is found.",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{CheckFacts, check_document};
    use document::format::{CallPointers, FormatPart, RecordingFormat};
    use document::read_as;
    use document::text::Source;

    #[test]
    fn the_place_is_how_far_the_pointer_leads() {
        let mut pointers = CallPointers::default();
        for (part, pointer) in [
            (FormatPart::Calls, "/log"),
            (FormatPart::Request, "/req/body"),
            (FormatPart::Answer, "/res"),
        ] {
            pointer.clone_into(pointers.get_mut(part));
        }
        let format = RecordingFormat {
            name: "acme".to_owned(),
            paths: vec!["*.json".to_owned()],
            pointers: Some(pointers),
        };
        let text = r#"{"log": [{"req": {"data": {}}, "res": {"choices": []}}]}"#;
        let document = read_as(Source::new(text), "a.json", Some(&Arc::new(format)));
        let problems = check_document(&document, &CheckFacts::default());
        let lines = problems.iter().map(|problem| {
            format!("{} {} {} {}\n", problem.place, problem.rule, problem.pointer, problem.message)
        });
        insta::assert_snapshot!(lines.collect::<String>(), @"1:18 format-mismatch /log/0/req The format `acme` finds no request at `/log/*/req/body`: it ends at `/log/0/req`, an object without `body`");
    }
}
