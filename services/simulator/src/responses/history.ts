import { hash } from 'node:crypto';
import { ApiError } from '../api-error.ts';
import { badRequest } from '../openai-error.ts';
import type { Item, ItemOf } from './item.ts';
import type { CountRequest } from './request.ts';

/** The items of the previous response, then the input with its references resolved. @throws ApiError */
export function readHistory(
  { input, previous_response_id: previous, conversation }: CountRequest,
  store: Store,
): Item[] {
  if (conversation) {
    const id = typeof conversation === 'string' ? conversation : conversation.id;
    throw new ApiError(404, `Conversation with id '${id}' not found.`, null, 'conversation');
  }
  const before = previous ? store.response(previous) : [];
  if (!before)
    throw badRequest(
      `Previous response with id '${previous}' not found.`,
      'previous_response_not_found',
      'previous_response_id',
    );
  const items = [...before, ...itemsOf(input).map(item => resolved(item, store))];
  if (items.length > 0) return items;
  throw badRequest(
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
    throw badRequest("Missing required parameter: 'input.id'.", 'missing_required_parameter', 'input.id');
  else if (!store.item(id)) notFound(id);
}

function unverified(content: string, reason: string): ApiError {
  const shown = `${content.slice(0, 4)}...${content.slice(-4)}`;
  return badRequest(
    `The encrypted content ${shown} could not be verified. Reason: Encrypted content ${reason}.`,
    'invalid_encrypted_content',
    null,
  );
}

function notFound(id: string): never {
  throw new ApiError(
    404,
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    null,
    'input',
  );
}

const maxResponses = 1_000;

/** Remembers the last thousand responses that were not asked to be forgotten. */
export class Store {
  readonly #responses = new Map<string, Item[]>();
  readonly #items = new Map<string, Item>();

  /** Keeps a response with all that led to it; only its own output can be referred to item by item. */
  keep(id: string, input: Item[], output: Item[]): void {
    this.#responses.set(id, [...input, ...output]);
    for (const item of output)
      if ('id' in item && typeof item.id === 'string') this.#items.set(item.id, item);
    if (this.#responses.size <= maxResponses) return;
    for (const oldest of this.#responses.keys().take(1)) this.#forget(oldest);
  }

  /** All items up to the end of a response. */
  response(id: string): Item[] | undefined {
    return this.#responses.get(id);
  }

  item(id: string): Item | undefined {
    return this.#items.get(id);
  }

  #forget(id: string): void {
    for (const item of this.#responses.get(id) ?? [])
      if ('id' in item && typeof item.id === 'string') this.#items.delete(item.id);
    this.#responses.delete(id);
  }
}

const kind = Buffer.from('gAAA', 'base64');
const sealLength = 16;

/** The reasoning, sealed for this item. */
export function encrypted(id: string, reasoning: string): string {
  const content = JSON.stringify([id, reasoning]);
  return Buffer.concat([kind, seal(content), Buffer.from(content)]).toString('base64');
}

/** Null if the content was not encrypted here. */
export function decrypted(content: string): { id: string; reasoning: string } | null {
  const sealed = Buffer.from(content, 'base64')
    .subarray(kind.length + sealLength)
    .toString();
  try {
    const [id, reasoning] = JSON.parse(sealed);
    return encrypted(id, reasoning) === content ? { id, reasoning } : null;
  } catch {
    return null;
  }
}

function seal(content: string): Buffer {
  return hash('sha256', `the simulator reasoned: ${content}`, 'buffer').subarray(0, sealLength);
}
