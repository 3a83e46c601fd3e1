//! The rules: what is wrong with a document, by itself and among the others. A file a rule.
