// A small body of documents for the mock engine: enough to draw every kind of thing the page shows.

const doc = (title, url, ...sections) => sections.map(([heading, text]) => ({ title, url: `${url}#${slug(heading)}`, headingPath: [heading], text }));
const slug = (heading) => heading.toLowerCase().replace(/[^a-z0-9]+/g, "-");

export const CHUNKS = [
  doc("Keyword graphs and knowledge graphs", "docs/keyword-graph.html",
    ["What the difference is", "A keyword graph and a knowledge graph are different things. A keyword graph joins keywords by one number: how many passages two of them share. A knowledge graph joins entities by typed, directed relations, such as “was born in”. The difference matters when you ask a question: the first tells you what is near a topic, the second what is true of it."],
    ["When to use which", "Use the keyword graph to explore and to widen a search. Use the knowledge graph to follow a chain of facts. Both can be built from the same documents, and both cite the passages they came from."]),
  doc("How AutoKG works", "docs/autokg.html",
    ["Keywords", "AutoKG clusters the passages' vectors twice, by k-means and by spectral clustering, and asks an extractor for a few keywords for each cluster. The extractor may be a language model; without one, phrases are ranked by how much they belong to the cluster."],
    ["Edges", "Two keywords are joined when they share passages. The weight of the edge is the number of passages that belong to both. An edge has no type and no direction."],
    ["Laplace learning", "Which passages belong to a keyword is decided by graph Laplace learning: the nearest passages are labelled one, the farthest zero, and the labels spread over the graph of passages."]),
  doc("How hybrid search works", "docs/hybrid-search.html",
    ["Two scores", "Hybrid search adds two scores: BM25, which counts the words of the question, and the cosine between the question's vector and the passage's. Neither is best alone.\n\nThe weight of the cosine is 0.70 by default."],
    ["Stages", "The first hits come from words alone. Then the vectors of the best hits stand in for the question's, which is called pseudo-relevance feedback. When the query model has been loaded, the question is embedded itself, and the hits are refined in place."]),
  doc("Bundles", "docs/bundle.html",
    ["What a bundle is", "A bundle is a folder of static files: a manifest and its sections. Every file's name carries the hash of its content, so that it can be cached for ever. Any static host can serve it."],
    ["Lazy loading", "What the first answer does not need is not fetched. Postings are cut into ranges of terms, vectors into cells, and text into pages, and each is fetched when a question touches it."]),
  doc("LLM endpoints and keys", "docs/llm.html",
    ["Endpoints", "Any endpoint that speaks the OpenAI chat protocol will do: a hosted one, or a program on your own machine. The answer is streamed, and its citations are checked against the passages."],
    ["Keys", "The key is held in memory only. It is sent to the endpoint that you name and to nobody else; reloading the page forgets it."]),
  doc("Privacy", "docs/privacy.html",
    ["What leaves the machine", "Without an LLM, nothing that you type leaves your browser: the question is embedded and matched there. The host sees which parts of the bundle were fetched, as it would for any file."]),
  doc("Answers without a language model", "docs/extractive.html",
    ["Quoting", "Without a language model, an answer is made of sentences quoted from the passages, each with its citation. When nothing answers to the question, it says that the documents do not say."]),
].flat().map((chunk, number) => ({ chunk: number, ...chunk }));

/** Keywords, the passages of each, and the edges that follow from sharing passages. */
const KEYWORDS = {
  "keyword graph": [0, 1, 3], "knowledge graph": [0, 1], "typed relations": [0], "edge weight": [3, 0], "passages": [0, 2, 4, 11],
  "AutoKG": [2, 3, 4], "spectral clustering": [2], "Laplace learning": [4, 2], "hybrid search": [5, 6, 1], "BM25": [5, 6],
  "query model": [6, 11], "static files": [7, 8], "citations": [9, 12, 1], "language model": [9, 12, 2], "API keys": [10, 9], "privacy": [11, 10],
};

export const GRAPH = {
  keywords: Object.entries(KEYWORDS).map(([label, chunks], id) => ({ id, label, chunks })),
};
