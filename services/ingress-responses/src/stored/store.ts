import {
  type Bus,
  EventLog,
  Keep,
  type KeepOptions,
  type LogPiece,
  type LogWriter,
  type WriterOptions,
} from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import type { Conversation } from './conversations.ts';
import { readTurn, type Turn, writeTurn } from './turn.ts';

/** The events of a response are kept for a shorter time: they are many times as long as the response. */
const eventsMs = 3_600_000;

/** A turn, and its place for who writes it again. */
export interface StoredTurn extends Turn {
  revision: number;
}

/** Every turn that is kept, by its project and id. */
export class Store {
  readonly #keep: Keep;
  readonly #events: EventLog;
  readonly #ttlMs: number;

  private constructor(keep: Keep, events: EventLog, ttlMs: number) {
    this.#keep = keep;
    this.#events = events;
    this.#ttlMs = ttlMs;
  }

  static async open(bus: Bus, options: KeepOptions): Promise<Store> {
    const { ttlMs } = options;
    const [keep, events] = await Promise.all([
      Keep.open(bus, options),
      EventLog.open(bus, { ...options, ttlMs: Math.min(ttlMs, eventsMs) }),
    ]);
    return new Store(keep, events, ttlMs);
  }

  /** Whether a turn will be gone before one that is written now has had half its time. */
  isOld({ meta }: Turn, now: number): boolean {
    return now - meta.at > this.#ttlMs / 2;
  }

  get problem(): string | undefined {
    return this.#keep.problem;
  }

  async get(project: string, id: string): Promise<StoredTurn | undefined> {
    if (!isId(id) || id.startsWith('conv_') || id.startsWith('item_')) return undefined;
    return read(await reached(() => this.#keep.get(keyOf(project, id))));
  }

  /** Turns that were over when they were last heard of. */
  async getEarlier(project: string, ids: readonly string[]): Promise<(StoredTurn | undefined)[]> {
    const keys = ids.map(id => keyOf(project, id));
    return (await reached(() => this.#keep.getEarlier(keys))).map(read);
  }

  /** Resolves once it lasts. @throws Overtaken where `after` is not its place any more */
  put(project: string, turn: Turn, after?: number): Promise<number> {
    return this.#keep.put(keyOf(project, turn.meta.id), writeTurn(turn), after);
  }

  /** A conversation, and its place for who writes it again. */
  async getConversation(
    project: string,
    id: string,
  ): Promise<{ conversation: Conversation; revision: number } | undefined> {
    if (!id.startsWith('conv_') || !isId(id)) return undefined;
    const kept = await reached(() => this.#keep.get(keyOf(project, id)));
    return kept && { conversation: JSON.parse(kept.value.toString()), revision: kept.revision };
  }

  /** @throws Overtaken where `after` is not its place any more */
  putConversation(project: string, conversation: Conversation, after: number): Promise<number> {
    const value = Buffer.from(JSON.stringify(conversation));
    return this.#keep.put(keyOf(project, conversation.id), value, after);
  }

  /** Remembers of which response items are. */
  async putItems(project: string, ids: readonly string[], response: string): Promise<void> {
    const value = Buffer.from(response);
    await Promise.all(ids.filter(isId).map(id => this.#keep.put(keyOf(project, `item_${id}`), value)));
  }

  /** The response that an item was remembered of. */
  async responseOf(project: string, itemId: string): Promise<string | undefined> {
    if (!isId(itemId)) return undefined;
    const kept = await reached(() => this.#keep.get(keyOf(project, `item_${itemId}`)));
    return kept?.value.toString();
  }

  /** False if there is none. */
  async remove(project: string, id: string): Promise<boolean> {
    if (!isId(id)) return false;
    const key = keyOf(project, id);
    const events = await reached(() => this.#events.last(key));
    const there = await reached(() => this.#keep.remove(key));
    await reached(() => this.#events.remove(key));
    return there || events !== undefined;
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
    if (!isId(id)) return [];
    return reached(() => this.#events.read(keyOf(project, id)));
  }

  async lastEvents(project: string, id: string): Promise<LogPiece | undefined> {
    if (!isId(id)) return undefined;
    return reached(() => this.#events.last(keyOf(project, id)));
  }

  close(): void {
    this.#keep.close();
  }
}

/** A project's name as a subject can hold it, and the id. */
export function keyOf(project: string, id: string): string {
  return `${Buffer.from(project).toString('base64url')}.${id}`;
}

/** Whether a text can be an id of ours. */
function isId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(id);
}

function read(kept: Awaited<ReturnType<Keep['get']>>): StoredTurn | undefined {
  return kept && { ...readTurn(kept.value), revision: kept.revision };
}

/** @throws GatewayError of kind `overloaded` if what is kept cannot be asked for now */
async function reached<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    throw away(cause);
  }
}

export function away(cause?: unknown): GatewayError {
  const message = 'Stored responses cannot be reached at the moment.';
  return new GatewayError('overloaded', message, { retryAfterMs: 2_000 }, { cause });
}
