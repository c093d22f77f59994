import { Agent, type IncomingMessage, request } from 'node:http';
import type { Received } from './outcome.ts';
import type { Question } from './questions.ts';

/** The address and token of a load. */
export interface Target {
  url: string;
  token: string;
}

const answerMs = 60_000;

/** Connections of clients that reuse them; other clients open one for each request. */
export type Connections = Agent | false;

export function keptConnections(): Agent {
  return new Agent({ keepAlive: true, keepAliveMsecs: 1_000 });
}

/** Sends one request once, without the retries that hide failures. Never rejects. */
export function ask(target: Target, question: Question, agent: Connections): Promise<Received> {
  const body = question.body && JSON.stringify(question.body);
  const headers = {
    authorization: `Bearer ${target.token}`,
    ...(question.path.startsWith('/v1/messages') && { 'anthropic-version': '2023-06-01' }),
    ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise(resolve => {
    let status = 0;
    const pieces: Buffer[] = [];
    const end = (error?: Error & { code?: string }) =>
      resolve({
        status,
        body: Buffer.concat(pieces),
        ...(error && { broken: error.code ?? error.message }),
      });
    const signal = AbortSignal.timeout(answerMs);
    const sent = request(target.url + question.path, {
      method: body ? 'POST' : 'GET',
      agent,
      headers,
      signal,
    });
    sent.on('error', end);
    sent.on('response', (answer: IncomingMessage) => {
      status = answer.statusCode ?? 0;
      answer.on('data', piece => pieces.push(piece));
      answer.on('error', end);
      answer.on('end', () => end());
    });
    sent.end(body);
  });
}
