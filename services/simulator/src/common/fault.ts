import { delayOf } from '../responder/pace.ts';
import { ApiError } from './api-error.ts';
import type { ErrorFormat } from './format.ts';
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
 * Reads the fault from the part of a model's name after its last `/`: `fault-429`, `fault-stall`; null if there is none.
 * The rest of the name, as in `fault-429-2s` or `fault-stall-t50-i10ms`, is a delay or the pace.
 * @throws ApiError if the fault does not exist
 */
export function faultOf(model: string): Fault | null {
  const [, rest] = /^fault-(.*)$/s.exec(model.slice(model.lastIndexOf('/') + 1)) ?? [];
  if (rest === undefined) return null;
  const is = (name: string) => rest === name || rest.startsWith(`${name}-`);
  if (is(disguised)) return { kind: 'error', status: 500, disguised: true, retryAfterS: null };
  const [, status] = /^([45]\d\d)(?:-|$)/.exec(rest) ?? [];
  if (status)
    return {
      kind: 'error',
      status: Number(status),
      disguised: false,
      retryAfterS: retryAfterOf(status, rest),
    };
  const [, effect] = Object.entries(streamFaults).find(([name]) => is(name)) ?? [];
  if (!effect) throw unknownModel(model);
  return { kind: 'stream', effect };
}

function retryAfterOf(status: string, rest: string): number | null {
  if (status !== '429') return null;
  const ms = rest.split('-').flatMap(piece => delayOf(piece) ?? [])[0];
  return ms === undefined ? retryAfterS : Math.ceil(ms / 1_000);
}

export function unknownModel(model: string): ApiError {
  return new ApiError(404, `The model '${model}' does not exist.`, 'model_not_found', 'model');
}

const codes: Record<number, string> = {
  401: 'invalid_api_key',
  404: 'model_not_found',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
  529: 'server_is_overloaded',
};

/** The error of a `fault-` model with a status. 529 becomes the format's status of overload. */
export function failure(
  { overloaded }: Pick<ErrorFormat, 'overloaded'>,
  requested: number,
  retryAfterS: number | null = null,
): ApiError {
  const status = requested === 529 ? overloaded : requested;
  const message = `The model's name requests a failure with status ${status}.`;
  return new ApiError(status, message, codes[status] ?? null, null, retryAfterS);
}
