import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { realtimeTurn } from '../../compose/socket.ts';
import type { Stage } from '../stage.ts';

const content = 'What is the gateway?';
const messages = [{ role: 'user' as const, content }];
const model = 'sim-fast';

/** The installed release: its own tests, and the vendors' SDKs through the NodePort. */
export function clients(stage: () => Stage): void {
  test('helm test passes', async () => {
    expect(await stage().release.test()).toMatch(/Phase:\s+Succeeded/);
  }, 200_000);

  test('the openai SDK gets the same text whole and streamed', async () => {
    const { url, token } = stage().target;
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
    const whole = await client.chat.completions.create({ model, messages });
    let streamed = '';
    for await (const { choices } of await client.chat.completions.create({ model, messages, stream: true }))
      streamed += choices[0]?.delta.content ?? '';
    expect(streamed).toMatch(/\w{3}/);
    expect(streamed).toBe(whole.choices[0]?.message.content);
  });

  test('the openai SDK stores responses and reads them again', async () => {
    const { url, token } = stage().target;
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });
    const { id, output_text } = await client.responses.create({ model, input: content });
    expect(output_text).toMatch(/\w{3}/);
    expect((await client.responses.retrieve(id)).output_text).toBe(output_text);
  });

  test('the @anthropic-ai/sdk SDK gets the same text whole and streamed', async () => {
    const { url, token } = stage().target;
    const client = new Anthropic({ baseURL: url, authToken: token, maxRetries: 0 });
    const body = { model, max_tokens: 2_000, messages };
    const whole = await client.messages.create(body);
    const streamed = await client.messages.stream(body).finalMessage();
    expect(whole.content).toMatchObject([{ type: 'text', text: expect.stringMatching(/\w{3}/) }]);
    expect(streamed.content).toEqual(whole.content);
  });

  test('the @google/genai SDK gets the same text whole and streamed', async () => {
    const { url, token } = stage().target;
    const client = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });
    const whole = await client.models.generateContent({ model, contents: content });
    let streamed = '';
    for await (const chunk of await client.models.generateContentStream({ model, contents: content }))
      streamed += chunk.text ?? '';
    expect(streamed).toMatch(/\w{3}/);
    expect(streamed).toBe(whole.text);
  });

  test('a realtime session answers over its WebSocket', async () => {
    const { url, token } = stage().target;
    const events = await realtimeTurn(url, token, content);
    expect(events[0]).toBe('session.created');
    expect(events).toContain('response.output_text.delta');
    expect(events.at(-1)).toBe('response.done');
  });

  test('the console and the admin API have the same address, and the admin API refuses platform tokens', async () => {
    const { url, token } = stage().target;
    const page = await fetch(`${url}/console/playground`);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
    const refused = await fetch(`${url}/api/v1/tokens`, { headers: { authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(403);
  });
}
