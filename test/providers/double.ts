import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { chunk, done } from '../faults/upstream.ts';

/** A request as a vendor's double got it. */
export interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** A server in place of every vendor: it keeps what it is asked, and answers by the end of the path. */
export interface VendorDouble {
  url: string;
  asked: Asked[];
  stop(): void;
}

export async function startVendorDouble(): Promise<VendorDouble> {
  const asked: Asked[] = [];
  const server: Server = createServer(async (request, response) => {
    const bytes = await buffer(request);
    const isJson = request.headers['content-type']?.includes('json') ?? false;
    const body = isJson ? JSON.parse(bytes.toString()) : {};
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers, body });
    if (body.stream) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end(chunk('Hello.') + chunk('', 'stop') + done);
    }
    const answer = answers.find(([end]) => end.test(path))?.[1](body);
    response.writeHead(answer ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: { message: `no such path: ${path}` } }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => server.close().closeAllConnections(),
  };
}

type Answer = (body: Record<string, unknown>) => object;

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

const answers: readonly [RegExp, Answer][] = [
  [
    /\/chat\/completions$/,
    () => ({
      ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'm', usage },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    }),
  ],
  [
    /\/embeddings$/,
    ({ input }) => ({
      ...{ object: 'list', model: 'm', usage },
      data: [input].flat().map((_, index) => ({ object: 'embedding', index, embedding: [0.5, 1] })),
    }),
  ],
  [
    /\/moderations$/,
    // Mistral's results do not say whether they are flagged.
    () => ({ id: 'm1', model: 'm', results: [{ categories: { pii: true }, category_scores: { pii: 0.9 } }] }),
  ],
  [
    /\/listen\?/,
    () => ({
      metadata: { duration: 2 },
      results: { channels: [{ alternatives: [{ transcript: 'Hello.' }] }] },
    }),
  ],
  [
    /\/rerank$/,
    ({ documents }) => ({
      ...{ model: 'm', usage },
      data: (documents as string[]).map((_, index) => ({ index, relevance_score: 1 - index / 10 })),
    }),
  ],
];
