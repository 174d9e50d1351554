//! The options of all calls, once: what `pkg/pocketgraph.d.ts`, the check in JavaScript, `--options` of the program and the handbook's tables are made of.
//!
//! `pocketgraph-lab interface` writes the files, and a test of it fails where one is not as this table says. A second test holds the table and the
//! Rust types equal. Nothing of it is in the wasm.

use pocketgraph_agent::NAMES as PROTOCOLS;

/// What an option belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// `PocketGraph.open`.
    Open,
    /// `search`, and all that answers.
    Ranking,
    /// `search` alone.
    Search,
    /// `ask`, `plan` and `execute`.
    Answering,
    /// `execute` alone.
    Execute,
    /// The option `filter`.
    Filter,
    /// The option `llm`.
    Endpoint,
}

impl Group {
    /// All that there are.
    pub const ALL: &[Group] =
        &[Group::Open, Group::Ranking, Group::Search, Group::Answering, Group::Execute, Group::Filter, Group::Endpoint];

    /// Its name in JavaScript.
    pub fn name(self) -> &'static str {
        match self {
            Group::Open => "open",
            Group::Ranking => "ranking",
            Group::Search => "search",
            Group::Answering => "answering",
            Group::Execute => "execute",
            Group::Filter => "filter",
            Group::Endpoint => "llm",
        }
    }

    /// The calls that take it, as a person is told them.
    pub fn calls(self) -> &'static str {
        match self {
            Group::Open => "`PocketGraph.open`",
            Group::Ranking => "`search`, `ask`, `plan` and `execute`",
            Group::Search => "`search`",
            Group::Answering => "`ask`, `plan` and `execute`",
            Group::Execute => "`execute`",
            Group::Filter => "the option `filter`",
            Group::Endpoint => "the option `llm`",
        }
    }
}

/// What an option may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A positive whole number.
    Positive,
    /// A whole number, 0 or more.
    Whole,
    /// Any number.
    Number,
    /// True or false.
    Flag,
    /// A text.
    Text,
    /// One of these.
    Choice(&'static [&'static str]),
    /// What the facade has a check of its own for: its type in TypeScript.
    Own(&'static str),
}

/// One option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionSpec {
    /// Its name, the same in JavaScript and in `--options`.
    pub name: &'static str,
    /// What it belongs to.
    pub group: Group,
    /// What it may be.
    pub kind: Kind,
    /// What says it in the terminal: an argument; `None` for what only a page has.
    pub terminal: Option<&'static str>,
    /// What it does, and what holds where it is absent.
    pub says: &'static str,
    /// The protocols that read it, [`NO_PROTOCOL`] among them where it is read without one; empty where nearly all do.
    pub protocols: &'static [&'static str],
}

/// What stands for no protocol in [`OptionSpec::protocols`].
pub const NO_PROTOCOL: &str = "";

impl OptionSpec {
    /// Whether `--options` takes it.
    pub fn is_in_json(&self) -> bool {
        self.terminal.is_some() && matches!(self.group, Group::Ranking | Group::Answering) && !matches!(self.kind, Kind::Own(_))
            || matches!(self.name, "retriever" | "filter")
    }

    /// Whether one of these ways of answering reads it.
    pub fn is_read_by(&self, protocols: &[&str]) -> bool {
        self.protocols.is_empty() || protocols.iter().any(|protocol| self.protocols.contains(protocol))
    }

    /// The same, read by these protocols alone.
    const fn of(self, protocols: &'static [&'static str]) -> OptionSpec {
        OptionSpec { protocols, ..self }
    }
}

const fn option(group: Group, name: &'static str, kind: Kind, terminal: Option<&'static str>, meaning: &'static str) -> OptionSpec {
    OptionSpec { name, group, kind, terminal, says: meaning, protocols: &[] }
}

/// The argument of the terminal for what has none of its own.
pub const IN_JSON: Option<&str> = Some("--options");

/// All options.
pub const OPTIONS: &[OptionSpec] = {
    use Group::{Answering, Endpoint, Execute, Filter, Open, Ranking, Search};
    use Kind::{Choice, Flag, Number, Own, Positive, Text, Whole};
    &[
        option(Open, "onProgress", Own("(progress: Progress) => void"), None, "Called while bytes arrive."),
        option(Open, "memoryLimit", Positive, None, "The most bytes that loaded data may take up."),
        option(
            Open,
            "worker",
            Own("boolean | \"auto\""),
            None,
            "Where the engine runs: in a module worker (`true`), on this thread (`false`), or in a worker where there can be one (`\"auto\"`, the default).",
        ),
        option(
            Open,
            "prefetch",
            Own("boolean | (Abortable & { onProgress?: (progress: Progress) => void })"),
            None,
            "Fetch in idle time what later stages need: the query model, and the full engine where the bundle has a knowledge graph. Not where the reader saves data. Closing the bundle, or `signal`, ends it.",
        ),
        option(
            Open,
            "eager",
            Flag,
            None,
            "Fetch what a first question needs, whatever it is, while the engine starts (some 100 kB): for a page whose reader is about to ask.",
        ),
        option(
            Ranking,
            "k",
            Positive,
            Some("-k"),
            "How many passages at most: 10 where absent, or the protocol's own number; with `autokg` as many as its own numbers bring.",
        ),
        option(
            Ranking,
            "retriever",
            Own("Retriever"),
            Some("--retriever"),
            "The retriever by name, which may have parameters behind a colon; `auto` where absent.",
        ),
        option(
            Ranking,
            "filter",
            Own("Filter"),
            Some("--filter"),
            "Which documents are searched: those of a language, a folder or a version; all where absent. As many passages are found as without it, where there are so many. A plan's steps over the knowledge graph know no filter.",
        ),
        option(
            Ranking,
            "readerLanguage",
            Text,
            Some("--reader-language"),
            "The reader's language, as `de`. A page that there is in several languages is found in the question's, where its words tell it, else in this one; in that of its best passage where absent. `<pocketgraph-ask>` gives that of the page.",
        ),
        option(Search, "typing", Flag, None, "The question is still being typed: its last word may be unfinished."),
        option(
            Search,
            "perPage",
            Whole,
            Some("--per-page"),
            "Of one page at most so many hits stand before those of other pages, 0 for any number; 3 by `auto`, any number by others, where absent.",
        ),
        option(
            Search,
            "llm",
            Own("LanguageModel | null"),
            Some("--llm"),
            "A language model that the retriever `hippo` has choose among the facts that it found. No other retriever asks it.",
        ),
        option(
            Answering,
            "llm",
            Own("LanguageModel | null"),
            Some("--base-url"),
            "The language model, an endpoint or a function. Without it, the answer is quoted from the passages, or found by a plan.",
        ),
        option(
            Answering,
            "history",
            Own("PastTurn[]"),
            None,
            "The conversation so far, oldest first. A follow-up such as \"and on Windows?\" is understood by the last question; the event `understood` then comes first and has the whole question.",
        ),
        option(Answering, "language", Text, Some("--language"), "The language to answer in, by its name; the question's own where absent."),
        option(
            Answering,
            "maxInputTokens",
            Positive,
            IN_JSON,
            "The most tokens of one prompt: 10,000, or with a protocol 24,000, where absent.",
        ),
        option(
            Answering,
            "maxOutputTokens",
            Positive,
            Some("--max-tokens"),
            "The most tokens of one reply: 1,024, or the protocol's own number, where absent.",
        ),
        option(
            Answering,
            "maxEvidenceTokens",
            Positive,
            IN_JSON,
            "With a protocol: the most tokens of what one search brings into the conversation; 2,000 where absent.",
        ),
        option(
            Answering,
            "maxTokens",
            Positive,
            IN_JSON,
            "With a protocol: the most tokens of the whole run, read and written, before the LLM must answer; 200,000 where absent.",
        ),
        option(
            Answering,
            "hideContacts",
            Flag,
            IN_JSON,
            "Without a protocol, and with `plan`: ask the LLM to leave out telephone numbers, addresses and the like.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(Answering, "noAnswerText", Text, IN_JSON, "The sentence that says that the documents do not say, in the reader's language."),
        option(
            Answering,
            "protocol",
            Own("Protocol"),
            Some("--protocol"),
            "Where absent: with an LLM, the hits are given to it once; without one, a bundle with a knowledge graph is asked by `plan`, and any other by `quote`.",
        ),
        option(Answering, "turns", Positive, IN_JSON, "With a protocol: the most turns of the LLM before it must answer."),
        option(Answering, "searches", Positive, IN_JSON, "With a protocol: the most searches."),
        option(
            Answering,
            "timeLimitMs",
            Positive,
            Some("--time-limit"),
            "The most milliseconds before the LLM must answer, its reading of the prompt among them: 300,000 where absent.",
        ),
        option(
            Answering,
            "planner",
            Choice(&["auto", "rules", "trained", "llm"]),
            Some("--planner"),
            "Who plans. `auto`, where absent: the rules; where they are not sure, also the relation nearest in meaning, if the model that embeds questions is loaded, and the trained planner, if the bundle brings one, of whose plans the most probable is taken; where none is sure, the LLM, if one is given.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(
            Answering,
            "leastConfidence",
            Number,
            Some("--least-confidence"),
            "The probability of being right, from 0 to 1, below which a plan is not carried out; 0.44 where absent.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(
            Answering,
            "demonstrations",
            Whole,
            Some("--demonstrations"),
            "With `plan`: how many demonstrations drawn from the bundle's own graph an LLM is shown that plans, four at most; none where absent.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(Answering, "temperature", Number, IN_JSON, "With a protocol: the sampling temperature; the protocol's own where absent."),
        option(
            Answering,
            "grounded",
            Flag,
            IN_JSON,
            "With a protocol: `false` takes the rules about citing and about \"the documents do not say\" out of the prompt.",
        ),
        option(
            Answering,
            "continuation",
            Choice(&["turns", "prefix", "continue-final-message"]),
            IN_JSON,
            "With `react`, `self-ask`, `search-o1`, `search-r1`, `graph-r1` and `graph-rft`: how a turn goes on after evidence; `turns` where absent, which works everywhere.",
        ).of(&["react", "self-ask", "search-o1", "search-r1", "graph-r1", "graph-rft"]),
        option(
            Answering,
            "condense",
            Choice(&["model", "sentences", "none"]),
            IN_JSON,
            "With `search-o1`: how passages are made short; by the model where absent.",
        ).of(&["search-o1"]),
        option(
            Answering,
            "polarity",
            Choice(&["on-no", "on-yes"]),
            IN_JSON,
            "With `graph-search`: when it searches again; `on-no` where absent.",
        ).of(&["graph-search"]),
        option(
            Answering,
            "coverage",
            Flag,
            IN_JSON,
            "With `graph-rft`: `false` lets it search the web, or its stand-in, where the graph had something.",
        ).of(&["graph-rft"]),
        option(Answering, "executePlan", Flag, IN_JSON, "With `graph-rft`: the model's plan is carried out at once.").of(&["graph-rft"]),
        option(Answering, "votes", Positive, IN_JSON, "With `lpkg`: how many replies vote on each sub-question; one where absent.").of(&["lpkg"]),
        option(Answering, "nativeTools", Flag, IN_JSON, "With `tool-calling`: use the endpoint's own tool calls.").of(&["tool-calling"]),
        option(
            Answering,
            "analysis",
            Choice(&["rules", "model", "none"]),
            IN_JSON,
            "With `tool-calling`: how the task is sized before: by rules, where absent, by a request to the LLM, or not at all.",
        ).of(&["tool-calling"]),
        option(Answering, "today", Text, IN_JSON, "With `tool-calling`: today's date, told to the model.").of(&["tool-calling"]),
        option(
            Answering,
            "tools",
            Own("readonly Tool[]"),
            Some("--tool"),
            "With `tool-calling`: tools of the page beside those of the bundle.",
        ).of(&["tool-calling"]),
        option(
            Answering,
            "prompts",
            Own("Readonly<Record<string, string>>"),
            Some("--prompt"),
            "What the LLM is told, by the name of each text, such as `search-r1.task`; what is absent is told in our words. A text must have the placeholders of ours (`{{question}}`), and no other: `bad-argument` names those that are wrong. `pocketgraph prompts` lists them.",
        ),
        option(
            Answering,
            "webSearch",
            Own("string | URL"),
            Some("--web-search"),
            "The address of a SearXNG server, asked when graph and passages have nothing. Nothing is sent to the web without it.",
        ),
        option(
            Execute,
            "question",
            Text,
            None,
            "What to search passages with beside the plan's own steps; the plan's question where absent.",
        ),
        option(
            Filter,
            "language",
            Text,
            Some("--filter"),
            "The documents' language, as `de`; `\"\"` for those whose language nothing tells.",
        ),
        option(
            Filter,
            "folder",
            Text,
            Some("--filter"),
            "The folder of the site that they lie in, as their addresses name it below the host: `docs/guides`.",
        ),
        option(
            Filter,
            "version",
            Text,
            Some("--filter"),
            "The version that their addresses name, in a folder such as `2.0`, `v3`, `version-1.4`, `latest`, `stable`, `next` or `nightly`; `\"\"` for those that name none, which on many sites are the current ones.",
        ),
        option(
            Endpoint,
            "baseUrl",
            Own("string"),
            Some("--base-url"),
            "What stands before `/chat/completions`, for instance `https://api.example.org/v1`; may be relative to the page.",
        ),
        option(Endpoint, "model", Own("string"), Some("--model"), "The model's name there."),
        option(
            Endpoint,
            "apiKey",
            Own("string"),
            None,
            "The key, if the endpoint wants one; in the terminal it comes from the environment.",
        ),
        option(Endpoint, "headers", Own("Record<string, string>"), Some("--llm-header"), "Further headers."),
        option(
            Endpoint,
            "timeoutMs",
            Own("number"),
            None,
            "How long to wait for the next piece of the reply, in milliseconds, and not for the whole; two minutes for the first piece and one for each later one where absent.",
        ),
        option(
            Endpoint,
            "retries",
            Own("number"),
            None,
            "How often to ask again after a failure that may pass, at most 10; 3 where absent.",
        ),
    ]
};

/// The names of all protocols, that of quoting first.
pub fn protocols() -> Vec<&'static str> {
    std::iter::once("quote").chain(PROTOCOLS.iter().copied()).collect()
}
