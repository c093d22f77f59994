import { wrong } from '../openai-complaint.ts';
import { Refusal } from '../refusal.ts';
import { decrypted } from './encrypted.ts';
import type { Item, ItemOf } from './item.ts';
import type { CountRequest } from './request.ts';
import type { Store } from './store.ts';

/** All items that the model reads: those before, if a response is continued, and the input, with references resolved. @throws Refusal */
export function readHistory(
  { input, previous_response_id: previous, conversation }: CountRequest,
  store: Store,
): Item[] {
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id;
    throw new Refusal(404, `Conversation with id '${id}' not found.`, null, 'conversation');
  }
  const before = previous ? store.response(previous) : [];
  if (!before)
    throw wrong(
      `Previous response with id '${previous}' not found.`,
      'previous_response_not_found',
      'previous_response_id',
    );
  const items = [...before, ...itemsOf(input).map(item => resolved(item, store))];
  if (items.length > 0) return items;
  throw wrong(
    'One of "input" or "previous_response_id" or "prompt" or "conversation_id" must be provided.',
    'missing_required_parameter',
    'input',
  );
}

function itemsOf(input: CountRequest['input']): Item[] {
  return typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : (input ?? []);
}

function resolved(item: Item, store: Store): Item {
  switch (item.type) {
    case 'item_reference':
      return store.item(item.id) ?? notFound(item.id);
    case 'reasoning':
      checkReasoning(item, store);
      return item;
    case 'compaction':
      throw unverified(item.encrypted_content, 'could not be decrypted or parsed');
    default:
      return item;
  }
}

/** Reasoning comes back as it was made here: encrypted, or by the id of what is stored. */
function checkReasoning({ id, encrypted_content: content }: ItemOf<'reasoning'>, store: Store): void {
  if (content) {
    const made = decrypted(content);
    if (!made) throw unverified(content, 'could not be decrypted or parsed');
    if (id && id !== made.id) throw unverified(content, 'item_id did not match the target item id');
  } else if (!id)
    throw wrong("Missing required parameter: 'input.id'.", 'missing_required_parameter', 'input.id');
  else if (!store.item(id)) notFound(id);
}

function unverified(content: string, reason: string): Refusal {
  const shown = `${content.slice(0, 4)}...${content.slice(-4)}`;
  return wrong(
    `The encrypted content ${shown} could not be verified. Reason: Encrypted content ${reason}.`,
    'invalid_encrypted_content',
    null,
  );
}

function notFound(id: string): never {
  throw new Refusal(
    404,
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    null,
    'input',
  );
}
