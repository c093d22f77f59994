import { storedId } from '@model-gateway/formats/responses';
import type { IncomingRequest, PreparedRequest, ResponseSink } from '@model-gateway/ingress';
import type { Edit } from '@model-gateway/json';
import { renderQueued, renderWaiting } from '../endpoints/render-waiting.ts';
import { followEvents, sendText } from '../endpoints/stored-responses.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { clientStore } from '../store/response-services.ts';
import { ownerOf } from '../store/store.ts';
import { unkept } from '../store/store-errors.ts';
import { holdTurn, type Turn } from '../store/turn.ts';

/** The header by which clients of OpenAI turn betas on. */
export const betaHeader = 'openai-beta';

interface Submission {
  requestId: string;
  previous: string | null;
  turn: Omit<Turn, 'response'>;
}

/** Returns the fields of a background response that are the same in every attempt. */
export function backgroundFields(id: string, at: number, previous: string | null): Map<string, Edit> {
  return new Map<string, Edit>([
    ['id', JSON.stringify(id)],
    ['created_at', String(Math.floor(at / 1_000))],
    ['store', 'true'],
    ['background', 'true'],
    ['previous_response_id', JSON.stringify(previous)],
  ]);
}

/** Stores and queues a background request, and sends the client the queued response or its event stream. */
export function submit(
  services: ResponseServices,
  request: Pick<PreparedRequest, 'body' | 'text'>,
  { token, tokenHash, headers, text, trace, share }: IncomingRequest,
  { requestId, previous, turn }: Submission,
): PreparedRequest {
  const { store, queue } = services;
  const { project } = token;
  const { at, stream } = turn.meta;
  const id = storedId(requestId);
  // The text is read before the body is freed.
  const background = {
    tokenHash,
    request: text.toString(),
    attempts: [],
    ...(trace && { trace: trace.traceparent }),
    ...(headers[betaHeader] && { betas: String(headers[betaHeader]) }),
  };
  let waiting: typeof turn | undefined = { ...turn, meta: { ...turn.meta, background } };
  async function instead(sink: ResponseSink, signal: AbortSignal): Promise<void> {
    const response = renderQueued(request.body, requestId, backgroundFields(id, at, previous));
    try {
      await put();
      if (stream) await writeWaiting();
      await queue.add(JSON.stringify({ project, id }), id, ownerOf(project));
    } catch (error) {
      await store.remove(project, id).catch(() => {});
      throw unkept(error);
    }
    if (!stream) return sendText(sink, response);
    const followed = clientStore(services, { token, share }, sink, signal);
    await followEvents(followed, { project, id, after: -1 }, sink, signal);

    async function put(): Promise<void> {
      if (!waiting) return;
      const release = holdTurn(share(), waiting, sink);
      await store.put(project, { ...waiting, response }, 0);
      waiting = undefined;
      release();
    }
    async function writeWaiting(): Promise<void> {
      const events = store.writer(project, id);
      events.add(renderWaiting(response));
      await events.flush();
      if (events.broken !== undefined) throw events.broken;
    }
  }
  return { ...request, instead };
}
