import type { SseEvent } from '@model-gateway/formats/browser';
import type { FormatName } from '../conversation/part.ts';
import type { WireRequest } from '../formats/format.ts';

/** A request and what came back, as the wire had it; kept while the page is open. The credential is not in it. */
export interface Exchange {
  format: FormatName;
  request: WireRequest;
  status?: number;
  headers: [name: string, value: string][];
  events: TimedEvent[];
  /** Events that came after the last one that is kept. */
  left: number;
}

/** An event of a stream; `ms` is the time since the request. */
export interface TimedEvent extends SseEvent {
  ms: number;
}

const mostEvents = 5_000;
const mostExchanges = 20;

/** The exchanges of the last answers, by the answer's id. */
export class Exchanges {
  readonly #all = new Map<number, Exchange>();

  get(id: number): Exchange | undefined {
    return this.#all.get(id);
  }

  begin(id: number, format: FormatName, request: WireRequest): void {
    this.#all.set(id, { format, request, headers: [], events: [], left: 0 });
    const [oldest] = this.#all.keys();
    if (this.#all.size > mostExchanges && oldest !== undefined) this.#all.delete(oldest);
  }

  accept(id: number, status: number, headers: [string, string][]): void {
    this.#change(id, exchange => ({ ...exchange, status, headers }));
  }

  add(id: number, events: TimedEvent[]): void {
    this.#change(id, exchange => {
      const room = mostEvents - exchange.events.length;
      const kept = events.slice(0, Math.max(room, 0));
      return {
        ...exchange,
        events: kept.length > 0 ? [...exchange.events, ...kept] : exchange.events,
        left: exchange.left + events.length - kept.length,
      };
    });
  }

  clear(): void {
    this.#all.clear();
  }

  #change(id: number, change: (exchange: Exchange) => Exchange): void {
    const exchange = this.#all.get(id);
    if (exchange) this.#all.set(id, change(exchange));
  }
}
