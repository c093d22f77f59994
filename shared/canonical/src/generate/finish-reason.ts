/**
 * Reason why a model stopped, in one vocabulary for all formats. `other` is a cut whose reason is not known, or is none of these: clients
 * are told of a cut.
 */
export type FinishReason =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'other';
