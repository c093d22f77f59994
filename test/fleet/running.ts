import { Anthropic } from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import type { RunningChangeInfo, RunningInfo, RunningPage } from '@model-gateway/admin-api';
import OpenAI from 'openai';
import { EventReader } from '../../services/control/src/testing/event-reader.ts';
import { until } from '../until.ts';
import type { Fleet } from './fleet.ts';

/** The formats whose streams the vendors' SDKs read here. */
export const streamFormats = ['chat', 'messages', 'generate-content', 'responses'] as const;
export type StreamFormat = (typeof streamFormats)[number];

const content = 'What is a gateway?';

/** Reads a stream by the vendor's SDK. Resolves to what the SDK throws, or to undefined if the stream ends well. */
export function readStream(
  format: StreamFormat,
  origin: string,
  token: string,
  model: string,
): Promise<unknown> {
  const openai = () => new OpenAI({ baseURL: `${origin}/v1`, apiKey: token });
  const readers: Record<StreamFormat, () => Promise<AsyncIterable<unknown>>> = {
    chat: () =>
      openai().chat.completions.create({ model, stream: true, messages: [{ role: 'user', content }] }),
    messages: () =>
      new Anthropic({ baseURL: origin, apiKey: token }).messages.create({
        ...{ model, stream: true, max_tokens: 4_096 },
        messages: [{ role: 'user', content }],
      }),
    'generate-content': () =>
      new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: origin } }).models.generateContentStream({
        model,
        contents: content,
      }),
    responses: () => openai().responses.create({ model, stream: true, input: content }),
  };
  return readAll(readers[format]);
}

async function readAll(open: () => Promise<AsyncIterable<unknown>>): Promise<unknown> {
  try {
    for await (const event of await open()) {
      const { type } = event as { type?: string };
      // The SDK of responses passes errors on as events.
      if (type === 'error' || type === 'response.failed') return event;
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Lists the requests in flight. */
export async function listRunning(fleet: Fleet, query = ''): Promise<RunningPage> {
  const { status, body } = await fleet.admin('GET', `/running-requests?${query}`);
  if (status !== 200) throw new Error(`the requests in flight cannot be listed: ${JSON.stringify(body)}`);
  return body as RunningPage;
}

/** Waits until a request of a token is in a state, and returns it. */
export async function untilRunning(
  fleet: Fleet,
  token: string,
  holds: (request: RunningInfo) => boolean = () => true,
): Promise<RunningInfo> {
  return until('the request is in flight', async () =>
    (await listRunning(fleet, `token=${token}`)).data.find(holds),
  );
}

/** Follows the requests in flight by a front or by control. */
export function followRunning(
  origin: string,
  token: string,
  query = '',
): Promise<EventReader<RunningChangeInfo>> {
  const headers = { authorization: `Bearer ${token}` };
  return EventReader.open(`${origin}/api/v1/running-requests/follow?${query}`, headers);
}

/** Returns the names of the events of a request. */
export function namesOf({ events }: EventReader<RunningChangeInfo>, requestId: string): string[] {
  return events.filter(({ data }) => data.request?.requestId === requestId).map(({ name }) => name);
}
