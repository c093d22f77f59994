import { Problem, problemOf } from '../../problem.ts';
import type { OperationRequest } from './operation.ts';

/**
 * Sends a request to the data plane. An abort also ends the upstream request.
 * @throws Problem if the gateway does not respond, or responds with an error
 */
export async function send(
  secret: string,
  { method, path, body }: OperationRequest,
  signal: AbortSignal,
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      authorization: `Bearer ${secret}`,
      // The browser writes the type of a form, which has the boundary.
      ...(body.type === 'json' && { 'content-type': 'application/json' }),
    },
    body: body.type === 'json' ? JSON.stringify(body.json) : formOf(body.fields),
    cache: 'no-store',
    signal,
  }).catch(() => {
    signal.throwIfAborted();
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (!response.ok) throw await problemOf(response);
  return response;
}

function formOf(fields: readonly [string, string | File][]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}
