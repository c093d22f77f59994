import { AnthropicBedrock } from '@anthropic-ai/bedrock-sdk';
import Anthropic from '@anthropic-ai/sdk';
import {
  type BedrockRuntimeClient,
  ConverseCommand,
  type ConverseCommandInput,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { accessKey, type Recorded } from '@model-gateway/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { awsClient, region } from './aws-client.ts';

const nova = 'us.amazon.nova-lite-v1:0/sim-fast';
const claude = 'anthropic.v1:0/sim-fast-claude-opus-4-6';
const beta = 'context-1m-2025-08-07';

let gateway: Simulated;
let openai: OpenAI;
let anthropic: Anthropic;
let aws: BedrockRuntimeClient;
let bedrock: AnthropicBedrock;

beforeAll(async () => {
  gateway = await startSimulated(url => {
    const provider = { kind: 'bedrock', baseUrl: url };
    const options = { region, accessKeyId: accessKey.id };
    return {
      providers: [
        { ...provider, name: 'aws', apiKey: { value: accessKey.secret }, options },
        { ...provider, name: 'wrong', apiKey: { value: 'another-secret-key' }, options },
      ],
      models: [
        { name: 'nova', targets: [{ provider: 'aws', model: nova }] },
        { name: 'claude', targets: [{ provider: 'aws', model: claude }] },
        { name: 'wrong', targets: [{ provider: 'wrong', model: nova }] },
        { name: 'aws/*', targets: [{ provider: 'aws', model: '*' }] },
      ],
    };
  });
  const { url, token } = gateway.stack;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: url, authToken: token, maxRetries: 0 });
  aws = awsClient(gateway.simulator);
  bedrock = new AnthropicBedrock({
    baseURL: gateway.simulator.url,
    awsRegion: region,
    awsAccessKey: accessKey.id,
    awsSecretKey: accessKey.secret,
    maxRetries: 0,
  });
});
afterAll(async () => {
  aws?.destroy();
  await gateway?.stop();
});

/** The last request at the simulator, with the names of the headers that its signature covers. */
function last() {
  const none: Pick<Recorded, 'path' | 'body' | 'headers'> = { path: '', body: '{}', headers: {} };
  const { path, body, headers } = gateway.simulator.requests.at(-1) ?? none;
  const [, signed = ''] = /SignedHeaders=([^,]+)/.exec(String(headers.authorization)) ?? [];
  return { path, body: JSON.parse(body), signed: signed.split(';'), headers };
}

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

const converse: ConverseCommandInput = {
  modelId: nova,
  system: [{ text: 'Be brief.' }],
  messages: [
    {
      role: 'user',
      content: [
        { text: 'Weather?' },
        { image: { format: 'png', source: { bytes: Buffer.from(png, 'base64') } } },
      ],
    },
    {
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'c1', name: 'weather', input: { city: 'Oslo' } } }],
    },
    { role: 'user', content: [{ toolResult: { toolUseId: 'c1', content: [{ text: '4 C' }] } }] },
  ],
  inferenceConfig: { maxTokens: 100, temperature: 0.5, stopSequences: ['END'] },
  toolConfig: {
    tools: [{ toolSpec: { name: 'weather', inputSchema: { json: city } } }],
    toolChoice: { auto: {} },
  },
};
const chat = {
  model: 'nova',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: '4 C' },
  ] satisfies OpenAI.ChatCompletionMessageParam[],
  max_completion_tokens: 100,
  temperature: 0.5,
  stop: ['END'] as string[],
  tools: [
    { type: 'function', function: { name: 'weather', parameters: city } },
  ] satisfies OpenAI.ChatCompletionTool[],
  tool_choice: 'auto',
} as const;

describe('Converse', () => {
  test('the gateway sends what the SDK of AWS sends, with a signature over the same headers of content', async () => {
    await aws.send(new ConverseStreamCommand(converse)).then(async ({ stream }) => {
      for await (const _ of stream ?? []);
    });
    const theirs = last();
    await openai.chat.completions.create(chat);
    const ours = last();
    expect(ours.path).toBe(theirs.path);
    expect(ours.path).toBe('/model/us.amazon.nova-lite-v1%3A0%2Fsim-fast/converse-stream');
    expect(ours.body).toEqual(theirs.body);
    for (const name of ['host', 'content-type', 'x-amz-date', 'x-amz-content-sha256']) {
      expect(theirs.signed).toContain(name);
      expect(ours.signed).toContain(name);
    }
    expect(ours.headers['content-type']).toBe(theirs.headers['content-type']);
  });

  test("the SDK of AWS reads the simulator's answers, whole and in frames", async () => {
    const { output, usage, stopReason } = await aws.send(new ConverseCommand(converse));
    const whole = output?.message?.content?.[0]?.text;
    expect([stopReason, whole]).toEqual(['end_turn', expect.stringContaining('gave 4 C')]);
    const events: ConverseStreamOutput[] = [];
    const { stream } = await aws.send(new ConverseStreamCommand(converse));
    for await (const event of stream ?? []) events.push(event);
    expect(events.map(event => event.contentBlockDelta?.delta?.text ?? '').join('')).toBe(whole);
    expect(events.at(-1)?.metadata?.usage).toEqual(usage);
    expect(events.at(-2)?.messageStop?.stopReason).toBe('end_turn');
  });

  test('an error in the frames of the simulator is one for the SDK of AWS', async () => {
    const failing = { ...converse, modelId: 'amazon.nova-lite-v1:0/fault-error' };
    const { stream } = await aws.send(new ConverseStreamCommand(failing));
    const read = async () => {
      for await (const _ of stream ?? []);
    };
    await expect(read()).rejects.toMatchObject({ name: 'ServiceUnavailableException' });
  });
});

describe('InvokeModel', () => {
  const body = { max_tokens: 50, messages: [{ role: 'user' as const, content: 'Hello' }] };

  test.each([false, true])(
    'the gateway sends what the SDK of Anthropic for Bedrock sends, streamed: %s',
    async stream => {
      const headers = { 'anthropic-beta': beta };
      const read = async (answer: unknown) => {
        if (stream) for await (const _ of answer as AsyncIterable<unknown>);
      };
      await read(await bedrock.messages.create({ ...body, model: claude, stream }, { headers }));
      const theirs = last();
      await read(await anthropic.messages.create({ ...body, model: 'claude', stream }, { headers }));
      const ours = last();
      // Its URL has a colon as it is; that of AWS's own SDK has it encoded, as the gateway's.
      expect(decodeURIComponent(ours.path)).toBe(decodeURIComponent(theirs.path));
      expect(ours.body).toEqual(theirs.body);
      expect(ours.body.anthropic_beta).toEqual([beta]);
      expect(ours.headers.accept).toBe(theirs.headers.accept);
      expect(ours.signed).toEqual(expect.arrayContaining(['host', 'content-type', 'x-amz-date']));
    },
  );

  test('tokens are counted by estimate, since Bedrock counts none of a cross-region profile', async () => {
    const sent = gateway.simulator.requests.length;
    const { input_tokens } = await anthropic.messages.countTokens({
      model: 'claude',
      messages: body.messages,
    });
    expect(input_tokens).toBeGreaterThan(0);
    expect(gateway.simulator.requests).toHaveLength(sent);
  });
});

describe('failures', () => {
  const messages = [{ role: 'user' as const, content: 'Hello' }];
  const ask = (model: string, stream = false) => openai.chat.completions.create({ model, messages, stream });

  test('a wrong key is the failure of the gateway, without a secret', async () => {
    const error = await ask('wrong').catch(thrown => thrown);
    expect(error).toMatchObject({ status: 502 });
    expect(error.message).toContain("refused the gateway's credential");
    expect(JSON.stringify(error)).not.toMatch(/AKID|another-secret/);
  });

  test.each([
    ['fault-429', 429],
    ['fault-503', 503],
    ['fault-404', 404],
    ['fault-400', 400],
    ['fault-truncate', 502],
    ['fault-malformed', 502],
    ['fault-reset-first', 502],
  ])('%s has the status %i, of Converse and of InvokeModel', async (fault, status) => {
    for (const family of ['amazon.nova-lite-v1:0', 'anthropic.v1:0']) {
      const error = await ask(`aws/${family}/${fault}`).catch(thrown => thrown);
      expect(error, family).toMatchObject({ status });
    }
  });

  test.each(['amazon.nova-lite-v1:0', 'anthropic.v1:0'])(
    'an exception within a stream of %s is an error',
    async family => {
      const read = async () => {
        for await (const _ of (await ask(`aws/${family}/fault-error`, true)) as AsyncIterable<unknown>);
      };
      await expect(read()).rejects.toThrow(/failure with status 503/);
    },
  );
});
