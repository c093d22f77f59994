import type { IncomingHttpHeaders } from 'node:http';
import type { TraceHeaders } from '@model-gateway/canonical';

/** Version 00 of `traceparent`, as far as later versions must keep it: https://www.w3.org/TR/trace-context/#traceparent-header */
const pattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Longest `tracestate` that is passed on, in characters: the length that every system must pass on. */
const maxState = 512;
const state = /^[\x20-\x7e\t]+$/;

/** The parts of a `traceparent`. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
  sampled: boolean;
}

/** Returns the trace of a request's headers; undefined if there is none, or if it is malformed. */
export function traceHeadersOf({ traceparent, tracestate }: IncomingHttpHeaders): TraceHeaders | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const parent = parseTraceParent(traceparent);
  if (!parent) return undefined;
  const passed = typeof tracestate === 'string' && tracestate.length <= maxState && state.test(tracestate);
  return { traceparent: writeTraceParent(parent), ...(passed && { tracestate }) };
}

/** Returns the parts of a `traceparent`; undefined if it is malformed. */
export function parseTraceParent(text: string): TraceParent | undefined {
  const [, traceId, spanId, flags, more] = pattern.exec(text) ?? [];
  // Only later versions may have more fields.
  if (!traceId || !spanId || !flags || (more && text.startsWith('00'))) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function writeTraceParent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`;
}
