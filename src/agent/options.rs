//! Options of all calls, for the package's types and checks, the program's `--options` and the handbook's tables.
//!
//! `pocketgraph-lab interface` writes the files, and its test fails if one differs from this table. A second test
//! compares the table with the Rust types. Nothing of it is in the wasm.

use pocketgraph_agent::NAMES as PROTOCOLS;

/// Call or object that an option belongs to.
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

    /// Returns the names of the calls that take it, for messages.
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

/// Type of an option's value.
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
    /// A type of TypeScript that the facade checks itself.
    Own(&'static str),
}

/// One option.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionSpec {
    /// Its name, the same in JavaScript and in `--options`.
    pub name: &'static str,
    /// Group that it belongs to.
    pub group: Group,
    /// Type of its value.
    pub kind: Kind,
    /// Argument in the terminal; `None` if only a page has it.
    pub terminal: Option<&'static str>,
    /// Meaning and default.
    pub says: &'static str,
    /// The protocols that read it, [`NO_PROTOCOL`] among them where it is read without one; empty where nearly all do.
    pub protocols: &'static [&'static str],
}

/// Name for no protocol in [`OptionSpec::protocols`].
pub const NO_PROTOCOL: &str = "";

impl OptionSpec {
    /// Returns true if `--options` takes it.
    pub fn is_in_json(&self) -> bool {
        self.terminal.is_some() && matches!(self.group, Group::Ranking | Group::Answering) && !matches!(self.kind, Kind::Own(_))
            || matches!(self.name, "retriever" | "filter")
    }

    /// Returns true if one of these protocols reads it.
    pub fn is_read_by(&self, protocols: &[&str]) -> bool {
        self.protocols.is_empty() || protocols.iter().any(|protocol| self.protocols.contains(protocol))
    }

    /// Restricts the option to these protocols.
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
        option(Open, "onProgress", Own("(progress: Progress) => void"), None, "Called as bytes arrive."),
        option(Open, "memoryLimit", Positive, None, "Maximum number of bytes of loaded data."),
        option(
            Open,
            "worker",
            Own("boolean | \"auto\""),
            None,
            "Where the engine runs: in a module worker (`true`), on this thread (`false`), or in a worker if possible (`\"auto\"`, the default).",
        ),
        option(
            Open,
            "prefetch",
            Own("boolean | (Abortable & { onProgress?: (progress: Progress) => void })"),
            None,
            "Fetch the query model in idle time, and the full engine if the bundle has a knowledge graph, unless the reader saves data.",
        ),
        option(
            Open,
            "eager",
            Flag,
            None,
            "Fetch what every first question needs (some 100 kB) while the engine starts. Set it if the reader is about to ask.",
        ),
        option(
            Ranking,
            "k",
            Positive,
            Some("-k"),
            "Number of passages nearest to the question, at most. With `autokg`, those that keywords bring come on top. Default: 10, the protocol's own number, or with `autokg` its first number.",
        ),
        option(
            Ranking,
            "retriever",
            Own("Retriever"),
            Some("--retriever"),
            "Name of the retriever, with parameters after a colon if it has any. Default: `auto`.",
        ),
        option(
            Ranking,
            "filter",
            Own("Filter"),
            Some("--filter"),
            "Search only some documents, by language, folder, version or own fields. A plan's steps over the knowledge graph ignore it.",
        ),
        option(
            Ranking,
            "readerLanguage",
            Text,
            Some("--reader-language"),
            "Language of the reader, as `de`. A page in several languages is found in the question's language, or else in this one.",
        ),
        option(Search, "typing", Flag, None, "Set it while the reader types: the last word may be unfinished."),
        option(
            Search,
            "perPage",
            Whole,
            Some("--per-page"),
            "Maximum number of hits of one page before those of other pages; 0 for any number. Default: 3 with `auto`, otherwise 0.",
        ),
        option(
            Search,
            "llm",
            Own("LanguageModel | null"),
            Some("--llm"),
            "Language model that chooses among the facts that the retriever `hippo` found. Other retrievers ignore it.",
        ),
        option(
            Answering,
            "llm",
            Own("LanguageModel | null"),
            Some("--base-url"),
            "Language model: an endpoint or a function. Without it, the answer comes from a plan or is quoted from the passages.",
        ),
        option(
            Answering,
            "history",
            Own("PastTurn[]"),
            None,
            "The conversation so far, oldest first. It completes a follow-up such as \"and on Windows?\"; the event `understood` then comes first.",
        ),
        option(Answering, "language", Text, Some("--language"), "Name of the language to answer in. Default: the question's."),
        option(
            Answering,
            "readerVersion",
            Text,
            Some("--reader-version"),
            "Version of the page that the reader is on, as `2.0`, or its address. What holds in it comes first if the question names no time.",
        ),
        option(
            Answering,
            "maxInputTokens",
            Positive,
            IN_JSON,
            "Maximum number of tokens of one prompt. Default: 10,000; with a protocol 24,000.",
        ),
        option(
            Answering,
            "maxOutputTokens",
            Positive,
            Some("--max-tokens"),
            "Maximum number of tokens of one reply. Default: 1,024, or the protocol's own number.",
        ),
        option(
            Answering,
            "maxEvidenceTokens",
            Positive,
            IN_JSON,
            "With a protocol: maximum number of tokens that one search adds to the conversation. Default: 2,000.",
        ),
        option(
            Answering,
            "maxTokens",
            Positive,
            IN_JSON,
            "With a protocol: number of tokens, read and written, after which the LLM must answer. Default: 200,000.",
        ),
        option(
            Answering,
            "hideContacts",
            Flag,
            IN_JSON,
            "Without a protocol, and with `plan`: ask the LLM to leave out telephone numbers and addresses. Default: true.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(Answering, "noAnswerText", Text, IN_JSON, "Sentence for \"The documents do not say\", in the reader's language."),
        option(
            Answering,
            "protocol",
            Own("Protocol"),
            Some("--protocol"),
            "How to answer. Default: with an LLM, one search and one answer; without one, `plan` if the bundle has a knowledge graph, otherwise `quote`.",
        ),
        option(Answering, "turns", Positive, IN_JSON, "With a protocol: number of turns after which the LLM must answer."),
        option(Answering, "searches", Positive, IN_JSON, "With a protocol: maximum number of searches."),
        option(
            Answering,
            "timeLimitMs",
            Positive,
            Some("--time-limit"),
            "Milliseconds after which the LLM must answer, with the time to read the prompt. Default: 300,000.",
        ),
        option(
            Answering,
            "planner",
            Choice(&["auto", "rules", "trained", "llm"]),
            Some("--planner"),
            "Who plans. `auto`, the default, takes the most probable plan of the rules, the nearest relation and the trained planner, and asks the LLM if none is sure.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(
            Answering,
            "leastConfidence",
            Number,
            Some("--least-confidence"),
            "Least probability, from 0 to 1, that a plan is right; less probable plans are not carried out. Default: 0.44.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(
            Answering,
            "demonstrations",
            Whole,
            Some("--demonstrations"),
            "With `plan`: number of examples from the bundle's graph for an LLM that plans, at most 4. Default: 0.",
        ).of(&[NO_PROTOCOL, "plan"]),
        option(Answering, "temperature", Number, IN_JSON, "With a protocol: sampling temperature. Default: the protocol's own."),
        option(
            Answering,
            "grounded",
            Flag,
            IN_JSON,
            "With a protocol: `false` removes the rules about citing and about \"the documents do not say\" from the prompt.",
        ),
        option(
            Answering,
            "continuation",
            Choice(&["turns", "prefix", "continue-final-message"]),
            IN_JSON,
            "With `react`, `self-ask`, `search-o1`, `search-r1`, `graph-r1` and `graph-rft`: how evidence is added. `turns`, the default, works everywhere.",
        ).of(&["react", "self-ask", "search-o1", "search-r1", "graph-r1", "graph-rft"]),
        option(
            Answering,
            "condense",
            Choice(&["model", "sentences", "none"]),
            IN_JSON,
            "With `search-o1`: how passages are condensed. Default: by the model.",
        ).of(&["search-o1"]),
        option(
            Answering,
            "polarity",
            Choice(&["on-no", "on-yes"]),
            IN_JSON,
            "With `graph-search`: which verdict makes it search again. Default: `on-no`.",
        ).of(&["graph-search"]),
        option(
            Answering,
            "coverage",
            Flag,
            IN_JSON,
            "With `graph-rft`: `false` allows web searches, or the passages in their place, even if the graph had something.",
        ).of(&["graph-rft"]),
        option(Answering, "executePlan", Flag, IN_JSON, "With `graph-rft`: carry out the model's whole plan at once.").of(&["graph-rft"]),
        option(Answering, "votes", Positive, IN_JSON, "With `lpkg`: number of replies that vote on each sub-question. Default: 1.").of(&["lpkg"]),
        option(Answering, "nativeTools", Flag, IN_JSON, "With `tool-calling`: use the endpoint's own tool calls.").of(&["tool-calling"]),
        option(
            Answering,
            "analysis",
            Choice(&["rules", "model", "none"]),
            IN_JSON,
            "With `tool-calling`: how the size of the task is estimated. Default: by rules.",
        ).of(&["tool-calling"]),
        option(Answering, "today", Text, IN_JSON, "With `tool-calling`: today's date, for the model.").of(&["tool-calling"]),
        option(
            Answering,
            "tools",
            Own("readonly Tool[]"),
            Some("--tool"),
            "With `tool-calling`: your own tools, in addition to those of the bundle.",
        ).of(&["tool-calling"]),
        option(
            Answering,
            "prompts",
            Own("Readonly<Record<string, string>>"),
            Some("--prompt"),
            "Texts for the LLM by name, such as `search-r1.task`, that replace ours; `pocketgraph prompts` lists them. A text must have the placeholders of ours (`{{question}}`) and no others.",
        ),
        option(
            Answering,
            "webSearch",
            Own("string | URL"),
            Some("--web-search"),
            "Address of a SearXNG server, which is asked if graph and passages have nothing. Nothing is sent to the web without it.",
        ),
        option(
            Execute,
            "question",
            Text,
            None,
            "Question to search passages with, in addition to the plan's steps. Default: the plan's question.",
        ),
        option(
            Filter,
            "language",
            Text,
            Some("--filter"),
            "Language of the documents, as `de`; `\"\"` for documents of unknown language.",
        ),
        option(
            Filter,
            "folder",
            Text,
            Some("--filter"),
            "Folder of the site, as in the addresses after the host: `docs/guides`.",
        ),
        option(
            Filter,
            "version",
            Text,
            Some("--filter"),
            "Version in the addresses: a folder such as `2.0`, `v3`, `version-1.4`, `latest`, `stable`, `next` or `nightly`; `\"\"` for addresses without one.",
        ),
        option(
            Filter,
            "fields",
            Own("string[]"),
            Some("--filter"),
            "Conditions on own fields, as `author=Ann` and `date=2024..`; several on one field are alternatives.",
        ),
        option(
            Filter,
            "boost",
            Own("string[]"),
            Some("--boost"),
            "Conditions as in `fields`: hits of documents that meet them move up.",
        ),
        option(Filter, "boostBy", Positive, Some("--boost-by"), "With 3 the sixth hit comes second. Default: 2."),
        option(Filter, "sort", Text, Some("--sort"), "Field to sort the hits by; `-date` for the latest first."),
        option(
            Endpoint,
            "baseUrl",
            Own("string"),
            Some("--base-url"),
            "Address before `/chat/completions`, as `https://api.example.org/v1`; may be relative to the page.",
        ),
        option(Endpoint, "model", Own("string"), Some("--model"), "Name of the model at that address."),
        option(
            Endpoint,
            "apiKey",
            Own("string"),
            None,
            "Key, if the endpoint wants one; in the terminal it comes from the environment.",
        ),
        option(Endpoint, "headers", Own("Record<string, string>"), Some("--llm-header"), "Further headers of each request."),
        option(
            Endpoint,
            "timeoutMs",
            Own("number"),
            None,
            "Milliseconds to wait for the next piece of the reply. Default: two minutes for the first piece, one for each later one.",
        ),
        option(
            Endpoint,
            "retries",
            Own("number"),
            None,
            "Number of retries after a temporary failure, at most 10. Default: 3.",
        ),
    ]
};

/// The names of all protocols, that of quoting first.
pub fn protocols() -> Vec<&'static str> {
    std::iter::once("quote").chain(PROTOCOLS.iter().copied()).collect()
}
