import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from './problem.ts';

const readyMs = 60_000;

/** The requests of a readiness check: the model list, with a token, and `/readyz` of each required process. */
interface Questions {
  baseUrl: string;
  token: string;
  /** The operator URLs that serve `/readyz`, by process name. */
  readiness: Record<string, string>;
}

/** Waits up to a minute until the gateway is ready, and returns the names of the models. @throws Problem if it is not */
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

/** Requests one of the gateway's processes. The certificate is not checked, since it is not for the loopback address. */
async function get(name: string, url: string, signal: AbortSignal, headers = {}): Promise<string> {
  const request = url.startsWith('https:')
    ? httpsRequest(url, { signal, headers, agent: false, rejectUnauthorized: false })
    : httpRequest(url, { signal, headers, agent: false });
  request.end();
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(answer);
  if (answer.statusCode !== 200) throw new Error(`${name} responded with ${answer.statusCode}: ${body}`);
  return body;
}
