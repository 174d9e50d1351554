// Questions of which the documents know no word. Something is always nearest in meaning, and is shown only where it is near enough to have been meant.

/**
 * The least cosine of a question and a passage that share no word, for the passage to be shown. Set by tuning/nonsense.mjs: of made-up words .99 stay below
 * it; of the handbook's dialogues' questions, which share words with it and are shown whatever it is, .95 are above.
 */
const NEAR_ENOUGH = 0.35;

/** The result without its hits, where none shares a word with the question, none was named or led to, and all are far from it in meaning. */
export function withoutNonsense(result) {
  const meant = ({ lexical, dense, reached }) => lexical || (dense ?? 1) >= NEAR_ENOUGH || reached?.some(({ by }) => by !== "query");
  return result.hits.some(meant) ? result : { ...result, hits: [] };
}
