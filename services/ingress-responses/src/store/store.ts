import { type Bus, eventsMs, storedStreams } from '@model-gateway/bus';
import type { Clock } from '@model-gateway/clock';
import {
  EventLog,
  type LogPiece,
  type LogWriter,
  RevisionedStore,
  ShareExceededError,
  type WriterOptions,
} from '@model-gateway/store';
import { isConversation, isEntry, isId, isResponse, keyOf, ownerOf } from './items.ts';
import { reached, unkept, written } from './store-errors.ts';
import { readTurn, type Turn, writeTurn } from './turn.ts';

/** The value of a response that was deleted before it ended. */
const tombstone = new Uint8Array();

/** A turn with its revision, which the next write of it must name. */
export interface StoredTurn extends Turn {
  revision: number;
}

/** The stored turns, events and conversations of all projects. */
export class Store {
  /** The time of what is stored. */
  readonly clock: Clock;
  readonly #turns: RevisionedStore;
  readonly #events: EventLog;
  readonly #ttlMs: number;

  private constructor(turns: RevisionedStore, events: EventLog, ttlMs: number, clock: Clock) {
    this.clock = clock;
    this.#turns = turns;
    this.#events = events;
    this.#ttlMs = ttlMs;
  }

  /** Opens the store. Responses expire after `ttlMs`. */
  static async open(bus: Bus, { ttlMs }: { ttlMs: number }): Promise<Store> {
    const [turns, events] = await Promise.all([
      RevisionedStore.open(bus, storedStreams.responses, { ttlMs }),
      EventLog.open(bus, storedStreams.events, { ttlMs: Math.min(ttlMs, eventsMs) }),
    ]);
    return new Store(turns, events, ttlMs, bus.clock);
  }

  /** True if less than half of a turn's time to live is left. */
  isOld({ meta }: Turn): boolean {
    return this.clock.now() - meta.at > this.#ttlMs / 2;
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
    if (!isResponse(id)) return undefined;
    return read(await reached(() => this.#turns.get(keyOf(project, id))));
  }

  /** Reads an entry of a conversation. */
  async getEntry(project: string, id: string): Promise<StoredTurn | undefined> {
    if (!isEntry(id)) return undefined;
    return read(await reached(() => this.#turns.get(keyOf(project, id))));
  }

  /** Reads turns that are known to have ended. */
  async getEarlier(project: string, ids: readonly string[]): Promise<(StoredTurn | undefined)[]> {
    const keys = ids.map(id => keyOf(project, id));
    return (await reached(() => this.#turns.getEarlier(keys))).map(read);
  }

  /**
   * Stores a turn. Resolves once it is durable.
   * @throws RevisionConflictError if `after` is not its current revision; GatewayError if it cannot be stored
   */
  put(project: string, turn: Turn, after?: number): Promise<number> {
    return written(() => this.#turns.put(keyOf(project, turn.meta.id), writeTurn(turn), after));
  }

  /** Reads a conversation with its revision. */
  async getConversation(
    project: string,
    id: string,
  ): Promise<{ conversation: Conversation; revision: number } | undefined> {
    if (!isConversation(id)) return undefined;
    const stored = await reached(() => this.#turns.get(keyOf(project, id)));
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
    await written(() => Promise.all(ids.filter(isId).map(put)));
  }

  /** Returns the response that {@link putItems} stored for an item. */
  async responseOf(project: string, itemId: string): Promise<string | undefined> {
    if (!isId(itemId)) return undefined;
    const stored = await reached(() => this.#turns.get(keyOf(project, `item_${itemId}`)));
    return stored?.value.toString();
  }

  /** Deletes a response and its events. Returns false if it does not exist. */
  async remove(project: string, id: string): Promise<boolean> {
    if (!isResponse(id)) return false;
    const key = keyOf(project, id);
    const events = await reached(() => this.#events.last(key));
    const stored = await reached(() => this.#turns.get(key));
    const exists = stored !== undefined && stored.value.length > 0;
    if (exists) await reached(() => this.#turns.remove(key));
    // The process that still runs the response must not store it at its end.
    else if (events) await reached(() => this.#turns.put(key, tombstone));
    await reached(() => this.#events.remove(key));
    return exists || events !== undefined;
  }

  /** Deletes a conversation and its entries. */
  async removeConversation(project: string, id: string): Promise<void> {
    if (isConversation(id)) await reached(() => this.#turns.remove(keyOf(project, id)));
  }

  /** Returns a writer for the events of a turn. */
  writer(project: string, id: string, options?: WriterOptions): LogWriter {
    return this.#events.writer(keyOf(project, id), options);
  }

  /** Follows the events of a turn from the first one on. */
  follow(
    project: string,
    id: string,
    options: { signal: AbortSignal; idle(last: LogPiece | undefined): Promise<void> },
  ): AsyncGenerator<LogPiece> {
    return this.#events.follow(keyOf(project, id), options);
  }

  async events(project: string, id: string): Promise<LogPiece[]> {
    if (!isResponse(id)) return [];
    return reached(() => this.#events.read(keyOf(project, id)));
  }

  /** Reads the first piece of the events. It begins with a whole event. */
  async firstEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isResponse(id)) return undefined;
    return reached(() => this.#events.first(keyOf(project, id)));
  }

  async lastEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isResponse(id)) return undefined;
    return reached(() => this.#events.last(keyOf(project, id)));
  }

  close(): void {
    this.#turns.close();
    this.#events.close();
  }
}

function read(stored: Awaited<ReturnType<RevisionedStore['get']>>): StoredTurn | undefined {
  if (!stored || stored.value.length === 0) return undefined;
  return { ...readTurn(stored.value), revision: stored.revision };
}

/** A conversation. Its key holds the project; its items are in the chain of entries that ends with `last`. */
export interface Conversation {
  id: string;
  created_at: number;
  metadata: Record<string, string>;
  /** The id of the last entry; null if the conversation is empty. */
  last: string | null;
}
