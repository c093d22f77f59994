/** The quantities of an attempt. `input` and `output` are the sums of their kinds. */
export interface Quantities {
  input: number;
  cachedInput: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  audioInput: number;
  imageInput: number;
  output: number;
  reasoning: number;
  audioOutput: number;
  images: number;
  seconds: number;
  characters: number;
  searches: number;
  /** Searches of the web by a hosted tool. */
  webSearches?: number;
}
