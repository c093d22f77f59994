import { expect } from 'vitest';
import type { Format } from '../stack/formats.ts';
import { type Answer, type Asked, askIn, type Question } from './answers.ts';

/** The model's answers to the user's last words. */
export const answers = {
  '#hello': 'Hello, 数据 and a naïve 🚀.',
  '#story': 'Once upon a time there was a gateway. ',
};

/** Asks a question in a format, whole and streamed, and compares the answers with that of the chat format at the server itself. */
export async function checkSame(
  direct: Asked,
  gateway: Asked,
  format: Format,
  question: Question,
  upstreamModel: string,
): Promise<Answer> {
  const expected = await askIn.chat(direct, { ...question, model: upstreamModel }, false);
  for (const stream of [false, true]) {
    expect(await askIn[format](gateway, question, stream), `${format}, stream: ${stream}`).toEqual(expected);
  }
  return expected;
}

/** Checks text and usage of an answer that ends by itself, of one that is cut by its limit, and of one that calls a function. */
export async function checkAnswers(
  direct: Asked,
  gateway: Asked,
  format: Format,
  model: string,
  upstreamModel: string,
): Promise<void> {
  const same = (question: Omit<Question, 'model'>) =>
    checkSame(direct, gateway, format, { model, ...question }, upstreamModel);
  expect(await same({ text: 'Say #hello' })).toMatchObject({ text: answers['#hello'], finish: 'stop' });
  const cut = await same({ text: 'Tell a #story', maxTokens: 20 });
  expect(cut).toMatchObject({ finish: 'length', output: 20 });
  expect(cut.text).toContain(answers['#story'].trim());
  expect(await same({ text: 'Say the #weather', tools: true })).toMatchObject({
    finish: 'tool_calls',
    calls: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
  });
}

/** A status and a body. */
export interface Reply {
  status: number;
  body: string;
}

/** Sends a request with a body of JSON, or a GET without one. */
export async function send({ url, token }: Asked, path: string, body?: unknown): Promise<Reply> {
  const response = await fetch(url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(100_000),
  });
  return { status: response.status, body: await response.text() };
}

/** The body of a chat request with one message. */
export function chatBody(model: string, text: string, fields: object = {}): object {
  return { model, messages: [{ role: 'user', content: text }], temperature: 0, max_tokens: 20, ...fields };
}

/** The error of a chat answer. */
export function errorIn({ body }: Reply): { message: string; type: string; code: unknown } {
  return JSON.parse(body).error;
}

/** The names of the models that a server lists. */
export async function modelNames(asked: Asked): Promise<string[]> {
  const { data } = JSON.parse((await send(asked, '/v1/models')).body) as { data: { id: string }[] };
  return data.map(({ id }) => id);
}

/** Checks that llama.cpp's server stops generating soon after a client of the gateway has disconnected. */
export async function checkStops(llamaCpp: Asked, gateway: Asked, model: string): Promise<void> {
  const slots = async (): Promise<{ is_processing: boolean; n_prompt_tokens: number }[]> =>
    JSON.parse((await send(llamaCpp, '/slots')).body);
  const working = async () => (await slots()).filter(slot => slot.is_processing).length;
  expect(await working()).toBe(0);
  await disconnect(gateway, model);
  await expect.poll(working, { timeout: 15_000, interval: 20 }).toBe(0);
  // A slot counts the prompt and the generated tokens, which would have been 4,000.
  for (const slot of await slots()) expect(slot.n_prompt_tokens).toBeLessThan(3_000);
}

/** Opens a long stream, reads the first bytes of its answer, and disconnects. */
export async function disconnect({ url, token }: Asked, model: string): Promise<void> {
  const client = new AbortController();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(chatBody(model, 'Tell a #story', { stream: true, max_tokens: 4_000 })),
    signal: AbortSignal.any([client.signal, AbortSignal.timeout(60_000)]),
  });
  expect(response.status).toBe(200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('upon')) text += (await reader?.read())?.value ?? '';
  client.abort();
}
