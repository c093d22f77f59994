import Anthropic from '@anthropic-ai/sdk';
import {
  type BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  InvokeModelCommand,
} from '@aws-sdk/client-bedrock-runtime';
import { accessKey, type Recorded } from '@model-gateway/simulator';
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulated, startSimulated } from '../stack/simulated.ts';
import { awsClient, region } from './aws-client.ts';

const nova = 'us.amazon.nova-lite-v1:0/sim-fast';
const claude = 'anthropic.v1:0/sim-fast-claude-opus-4-6';
const guardrail = { guardrailIdentifier: 'gr4dr41l1d', guardrailVersion: '7' };
const traced = { ...guardrail, trace: 'enabled' as const };

let gateway: Simulated;
let openai: OpenAI;
let anthropic: Anthropic;
let aws: BedrockRuntimeClient;

beforeAll(async () => {
  gateway = await startSimulated(url => {
    const provider = (name: string, options: object) => ({
      ...{ name, kind: 'bedrock', baseUrl: url, apiKey: { value: accessKey.secret } },
      options: { region, accessKeyId: accessKey.id, ...options },
    });
    const target = (provider: string, model: string) => ({ provider, model });
    return {
      providers: [
        provider('guarded', { guardrail: guardrail.guardrailIdentifier, guardrailVersion: '7' }),
        provider('draft', { guardrail: guardrail.guardrailIdentifier }),
        provider('missing', { guardrail: 'missing' }),
      ],
      models: [
        { name: 'nova', targets: [target('guarded', nova)] },
        { name: 'claude', targets: [target('guarded', claude)] },
        { name: 'draft', targets: [target('draft', nova)] },
        { name: 'missing-nova', targets: [target('missing', nova)] },
        { name: 'missing-claude', targets: [target('missing', claude)] },
        {
          name: 'failover',
          targets: [target('missing', nova), target('guarded', nova)],
          strategy: 'ordered',
        },
      ],
    };
  });
  const { url, token } = gateway.stack;
  openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
  anthropic = new Anthropic({ baseURL: url, authToken: token, maxRetries: 0 });
  aws = awsClient(gateway.simulator);
});
afterAll(async () => {
  aws?.destroy();
  await gateway?.stop();
});

const last = () => gateway.simulator.requests.at(-1) as Recorded;
const names = Object.keys(guardrail).map(name => `x-amzn-bedrock-${name.toLowerCase()}`);
const guards = ({ headers }: Recorded) => names.map(name => headers[name]);
const question = { role: 'user' as const, content: 'Hello' };
const ask = (model: string, content = 'Hello') =>
  openai.chat.completions.create({ model, max_completion_tokens: 50, messages: [{ role: 'user', content }] });

test('the guardrail of Converse is sent as the SDK of AWS sends it', async () => {
  const command = {
    ...{ modelId: nova, guardrailConfig: traced, inferenceConfig: { maxTokens: 50 } },
    messages: [{ role: 'user' as const, content: [{ text: 'Hello' }] }],
  };
  await aws.send(new ConverseCommand(command));
  const whole = JSON.parse(last().body);
  const { stream } = await aws.send(new ConverseStreamCommand(command));
  for await (const _ of stream ?? []);
  expect(JSON.parse(last().body)).toEqual(whole);
  await ask('nova');
  expect(JSON.parse(last().body)).toEqual(whole);
  expect(guards(last())).toEqual([undefined, undefined]);
});

test('the guardrail of InvokeModel is sent as the SDK of AWS sends it, and is signed', async () => {
  const body = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 50, messages: [question] };
  const type = 'application/json';
  await aws.send(
    new InvokeModelCommand({ modelId: claude, contentType: type, body: JSON.stringify(body), ...guardrail }),
  );
  const theirs = last();
  expect(guards(theirs)).toEqual(Object.values(guardrail));
  const asked = { model: 'claude', max_tokens: 50, messages: [question] };
  await anthropic.messages.create(asked);
  expect(last().path).toBe(theirs.path);
  expect(guards(last())).toEqual(guards(theirs));
  expect(last().headers.authorization).toMatch(new RegExp(names.join(';')));
  await anthropic.messages.stream(asked).finalMessage();
  expect(guards(last())).toEqual(guards(theirs));
  await ask('claude');
  expect(guards(last())).toEqual(guards(theirs));
  expect(JSON.parse(last().body)).not.toHaveProperty('guardrailConfig');
});

test('without a version, the guardrail is its working draft', async () => {
  await ask('draft');
  const { guardrailConfig } = JSON.parse(last().body);
  expect(guardrailConfig).toEqual({ ...traced, guardrailVersion: 'DRAFT' });
});

const blocked = 'The guardrail blocked the prompt by its topic policy (Forbidden things).';

test('an answer that the guardrail blocked is a refusal, which names the policy', async () => {
  const { choices } = await ask('nova', 'This is forbidden');
  expect(choices[0]).toMatchObject({ finish_reason: 'content_filter', message: { refusal: blocked } });
  const stream = openai.chat.completions.stream({
    model: 'nova',
    messages: [{ role: 'user', content: 'This is forbidden' }],
  });
  const { choices: streamed } = await stream.finalChatCompletion();
  expect(streamed[0]).toMatchObject({ finish_reason: 'content_filter', message: { refusal: blocked } });
  const asked = { model: 'nova', max_tokens: 50, messages: [{ ...question, content: 'This is forbidden' }] };
  expect(await anthropic.messages.create(asked)).toMatchObject({
    stop_reason: 'refusal',
    stop_details: { explanation: blocked },
  });
});

test.each(['missing-nova', 'missing-claude'])(
  'a guardrail that does not exist is the failure of the gateway: %s',
  async model => {
    await expect(ask(model)).rejects.toMatchObject({ status: 502 });
    expect((await ask('failover')).choices).toHaveLength(1);
  },
);
