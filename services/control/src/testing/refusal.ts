import { problem } from '@model-gateway/admin-api';
import { z } from 'zod/mini';
import type { Answer } from './control.ts';

/** The parts of an error that tests compare. */
interface Refusal {
  status: number;
  message: string;
  /** The code of the first invalid field, or else of the problem. */
  code: string;
  /** The path of the first invalid field; null for none. */
  param: string | null;
}

/** Reads an error of the admin API. @throws Error if it is no problem details with nothing else */
export function refusalOf({ status, headers, body }: Answer): Refusal {
  const { detail, code, errors, ...rest } = z.strictObject(problem.shape).parse(body);
  const described = [status, 'application/problem+json', headers.get('x-request-id')];
  const found = [rest.status, headers.get('content-type'), rest.requestId];
  if (
    JSON.stringify(found) !== JSON.stringify(described) ||
    rest.type !== `urn:model-gateway:problem:${code}`
  )
    throw new Error(`${JSON.stringify(body)} does not fit to the response: ${described}`);
  const [first] = errors;
  return { status, message: detail, code: first?.code ?? code, param: first?.path ?? null };
}
