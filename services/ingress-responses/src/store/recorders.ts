import { RevisionConflictError } from '@model-gateway/bus';
import { GatewayError, memberText } from '@model-gateway/canonical';
import { sseEvent } from '@model-gateway/sse';
import { addToConversation } from './conversations.ts';
import type { LocalTurns } from './history.ts';
import { unkept } from './lost.ts';
import { foreignItems } from './references.ts';
import type { ResponseServices } from './response-services.ts';
import type { AnswerRecorder } from './stored-response-sink.ts';
import { statusOf, type Turn } from './turn.ts';

/** The client has these events: they are kept for one who comes again. */
const joinMs = 50;

/** Keeps the turn, and its events as they come. */
export function storing(
  { store, writing, failed }: ResponseServices,
  project: string,
  turn: Omit<Turn, 'response'>,
): AnswerRecorder {
  const { id, stream } = turn.meta;
  const events = stream ? store.writer(project, id, { joinMs }) : undefined;
  return {
    events: (text, last) => events?.add(text, last),
    async settle(response) {
      const put = Promise.all([
        store.put(project, { ...turn, response }, 0),
        store.putItems(project, foreignItems(response), id),
        addToConversation(store, project, { ...turn, response }),
      ]);
      writing(put);
      const written = events?.flush();
      if (events) writing(put.finally(() => events.flush()));
      try {
        await put;
        await written;
      } catch (error) {
        if (error instanceof RevisionConflictError) throw deleted();
        failed(error);
        const { kind, message, details } = unkept(error);
        const told = `The answer was made, but not confirmed to be stored. ${message}`;
        throw new GatewayError(kind, told, details);
      }
    },
  };
}

function deleted(): GatewayError {
  return new GatewayError('not-found', 'The response was deleted before it was over.');
}

/** Keeps nothing, or the turn in this process alone, under the id that its upstream gave. */
export function passing(turn: Omit<Turn, 'response'>, local: LocalTurns | undefined): AnswerRecorder {
  return {
    events() {},
    async settle(response) {
      const id: string = JSON.parse(memberText(Buffer.from(response), 'id') ?? '""');
      local?.set(id, { ...turn, meta: { ...turn.meta, id }, response });
    },
  };
}

/** An event that holds a response. */
export function responseEvent(type: string, response: string, number: number): string {
  return sseEvent(`{"type":"${type}","sequence_number":${number},"response":${response}}`, type);
}

/** What ends the stream of a response that is over. */
export function lastEvents(response: string, number: number): string {
  const status = statusOf({ response });
  // The format has no event for one that was cancelled, and clients stop at types they do not know.
  const type = `response.${status === 'cancelled' ? 'incomplete' : status}`;
  const event = responseEvent(type, response, number);
  // What failed has no mark of a good end.
  return status === 'failed' ? event : event + doneMark;
}

/** The mark after the last event of a good stream, which not every upstream sends. */
export const doneMark = sseEvent('[DONE]');
