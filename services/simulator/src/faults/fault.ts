import { ApiError } from '../api-error.ts';
import type { Format } from '../format.ts';
import { delayOf } from '../responder/pace.ts';
import { type StreamFault, streamFaults } from './stream-faults.ts';

/** A fault replaces the answer with an error, or changes how the answer is written. */
export type Fault =
  | {
      kind: 'error';
      status: number;
      /** True for an error body with status 200. */
      disguised: boolean;
      retryAfterS: number | null;
    }
  | { kind: 'stream'; effect: StreamFault };

const retryAfterS = 7;
const disguised = '200-error';

/**
 * Reads the fault from the part of a model's name after its last `/`: `fault-429`, `fault-stall`; null is a good answer.
 * What else the name says, as in `fault-429-2s` or `fault-stall-t50-i10ms`, is a delay or the pace.
 * @throws ApiError where there is no such fault
 */
export function faultOf(model: string): Fault | null {
  const [, said] = /^fault-(.*)$/s.exec(model.slice(model.lastIndexOf('/') + 1)) ?? [];
  if (said === undefined) return null;
  const is = (name: string) => said === name || said.startsWith(`${name}-`);
  if (is(disguised)) return { kind: 'error', status: 500, disguised: true, retryAfterS: null };
  const [, status] = /^([45]\d\d)(?:-|$)/.exec(said) ?? [];
  if (status)
    return { kind: 'error', status: Number(status), disguised: false, retryAfterS: waitOf(status, said) };
  const [, effect] = Object.entries(streamFaults).find(([name]) => is(name)) ?? [];
  if (!effect) throw new ApiError(404, `The model '${model}' does not exist.`, 'model_not_found', 'model');
  return { kind: 'stream', effect };
}

function waitOf(status: string, said: string): number | null {
  if (status !== '429') return null;
  const ms = said
    .split('-')
    .map(delayOf)
    .find(delay => delay !== null);
  return ms === undefined ? retryAfterS : Math.ceil((ms ?? 0) / 1_000);
}

const codes: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  529: 'server_is_overloaded',
};

/** The error of a `fault-` model with a status. Each format has its own status in place of 529. */
export function failure(
  { overloaded }: Pick<Format<never>, 'overloaded'>,
  asked: number,
  retryAfterS: number | null = null,
): ApiError {
  const status = asked === 529 ? overloaded : asked;
  const message = `The model's name asks for a failure with status ${status}.`;
  return new ApiError(status, message, codes[status] ?? null, null, retryAfterS);
}
