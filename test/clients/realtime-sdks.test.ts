import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startStack } from '../stack/stack.ts';
import { type ScriptedUpstream, startUpstream } from './realtime-upstream.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

let upstream: ScriptedUpstream;
let stack: Stack;
let front: TlsFront;
beforeAll(async () => {
  upstream = await startUpstream();
  const provider = {
    name: 'one',
    kind: 'openai',
    baseUrl: upstream.baseUrl,
    apiKey: { value: 'sk-upstream' },
  };
  const models = [{ name: 'voice', targets: [{ provider: 'one', model: 'gpt-realtime' }] }];
  stack = await startStack({ described: true, catalog: { providers: [provider], models } });
  front = await startTlsFront(stack.url);
});
afterAll(async () => {
  front?.close();
  await stack?.stop();
  await upstream?.close();
});

test('OpenAIRealtimeWS completes a text turn', async () => {
  const client = new OpenAI({ apiKey: stack.token, baseURL: `${front.url}/v1` });
  const realtime = new OpenAIRealtimeWS({ model: 'voice', options: { rejectUnauthorized: false } }, client);
  const events: object[] = [];
  realtime.on('event', event => events.push(event));
  const seen = (wanted: object) => expect.poll(() => events).toContainEqual(expect.objectContaining(wanted));
  await seen({ type: 'session.created' });
  const content = [{ type: 'input_text' as const, text: 'hello' }];
  realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  realtime.send({ type: 'response.create' });
  await seen({ type: 'response.output_text.done', text: 'hello' });
  await seen({ type: 'response.done', response: expect.objectContaining({ status: 'completed' }) });
  realtime.close();
});
