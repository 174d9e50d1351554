// The page's search as tools of an agent in the reader's browser (WebMCP,
// https://webmachinelearning.github.io/webmcp/): search, and ask with citations.
//
// Loaded only where the browser has `document.modelContext`. A tool says what the documents say and changes
// nothing; it runs where the page runs, and sends nothing away that a reader's own question would not.

/** Passages that a tool brings, if not asked for fewer or more. */
const K = 8;
const MOST = 50;
/** They change nothing; documents may say what their readers' agents must not obey. */
const ANNOTATIONS = { readOnlyHint: true, untrustedContentHint: true };

/** Numbers of the components of this page that offer tools: two tools of one name are refused. */
const numbers = new Set();

/** Offers the tools; `open` gives the open bundle. Returns a function that takes them back. */
export function offerTools(
  open,
  { context = globalThis.document?.modelContext, site = globalThis.document?.title ?? "" } = {},
) {
  if (typeof context?.registerTool !== "function") return () => {};
  const offer = new AbortController();
  let number = 1;
  while (numbers.has(number)) number += 1;
  numbers.add(number);
  offer.signal.addEventListener("abort", () => numbers.delete(number));
  for (const tool of toolsOf(open, site)) {
    const name = number === 1 ? tool.name : `${tool.name}_${number}`;
    // It rejects when it is taken back, and where a script of the page has a tool of that name.
    context.registerTool({ ...tool, name }, { signal: offer.signal }).catch(() => {});
  }
  return () => offer.abort();
}

function toolsOf(open, site) {
  const of = site === "" ? "this site" : `this site (${site})`;
  const question = { type: "string", description: "The question, or words to look for" };
  return [
    {
      name: "search_documents",
      description: `Finds passages in the documents of ${of}, best first, with title, address and text.`,
      inputSchema: {
        type: "object",
        properties: {
          question,
          k: {
            type: "integer",
            minimum: 1,
            maximum: MOST,
            description: `How many passages at most; ${K} if left out`,
          },
        },
        required: ["question"],
      },
      annotations: ANNOTATIONS,
      execute: (given, { signal } = {}) =>
        toolResult(async () => {
          const { hits } = await (
            await open()
          ).search(asked(given), { k: Math.min(MOST, Math.max(1, Math.trunc(given.k ?? K) || K)), signal });
          return hits.map(({ title, headingPath, url, text }) => ({
            title,
            headings: headingPath,
            url: whole(url),
            text,
          }));
        }),
    },
    {
      name: "ask_documents",
      description:
        `Answers a question from the documents of ${of}, with citations; says so where they ` +
        `do not tell.`,
      inputSchema: { type: "object", properties: { question }, required: ["question"] },
      annotations: ANNOTATIONS,
      execute: (given, { signal } = {}) =>
        toolResult(async () => {
          for await (const event of (await open()).ask(asked(given), { signal })) {
            if (event.type !== "done") continue;
            const { text, citations } = event.answer;
            return {
              text,
              citations: citations.map(({ number, title, url, quote }) => ({
                number,
                title,
                url: whole(url),
                quote,
              })),
            };
          }
          throw new Error("there was no answer");
        }),
    },
  ];
}

/** Formats a tool's result, or its error, as the protocol asks. */
async function toolResult(work) {
  try {
    return { content: [{ type: "text", text: JSON.stringify(await work()) }] };
  } catch (error) {
    return {
      content: [{ type: "text", text: error instanceof Error ? error.message : String(error) }],
      isError: true,
    };
  }
}

function asked({ question } = {}) {
  if (typeof question !== "string" || question.trim() === "")
    throw new Error("`question` is a text that is not empty.");
  return question;
}

/** An address as an agent can open it; null for one that leads to no page of the web. */
function whole(url) {
  try {
    const { protocol, href } = new URL(url, globalThis.document?.baseURI);
    return /^https?:$/.test(protocol) ? href : null;
  } catch {
    return null;
  }
}
