import type { LoggedRequest, LoggedText } from '@model-gateway/canonical';
import { DiscardPolicy, RetentionPolicy, StoreCompression } from '@nats-io/jetstream';
import { nanos } from 'nats';
import { type Bus, jetStream } from './connection.ts';
import { type RecordReader, type RecordStream, readRecords } from './records.ts';
import { loggedConsumer, loggedStream } from './streams.ts';
import { loggedSubject } from './subjects.ts';
import { isTooLarge } from './usage-writer.ts';

/** The most bytes of logged requests that NATS stores until control has them, on each server. */
export const maxLoggedStreamBytes = 256 * 1024 * 1024;
/** Time after which NATS removes a logged request that control has not stored, in milliseconds. */
export const loggedStreamMs = 86_400_000;
/** The most bytes of logged requests that wait in a process while NATS is unavailable; further ones are dropped. */
export const maxWaitingLogBytes = 32 * 1024 * 1024;
/** Logged requests that are sent at once. */
const atOnce = 8;
const retryMs = 500;
/** Bytes that the subject and the headers of a message may take. */
const headBytes = 1_024;
/** Bytes of `max_payload` where the server states none. */
const usualPayload = 1024 * 1024;

/** A message is removed once control has stored it, so that a text is in one place alone. */
const stream: RecordStream = {
  config: {
    name: loggedStream,
    subjects: [loggedSubject],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.New,
    max_age: nanos(loggedStreamMs),
    max_bytes: maxLoggedStreamBytes,
    compression: StoreCompression.S2,
  },
  consumer: loggedConsumer,
};

/** Creates the stream of logged requests if needed, and passes them to `reader`, each until it is stored. */
export function readLoggedRequests(
  bus: Bus,
  reader: RecordReader,
  options: { replicas?: number; signal: AbortSignal },
): Promise<void> {
  return readRecords(bus, stream, reader, options);
}

interface LoggedRequestWriterOptions {
  /** Called with the reason once when logged requests begin to wait, and again only after one was sent. */
  onWaiting?(error: unknown): void;
}

/** Sends logged requests to JetStream in the background. */
export class LoggedRequestWriter {
  readonly #bus: Bus;
  readonly #options: LoggedRequestWriterOptions;
  readonly #waiting: string[] = [];
  #bytes = 0;
  readonly #sending = new Set<Promise<void>>();
  #closed = false;
  #failing = false;
  /** Number of logged requests that were dropped: too many were waiting, or the process ended. */
  dropped = 0;

  constructor(bus: Bus, options: LoggedRequestWriterOptions = {}) {
    this.#bus = bus;
    this.#options = options;
  }

  /** Queues a logged request without blocking the caller; one that is too large for a message is cut. */
  add(logged: LoggedRequest): void {
    const { max_payload = usualPayload } = this.#bus.state.info ?? {};
    const message = writeLogged(logged, max_payload - headBytes);
    const bytes = message && Buffer.byteLength(message);
    if (this.#closed || !message || !bytes || this.#bytes + bytes > maxWaitingLogBytes) {
      this.dropped++;
      return;
    }
    this.#waiting.push(message);
    this.#bytes += bytes;
    if (this.#sending.size < atOnce) this.#start();
  }

  /** Bytes of the logged requests that JetStream has not acknowledged. */
  get waitingBytes(): number {
    return this.#bytes;
  }

  /** Sends the waiting logged requests for at most `timeoutMs`, then drops the rest. */
  async close(timeoutMs = 5_000): Promise<void> {
    const { clock } = this.#bus;
    const timer = clock.setTimeout(() => {
      this.#closed = true;
    }, timeoutMs);
    while (this.#sending.size > 0) await Promise.all(this.#sending);
    clock.clearTimeout(timer);
    this.#closed = true;
    this.dropped += this.#waiting.splice(0).length;
  }

  #start(): void {
    const sending = this.#send().finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  async #send(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!(await this.#publish(next))) this.dropped++;
      this.#bytes -= Buffer.byteLength(next);
      if (this.#closed) return;
    }
  }

  /** Publishes a message until it is acknowledged. Returns false if the server refuses it, or the writer was closed. */
  async #publish(message: string): Promise<boolean> {
    while (!this.#closed) {
      try {
        await jetStream(this.#bus).publish(loggedSubject, message);
        this.#failing = false;
        return true;
      } catch (error) {
        if (isTooLarge(error)) return false;
        if (!this.#failing) this.#options.onWaiting?.(error);
        this.#failing = true;
        await this.#bus.clock.sleep(retryMs);
      }
    }
    return false;
  }
}

/** Writes a logged request as a message of at most `maxBytes`; undefined if it does not fit even without its texts. */
function writeLogged(logged: LoggedRequest, maxBytes: number): string | undefined {
  const { request, response } = logged;
  for (let most = Math.max(request.text.length, response.text.length); ; most = Math.floor(most / 2)) {
    const message = JSON.stringify([
      { ...logged, request: cut(request, most), response: cut(response, most) },
    ]);
    if (Buffer.byteLength(message) <= maxBytes) return message;
    if (most === 0) return undefined;
  }
}

function cut(logged: LoggedText, most: number): LoggedText {
  const { text } = logged;
  return text.length <= most ? logged : { ...logged, text: text.slice(0, most).toWellFormed(), cut: true };
}
