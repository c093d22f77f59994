import { generateContentFinishReasons } from '@model-gateway/wire';
import { describe, expect, test } from 'vitest';
import { chunkOf, decode, event, example, fold, parts, stop } from '../../testing/generate-content-stream.ts';
import { decodeStream } from './decode.ts';

const expected: Record<string, string> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  CONTINUATION: 'length',
  OTHER: 'other',
  MALFORMED_FUNCTION_CALL: 'other',
  UNEXPECTED_TOOL_CALL: 'other',
  TOO_MANY_TOOL_CALLS: 'other',
  MALFORMED_RESPONSE: 'other',
  MISSING_THOUGHT_SIGNATURE: 'other',
};

describe('finish reasons', () => {
  test.each([...generateContentFinishReasons, 'BRAND_NEW'])(
    'a text that ends with %s gets the matching finish reason',
    raw => {
      const reason = raw === 'BRAND_NEW' ? 'other' : (expected[raw] ?? 'content-filter');
      expect(decode(chunkOf([{ text: 'x' }], { finishReason: raw })).at(-1)).toMatchObject({
        type: 'finish',
        reason,
        raw,
      });
    },
  );

  test("a call in a response that ends with another server's own reason finishes with tool-calls", () => {
    const call = [{ functionCall: { name: 'f', args: {} } }];
    expect(decode(chunkOf(call, { finishReason: 'FUNCTION_CALL' })).at(-1)).toMatchObject({
      reason: 'tool-calls',
      raw: 'FUNCTION_CALL',
    });
  });

  test.each(['OTHER', 'MALFORMED_FUNCTION_CALL', 'MISSING_THOUGHT_SIGNATURE', 'BRAND_NEW'])(
    'an empty response that ends with %s is an error',
    raw => {
      const stream = event({ candidates: [{ finishReason: raw }] });
      expect(decode(stream)).toMatchObject([{ type: 'error', kind: 'upstream' }]);
      // A client of the same format gets the vendor's response.
      expect(decode(stream, { verbatim: true }).at(-1)).toMatchObject({
        type: 'finish',
        reason: 'other',
        raw,
      });
    },
  );

  test.each([
    ['STOP', 'stop'],
    ['SAFETY', 'content-filter'],
    ['MAX_TOKENS', 'length'],
  ])('an empty response that ends with %s finishes with %s', (finishReason, reason) => {
    const stream = event({ candidates: [{ content: { role: 'model' }, finishReason }] });
    expect(fold(decode(stream))).toMatchObject({ parts: [], finish: { reason } });
  });

  test.each(['MAX_TOKENS', 'SAFETY', 'OTHER'])(
    'a call in a response that ends with %s does not finish with tool-calls (pitfall 10)',
    raw => {
      const call = [{ functionCall: { name: 'f', args: {} } }];
      expect(decode(chunkOf(call, { finishReason: raw })).at(-1)).toMatchObject({
        reason: expected[raw] ?? 'content-filter',
      });
    },
  );

  test('the finishMessage of a blocked response becomes its explanation', () => {
    const why = { finishReason: 'SAFETY', finishMessage: 'Too dangerous.' };
    expect(decode(event({ candidates: [why] })).at(-1)).toMatchObject({ explanation: 'Too dangerous.' });
  });

  test('a stream is complete once every requested candidate has a finish reason', () => {
    const decoder = decodeStream(parts({ choices: 2 }));
    decoder.read(Buffer.from(chunkOf([{ text: 'a' }], stop)));
    expect(decoder.complete).toBe(false);
    decoder.read(Buffer.from(chunkOf([{ text: 'b' }], { index: 1, ...stop })));
    expect(decoder.complete).toBe(true);
    decoder.read(Buffer.from('data: {'));
    expect(decoder.complete).toBe(false);
  });

  test('a response with fewer candidates than requested finishes normally', () => {
    expect(decode(chunkOf([{ text: 'a' }], stop), parts({ choices: 2 })).at(-1)).toMatchObject({
      type: 'finish',
    });
  });
});

describe('usage', () => {
  const ends = (usageMetadata: object) =>
    decode(chunkOf([{ text: 'x' }], stop) + event({ usageMetadata })).at(-1);

  test('usage counts thoughts as output and tool results as input', () => {
    const raw = {
      promptTokenCount: 950,
      cachedContentTokenCount: 800,
      candidatesTokenCount: 30,
      thoughtsTokenCount: 40,
      toolUsePromptTokenCount: 5,
      totalTokenCount: 1025,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 900 },
        { modality: 'AUDIO', tokenCount: 32 },
        { modality: 'IMAGE', tokenCount: 18 },
      ],
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 7 }, { modality: 'TEXT' }],
    };
    expect(ends(raw)).toMatchObject({
      usage: {
        input: 955,
        cachedInput: 800,
        cacheWrite5m: 0,
        cacheWrite1h: 0,
        audioInput: 32,
        imageInput: 18,
        output: 70,
        reasoning: 40,
        audioOutput: 7,
        raw,
      },
    });
  });

  test('counts of later chunks replace earlier counts unless missing or null', () => {
    const stream =
      event({ usageMetadata: { promptTokenCount: 9, cachedContentTokenCount: 4, candidatesTokenCount: 1 } }) +
      chunkOf([{ text: 'x' }], stop) +
      event({
        usageMetadata: { cachedContentTokenCount: null, candidatesTokenCount: 3, thoughtsTokenCount: 2 },
      });
    expect(decode(stream).at(-1)).toMatchObject({
      usage: { input: 9, cachedInput: 4, output: 5, reasoning: 2 },
    });
  });

  test('usage is null if the upstream reports none', () => {
    expect(decode(chunkOf([{ text: 'x' }], stop)).at(-1)).toMatchObject({ usage: null });
  });

  test.each([parts(), { verbatim: true } as const])(
    'usage and characters are available mid-stream',
    target => {
      const decoder = decodeStream(target);
      expect([decoder.usage, decoder.characters]).toEqual([null, 0]);
      decoder.read(Buffer.from(example('thoughts-call')));
      expect(decoder.usage).toMatchObject({ input: 30, output: 20 });
      expect(decoder.characters).toBe('User wants weather.'.length + '{"city":"Oslo"}'.length);
    },
  );
});
