import { expect, vi } from 'vitest';
import type { Console } from './console.ts';

/** Sends a request to a model as a client does, and reads the answer, whatever it is. Returns the id of the request. */
export async function askModel(
  { gateway }: Console,
  token: string,
  model: string,
  { stream = false, signal }: { stream?: boolean; signal?: AbortSignal } = {},
): Promise<{ id: string; status: number; text: Promise<string> }> {
  const response = await fetch(`${gateway.baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Tell me about the sea.' }] }),
    ...(signal && { signal }),
  });
  const text = response.text().catch(error => String(error));
  if (!stream) await text;
  return { id: response.headers.get('x-request-id') ?? '', status: response.status, text };
}

/** Waits until the ledger has a number of attempts. */
export async function untilInLedger(console: Console, attempts: number, query = ''): Promise<void> {
  const check = async () =>
    expect((await console.admin('GET', `/usage?limit=1000${query}`)).data).toHaveLength(attempts);
  await vi.waitFor(check, { timeout: 20_000, interval: 200 });
}
