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
}

/** Returns an equal part of an estimate, for one of several upstream calls. */
export function partOf({ input, units }: PromptEstimate, calls: number): PromptEstimate {
  if (calls === 1) return { input, ...(units && { units }) };
  const part = units && Object.entries(units).map(([unit, count]) => [unit, Math.ceil(count / calls)]);
  return { input: Math.ceil(input / calls), ...(part && { units: Object.fromEntries(part) }) };
}
