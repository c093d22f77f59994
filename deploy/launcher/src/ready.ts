import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from './problem.ts';

const readyMs = 60_000;

/** What is asked: the model list, with a token, and the readiness of those who must be ready. */
export interface Questions {
  baseUrl: string;
  token: string;
  /** Addresses that answer `/readyz`, by the process's name. */
  readiness: Record<string, string>;
}

/** Waits until everything can be used, for a minute at most, and gives the names of the models. */
export async function untilReady(questions: Questions, signal: AbortSignal): Promise<string[]> {
  const late = AbortSignal.timeout(readyMs);
  for (;;) {
    const answer = await ask(questions, AbortSignal.any([signal, late])).catch(error => error as Error);
    if (!(answer instanceof Error)) return answer;
    signal.throwIfAborted();
    if (late.aborted) throw new Problem(`not ready within ${readyMs / 1000} s: ${answer.message}`);
    await pause(50, undefined, { signal });
  }
}

async function ask({ baseUrl, token, readiness }: Questions, signal: AbortSignal): Promise<string[]> {
  for (const [name, url] of Object.entries(readiness)) await get(name, `${url}/readyz`, signal);
  const list = await get('the model list', `${baseUrl}/v1/models`, signal, {
    authorization: `Bearer ${token}`,
  });
  const { data }: { data: { id: string }[] } = JSON.parse(list);
  return data.map(model => model.id);
}

/** What one of the gateway's own processes answers. A certificate is for the name that clients use, not for the loopback: it is not checked. */
async function get(what: string, url: string, signal: AbortSignal, headers = {}): Promise<string> {
  const asking = url.startsWith('https:')
    ? httpsRequest(url, { signal, headers, agent: false, rejectUnauthorized: false })
    : httpRequest(url, { signal, headers, agent: false });
  asking.end();
  const [answer] = (await once(asking, 'response')) as [IncomingMessage];
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${what} answered ${answer.statusCode}: ${body}`);
  return body;
}
