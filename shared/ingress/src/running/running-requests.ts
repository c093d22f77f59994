import { type Bus, FleetMember, ItemsById } from '@model-gateway/bus';
import {
  comparePlaces,
  endedByAdmin,
  type GatewayError,
  isNamedBy,
  type RunningCount,
  type RunningQuestion,
  type RunningRequest,
} from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { ChangeFeed } from './change-feed.ts';
import type { RunningEntry } from './running-entry.ts';

/** The longest time for which one message of a control asks for changes, in milliseconds. */
const longestFollowMs = 60_000;

interface Answer {
  items: RunningRequest[];
  last: RunningCount;
}

/** The requests in flight of a process. Control asks for them, follows their changes and ends them over the bus. */
export class RunningRequests {
  readonly clock: Clock;
  /** The time at which the monotonic clock is 0, in milliseconds since 1970. */
  readonly timeOrigin: number;
  readonly #entries = new ItemsById<string, RunningEntry>();
  readonly #member: FleetMember;
  /** Set while a control follows changes. */
  #feed: ChangeFeed | undefined;
  readonly #timer: Timer;
  /** Called with a request that is answered after attempts that failed. */
  recovered: (entry: RunningEntry) => void = () => {};

  constructor(bus: Bus) {
    const { clock } = bus;
    this.clock = clock;
    this.timeOrigin = clock.now() - clock.monotonic();
    this.#timer = clock.setInterval(() => this.#endFeed(), 1_000).unref();
    this.#member = new FleetMember(bus, {
      answer: question => this.#answer(question as RunningQuestion),
      follow: ms => this.#follow(ms),
    });
  }

  add(entry: RunningEntry): void {
    this.#entries.set(entry.requestId, entry);
    this.#feed?.add(entry, true);
  }

  /** Tells followers that an attempt or the answer of a request has begun. */
  changed(entry: RunningEntry): void {
    this.#feed?.add(entry, false);
  }

  /** Forgets a request that has ended; no effect if it was not added. */
  remove(entry: RunningEntry, status: number, error: GatewayError | undefined): void {
    if (!this.#entries.delete(entry.requestId) || !this.#feed) return;
    const { kind, details } = error ?? {};
    entry.end = {
      status,
      ...(kind && { error: kind }),
      ...(details?.endedBy && { endedBy: details.endedBy }),
      usage: entry.work?.usage ?? null,
      ...entry.billedLast,
    };
    this.#feed.add(entry, false);
  }

  close(): void {
    this.clock.clearInterval(this.#timer);
    this.#feed?.close();
    this.#feed = undefined;
    this.#member.close();
  }

  #answer(question: RunningQuestion): Answer {
    switch (question.type) {
      case 'list':
        return this.#list(question);
      case 'find':
        return this.#answerOf(this.#entries.get(question.requestId));
      case 'end':
        return this.#answerOf(this.#ended(question));
      // A question of a later version.
      default:
        return this.#answerOf(undefined);
    }
  }

  #list({ filter, after, limit }: RunningQuestion & { type: 'list' }): Answer {
    const named = this.#entries.values().filter(entry => isNamedBy(entry, filter));
    const left = after ? named.filter(entry => comparePlaces(entry, after) > 0) : named;
    const page = left.sort(comparePlaces).slice(0, limit);
    return { items: page.map(entry => entry.show(this.#member.name)), last: { total: named.length } };
  }

  /** Ends a request, and returns it; undefined if it does not run here. */
  #ended({ requestId, by }: RunningQuestion & { type: 'end' }): RunningEntry | undefined {
    const entry = this.#entries.get(requestId);
    entry?.work?.end(endedByAdmin(by));
    return entry?.work && entry;
  }

  #answerOf(entry: RunningEntry | undefined): Answer {
    const items = entry ? [entry.show(this.#member.name)] : [];
    return { items, last: { total: items.length } };
  }

  #follow(ms: number): void {
    this.#feed ??= new ChangeFeed(this.#member.name, this.clock, (...changes) =>
      this.#member.publish(...changes),
    );
    this.#feed.extend(Math.min(ms, longestFollowMs));
  }

  #endFeed(): void {
    if (!this.#feed?.isOver) return;
    this.#feed.close();
    this.#feed = undefined;
  }
}
