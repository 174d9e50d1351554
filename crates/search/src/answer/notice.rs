//! What a reader should know beside an answer.
//!
//! A notice has a code, which programs go by, and data. One table, the one below, words it: `message` is made
//! from it, and so is `pkg/notices.js`, from which pages word notices in other languages.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Writes the enum of codes, and their wordings.
macro_rules! notices {
    ($($(#[doc = $doc:literal])* $code:ident: $name:literal => $wording:literal,)*) => {
        /// What a notice is about: what programs go by, whatever its words.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
        pub enum NoticeCode {
            $(#[doc = $wording] $(#[doc = $doc])* #[serde(rename = $name)] $code,)*
        }

        impl NoticeCode {
            /// All that there are.
            pub const ALL: &[NoticeCode] = &[$(NoticeCode::$code),*];

            /// Its name in JavaScript and JSON.
            #[inline(always)]
            pub const fn name(self) -> &'static str {
                match self { $(NoticeCode::$code => $name),* }
            }

            /// Its sentence in English, with places `{text}`, `{n}` and `{of}`. A caller compiles in only
            /// those it names.
            #[inline(always)]
            pub const fn wording(self) -> &'static str {
                match self { $(NoticeCode::$code => $wording),* }
            }
        }
    };
}

notices! {
    Missing: "missing" => "Parts of the documents could not be loaded: {text}.",
    /// Words of the question stand in no passage that was found.
    Absent: "absent" => "No passage that was found mentions {text}.",
    /// Passages state different values, and none is later.
    Disagree: "disagree" => "The documents disagree: they state different values for this.",
    /// What is quoted holds for a time, or no longer.
    Outdated: "outdated" => "Mind when this holds: {text}.",
    /// The language model gave no answer, and the documents are quoted; the answer's `failure` has more.
    Quoted: "quoted-instead" => "{text} This answer is quoted from the documents instead.",
    /// The language model gave no answer, and the knowledge graph answers; the answer's `failure` has more.
    FromGraph: "graph-instead" => "{text} This answer is what the plan found in the knowledge graph.",
    NotAsked: "not-asked" => "The language model was not asked: {text}.",
    FewerPassages: "fewer-passages" => "The model's context window is small: it was given fewer passages \
        than were found.",
    /// An endpoint read less of a prompt than it was sent.
    ReadInPart: "read-in-part" => "The endpoint read {n} tokens of a prompt of some {of}: its context window \
        may be too small for \
        the passages.",
    PassageCut: "passage-cut" => "The best passage was cut to fit the token budget.",
    PassagesLeftOut: "passages-left-out" => "{n} of {of} passages did not fit the token budget.",
    EvidenceLeftOut: "evidence-left-out" => "The model's context window is small: the oldest evidence was \
        left out.",
    CutLength: "cut-length" => "The answer is longer than what was allowed, and was cut at its token budget.",
    CutTime: "cut-time" => "The answer was cut when its time was used up.",
    CutLoop: "cut-loop" => "The answer was cut because the model repeated itself.",
    CutFilter: "cut-filter" => "The endpoint's content filter cut the answer.",
    Dangling: "dangling" => "The answer cites passages that do not exist: {text}.",
    Uncited: "uncited" => "The answer cites no passage: nothing in it could be checked.",
    Unchecked: "unchecked" => "The answer holds too many citations; the last ones were not checked.",
    /// Nothing was planned over a knowledge graph: it concerns who looks into plans, and no reader.
    Unplanned: "unplanned" => "There is no plan: {text}.",
    PlannerFailed: "planner-failed" => "The trained planner could not be asked: {text}.",
    PlanStopped: "plan-stopped" => "The plan was not carried out to its end: {text}.",
    PlanEmpty: "plan-empty" => "The plan found nothing.",
    /// What a step of a plan that found nothing lacked.
    PlanLacks: "plan-lacks" => "{text}.",
    /// A step of a plan was cut short.
    StepCut: "step-cut" => "{text}.",
    FromPassages: "from-passages" => "The knowledge graph does not hold all of this: part of it was taken \
        from passages by their \
        words alone.",
    FromWeb: "from-web" => "The documents do not hold all of this: part of it was found by a search of the \
        web.",
    TurnsSpent: "turns-spent" => "The model was made to answer because its turns were used up.",
    TokensSpent: "tokens-spent" => "The model was made to answer because its tokens were used up.",
    TimeSpent: "time-spent" => "The model was made to answer because its time was used up.",
    Repeated: "repeated" => "The model was made to answer because it repeated itself.",
    AskedAgain: "asked-again" => "The model was asked again because its first reply was no answer.",
    Stopped: "stopped" => "The model was asked again for its answer because it had stopped without one.",
    SearchFailed: "search-failed" => "A search failed: {text}.",
    NoEvidence: "no-evidence" => "No passage was found: the model was asked without evidence.",
    NoTools: "no-tools" => "The endpoint takes no tools; the model was asked to write its calls as text.",
    NoReports: "no-reports" => "There are no reports on this collection to draw an answer from.",
    ReportsLeftOut: "reports-left-out" => "Of {of} reports the {n} nearest to the question were read: a \
        budget was spent.",
    RepliesUnread: "replies-unread" => "{n} replies of the model held no list of points, and were passed \
        over.",
    ModelPlanUnusable: "model-plan-unusable" => "The model gave no plan that can be carried out; passages \
        for the question itself were read \
        instead.",
    ModelPlanEmpty: "model-plan-empty" => "The plan's step {text} found nothing; passages for the question \
        itself were read instead.",
    ModelPlanStopped: "model-plan-stopped" => "The plan was not carried out to its end.",
    CasesLeftOut: "cases-left-out" => "The step {text} was carried out for its first {n} cases only.",
}

/// What a reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
pub struct Notice {
    /// What it is about.
    #[serde(skip)]
    pub code: NoticeCode,
    /// Its name, which is written out: so a module has the names alone of what it can give.
    #[serde(rename = "code")]
    #[cfg_attr(target_arch = "wasm32", tsify(type = "NoticeCode"))]
    name: &'static str,
    /// What stands at `{text}` in its sentence; absent where that has no such place.
    pub text: Option<String>,
    /// What stands at `{n}`.
    pub n: Option<u32>,
    /// What stands at `{of}`.
    pub of: Option<u32>,
    /// The sentence, in English.
    pub message: String,
}

/// A notice as it is read back.
#[derive(Deserialize)]
struct Kept {
    code: NoticeCode,
    text: Option<String>,
    n: Option<u32>,
    of: Option<u32>,
    message: String,
}

impl<'de> Deserialize<'de> for Notice {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Notice, D::Error> {
        let Kept { code, text, n, of, message } = Kept::deserialize(from)?;
        Ok(Notice { code, name: code.name(), text, n, of, message })
    }
}

impl Notice {
    /// A notice without data.
    #[inline(always)]
    pub fn new(code: NoticeCode) -> Notice {
        worded(code, code.name(), code.wording(), None, None, None)
    }

    /// A notice about something.
    #[inline(always)]
    pub fn about(code: NoticeCode, text: impl Into<String>) -> Notice {
        worded(code, code.name(), code.wording(), Some(text.into()), None, None)
    }

    /// A notice about so many of something.
    #[inline(always)]
    pub fn counted(code: NoticeCode, n: usize, of: usize) -> Notice {
        let whole = |n: usize| u32::try_from(n).ok();
        worded(code, code.name(), code.wording(), None, whole(n), whole(of))
    }

    /// A notice about the first so many of something.
    #[inline(always)]
    pub fn first(code: NoticeCode, text: impl Into<String>, n: usize) -> Notice {
        worded(code, code.name(), code.wording(), Some(text.into()), u32::try_from(n).ok(), None)
    }
}

/// A notice with its sentence filled in.
#[inline(never)]
fn worded(
    code: NoticeCode,
    name: &'static str,
    wording: &str,
    text: Option<String>,
    n: Option<u32>,
    of: Option<u32>,
) -> Notice {
    let mut message = String::new();
    let mut rest = wording;
    while let Some((before, behind)) = rest.split_once('{') {
        let (place, after) = behind.split_once('}').unwrap_or((behind, ""));
        message.push_str(before);
        match place {
            "text" => message.push_str(text.as_deref().unwrap_or_default()),
            "n" => message.push_str(&n.unwrap_or_default().to_string()),
            _ => message.push_str(&of.unwrap_or_default().to_string()),
        }
        rest = after;
    }
    message.push_str(rest);
    Notice { code, name, text, n, of, message }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_has_its_data_at_its_places_and_braces_of_the_data_stay() {
        assert_eq!(
            Notice::about(NoticeCode::Unplanned, "{n} braces").message,
            "There is no plan: {n} braces."
        );
        assert_eq!(
            Notice::counted(NoticeCode::PassagesLeftOut, 3, 9).message,
            "3 of 9 passages did not fit the token budget."
        );
        assert_eq!(
            Notice::first(NoticeCode::CasesLeftOut, "B", 5).message,
            "The step B was carried out for its first 5 cases only."
        );
    }

    #[test]
    fn each_code_has_a_name_of_its_own_and_a_sentence_without_other_places() {
        let mut names = std::collections::BTreeSet::new();
        for &code in NoticeCode::ALL {
            assert!(names.insert(code.name()), "{}", code.name());
            let known = code.wording().replace("{text}", "").replace("{n}", "").replace("{of}", "");
            assert!(code.wording().ends_with('.') && !known.contains(['{', '}']), "{}", code.wording());
        }
    }
}
