import { once } from 'node:events';
import { Certificate } from '@model-gateway/service';
import { selfSigned } from '@model-gateway/service/testing';
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from '@openai/agents/realtime';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type StartedSimulator, startSimulator } from '../start.ts';
import { speech } from '../testing/realtime-client.ts';

const files = selfSigned();
afterAll(() => files[Symbol.dispose]());
let simulator: StartedSimulator;
afterEach(() => simulator.close());

// This client dials TLS whatever its base URL says.
describe('the OpenAI client, over TLS', () => {
  beforeEach(async () => {
    simulator = await startSimulator({ certificate: new Certificate(files) });
  });

  async function open(model: string): Promise<OpenAIRealtimeWS> {
    const client = new OpenAI({ baseURL: `${simulator.url}/v1`, apiKey: 'any' });
    const realtime = new OpenAIRealtimeWS({ model, options: { rejectUnauthorized: false } }, client);
    // Without a listener it rejects what nobody can catch.
    realtime.on('error', () => {});
    await once(realtime.socket, 'open');
    return realtime;
  }

  test('has a turn of text', async () => {
    const realtime = await open('sim-fast');
    expect(realtime.url.protocol).toBe('wss:');
    realtime.send({ type: 'session.update', session: { type: 'realtime', output_modalities: ['text'] } });
    const content = [{ type: 'input_text' as const, text: 'What is NATS for?' }];
    realtime.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } });
    realtime.send({ type: 'response.create' });
    let text = '';
    realtime.on('response.output_text.delta', ({ delta }) => {
      text += delta;
    });
    const { response } = await new Promise<{ response: { status?: string } }>(resolve =>
      realtime.on('response.done', resolve),
    );
    expect(response.status).toBe('completed');
    expect(text).toContain('NATS carries every request');
    realtime.close();
  });

  test('hears of errors, refusals and a connection that is cut', async () => {
    const realtime = await open('fault-reset');
    const errors: unknown[] = [];
    realtime.on('error', error => errors.push(error));
    realtime.send({ type: 'response.cancel', event_id: 'mine' });
    await vi.waitFor(() =>
      expect(errors).toMatchObject([{ error: { code: 'response_cancel_not_active', event_id: 'mine' } }]),
    );
    realtime.send({ type: 'response.create' });
    const [code] = await once(realtime.socket, 'close');
    expect(code).toBe(1006);
    await expect(open('fault-503')).rejects.toThrow(/503/);
  });
});

describe('the agents client', () => {
  beforeEach(async () => {
    simulator = await startSimulator();
  });

  async function open(model: string, agent: RealtimeAgent): Promise<RealtimeSession> {
    const transport = new OpenAIRealtimeWebSocket({ createWebSocket, useInsecureApiKey: true });
    const session = new RealtimeSession(agent, { model, transport, tracingDisabled: true });
    session.on('error', () => {});
    const url = `${simulator.url.replace('http', 'ws')}/v1/realtime?model=${model}`;
    await session.connect({ apiKey: 'any', url, model });
    return session;
  }
  const createWebSocket = async ({ url }: { url: string }) =>
    new WebSocket(url, { headers: { authorization: 'Bearer any' } }) as never;

  test('speaks, calls a tool and tells its result', async () => {
    const asked: string[] = [];
    const weather = tool({
      name: 'get_weather',
      description: 'The weather of a city',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => {
        asked.push(city);
        return `rain in ${city}`;
      },
    });
    const agent = new RealtimeAgent({ name: 'guide', instructions: 'Help.', tools: [weather] });
    const session = await open('sim-fast', agent);
    let bytes = 0;
    session.on('audio', ({ data }) => {
      bytes += data.byteLength;
    });
    session.sendMessage('What is the weather in Oslo?');
    await vi.waitFor(() => expect(JSON.stringify(session.history)).toContain('gave rain in Oslo'), 5_000);
    expect(asked).toEqual(['Oslo']);
    expect(bytes).toBeGreaterThan(48_000);
    session.close();
  });

  test('hears what was said, and interrupts', async () => {
    const session = await open('sim-t400-i10ms', new RealtimeAgent({ name: 'guide', instructions: '' }));
    const interrupted = new Promise(resolve => session.on('audio_interrupted', resolve));
    const say = () => session.sendAudio(new Uint8Array(speech(1_000, 1_200)).buffer);
    say();
    await vi.waitFor(() => expect(JSON.stringify(session.history)).toContain('Good morning'), 5_000);
    await new Promise(resolve => session.once('audio', resolve));
    say();
    await interrupted;
    await vi.waitFor(async () => {
      const stats = await (await fetch(`${simulator.url}/stats`)).json();
      expect(stats).toMatchObject({ cancelled: 1, streams: 1 });
    });
    session.close();
  });
});
