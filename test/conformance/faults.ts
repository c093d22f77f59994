import type { ErrorKind } from '@model-gateway/canonical';
import type { Format } from '../stack/formats.ts';

/** What is asked of the gateway where the upstream has a fault. */
export interface Rule {
  /** What the client is told; absent where it must have a good answer. */
  error?: ErrorKind;
  /** A stream has shown some text by then. */
  within?: true;
  /** A stream may have begun by then, but without text. */
  opened?: true;
  /** In seconds, as the upstream says it. */
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

/** Formats whose end mark says nothing that was not said before. */
const bareMark: readonly Format[] = ['chat', 'messages'];

/** The rule for one way to ask: a whole body that lacks its end is broken, where a stream may lack no more than a mark. */
export function ruleOf(fault: string, how: { client: Format; upstream: Format; stream: boolean }): Rule {
  if (fault !== 'fault-no-end') return faults[fault] as Rule;
  const verbatimWhole = how.client === how.upstream && !how.stream;
  return verbatimWhole || !bareMark.includes(how.upstream) ? broken : good;
}
