import { type ItemText, joinItems, splitItems } from '../items/item-text.ts';

/** True if some of a request's own items, joined by commas, may be in its history. */
export function mayRepeat(own: string): boolean {
  return own.includes('"id"') || own.includes('_call"');
}

/**
 * Returns a request's own items without those of its history that the client sent again, as it does that adds a response's output to
 * its next request. Both lists are joined by commas.
 */
export function withoutRepeated(own: string, history: string): string {
  const sent = splitItems(own);
  if (sent.every(item => namesOf(item).length === 0)) return own;
  const known = new Map<string, ItemText>();
  for (const item of splitItems(history)) for (const name of namesOf(item)) known.set(name, item);
  const kept = sent.filter(item => !namesOf(item).some(name => isAgain(item, known.get(name))));
  return kept.length === sent.length ? own : joinItems(kept);
}

/** Returns the names by which an item is known: its id, and the id of its call. */
function namesOf({ id, type, callId }: ItemText): string[] {
  const isCall = callId !== undefined && type.endsWith('_call');
  return [
    ...(id === undefined || type === 'item_reference' ? [] : [id]),
    ...(isCall ? [`${type} ${callId}`] : []),
  ];
}

/** True if an item is one that the history has. Of those that the client makes, and of calls without an id, the content must be equal. */
function isAgain(item: ItemText, known: ItemText | undefined): boolean {
  if (!known || item.type !== known.type || item.role !== known.role) return false;
  const isModels = item.id === known.id && item.id !== undefined && isMadeByModel(item);
  return isModels || contentOf(item) === contentOf(known);
}

function isMadeByModel({ type, role }: ItemText): boolean {
  return type === 'message' ? role === 'assistant' : !type.endsWith('_output');
}

function contentOf({ text }: ItemText): string {
  const { call_id, name, arguments: json, input, output, content } = JSON.parse(text);
  return JSON.stringify([call_id, name, json, input, output, content]);
}

/**
 * Returns a conversation without the calls that were cut off and have no result, and the reasoning before them: no upstream takes
 * them, and the client cannot take them back.
 */
export function withoutCutCalls(items: string): string {
  if (!items.includes('"incomplete"')) return items;
  const all = splitItems(items);
  const answered = new Set(
    all.map(({ type, callId }) => (type.endsWith('_call_output') ? callId : undefined)),
  );
  const kept: ItemText[] = [];
  for (const item of all) {
    if (item.callId === undefined || answered.has(item.callId) || !isCut(item)) kept.push(item);
    else while (kept.at(-1)?.type === 'reasoning') kept.pop();
  }
  return kept.length === all.length ? items : joinItems(kept);
}

function isCut({ text, type }: ItemText): boolean {
  return type.endsWith('_call') && text.includes('"incomplete"') && JSON.parse(text).status === 'incomplete';
}
