// What a follow-up means, without a language model: "and on Windows?", "does it need a key?", "what about
// 2.0?" are made whole by the question before. The rules are few, and say nothing where they are not sure: a
// question that can stand alone is left as it is. English, as far as words are concerned.

/** Words that say nothing by themselves. */
const EMPTY = new Set(
  (
    "a an the of for in on at to with without by from about into than as and or but not no if so then " +
    "there here is are was were be been am do does did can could should would may might must will " +
    "has have had i you we my your our me us what which who whom whose when where why how that this these " +
    "those it its they them their he him his she her also too still just please tell explain"
  ).split(" "),
);
const PRONOUN =
  /\b(it|its|they|them|their|theirs|this|that|these|those|he|him|his|she|her|hers|the same|there|one)\b/i;
/** Beginnings of a follow-up that is not a sentence of its own. */
const LEAD = /^(?:(?:and|but|or|so|ok(?:ay)?|also)\b[,\s]*)*(?:what about|how about|what of|and)?\s*/i;
const BARE_LEAD = /^(?:and|but|or|so|also|what about|how about|what of)\b/i;
const VERSION = /\bv?\d+(?:\.\d+)+(?:[-+.]\w+)*\b|\bv\d+\b|(?<=\bversion )\d+\b(?!\.)/gi;
/** Things of a kind of which documents have several: one asked for takes the place of another. */
const KINDS = [
  ["windows", "macos", "mac", "linux", "ubuntu", "debian", "fedora", "android", "ios", "freebsd"],
  ["chrome", "chromium", "firefox", "safari", "edge", "opera"],
  ["npm", "yarn", "pnpm", "bun", "pip", "conda", "cargo", "brew", "homebrew", "apt"],
  [
    "javascript",
    "typescript",
    "python",
    "rust",
    "go",
    "java",
    "c",
    "c++",
    "c#",
    "ruby",
    "php",
    "kotlin",
    "swift",
  ],
  ["postgres", "postgresql", "mysql", "mariadb", "sqlite", "mongodb", "redis"],
  ["vite", "webpack", "rollup", "esbuild", "parcel", "next", "astro", "vitepress", "docusaurus", "sveltekit"],
];

/**
 * The question that `question` stands for after `history` (`{ question, answer? }`, oldest first); the same
 * text where it can stand alone, or nothing is known that would make it whole.
 */
export function resolveFollowUp(question, history) {
  const before = history?.at(-1)?.question?.trim();
  const asked = question.trim();
  if (!before || !asked) return asked;
  return fragment(asked, before) ?? pronoun(asked, before) ?? asked;
}

/**
 * "And on Windows?", "what about 2.0?": the question before, with what is new in the place of its like, or
 * behind it.
 */
function fragment(asked, before) {
  const bare = BARE_LEAD.test(asked);
  const rest = asked
    .replace(LEAD, "")
    .replace(/[?!.\s]+$/, "")
    .trim();
  if (!rest || (!bare && !/^(?:in|on|for|with|under|at|by|from|using|via)\s/i.test(asked))) return null;
  // A sentence of its own, with a subject and a verb, only begins like a follow-up.
  if (/\b(?:is|are|do|does|did|can|could|should|will|would|has|have)\b/i.test(rest) && !PRONOUN.test(rest))
    return null;
  if (PRONOUN.test(rest) && words(rest).length > 0) return pronoun(capital(rest) + "?", before);
  const core = rest.replace(/^(?:in|on|for|with|under|at|by|from|using|via|the|a|an)\s+/gi, "");
  const end = /\?$/.test(asked) || /\?$/.test(before) ? "?" : "";
  const stem = before.replace(/[?!.\s]+$/, "");
  const [version] = core.match(VERSION) ?? [];
  if (version && stem.match(VERSION)) return stem.replace(VERSION, version) + end;
  const like = likeOf(core, stem);
  if (like) return stem.replace(like, () => core) + end;
  // "What about knowledge graphs?" after keyword graphs: things of one name, whose last word tells.
  const topic = topicOf(before);
  const head = (text) => text.toLowerCase().split(/\s+/).at(-1).replace(/s$/, "");
  if (topic && head(topic) === head(core))
    return (
      stem.replace(
        new RegExp(`(?:\\b(?:a|an|the) )?${topic.replace(/^the /, "").replace(/[^\w ]/g, "\\$&")}`, "i"),
        () => core,
      ) + end
    );
  const place = /^(?:in|on|for|with|under|at|by|from|using|via)\s/i.test(rest) ? rest : `for ${rest}`;
  return `${withoutSame(stem, place)} ${place}${end}`;
}

/** Finds in the question before a thing of the same kind as `core`, and returns an expression for it. */
function likeOf(core, stem) {
  const kind = KINDS.find((names) => names.includes(core.toLowerCase()));
  const there = kind?.find((name) => name !== core.toLowerCase() && expression(name).test(stem));
  return there ? expression(there) : null;
}

function expression(name) {
  return new RegExp(`(?<![\\w.])${name.replace(/[+#.]/g, "\\$&")}(?![\\w+#])`, "i");
}

/**
 * The stem without a phrase of the same preposition at its end: "how do I install it on Linux" and "on a
 * phone".
 */
function withoutSame(stem, place) {
  const [preposition] = place.split(" ");
  return stem.replace(new RegExp(`\\s${preposition}\\s+(?:the\\s+|a\\s+|an\\s+)?[\\w.+#-]+$`, "i"), "");
}

/** "Does it need a key?": what the question before was about, in the place of the pronoun. */
function pronoun(asked, before) {
  if (!PRONOUN.test(asked)) return null;
  // "It" of a question that names things of its own may be one of them: then nothing is put in.
  const own = words(asked);
  if (
    /^(?:is|was|does|do|can|will|would|should)?\s*(?:it|this|that)\s+(?:possible|necessary|required|true|safe|ok|okay)\b/i.test(
      asked,
    ) &&
    own.length > 2
  )
    return null;
  if (
    /\b(?:that|this|these|those)\s+\w/i.test(asked) &&
    !/\b(?:that|this|these|those)\s+(?:is|are|was|were|do|does|work|mean|need|take|have|has|one)\b/i.test(
      asked,
    )
  ) {
    const noun = /\b(?:that|this|these|those)\s+(\w+)/i.exec(asked)[1];
    if (!new RegExp(`\\b${noun}`, "i").test(before)) return null;
  }
  const topic = topicOf(before);
  if (
    !topic ||
    topic
      .toLowerCase()
      .split(/\s+/)
      .every((word) => own.includes(word))
  )
    return null;
  const found =
    /\b(it|they|them|this|that|these|those|he|him|she|there)\b(?!\s+\w+\s+(?:is|are)\s+that)/i.exec(asked) ??
    /\b(its|their|theirs|his|her|hers)\b/i.exec(asked);
  if (!found) return null;
  const of = /^(its|their|theirs|his|her|hers)$/i.test(found[0]);
  const put = of ? `${topic}${/s$/i.test(topic) ? "'" : "'s"}` : topic;
  const whole = asked.slice(0, found.index) + put + asked.slice(found.index + found[0].length);
  return found.index === 0 ? capital(whole) : whole;
}

/** "Where is the key kept": what is done to a thing is none of its name. */
const PARTICIPLE = /^(where\b.*\s\S+)\s+(?:\w+ed|kept|found|set|put|built|written|made|held|sent)$/i;

/** Replaces "a …" by "the …", as for a thing that was mentioned before. */
function known(name) {
  return name.replace(/^(?:the|an?) /i, "the ");
}

/** Returns the topic of a question: quoted or marked words, otherwise the longest run of content words. */
function topicOf(question) {
  const marked = /`([^`]+)`|“([^”]+)”|"([^"]+)"/.exec(question);
  if (marked) return marked[1] ?? marked[2] ?? marked[3];
  const stem = question.replace(/[?!.\s]+$/, "");
  // "What is X", "who is X", "tell me about X": all of X.
  const whole =
    /^(?:what|who|where)(?:'s| is| are| was| were)\s+((?:the |a |an )?.+)$/i.exec(
      stem.replace(PARTICIPLE, "$1"),
    ) ?? /^(?:tell me about|explain|describe)\s+((?:the |a |an )?.+)$/i.exec(stem);
  if (whole && words(whole[1]).length <= 5)
    return known(whole[1]).replace(/\s+(?:in|on|for|of)\s.*$/i, (rest) =>
      words(rest).length > 2 ? "" : rest,
    );
  // "How does X work", "can X run …": what stands between the helping verb and the next word that is none of
  // its name.
  const subject =
    /\b(?:do|does|did|is|are|can|could|should|will|would|has|have)\s+(?:the |a |an )?(?!i\b|you\b|we\b|one\b)([\w.+#/-]+(?:\s+(?!(?:work|works|do|mean|need|use|have|run|cost|differ|support|handle|store|keep|make|find|come|go|get|to|of|in|on|for|with|by|from|at|not|be|take|give|show|read|write)\b)[\w.+#/-]+){0,3})/i.exec(
      stem,
    );
  if (subject) return trimmedVerb(subject[1], stem.slice(subject.index + subject[0].length));
  // "How do I install X on Y": what is done something to.
  const object =
    /\b(?:i|you|we|one)\s+\w+\s+(?:the |a |an |my )?([\w.+#/-]+(?:\s+(?!(?:to|of|in|on|for|with|by|from|at|into|and|or|when|if|using)\b)[\w.+#/-]+){0,3})/i.exec(
      stem,
    );
  return object?.[1] ?? null;
}

/** "hybrid search rank": where nothing follows, the last of several words is the verb. */
function trimmedVerb(run, rest) {
  const all = run.split(/\s+/);
  return rest.trim() === "" && all.length > 2 ? all.slice(0, -1).join(" ") : run;
}

function words(text) {
  return (text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}.+#-]*/gu) ?? []).filter(
    (word) => !EMPTY.has(word),
  );
}

function capital(text) {
  return text && text[0].toUpperCase() + text.slice(1);
}
