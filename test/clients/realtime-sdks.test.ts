import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Stack, startStack } from '../stack/stack.ts';
import { url } from './realtime-client.ts';
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

type Event = Record<string, unknown> & { type: string };

describe('OpenAIRealtimeWS', () => {
  let realtime: OpenAIRealtimeWS;
  let events: Event[];
  beforeEach(async () => {
    const client = new OpenAI({ apiKey: stack.token, baseURL: `${front.url}/v1` });
    realtime = new OpenAIRealtimeWS({ model: 'voice', options: { rejectUnauthorized: false } }, client);
    events = [];
    realtime.on('event', event => events.push(event as unknown as Event));
    realtime.on('error', () => {});
    await seen('session.created');
    return () => realtime.close();
  });

  const seen = (type: string) =>
    vi.waitFor(() => {
      const found = events.find(event => event.type === type);
      if (!found) throw new Error(`no ${type}`);
      return found;
    });
  const say = (text: string) => {
    const content = [{ type: 'input_text' as const, text }];
    realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    realtime.send({ type: 'response.create' });
  };

  test('OpenAIRealtimeWS completes a text turn', async () => {
    say('hello');
    expect(await seen('response.output_text.done')).toMatchObject({ text: 'hello' });
    expect(await seen('response.done')).toMatchObject({ response: { status: 'completed' } });
  });

  test('OpenAIRealtimeWS completes a tool turn', async () => {
    say('tool');
    expect(await seen('response.function_call_arguments.done')).toMatchObject({ name: 'weather' });
    await seen('response.done');
    events.length = 0;
    const item = { type: 'function_call_output' as const, call_id: 'call_1', output: 'sunny' };
    realtime.send({ type: 'conversation.item.create', item });
    realtime.send({ type: 'response.create' });
    expect(await seen('response.output_text.done')).toMatchObject({ text: 'sunny' });
  });

  test('OpenAIRealtimeWS completes an audio turn', async () => {
    const audio = Buffer.alloc(9_600).toString('base64');
    realtime.send({ type: 'input_audio_buffer.append', audio });
    realtime.send({ type: 'input_audio_buffer.commit' });
    realtime.send({ type: 'response.create' });
    expect((await seen('response.output_audio.delta')).delta).toHaveLength(6_400);
    await seen('response.done');
  });

  test('OpenAIRealtimeWS cancels a turn', async () => {
    say('slow');
    await seen('response.output_text.delta');
    realtime.send({ type: 'response.cancel' });
    expect(await seen('response.done')).toMatchObject({ response: { status: 'cancelled' } });
  });

  test('OpenAIRealtimeWS gets an error event', async () => {
    realtime.send({
      type: 'session.update',
      event_id: 'mine',
      session: { type: 'realtime', model: 'gpt-realtime' },
    });
    expect(await seen('error')).toMatchObject({ error: { event_id: 'mine', param: 'session.model' } });
    say('hello');
    await seen('response.done');
  });

  test('OpenAIRealtimeWS connects with a client secret', async () => {
    const client = new OpenAI({ apiKey: stack.token, baseURL: `${stack.url}/v1` });
    const made = await client.realtime.clientSecrets.create({
      session: { type: 'realtime', model: 'voice' },
    });
    expect(made.session).toMatchObject({ model: 'voice', type: 'realtime' });
    const own = new OpenAI({ apiKey: made.value, baseURL: `${front.url}/v1` });
    const other = new OpenAIRealtimeWS({ model: 'voice', options: { rejectUnauthorized: false } }, own);
    other.on('error', () => {});
    await new Promise(resolve => other.on('session.created', resolve));
    other.close();
  });
});

describe('RealtimeSession of the agents', () => {
  let session: RealtimeSession;
  let asked: unknown[];
  let types: string[];
  let errors: unknown[];
  beforeEach(async () => {
    asked = [];
    types = [];
    errors = [];
    const weather = tool({
      name: 'weather',
      description: 'Tells the weather',
      parameters: z.object({ city: z.string() }),
      async execute(given) {
        asked.push(given);
        return 'sunny';
      },
    });
    const agent = new RealtimeAgent({ name: 'guide', instructions: 'Be brief.', tools: [weather] });
    session = new RealtimeSession(agent, { transport: 'websocket', model: 'voice' });
    session.on('transport_event', ({ type }) => types.push(type));
    session.on('error', error => errors.push(error));
    await session.connect({ apiKey: stack.token, url: url(stack.url, 'voice') });
    await vi.waitFor(() => expect(types).toContain('session.updated'));
    return () => session.close();
  });

  const said = () => JSON.stringify(session.history);

  test('RealtimeSession completes a text turn', async () => {
    session.sendMessage('hello');
    await vi.waitFor(() => expect(types).toContain('response.done'));
    expect(said()).toContain('"role":"assistant"');
    expect(errors).toEqual([]);
  });

  test('RealtimeSession runs a tool and continues', async () => {
    session.sendMessage('tool');
    await vi.waitFor(() => expect(asked).toEqual([{ city: 'Bern' }]));
    await vi.waitFor(() => expect(said()).toContain('sunny'));
    expect(errors).toEqual([]);
  });

  test('RealtimeSession completes an audio turn', async () => {
    const heard: number[] = [];
    session.on('audio', ({ data }) => heard.push(data.byteLength));
    session.sendAudio(new ArrayBuffer(9_600), { commit: true });
    session.transport.sendEvent({ type: 'response.create' });
    await vi.waitFor(() => expect(heard).toEqual([4_800]));
  });

  test('RealtimeSession can be interrupted', async () => {
    session.sendMessage('slow');
    await vi.waitFor(() => expect(types).toContain('response.created'));
    session.transport.sendEvent({ type: 'response.cancel' });
    await vi.waitFor(() => expect(types).toContain('response.done'));
  });

  test('RealtimeSession gets an error', async () => {
    session.transport.sendEvent({ type: 'odd.event' });
    await vi.waitFor(() => expect(errors).toHaveLength(1));
    session.sendMessage('hello');
    await vi.waitFor(() => expect(types).toContain('response.done'));
  });
});
