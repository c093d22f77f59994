import { createOpenAI } from '@ai-sdk/openai';
import { generateText, isStepCount, tool } from 'ai';
import OpenAI from 'openai';
import { ResponsesWS } from 'openai/resources/responses/ws';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type FourUpstreams, startFourUpstreams, type Upstream, upstreams } from './four-upstreams.ts';

let gateway: FourUpstreams;
beforeAll(async () => {
  gateway = await startFourUpstreams();
});
afterAll(() => gateway.stop());

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey, maxRetries: 0 });
}

const kinds: Upstream[] = [...upstreams];

describe.each(kinds)('stored responses with an upstream of %s', upstream => {
  const model = `${upstream}/sim-fast`;
  let client: OpenAI;
  beforeAll(() => {
    client = clientOf(gateway.stack.token);
  });

  test('a stored response can be retrieved, continued, listed by its input items, and deleted', async () => {
    const first = await client.responses.create({ model, input: 'My name is Ada.' });
    expect(first).toMatchObject({ status: 'completed', store: true });
    expect(await client.responses.retrieve(first.id)).toEqual(first);
    const second = await client.responses.create({
      model,
      input: 'What is my name?',
      previous_response_id: first.id,
    });
    expect(second.previous_response_id).toBe(first.id);
    expect(JSON.stringify(gateway.received())).toContain('My name is Ada.');
    const third = await client.responses
      .stream({ model, input: 'And again?', previous_response_id: second.id })
      .finalResponse();
    expect(third).toMatchObject({ previous_response_id: second.id, status: 'completed' });
    expect(JSON.stringify(gateway.received())).toContain('What is my name?');
    const items = await client.responses.inputItems.list(third.id);
    expect(items.data).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'And again?' }] },
    ]);
    await client.responses.delete(first.id);
    await expect(client.responses.retrieve(first.id)).rejects.toThrow(OpenAI.NotFoundError);
    const gone = await client.responses
      .create({ model, input: 'x', previous_response_id: first.id })
      .catch(error => error);
    expect(gone).toMatchObject({ status: 400, code: 'previous_response_not_found' });
  });

  test('a client that disconnected can read the stored response to its end', async () => {
    const stream = await client.responses.create({
      model: `${upstream}/sim-t1000-i20ms`,
      input: 'Hello',
      stream: true,
    });
    let id = '';
    let seen = 0;
    const shown: unknown[] = [];
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      shown.push(event);
      if (++seen === 12) stream.controller.abort();
    }
    const resumed: unknown[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true })) resumed.push(event);
    expect(resumed.slice(0, shown.length)).toEqual(shown);
    expect(resumed.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { id, status: 'incomplete', incomplete_details: { reason: 'cancelled' } },
    });
    await vi.waitFor(async () =>
      expect(await client.responses.retrieve(id)).toMatchObject({ status: 'incomplete' }),
    );
  });

  test('a response with store: false is not stored', async () => {
    const answer = await client.responses.create({ model, input: 'x', store: false });
    expect(answer).toMatchObject({ store: false });
    await expect(client.responses.retrieve(answer.id)).rejects.toThrow(OpenAI.NotFoundError);
  });

  test('the AI SDK refers to stored items by their ids', async () => {
    const openai = createOpenAI({ baseURL: `${gateway.stack.url}/v1`, apiKey: gateway.stack.token });
    const looped = await generateText({
      model: openai.responses(model),
      prompt: 'What is the weather in Oslo and in Rome?',
      tools: {
        weather: tool({
          description: 'The weather in a city',
          inputSchema: z.object({ city: z.string() }),
          execute: async ({ city }) => `4 C in ${city}`,
        }),
      },
      stopWhen: isStepCount(3),
    });
    expect(looped.text).toContain('4 C in Oslo');
  });

  test('the SDK works over a WebSocket', async () => {
    const socket = new ResponsesWS(client);
    const over = new Promise<OpenAI.Responses.Response>((resolve, reject) => {
      socket.on('event', event => {
        if (event.type === 'response.completed') resolve(event.response);
      });
      socket.on('error', reject);
    });
    socket.send({ type: 'response.create', model, input: 'Hello' } as never);
    expect(await over).toMatchObject({ status: 'completed', store: true });
    expect(await client.responses.retrieve((await over).id)).toMatchObject({ status: 'completed' });
    socket.close();
  });

  test('a background response can be polled to its end', async () => {
    const queued = await client.responses.create({ model, input: 'Hello', background: true });
    expect(queued).toMatchObject({ status: 'queued', background: true, store: true, output: [] });
    const over = await poll(client, queued.id);
    expect(over).toMatchObject({ id: queued.id, status: 'completed', background: true });
    expect(over.created_at).toBe(queued.created_at);
    const direct = await client.responses.create({ model, input: 'Hello' });
    expect(over.output_text).toBe(direct.output_text);
    expect(await client.responses.cancel(queued.id)).toMatchObject({ status: 'completed' });
    const next = await client.responses.create({ model, input: 'More', previous_response_id: over.id });
    expect(next.status).toBe('completed');
  });

  test('a background stream can be left and resumed', async () => {
    const slow = `${upstream}/sim-t60-i20ms`;
    const stream = await client.responses.create({
      model: slow,
      input: 'Hello',
      background: true,
      stream: true,
    });
    const shown: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) {
      shown.push(event);
      if (shown.length === 9) break;
    }
    expect(shown.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const id = (shown[0] as OpenAI.Responses.ResponseCreatedEvent).response.id;
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 8 }))
      shown.push(event);
    expect(shown.map(event => event.sequence_number)).toEqual(shown.map((_, i) => i));
    expect(shown.at(-1)).toMatchObject({ type: 'response.completed', response: { id, status: 'completed' } });
    const direct = await client.responses.create({ model: slow, input: 'Hello' });
    const text = shown
      .map(event => (event.type === 'response.output_text.delta' ? event.delta : ''))
      .join('');
    expect(text).toBe(direct.output_text);
    const again = await client.responses.stream({ response_id: id }).finalResponse();
    expect(again.output_text).toBe(text);
  });

  test('a cancelled background response closes its upstream', async () => {
    const slow = `${upstream}/sim-t1000-i20ms`;
    const asked = gateway.simulator.requests.length;
    const { id } = await client.responses.create({ model: slow, input: 'Hello', background: true });
    await vi.waitFor(async () => expect((await client.responses.retrieve(id)).status).toBe('in_progress'));
    await vi.waitFor(() => expect(gateway.simulator.requests.length).toBeGreaterThan(asked));
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    await expect.poll(() => gateway.simulator.openStreams()).toBe(0);
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    expect(await client.responses.retrieve(id)).toMatchObject({ status: 'cancelled' });
  });

  test('a failed background response reports its error', async () => {
    const { id } = await client.responses.create({
      model: `${upstream}/fault-400`,
      input: 'Hello',
      background: true,
    });
    expect(await poll(client, id)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/./) },
    });
  });
});

/** Waits for the end of a background response. */
async function poll(client: OpenAI, id: string): Promise<OpenAI.Responses.Response> {
  return vi.waitFor(async () => {
    const response = await client.responses.retrieve(id);
    expect(response.status).not.toMatch(/queued|in_progress/);
    return response;
  });
}
