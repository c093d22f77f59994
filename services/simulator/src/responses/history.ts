import { ApiError } from '../common/api-error.ts';
import { badRequest, missing } from '../common/openai-error.ts';
import { sealed, unsealed } from '../responder/seal.ts';
import type { Item, ItemOf } from './item.ts';
import type { CountRequest } from './request.ts';

/** The items of the previous response, then the input with its references resolved. @throws ApiError */
export function readHistory({ input, previous_response_id: previous }: CountRequest, store: Store): Item[] {
  const before = previous ? store.response(previous) : [];
  if (!before)
    throw badRequest(
      `Previous response with id '${previous}' not found.`,
      'previous_response_not_found',
      'previous_response_id',
    );
  const items = [...before, ...itemsOf(input).map(item => resolved(item, store))];
  if (items.length > 0) return items;
  throw badRequest("'input' or 'previous_response_id' is required.", 'missing_required_parameter', 'input');
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

/** Reasoning must be unchanged: encrypted by the simulator, or stored under its id. */
function checkReasoning({ id, encrypted_content: content }: ItemOf<'reasoning'>, store: Store): void {
  if (content) {
    const made = decrypted(content);
    if (!made) throw unverified(content, 'could not be decrypted or parsed');
    if (id && id !== made.id) throw unverified(content, 'item_id did not match the target item id');
  } else if (!id) throw missing('input.id');
  else if (!store.item(id)) notFound(id);
}

function unverified(content: string, reason: string): ApiError {
  const message = `The encrypted content ${content.slice(0, 4)}... could not be verified: it ${reason}.`;
  return badRequest(message, 'invalid_encrypted_content');
}

function notFound(id: string): never {
  const message = `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`;
  throw new ApiError(404, message, null, 'input');
}

const maxResponses = 1_000;

/** Stores the last 1000 responses. */
export class Store {
  readonly #responses = new Map<string, { input: Item[]; output: () => Item[] }>();

  /** Stores a response with its input; `output` is read when it is needed. */
  keep(id: string, input: Item[], output: () => Item[]): void {
    this.#responses.set(id, { input, output });
    if (this.#responses.size > maxResponses)
      for (const oldest of this.#responses.keys().take(1)) this.#responses.delete(oldest);
  }

  /** All items up to the end of a response. */
  response(id: string): Item[] | undefined {
    const kept = this.#responses.get(id);
    return kept && [...kept.input, ...kept.output()];
  }

  /** An item of an output. Its id has that of its response. */
  item(id: string): Item | undefined {
    const output = this.#responses.get(`resp_${id.split('_')[1]}`)?.output() ?? [];
    return output.find(item => 'id' in item && item.id === id);
  }
}

const prefix = 'gAAA';

/** The reasoning, sealed for one item. */
export function encrypted(id: string, reasoning: string): string {
  return sealed(prefix, JSON.stringify([id, reasoning]));
}

/** The reasoning; null if the simulator did not encrypt it. */
export function decrypted(content: string): { id: string; reasoning: string } | null {
  const text = unsealed(prefix, content);
  if (text === null) return null;
  const [id, reasoning] = JSON.parse(text);
  return { id, reasoning };
}
