import { exceededBound } from '@model-gateway/json';
import { streams } from './answers/streams.ts';
import { cost, refusedOrDone } from './cost.ts';
import { type Body, type Growable, generating, ofPath, others } from './endpoints.ts';
import { pairs, singles } from './grown.ts';
import { most } from './most-items.ts';
import { references } from './references.ts';
import { stagesOf } from './stages.ts';
import { decoded } from './upstreams.ts';

/** A request, and the CPU time of its dearest stage in milliseconds. */
export interface WorstRequest {
  what: string;
  ms: number;
  path: string;
  body: Body;
}

/** A stream of an upstream, and the CPU time of decoding it in milliseconds. */
export interface WorstAnswer {
  what: string;
  ms: number;
  format: string;
  /** Its place among those of its format. */
  at: number;
}

/** Items by which requests and answers are compared. */
const compared = 2_000;

/** Returns the body with as many items as it may have. */
function largest(growable: Growable, grown: (n: number) => Body): Body | undefined {
  for (let n = most; n >= 1; n = Math.floor(n / 2)) {
    const body = { ...growable.base, ...grown(n) };
    if (!exceededBound(JSON.stringify(body))) return body;
  }
  return undefined;
}

/** Returns the CPU time of the dearest stage of a request, in milliseconds. */
function dearest(growable: Growable, grown: (n: number) => Body, n: number): number {
  return Math.max(...stagesOf(growable, grown).map(([, growing]) => cost(growing(n), 1)));
}

/** Returns the dearest of all requests that grow. */
export function worstRequests(count: number): WorstRequest[] {
  const all = Object.entries<Growable>({ ...generating, ...others }).flatMap(([format, growable]) => {
    const path = Object.keys(ofPath).find(path => ofPath[path] === growable) ?? '';
    const named = Object.entries(references[format as keyof typeof generating] ?? {});
    return [...singles(growable), ...pairs(growable), ...named].map(([what, grown]) => ({
      what: `${format}: ${what}`,
      ms: dearest(growable, grown, compared),
      path,
      growable,
      grown,
    }));
  });
  // Those that are dear with a few items are compared again with as many as they may have.
  const again = dearestOf(all, 4 * count).flatMap(({ growable, grown, ...worst }) => {
    const body = largest(growable, grown);
    return body ? [{ ...worst, body, ms: dearest(growable, () => body, 1) }] : [];
  });
  return dearestOf(again, count);
}

/** Returns the dearest of all streams of upstreams of these formats. */
export function worstAnswers(count: number, formats: readonly string[]): WorstAnswer[] {
  const all = formats.flatMap(format =>
    Object.entries(streams[format] ?? {}).map(([scenario, answer], at) => {
      const bytes = Buffer.from(answer(most) as string);
      const ms = cost(() => refusedOrDone(() => decoded(format, bytes)), 1);
      return { what: `an answer in ${format}: ${scenario}`, ms, format, at };
    }),
  );
  return dearestOf(all, count);
}

function dearestOf<T extends { ms: number }>(all: readonly T[], count: number): T[] {
  return all.toSorted((one, other) => other.ms - one.ms).slice(0, count);
}
