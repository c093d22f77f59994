import { GatewayError } from '@model-gateway/canonical';
import { memberText } from '@model-gateway/json';
import { type LogRoom, RevisionConflictError } from '@model-gateway/store';
import { addToConversation } from './conversations.ts';
import type { LocalTurns } from './history.ts';
import { foreignItems } from './references.ts';
import type { ResponseServices } from './response-services.ts';
import { unkept } from './store-errors.ts';
import type { AnswerRecorder } from './stored-response-sink.ts';
import type { Turn } from './turn.ts';

/** The time over which events are joined into one write, in milliseconds. The client has them already. */
const joinMs = 50;

/** Stores a turn, and its events as they arrive. `room`: that of the events that wait. */
export function storing(
  { store, writing, failed }: ResponseServices,
  project: string,
  turn: Omit<Turn, 'response'>,
  room: () => LogRoom,
): AnswerRecorder {
  const { id, stream } = turn.meta;
  const events = stream ? store.writer(project, id, { joinMs }) : undefined;
  if (events) events.room = room();
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
        const text = `The response was generated, but its storage was not confirmed. ${message}`;
        throw new GatewayError(kind, text, details);
      }
    },
  };
}

function deleted(): GatewayError {
  return new GatewayError('not-found', 'The response was deleted before it ended.');
}

/** Stores a turn in `local` under the upstream's id, or not at all. */
export function passing(turn: Omit<Turn, 'response'>, local: LocalTurns | undefined): AnswerRecorder {
  return {
    events() {},
    async settle(response) {
      const id: string = JSON.parse(memberText(Buffer.from(response), 'id') ?? '""');
      local?.set(id, { ...turn, meta: { ...turn.meta, id }, response });
    },
  };
}
