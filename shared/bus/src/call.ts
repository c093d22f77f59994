import {
  type GatewayError,
  type GenerateEvent,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import { BodySender, type RequestBody } from './body-sender.ts';
import { type AnnouncedAttempts, CallAttempts } from './call-attempts.ts';
import { answerDamaged, cancelHead, workerLost } from './call-failure.ts';
import { type Call, type CallParts, type CallRequest, maxLosses, type OpenedCall } from './call-parts.ts';
import {
  AnswerReader,
  type Frame,
  FrameFlag,
  FrameKind,
  noBytes,
  readCount,
  readHead,
  writeCount,
} from './frame.ts';
import { Opening } from './opening.ts';
import { FrameWriter } from './outbox.ts';
import { type AcceptHead, type AnnouncedAttempt, bodyWindow } from './protocol.ts';
import { poolOf } from './subjects.ts';

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
  /** True if the opening has the whole body. */
  readonly #isInline: boolean;
  readonly #attempts: CallAttempts;
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
    this.#attempts = new CallAttempts(request.envelope, parts.clock);
    this.#isInline = body instanceof Uint8Array && body.length <= parts.outboxes.maxInline;
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
    return this.#attempts.ids;
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
        return this.#failIf(this.#opening.busy(readHead(frame)));
      case FrameKind.lost:
        return this.lost();
      case FrameKind.accept:
        this.#accepted(readHead(frame));
    }
    this.#answer(frame);
  }

  /** Handles an opening that NATS could not deliver, or that reached a worker of another protocol version. */
  noResponders(ofOtherVersion: boolean): void {
    this.#failIf(this.#opening.noResponders(ofOtherVersion));
  }

  /** Returns true if its worker has sent a frame since this was asked last. */
  hasNews(): boolean {
    return this.#reader.hasNews();
  }

  /** Checks the call's timeouts; called every 250 ms. */
  check(now: number): void {
    if (this.#state === 'opening') this.#failIf(this.#opening.check(now));
    else if (this.#worker && this.#parts.workers.isLost(this.#worker, now)) this.lost();
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
    const { lossesLeft = maxLosses, onLost } = this.#request;
    const tooMany = this.losses >= lossesLeft;
    const resend = this.#delivered || this.#bodyBegun || tooMany ? undefined : onLost;
    const attempts = this.#announcedAttempts(resend ? 'resent' : 'lost');
    if (attempts.attempts.length > 0) this.#parts.onLost(attempts);
    if (!resend) return this.#fail(workerLost(tooMany), 'left');
    this.giveUp();
    resend();
  }

  cancel(endedBy?: string): void {
    this.#endedBy = endedBy;
    this.#cancel('left');
  }

  giveUp(): void {
    this.#cancel('given-up');
  }

  #cancel(ended: 'left' | 'given-up'): void {
    this.#cancelled = true;
    if (this.#state === 'over') return;
    if (ended === 'left' && this.#opening.isOpen) {
      // A worker may have made the attempt.
      const attempt = this.#isInline ? this.#opening.attempt : undefined;
      this.#parts.leftOpenings.add(this.id, this.#attempts.unanswered(attempt));
    }
    this.#workerEnded(this.#worker, ended);
    this.#writer?.write(FrameKind.cancel, cancelHead(ended === 'given-up', this.#endedBy));
    this.#end();
  }

  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (2 * this.#consumed < this.#opening.window || this.#state !== 'accepted') return;
    const credit = this.#opening.credit(this.#consumed);
    if (credit > 0) this.#writer?.write(FrameKind.credit, noBytes, writeCount(credit));
    this.#consumed = 0;
  }

  /** @throws GatewayError if a worker of another pool accepted */
  #accepted({ worker, window = bodyWindow }: AcceptHead): void {
    if (poolOf(worker) !== this.pool) throw answerDamaged(new Error('a worker of another pool accepted'));
    const { outboxes, onAccepted } = this.#parts;
    this.#state = 'accepted';
    this.#acceptedAt = this.#parts.clock.now();
    onAccepted(this.#opening.pool, this.queuedMs);
    this.#worker = worker;
    this.#writer = new FrameWriter(outboxes.of(worker), outboxes.maxFrame, this.id, 1);
    const body = this.#opening.accepted(worker);
    const first = this.#opening.attempt;
    // A worker that lacks a part of a whole body has made no attempt.
    if (first && !(body instanceof Uint8Array)) this.#attempts.add(first);
    if (body) void this.#sendBody(this.#writer, body, { window, first });
  }

  async #sendBody(
    writer: FrameWriter,
    body: RequestBody,
    { window, first }: { window: number; first: AnnouncedAttempt | undefined },
  ): Promise<void> {
    const sender = new BodySender(writer, this.#parts.outboxes.maxFrame, window);
    this.#sender = sender;
    this.#bodyBegun = !(body instanceof Uint8Array || typeof body === 'function');
    try {
      await sender.send(body);
      if (first && body instanceof Uint8Array && sender === this.#sender) this.#attempts.add(first);
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
    if (frame.kind === FrameKind.attempt) this.#attempts.add(readHead(frame));
    this.#delivered ||= events.some(event => this.#delivers(event));
    this.#attempts.passed(events);
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

  /** True if the event reaches the client at once. Parts of a non-streamed response do not; a new `start` resets them. */
  #delivers({ type }: GenerateEvent): boolean {
    if (type === 'error') return false;
    return this.#request.envelope.stream || type === 'verbatim' || type === 'audio' || type === 'finish';
  }

  #answered(worker: string | undefined, events: readonly GenerateEvent[]): void {
    const last = events.at(-1);
    if (last?.type === 'finish') this.#workerEnded(worker, 'answered', last.usage);
    else this.#workerEnded(worker, 'failed');
    this.#end();
  }

  /** Remembers the attempts of an ended call, since its worker may still be lost before it records them. */
  #workerEnded(worker: string | undefined, ended: AnnouncedAttempts['ended'], usage?: Usage | null): void {
    if (!worker || this.#attempts.count === 0) return;
    const attempts = this.#announcedAttempts(ended, usage);
    this.#parts.workers.ended(worker, attempts, this.#parts.clock.now());
    if (ended === 'given-up') this.#parts.givenUp.add(this.id, attempts);
    if (ended === 'answered') this.#parts.onAnswered(attempts);
  }

  #announcedAttempts(ended: AnnouncedAttempts['ended'], usage?: Usage | null): AnnouncedAttempts {
    return this.#attempts.take({ ended, delivered: this.#delivered, endedBy: this.#endedBy }, usage);
  }

  #fail(error: GatewayError, ended: 'left' | 'given-up' = this.#delivered ? 'left' : 'given-up'): void {
    this.#cancel(ended);
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
