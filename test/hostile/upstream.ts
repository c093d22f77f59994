import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// An upstream in its own process, which answers in any format, validly or not, by the model's name.

const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const tiny = '{},';
const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = (content: string) =>
  json({
    id: 'c',
    model: 'up',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  });
const chunk = (delta: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', model: 'up', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const vector = (length: number) =>
  `[${Array.from({ length }, () => Math.fround(Math.random() - 0.5)).join(',')}]`;
const vectors = (count: number, length: number) =>
  Buffer.from(
    `{"model":"up","data":[${Array.from({ length: count }, (_, index) => `{"index":${index},"embedding":${vector(length)}}`).join(',')}],"usage":{"prompt_tokens":1,"total_tokens":1}}`,
  );

/** Responses that are generated once. */
const made: Record<string, Buffer> = {
  'tiny-values': Buffer.from(`{"choices":[${tiny.repeat(10_000_000)}{}]}`),
  'one-string': message('x'.repeat(60_000_000)),
  vectors: vectors(2_048, 1_536),
};

const streams: Record<string, (response: ServerResponse) => void> = {
  /** Never ends. */
  endless(response) {
    const timer = setInterval(() => response.write(chunk({ content: 'x' })), 100);
    response.on('close', () => clearInterval(timer));
  },
  'tiny-event': response => response.end(`data: {"choices":[${tiny.repeat(10_000_000)}{}]}\n\n`),
  'many-lines': response => response.end(`${'x\n'.repeat(15_000_000)}data: {}\n\n`),
  'one-event': response =>
    response.end(`${chunk({ content: 'x'.repeat(30_000_000) })}${chunk({}, 'stop')}data: [DONE]\n\n`),
  'many-events': response =>
    response.end(`${chunk({ content: 'x' }).repeat(200_000)}${chunk({}, 'stop')}data: [DONE]\n\n`),
};

function generated(response: ServerResponse, stream: boolean): void {
  const candidate = { content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP', index: 0 };
  const tokens = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const answer = JSON.stringify({ candidates: [candidate], usageMetadata: tokens, modelVersion: 'up' });
  response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
  response.end(stream ? `data: ${answer}\n\n` : answer);
}

function answer(url: string, body: Buffer, response: ServerResponse): void {
  if (/enerateContent/.test(url)) return generated(response, url.includes('stream'));
  // Finds the model's name at the start or end, without parsing a body of megabytes.
  const ends = `${body.toString('latin1', 0, 2_000)}${body.toString('latin1', Math.max(0, body.length - 2_000))}`;
  const model = /"model":"([^"]*)"/.exec(ends)?.[1] ?? '';
  if (model === 'silent') return;
  const whole = made[model];
  if (whole || url.endsWith('/embeddings')) {
    response.setHeader('content-type', 'application/json');
    response.end(whole ?? vectors(1, 4));
    return;
  }
  if (!/"stream":true/.test(ends)) {
    response.setHeader('content-type', 'application/json');
    response.end(message('hi'));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const stream = streams[model];
  if (stream) stream(response);
  else response.end(`${chunk({ content: 'hi' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', piece => pieces.push(piece));
  request.on('end', () => answer(request.url ?? '', Buffer.concat(pieces), response));
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
