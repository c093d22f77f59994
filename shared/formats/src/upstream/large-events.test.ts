import type { GenerateFormat } from '@model-gateway/canonical';
import { testEnvelope } from '@model-gateway/canonical/testing/envelope';
import { EventReader } from '@model-gateway/sse';
import { expect, test } from 'vitest';
import { findDialect } from '../dialects.ts';
import { awsFrame } from '../testing/aws-frames.ts';
import type { Decoder, GenerateInput } from './dialect.ts';

const envelope = testEnvelope();
const common = { envelope, model: 'up', drop: [], limits: {} };
const verbatim: GenerateInput = { ...common, body: 'verbatim', text: Buffer.from('{}') };
const translated: GenerateInput = { ...common, body: 'canonical', request: { messages: [] } };

const text = 'a "word" žluť 🐎\n'.repeat(150_000);
const event = (data: unknown, name?: string) =>
  `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;
const typed = (data: { type: string; [field: string]: unknown }) => event(data, data.type);
const choice = (rest: object) => event({ id: 'c', model: 'up', choices: [{ index: 0, ...rest }] });
const candidate = (part: object, more = {}) =>
  event({ candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...more }] });
const place = { item_id: 'i', output_index: 0, content_index: 0 };
const item = { type: 'message', id: 'i', role: 'assistant', content: [{ type: 'output_text', text }] };
const response = { id: 'r', model: 'up' };
const begun = { message: { content: { type: 'text', text: 'x' } } };

const streams: Record<GenerateFormat, string[]> = {
  chat: [
    choice({ delta: { content: 'x' } }),
    choice({ delta: { content: text } }),
    choice({ delta: {}, finish_reason: 'stop' }),
    'data: [DONE]\n\n',
  ],
  completions: [choice({ text: 'x' }), choice({ text, finish_reason: 'stop' }), 'data: [DONE]\n\n'],
  messages: [
    typed({ type: 'message_start', message: { id: 'm', model: 'up' } }),
    typed({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    typed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    typed({ type: 'content_block_stop', index: 0 }),
    typed({ type: 'message_delta', delta: { stop_reason: 'end_turn' } }),
    typed({ type: 'message_stop' }),
  ],
  'generate-content': [
    candidate({ text }),
    candidate({ functionCall: { name: 'f', args: { text, n: 0.1 } } }, { finishReason: 'STOP' }),
  ],
  converse: [
    event({ role: 'assistant' }, 'messageStart'),
    event({ contentBlockIndex: 0, delta: { text: 'x' } }, 'contentBlockDelta'),
    event({ contentBlockIndex: 0, delta: { text } }, 'contentBlockDelta'),
    event({ contentBlockIndex: 0 }, 'contentBlockStop'),
    event({ stopReason: 'end_turn' }, 'messageStop'),
    event({ usage: { inputTokens: 1, outputTokens: 1 } }, 'metadata'),
  ],
  responses: [
    typed({ type: 'response.created', response: { ...response, status: 'in_progress' } }),
    typed({ type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } }),
    typed({ type: 'response.output_text.delta', ...place, delta: text }),
    typed({ type: 'response.output_item.done', output_index: 0, item }),
    typed({ type: 'response.completed', response: { ...response, status: 'completed', output: [item] } }),
  ],
  'cohere-chat': [
    typed({ type: 'message-start', id: 'c' }),
    typed({ type: 'content-start', index: 0, delta: begun }),
    typed({ type: 'content-delta', index: 0, delta: { message: { content: { text } } } }),
    typed({ type: 'message-end', delta: { finish_reason: 'COMPLETE' } }),
  ],
};

function chunksOf(format: GenerateFormat, stream: string): Buffer[] {
  const bytes = format === 'converse' ? framed(stream) : Buffer.from(stream);
  return Array.from({ length: Math.ceil(bytes.length / 60_000) }, (_, i) =>
    bytes.subarray(i * 60_000, (i + 1) * 60_000),
  );
}

/** Returns the events as frames of AWS. */
function framed(stream: string): Buffer {
  const events = new EventReader().read(Buffer.from(stream));
  return Buffer.concat(events.map(({ event = '', data }) => awsFrame(event, data)));
}

function decoderOf(format: GenerateFormat, input: GenerateInput): Decoder {
  const dialect = findDialect('generate', format, input.body);
  if (!dialect) throw new Error(`no dialect of ${format}`);
  return dialect.decodeStream({ ...input, envelope: { ...envelope, format } });
}

const formats = Object.keys(streams) as GenerateFormat[];
/** No client speaks some formats, so no stream of them is passed on. */
const isPassedOn = (format: GenerateFormat) => Boolean(findDialect('generate', format, 'verbatim'));
const inputs = Object.entries({ verbatim, translated });

test.for(
  formats.flatMap(format =>
    inputs.flatMap(([words, input]) => {
      const broken = streams[format].map(each => each.replace('🐎', '🐎"'));
      const each = { format, words, input, events: streams[format] };
      const both = [each, { ...each, words: `broken and ${words}`, events: broken }];
      return input !== verbatim || isPassedOn(format) ? both : [];
    }),
  ),
)(
  'large events of $format, $words, decode the same in steps as at once',
  async ({ format, words, input, events }) => {
    const [atOnce, inSteps] = [decoderOf(format, input), decoderOf(format, input)];
    let waited = 0;
    let turns = 0;
    const turn = async () => void turns++;
    for (const chunk of chunksOf(format, events.join(''))) {
      const expected = atOnce.read(chunk);
      const read = inSteps.readInSteps?.(chunk, turn);
      if (read instanceof Promise) waited++;
      expect((await read) ?? []).toEqual(expected);
      const { complete, usage, characters } = atOnce;
      expect(inSteps).toMatchObject({ complete, usage, characters });
    }
    const end = atOnce.end();
    expect(inSteps.end()).toEqual(end);
    expect(waited).toBeGreaterThan(0);
    expect(turns).toBeGreaterThan(3);
    if (!words.includes('broken'))
      expect(atOnce.characters ?? text.length).toBeGreaterThanOrEqual(text.length);
  },
);
