import { RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS as BetaRealtimeWS } from 'openai/beta/realtime/ws';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { url } from './realtime-client.ts';
import { type EmulatedGateway, sound, startEmulated } from './realtime-emulated.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

let gateway: EmulatedGateway;
let front: TlsFront;
beforeAll(async () => {
  gateway = await startEmulated();
  front = await startTlsFront(gateway.stack.url);
});
afterAll(async () => {
  front?.close();
  await gateway?.stop();
});

const tls = { rejectUnauthorized: false };

test('OpenAIRealtimeWS begins a session with a client secret', async () => {
  const baseURL = `${gateway.stack.url}/v1`;
  const made = await new OpenAI({ apiKey: gateway.stack.token, baseURL }).realtime.clientSecrets.create({
    session: { type: 'realtime', model: 'text', instructions: 'Answer in five words.' },
  });
  const client = new OpenAI({ apiKey: made.value, baseURL: `${front.url}/v1` });
  const realtime = new OpenAIRealtimeWS({ model: 'text', options: tls }, client);
  const created = new Promise(resolve => realtime.on('session.created', resolve));
  expect(await created).toMatchObject({ session: { instructions: 'Answer in five words.' } });
  realtime.close();
});

test("the beta client gets the beta's event names", async () => {
  const client = new OpenAI({ apiKey: gateway.stack.token, baseURL: `${front.url}/v1` });
  const realtime = new BetaRealtimeWS({ model: 'text', options: tls }, client);
  const types: string[] = [];
  realtime.on('event', ({ type }) => types.push(type));
  realtime.on('error', () => {});
  await vi.waitFor(() => expect(types).toContain('session.created'));
  const said = new Promise<string>(resolve => realtime.on('response.text.done', ({ text }) => resolve(text)));
  const content = [{ type: 'input_text' as const, text: 'Good morning.' }];
  realtime.send({ type: 'session.update', session: { modalities: ['text'], instructions: 'Be brief.' } });
  realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
  realtime.send({ type: 'response.create', response: { modalities: ['text'] } });
  expect(await said).not.toBe('');
  await vi.waitFor(() => expect(types).toContain('response.done'));
  expect(types).toContain('conversation.item.created');
  expect(types).not.toContain('error');
  realtime.close();
});

describe('RealtimeSession of the agents', () => {
  let session: RealtimeSession;
  let asked: unknown[];
  let types: string[];
  let errors: unknown[];
  beforeEach(() => {
    asked = [];
    types = [];
    errors = [];
  });
  afterEach(() => session.close());

  async function open(model: string) {
    const weather = tool({
      name: 'weather',
      description: 'Tells the weather of a city',
      parameters: z.object({ city: z.string() }),
      async execute(given) {
        asked.push(given);
        return 'Fog, everywhere.';
      },
    });
    const agent = new RealtimeAgent({ name: 'guide', instructions: 'Be brief.', tools: [weather] });
    session = new RealtimeSession(agent, { transport: 'websocket', model });
    session.on('transport_event', ({ type }) => types.push(type));
    session.on('error', error => errors.push(error));
    await session.connect({ apiKey: gateway.stack.token, url: url(gateway.stack.url, model) });
    await seen('session.updated');
  }
  const seen = (type: string, count = 1) =>
    vi.waitFor(() => expect(types.filter(each => each === type).length).toBeGreaterThanOrEqual(count));
  const said = (role: string) =>
    session.history.flatMap(item => (item.type === 'message' && item.role === role ? [item.content] : []));

  test('RealtimeSession completes a text turn although it requests audio', async () => {
    await open('text');
    session.sendMessage('Hello');
    await seen('response.done');
    expect(said('user')).toEqual([[{ type: 'input_text', text: 'Hello' }]]);
    expect(said('assistant')).toEqual([[{ type: 'output_text', text: expect.stringMatching(/\w/) }]]);
    expect(errors).toEqual([]);
  });

  test('RealtimeSession runs a tool and continues by itself', async () => {
    await open('text');
    session.sendMessage('What is the weather in Oslo?');
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    await seen('response.done', 2);
    expect(JSON.stringify(said('assistant'))).toMatch(/fog/i);
    expect(errors).toEqual([]);
  });

  test('RealtimeSession completes an audio turn with turn detection and speech', async () => {
    await open('talker');
    const heard: number[] = [];
    session.on('audio', ({ data }) => heard.push(data.byteLength));
    for (let i = 0; i < 30; i++) session.sendAudio(arrayOf(sound(20)));
    for (let i = 0; i < 80; i++) session.sendAudio(arrayOf(sound(20, false)));
    await seen('response.done');
    await seen('conversation.item.retrieved');
    expect(heard.reduce((sum, bytes) => sum + bytes, 0)).toBeGreaterThan(10_000);
    expect(said('user')).toMatchObject([[{ type: 'input_audio', transcript: expect.stringMatching(/\w/) }]]);
    expect(said('assistant')).toMatchObject([
      [{ type: 'output_audio', transcript: expect.stringMatching(/\w/) }],
    ]);
    expect(errors).toEqual([]);
  });

  test('RealtimeSession can be interrupted by the user', async () => {
    await open('slow-talker');
    session.sendMessage('Tell me a story.');
    await seen('response.output_audio.delta');
    session.interrupt();
    await seen('response.done');
    await seen('conversation.item.truncated');
    await vi.waitFor(() => expect(gateway.simulator.openStreams()).toBe(0));
    session.sendMessage('Go on.');
    await seen('response.created', 2);
    expect(errors).toEqual([]);
  });
});

function arrayOf(bytes: Buffer): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}
