import type { ErrorKind } from '@model-gateway/canonical';
import type { Format } from '../stack/formats.ts';

/** The expected result of an upstream fault. */
export interface Rule {
  /** The client's error; absent if it must get a complete response. */
  error?: ErrorKind;
  /** True if the stream has sent text before the error. */
  within?: true;
  /** True if the stream may have begun, without text. */
  opened?: true;
  /** In seconds, as the upstream sends it. */
  retryAfter?: string;
}

const broken: Rule = { error: 'upstream', within: true };
const good: Rule = {};

/** The simulator's faults. */
export const faults: Record<string, Rule> = {
  'fault-400': { error: 'invalid-request' },
  'fault-401': { error: 'upstream' },
  'fault-402': { error: 'quota-exceeded' },
  'fault-403': { error: 'upstream' },
  'fault-404': { error: 'not-found' },
  'fault-413': { error: 'too-large' },
  'fault-429': { error: 'rate-limited', retryAfter: '7' },
  'fault-429-2s': { error: 'rate-limited', retryAfter: '2' },
  'fault-500': { error: 'upstream' },
  'fault-502': { error: 'upstream' },
  'fault-503': { error: 'overloaded' },
  'fault-504': { error: 'timeout' },
  'fault-529': { error: 'overloaded' },
  'fault-200-error': { error: 'upstream' },
  'fault-hang': { error: 'timeout' },
  'fault-stall': { error: 'timeout', within: true },
  'fault-reset': broken,
  'fault-reset-first': { error: 'upstream' },
  'fault-truncate': broken,
  'fault-malformed': broken,
  'fault-line': { error: 'upstream', opened: true },
  'fault-error': { error: 'overloaded', within: true },
  'fault-error-first': { error: 'overloaded' },
  'fault-slow-200ms': good,
  'fault-bytes': good,
  'fault-u2028': good,
  'fault-no-end': good,
};

/** Formats whose end marker adds no information. */
const bareMark: readonly Format[] = ['chat', 'messages'];

/**
 * The rule for one way: a non-streamed body without its end is broken, but a stream may lack its end marker.
 */
export function ruleOf(fault: string, how: { client: Format; upstream: Format; stream: boolean }): Rule {
  if (fault !== 'fault-no-end') return faults[fault] as Rule;
  const verbatimWhole = how.client === how.upstream && !how.stream;
  return verbatimWhole || !bareMark.includes(how.upstream) ? broken : good;
}
