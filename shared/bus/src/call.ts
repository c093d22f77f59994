import {
  type GatewayError,
  type GenerateEvent,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import { BodySender, type RequestBody } from './body-sender.ts';
import { answerDamaged, noRoom, overShare, tooLargeHead, workerLost } from './call-failure.ts';
import { type AnnouncedAttempts, type CallRequest, maxLosses } from './call-request.ts';
import {
  type Frame,
  FrameFlag,
  FrameKind,
  noBytes,
  readCount,
  readHead,
  writeCount,
  writeHead,
} from './frame.ts';
import { FrameWriter, type Outbox } from './outbox.ts';
import type { Refused } from './places.ts';
import {
  type AcceptHead,
  type AnnouncedAttempt,
  acceptMs,
  answerWindow,
  type BusyHead,
  bodyWindow,
  type OpenHead,
} from './protocol.ts';
import { AnswerReader } from './reader.ts';
import type { Fate, PlaceRequest, SentOpening } from './workers.ts';

/** The most attempts remembered per call. A long session can have more; its worker has recorded the older ones. */
export const maxKeptAttempts = 1_000;

type State = 'opening' | 'queued' | 'accepted' | 'done';

/** One call, from its opening, which is repeated while workers are full, to the last event of its response. */
export class Call {
  readonly #host: CallHost;
  readonly #request: Omit<CallRequest, 'body'>;
  readonly #queueUntil: number;
  readonly #calledAt = Date.now();
  #acceptedAt: number | undefined;
  #state: State = 'opening';
  #id = 0;
  #acceptBy = 0;
  /** The opening that awaits an answer. */
  #opening: SentOpening | undefined;
  /** Set if the last worker that refused the call had room, but not for its token. */
  #overShare: Exclude<Refused, 'full'> | undefined;
  readonly #placeRequest: PlaceRequest;
  #worker: string | undefined;
  #writer: FrameWriter | undefined;
  #reader = new AnswerReader();
  /** True once any of the response was delivered; from then on no other worker can take over. */
  #delivered = false;
  /** Held until no other worker can take over. */
  #body: RequestBody;
  #bodyBegun = false;
  #sender: BodySender | undefined;
  readonly #attempts: AnnouncedAttempt[] = [];
  #losses = 0;
  #consumed = 0;
  /** True once the caller no longer wants the response. */
  #cancelled = false;

  constructor(host: CallHost, { body, ...request }: CallRequest) {
    this.#host = host;
    this.#request = request;
    this.#body = body;
    this.#placeRequest = {
      token: request.envelope.token.id,
      bytes: body instanceof Uint8Array ? body.length : 0,
    };
    this.#queueUntil = request.queueUntil ?? this.#calledAt + request.queueMs;
  }

  get pool(): string {
    return this.#request.pool;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** Number of workers that were lost while they served the call, or after they may have read its opening. */
  get losses(): number {
    return this.#losses;
  }

  /** Time that the call waited for a worker, in milliseconds. */
  get queuedMs(): number {
    return (this.#acceptedAt ?? Date.now()) - this.#calledAt;
  }

  /** The id of the call's last opening. */
  get id(): number {
    return this.#id;
  }

  /** The worker that serves the call. */
  get worker(): string | undefined {
    return this.#worker;
  }

  open(worker?: string): void {
    const { envelope } = this.#request;
    const body = this.#body instanceof Uint8Array ? this.#body : undefined;
    const inline = body !== undefined && body.length <= this.#host.maxInline;
    this.#state = 'opening';
    this.#reader = new AnswerReader();
    this.#id = this.#host.register(this);
    const openedAt = Date.now();
    this.#opening = { pool: this.pool, id: worker, openedAt };
    this.#acceptBy = openedAt + acceptMs;
    const head: OpenHead = {
      envelope,
      acceptBy: this.#acceptBy,
      window: answerWindow,
      bodyToCome: inline ? 0 : (body?.length ?? null),
    };
    const text = writeHead(head);
    if (text.length > this.#host.maxHead) return this.#fail(tooLargeHead());
    const frame = { kind: FrameKind.open, flags: inline ? FrameFlag.last : 0, call: this.#id, seq: 0 };
    this.#host.publishOpen(this.#id, this.pool, worker, {
      ...frame,
      head: text,
      bytes: inline ? body : noBytes,
    });
  }

  /** Handles a frame of this call. */
  read(frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.busy:
        return this.#busy(readHead(frame));
      case FrameKind.lost:
        return this.lost();
      case FrameKind.accept:
        this.#accepted(readHead<AcceptHead>(frame).worker);
    }
    this.#answer(frame);
  }

  #busy({ worker, share, bodies }: BusyHead): void {
    this.#overShare = share && (bodies ? 'bodies' : 'places');
    if (share) this.#host.workerShareExceeded(worker, this.#placeRequest, bodies === true);
    else this.#host.workerFull(worker);
    this.#host.forget(this.#id);
    this.tryAgain();
  }

  /** Opens the call at a worker with room, or queues it. */
  tryAgain(): void {
    const worker = this.#host.takeWorker(this.pool, this.#placeRequest);
    if (worker) this.open(worker);
    else this.#state = 'queued';
  }

  /** Handles an opening that NATS could not deliver, or that reached a worker of another protocol version. */
  noResponders(): void {
    this.#host.forget(this.#id);
    this.tryAgain();
  }

  /** Checks the call's timeouts; called every 250 ms. */
  check(now: number): void {
    if (this.#state === 'accepted' && !this.#host.workerLives(this.#worker as string)) return this.lost();
    if (this.#state === 'opening' && now > this.#acceptBy)
      this.#unanswered(this.#opening as SentOpening, now);
    else if (this.#state === 'queued') this.#wait(now);
  }

  /**
   * Handles an opening that was not answered in time. A busy worker has dropped it; a worker that was lost meanwhile
   * may have been killed by it. The next heartbeat, or its absence, tells which.
   */
  #unanswered(opening: SentOpening, now: number): void {
    const fate = this.#host.fate(opening);
    if (fate === 'silent') return;
    this.#host.forget(this.#id);
    this.#state = 'queued';
    if (fate === 'lost') this.#losses++;
    if (this.#tooManyLosses) this.#fail(workerLost(true));
    else this.#wait(now);
  }

  #wait(now: number): void {
    if (now < this.#queueUntil) return this.tryAgain();
    const { queueMs } = this.#request;
    this.#fail(this.#overShare ? overShare(queueMs, this.#overShare === 'bodies') : noRoom(queueMs));
  }

  get #tooManyLosses(): boolean {
    const { lossesLeft = maxLosses } = this.#request;
    return this.#losses >= lossesLeft;
  }

  /** Handles the loss of the worker or the connection: frames of this call may be missing. */
  lost(): void {
    if (this.#state === 'queued' || this.#state === 'done') return;
    if (this.#state === 'opening') {
      this.#abandon();
      this.#state = 'queued';
      return;
    }
    this.#host.attemptsLost(this.#announcedAttempts());
    this.#losses++;
    const tooMany = this.#tooManyLosses;
    const { onLost } = this.#request;
    if (this.#delivered || this.#bodyBegun || tooMany || !onLost) return this.#fail(workerLost(tooMany));
    this.cancel();
    onLost();
  }

  /** Cancels the call: no event follows, and the worker stops its upstream request. */
  cancel(): void {
    this.#cancelled = true;
    if (this.#state === 'done') return;
    this.#workerEnded(null);
    this.#abandon();
    this.#state = 'done';
  }

  /** Returns credit for bytes of the response that the client took. */
  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < answerWindow / 2 || this.#state !== 'accepted') return;
    this.#writer?.write(FrameKind.credit, noBytes, writeCount(this.#consumed));
    this.#consumed = 0;
  }

  #accepted(worker: string): void {
    this.#state = 'accepted';
    this.#acceptedAt = Date.now();
    this.#worker = worker;
    this.#writer = new FrameWriter(this.#host.outbox(worker), this.#host.maxFrame, this.#id, 1);
    this.#host.workerAccepted(worker, this.pool, this.#placeRequest);
    const inline = this.#body instanceof Uint8Array && this.#body.length <= this.#host.maxInline;
    if (!inline) void this.#sendBody(this.#writer);
  }

  async #sendBody(writer: FrameWriter): Promise<void> {
    const sender = new BodySender(writer, this.#host.maxFrame, bodyWindow);
    this.#sender = sender;
    this.#bodyBegun = !(this.#body instanceof Uint8Array || typeof this.#body === 'function');
    try {
      await sender.send(this.#body);
    } catch (thrown) {
      if (sender === this.#sender) this.#fail(toGatewayError(thrown));
    }
  }

  #answer(frame: Frame): void {
    let events: GenerateEvent[];
    try {
      events = this.#reader.read(frame);
    } catch (cause) {
      return this.#fail(answerDamaged(cause));
    }
    if (frame.kind === FrameKind.take) this.#sender?.grant(readCount(frame));
    if (frame.kind === FrameKind.attempt) this.#announced(readHead(frame));
    this.#delivered ||= events.some(event => this.#delivers(event));
    if (this.#reader.readLast) return void this.#readLast(this.#reader.readLast);
    const last = (frame.flags & FrameFlag.last) !== 0;
    if (last) this.#answered(events.at(-1));
    if (events.length === 0) return;
    if (this.#delivered && this.#body instanceof Uint8Array) this.#body = noBytes;
    this.#request.onEvents(events, this.#reader.weight);
  }

  /** Reads the worker's last events in steps, since they are large. The call is over for the worker. */
  async #readLast(read: () => Promise<GenerateEvent[]>): Promise<void> {
    const worker = this.#worker;
    this.#delivered = true;
    this.#body = noBytes;
    this.#end();
    const events = await read().catch(cause => [toErrorEvent(answerDamaged(cause))]);
    const last = events.at(-1);
    this.#worker = worker;
    this.#workerEnded(last?.type === 'finish' ? last.usage : null);
    this.#worker = undefined;
    if (!this.#cancelled) this.#request.onEvents(events, this.#reader.weight);
  }

  #announced(attempt: AnnouncedAttempt): void {
    this.#attempts.push(attempt);
    if (this.#attempts.length > maxKeptAttempts) this.#attempts.shift();
  }

  /** True if the event reaches the client at once. Parts of a non-streamed response do not; a new `start` resets them. */
  #delivers({ type }: GenerateEvent): boolean {
    if (type === 'error') return false;
    return this.#request.envelope.stream || type === 'verbatim' || type === 'finish';
  }

  #answered(last: GenerateEvent | undefined): void {
    this.#workerEnded(last?.type === 'finish' ? last.usage : null);
    this.#end();
  }

  #workerEnded(usage: Usage | null): void {
    if (this.#worker && this.#attempts.length > 0)
      this.#host.ended(this.#worker, this.#announcedAttempts(usage));
  }

  /** Returns and clears the attempts at this worker; `usage` belongs to the last one. */
  #announcedAttempts(usage: Usage | null = null): AnnouncedAttempts {
    const { envelope } = this.#request;
    return { envelope, attempts: this.#attempts.splice(0), delivered: this.#delivered, usage };
  }

  #fail(error: GatewayError): void {
    this.cancel();
    this.#request.onEvents([toErrorEvent(error)], 0);
  }

  #abandon(): void {
    this.#writer?.write(FrameKind.cancel);
    this.#end();
  }

  #end(): void {
    this.#host.forget(this.#id);
    this.#state = 'done';
    this.#worker = undefined;
    this.#writer = undefined;
    this.#sender?.stop();
    this.#sender = undefined;
  }
}

/** The services that a calling process offers to its calls. */
export interface CallHost {
  readonly maxFrame: number;
  /** The largest head of an opening frame, in bytes. */
  readonly maxHead: number;
  /** The largest body that fits in an opening frame, in bytes. */
  readonly maxInline: number;
  /** Returns the id for a call that is about to be opened. */
  register(call: Call): number;
  forget(id: number): void;
  /** Sends an opening to `worker` or, if undefined, to any worker of the pool. */
  publishOpen(id: number, pool: string, worker: string | undefined, frame: Frame): void;
  outbox(worker: string): Outbox;
  /** Takes a place for a call at a worker that has room for it; undefined if there is none. */
  takeWorker(pool: string, placeRequest: PlaceRequest): string | undefined;
  workerAccepted(worker: string, pool: string, placeRequest: PlaceRequest): void;
  workerFull(worker: string): void;
  /** A worker has room, but not for this token: no place or, with `bodies`, no memory for the body. */
  workerShareExceeded(worker: string, placeRequest: PlaceRequest, bodies: boolean): void;
  /** Returns the state of the workers that an opening may have reached. */
  fate(opening: SentOpening): Fate;
  workerLives(worker: string): boolean;
  /** A worker ended or cancelled a call. It may still be lost before it records the usage. */
  ended(worker: string, attempts: AnnouncedAttempts): void;
  attemptsLost(attempts: AnnouncedAttempts): void;
}
