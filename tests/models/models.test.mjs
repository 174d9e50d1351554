// The program with a real language model, and a weak one: whatever it writes, a run ends in time, keeps its
// budgets, and its answer is no worse than the quotation that there would be without it.
//
// POCKETGRAPH_LLM is the address of the endpoint, POCKETGRAPH_BUNDLE a bundle of pages of the handbook,
// POCKETGRAPH_PROTOCOLS the protocols to try (all where absent), POCKETGRAPH_QUESTIONS how many questions
// each is asked.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

const run = promisify(execFile);
const { POCKETGRAPH_PROGRAM: program, POCKETGRAPH_BUNDLE: bundle, POCKETGRAPH_LLM: endpoint } = process.env;

/** Questions of the handbook, and words that every right answer has. */
const QUESTIONS = [
  ["What is a bundle?", /folder|files/i],
  ["Which option tells ask what protocol to use?", /protocol/i],
  ["What does the option grounded: false do?", /rules|prompt/i],
].slice(0, Number(process.env.POCKETGRAPH_QUESTIONS ?? 3));

const PLAIN = "";
const ALL = [
  PLAIN,
  "plan",
  "single-shot",
  "chain-of-thought",
  "closed-book",
  "react",
  "self-ask",
  "search-o1",
  "search-r1",
  "graph-search",
  "graph-r1",
  "graph-rft",
  "lpkg",
  "graphrag-global",
  "tool-calling",
];
const protocols = process.env.POCKETGRAPH_PROTOCOLS ? process.env.POCKETGRAPH_PROTOCOLS.split(",") : ALL;

/**
 * Seconds of a run; a forced answer has a quarter on top, and the machine is given as much again to start and
 * to stop.
 */
const SECONDS = 30;
const OVERTIME = SECONDS * 0.25 + 15;
const TOKENS = 60;
/** A token is hardly ever longer, in bytes; the program stops a model that writes more. */
const BYTES = TOKENS * 16;
const OPTIONS = { maxOutputTokens: TOKENS, maxEvidenceTokens: 250, maxInputTokens: 1200, turns: 3 };

async function ask(question, ...options) {
  const { stdout } = await run(program, ["ask", bundle, question, "--json", ...options], {
    maxBuffer: 1 << 26,
  });
  const told = JSON.parse(stdout);
  return told.answer?.text === undefined ? { answer: told } : told;
}

for (const protocol of protocols) {
  test(`${protocol || "the plain answer"}: ends in time, within its budgets, no worse than the quotation`, async () => {
    const held = { with: 0, without: 0 };
    for (const [question, gold] of QUESTIONS) {
      const quoted = (await ask(question, "-k", "2")).answer;
      const how = [
        "-k",
        "2",
        "--base-url",
        endpoint,
        "--model",
        "smol",
        "--time-limit",
        `${SECONDS}`,
        "--max-tokens",
        `${TOKENS}`,
      ];
      if (protocol) how.push("--protocol", protocol, "--trace", "--options", JSON.stringify(OPTIONS));
      const began = Date.now();
      const { answer, turns } = await ask(question, ...how);
      const seconds = (Date.now() - began) / 1000;
      assert.ok(seconds <= SECONDS + OVERTIME, `${seconds} s for ${question}`);
      for (const turn of turns ?? [])
        assert.ok(
          Buffer.byteLength(turn.text) <= BYTES + 64,
          `a turn of ${turn.text.length} characters: ${question}`,
        );
      assert.ok(
        (turns ?? []).filter((turn) => turn.purpose === "reason").length <= OPTIONS.turns,
        `too many turns: ${question}`,
      );
      // What the model writes is taken where a passage bears it out; else the documents answer, as they would
      // without it, and the reader is told why.
      if (answer.by !== "llm")
        assert.ok(
          answer.text.length > 0 && (answer.by === "graph" || answer.failure || protocol === "plan"),
          question,
        );
      else if (protocol !== "closed-book" && answer.answered)
        assert.ok(
          answer.citations.some((c) => c.status === "verified"),
          `${question}: ${answer.text}`,
        );
      // What is merely close is not stated.
      held.without += quoted.answered && gold.test(quoted.text);
      held.with += gold.test(`${answer.text}\n${answer.quotation?.text ?? ""}`);
      console.log(
        `  ${seconds.toFixed(1)} s, by ${answer.by}: ${answer.text.replace(/\s+/g, " ").slice(0, 100)}`,
      );
    }
    assert.ok(
      held.with >= held.without,
      `with what is quoted beneath them ${held.with} answers hold what ${held.without} quotations do`,
    );
  });
}
