import { Overtaken } from '@model-gateway/bus';
import { GatewayError, memberText } from '@model-gateway/canonical';
import { addToConversation } from './conversations.ts';
import type { LocalTurns } from './history.ts';
import type { Keeper } from './outlet.ts';
import { unkept } from './reach.ts';
import { foreignItems } from './references.ts';
import type { Shelf } from './shelf.ts';
import type { Turn } from './turn.ts';

/** The client has these events: they are kept for one who comes again. */
const joinMs = 50;

/** Keeps the turn, and its events as they come. */
export function storing(
  { store, writing, failed }: Shelf,
  project: string,
  turn: Omit<Turn, 'response'>,
): Keeper {
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
        if (error instanceof Overtaken) throw deleted();
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
export function passing(turn: Omit<Turn, 'response'>, local: LocalTurns | undefined): Keeper {
  return {
    events() {},
    async settle(response) {
      const id: string = JSON.parse(memberText(Buffer.from(response), 'id') ?? '""');
      local?.set(id, { ...turn, meta: { ...turn.meta, id }, response });
    },
  };
}
