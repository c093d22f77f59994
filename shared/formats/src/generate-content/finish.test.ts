import { brief, folded } from '@model-gateway/canonical/testing/events';
import { describe, expect, test } from 'vitest';
import { example } from '../testing/examples.ts';
import { chunkOf, decode, event, parts } from '../testing/generate-content-stream.ts';
import { decodeStream } from './decode.ts';
import { generateContentReasons } from './finish.ts';

const { FINISH_REASON_UNSPECIFIED: _, ...own } = generateContentReasons.reasons;
const generateContentFinishReasons = Object.keys(own);
const others = [
  ...['OTHER', 'MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
  ...['MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE', 'BRAND_NEW'],
];
const reasons = new Map([
  ...others.map(raw => [raw, 'other'] as const),
  ...([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
  ] as const),
]);
const call = [{ functionCall: { name: 'f', args: {} } }];
const endOf = (stream: string) => decode(stream).at(-1);

describe('finish reasons', () => {
  test.each([...generateContentFinishReasons, 'BRAND_NEW'])(
    'a text that ends with %s gets the matching finish reason',
    raw => {
      const reason = reasons.get(raw) ?? 'content-filter';
      const end = endOf(chunkOf([{ text: 'x' }], { finishReason: raw }));
      expect(end).toMatchObject({ type: 'finish', reason, raw });
    },
  );

  test("a call in a response that ends with another server's own reason finishes with tool-calls", () => {
    const end = endOf(chunkOf(call, { finishReason: 'FUNCTION_CALL' }));
    expect(end).toMatchObject({ reason: 'tool-calls', raw: 'FUNCTION_CALL' });
  });

  test.each(['OTHER', 'MALFORMED_FUNCTION_CALL', 'MISSING_THOUGHT_SIGNATURE', 'BRAND_NEW'])(
    'an empty response that ends with %s has no parts',
    raw => {
      const stream = event({ candidates: [{ finishReason: raw }] });
      const end = { type: 'finish', reason: 'other', raw };
      expect(decode(stream)).toMatchObject([{ type: 'start' }, end]);
      // A client of the same format gets the vendor's response.
      expect(decode(stream, { verbatim: true }).at(-1)).toMatchObject(end);
    },
  );

  test.each(['STOP', 'SAFETY', 'MAX_TOKENS'])('an empty response that ends with %s is none', finishReason => {
    const answer = folded(decode(event({ candidates: [{ content: { role: 'model' }, finishReason }] })));
    const reason = reasons.get(finishReason) ?? 'content-filter';
    expect(answer).toMatchObject({ parts: [], finish: { reason } });
  });

  test.each(['MAX_TOKENS', 'SAFETY', 'OTHER'])(
    'a call in a response that ends with %s does not finish with tool-calls (pitfall 10)',
    raw => {
      const reason = reasons.get(raw) ?? 'content-filter';
      expect(endOf(chunkOf(call, { finishReason: raw }))).toMatchObject({ reason });
    },
  );

  test('an empty response that Model Armor blocked is one that was filtered', () => {
    const blocked = { candidates: [{ finishReason: 'MODEL_ARMOR', finishMessage: 'No.' }] };
    const end = { type: 'finish', reason: 'content-filter', raw: 'MODEL_ARMOR', explanation: 'No.' };
    expect(endOf(event(blocked))).toMatchObject(end);
    expect(decode(event(blocked), { verbatim: true }).at(-1)).toMatchObject(end);
  });

  test.each(['SAFETY', 'PROHIBITED_CONTENT', 'MODEL_ARMOR', 'JAILBREAK', 'OTHER', 'BRAND_NEW'])(
    'a prompt that is blocked for %s, before the text or within it, is one that was filtered',
    blockReason => {
      const block = event({ promptFeedback: { blockReason, blockReasonMessage: 'No.' } });
      const end = { type: 'finish', reason: 'content-filter', raw: blockReason, explanation: 'No.' };
      expect(endOf(block)).toMatchObject(end);
      const cut = chunkOf([{ text: 'Once' }], { finishReason: undefined }) + block;
      expect(endOf(cut)).toMatchObject(end);
      expect(decode(cut, { verbatim: true }).at(-1)).toMatchObject(end);
    },
  );

  test('a block reason that is not specified blocks nothing', () => {
    const promptFeedback = { blockReason: 'BLOCKED_REASON_UNSPECIFIED' };
    expect(endOf(event({ promptFeedback }) + chunkOf([{ text: 'x' }]))).toMatchObject({ reason: 'stop' });
  });

  test('the finishMessage of a blocked response becomes its explanation', () => {
    const why = { finishReason: 'SAFETY', finishMessage: 'Too dangerous.' };
    expect(endOf(event({ candidates: [why] }))).toMatchObject({ explanation: 'Too dangerous.' });
  });

  test('a stream is complete once every requested candidate has a finish reason', () => {
    const decoder = decodeStream(parts({ choices: 2 }));
    const after = (text: string) => [decoder.read(Buffer.from(text)), decoder.complete][1];
    const second = chunkOf([{ text: 'b' }], { index: 1, finishReason: 'STOP' });
    expect([after(chunkOf([{ text: 'a' }])), after(second), after('data: {')]).toEqual([false, true, false]);
    // A candidate that has begun must end, too.
    const one = decodeStream(parts());
    const begun = chunkOf([{ text: 'a' }], { finishReason: undefined });
    one.read(Buffer.from(begun + begun + second));
    expect(one.complete).toBe(false);
    // A response may have fewer candidates than requested.
    expect(decode(chunkOf([{ text: 'a' }]), parts({ choices: 2 })).at(-1)).toMatchObject({ type: 'finish' });
  });
});

describe('the wait for the end of a stream', () => {
  const usage = event({ usageMetadata: { promptTokenCount: 1 } });
  const says = (text: string, finishReason?: string) => chunkOf([{ text }], { finishReason });
  test.each([
    [says('a', 'STOP') + usage, { complete: true, mayGoOn: true }],
    [says('a') + says('', 'STOP') + usage, { complete: true, mayGoOn: false }],
    [says('a') + says('', 'STOP'), { complete: true, mayGoOn: true }],
    [says('a', 'STOP') + says('b', 'STOP') + usage, { complete: false }],
    [says('a', 'STOP') + says('b') + says('', 'STOP') + usage, { complete: true, mayGoOn: false }],
  ])('after %j the stream is %j', (stream, state) => {
    for (const target of [parts(), { verbatim: true } as const]) {
      const decoder = decodeStream(target);
      decoder.read(Buffer.from(stream));
      expect(decoder).toMatchObject(state);
      expect(decoder.end().at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
    }
  });

  test('a candidate whose index counts up is one', () => {
    const at = (index: number, text: string, finishReason?: string) =>
      chunkOf([{ text }], { index, finishReason });
    const stream = at(0, 'a') + at(1, 'b') + at(2, 'c', 'STOP');
    expect(brief(decode(stream))).toBe('0+text | 0 a | 0 b | 0 c | 0. | =stop');
    const passing = { verbatim: true, wantsOne: () => true } as const;
    expect(decode(stream, passing).at(-1)).toMatchObject({ type: 'finish' });
  });
});

describe('usage', () => {
  const ends = (usageMetadata: object) => endOf(chunkOf([{ text: 'x' }]) + event({ usageMetadata }));
  const of = (modality: string, tokenCount: number) => ({ modality, tokenCount });

  test('usage counts thoughts as output and tool results as input', () => {
    const raw = {
      ...{ promptTokenCount: 950, cachedContentTokenCount: 800, candidatesTokenCount: 30 },
      ...{ thoughtsTokenCount: 40, toolUsePromptTokenCount: 5, totalTokenCount: 1025 },
      promptTokensDetails: [of('TEXT', 900), of('AUDIO', 32), of('IMAGE', 18)],
      candidatesTokensDetails: [of('AUDIO', 7), { modality: 'TEXT' }],
    };
    const input = {
      input: 955,
      cachedInput: 800,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
      audioInput: 32,
      imageInput: 18,
    };
    expect(ends(raw)).toMatchObject({ usage: { ...input, output: 70, reasoning: 40, audioOutput: 7, raw } });
  });

  test('counts of later chunks replace earlier counts unless missing or null', () => {
    const early = { promptTokenCount: 9, cachedContentTokenCount: 4, candidatesTokenCount: 1 };
    const late = { cachedContentTokenCount: null, candidatesTokenCount: 3, thoughtsTokenCount: 2 };
    const stream =
      event({ usageMetadata: early }) + chunkOf([{ text: 'x' }]) + event({ usageMetadata: late });
    expect(endOf(stream)).toMatchObject({ usage: { input: 9, cachedInput: 4, output: 5, reasoning: 2 } });
    expect(endOf(chunkOf([{ text: 'x' }]))).toMatchObject({ usage: null });
  });

  test.each([parts(), { verbatim: true } as const])(
    'usage and characters are available mid-stream',
    target => {
      const decoder = decodeStream(target);
      expect([decoder.usage, decoder.characters]).toEqual([null, 0]);
      decoder.read(Buffer.from(example('generate-content', 'thoughts-call')));
      expect(decoder.usage).toMatchObject({ input: 30, output: 20 });
      expect(decoder.characters).toBe('User wants weather.'.length + '{"city":"Oslo"}'.length);
    },
  );
});
