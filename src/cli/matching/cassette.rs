//! Plays requests against a cassette, by the rules of the client that owns it.

use std::io;

use schemars::JsonSchema;
use serde::Serialize;

use super::{MatchArgs, MatchClient, MatchOutput};
use crate::output::{Output, OutputStyle, print_table, shown};
use crate::{CommandError, CommandResult, CommandVerdict, write};
use calls::cassette_config::ConfigOrigin;
use calls::secret::Mask;
use document::Severity;
use document::text::{counted, listed, some};
use engine::CassettePlayback;
use play::client::{
    CallCandidate, CassettePlayer, ClientAnswer, ClientRules, HttpRequest, Matcher, Outcome,
    PartDifference, RecordMode, RecorderClient, differ_phrase, matcher_names, matchers_named,
    shortened,
};

/// Most values of a part that are printed.
const MAX_PRINTED_VALUES: usize = 8;

/// How a cassette is played, in place of what the project says.
#[derive(Debug, clap::Args)]
pub(crate) struct CassetteOptions {
    /// What the client of a cassette compares, such as method,uri,body [default: as the project says, else the client's default].
    #[arg(long, value_name = "MATCHERS", value_delimiter = ',')]
    match_on: Vec<String>,
    /// When the client of a cassette plays and records: none, once, new_episodes, any or all [default: as the project says, else the
    /// client's default].
    #[arg(long, value_name = "MODE", value_parser = |name: &str| RecordMode::named(name).ok_or("no record mode"))]
    record_mode: Option<RecordMode>,
    /// Let the client of a cassette play a call repeatedly.
    #[arg(long)]
    allow_repeats: bool,
    /// The version of vcrpy [default: 9.4].
    #[arg(long, value_name = "MAJOR.MINOR", value_parser = parse_version)]
    client_version: Option<(u16, u16)>,
}

fn parse_version(text: &str) -> Result<(u16, u16), &'static str> {
    let (major, minor) = text.split_once('.').unwrap_or((text, "0"));
    let minor = minor.split('.').next().unwrap_or(minor);
    let number = |text: &str| text.parse().map_err(|_| "expected two numbers, such as 8.5");
    Ok((number(major)?, number(minor)?))
}

impl CassetteOptions {
    /// Returns whether one is given, so that the set is a cassette.
    pub(super) fn is_given(&self) -> bool {
        !self.match_on.is_empty()
            || self.record_mode.is_some()
            || self.allow_repeats
            || self.client_version.is_some()
    }

    /// Returns the rules of a client: those of the options, else those of the project.
    pub(crate) fn rules(
        &self,
        playback: &CassettePlayback,
        client: Option<RecorderClient>,
    ) -> Result<ClientRules, String> {
        let configured = playback.facts.client.as_ref().map(|(client, _)| (*client).into());
        let client = client.or(configured).or(playback.client).ok_or_else(|| {
            let names: Vec<&str> =
                RecorderClient::ALL.iter().map(|client| client.as_str()).collect();
            format!(
                "{}: it is not known which client plays it; name one with --client: {}",
                shown(&playback.path),
                names.join(", ")
            )
        })?;
        let mut facts = playback.facts.clone();
        if !self.match_on.is_empty() {
            facts.match_on = None;
        }
        let mut rules = ClientRules::configured(client, &facts)?;
        if !self.match_on.is_empty() {
            let names: Vec<Box<str>> =
                self.match_on.iter().map(|name| name.trim().into()).collect();
            rules.matchers = matchers_named(client, &names).ok_or_else(|| {
                let known: Vec<&str> = client.matchers().iter().map(|m| m.as_str()).collect();
                format!("--match-on: {} compares {}", client.as_str(), listed(&known))
            })?;
        }
        if let Some(mode) = self.record_mode {
            rules.mode = mode;
            rules.origins.mode = None;
        }
        rules.repeats |= self.allow_repeats;
        rules.version = self.client_version.unwrap_or(rules.version);
        Ok(rules)
    }
}

/// Plays the requests, if the set is a cassette.
pub(super) fn run(arguments: &MatchArgs) -> Option<CommandResult> {
    let client = match arguments.played.client {
        Some(MatchClient::Recorder(client)) => Some(client),
        Some(MatchClient::DyGram(_)) => return None,
        None => None,
    };
    let played = &arguments.played;
    let is_expected = client.is_some() || arguments.cassette.is_given();
    let playback = engine::read_cassette_playback(
        &played.recordings,
        &played.requests,
        arguments.root.as_deref(),
        is_expected,
    );
    match playback.map_err(|error| super::playback_message(&error)) {
        Ok(None) if is_expected => {
            let path = played.recordings.to_string_lossy();
            Some(Err(CommandError(format!(
                "{}: expected a cassette, found a folder",
                shown(&path)
            ))))
        }
        Ok(None) => None,
        Ok(Some(playback)) => Some(play(arguments, client, &playback)),
        // What cannot be opened as a cassette is reported as a set, which says the same of any path.
        Err(_) if !is_expected && played.recordings.is_dir() => None,
        Err(reason) => Some(stopped(arguments, reason)),
    }
}

/// Ends without a verdict and writes the reason to stderr and into the JSON.
fn stopped(arguments: &MatchArgs, reason: String) -> CommandResult {
    if arguments.json {
        let document =
            CassetteMatchDocument { error: Some(&reason), ..CassetteMatchDocument::default() };
        write(arguments.look.color, |output| output.document(&MatchOutput::Cassette(document)))?;
    }
    Err(CommandError(reason))
}

fn play(
    arguments: &MatchArgs,
    client: Option<RecorderClient>,
    playback: &CassettePlayback,
) -> CommandResult {
    let player = arguments.cassette.rules(playback, client).and_then(|rules| {
        let state = playback.state(&rules)?;
        let client = rules.client.as_str();
        CassettePlayer::new(playback.calls.clone(), state, rules)
            .map_err(|error| format!("{client} fails with {error} when it loads {}", playback.path))
    });
    let mut player = match player {
        Ok(player) => player,
        Err(reason) => return stopped(arguments, reason),
    };
    let answers: Vec<ClientAnswer> =
        playback.requests.iter().map(|(_, request)| player.answer(request)).collect();
    let nearest = arguments.nearest.unwrap_or(if arguments.json { 20 } else { 3 });
    let run = CassetteRun { playback, player: &player };
    let document = run.document(&answers, nearest);
    let fails = |call: &CassetteMatchCall<'_>| {
        call.outcome == REFUSED || arguments.strict && call.is_of_other
    };
    let has_failed = document.calls.iter().any(fails);
    write(arguments.look.color, |output| {
        output.hide(Mask::default());
        if arguments.json {
            output.document(&MatchOutput::Cassette(document))
        } else {
            run.print(output, &document)
        }
    })?;
    Ok(CommandVerdict::new(false, has_failed))
}

/// The word in JSON for a request without an answer.
const REFUSED: &str = "refused";

/// A cassette and its client, after all requests were played.
struct CassetteRun<'a> {
    playback: &'a CassettePlayback,
    player: &'a CassettePlayer,
}

/// Returns a verdict in a few words. `uncompared` are the parts in which the request differs from the call that answers it.
fn verdict(outcome: &Outcome, uncompared: &[Matcher]) -> String {
    match outcome {
        Outcome::Played { is_repeat, .. } => {
            let again = if *is_repeat { " again" } else { "" };
            match &matcher_names(uncompared)[..] {
                [] => format!("Played{again}"),
                names => format!("Played{again}, recorded for another {}", listed(names)),
            }
        }
        Outcome::PlayedNew(number) => format!("Plays what request {} recorded", number + 1),
        Outcome::Consumed(_) => "Refused: already played".to_owned(),
        Outcome::NoMatch(_) => "Refused: no call matches".to_owned(),
        Outcome::NoCassette => "Refused: there is no cassette".to_owned(),
        Outcome::Recorded => "Sent and recorded".to_owned(),
        Outcome::Ignored => "Sent: its host is ignored".to_owned(),
        Outcome::Raised(error) => format!("Fails with {error}"),
    }
}

/// Returns all verdicts as a sentence.
fn title(calls: &[CassetteMatchCall<'_>]) -> String {
    let count =
        |is_counted: fn(&&CassetteMatchCall<'_>) -> bool| calls.iter().filter(is_counted).count();
    let failed = count(|call| call.outcome == REFUSED);
    let other = count(|call| call.is_of_other);
    let sent = count(|call| call.outcome == "recorded");
    let of = counted(calls.len(), "request", "requests");
    let gets = |count| if count == 1 { "gets" } else { "get" };
    match (failed, other) {
        (0, 0) if sent > 0 => {
            let them = if sent == 1 { "it" } else { "them" };
            format!("{sent} of {of} would go to the real server: no call is played for {them}.")
        }
        (0, 0) if calls.len() == 1 => "The request is answered.".to_owned(),
        (0, 0) => format!("All {of} are answered."),
        (0, other) => format!("{other} of {of} {} the answer to another request.", gets(other)),
        (failed, _) => format!("{failed} of {of} {} no answer.", gets(failed)),
    }
}

/// Returns a request in a few words.
fn described(method: Option<&str>, url: Option<&str>) -> String {
    shortened(&format!("{} {}", method.unwrap_or("?"), url.unwrap_or("(address not known)")))
}

fn with_origin(text: &str, place: Option<&str>) -> String {
    place.map_or_else(|| text.to_owned(), |place| format!("{text} ({place})"))
}

impl CassetteRun<'_> {
    fn print(&self, output: &mut Output, run: &CassetteMatchDocument<'_>) -> io::Result<()> {
        let rules = self.player.rules();
        let version = run.version.iter().map(|version| format!(" {version}"));
        let client = format!("{}{}", rules.client.name(), version.collect::<String>());
        let client_at = rules.origins.client.as_ref().map(ToString::to_string);
        let mut lines = vec![
            format!(
                "{}: {}, played by {}",
                self.playback.path,
                counted(self.playback.calls.len(), "call", "calls"),
                with_origin(&client, client_at.as_deref())
            ),
            format!(
                "Compared: {}",
                with_origin(&listed(&run.compared), run.compared_at.as_deref())
            ),
            format!("Record mode: {}", with_origin(run.record_mode, run.record_mode_at.as_deref())),
        ];
        if run.repeats {
            lines.push(with_origin("Calls may repeat", run.repeats_at.as_deref()));
        }
        for (label, settings) in [("Filtered", &run.filtered), ("Not applied", &run.not_applied)] {
            if !settings.is_empty() {
                lines.push(format!("{label}: {}", listed(settings)));
            }
        }
        for line in lines {
            output.line(&output.styled(OutputStyle::Quiet, &shown(&line)))?;
        }
        output.line("")?;
        output.line(&output.styled(OutputStyle::Strong, &run.verdict))?;
        let row = |call: &CassetteMatchCall<'_>| {
            let style = if call.outcome == REFUSED {
                OutputStyle::Of(Severity::Error)
            } else if call.is_of_other {
                OutputStyle::Of(Severity::Warning)
            } else {
                OutputStyle::Plain
            };
            let played = call.index.map_or_else(|| "none".to_owned(), |at| (at + 1).to_string());
            let sent = shown(&described(call.method, call.url)).into_owned();
            (style, [call.number.to_string(), sent, played, call.verdict.clone()])
        };
        let rows: Vec<_> = run.calls.iter().map(row).collect();
        print_table(output, ["Request", "Sent", "Call", "Verdict"], &rows)?;
        run.calls.iter().try_for_each(|call| self.print_reasons(output, call))?;
        let unplayed = self.player.unplayed();
        if !unplayed.is_empty() {
            let numbers: Vec<String> = unplayed.iter().map(|i| (i + 1).to_string()).collect();
            let word = if numbers.len() == 1 { "call" } else { "calls" };
            output.line("")?;
            output.line(&format!("Never played: {word} {}", some(&numbers, MAX_PRINTED_VALUES)))?;
        }
        Ok(())
    }

    /// Prints why a request has no answer, or in what it differs from the one that was recorded with its answer.
    fn print_reasons(&self, output: &mut Output, call: &CassetteMatchCall<'_>) -> io::Result<()> {
        let mut lines = Vec::new();
        if !call.unknown.is_empty() {
            lines.push(format!("  not known of the request: {}", listed(&call.unknown)));
        }
        if let Some(index) = call.index.filter(|_| call.is_of_other) {
            lines.push(format!("  call {} differs in what is not compared:", index + 1));
            lines.extend(value_lines(&call.differences));
        }
        for rejected in &call.rejected {
            let call = self.playback.calls.get(rejected.index).map(|call| &call.request);
            let request = call.map(|r| described(r.method.as_deref(), r.url.as_deref()));
            let reason = match &rejected.failed[..] {
                [] => "matches, and was already played".to_owned(),
                failed => differ_phrase(failed),
            };
            let number = rejected.index + 1;
            lines.push(format!("  call {number} {}: {reason}", request.unwrap_or_default()));
            lines.extend(value_lines(&rejected.differences));
        }
        let more = call.rejected_count - call.rejected.len();
        if more > 0 && !call.rejected.is_empty() {
            lines.push(format!("  and {}", counted(more, "other call", "other calls")));
        }
        if lines.is_empty() {
            return Ok(());
        }
        output.line("")?;
        let title = format!("Request {}: {}", call.number, call.verdict);
        output.line(&output.styled(OutputStyle::Strong, &shown(&title)))?;
        lines.iter().try_for_each(|line| output.line(&shown(line)))
    }
}

/// Returns a line for each value that differs.
fn value_lines(values: &[ValueJson]) -> Vec<String> {
    let mut lines = Vec::new();
    for part in values.chunk_by(|a, b| a.matcher == b.matcher) {
        for ValueJson { matcher, pointer, sent, recorded } in part.iter().take(MAX_PRINTED_VALUES) {
            let blank = if pointer.is_empty() { "" } else { " " };
            let [sent, recorded] = [sent, recorded]
                .map(|text| text.as_deref().map_or_else(|| "none".to_owned(), shortened));
            lines.push(format!("    {matcher}{blank}{pointer}: sent {sent}, recorded {recorded}"));
        }
        let more = part.len().saturating_sub(MAX_PRINTED_VALUES);
        if more > 0 {
            lines.push(format!("    and {}", counted(more, "other value", "other values")));
        }
    }
    lines
}

/// A run against a cassette.
#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct CassetteMatchDocument<'r> {
    client: &'static str,
    /// Of vcrpy.
    version: Option<String>,
    /// What the client compares, and the place where that is set.
    compared: Vec<&'static str>,
    compared_at: Option<String>,
    record_mode: &'static str,
    record_mode_at: Option<String>,
    repeats: bool,
    repeats_at: Option<String>,
    /// Settings that filter requests before they are compared, with their places.
    filtered: Vec<String>,
    /// Settings that only a run knows, such as functions, with their places.
    not_applied: Vec<String>,
    verdict: String,
    calls: Vec<CassetteMatchCall<'r>>,
    unused: Vec<String>,
    /// Calls that the client cannot distinguish.
    ambiguous: Vec<Vec<String>>,
    error: Option<&'r str>,
}

#[derive(Serialize, JsonSchema)]
struct CassetteMatchCall<'r> {
    number: usize,
    request: &'r str,
    method: Option<&'r str>,
    url: Option<&'r str>,
    /// `played`, `repeat`, `recorded` or `refused`.
    outcome: &'static str,
    recording: Option<String>,
    /// Position in the cassette, from 0.
    index: Option<usize>,
    reused: bool,
    verdict: String,
    /// Compared parts that are not known of the request, and taken for equal.
    unknown: Vec<&'static str>,
    /// What differs from the request of the call that answers, though it is not compared.
    differences: Vec<ValueJson>,
    /// Nearest first; `rejected_count` is the total number.
    rejected: Vec<RejectedCall>,
    rejected_count: usize,
    /// Whether the call that answers was recorded for another request.
    #[serde(skip)]
    is_of_other: bool,
}

#[derive(Serialize, JsonSchema)]
struct RejectedCall {
    recording: String,
    index: usize,
    /// The matchers that failed; none if the call was already played.
    matchers: Vec<&'static str>,
    succeeded: Vec<&'static str>,
    differences: Vec<ValueJson>,
    #[serde(skip)]
    failed: Vec<Matcher>,
}

#[derive(Serialize, JsonSchema)]
struct ValueJson {
    matcher: &'static str,
    /// A JSON Pointer in a body, or the name of a header or of a field of a query.
    pointer: String,
    sent: Option<String>,
    recorded: Option<String>,
}

fn value_rows(parts: Vec<PartDifference>) -> Vec<ValueJson> {
    let rows = parts.into_iter().flat_map(|part| {
        part.values.into_iter().map(move |value| ValueJson {
            matcher: part.matcher.as_str(),
            pointer: value.place,
            sent: value.sent,
            recorded: value.recorded,
        })
    });
    rows.collect()
}

impl CassetteRun<'_> {
    fn document(&self, answers: &[ClientAnswer], nearest: usize) -> CassetteMatchDocument<'_> {
        let rules = self.player.rules();
        let place = |origin: &Option<ConfigOrigin>| origin.as_ref().map(ToString::to_string);
        let settings = |list: &[(Box<str>, ConfigOrigin)]| {
            list.iter().map(|(key, origin)| format!("{key} ({origin})")).collect()
        };
        let names = |indices: Vec<usize>| indices.into_iter().map(|i| self.call_name(i)).collect();
        let numbers = 0..answers.len();
        let calls: Vec<_> = numbers.map(|at| self.call(at, &answers[at], nearest)).collect();
        CassetteMatchDocument {
            client: rules.client.as_str(),
            version: (rules.client == RecorderClient::Vcrpy)
                .then(|| format!("{}.{}", rules.version.0, rules.version.1)),
            compared: matcher_names(&rules.matchers),
            compared_at: place(&rules.origins.matchers),
            record_mode: rules.mode.as_str(),
            record_mode_at: place(&rules.origins.mode),
            repeats: rules.repeats,
            repeats_at: place(&rules.origins.repeats),
            filtered: settings(&rules.origins.filters),
            not_applied: settings(&rules.origins.unread),
            verdict: title(&calls),
            calls,
            unused: names(self.player.unplayed()),
            ambiguous: self.player.equal_calls().into_iter().map(names).collect(),
            error: None,
        }
    }

    fn call_name(&self, index: usize) -> String {
        format!("{}#{}", self.playback.path, index + 1)
    }

    /// Returns the calls that do not match a request, the nearest first: those that its client names, then the others.
    fn candidates(&self, request: &HttpRequest, outcome: &Outcome) -> Vec<CallCandidate> {
        match outcome {
            Outcome::NoMatch(candidates) => {
                let mut all = candidates.clone();
                let rest = self.player.candidates(request).into_iter();
                all.extend(rest.filter(|c| !candidates.iter().any(|named| named.index == c.index)));
                all
            }
            Outcome::Consumed(indices) => {
                let candidate = |index: &usize| CallCandidate {
                    index: *index,
                    succeeded: self.player.rules().matchers.clone(),
                    failed: Vec::new(),
                };
                indices.iter().map(candidate).collect()
            }
            _ => Vec::new(),
        }
    }

    fn call(&self, at: usize, answer: &ClientAnswer, nearest: usize) -> CassetteMatchCall<'_> {
        let (name, request) = &self.playback.requests[at];
        let outcome = &answer.outcome;
        let index = outcome.played();
        let uncompared =
            index.map_or_else(Vec::new, |index| self.player.uncompared_differences(request, index));
        let values = |index: usize, parts: &[Matcher]| {
            value_rows(self.player.differences(request, index, parts))
        };
        let candidates = self.candidates(request, outcome);
        let rejected_count = candidates.len();
        let rejected = candidates.into_iter().take(nearest).map(|candidate| RejectedCall {
            recording: self.call_name(candidate.index),
            index: candidate.index,
            matchers: matcher_names(&candidate.failed),
            succeeded: matcher_names(&candidate.succeeded),
            differences: values(candidate.index, &candidate.failed),
            failed: candidate.failed,
        });
        CassetteMatchCall {
            number: at + 1,
            request: name,
            method: request.method.as_deref(),
            url: request.url.as_deref(),
            outcome: outcome.as_str(),
            recording: index.map(|index| self.call_name(index)),
            index,
            reused: matches!(outcome, Outcome::Played { is_repeat: true, .. }),
            verdict: verdict(outcome, &uncompared),
            unknown: matcher_names(&answer.unknown),
            differences: index.map_or_else(Vec::new, |index| values(index, &uncompared)),
            rejected: rejected.collect(),
            rejected_count,
            is_of_other: !uncompared.is_empty(),
        }
    }
}
