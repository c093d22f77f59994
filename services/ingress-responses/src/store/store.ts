import { type Bus, eventsMs, storedStreams } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import {
  EventLog,
  type LogPiece,
  type LogWriter,
  RevisionedStore,
  ShareExceededError,
  type StoredHead,
  type WriterOptions,
} from '@model-gateway/store';
import type { ItemList } from '../items/item-list.ts';
import { FollowerReads, type Reads, unboundedReads } from '../reads/reads.ts';
import type { Conversation } from './conversation-record.ts';
import { reached, unkept, written } from './store-errors.ts';
import { itemsIn, readResponse, type Slice, type StoredTurn, type Turn, turnIn, writeTurn } from './turn.ts';

/** The value of a response that was deleted before it ended. */
const tombstone = new Uint8Array();

/** Attempts to read a value that other writers replace meanwhile. */
const maxReads = 4;
/** Number of items whose response is written at once. */
const writesAtOnce = 8;

interface StoreParts {
  turns: RevisionedStore;
  events: EventLog;
  ttlMs: number;
  clock: Clock;
  changes: InOrder;
}

/** The stored turns, events and conversations of all projects. */
export class Store {
  /** The time of what is stored. */
  readonly clock: Clock;
  readonly #parts: StoreParts;
  readonly #turns: RevisionedStore;
  readonly #events: EventLog;
  readonly #reads: Reads;

  private constructor(parts: StoreParts, reads: Reads) {
    this.clock = parts.clock;
    this.#parts = parts;
    this.#turns = parts.turns;
    this.#events = parts.events;
    this.#reads = reads;
  }

  /** Opens the store. Responses expire after `ttlMs`. */
  static async open(bus: Bus, { ttlMs }: { ttlMs: number }): Promise<Store> {
    const [turns, events] = await Promise.all([
      RevisionedStore.open(bus, storedStreams.responses, { ttlMs }),
      EventLog.open(bus, storedStreams.events, { ttlMs: Math.min(ttlMs, eventsMs) }),
    ]);
    return new Store({ turns, events, ttlMs, clock: bus.clock, changes: new InOrder() }, unboundedReads);
  }

  /** Returns this store with bounded reads. */
  through(reads: Reads): Store {
    return new Store(this.#parts, reads);
  }

  /** Reserves the memory of what is about to be held. @throws GatewayError if there is no room */
  reserve(bytes: number): void {
    this.#reads.reserve(bytes);
  }

  /** Resolves when the next step over so many bytes of what was read may run. */
  turn(bytes: number): Promise<void> {
    return this.#reads.turn(bytes);
  }

  /** The changes of conversations in this process. */
  get changes(): InOrder {
    return this.#parts.changes;
  }

  /** True if more than a part of the time to live of what was stored at `at` has passed. */
  isOld(at: number, part = 0.5): boolean {
    return this.clock.now() - at > this.#parts.ttlMs * part;
  }

  /** The problem of the store that operators are notified of, if there is one. */
  get problem(): string | undefined {
    return (this.#turns.problem ?? this.#events.problem)?.message;
  }

  /**
   * @throws GatewayError of kind `overloaded` if there is no room for a new turn or its events; of kind
   * `rate-limited` if the project has used up its share
   */
  async checkRoom(project: string, { events = false } = {}): Promise<void> {
    const problem = this.#turns.problem ?? (events ? this.#events.problem : undefined);
    if (problem) throw unkept(problem);
    await this.checkShare(project);
    if (events && (await this.#events.isUsedUpBy(ownerOf(project)))) throw unkept(new ShareExceededError());
  }

  /**
   * Checks the room for a change.
   * @throws GatewayError of kind `rate-limited` if the project has used up its share
   */
  async checkShare(project: string): Promise<void> {
    if (await this.#turns.isUsedUpBy(ownerOf(project))) throw unkept(new ShareExceededError());
  }

  async get(project: string, id: string): Promise<StoredTurn | undefined> {
    return isResponse(id) ? this.#turn(keyOf(project, id)) : undefined;
  }

  /** Reads an entry of a conversation. */
  async getEntry(project: string, id: string): Promise<StoredTurn | undefined> {
    return isEntry(id) ? this.#turn(keyOf(project, id)) : undefined;
  }

  async #turn(key: string): Promise<StoredTurn | undefined> {
    const stored = await this.#read(() => this.#turns.get(key, this.#reads));
    return stored && turnIn(stored);
  }

  /** Reads turns that are known to have ended. */
  async getEarlier(project: string, ids: readonly string[]): Promise<(StoredTurn | undefined)[]> {
    const keys = ids.map(id => keyOf(project, id));
    const all = await this.#read(() => this.#turns.getEarlier(keys, this.#reads));
    return all.map(stored => stored && turnIn(stored));
  }

  /** Returns the size of a stored turn, in bytes; undefined if there is none. */
  async sizeOf(project: string, id: string): Promise<number | undefined> {
    if (!isResponse(id)) return undefined;
    const head = await this.#read(() => this.#turns.head(keyOf(project, id), this.#reads));
    return head?.bytes || undefined;
  }

  /** Reads the response object of a turn as JSON. */
  async getResponse(project: string, id: string): Promise<string | undefined> {
    if (!isResponse(id)) return undefined;
    return this.#withHead(keyOf(project, id), readResponse);
  }

  /**
   * Passes the input items of a response, or the items of an entry of a conversation, to `use`. Only those are read that it asks
   * for. Undefined if there are none, or only the response is stored.
   */
  async useItems<T>(
    project: string,
    id: string,
    use: (items: ItemList) => Promise<T>,
  ): Promise<T | undefined> {
    if (!isResponse(id) && !isEntry(id)) return undefined;
    const names = isEntry(id) ? (['base', 'input'] as const) : (['input'] as const);
    return this.#withHead(keyOf(project, id), async (head, slice) => {
      const items = await itemsIn(head, slice, names);
      return items && use(items);
    });
  }

  /** Uses a value by its head; again if the value is replaced meanwhile. */
  async #withHead<T>(
    key: string,
    use: (head: StoredHead, slice: Slice) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    for (let reads = 0; reads < maxReads; reads++) {
      const head = await this.#read(() => this.#turns.head(key, this.#reads));
      if (!head) return undefined;
      let isReplaced = false;
      const slice = async (from: number, to: number) => {
        const bytes = await this.#read(() => this.#turns.slice(key, head, { from, to }, this.#reads));
        isReplaced = bytes === undefined;
        if (!bytes) throw new Error('the value was replaced');
        return bytes;
      };
      try {
        return await use(head, slice);
      } catch (error) {
        if (!isReplaced) throw error;
      }
    }
    return undefined;
  }

  /** Runs one read of the store, within what bounds this store's reads. */
  #read<T>(work: () => Promise<T>): Promise<T> {
    return reached(() => this.#reads.run(work));
  }

  /**
   * Stores a turn. Resolves once it is durable.
   * @throws RevisionConflictError if `after` is not its current revision; GatewayError if it cannot be stored
   */
  async put(project: string, turn: Turn, after?: number): Promise<number> {
    const { value, sections } = await writeTurn(turn);
    return written(() => this.#turns.put(keyOf(project, turn.meta.id), value, after, { sections }));
  }

  /** Reads a conversation with its revision. */
  async getConversation(
    project: string,
    id: string,
  ): Promise<{ conversation: Conversation; revision: number } | undefined> {
    if (!isConversation(id)) return undefined;
    const stored = await this.#read(() => this.#turns.get(keyOf(project, id), this.#reads));
    return stored && { conversation: JSON.parse(stored.value.toString()), revision: stored.revision };
  }

  /** Stores a conversation as {@link put} does. A new one (`after` is 0) is subject to {@link checkRoom}. */
  async putConversation(project: string, conversation: Conversation, after: number): Promise<number> {
    if (after === 0) await this.checkRoom(project);
    const value = Buffer.from(JSON.stringify(conversation));
    return written(() => this.#turns.put(keyOf(project, conversation.id), value, after));
  }

  /** Stores the response that items belong to. */
  async putItems(project: string, ids: readonly string[], response: string): Promise<void> {
    const value = Buffer.from(response);
    const put = (id: string) => this.#turns.put(keyOf(project, `item_${id}`), value);
    const valid = ids.filter(isId);
    for (let i = 0; i < valid.length; i += writesAtOnce)
      await written(() => Promise.all(valid.slice(i, i + writesAtOnce).map(put)));
  }

  /** Returns the response that {@link putItems} stored for an item. */
  async responseOf(project: string, itemId: string): Promise<string | undefined> {
    if (!isId(itemId)) return undefined;
    const stored = await this.#read(() => this.#turns.get(keyOf(project, `item_${itemId}`), this.#reads));
    return stored?.value.toString();
  }

  /** Deletes a response and its events. Returns false if it does not exist. */
  async remove(project: string, id: string): Promise<boolean> {
    if (!isResponse(id)) return false;
    const key = keyOf(project, id);
    const events = await this.#read(() => this.#events.last(key));
    const stored = await this.#read(() => this.#turns.head(key, this.#reads));
    const exists = stored !== undefined && stored.bytes > 0;
    if (exists) await reached(() => this.#turns.remove(key));
    // The process that still runs the response must not store it at its end.
    else if (events) await reached(() => this.#turns.put(key, tombstone));
    await reached(() => this.#events.remove(key));
    return exists || events !== undefined;
  }

  /** Deletes a conversation and its entries. */
  async removeConversation(project: string, { id, created_at, stored }: Conversation): Promise<void> {
    const below = { bytes: stored, at: created_at * 1_000 };
    if (isConversation(id)) await reached(() => this.#turns.remove(keyOf(project, id), below));
  }

  /** Returns a writer for the events of a turn. */
  writer(project: string, id: string, options?: WriterOptions): LogWriter {
    return this.#events.writer(keyOf(project, id), options);
  }

  /** Follows the events of a turn from the first one on. */
  async *follow(
    project: string,
    id: string,
    options: { signal: AbortSignal; idle(last: LogPiece | undefined): Promise<void> },
  ): AsyncGenerator<LogPiece> {
    const reads = new FollowerReads(this.#reads, this.clock, options.signal);
    try {
      yield* this.#events.follow(keyOf(project, id), { ...options, run: reads.run });
    } finally {
      reads.release();
    }
  }

  /** Yields the stored events of a turn in pieces, of which each is reserved. */
  async *events(project: string, id: string): AsyncGenerator<LogPiece> {
    if (!isResponse(id)) return;
    const pieces = this.#events.read(keyOf(project, id), read => this.#read(read));
    for await (const piece of pieces) {
      this.#reads.reserve(piece.bytes.length);
      yield piece;
    }
  }

  /** Reads the first piece of the events. It begins with a whole event. */
  async firstEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isResponse(id)) return undefined;
    return this.#read(() => this.#events.first(keyOf(project, id)));
  }

  async lastEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isResponse(id)) return undefined;
    return this.#read(() => this.#events.last(keyOf(project, id)));
  }

  close(): void {
    this.#turns.close();
    this.#events.close();
  }
}

/** Returns the key of a stored object: the project, encoded for NATS subjects, and the id. */
export function keyOf(project: string, id: string): string {
  return `${ownerOf(project)}.${id}`;
}

/** Returns the subject token by which a project's stored bytes are counted. */
export function ownerOf(project: string): string {
  return Buffer.from(project).toString('base64url');
}

/** True if a text can be part of a key. */
function isId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}

function isResponse(id: string): boolean {
  return id.startsWith('resp_') && isId(id);
}

function isConversation(id: string): boolean {
  return id.startsWith('conv_') && isId(id);
}

/** True for the id of an entry. Entries are keyed below their conversation, and are deleted with it. */
export function isEntry(id: string): boolean {
  const [conversation = '', entry = ''] = id.split('.');
  return isConversation(conversation) && isId(entry);
}

/** Runs the work on each key in order: that of other keys runs meanwhile. */
export class InOrder {
  readonly #last = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const over = Promise.withResolvers<void>();
    this.#last.set(key, over.promise);
    try {
      await before;
      return await work();
    } finally {
      over.resolve();
      if (this.#last.get(key) === over.promise) this.#last.delete(key);
    }
  }
}
