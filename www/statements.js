// What the knowledge graph states, as the entity browser asks for it: by plans, which `execute` carries out.

/** Carries out a plan of these steps, the last of which is the answer. */
async function carriedOut(graph, statements, signal) {
  const plan = { statements, answer: statements.at(-1).name };
  for await (const event of graph.execute(plan, { signal })) if (event.type === "done") return event.carried;
  throw new Error("The plan had no result.");
}

/** The entities that a name may mean, best first: `{ node, label, types }`. */
export async function entitiesNamed(graph, name, signal) {
  const carried = await carriedOut(graph, [{ name: "Named", op: "entity", head: { mention: name } }], signal);
  const types = new Map(carried.graph.nodes.map((node) => [node.id, node.types]));
  const candidates = carried.trace.steps[0].links.flatMap((link) => link.candidates);
  return candidates.map(({ node, label }) => ({ node, label, types: types.get(`node-${node}`) ?? [] }));
}

/** The entities that a question names, each once. */
export async function entitiesIn(graph, question, signal) {
  const { mentions } = await graph.plan(question, { planner: "rules", signal });
  const named = mentions.flatMap(({ candidates }) => candidates.find(({ chosen }) => chosen) ?? []);
  return [...new Map(named.map(({ node, label }) => [node, { node, label, types: [] }])).values()];
}

/** Entities of a type, and in `size` how many there are. */
export async function entitiesOf(graph, type, signal) {
  const carried = await carriedOut(graph, [{ name: "All", op: "all", target: type }], signal);
  return { entities: carried.graph.nodes.map(endOf), size: carried.trace.steps[0].size };
}

/** The statements of a picture: `{ from, to, label, chunk }`. Ends that are no entities have no `node`. */
export function statementsIn(picture) {
  const ends = new Map(picture.nodes.map((node) => [node.id, endOf(node)]));
  const stated = picture.edges.filter(({ triple }) => Number.isInteger(triple));
  return stated.map(({ from, to, label, chunk }) => ({
    from: ends.get(from),
    to: ends.get(to),
    label,
    chunk,
  }));
}

/**
 * What is stated of an entity: its `types`, its `statements`, and in `left` how many more there are. A plan
 * names things by their label: statements of namesakes are left out, and `isHidden` tells that a label means
 * others alone.
 */
export async function statementsOf(graph, { node, label, types }, signal) {
  const named = { name: "Named", op: "entity", head: { entity: label } };
  // A condition on a relation that there is not tells in its trace which ones there are, and reads no
  // passages.
  const condition = {
    value: {
      by: { value_of: { phrase: "?" } },
      comparison: "greater",
      to: { literal: { number: { value: 0 } } },
    },
  };
  const { trace } = await carriedOut(
    graph,
    [named, { name: "Met", op: "filter", of: "Named", condition }],
    signal,
  );
  const [{ members }, { relations }] = trace.steps;
  const isHidden = members.every((member) => member.node !== node);
  if (isHidden || relations.length === 0) return { types, statements: [], left: 0, isHidden };
  const steps = relations.map((relation, at) => ({
    name: `S${at}`,
    op: "search_kg",
    head: { reference: "Named" },
    relation: wordsOf(relation, relations),
  }));
  const all = { name: "All", op: "union", of: steps.map(({ name }) => name) };
  const { graph: picture } = await carriedOut(
    graph,
    [named, ...steps, ...(steps.length > 1 ? [all] : [])],
    signal,
  );
  const id = `node-${node}`;
  const statements = statementsIn({
    ...picture,
    edges: picture.edges.filter(({ from, to }) => from === id || to === id),
  });
  const count = relations.reduce((sum, { edges }) => sum + edges, 0);
  const left = members.length === 1 ? Math.max(0, count - statements.length) : picture.leftOut;
  return { types: picture.nodes.find((one) => one.id === id)?.types ?? types, statements, left, isHidden };
}

/**
 * A relation as a step follows it: by its label, which goes forwards wherever it can; backwards beside that
 * by its name, which is the label in most graphs.
 */
function wordsOf({ label, direction }, relations) {
  const isBoth =
    direction === "backward" &&
    relations.some((other) => other.label === label && other.direction === "forward");
  return isBoth ? { exact: { name: label.replaceAll(" ", "_"), inverse: true } } : { phrase: label };
}

function endOf({ id, kind, label, types }) {
  const number = kind === "entity" && /^node-(\d+)$/.exec(id)?.[1];
  return { node: number ? Number(number) : null, label, types };
}
