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

/// A request with its answer.
struct AnsweredRequest<'a> {
    number: usize,
    name: &'a str,
    request: &'a HttpRequest,
    answer: ClientAnswer,
    /// Parts in which it differs from the call that answers it.
    uncompared: Vec<Matcher>,
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
    let answered = (1..).zip(&playback.requests).map(|(number, (name, request))| {
        let answer = player.answer(request);
        let index = answer.outcome.played();
        let uncompared = index.map(|index| player.uncompared_differences(request, index));
        let uncompared = uncompared.unwrap_or_default();
        AnsweredRequest { number, name, request, answer, uncompared }
    });
    let answered: Vec<AnsweredRequest<'_>> = answered.collect();
    let run = CassetteRun { playback, player: &player, answered: &answered };
    let nearest = arguments.nearest.unwrap_or(if arguments.json { 20 } else { 3 });
    write(arguments.look.color, |output| {
        output.hide(Mask::default());
        if arguments.json {
            output.document(&MatchOutput::Cassette(run.document(nearest)))
        } else {
            run.print(output, nearest)
        }
    })?;
    let fails = |answered: &AnsweredRequest<'_>| {
        answered.answer.outcome.is_failure() || arguments.strict && !answered.uncompared.is_empty()
    };
    Ok(CommandVerdict::new(false, answered.iter().any(fails)))
}

/// A run of requests against a cassette.
struct CassetteRun<'a> {
    playback: &'a CassettePlayback,
    player: &'a CassettePlayer,
    answered: &'a [AnsweredRequest<'a>],
}

impl AnsweredRequest<'_> {
    /// Returns the verdict in a few words.
    fn verdict(&self) -> String {
        match &self.answer.outcome {
            Outcome::Played { is_repeat, .. } => {
                let again = if *is_repeat { " again" } else { "" };
                let names = matcher_names(&self.uncompared);
                if names.is_empty() {
                    format!("Played{again}")
                } else {
                    format!("Played{again}, recorded for another {}", listed(&names))
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

    fn style(&self) -> OutputStyle {
        if self.answer.outcome.is_failure() {
            OutputStyle::Of(Severity::Error)
        } else if !self.uncompared.is_empty() {
            OutputStyle::Of(Severity::Warning)
        } else {
            OutputStyle::Plain
        }
    }
}

/// Returns a request in a few words.
fn described(request: &HttpRequest) -> String {
    let method = request.method.as_deref().unwrap_or("?");
    format!("{method} {}", request.url.as_deref().unwrap_or("(address not known)"))
}

fn with_origin(text: &str, origin: Option<&ConfigOrigin>) -> String {
    origin.map_or_else(|| text.to_owned(), |origin| format!("{text} ({origin})"))
}

impl CassetteRun<'_> {
    fn call_name(&self, index: usize) -> String {
        format!("{}#{}", self.playback.path, index + 1)
    }

    fn unplayed(&self) -> Vec<usize> {
        self.player.unplayed()
    }

    /// Returns the calls that do not match a request, the nearest first: those that its client names, then the others.
    fn candidates(&self, answered: &AnsweredRequest<'_>) -> Vec<CallCandidate> {
        match &answered.answer.outcome {
            Outcome::NoMatch(candidates) => {
                let mut all = candidates.clone();
                let named: Vec<usize> = all.iter().map(|candidate| candidate.index).collect();
                let rest = self.player.candidates(answered.request);
                all.extend(rest.into_iter().filter(|c| !named.contains(&c.index)));
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

    fn print(&self, output: &mut Output, nearest: usize) -> io::Result<()> {
        let rules = self.player.rules();
        let version = match rules.client {
            RecorderClient::Vcrpy => format!(" {}.{}", rules.version.0, rules.version.1),
            _ => String::new(),
        };
        let client = format!("{}{version}", rules.client.name());
        let calls = counted(self.playback.calls.len(), "call", "calls");
        let head = format!(
            "{}: {calls}, played by {}",
            shown(&self.playback.path),
            with_origin(&client, rules.origins.client.as_ref())
        );
        output.line(&output.styled(OutputStyle::Quiet, &head))?;
        let compared = listed(&matcher_names(&rules.matchers));
        let mut lines = vec![
            format!("Compared: {}", with_origin(&compared, rules.origins.matchers.as_ref())),
            format!(
                "Record mode: {}",
                with_origin(rules.mode.as_str(), rules.origins.mode.as_ref())
            ),
        ];
        if rules.repeats {
            lines.push(with_origin("Calls may repeat", rules.origins.repeats.as_ref()));
        }
        for (label, settings) in
            [("Filtered", &rules.origins.filters), ("Not applied", &rules.origins.unread)]
        {
            let settings: Vec<String> =
                settings.iter().map(|(key, origin)| format!("{key} ({origin})")).collect();
            if !settings.is_empty() {
                lines.push(format!("{label}: {}", listed(&settings)));
            }
        }
        for line in lines {
            output.line(&output.styled(OutputStyle::Quiet, &shown(&line)))?;
        }
        output.line("")?;
        output.line(&output.styled(OutputStyle::Strong, &self.title()))?;
        self.print_table(output)?;
        for answered in self.answered {
            self.print_reasons(output, answered, nearest)?;
        }
        let unplayed = self.unplayed();
        if !unplayed.is_empty() {
            let numbers: Vec<String> = unplayed.iter().map(|i| (i + 1).to_string()).collect();
            let word = if numbers.len() == 1 { "call" } else { "calls" };
            output.line("")?;
            output.line(&format!("Never played: {word} {}", some(&numbers, MAX_PRINTED_VALUES)))?;
        }
        Ok(())
    }

    fn title(&self) -> String {
        let failed = self.answered.iter().filter(|a| a.answer.outcome.is_failure()).count();
        let other = self.answered.iter().filter(|a| !a.uncompared.is_empty()).count();
        let is_sent = |a: &&AnsweredRequest<'_>| {
            matches!(a.answer.outcome, Outcome::Ignored | Outcome::Recorded)
        };
        let sent = self.answered.iter().filter(is_sent).count();
        let of = counted(self.answered.len(), "request", "requests");
        match (failed, other) {
            (0, 0) if sent > 0 => {
                let them = if sent == 1 { "it" } else { "them" };
                format!("{sent} of {of} would go to the real server: no call is played for {them}.")
            }
            (0, 0) if self.answered.len() == 1 => "The request is answered.".to_owned(),
            (0, 0) => format!("All {of} are answered."),
            (0, other) => {
                let verb = if other == 1 { "gets" } else { "get" };
                format!("{other} of {of} {verb} the answer to another request.")
            }
            (failed, _) => {
                let verb = if failed == 1 { "gets" } else { "get" };
                format!("{failed} of {of} {verb} no answer.")
            }
        }
    }

    fn print_table(&self, output: &mut Output) -> io::Result<()> {
        let row = |answered: &AnsweredRequest<'_>| {
            let index = answered.answer.outcome.played();
            let cells = [
                answered.number.to_string(),
                shown(&shortened(&described(answered.request))).into_owned(),
                index.map_or_else(|| "none".to_owned(), |index| (index + 1).to_string()),
                answered.verdict(),
            ];
            (answered.style(), cells)
        };
        let rows: Vec<_> = self.answered.iter().map(row).collect();
        print_table(output, ["Request", "Sent", "Call", "Verdict"], &rows)
    }

    /// Prints why a request has no answer, or in what it differs from the one that was recorded with its answer.
    fn print_reasons(
        &self,
        output: &mut Output,
        answered: &AnsweredRequest<'_>,
        nearest: usize,
    ) -> io::Result<()> {
        let mut lines = Vec::new();
        let unknown = matcher_names(&answered.answer.unknown);
        if !unknown.is_empty() {
            lines.push(format!("  not known of the request: {}", listed(&unknown)));
        }
        if let Some(index) = answered.answer.outcome.played()
            && !answered.uncompared.is_empty()
        {
            lines.push(format!("  call {} differs in what is not compared:", index + 1));
            let parts = self.player.differences(answered.request, index, &answered.uncompared);
            lines.extend(value_lines(&parts));
        }
        let candidates = self.candidates(answered);
        for candidate in candidates.iter().take(nearest) {
            let request = self.playback.calls.get(candidate.index).map(|call| &call.request);
            let described = request.map(described).unwrap_or_default();
            let reason = match &candidate.failed[..] {
                [] => "matches, and was already played".to_owned(),
                failed => differ_phrase(failed),
            };
            lines.push(format!(
                "  call {} {}: {reason}",
                candidate.index + 1,
                shortened(&described)
            ));
            let parts =
                self.player.differences(answered.request, candidate.index, &candidate.failed);
            lines.extend(value_lines(&parts));
        }
        let more = candidates.len().saturating_sub(nearest);
        if more > 0 && nearest > 0 {
            lines.push(format!("  and {}", counted(more, "other call", "other calls")));
        }
        if lines.is_empty() {
            return Ok(());
        }
        output.line("")?;
        let title = format!("Request {}: {}", answered.number, answered.verdict());
        output.line(&output.styled(OutputStyle::Strong, &shown(&title)))?;
        lines.iter().try_for_each(|line| output.line(&shown(line)))
    }
}

/// Returns a line for each value that differs.
fn value_lines(parts: &[PartDifference]) -> Vec<String> {
    let mut lines = Vec::new();
    for part in parts {
        for value in part.values.iter().take(MAX_PRINTED_VALUES) {
            let text = |text: &Option<String>| {
                text.as_deref().map_or_else(|| "none".to_owned(), shortened)
            };
            lines.push(format!(
                "    {}{}: sent {}, recorded {}",
                part.matcher.as_str(),
                if value.place.is_empty() { String::new() } else { format!(" {}", value.place) },
                text(&value.sent),
                text(&value.recorded)
            ));
        }
        let more = part.values.len().saturating_sub(MAX_PRINTED_VALUES);
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
}

#[derive(Serialize, JsonSchema)]
struct RejectedCall {
    recording: String,
    index: usize,
    /// The matchers that failed; none if the call was already played.
    matchers: Vec<&'static str>,
    succeeded: Vec<&'static str>,
    differences: Vec<ValueJson>,
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
    fn document(&self, nearest: usize) -> CassetteMatchDocument<'_> {
        let rules = self.player.rules();
        let place = |origin: &Option<ConfigOrigin>| origin.as_ref().map(ToString::to_string);
        let settings = |list: &[(Box<str>, ConfigOrigin)]| {
            list.iter().map(|(key, origin)| format!("{key} ({origin})")).collect()
        };
        let names = |indices: Vec<usize>| indices.into_iter().map(|i| self.call_name(i)).collect();
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
            verdict: self.title(),
            calls: self.answered.iter().map(|answered| self.call(answered, nearest)).collect(),
            unused: names(self.unplayed()),
            ambiguous: self.player.equal_calls().into_iter().map(names).collect(),
            error: None,
        }
    }

    fn call<'r>(&self, answered: &'r AnsweredRequest<'_>, nearest: usize) -> CassetteMatchCall<'r> {
        let outcome = &answered.answer.outcome;
        let index = outcome.played();
        let candidates = self.candidates(answered);
        let rejected = candidates.iter().take(nearest).map(|candidate| RejectedCall {
            recording: self.call_name(candidate.index),
            index: candidate.index,
            matchers: matcher_names(&candidate.failed),
            succeeded: matcher_names(&candidate.succeeded),
            differences: value_rows(self.player.differences(
                answered.request,
                candidate.index,
                &candidate.failed,
            )),
        });
        CassetteMatchCall {
            number: answered.number,
            request: answered.name,
            method: answered.request.method.as_deref(),
            url: answered.request.url.as_deref(),
            outcome: outcome.as_str(),
            recording: index.map(|index| self.call_name(index)),
            index,
            reused: matches!(outcome, Outcome::Played { is_repeat: true, .. }),
            verdict: answered.verdict(),
            unknown: matcher_names(&answered.answer.unknown),
            differences: index.map_or_else(Vec::new, |index| {
                let parts = &answered.uncompared;
                value_rows(self.player.differences(answered.request, index, parts))
            }),
            rejected: rejected.collect(),
            rejected_count: candidates.len(),
        }
    }
}
