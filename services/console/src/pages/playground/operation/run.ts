import type { Problem } from '../../problem.ts';
import type { OperationRequest } from './request.ts';

/** A request with its answer so far. Times are in milliseconds since the request. */
export interface Run<Result> {
  model: string;
  request: OperationRequest;
  state: 'running' | 'done' | 'stopped' | 'failed';
  /** The result as far as it arrived. */
  result?: Result;
  raw: RawPart[];
  /** The headers of the response, in their order. */
  headers: [name: string, value: string][];
  /** The time of the first part of the answer. */
  firstMs?: number;
  totalMs?: number;
  problem?: Problem;
}

/** A part of an answer as it came: an event of a stream, or a whole body. */
export interface RawPart {
  text: string;
  ms: number;
}

export function began<Result>(model: string, request: OperationRequest): Run<Result> {
  return { model, request, state: 'running', raw: [], headers: [] };
}

export function headed<Result>(run: Run<Result>, { headers }: Response): Run<Result> {
  return { ...run, headers: [...headers] };
}

export function read<Result>(run: Run<Result>, part: RawPart): Run<Result> {
  return { ...run, raw: [...run.raw, part], firstMs: run.firstMs ?? part.ms };
}

export function shown<Result>(run: Run<Result>, result: Result): Run<Result> {
  return { ...run, result };
}

/** Ends a run that is running. */
export function ended<Result>(
  run: Run<Result>,
  state: 'done' | 'stopped' | 'failed',
  totalMs: number,
  problem?: Problem,
): Run<Result> {
  if (run.state !== 'running') return run;
  return { ...run, state, totalMs, ...(problem && { problem }) };
}

/** Returns a header of the response, or the request id of an error; undefined if there is none. */
export function headerOf({ headers, problem }: Run<unknown>, name: string): string | undefined {
  const found = headers.find(([header]) => header === name)?.[1];
  return found ?? (name === 'x-request-id' ? problem?.facts.requestId : undefined);
}
