import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { streams as grown } from '../linear/answers/streams.ts';
import { most } from '../linear/most-items.ts';
import { lieOver } from './lying-realtime.ts';

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
  secretive: message('-eyJ'.repeat(65_000)),
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

const event = (value: { type: string } & Record<string, unknown>) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const messageOf = (id: string, text: string) =>
  [
    event({ type: 'message_start', message: { id, model: 'up', usage: {} } }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    event({ type: 'content_block_stop', index: 0 }),
  ].join('');
const ending =
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }) +
  event({ type: 'message_stop' });

/** Writes until the connection is closed. */
function pour(response: ServerResponse): void {
  const piece = Buffer.alloc(64 * 1024, 'x');
  const write = () => {
    while (!response.destroyed && response.write(piece));
  };
  response.on('drain', write);
  write();
}

/** Answers of any kind of request, by the model's name. */
const broken: Record<string, (response: ServerResponse, stream: boolean) => void> = {
  spliced(response) {
    response.setHeader('content-type', 'text/event-stream');
    response.end(messageOf('msg_1', 'one ') + messageOf('msg_2', 'two') + ending);
  },
  numbered(response, stream) {
    response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
    const sent = stream
      ? `${chunk({ content: 'hi' })}${chunk({}, 'stop')}data: [DONE]\n\n`
      : `${message('hi')}`;
    response.end(sent.replaceAll('"id":"c"', '"id":12345'));
  },
  'endless-error'(response) {
    response.writeHead(500, { 'content-type': 'application/json' });
    pour(response);
  },
  arrays(response) {
    response.setHeader('content-type', 'application/json');
    response.end(`[${'[],'.repeat(10_000_000)}[]]`);
  },
  keys(response) {
    response.setHeader('content-type', 'application/json');
    response.end(`{${'"keyed":12,'.repeat(1_000_000)}"a":1}`);
  },
  held(response) {
    response.setHeader('content-type', 'application/json');
    response.write(`{"choices":["${'x'.repeat(30_000_000)}`);
  },
};

function generated(response: ServerResponse, stream: boolean): void {
  const candidate = { content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP', index: 0 };
  const tokens = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
  const answer = JSON.stringify({ candidates: [candidate], usageMetadata: tokens, modelVersion: 'up' });
  response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
  response.end(stream ? `data: ${answer}\n\n` : answer);
}

/** Answers in the format of responses, in 200 pieces of which 50 are sent in a second. */
function reply(response: ServerResponse): void {
  const made = { id: 'resp_1', object: 'response', created_at: 1, model: 'up', output: [] };
  const item = { id: 'msg_1', type: 'message', role: 'assistant', status: 'in_progress', content: [] };
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  const text = 'some words '.repeat(200);
  const done = { ...item, status: 'completed', content: [{ ...part, text }] };
  const tokens = { input_tokens: 1, output_tokens: 400, total_tokens: 401 };
  response.setHeader('content-type', 'text/event-stream');
  response.write(
    event({ type: 'response.created', response: { ...made, status: 'in_progress' } }) +
      event({ type: 'response.output_item.added', output_index: 0, item }) +
      event({ type: 'response.content_part.added', ...at, part }),
  );
  let left = 200;
  const timer = setInterval(() => {
    if (left-- > 0) {
      response.write(event({ type: 'response.output_text.delta', ...at, delta: 'some words ' }));
      return;
    }
    clearInterval(timer);
    response.end(
      event({ type: 'response.output_text.done', ...at, text }) +
        event({ type: 'response.content_part.done', ...at, part: { ...part, text } }) +
        event({ type: 'response.output_item.done', output_index: 0, item: done }) +
        event({
          type: 'response.completed',
          response: { ...made, status: 'completed', output: [done], usage: tokens },
        }),
    );
  }, 20);
  response.on('close', () => clearInterval(timer));
}

/** Answers that grow, by a model's name of their format and number. */
function grownAnswer(name: string): string | Buffer | undefined {
  const [, format = '', at] = /grown-([a-z-]+)-(\d+)/.exec(name) ?? [];
  return Object.values(grown[format] ?? {})[Number(at)]?.(most);
}

function answer(url: string, body: Buffer, response: ServerResponse): void {
  const known = grownAnswer(`${url} ${body.toString('latin1', 0, 2_000)}`);
  if (known) {
    response.setHeader('content-type', 'text/event-stream');
    response.end(known);
    return;
  }
  if (/enerateContent/.test(url)) return generated(response, url.includes('stream'));
  if (url.endsWith('/responses')) return reply(response);
  // Finds the model's name at the start or end, without parsing a body of megabytes.
  const ends = `${body.toString('latin1', 0, 2_000)}${body.toString('latin1', Math.max(0, body.length - 2_000))}`;
  const model = /"model":"([^"]*)"/.exec(ends)?.[1] ?? '';
  if (model === 'silent') return;
  const stream = /"stream":true/.test(ends);
  const breaks = broken[model];
  if (breaks) return breaks(response, stream);
  const whole = made[model];
  if (whole || url.endsWith('/embeddings')) {
    response.setHeader('content-type', 'application/json');
    response.end(whole ?? vectors(1, 4));
    return;
  }
  if (!stream) {
    response.setHeader('content-type', 'application/json');
    response.end(message('hi'));
    return;
  }
  response.setHeader('content-type', 'text/event-stream');
  const answers = streams[model];
  if (answers) answers(response);
  else response.end(`${chunk({ content: 'hi' })}${chunk({}, 'stop')}data: [DONE]\n\n`);
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', piece => pieces.push(piece));
  request.on('end', () => answer(request.url ?? '', Buffer.concat(pieces), response));
});
lieOver(server);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
