import { generateKeyPairSync } from 'node:crypto';
import Anthropic from '@anthropic-ai/sdk';
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk';
import { GoogleGenAI, ThinkingLevel } from '@google/genai';
import { OAuth2Client } from 'google-auth-library';
import OpenAI, { APIError } from 'openai';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { sentBy } from './sent.ts';

const project = 'simulated-project';
const location = 'europe-west4';
let simulated: Simulated;
/** The key of the simulator's service account, on one line, and a token that it was given. */
let accountKey: string;
let authClient: OAuth2Client;
const lines: string[] = [];

beforeAll(async () => {
  simulated = await startSimulated(
    url => {
      const vertex = (name: string, key: object, options: object) => ({
        ...{ name, kind: 'vertex', baseUrl: url, ...key },
        options: { location, ...options },
      });
      const account = { apiKey: { env: 'VERTEX_TEST_KEY' } };
      return {
        providers: [
          vertex('vertex', account, {}),
          vertex('old-key', { apiKey: { env: 'VERTEX_TEST_OLD_KEY' } }, {}),
          vertex('express', { apiKey: { value: 'AIza-express-key-1' } }, {}),
          vertex('other-project', account, { project: 'missing-project' }),
          vertex('wrong-key', { apiKey: { value: 'invalid' } }, { project }),
          vertex('no-account', { apiKey: { value: '{"type":"external_account"}' } }, {}),
        ],
        models: ['vertex', 'old-key', 'express', 'other-project', 'wrong-key', 'no-account'].map(
          provider => ({
            name: `${provider}/*`,
            targets: [{ provider, model: '*' }],
          }),
        ),
      };
    },
    { log: pino({ level: 'warn' }, { write: line => void lines.push(line) }) },
  );
  const { url } = simulated.simulator;
  accountKey = JSON.stringify(await (await fetch(`${url}/google/service-account`)).json());
  process.env.VERTEX_TEST_KEY = accountKey;
  // A key that the account does not have any more.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const private_key = privateKey.export({ type: 'pkcs8', format: 'pem' });
  process.env.VERTEX_TEST_OLD_KEY = JSON.stringify({ ...JSON.parse(accountKey), private_key });
  await openai().chat.completions.create({ model: 'vertex/gemini-2.5-flash', messages });
  const { authorization } = simulated.simulator.requests.at(-1)?.headers ?? {};
  authClient = new OAuth2Client();
  const access_token = String(authorization).replace('Bearer ', '');
  authClient.setCredentials({ access_token, expiry_date: Date.now() + 3_600_000 });
});
afterAll(async () => {
  delete process.env.VERTEX_TEST_KEY;
  delete process.env.VERTEX_TEST_OLD_KEY;
  await simulated?.stop();
});

const messages = [{ role: 'user' as const, content: 'Hi' }];
const openai = () =>
  new OpenAI({ baseURL: `${simulated.stack.url}/v1`, apiKey: simulated.stack.token, maxRetries: 0 });
const gemini = () =>
  new GoogleGenAI({ apiKey: simulated.stack.token, httpOptions: { baseUrl: simulated.stack.url } });
const vertexGemini = () =>
  new GoogleGenAI({
    ...{ vertexai: true, project, location, googleAuthOptions: { authClient } },
    httpOptions: { baseUrl: simulated.simulator.url },
  });
const claude = () =>
  new Anthropic({ baseURL: simulated.stack.url, apiKey: simulated.stack.token, maxRetries: 0 });
const vertexClaude = () =>
  new AnthropicVertex({
    ...{ projectId: project, region: location, authClient, maxRetries: 0 },
    baseURL: `${simulated.simulator.url}/v1`,
  });

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] };

const ofGemini: [string, (client: GoogleGenAI, model: string) => Promise<unknown>][] = [
  [
    'a question with an image, a tool and reasoning',
    (client, model) =>
      client.models.generateContent({
        model,
        contents: [
          {
            role: 'user',
            parts: [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: png } }],
          },
        ],
        config: {
          systemInstruction: 'Be brief.',
          maxOutputTokens: 100,
          thinkingConfig: { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true },
          tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: schema }] }],
        },
      }),
  ],
  [
    'a stream',
    async (client, model) => {
      for await (const _ of await client.models.generateContentStream({ model, contents: 'Hi' }));
    },
  ],
  ['a count of tokens', (client, model) => client.models.countTokens({ model, contents: 'Hi' })],
  [
    'texts to embed',
    (client, model) =>
      client.models.embedContent({
        model: model.replace('gemini-3-flash', 'text-embedding-005'),
        contents: ['a cat', 'a dog'],
        config: { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 8 },
      }),
  ],
];

test.each(ofGemini)("the gateway sends %s to a Gemini model as Google's SDK does", async (_name, ask) => {
  const { simulator } = simulated;
  const [expected] = await sentBy(simulator, () => ask(vertexGemini(), 'gemini-3-flash'));
  const [sent] = await sentBy(simulator, () => ask(gemini(), 'vertex/gemini-3-flash'));
  expect(expected?.headers.authorization).toMatch(/^Bearer ya29\./);
  expect(sent).toEqual(expected);
});

const fields = { max_tokens: 2_000, messages };
const ofClaude: [string, (client: Anthropic | AnthropicVertex, model: string) => Promise<unknown>][] = [
  [
    'a question with a tool and an image',
    (client, model) =>
      client.messages.create({
        ...fields,
        model,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } },
              { type: 'text', text: 'What is it?' },
            ],
          },
        ],
        tools: [{ name: 'weather', input_schema: schema }],
      }),
  ],
  [
    'a stream with thinking',
    (client, model) =>
      client.messages
        .stream({ ...fields, model, thinking: { type: 'enabled', budget_tokens: 1_024 } })
        .finalMessage(),
  ],
  [
    'a request with a beta feature',
    (client, model) => client.beta.messages.create({ ...fields, model, betas: ['context-1m-2025-08-07'] }),
  ],
  ['a count of tokens', (client, model) => client.messages.countTokens({ model, messages })],
];

test.each(ofClaude)("the gateway sends %s to a Claude model as Anthropic's SDK does", async (_name, ask) => {
  const { simulator } = simulated;
  const model = 'claude-sonnet-4-5@20250929';
  const [expected] = await sentBy(simulator, () => ask(vertexClaude(), model));
  const [sent] = await sentBy(simulator, () => ask(claude(), `vertex/${model}`));
  expect(sent?.path).toContain(`/projects/${project}/locations/${location}/publishers/anthropic/models/`);
  expect(sent).toEqual(expected);
});

describe('clients of other formats', () => {
  const models = ['gemini-2.5-flash', 'claude-sonnet-4-5@20250929', 'meta/llama-3.3-70b-instruct-maas'];
  test.each(models)('chat reaches %s, whole and streamed', async model => {
    const client = openai();
    const asked = { model: `vertex/${model}`, messages, max_completion_tokens: 500 };
    const whole = await client.chat.completions.create(asked);
    expect(whole.choices[0]?.message.content).toMatch(/./);
    expect(whole.usage?.completion_tokens).toBeGreaterThan(0);
    let text = '';
    for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true }))
      text += choices[0]?.delta.content ?? '';
    expect(text).toMatch(/./);
    expect(simulated.simulator.requests.at(-1)?.path).toMatch(
      /:streamGenerateContent\?alt=sse$|:streamRawPredict$|\/endpoints\/openapi\/chat\/completions$/,
    );
  });

  test('messages counts the tokens of a Gemini model', async () => {
    const counted = await claude().messages.countTokens({ model: 'vertex/gemini-3-flash', messages });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(simulated.simulator.requests.at(-1)?.path).toMatch(/models\/gemini-3-flash:countTokens$/);
  });

  test('the signature of reasoning comes back to the Claude model that wrote it', async () => {
    const asked = {
      ...{ ...fields, model: 'vertex/claude-sonnet-4-5@20250929' },
      thinking: { type: 'enabled', budget_tokens: 1_024 },
    } as const;
    const { content } = await claude().messages.create(asked);
    expect(content[0]).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/./) });
    const turn = { role: 'assistant' as const, content };
    await claude().messages.create({ ...asked, messages: [...messages, turn, ...messages] });
    const { messages: sent } = JSON.parse(simulated.simulator.requests.at(-1)?.body ?? '');
    expect(sent[1].content[0]).toEqual(content[0]);
  });
});

test("a text for Gemini Embedding 2 is sent as Google's SDK sends it, by clients of both formats", async () => {
  const config = { outputDimensionality: 128 };
  const ask = (client: GoogleGenAI, model: string, contents: string, fields = {}) =>
    client.models.embedContent({ model, contents, config: { ...config, ...fields } });
  const [theirs] = await sentBy(simulated.simulator, () =>
    ask(vertexGemini(), 'gemini-embedding-2', 'title: T | text: A cat'),
  );
  expect(theirs?.path).toMatch(/\/publishers\/google\/models\/gemini-embedding-2:embedContent$/);
  const document = { taskType: 'RETRIEVAL_DOCUMENT', title: 'T' };
  const ours = await sentBy(simulated.simulator, () =>
    ask(gemini(), 'vertex/gemini-embedding-2', 'A cat', document),
  );
  expect(ours).toEqual([theirs]);
  const fields = { input: 'A cat', input_type: 'query', dimensions: 128 };
  const [fromOpenAi] = await sentBy(simulated.simulator, () =>
    openai().embeddings.create({ model: 'vertex/gemini-embedding-2', ...fields }),
  );
  const [query] = await sentBy(simulated.simulator, () =>
    ask(vertexGemini(), 'gemini-embedding-2', 'task: search result | query: A cat'),
  );
  expect(fromOpenAi).toEqual(query);
});

test.each(['gemini-embedding-001', 'gemini-embedding-2'])(
  'texts to embed are sent in as many requests as %s needs',
  async model => {
    const input = ['a', 'b', 'c'];
    const { data, usage } = await openai().embeddings.create({ model: `vertex/${model}`, input });
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2]);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
  },
);

test('an API key needs no project', async () => {
  await openai().chat.completions.create({ model: 'express/gemini-2.5-flash', messages });
  const { path, headers } = simulated.simulator.requests.at(-1) ?? {};
  expect(path).toBe('/v1beta1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse');
  expect(headers).toMatchObject({ 'x-goog-api-key': 'AIza-express-key-1' });
});

test.each([
  [
    'vertex/missing-model',
    404,
    "Vertex AI has no model 'missing-model' in the location 'europe-west4' for project 'simulated-project': correct the model of the target or options.location, or enable the model in Model Garden.",
  ],
  [
    'other-project/gemini-2.5-flash',
    502,
    "The account may not use Vertex AI: give it the role Vertex AI User in project 'missing-project', or correct options.project.",
  ],
  [
    'other-project/claude-sonnet-4-5',
    502,
    "The account may not use Vertex AI: give it the role Vertex AI User in project 'missing-project', or correct options.project.",
  ],
  [
    'wrong-key/gemini-2.5-flash',
    502,
    "Google refused the credential: check that apiKey is a service account's key, or an API key of Vertex AI.",
  ],
  [
    'old-key/gemini-2.5-flash',
    502,
    "Google gave no access token: the service account's key was deleted or changed: set apiKey to a new key.",
  ],
  [
    'no-account/gemini-2.5-flash',
    502,
    "apiKey is not a service account's key: set it to the JSON with the type service_account, or remove it for Application Default Credentials.",
  ],
])('a wrong setting of %s is told in the answer and in the log', async (model, status, sentence) => {
  lines.length = 0;
  const failure = await openai()
    .chat.completions.create({ model, messages })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(APIError);
  expect(failure).toMatchObject({ status, error: { message: sentence } });
  expect(lines.map(line => JSON.parse(line).error)).toContain(sentence);
  expect(lines.join()).not.toMatch(/PRIVATE KEY|ya29\./);
});
