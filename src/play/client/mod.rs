//! Which call of a cassette answers a request, by the rules of the client that plays it.
//!
//! [`ClientRules`] are the settings of a client, each with the place where it is set; [`CassettePlayer`] plays the calls of a cassette by
//! them, request by request, and says of one that no call matches which are the nearest and in which parts they differ. [`CassettePlay`]
//! plays the requests of a cassette themselves, and [`CallGroups`] finds the calls that a client cannot distinguish.
//!
//! **Verified against the clients**: vcrpy 6 to 9, cassetter, httpmock and aimock answer generated requests in `tests/owner`, and these rules
//! must give the same answers; the others are played as they document it.
//!
//! **What is not known** of a request, as of one that only a log shows, is taken for equal, and reported with the answer. Functions of
//! the user, such as `before_record_request` of vcrpy, are not run; [`RuleOrigins::unread`] lists them.
//!
//! **What is not simulated**: bodies of XML-RPC, which vcrpy compares as values, are compared as bytes; and what cassetter hides in bodies
//! of text, by patterns, is compared as it was sent.

mod address;
mod call_groups;
mod cassette_play;
mod changed_choices;
mod difference;
mod fixture;
mod http_request;
mod json_form;
mod matcher;
mod mock;
mod player;
mod request_filter;
mod rules;
#[cfg(test)]
mod tests;

pub use address::AddressParts;
pub use call_groups::{CallGroups, NumberedCall, knows_matchers};
pub use cassette_play::{CassetteCall, CassettePlay, SentDifference};
pub use changed_choices::ChangedChoices;
pub(crate) use difference::{NO_VALUE, described_change, differing_words, shown_words};
pub use difference::{PartDifference, ValueDifference, shortened};
pub use http_request::{HttpRequest, RequestBody};
pub(crate) use json_form::json_path;
pub use matcher::{Matcher, differ_phrase, matcher_names};
pub use player::{
    CallCandidate, CassettePlayer, CassetteState, ClientAnswer, Outcome, RecordedRequest,
};
pub use request_filter::{Replacement, RequestFilters};
pub use rules::{ClientRules, RecordMode, RecorderClient, RuleOrigins, matchers_named};
