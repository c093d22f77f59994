import Anthropic from '@anthropic-ai/sdk';
import OpenAI, { APIError, AzureOpenAI, toFile } from 'openai';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wav } from '../clients/audio.ts';
import { bearer, openRaw, url } from '../clients/realtime-client.ts';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { sentBy } from './sent.ts';

const apiKey = 'azure-key-0123456789';
const apiVersion = '2025-04-01-preview';
const deployment = 'my deployment.1';
let simulated: Simulated;
const lines: string[] = [];

beforeAll(async () => {
  const azure = (name: string, baseUrl: string, more: object = {}) => ({
    ...{ name, kind: 'azure-openai', baseUrl, apiKey: { value: apiKey } },
    ...more,
  });
  simulated = await startSimulated(
    url => ({
      providers: [
        azure('dated', url, { options: { apiVersion } }),
        azure('v1', `${url}/openai/v1`),
        azure('wrong-key', `${url}/openai`, { apiKey: { value: 'invalid' } }),
        azure('old', url, { options: { apiVersion: '2023-03-15-preview' } }),
        azure('half', url, { options: { clientId: 'app' } }),
      ],
      models: ['dated', 'v1', 'wrong-key', 'old', 'half'].map(provider => ({
        name: `${provider}/*`,
        targets: [{ provider, model: '*' }],
      })),
    }),
    { log: pino({ level: 'warn' }, { write: line => void lines.push(line) }) },
  );
});
afterAll(() => simulated?.stop());

const gateway = () =>
  new OpenAI({ baseURL: `${simulated.stack.url}/v1`, apiKey: simulated.stack.token, maxRetries: 0 });
const dated = () => new AzureOpenAI({ endpoint: simulated.simulator.url, apiKey, apiVersion, maxRetries: 0 });
/** OpenAI's own client takes Azure's v1 API as another base URL, and the key as another header. */
const v1 = () =>
  new OpenAI({
    baseURL: `${simulated.simulator.url}/openai/v1`,
    apiKey,
    defaultHeaders: { 'api-key': apiKey, authorization: null },
    maxRetries: 0,
  });

const messages = [{ role: 'user' as const, content: 'Hi' }];
const audio = () => toFile(wav(1), 'a.wav', { type: 'audio/wav' });
const picture = () => toFile(Buffer.from(png, 'base64'), 'image.png', { type: 'image/png' });
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const requests: [string, (client: OpenAI, model: string) => Promise<unknown>][] = [
  ['chat', (client, model) => client.chat.completions.create({ model, messages, max_completion_tokens: 5 })],
  ['a stream of chat', (client, model) => streamed(client, model)],
  ['responses', (client, model) => client.responses.create({ model, input: 'Hi', store: false })],
  [
    'embeddings',
    (client, model) => client.embeddings.create({ model, input: ['Hi'], encoding_format: 'float' }),
  ],
  ['images', (client, model) => client.images.generate({ model, prompt: 'A fox', size: '1024x1024' })],
  [
    'edits of images',
    async (client, model) => client.images.edit({ model, image: await picture(), prompt: 'A fox' }),
  ],
  [
    'speech',
    async (client, model) =>
      (await client.audio.speech.create({ model, input: 'Hi', voice: 'alloy' })).arrayBuffer(),
  ],
  [
    'transcriptions',
    async (client, model) => client.audio.transcriptions.create({ model, file: await audio() }),
  ],
  ['translations', async (client, model) => client.audio.translations.create({ model, file: await audio() })],
];

async function streamed(client: OpenAI, model: string): Promise<string> {
  const stream_options = { include_usage: true };
  const stream = await client.chat.completions.create({ model, messages, stream: true, stream_options });
  let text = '';
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
  return text;
}

describe.each(['dated', 'v1'] as const)('with the paths of %s', provider => {
  test.each(requests)('the gateway sends %s as the SDK does', async (_name, request) => {
    const { simulator } = simulated;
    const [expected] = await sentBy(simulator, () =>
      request(provider === 'dated' ? dated() : v1(), deployment),
    );
    const [sent] = await sentBy(simulator, () => request(gateway(), `${provider}/${deployment}`));
    expect(expected?.headers['api-key']).toBe(apiKey);
    expect(sent).toEqual(expected);
  });
});

test("a stream whose first chunk has no choice reaches clients of Azure's format and of others", async () => {
  expect(await streamed(gateway(), 'dated/sim-fast')).not.toBe('');
  const anthropic = new Anthropic({ baseURL: simulated.stack.url, apiKey: simulated.stack.token });
  const answer = await anthropic.messages
    .stream({ model: 'dated/sim-fast', max_tokens: 50, messages })
    .finalMessage();
  expect(answer.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/./) }]);
  expect(answer.usage.output_tokens).toBeGreaterThan(0);
});

test.each([
  [
    'dated/missing-1',
    404,
    "Azure has no deployment 'missing-1': create it, or name another one as the model of the target.",
  ],
  [
    'wrong-key/a',
    502,
    'Azure refused the credential: check that apiKey is a key of the resource that baseUrl names.',
  ],
  ['old/a', 502, "Azure has no such path: check baseUrl and options.apiVersion ('2023-03-15-preview')."],
  [
    'half/a',
    502,
    'The provider lacks options.tenantId: Entra ID needs options.tenantId, options.clientId and the client secret as apiKey.',
  ],
])('a wrong setting of %s is told in the answer and in the log', async (model, status, sentence) => {
  lines.length = 0;
  const failure = await gateway()
    .chat.completions.create({ model, messages })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(APIError);
  expect(failure).toMatchObject({ status, error: { message: sentence } });
  expect(lines.map(line => JSON.parse(line).error)).toContain(sentence);
  expect(lines.join()).not.toContain(apiKey);
});

test('a session is opened at the realtime API of the v1 paths, with the key of Azure', async () => {
  const { simulator, stack } = simulated;
  const session = await openRaw(url(stack.url, 'dated/gpt-realtime'), bearer(stack.token));
  await session.event('session.created');
  session.socket.close();
  const dialled = simulator.requests.findLast(({ path }) => path.includes('realtime'));
  expect(dialled?.path).toBe('/openai/v1/realtime?model=gpt-realtime');
  expect(dialled?.headers).toMatchObject({ 'api-key': apiKey });
  expect(JSON.stringify(dialled?.headers)).not.toContain(stack.token);
});

test('a prompt that the content filter refuses is the fault of the request', async () => {
  const failure = await gateway()
    .chat.completions.create({ model: 'dated/filtered', messages })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 400, code: 'content_filter' });
});
