import {
  ApiError,
  type Content,
  type FunctionDeclaration,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  ThinkingLevel,
  Type,
} from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FourUpstreams, startFourUpstreams, type Upstream, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
let client: GoogleGenAI;

beforeAll(async () => {
  gateway = await startFourUpstreams();
  client = clientWith(gateway.stack.token);
});
afterAll(() => gateway?.stop());

const clientWith = (apiKey: string, apiVersion?: string) =>
  new GoogleGenAI({ apiKey, ...(apiVersion && { apiVersion }), httpOptions: { baseUrl: gateway.stack.url } });

const weather: FunctionDeclaration = {
  name: 'weather',
  description: 'The weather in a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
};
const tools = [{ functionDeclarations: [weather] }];
const user = (...parts: Part[]): Content => ({ role: 'user', parts });
const results = (answer: GenerateContentResponse) =>
  user(
    ...(answer.functionCalls ?? []).map(
      ({ id, name }): Part => ({
        functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: '4 C' } },
      }),
    ),
  );
const partsOf = ({ candidates }: GenerateContentResponse) => candidates?.[0]?.content?.parts ?? [];
const reasonOf = ({ candidates }: GenerateContentResponse) => candidates?.[0]?.finishReason;
const whole = (asked: GenerateContentParameters) => client.models.generateContent(asked);

async function chunksOf(asked: GenerateContentParameters): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of await client.models.generateContentStream(asked)) chunks.push(chunk);
  return chunks;
}

/** A streamed response as one: all parts, and the other fields of the last chunk. */
async function streamed(asked: GenerateContentParameters): Promise<GenerateContentResponse> {
  const chunks = await chunksOf(asked);
  const last = chunks.at(-1) as GenerateContentResponse;
  const [candidate] = last.candidates ?? [];
  last.candidates = [{ ...candidate, content: { role: 'model', parts: chunks.flatMap(partsOf) } }];
  return last;
}

const received = () => JSON.stringify(gateway.received());

/** Upstreams that get their own signatures back. */
const proofs: Partial<Record<Upstream, string>> = {
  messages: '"signature":"',
  responses: '"encrypted_content":"',
  'generate-content': '"thoughtSignature":"',
};

describe.each(upstreams)('the @google/genai SDK with an upstream of %s', upstream => {
  const model = (name = 'sim-fast') => `${upstream}/${name}`;
  const thinker = upstream === 'messages' ? 'claude-opus-4-6' : 'sim-fast';
  const ask = (contents: GenerateContentParameters['contents'], config = {}): GenerateContentParameters => ({
    model: model(),
    contents,
    config,
  });

  test('generateContent returns a whole response with every field of the format', async () => {
    const answer = await whole(ask('Hello', { systemInstruction: 'Be brief.', temperature: 0.5 }));
    expect(answer.text).toMatch(/./);
    expect(reasonOf(answer)).toBe('STOP');
    expect(answer).toMatchObject({ modelVersion: 'sim-fast', responseId: expect.stringMatching(/./) });
    const { promptTokenCount = 0, candidatesTokenCount = 0, totalTokenCount } = answer.usageMetadata ?? {};
    expect(promptTokenCount).toBeGreaterThan(0);
    expect(totalTokenCount).toBe(promptTokenCount + candidatesTokenCount);
    expect(received()).toContain('"temperature":0.5');
  });

  test.each(['v1', 'v1beta', 'v1alpha'])('generateContent works under /%s', async version => {
    const answer = await clientWith(gateway.stack.token, version).models.generateContent(ask('Hello'));
    expect(answer.text).toMatch(/./);
  });

  test('generateContentStream returns the same text and usage in chunks', async () => {
    const asked = ask('What is the gateway?');
    const answer = await whole(asked);
    const chunks = await chunksOf(asked);
    expect(chunks.length).toBeGreaterThan(5);
    expect(chunks.map(({ text }) => text).join('')).toBe(answer.text);
    expect(chunks.map(reasonOf).filter(Boolean)).toEqual(['STOP']);
    expect(chunks.at(-1)?.usageMetadata).toEqual(answer.usageMetadata);
    expect(new Set(chunks.map(({ responseId }) => responseId)).size).toBe(1);
  });

  test.each([false, true])('a chat keeps its history; streamed: %s', async stream => {
    const chat = client.chats.create({ model: model() });
    const say = async (message: string) => {
      if (!stream) return (await chat.sendMessage({ message })).text;
      let text = '';
      for await (const chunk of await chat.sendMessageStream({ message })) text += chunk.text ?? '';
      return text;
    };
    const first = await say('What is the gateway?');
    expect(await say('And who are you?')).toMatch(/./);
    // Chunks are sent back unchanged, and pass unchanged to an upstream of the same format.
    if (!stream || upstream !== 'generate-content') expect(received()).toContain(JSON.stringify(first));
    expect(chat.getHistory(true).filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  test('automatic function calling runs functions', async () => {
    const asked: unknown[] = [];
    const callable = {
      tool: async () => ({ functionDeclarations: [weather] }),
      callTool: async (calls: { id?: string; name?: string; args?: Record<string, unknown> }[]) => {
        asked.push(...calls.map(({ args }) => args));
        return calls.map(({ id, name }) => ({
          functionResponse: { ...(id && { id }), ...(name && { name }), response: { output: '4 C' } },
        }));
      },
    };
    const answer = await whole(ask('What is the weather in Oslo and Rome?', { tools: [callable] }));
    expect(asked).toEqual([{ city: 'Oslo' }, { city: 'Rome' }]);
    expect(answer.text).toContain('weather({"city":"Rome"}) gave 4 C');
  });

  test('thoughts are returned, and their signature survives a function call', async () => {
    const config = { tools, thinkingConfig: { includeThoughts: true, thinkingLevel: ThinkingLevel.LOW } };
    const question = user({ text: 'What is the weather in Oslo?' });
    for (const get of [whole, streamed]) {
      const answer = await get({ model: model(thinker), contents: [question], config });
      const parts = partsOf(answer);
      expect(parts.some(({ thought, text }) => thought && text)).toBe(true);
      const call = parts.find(({ functionCall }) => functionCall);
      const proof = proofs[upstream];
      if (proof) expect(call?.thoughtSignature).toMatch(/^[A-Za-z0-9+/]+=*$/);
      // Gemini CLI sends no thoughts back.
      for (const kept of [parts, parts.filter(({ thought }) => !thought)]) {
        const contents = [question, { role: 'model', parts: kept }, results(answer)];
        const next = await get({ model: model(thinker), contents, config });
        expect(reasonOf(next)).toBe('STOP');
        if (proof) expect(received()).toContain(proof);
        const own = upstream === 'generate-content';
        expect(received().includes(call?.thoughtSignature ?? 'nothing')).toBe(own);
      }
    }
  });

  test('thoughts are not returned unless requested', async () => {
    const config = { thinkingConfig: { thinkingLevel: ThinkingLevel.LOW } };
    for (const get of [whole, streamed]) {
      const answer = await get({ model: model(thinker), contents: 'Who are you?', config });
      expect(partsOf(answer).filter(({ thought }) => thought)).toEqual([]);
      expect(answer.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
    }
  });

  test('a response follows a schema, in Google’s dialect and in JSON Schema', async () => {
    const own = {
      type: Type.OBJECT,
      properties: { title: { type: Type.STRING }, pages: { type: Type.INTEGER } },
      required: ['title', 'pages'],
    };
    const json = {
      type: 'object',
      properties: { title: { type: 'string' }, pages: { type: 'integer' } },
      required: ['title', 'pages'],
      additionalProperties: false,
    };
    for (const schema of [{ responseSchema: own }, { responseJsonSchema: json }]) {
      const config = { responseMimeType: 'application/json', ...schema };
      for (const get of [whole, streamed]) {
        const answer = await get({ ...ask('A book', config), model: model(thinker) });
        const text = partsOf(answer)
          .map(part => part.text ?? '')
          .join('');
        expect(JSON.parse(text)).toEqual({ title: expect.any(String), pages: expect.any(Number) });
      }
    }
  });

  test('countTokens returns a count of tokens', async () => {
    const { totalTokens } = await client.models.countTokens({ model: model(), contents: 'Hello, world' });
    // The upstream's own count, or an estimate.
    expect([5, 7]).toContain(totalTokens);
  });

  test('errors have the SDK’s own class, with the status and the body of the format', async () => {
    const failure = async (promise: Promise<unknown>) => {
      const error: unknown = await promise.catch(thrown => thrown);
      if (!(error instanceof ApiError)) throw new Error(`not an ApiError: ${error}`);
      return { status: error.status, ...JSON.parse(error.message) };
    };
    expect(await failure(whole({ model: 'nope', contents: 'x' }))).toMatchObject({
      status: 404,
      error: { code: 404, status: 'NOT_FOUND', message: expect.stringContaining('nope') },
    });
    expect(await failure(clientWith('nope').models.generateContent(ask('x')))).toMatchObject({
      status: 400,
      error: { status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] },
    });
    expect(await failure(whole(ask('x', { temperature: 9 })))).toMatchObject({
      status: 400,
      error: { details: [{ fieldViolations: [{ field: 'generationConfig.temperature' }] }] },
    });
    expect(await failure(whole({ ...ask('x'), model: model('fault-429') }))).toMatchObject({
      status: 429,
      error: { status: 'RESOURCE_EXHAUSTED' },
    });
    expect(await failure(chunksOf({ ...ask('x'), model: model('fault-429') }))).toMatchObject({
      status: 429,
    });
  });

  test.each(['fault-error', 'fault-truncate'])('a stream that breaks ends with an error: %s', async name => {
    const chunks: GenerateContentResponse[] = [];
    const stream = await client.models.generateContentStream({
      ...ask('Who are you?'),
      model: model(name),
    });
    const read = async () => {
      for await (const chunk of stream) chunks.push(chunk);
    };
    const error: unknown = await read().catch(thrown => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).status).toBeGreaterThanOrEqual(500);
    expect(chunks.length).toBeGreaterThan(0);
    expect(chunks.map(reasonOf).filter(Boolean)).toEqual([]);
  });
});
