import type { GatewayError } from '@model-gateway/canonical';
import type { RequestBody } from './body-sender.ts';
import { noRoom, overShare, tooLargeHead, workerLost } from './call-failure.ts';
import { type CallRequest, maxLosses } from './call-request.ts';
import { type Frame, FrameFlag, FrameKind, noBytes, writeHead } from './frame.ts';
import type { Outboxes } from './outbox.ts';
import type { Refused } from './places.ts';
import { acceptMs, answerWindow, type BusyHead, type OpenHead } from './protocol.ts';
import type { PlaceRequest, SentOpening, Workers } from './workers.ts';

/** Receives the answers to its openings. */
export interface OpenedCall {
  read(frame: Frame): void;
  noResponders(): void;
}

/** Calls by the id of their last opening. */
export class CallIds {
  readonly #calls = new Map<number, OpenedCall>();
  #last = 0;

  /** Returns a new id for a call. */
  take(call: OpenedCall): number {
    do this.#last = (this.#last + 1) >>> 0 || 1;
    while (this.#calls.has(this.#last));
    this.#calls.set(this.#last, call);
    return this.#last;
  }

  get(id: number): OpenedCall | undefined {
    return this.#calls.get(id);
  }

  release(id: number): void {
    this.#calls.delete(id);
  }
}

/** The parts of a process that its calls are opened with. */
export interface OpeningParts {
  ids: CallIds;
  workers: Workers;
  outboxes: Outboxes;
}

/** Finds a worker for a call: asks again after each that is full or does not answer, until the call's time is over. */
export class Opening {
  readonly #parts: OpeningParts;
  readonly #call: OpenedCall;
  readonly #request: Omit<CallRequest, 'body'>;
  readonly #queueUntil: number;
  readonly #placeRequest: PlaceRequest;
  /** Held until a worker has accepted. */
  #body: RequestBody;
  #id = 0;
  /** The opening that awaits an answer; undefined while the call is queued. */
  #sent: SentOpening | undefined;
  /** The reason if the last worker that refused the call had room, but not for its token. */
  #overShare: Exclude<Refused, 'full'> | undefined;
  #losses = 0;

  constructor(parts: OpeningParts, call: OpenedCall, request: Omit<CallRequest, 'body'>, body: RequestBody) {
    this.#parts = parts;
    this.#call = call;
    this.#request = request;
    this.#body = body;
    const bytes = body instanceof Uint8Array ? body.length : 0;
    this.#placeRequest = { token: request.envelope.token.id, bytes };
    this.#queueUntil = request.queueUntil ?? Date.now() + request.queueMs;
  }

  /** The id of the last opening. */
  get id(): number {
    return this.#id;
  }

  /** Number of workers that were lost after they may have read an opening. */
  get losses(): number {
    return this.#losses;
  }

  /** Opens the call for the first time. Returns an error, as the methods below do, if the call cannot be served. */
  start(): GatewayError | undefined {
    const { lossesLeft = maxLosses } = this.#request;
    // The queue group may still have the worker that the request lost.
    return lossesLeft < maxLosses ? this.#again() : this.#open();
  }

  /** Opens the call at another worker after one refused it. */
  busy({ worker, share, bodies }: BusyHead): GatewayError | undefined {
    const { workers } = this.#parts;
    this.#overShare = share && (bodies ? 'bodies' : 'places');
    if (share) workers.shareExceeded(worker, this.#placeRequest, bodies === true);
    else workers.full(worker);
    return this.#elsewhere();
  }

  /** Opens the call again after NATS could not deliver it, or a worker of another protocol version got it. */
  noResponders(): GatewayError | undefined {
    return this.#elsewhere();
  }

  /** Checks whether the opening was answered in time; opens the call again if it waits for a worker. */
  check(now: number): GatewayError | undefined {
    if (this.#sent && now <= this.#sent.openedAt + acceptMs) return undefined;
    return this.#sent ? this.#unanswered(this.#sent, now) : this.#wait(now);
  }

  /**
   * Handles an opening that was not answered in time. A busy worker has dropped it; a worker that was lost meanwhile
   * may have been killed by it. The next heartbeat, or its absence, tells which.
   */
  #unanswered(sent: SentOpening, now: number): GatewayError | undefined {
    const fate = this.#parts.workers.fate(sent, now);
    if (fate === 'silent') return undefined;
    this.abandon();
    if (fate === 'lost') this.#losses++;
    const { lossesLeft = maxLosses } = this.#request;
    return this.#losses >= lossesLeft ? workerLost(true) : this.#wait(now);
  }

  #wait(now: number): GatewayError | undefined {
    if (now < this.#queueUntil) return this.#again();
    const { queueMs } = this.#request;
    return this.#overShare ? overShare(queueMs, this.#overShare === 'bodies') : noRoom(queueMs);
  }

  /** Queues the call: an answer to its last opening is not for it any more. */
  abandon(): void {
    this.#parts.ids.release(this.#id);
    this.#sent = undefined;
  }

  /** Records that a worker accepted. Returns what it still needs of the body; undefined if it has all of it. */
  accepted(worker: string): RequestBody | undefined {
    const { workers } = this.#parts;
    const body = this.#inline ? undefined : this.#body;
    workers.accepted(this.#request.pool, worker, this.#placeRequest, Date.now());
    this.#sent = undefined;
    this.#body = noBytes;
    return body;
  }

  /** The whole body, if it fits in an opening frame. */
  get #inline(): Uint8Array | undefined {
    const body = this.#body;
    return body instanceof Uint8Array && body.length <= this.#parts.outboxes.maxInline ? body : undefined;
  }

  #elsewhere(): GatewayError | undefined {
    this.abandon();
    return this.#again();
  }

  /** Opens the call at a worker with room, or queues it. */
  #again(): GatewayError | undefined {
    const worker = this.#parts.workers.take(this.#request.pool, this.#placeRequest, Date.now());
    return worker ? this.#open(worker) : undefined;
  }

  /** Opens the call at a worker or, if undefined, at any worker of the pool. */
  #open(worker?: string): GatewayError | undefined {
    const { ids, outboxes } = this.#parts;
    const { pool, envelope } = this.#request;
    const inline = this.#inline;
    const openedAt = Date.now();
    this.#id = ids.take(this.#call);
    this.#sent = { pool, id: worker, openedAt };
    const size = this.#body instanceof Uint8Array ? this.#body.length : null;
    const head: OpenHead = {
      envelope,
      acceptBy: openedAt + acceptMs,
      window: answerWindow,
      bodyToCome: inline ? 0 : size,
    };
    const text = writeHead(head);
    if (text.length > outboxes.maxHead) return tooLargeHead();
    const flags = inline ? FrameFlag.last : FrameFlag.none;
    const frame = {
      kind: FrameKind.open,
      flags,
      call: this.#id,
      seq: 0,
      head: text,
      bytes: inline ?? noBytes,
    };
    outboxes.open(frame, pool, worker);
    return undefined;
  }
}
