import { z } from 'zod/mini';
import { type Turn, turn } from './turn.ts';

/**
 * A conversation as a tree: a turn with several children has branches, made by an edit or a retry. `chosen` has the child that is shown
 * below a turn, by the turn's id; the key `start` is for the first turn. Ids count from 1, and a parent comes before its children.
 */
export const conversation = z.object({
  turns: z.array(turn),
  chosen: z.record(z.string(), z.number()),
});
export type Conversation = z.infer<typeof conversation>;

export const noConversation: Conversation = { turns: [], chosen: {} };

export function chosenKey(parent: number | null): string {
  return parent === null ? 'start' : String(parent);
}

/** Returns the turns that are shown, from the first to the last of the chosen branch. */
export function pathOf({ turns, chosen }: Conversation): Turn[] {
  const byId = new Map(turns.map(turn => [turn.id, turn]));
  const path: Turn[] = [];
  let next = chosen[chosenKey(null)];
  while (next !== undefined) {
    const turn = byId.get(next);
    if (!turn) break;
    path.push(turn);
    next = chosen[chosenKey(turn.id)];
  }
  return path;
}

/** Returns the turns from the first one to `id`, whichever branch is shown. */
export function pathTo({ turns }: Conversation, id: number | null): Turn[] {
  const byId = new Map(turns.map(turn => [turn.id, turn]));
  const path: Turn[] = [];
  for (let at = id === null ? undefined : byId.get(id); at; ) {
    path.unshift(at);
    at = at.parent === null ? undefined : byId.get(at.parent);
  }
  return path;
}

/** Returns the ids of the turns beside a turn, itself included, in the order in which they were made. */
export function siblingsOf({ turns }: Conversation, of: Turn): number[] {
  return turns.filter(({ parent, role }) => parent === of.parent && role === of.role).map(({ id }) => id);
}

export function nextId({ turns }: Conversation): number {
  return (turns.at(-1)?.id ?? 0) + 1;
}
