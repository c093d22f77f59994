import { setTimeout as pause } from 'node:timers/promises';

/** The figures of a client since the last request for them. */
export interface Seen {
  /** The longest gap in its stream of ten chunks a second, in milliseconds. */
  gapMs: number;
  /** The slowest of its other requests, and of `GET /healthz`. */
  answerMs: number;
  healthMs: number;
  /** The number of answered requests. */
  answered: number;
  failures: string[];
}

// A client in its own process, with an open stream, a request now and then, and health checks.

const [baseUrl = '', token = ''] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const question = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(400_000) }] });

let seen = nothing();
function nothing(): Seen {
  return { gapMs: 0, answerMs: 0, healthMs: 0, answered: 0, failures: [] };
}

let lastChunk = performance.now();
let begun = false;
async function stream(): Promise<void> {
  const body = JSON.stringify({ model: 'endless', stream: true, messages: [{ role: 'user', content: 'x' }] });
  const response = await fetch(`${baseUrl}/v1/chat/completions`, { method: 'POST', headers, body });
  for await (const bytes of response.body ?? []) {
    seen.gapMs = Math.max(seen.gapMs, performance.now() - lastChunk);
    lastChunk = performance.now();
    const text = Buffer.from(bytes as Uint8Array).toString();
    if (text.includes('error')) seen.failures.push(`the stream said ${text.slice(0, 200)}`);
    if (!begun) process.send?.('streams');
    begun = true;
  }
  seen.failures.push('the stream ended');
}

async function ask(): Promise<void> {
  const at = performance.now();
  const response = await fetch(`${baseUrl}/v1/chat/completions`, { method: 'POST', headers, body: question });
  const text = await response.text();
  seen.answerMs = Math.max(seen.answerMs, performance.now() - at);
  if (response.status === 200) seen.answered++;
  else seen.failures.push(`${response.status} ${text.slice(0, 200)}`);
}

async function look(): Promise<void> {
  const at = performance.now();
  await (await fetch(`${baseUrl}/healthz`)).text();
  seen.healthMs = Math.max(seen.healthMs, performance.now() - at);
}

/** Repeats an action and records its failures. */
async function repeat(what: () => Promise<void>, pauseMs: number): Promise<void> {
  for (;;) {
    await what().catch(error => seen.failures.push(`${what.name}: ${error.message}`));
    await pause(pauseMs);
  }
}

process.on('message', () => {
  seen.gapMs = Math.max(seen.gapMs, performance.now() - lastChunk);
  process.send?.(seen);
  seen = nothing();
});
process.on('disconnect', () => process.exit(0));
void stream().catch(error => seen.failures.push(`the stream: ${error.message}`));
void repeat(ask, 250);
void repeat(look, 50);
