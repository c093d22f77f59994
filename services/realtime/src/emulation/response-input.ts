import { realtimeItemReference } from '@model-gateway/formats';
import { check, invalid } from './check.ts';
import type { Item } from './item.ts';
import type { Items } from './items.ts';
import { readItem } from './new-item.ts';

/**
 * Returns the items of a response's `input`: references to the conversation, or items for this response alone. Their sizes
 * are counted before anything is made of them, each as often as it is named.
 * @throws GatewayError of kind `invalid-request`
 */
export function inputOf(
  input: readonly Record<string, unknown>[],
  items: Items,
  newId: (prefix: string) => string,
): Item[] {
  let size = 0;
  let newSize = 0;
  return input.map((given, i) => {
    const path = `response.input[${i}]`;
    const isReference = given.type === 'item_reference';
    const item = isReference
      ? items.get(check(realtimeItemReference, given, path).id, `${path}.id`)
      : newItem(given, path, newId);
    const bytes = items.sizeOf(item);
    size += bytes;
    items.checkInput(size);
    if (isReference) return item;
    newSize += bytes;
    items.checkRoom(newSize);
    return item;
  });
}

function newItem(given: unknown, path: string, newId: (prefix: string) => string): Item {
  const { item, audio } = readItem(given, path, newId);
  if (audio.size === 0) return item;
  throw invalid(path, 'Audio is not supported here: reference a conversation item by its id.');
}
