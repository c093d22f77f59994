import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setImmediate as nextWrite } from 'node:timers/promises';
import { listen } from '@model-gateway/service';
import type { Json } from './json.ts';

/** The form of an event stream from a server that is careless in one way. */
interface Unruly {
  /** Makes what rewrites the events of one stream: it returns the events in place of one, each without its blank line. */
  rewriter?(): (event: string) => string[];
  /** Ends a line; `\n` if absent. */
  line?: string;
  /** True if nothing ends the last event. */
  endless?: true;
  /** The most bytes of one write. */
  bytes?: number;
}

/** Careless servers by what they do. Sources: the public reports named in docs/pitfalls.md and docs/unruly-upstreams.md. */
export const unruly = {
  'ends without line breaks': { endless: true },
  'heartbeats without data': { rewriter: () => event => [':', 'data:', 'event: heartbeat\ndata:', event] },
  'lines that end in CRLF': { line: '\r\n' },
  comments: { rewriter: () => event => [`: before\n${event}\n: after`] },
  'ids that change': { rewriter: changeIds },
  'usage of its own': { rewriter: () => event => changed(event, usageApart) },
  'indexes from 1': { rewriter: () => event => changed(event, countFromOne) },
  'characters in two writes': { bytes: 7 },
  'one byte at a time': { bytes: 1 },
} satisfies Record<string, Unruly>;
export type UnrulyName = keyof typeof unruly;

/** Passes requests on to a server, and its event streams back as a careless one would send them. */
export async function startUnruly(
  name: UnrulyName,
  target: string,
): Promise<{ url: string; close(): Promise<void> }> {
  return listen(
    async (asked, response) => {
      const { method, headers } = asked;
      const passed = request(`${target}${asked.url}`, { method, headers });
      passed.on('error', () => response.destroy());
      response.on('close', () => passed.destroy());
      asked.pipe(passed);
      const [answer] = (await once(passed, 'response').catch(() => [])) as [IncomingMessage?];
      if (!answer) return;
      const isStream = answer.headers['content-type']?.startsWith('text/event-stream');
      const { 'content-length': length, ...rest } = answer.headers;
      response.writeHead(answer.statusCode ?? 500, isStream ? rest : { ...rest, 'content-length': length });
      const pieces = isStream ? rewritten(answer, unruly[name]) : answer;
      await send(pieces, response, unruly[name]).catch(() => response.destroy());
    },
    '127.0.0.1',
    0,
  );
}

/** Yields the events of a stream in the careless form. Throws as the stream does, after what came before. */
async function* rewritten(
  answer: AsyncIterable<Buffer>,
  { rewriter, line = '\n', endless }: Unruly,
): AsyncGenerator<Buffer> {
  const rewrite = rewriter?.() ?? ((event: string) => [event]);
  let text = '';
  let held: string | undefined;
  let failure: unknown;
  const written = (event: string) => Buffer.from(`${event}\n\n`.replaceAll('\n', line), 'latin1');
  try {
    for await (const piece of answer) {
      const parts = (text + piece.toString('latin1')).split('\n\n');
      text = parts.pop() ?? '';
      for (const event of parts.flatMap(rewrite)) {
        if (held !== undefined) yield written(held);
        held = event;
      }
    }
  } catch (thrown) {
    failure = thrown;
  }
  if (held !== undefined)
    yield endless && !failure && text === '' ? Buffer.from(held, 'latin1') : written(held);
  if (text !== '') yield Buffer.from(text, 'latin1');
  if (failure) throw failure;
}

async function send(
  pieces: AsyncIterable<Buffer>,
  response: ServerResponse,
  { bytes }: Unruly,
): Promise<void> {
  for await (const piece of pieces)
    for (let at = 0; at < piece.length; at += bytes ?? piece.length) {
      response.write(piece.subarray(at, at + (bytes ?? piece.length)));
      if (bytes) await nextWrite();
    }
  response.end();
}

/** Changes the JSON of an event, which may become several events. */
function changed(event: string, change: (value: Json) => Json[]): string[] {
  const [, before = '', data] = /^((?:.*\n)*)data: (\{.*\})$/.exec(event) ?? [];
  if (data === undefined) return [event];
  return change(JSON.parse(Buffer.from(data, 'latin1').toString())).map(
    value => `${before}data: ${Buffer.from(JSON.stringify(value)).toString('latin1')}`,
  );
}

/** Gives each event of a stream after the first other ids of the answer, its calls and its items. */
function changeIds(): (event: string) => string[] {
  let events = 0;
  return event =>
    changed(event, value => {
      if (++events === 1) return [value];
      const id = `other-${events}`;
      if (value.choices) value.id = id;
      if (value.responseId) value.responseId = id;
      if (value.item_id) value.item_id = id;
      for (const call of callsOf(value)) if (!call.function?.name) call.id = id;
      return [value];
    });
}

/** Moves the usage into an event of its own, after the end of the answer. */
function usageApart(value: Json): Json[] {
  const { usage, usageMetadata, ...rest } = value;
  if (value.type === 'message_delta' && value.delta?.stop_reason)
    return [
      { ...rest, usage: { output_tokens: 0 } },
      { ...value, delta: {} },
    ];
  if (usageMetadata && value.candidates) {
    const { candidates: _, ...meta } = value;
    return value.candidates.some((candidate: Json) => candidate.finishReason) ? [rest, meta] : [rest];
  }
  if (usage && value.choices?.length > 0) return [rest, { ...value, choices: [] }];
  return [value];
}

/** Counts calls, blocks and items from 1. */
function countFromOne(value: Json): Json[] {
  for (const call of callsOf(value)) call.index++;
  if (/^content_block_/.test(value.type)) value.index++;
  if (value.output_index !== undefined) value.output_index++;
  return [value];
}

function callsOf({ choices }: Json): Json[] {
  return (choices ?? []).flatMap(({ delta }: Json) => delta?.tool_calls ?? []);
}
