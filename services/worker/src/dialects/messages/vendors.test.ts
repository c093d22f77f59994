import { globSync, readFileSync } from 'node:fs';
import { AnswerFold, type GenerateEvent } from '@model-gateway/canonical';
import { describe, expect, test } from 'vitest';
import { decodeStream, type StreamOutput } from './decode.ts';

const folder = new URL('examples/', import.meta.url);
const examples = globSync('*.sse', { cwd: folder }).map(file => file.replace(/\.sse$/, ''));
const bytesOf = (name: string) => readFileSync(new URL(`${name}.sse`, folder));

function decode(name: string, target: StreamOutput, size: number): GenerateEvent[] {
  const bytes = bytesOf(name);
  const decoder = decodeStream(target);
  const events: GenerateEvent[] = [];
  for (let at = 0; at < bytes.length; at += size) events.push(...decoder.read(bytes.subarray(at, at + size)));
  return [...events, ...decoder.end()];
}

function answer(events: GenerateEvent[]) {
  const fold = new AnswerFold();
  const { parts, finish } = events.map(event => fold.add(event)).find(Boolean) ?? {};
  return { parts, finish };
}

describe.each([1, 100, 1e9])('example streams, read %i bytes at a time', size => {
  test('a stream with cleared context has the last reported usage', () => {
    const { parts, finish } = answer(decode('context-management', { tools: new Map() }, size));
    expect(parts).toEqual([
      { type: 'reasoning', text: '', signature: { format: 'messages', value: 'EpwCCkYI' } },
      { type: 'text', text: 'Done.' },
    ]);
    expect(finish).toMatchObject({
      reason: 'stop',
      usage: { input: 1_519, cachedInput: 1_200, cacheWrite5m: 310, output: 64, reasoning: 57 },
    });
  });

  test('a stream with a compaction keeps its block unchanged', () => {
    const { parts, finish } = answer(decode('compaction', { tools: new Map() }, size));
    const value = {
      type: 'compaction',
      content: 'The user wants a gateway.',
      encrypted_content: 'Er8CCk',
    };
    expect(parts).toEqual([
      { type: 'opaque', format: 'messages', value },
      { type: 'text', text: 'Going on.' },
    ]);
    expect(finish).toMatchObject({ reason: 'stop', usage: { input: 410, cachedInput: 0, output: 12 } });
  });

  test('a stream that another model continues keeps the fallback block in its place', () => {
    const { parts, finish } = answer(decode('fallback', { tools: new Map() }, size));
    const models = { from: { model: 'claude-fable-5' }, to: { model: 'claude-opus-4-8' } };
    expect(parts).toMatchObject([
      { type: 'text', text: 'I will ' },
      { type: 'opaque', value: { type: 'fallback', ...models, trigger: { category: 'cyber' } } },
      { type: 'text', text: 'explain it.' },
    ]);
    expect(finish).toMatchObject({ reason: 'stop', usage: { output: 15 } });
  });

  test.each(examples)(
    'pitfall 29: the stream %s passes byte for byte to a client of the same format',
    name => {
      const stream = bytesOf(name).toString();
      const events = decode(name, { verbatim: true }, size);
      const passed = Buffer.concat(events.flatMap(e => (e.type === 'verbatim' ? [e.bytes] : []))).toString();
      const error = stream.indexOf('event: error');
      const good = error < 0 ? stream : stream.slice(0, error);
      const whole = events.at(-1)?.type === 'finish';
      const marker = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
      expect(passed).toBe(whole && !good.includes('event: message_stop') ? good + marker : good);
    },
  );
});
