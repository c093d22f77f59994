import {
  type GatewayError,
  type GenerateEvent,
  recordedEnvelope,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import { BodySender, type RequestBody } from './body-sender.ts';
import { answerDamaged, workerLost } from './call-failure.ts';
import { type AnnouncedAttempts, type Call, type CallRequest, maxLosses } from './call-request.ts';
import {
  AnswerReader,
  type Frame,
  FrameFlag,
  FrameKind,
  noBytes,
  readCount,
  readHead,
  writeCount,
  writeHead,
} from './frame.ts';
import { type CallParts, type OpenedCall, Opening } from './opening.ts';
import { FrameWriter } from './outbox.ts';
import {
  type AcceptHead,
  type AnnouncedAttempt,
  answerWindow,
  bodyWindow,
  type CancelHead,
} from './protocol.ts';
import { appended } from './slab.ts';
import { poolOf } from './subjects.ts';

/** The most attempts remembered per call. A long session can have more; its worker has recorded the older ones. */
export const maxKeptAttempts = 1_000;

/** One call: opened until a worker accepts, then answered by that worker, then over. */
export class ActiveCall implements Call, OpenedCall {
  /** The call's place among those of its caller. */
  place = -1;
  readonly #parts: CallParts;
  readonly #request: Omit<CallRequest, 'body'>;
  readonly #opening: Opening;
  readonly #onEnd: (call: ActiveCall) => void;
  readonly #calledAt: number;
  #acceptedAt: number | undefined;
  #state: 'opening' | 'accepted' | 'over' = 'opening';
  #worker: string | undefined;
  #writer: FrameWriter | undefined;
  readonly #reader = new AnswerReader();
  /** True once any of the response was delivered; from then on no other worker can take over. */
  #delivered = false;
  /** True once a part of a body that cannot be read again was sent. */
  #bodyBegun = false;
  #sender: BodySender | undefined;
  #attempts: AnnouncedAttempt[] = [];
  /** The attempts of the call once it has ended. */
  #ended: readonly AnnouncedAttempt[] = [];
  #lost = false;
  #consumed = 0;
  /** True once the caller no longer wants the response. */
  #cancelled = false;
  #endedBy: string | undefined;

  constructor(parts: CallParts, { body, ...request }: CallRequest, onEnd: (call: ActiveCall) => void) {
    this.#parts = parts;
    this.#onEnd = onEnd;
    this.#calledAt = parts.clock.now();
    this.#request = request;
    this.#opening = new Opening(parts, this, request, body);
  }

  get done(): boolean {
    return this.#state === 'over';
  }

  get accepted(): boolean {
    return this.#acceptedAt !== undefined;
  }

  get losses(): number {
    return this.#opening.losses + Number(this.#lost);
  }

  get queuedMs(): number {
    return (this.#acceptedAt ?? this.#parts.clock.now()) - this.#calledAt;
  }

  get attempts(): readonly string[] {
    return [...this.#ended, ...this.#attempts].map(({ id }) => id);
  }

  /** The id of the call's last opening. */
  get id(): number {
    return this.#opening.id;
  }

  get worker(): string | undefined {
    return this.#worker;
  }

  get pool(): string {
    return this.#request.pool;
  }

  /** Opens the call. */
  start(): void {
    this.#failIf(this.#opening.start());
  }

  /** Handles a frame of this call. */
  read(frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.busy:
        return this.#failIf(this.#opening.busy(this.#headOf(frame)));
      case FrameKind.lost:
        return this.lost();
      case FrameKind.accept:
        this.#accepted(this.#headOf(frame));
    }
    this.#answer(frame);
  }

  /** Returns the head of a worker's first frame. @throws GatewayError if it names a worker of another pool */
  #headOf(frame: Frame): AcceptHead {
    const head = readHead<AcceptHead>(frame);
    if (poolOf(head.worker) !== this.pool)
      throw answerDamaged(new Error('a worker answered in the name of another pool'));
    return head;
  }

  /** Handles an opening that NATS could not deliver, or that reached a worker of another protocol version. */
  noResponders(): void {
    this.#failIf(this.#opening.noResponders());
  }

  /** Checks the call's timeouts; called every 250 ms. */
  check(now: number): void {
    if (this.#state === 'opening') this.#failIf(this.#opening.check(now));
    else if (this.#worker && !this.#parts.workers.lives(this.#worker, now)) this.lost();
  }

  failed(error: GatewayError): void {
    this.#fail(error);
  }

  /** Ends the call with the error of what one of its steps threw. */
  broke(thrown: unknown): void {
    const { faults } = this.#parts;
    faults.report('call', thrown);
    faults.run('call', () => this.#fail(toGatewayError(thrown)));
  }

  #failIf(failure: GatewayError | undefined): void {
    if (failure) this.#fail(failure);
  }

  /** Handles the loss of the worker or the connection: frames of this call may be missing. */
  lost(): void {
    if (this.#state === 'over') return;
    if (this.#state === 'opening') return this.#opening.requeue();
    this.#lost = true;
    const attempts = this.#announcedAttempts();
    if (attempts.attempts.length > 0) this.#parts.onLost(attempts);
    const { lossesLeft = maxLosses, onLost } = this.#request;
    const tooMany = this.losses >= lossesLeft;
    if (this.#delivered || this.#bodyBegun || tooMany || !onLost) return this.#fail(workerLost(tooMany));
    this.cancel();
    onLost();
  }

  cancel(endedBy?: string): void {
    this.#cancelled = true;
    if (this.#state === 'over') return;
    this.#endedBy = endedBy;
    this.#workerEnded(this.#worker, null);
    this.#writer?.write(FrameKind.cancel, endedBy ? writeHead({ endedBy } satisfies CancelHead) : noBytes);
    this.#end();
  }

  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < answerWindow / 2 || this.#state !== 'accepted') return;
    this.#writer?.write(FrameKind.credit, noBytes, writeCount(this.#consumed));
    this.#consumed = 0;
  }

  #accepted({ worker, attempt }: AcceptHead): void {
    const { outboxes, onAccepted } = this.#parts;
    this.#state = 'accepted';
    this.#acceptedAt = this.#parts.clock.now();
    onAccepted(this.#opening.pool, this.queuedMs);
    this.#worker = worker;
    this.#writer = new FrameWriter(outboxes.of(worker), outboxes.maxFrame, this.id, 1);
    const body = this.#opening.accepted(worker);
    if (attempt && this.#opening.attempt) this.#announced(this.#opening.attempt);
    if (body) void this.#sendBody(this.#writer, body);
  }

  async #sendBody(writer: FrameWriter, body: RequestBody): Promise<void> {
    const sender = new BodySender(writer, this.#parts.outboxes.maxFrame, bodyWindow);
    this.#sender = sender;
    this.#bodyBegun = !(body instanceof Uint8Array || typeof body === 'function');
    try {
      await sender.send(body);
    } catch (thrown) {
      if (sender === this.#sender) this.broke(thrown);
    }
  }

  #answer(frame: Frame): void {
    let events: GenerateEvent[];
    try {
      events = this.#reader.read(frame);
    } catch (cause) {
      return this.#fail(answerDamaged(cause));
    }
    if (frame.kind === FrameKind.events && frame.flags & FrameFlag.more)
      this.#request.onHeld?.(frame.head.length);
    if (frame.kind === FrameKind.take) this.#sender?.grant(readCount(frame));
    if (frame.kind === FrameKind.attempt) this.#announced(readHead(frame));
    this.#delivered ||= events.some(event => this.#delivers(event));
    if (this.#reader.readLast) return void this.#readLast(this.#reader.readLast);
    if (frame.flags & FrameFlag.last) this.#answered(this.#worker, events);
    if (events.length > 0) this.#request.onEvents(events, this.#reader.weight);
  }

  /** Reads the worker's last events in steps, since they are large. The call is over for the worker. */
  async #readLast(read: () => Promise<GenerateEvent[]>): Promise<void> {
    const worker = this.#worker;
    this.#delivered = true;
    this.#end();
    const events = await read().catch(cause => [toErrorEvent(answerDamaged(cause))]);
    this.#answered(worker, events);
    if (this.#cancelled) return;
    try {
      this.#request.onEvents(events, this.#reader.weight);
    } catch (thrown) {
      this.broke(thrown);
    }
  }

  #announced(attempt: AnnouncedAttempt): void {
    this.#attempts = appended(this.#attempts, attempt, maxKeptAttempts);
  }

  /** True if the event reaches the client at once. Parts of a non-streamed response do not; a new `start` resets them. */
  #delivers({ type }: GenerateEvent): boolean {
    if (type === 'error') return false;
    return this.#request.envelope.stream || type === 'verbatim' || type === 'audio' || type === 'finish';
  }

  #answered(worker: string | undefined, events: readonly GenerateEvent[]): void {
    const last = events.at(-1);
    this.#workerEnded(worker, last?.type === 'finish' ? last.usage : null);
    this.#end();
  }

  /** Remembers the attempts of an ended call, since its worker may still be lost before it records them. */
  #workerEnded(worker: string | undefined, usage: Usage | null): void {
    if (worker && this.#attempts.length > 0)
      this.#parts.workers.ended(worker, this.#announcedAttempts(usage), this.#parts.clock.now());
  }

  /** Returns and clears the attempts at this worker; `usage` belongs to the last one. */
  #announcedAttempts(usage: Usage | null = null): AnnouncedAttempts {
    const envelope = recordedEnvelope(this.#request.envelope);
    const attempts = this.#attempts;
    this.#attempts = [];
    this.#ended = attempts;
    return { envelope, attempts, delivered: this.#delivered, usage, endedBy: this.#endedBy };
  }

  #fail(error: GatewayError): void {
    this.cancel();
    this.#request.onEvents([toErrorEvent(error)], 0);
  }

  #end(): void {
    const worker = this.#worker;
    this.#opening.end();
    this.#state = 'over';
    this.#worker = undefined;
    this.#writer = undefined;
    this.#sender?.stop();
    this.#sender = undefined;
    this.#onEnd(this);
    if (worker) this.#opening.ended(worker);
  }
}
