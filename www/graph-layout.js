// Where the nodes of a question's subgraph go: the question in the middle, direct keywords on an inner ring,
// adjacent keywords on an outer one near what led to them, passages around the edge. Pure arithmetic: the
// same subgraph and size give the same picture.

const TURN = 2 * Math.PI;
const TOP = -Math.PI / 2;
/** What stays free between two boxes, in pixels. */
const GAP = 5;

/**
 * Positions for `nodes`, given `sizes` (id to {w, h}, the box each needs) and the picture's size; `narrow`
 * draws the rings further out. Returns a map from id to {x, y, angle}.
 */
export function layout({ nodes, edges }, sizes, { width, height, narrow = false }) {
  const centre = { x: width / 2, y: height / 2 };
  const ring = (share) => ({ rx: (centre.x - 18) * share, ry: (centre.y - 18) * share });
  const rings = {
    keyword: ring(narrow ? 0.5 : 0.4),
    "adjacent-keyword": ring(narrow ? 0.74 : 0.7),
    chunk: ring(1),
  };
  const weight = weights(edges);
  const of = (kind) => nodes.filter((node) => node.kind === kind);

  const angles = new Map();
  const direct = chain(of("keyword"), weight);
  const children = childrenOf(direct, of("adjacent-keyword"), weight);
  placeSectors(direct, children, angles);
  placeAround(of("chunk"), edges, angles);

  const placed = new Map();
  for (const node of nodes) {
    if (node.kind === "question") placed.set(node.id, { ...centre, angle: 0 });
    else {
      const { rx, ry } = rings[node.kind] ?? rings.chunk;
      const angle = angles.get(node.id) ?? TOP;
      placed.set(node.id, { x: centre.x + rx * Math.cos(angle), y: centre.y + ry * Math.sin(angle), angle });
    }
  }
  separate(nodes, placed, sizes, { width, height, narrow });
  settle(nodes, placed, sizes, { width, height });
  return placed;
}

function key(a, b) {
  return a < b ? `${a}\u0000${b}` : `${b}\u0000${a}`;
}

function weights(edges) {
  const weight = new Map(edges.map((edge) => [key(edge.from, edge.to), edge.weight]));
  return (a, b) => weight.get(key(a.id, b.id)) ?? 0;
}

/** Orders keywords so that those joined by heavy edges stand side by side: greedily, the heaviest next. */
function chain(keywords, weight) {
  const left = [...keywords];
  const ordered = left.splice(0, 1);
  while (left.length > 0) {
    const last = ordered.at(-1);
    let best = 0;
    left.forEach((candidate, at) => {
      if (weight(last, candidate) > weight(last, left[best])) best = at;
    });
    ordered.push(...left.splice(best, 1));
  }
  return ordered;
}

/** Each adjacent keyword belongs to the direct one it shares most passages with. */
function childrenOf(direct, adjacent, weight) {
  const children = new Map(direct.map(({ id }) => [id, []]));
  for (const node of adjacent) {
    const parent = direct.reduce(
      (best, other) => (best && weight(best, node) >= weight(other, node) ? best : other),
      null,
    );
    children.get(parent?.id)?.push(node);
  }
  return children;
}

/**
 * A sector for each direct keyword, as wide as it has children; children spread over their parent's sector.
 */
function placeSectors(direct, children, angles) {
  const share = ({ id }) => 1 + 0.8 * children.get(id).length;
  const total = direct.reduce((sum, node) => sum + share(node), 0);
  let at = TOP - (direct.length > 0 ? (share(direct[0]) / total) * Math.PI : 0);
  for (const node of direct) {
    const wide = (share(node) / total) * TURN;
    angles.set(node.id, at + wide / 2);
    const mine = children.get(node.id);
    mine.forEach((child, i) => angles.set(child.id, at + (wide * (i + 0.5)) / mine.length));
    at += wide;
  }
}

/**
 * Passages evenly around the edge, in the order of where their keywords stand, turned so that they lie near
 * them.
 */
function placeAround(chunks, edges, angles) {
  if (chunks.length === 0) return;
  const wish = (node) => {
    const near = edges
      .filter(({ from, to }) => from === node.id || to === node.id)
      .map(({ from, to }) => angles.get(from === node.id ? to : from))
      .filter((angle) => angle !== undefined);
    return near.length > 0 ? meanAngle(near) : null;
  };
  const wishes = chunks.map((node) => ({ node, wish: wish(node) }));
  const wanting = wishes.filter((entry) => entry.wish !== null).sort((a, b) => a.wish - b.wish);
  const free = wishes.filter((entry) => entry.wish === null);
  // Passages that no keyword led to fill the widest gaps between the others.
  for (const entry of free) {
    entry.wish = middleOfWidestGap(wanting.map((other) => other.wish));
    wanting.push(entry);
    wanting.sort((a, b) => a.wish - b.wish);
  }
  const step = TURN / wanting.length;
  const turn = meanAngle(wanting.map((entry, i) => entry.wish - i * step));
  wanting.forEach((entry, i) => angles.set(entry.node.id, turn + i * step));
}

function meanAngle(angles) {
  const x = angles.reduce((sum, angle) => sum + Math.cos(angle), 0);
  const y = angles.reduce((sum, angle) => sum + Math.sin(angle), 0);
  return Math.atan2(y, x);
}

function middleOfWidestGap(sorted) {
  if (sorted.length === 0) return TOP;
  let best = { size: TURN - (sorted.at(-1) - sorted[0]), middle: (sorted.at(-1) + sorted[0] + TURN) / 2 };
  for (let i = 1; i < sorted.length; i++) {
    const size = sorted[i] - sorted[i - 1];
    if (size > best.size) best = { size, middle: (sorted[i] + sorted[i - 1]) / 2 };
  }
  return best.middle > Math.PI ? best.middle - TURN : best.middle;
}

/**
 * Pushes boxes apart until none overlap or patience ends. The question stays; everything stays inside the
 * picture.
 */
function separate(nodes, placed, sizes, { width, height, narrow }) {
  // Where the picture is narrow, two keywords do not fit side by side: they make room upwards and downwards.
  const stacked = (a, b) => narrow && a.kind === "keyword" && b.kind === "keyword";
  const boxes = nodes.map(({ id, kind }) => ({ kind, at: placed.get(id), size: sizes.get(id) }));
  for (let round = 0; round < 80; round++) {
    let moved = false;
    for (let i = 0; i < boxes.length; i++) {
      for (let j = i + 1; j < boxes.length; j++)
        moved = pushApart(boxes[i], boxes[j], stacked(boxes[i], boxes[j])) || moved;
    }
    for (const { at, size } of boxes) {
      const { w, h } = size;
      at.x = Math.min(Math.max(at.x, w / 2 + 2), width - w / 2 - 2);
      at.y = Math.min(Math.max(at.y, h / 2 + 2), height - h / 2 - 2);
    }
    if (!moved) return;
  }
}

/**
 * What pushing could not part: one after the other, each box that lies on an earlier one moves to the
 * nearest free place around it.
 */
function settle(nodes, placed, sizes, { width, height }) {
  const rank = { question: 0, keyword: 1, "adjacent-keyword": 2 };
  const order = [...nodes].sort((a, b) => (rank[a.kind] ?? 3) - (rank[b.kind] ?? 3));
  order.forEach((node, i) => {
    const at = placed.get(node.id);
    const { w, h } = sizes.get(node.id);
    const free = ({ x, y }) =>
      order.slice(0, i).every(({ id }) => {
        const other = placed.get(id);
        const size = sizes.get(id);
        return Math.abs(x - other.x) >= (w + size.w) / 2 + 1 || Math.abs(y - other.y) >= (h + size.h) / 2 + 1;
      });
    const inside = ({ x, y }) =>
      x >= w / 2 + 2 && x <= width - w / 2 - 2 && y >= h / 2 + 2 && y <= height - h / 2 - 2;
    if (node.kind === "question" || free(at)) return;
    for (let radius = 4; radius < width + height; radius += 4) {
      for (let turn = 0; turn < 24; turn++) {
        const spot = {
          x: at.x + radius * Math.cos((turn * TURN) / 24),
          y: at.y + radius * Math.sin((turn * TURN) / 24),
        };
        if (inside(spot) && free(spot)) {
          Object.assign(at, spot);
          return;
        }
      }
    }
  });
}

function pushApart(a, b, onlyDown) {
  const [p, q, s, t] = [a.at, b.at, a.size, b.size];
  const overX = (s.w + t.w) / 2 + GAP - Math.abs(p.x - q.x);
  const overY = (s.h + t.h) / 2 + GAP - Math.abs(p.y - q.y);
  if (overX <= 0 || overY <= 0) return false;
  const axis = overX < overY && !onlyDown ? "x" : "y";
  const push = (axis === "x" ? overX : overY) * (p[axis] <= q[axis] ? 1 : -1);
  const shareA = a.kind === "question" ? 0 : b.kind === "question" ? 1 : 0.5;
  p[axis] -= push * shareA;
  q[axis] += push * (1 - shareA);
  return true;
}
