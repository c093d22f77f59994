import { Problem, problemOf } from '../problem.ts';

/** The answer of the gateway to a request with a token. */
export interface Trial {
  accepted: boolean;
  status: number;
  /** The gateway's reason for a refusal. */
  reason: string | undefined;
  /** The time of the request, RFC 3339. */
  at: string;
}

const limitMs = 10_000;

/** Lists the models with a token, as a client does, to see if the gateway takes it. @throws Problem if the gateway does not respond */
export async function tryToken(secret: string): Promise<Trial> {
  const at = new Date().toISOString();
  const response = await fetch('/v1/models', {
    headers: { authorization: `Bearer ${secret}` },
    cache: 'no-store',
    signal: AbortSignal.timeout(limitMs),
  }).catch(() => {
    throw new Problem('The gateway did not respond.', { code: 'unreachable' });
  });
  if (response.ok) return { accepted: true, status: response.status, reason: undefined, at };
  const { message } = await problemOf(response);
  return { accepted: false, status: response.status, reason: message, at };
}
