/**
 * The reason of an attempt: `first`; `failover` to another target, or `fallback` to one of another model, after a failure; `retry`
 * of the same; `hedge` beside one that has not answered; `lost-worker`, after its worker was lost.
 */
export type AttemptCause = 'first' | 'failover' | 'fallback' | 'retry' | 'hedge' | 'lost-worker';

/** The end of an attempt. `overtaken`: another one of the request answered first. `cancelled`: the client left. */
export type NotedOutcome = 'answered' | 'failed' | 'lost' | 'overtaken' | 'cancelled';
