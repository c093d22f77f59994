import {
  type GatewayError,
  type GenerateEvent,
  toErrorEvent,
  toGatewayError,
  type Usage,
} from '@model-gateway/canonical';
import { BodySender, type RequestBody } from './body-sender.ts';
import { answerDamaged, noRoom, overShare, tooLargeHead, workerLost } from './call-failure.ts';
import type { CallHost } from './call-host.ts';
import { type CallRequest, maxLosses, type Tried } from './call-request.ts';
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
import { FrameWriter } from './outbox.ts';
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
import type { SentOpening, Taking } from './workers.ts';

/** The most attempts that are kept of one call, as of a session of many responses: those before are recorded. */
export const maxKeptAttempts = 1_000;

type State = 'opening' | 'queued' | 'accepted' | 'done';

/** One call: from its opening, over workers that are full or lost, to the last event of its answer. */
export class Call {
  readonly #host: CallHost;
  readonly #request: Omit<CallRequest, 'body'>;
  #queueUntil: number;
  #state: State = 'opening';
  #id = 0;
  #acceptBy = 0;
  /** The opening that is not answered yet. */
  #opening: SentOpening | undefined;
  /** Set where the last worker that turned it away had room, but none for its token. */
  #overShare: Exclude<Refused, 'full'> | undefined;
  readonly #taking: Taking;
  #worker: string | undefined;
  #writer: FrameWriter | undefined;
  #reader = new AnswerReader();
  /** Whether any of the answer was given away; from then on no other worker can take over. */
  #shown = false;
  /** StoredValue until no other worker can take over. */
  #body: RequestBody;
  #bodyBegun = false;
  #sender: BodySender | undefined;
  readonly #attempts: AnnouncedAttempt[] = [];
  #losses = 0;
  #consumed = 0;
  /** Set where nobody wants the answer any more. */
  #cancelled = false;

  constructor(host: CallHost, { body, ...request }: CallRequest) {
    this.#host = host;
    this.#request = request;
    this.#body = body;
    this.#taking = {
      token: request.envelope.token.id,
      bytes: body instanceof Uint8Array ? body.length : 0,
    };
    this.#queueUntil = Date.now() + request.queueMs;
  }

  get pool(): string {
    return this.#request.pool;
  }

  get done(): boolean {
    return this.#state === 'done';
  }

  /** The workers that were lost while they served it, or once they may have read its opening. */
  get losses(): number {
    return this.#losses;
  }

  /** The number under which it is known at its worker. */
  get id(): number {
    return this.#id;
  }

  /** The worker that serves it. */
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

  /** A frame of this call came. */
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
    if (share) this.#host.workerKeptFrom(worker, this.#taking, bodies === true);
    else this.#host.workerFull(worker);
    this.#host.forget(this.#id);
    this.tryAgain();
  }

  /** Asks a worker with room, or waits for one. */
  tryAgain(): void {
    const worker = this.#host.takeWorker(this.pool, this.#taking);
    if (worker) this.open(worker);
    else this.#state = 'queued';
  }

  /** The server knows no worker of the pool, or the one that was asked speaks another version. */
  noTaker(): void {
    this.#host.forget(this.#id);
    this.tryAgain();
  }

  /** Looks whether any wait is over; called a few times a second. */
  check(now: number): void {
    if (this.#state === 'accepted' && !this.#host.workerLives(this.#worker as string)) return this.lost();
    if (this.#state === 'opening' && now > this.#acceptBy)
      this.#unanswered(this.#opening as SentOpening, now);
    else if (this.#state === 'queued') this.#wait(now);
  }

  /**
   * Nobody answered the opening. A worker that is busy has dropped it; one that was lost meanwhile may have been lost of it.
   * Which one it is, the next beat tells, or the lack of it.
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

  /** What was under way for this call may be gone: with its worker, or with the connection. */
  lost(): void {
    if (this.#state === 'queued' || this.#state === 'done') return;
    this.#host.attemptsLost(this.#tried());
    if (this.#state === 'accepted') this.#losses++;
    const tooMany = this.#tooManyLosses;
    if (this.#shown || this.#bodyBegun || tooMany) return this.#fail(workerLost(tooMany));
    this.#queueUntil = Date.now() + this.#request.queueMs;
    this.#abandon();
    this.#state = 'queued';
  }

  /** Nobody wants the answer any more: no event follows, and the worker stops its upstream. */
  cancel(): void {
    this.#cancelled = true;
    if (this.#state === 'done') return;
    this.#workerEnded(null);
    this.#abandon();
    this.#state = 'done';
  }

  /** The client took this many more bytes of the answer. */
  consumed(bytes: number): void {
    this.#consumed += bytes;
    if (this.#consumed < answerWindow / 2 || this.#state !== 'accepted') return;
    this.#writer?.write(FrameKind.credit, noBytes, writeCount(this.#consumed));
    this.#consumed = 0;
  }

  #accepted(worker: string): void {
    this.#state = 'accepted';
    this.#worker = worker;
    this.#writer = new FrameWriter(this.#host.outbox(worker), this.#host.maxFrame, this.#id, 1);
    this.#host.workerAccepted(worker, this.pool, this.#taking);
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
    this.#shown ||= events.some(event => this.#shows(event));
    if (this.#reader.readLast) return void this.#readLast(this.#reader.readLast);
    const last = (frame.flags & FrameFlag.last) !== 0;
    if (last) this.#answered(events.at(-1));
    if (events.length === 0) return;
    if (this.#shown && this.#body instanceof Uint8Array) this.#body = noBytes;
    this.#request.onEvents(events, this.#reader.weight);
  }

  /** The worker is done with the call: what it sent last is large, and is read in steps. */
  async #readLast(read: () => Promise<GenerateEvent[]>): Promise<void> {
    const worker = this.#worker;
    this.#shown = true;
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

  /** Parts of a whole answer are added up until its end: with another `start` that begins anew. */
  #shows({ type }: GenerateEvent): boolean {
    if (type === 'error') return false;
    return this.#request.envelope.stream || type === 'verbatim' || type === 'finish';
  }

  #answered(last: GenerateEvent | undefined): void {
    this.#workerEnded(last?.type === 'finish' ? last.usage : null);
    this.#end();
  }

  #workerEnded(usage: Usage | null): void {
    if (this.#worker && this.#attempts.length > 0) this.#host.ended(this.#worker, this.#tried(usage));
  }

  /** The attempts at this worker, the last of them with what it used. */
  #tried(usage: Usage | null = null): Tried {
    const { envelope } = this.#request;
    return { envelope, attempts: this.#attempts.splice(0), shown: this.#shown, usage };
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
