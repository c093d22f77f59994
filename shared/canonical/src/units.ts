/** Quantities other than tokens that some models are billed by. */
export interface Units {
  /** Images generated. */
  images?: number;
  /** Seconds of audio. */
  seconds?: number;
  /** Characters spoken. */
  characters?: number;
  /** Rerank queries, of up to 100 documents each. */
  searches?: number;
  /** Searches of the web by a hosted tool. */
  webSearches?: number;
}

/** An estimate of what an upstream uses of a request whatever it answers: tokens of its input, and what is counted beside them. */
export interface PromptEstimate {
  /** In tokens. */
  input: number;
  units?: Units;
  /** Output tokens, such as reasoning, that nearly all streams of the model hide at most. Absent if that is not known. */
  hidden?: number;
}

/** Returns an equal part of an estimate, for one of several upstream calls. */
export function partOf(estimate: PromptEstimate, calls: number): PromptEstimate {
  if (calls === 1) return estimate;
  const { input, units } = estimate;
  const part = units && Object.entries(units).map(([unit, count]) => [unit, Math.ceil(count / calls)]);
  return { ...estimate, input: Math.ceil(input / calls), ...(part && { units: Object.fromEntries(part) }) };
}
