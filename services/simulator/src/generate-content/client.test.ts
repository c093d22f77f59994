import { ApiError, type Content, type GenerateContentParameters, GoogleGenAI } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type StartedSimulator, startSimulator } from '../start.ts';

let simulator: StartedSimulator;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  client = new GoogleGenAI({ apiKey: 'any', httpOptions: { baseUrl: simulator.url } });
});
afterAll(() => simulator.close());

const model = 'sim-fast';
const weather = {
  name: 'get_weather',
  description: 'Current weather in a city',
  parametersJsonSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const tools = [{ functionDeclarations: [weather] }];
const question = 'What is the weather in Oslo and Rome?';

/** Makes a request whole and streamed, and expects the same answer both ways. */
async function both(request: Omit<GenerateContentParameters, 'model'>) {
  const whole = await client.models.generateContent({ model, ...request });
  const streamed = [];
  for await (const chunk of await client.models.generateContentStream({ model, ...request }))
    streamed.push(chunk);
  const last = streamed.at(-1);
  expect(last?.usageMetadata).toEqual(whole.usageMetadata);
  expect(last?.candidates?.[0]?.finishReason).toBe(whole.candidates?.[0]?.finishReason);
  const parts = streamed.flatMap(chunk => chunk.candidates?.[0]?.content?.parts ?? []);
  const folded = (thought: boolean) =>
    parts.map(part => (Boolean(part.thought) === thought ? (part.text ?? '') : '')).join('');
  const wholeParts = whole.candidates?.[0]?.content?.parts ?? [];
  expect(folded(false)).toBe(wholeParts.map(part => (part.thought ? '' : (part.text ?? ''))).join(''));
  expect(folded(true)).toBe(wholeParts.find(part => part.thought)?.text ?? '');
  expect(parts.filter(part => part.functionCall)).toEqual(wholeParts.filter(part => part.functionCall));
  expect(new Set(streamed.map(({ responseId }) => responseId)).size).toBe(1);
  return whole;
}

describe('the Google client', () => {
  test('is answered in text', async () => {
    const { candidates, usageMetadata, modelVersion, responseId } = await both({
      contents: 'What is the gateway?',
    });
    expect(candidates).toEqual([
      {
        content: { role: 'model', parts: [{ text: expect.stringMatching(/^Model Gateway/) }] },
        finishReason: 'STOP',
      },
    ]);
    expect(modelVersion).toBe(model);
    expect(responseId).toMatch(/^[0-9a-f]{24}$/);
    expect(usageMetadata).toMatchObject({ promptTokenCount: 7 });
    expect(usageMetadata?.totalTokenCount).toBe(7 + (usageMetadata?.candidatesTokenCount ?? 0));
  });

  test('heeds the system instruction, a limit and stop sequences', async () => {
    const contents = 'What is the gateway?';
    const brief = await both({ contents, config: { systemInstruction: 'Answer in five words.' } });
    expect(brief.text?.split(' ')).toHaveLength(5);
    const cut = await both({ contents, config: { maxOutputTokens: 3 } });
    expect(cut.candidates?.[0]).toMatchObject({ finishReason: 'MAX_TOKENS' });
    expect(cut.text).toBe('Model Gateway puts');
    const stopped = await both({ contents, config: { stopSequences: ['puts'] } });
    expect(stopped.text).toBe('Model Gateway ');
  });

  test('thinks, and shows it where that is asked for', async () => {
    const shown = await both({
      contents: 'Hello',
      config: { thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' as never } },
    });
    const [thought, text] = shown.candidates?.[0]?.content?.parts ?? [];
    expect(thought).toMatchObject({ thought: true, text: expect.stringContaining('Hello') });
    expect(text).toMatchObject({ thoughtSignature: expect.any(String) });
    expect(shown.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
    const hidden = await both({ contents: 'Hello', config: { thinkingConfig: { thinkingBudget: 100 } } });
    expect(hidden.candidates?.[0]?.content?.parts).toHaveLength(1);
  });

  test('calls functions, of which the first is signed, and answers from their results', async () => {
    const first = await both({ contents: question, config: { tools } });
    const said = first.candidates?.[0]?.content as Content;
    expect(said.parts).toMatchObject([
      {
        functionCall: { id: expect.any(String), name: 'get_weather', args: { city: 'Oslo' } },
        thoughtSignature: expect.any(String),
      },
      { functionCall: { args: { city: 'Rome' } } },
    ]);
    expect(said.parts?.[1]).not.toHaveProperty('thoughtSignature');
    const results = (first.functionCalls ?? []).map(({ id, name }) => ({
      functionResponse: { ...(id && { id }), name: name as string, response: { output: '4 C' } },
    }));
    const contents = [{ role: 'user', parts: [{ text: question }] }, said, { role: 'user', parts: results }];
    const second = await both({ contents, config: { tools } });
    expect(second.text).toContain('get_weather({"city":"Oslo"}) gave 4 C');
  });

  test('gets JSON to a schema of either kind', async () => {
    const person = z.object({ name: z.string(), age: z.int().min(18) });
    const answers = [
      await both({
        contents: 'Who is Ada?',
        config: { responseMimeType: 'application/json', responseJsonSchema: z.toJSONSchema(person) },
      }),
      await both({
        contents: 'Who is Ada?',
        config: {
          responseMimeType: 'application/json',
          responseSchema: {
            type: 'OBJECT' as never,
            properties: { name: { type: 'STRING' as never }, age: { type: 'INTEGER' as never, minimum: 18 } },
            required: ['name', 'age'],
          },
        },
      }),
    ];
    for (const { text } of answers) person.parse(JSON.parse(text ?? ''));
  });

  test('gets one of some words', async () => {
    const responseSchema = { type: 'STRING' as never, enum: ['red', 'blue'] };
    const { text } = await both({
      contents: 'Is the sky blue?',
      config: { responseMimeType: 'text/x.enum', responseSchema },
    });
    expect(text).toBe('blue');
  });

  test('is refused, and blocked', async () => {
    const refused = await both({ contents: 'Please refuse' });
    expect(refused.candidates?.[0]).toMatchObject({
      finishReason: 'SAFETY',
      safetyRatings: [{ blocked: true }],
    });
    const blocked = await both({ contents: 'Something forbidden' });
    expect(blocked).toMatchObject({ promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } });
    expect(blocked.candidates).toBeUndefined();
  });

  test('searches the web', async () => {
    const { candidates } = await both({
      contents: 'Search for the gateway',
      config: { tools: [{ googleSearch: {} }] },
    });
    expect(candidates?.[0]?.groundingMetadata?.groundingChunks?.[0]?.web?.uri).toMatch(/^https/);
  });

  test('counts tokens', async () => {
    expect((await client.models.countTokens({ model, contents: 'What is the gateway?' })).totalTokens).toBe(
      7,
    );
  });

  test.each([
    ['fault-400', 400],
    ['fault-429', 429],
    ['fault-529', 503],
  ])('%s is thrown', async (name, status) => {
    await expect(client.models.generateContent({ model: name, contents: 'Hi' })).rejects.toMatchObject({
      status,
    });
  });

  test('an error in the middle of a stream is thrown', async () => {
    const read = async () => {
      for await (const _ of await client.models.generateContentStream({
        model: 'fault-error',
        contents: 'Hi',
      }));
    };
    await expect(read()).rejects.toThrow(ApiError);
  });

  test('is refused with a key that is not valid, wherever it stands', async () => {
    const refused = new GoogleGenAI({ apiKey: 'invalid', httpOptions: { baseUrl: simulator.url } });
    await expect(refused.models.generateContent({ model, contents: 'Hi' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('API_KEY_INVALID'),
    });
    const url = `${simulator.url}/v1beta/models/${model}:generateContent?key=invalid`;
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);
  });
});
