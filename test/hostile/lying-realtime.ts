import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { WebSocketServer } from 'ws';

const size = 31_000_000;
const long = 'x'.repeat(size);
const event = (type: string, more: object = {}) => JSON.stringify({ type, ...more });

/** Writes again and again while the socket takes it, until it is closed. */
function pour(line: Socket, bytes: Buffer): void {
  const write = () => {
    while (!line.destroyed && line.write(bytes));
  };
  line.on('drain', write);
  write();
}

/** A frame of a server: without a mask. */
function frame(first: number, data: Buffer): Buffer {
  const { length } = data;
  const head =
    length < 126
      ? Buffer.from([first, length])
      : Buffer.from([
          first,
          127,
          0,
          0,
          0,
          0,
          length >>> 24,
          (length >> 16) & 255,
          (length >> 8) & 255,
          length & 255,
        ]);
  return Buffer.concat([head, data]);
}

const text = 0x81;
const ping = 0x89;
const many = (bytes: Buffer, count: number) => Buffer.concat(Array(count).fill(bytes));
const message = (json: string) => frame(text, Buffer.from(json));
const odd = [null, 1, -1e308, true, '', [], [[]], {}, { id: {} }];
const known = [
  'session.created',
  'session.updated',
  'response.created',
  'response.done',
  'error',
  'a.failed',
];

/** The messages that the upstream of a realtime session sends once it has said that the session is there, by the model's name. */
const lies: Record<string, (line: Socket) => void> = {
  empty: line => pour(line, many(frame(text, Buffer.alloc(0)), 30_000)),
  small: line => pour(line, many(message(event('unknown.delta', { delta: 'x' })), 2_000)),
  pings: line => pour(line, many(frame(ping, Buffer.alloc(125, 'x')), 2_000)),
  large: line => pour(line, message(event('unknown', { text: long }))),
  errors: line => pour(line, message(event('error', { error: { message: long } }))),
  halves: line => void line.write(frame(text, Buffer.from(long)).subarray(0, size - 1)),
  fragments(line) {
    line.write(frame(0x01, Buffer.from('x')));
    pour(line, many(frame(0x00, Buffer.from('x')), 20_000));
  },
  responses(line) {
    let sent = 0;
    const timer = setInterval(() => {
      for (let i = 0; i < 100; i++) {
        const response = { id: `resp_${sent++}`, status: 'completed', usage: { input_tokens: 1 } };
        line.write(message(event('response.created', { response })));
        line.write(message(event('response.done', { response })));
      }
    }, 10);
    line.on('close', () => clearInterval(timer));
  },
  ids(line) {
    for (let i = 0; i < 60; i++)
      line.write(message(event('response.created', { response: { id: `${i}${'x'.repeat(3_000_000)}` } })));
  },
  types(line) {
    const all = known.flatMap(type =>
      odd.flatMap(value => [
        event(type, { session: value, response: value, error: value }),
        event(type, { response: { id: value, usage: value, status: value, status_details: value } }),
      ]),
    );
    for (const json of all) line.write(message(json));
  },
  silent(line) {
    line.removeAllListeners('data');
    line.resume();
  },
};

/** Answers requests for realtime sessions by lies, each with the model `gpt-realtime-<lie>`. */
export function lieOver(server: Server): void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, opened => {
      opened.on('error', () => {});
      const model = new URL(request.url ?? '', 'http://x').searchParams.get('model') ?? '';
      opened.send(event('session.created', { session: { id: 'sess_1', model } }));
      lies[model.replace('gpt-realtime-', '')]?.(socket as Socket);
    }),
  );
}
