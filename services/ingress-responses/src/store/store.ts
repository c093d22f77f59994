import {
  type Bus,
  EventLog,
  eventsMs,
  type LogPiece,
  type LogWriter,
  RevisionedStore,
  ShareExceededError,
  type WriterOptions,
} from '@model-gateway/bus';
import type { Conversation } from './conversations.ts';
import { isConversation, isEntry, isId, isResponse, keyOf, ownerOf } from './items.ts';
import { reached, unkept, written } from './lost.ts';
import { readTurn, type Turn, writeTurn } from './turn.ts';

/** Stands for a response that was deleted before it was over. */
const nothing = new Uint8Array();

/** A turn, and its place for who writes it again. */
export interface StoredTurn extends Turn {
  revision: number;
}

/** Every turn that is kept, by its project and id. */
export class Store {
  readonly #keep: RevisionedStore;
  readonly #events: EventLog;
  readonly #ttlMs: number;

  private constructor(keep: RevisionedStore, events: EventLog, ttlMs: number) {
    this.#keep = keep;
    this.#events = events;
    this.#ttlMs = ttlMs;
  }

  /** Keeps responses for `ttlMs`. */
  static async open(bus: Bus, { ttlMs }: { ttlMs: number }): Promise<Store> {
    const [keep, events] = await Promise.all([
      RevisionedStore.open(bus, { ttlMs }),
      EventLog.open(bus, { ttlMs: Math.min(ttlMs, eventsMs) }),
    ]);
    return new Store(keep, events, ttlMs);
  }

  /** Whether a turn will be gone before one that is written now has had half its time. */
  isOld({ meta }: Turn, now: number): boolean {
    return now - meta.at > this.#ttlMs / 2;
  }

  /** What an operator should know. */
  get problem(): string | undefined {
    return (this.#keep.problem ?? this.#events.problem)?.message;
  }

  /**
   * @throws GatewayError of kind `overloaded` if no new turn can be kept now, or not its events; `rate-limited` if the project has
   * used up its share
   */
  async checkRoom(project: string, { events = false } = {}): Promise<void> {
    const problem = this.#keep.problem ?? (events ? this.#events.problem : undefined);
    if (problem) throw unkept(problem);
    await this.checkShare(project);
    if (events && (await this.#events.isUsedUpBy(ownerOf(project)))) throw unkept(new ShareExceededError());
  }

  /** For what adds to something that is kept. @throws GatewayError of kind `rate-limited` if the project has used up its share */
  async checkShare(project: string): Promise<void> {
    if (await this.#keep.isUsedUpBy(ownerOf(project))) throw unkept(new ShareExceededError());
  }

  async get(project: string, id: string): Promise<StoredTurn | undefined> {
    if (!isResponse(id)) return undefined;
    return read(await reached(() => this.#keep.get(keyOf(project, id))));
  }

  /** An entry of a conversation. */
  async getEntry(project: string, id: string): Promise<StoredTurn | undefined> {
    if (!isEntry(id)) return undefined;
    return read(await reached(() => this.#keep.get(keyOf(project, id))));
  }

  /** Turns that were over when they were last heard of. */
  async getEarlier(project: string, ids: readonly string[]): Promise<(StoredTurn | undefined)[]> {
    const keys = ids.map(id => keyOf(project, id));
    return (await reached(() => this.#keep.getEarlier(keys))).map(read);
  }

  /** Resolves once it lasts. @throws RevisionConflictError where `after` is not its place any more; GatewayError if it cannot be kept */
  put(project: string, turn: Turn, after?: number): Promise<number> {
    return written(() => this.#keep.put(keyOf(project, turn.meta.id), writeTurn(turn), after));
  }

  /** A conversation, and its place for who writes it again. */
  async getConversation(
    project: string,
    id: string,
  ): Promise<{ conversation: Conversation; revision: number } | undefined> {
    if (!isConversation(id)) return undefined;
    const kept = await reached(() => this.#keep.get(keyOf(project, id)));
    return kept && { conversation: JSON.parse(kept.value.toString()), revision: kept.revision };
  }

  /** As {@link put}; a new one needs more room than what goes on. */
  async putConversation(project: string, conversation: Conversation, after: number): Promise<number> {
    if (after === 0) await this.checkRoom(project);
    const value = Buffer.from(JSON.stringify(conversation));
    return written(() => this.#keep.put(keyOf(project, conversation.id), value, after));
  }

  /** Remembers of which response items are. */
  async putItems(project: string, ids: readonly string[], response: string): Promise<void> {
    const value = Buffer.from(response);
    const put = (id: string) => this.#keep.put(keyOf(project, `item_${id}`), value);
    await written(() => Promise.all(ids.filter(isId).map(put)));
  }

  /** The response that an item was remembered of. */
  async responseOf(project: string, itemId: string): Promise<string | undefined> {
    if (!isId(itemId)) return undefined;
    const kept = await reached(() => this.#keep.get(keyOf(project, `item_${itemId}`)));
    return kept?.value.toString();
  }

  /** Forgets a response and its events; false if there is none. */
  async remove(project: string, id: string): Promise<boolean> {
    if (!isResponse(id)) return false;
    const key = keyOf(project, id);
    const events = await reached(() => this.#events.last(key));
    const kept = await reached(() => this.#keep.get(key));
    const there = kept !== undefined && kept.value.length > 0;
    if (there) await reached(() => this.#keep.remove(key));
    // Whoever still writes it is to keep it no more.
    else if (events) await reached(() => this.#keep.put(key, nothing));
    await reached(() => this.#events.remove(key));
    return there || events !== undefined;
  }

  /** Forgets a conversation and all that was said in it. */
  async removeConversation(project: string, id: string): Promise<void> {
    if (isConversation(id)) await reached(() => this.#keep.remove(keyOf(project, id)));
  }

  /** Writes the events of a turn. */
  writer(project: string, id: string, options?: WriterOptions): LogWriter {
    return this.#events.writer(keyOf(project, id), options);
  }

  /** The events of a turn, from the first on. */
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

  /** The first piece of the events; it begins with a whole event. */
  async firstEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isResponse(id)) return undefined;
    return reached(() => this.#events.first(keyOf(project, id)));
  }

  async lastEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isResponse(id)) return undefined;
    return reached(() => this.#events.last(keyOf(project, id)));
  }

  close(): void {
    this.#keep.close();
    this.#events.close();
  }
}

function read(kept: Awaited<ReturnType<RevisionedStore['get']>>): StoredTurn | undefined {
  if (!kept || kept.value.length === 0) return undefined;
  return { ...readTurn(kept.value), revision: kept.revision };
}
