import type { GatewayError } from '@model-gateway/canonical';
import type { RequestBody } from './body-sender.ts';
import { attemptOf, unopened } from './call-attempts.ts';
import {
  busUnavailable,
  noRoom,
  noWorker,
  overShare,
  queueTooLong,
  refusedShare,
  tooLargeHead,
  workerLost,
} from './call-failure.ts';
import { type CallParts, type CallRequest, maxLosses, type OpenedCall } from './call-parts.ts';
import { FrameFlag, FrameKind, noBytes, writeHead } from './frame.ts';
import { type AnnouncedAttempt, acceptMs, type BusyHead, type OpenHead } from './protocol.ts';
import type { OverShare } from './slots.ts';
import type { ProjectLine, WaitingCall } from './waiting-calls.ts';
import type { SentOpening, SlotRequest } from './workers.ts';

/** Finds a worker for a call: asks again after each that is full or does not answer, until the call's time is over. */
export class Opening implements WaitingCall {
  readonly slotRequest: SlotRequest;
  readonly queueUntil: number;
  line: ProjectLine | undefined;
  readonly #parts: CallParts;
  readonly #call: OpenedCall;
  readonly #request: Omit<CallRequest, 'body'>;
  /** Held until a worker has accepted. */
  #body: RequestBody;
  #id = 0;
  /** The opening that awaits an answer; undefined while the call is queued. */
  #sent: SentOpening | undefined;
  /** The first attempt of the last opening; absent for a session. */
  #attempt: AnnouncedAttempt | undefined;
  /** The share that the call would have exceeded at the last worker that refused it; undefined if that was full. */
  overShare: OverShare | undefined;
  #losses = 0;
  /** The credit window of its answer; 0 while it is not open. */
  #window = 0;

  constructor(parts: CallParts, call: OpenedCall, request: Omit<CallRequest, 'body'>, body: RequestBody) {
    this.#parts = parts;
    this.#call = call;
    this.#request = request;
    this.#body = body;
    const bytes = body instanceof Uint8Array ? body.length : 0;
    const { id: token, project } = request.envelope.token;
    this.slotRequest = { token, project, bytes };
    this.queueUntil = request.queueUntil ?? parts.clock.now() + request.queueMs;
  }

  /** The id of the last opening. */
  get id(): number {
    return this.#id;
  }

  /** The attempt that a worker makes first when it has accepted the last opening; undefined for a session. */
  get attempt(): AnnouncedAttempt | undefined {
    return this.#attempt;
  }

  /** Number of workers that were lost after they may have read an opening. */
  get losses(): number {
    return this.#losses;
  }

  /** The credit window of the answer, in bytes. */
  get window(): number {
    return this.#window;
  }

  get pool(): string {
    return this.#request.pool;
  }

  get weight(): number {
    return this.#request.envelope.token.weight ?? 1;
  }

  get isAgain(): boolean {
    return this.#request.again === true;
  }

  get isOpen(): boolean {
    return this.#sent !== undefined;
  }

  /** Opens the call for the first time. Returns an error, as the methods below do, if the call cannot be served. */
  start(): GatewayError | undefined {
    const { waiting } = this.#parts;
    const { lossesLeft = maxLosses } = this.#request;
    // The queue group may still have the worker that the request lost, or has one that is paused.
    const avoidsQueue = lossesLeft < maxLosses || this.#parts.workers.hasSilent(this.pool);
    const waits = avoidsQueue || (waiting.count > 0 && waiting.precede(this));
    return waits ? this.#wait(this.#parts.clock.now()) : this.#open();
  }

  /** Opens the call at another worker after one refused it. */
  busy(head: BusyHead): GatewayError | undefined {
    const { workers, waiting } = this.#parts;
    const refused = refusedShare(head);
    const taken = this.#sent?.taken === true;
    workers.spoke(head.worker, this.#parts.clock.now());
    if (refused) workers.shareExceeded(head.worker, this.slotRequest, refused, taken);
    else workers.full(head.worker);
    if (!this.#isClaim) {
      this.overShare = refused;
      waiting.refused(this, refused);
    }
    return this.#elsewhere();
  }

  /** Opens the call again after NATS could not deliver it, or a worker of another protocol version got it. */
  noResponders(ofOtherVersion: boolean): GatewayError | undefined {
    const { workers, clock } = this.#parts;
    const worker = this.#sent?.id;
    if (worker && !ofOtherVersion) workers.lifeOf(worker)?.missed(clock.now());
    return this.#elsewhere();
  }

  /** Checks whether the opening was answered in time, and the call found a worker in time. */
  check(now: number): GatewayError | undefined {
    // It is asked while the call waits, so that it is known when its time is over.
    const isReachable = this.#parts.isReachable();
    if (this.#sent && now <= this.#sent.openedAt + acceptMs) return undefined;
    if (this.#sent) return this.#unanswered(this.#sent, now, isReachable);
    return now < this.queueUntil ? undefined : this.#late(now, isReachable);
  }

  /**
   * Handles an opening that was not answered in time. A busy worker has dropped it; a worker that was lost meanwhile
   * may have been killed by it. The next heartbeat, or its absence, tells which.
   */
  #unanswered(sent: SentOpening, now: number, isReachable: boolean): GatewayError | undefined {
    const state = this.#parts.workers.stateOf(sent, now);
    if (state === 'silent') return undefined;
    this.#forgetSent();
    if (state === 'lost') this.#workerLost();
    const { lossesLeft = maxLosses } = this.#request;
    if (this.#losses >= lossesLeft) return workerLost(true);
    return now < this.queueUntil ? this.#wait(now) : this.#late(now, isReachable);
  }

  /** Reports the attempt of an opening that was not answered: the lost worker may have made it. */
  #workerLost(): void {
    this.#losses++;
    if (this.#attempt) this.#parts.onLost(unopened(this.#request.envelope, this.#attempt));
  }

  #late(now: number, isReachable: boolean): GatewayError {
    const { pool, queueMs, again, lossesLeft = maxLosses } = this.#request;
    const unserved = !again && this.#losses === 0 && lossesLeft === maxLosses;
    if (!isReachable) return busUnavailable(unserved);
    if (!this.#parts.workers.hasWorker(pool, now)) return noWorker(queueMs, unserved);
    // A call that had no turn waited for what the calls before it waited for.
    const share = this.overShare ?? this.line?.overShare;
    return share ? overShare(queueMs, share) : noRoom(queueMs);
  }

  /** Lets the call wait: an answer to its last opening is not for it any more. */
  requeue(): void {
    this.#forgetSent();
    this.#parts.waiting.add(this);
  }

  /** Ends the opening. */
  end(): void {
    this.#forgetSent();
    if (this.line) this.#parts.waiting.remove(this);
  }

  #forgetSent(): void {
    this.#parts.ids.remove(this.#id);
    this.#sent = undefined;
    if (this.#window > 0) this.#parts.windows.close(this.#window);
    this.#window = 0;
  }

  /** Returns the credit to give back for bytes that the client took, in a window of the size that the call should have now. */
  credit(consumed: number): number {
    const before = this.#window;
    this.#window = this.#parts.windows.resize(before, before - consumed);
    return consumed + this.#window - before;
  }

  /** Records that a worker accepted. Returns what it still needs of the body; undefined if it has all of it. */
  accepted(worker: string): RequestBody | undefined {
    const { workers, waiting } = this.#parts;
    const body = this.#inline ? undefined : this.#body;
    const now = this.#parts.clock.now();
    const isClaim = this.#isClaim;
    workers.accepted(this.pool, worker, this.slotRequest, this.#sent?.taken === true, now);
    this.#sent = undefined;
    this.#body = noBytes;
    if (waiting.count > 0) {
      waiting.accepted(this, isClaim, now);
      waiting.dispatch(this.pool);
    }
    return body;
  }

  /** Records that the call has ended at the worker that accepted it, where another one may have its place. */
  ended(worker: string): void {
    const { workers, waiting } = this.#parts;
    const waits = waiting.count > 0;
    if (waits && waiting.leavesSlot()) return;
    workers.freed(worker, this.slotRequest);
    if (waits) waiting.dispatch(this.pool);
  }

  /** The whole body, if it fits in an opening frame. */
  get #inline(): Uint8Array | undefined {
    const body = this.#body;
    return body instanceof Uint8Array && body.length <= this.#parts.outboxes.maxInline ? body : undefined;
  }

  #elsewhere(): GatewayError | undefined {
    this.#forgetSent();
    return this.#wait(this.#parts.clock.now());
  }

  /** Opens the call at a worker with room, or lets it wait. */
  #wait(now: number): GatewayError | undefined {
    const { waiting } = this.#parts;
    if (this.line) {
      waiting.dispatch(this.pool);
      return undefined;
    }
    const refusal = waiting.wait(this, now);
    return refusal && queueTooLong({ ...refusal, overShare: refusal.overShare ?? this.overShare });
  }

  /** Opens the call at a worker with room for it; false if there is none. */
  open(): boolean {
    const worker = this.#parts.workers.take(this.pool, this.slotRequest, this.#parts.clock.now());
    if (worker) this.#openOrEnd(worker, true);
    return worker !== undefined;
  }

  /** True while an opening by {@link claim} awaits its answer. */
  get #isClaim(): boolean {
    return this.#sent?.id !== undefined && !this.#sent.taken;
  }

  claim(worker: string): void {
    this.#openOrEnd(worker, false);
  }

  /** Opens a call that waits, or ends it if that fails: what it throws must not reach the calls after it. */
  #openOrEnd(worker: string, taken: boolean): void {
    try {
      const failure = this.#open(worker, taken);
      if (failure) this.#call.failed(failure);
    } catch (thrown) {
      this.#call.broke(thrown);
    }
  }

  /**
   * Opens the call at a worker or, if undefined, at any worker of the pool. `taken`: true if a place was taken there for it.
   */
  #open(worker?: string, taken = worker !== undefined): GatewayError | undefined {
    const { ids, outboxes, windows } = this.#parts;
    const { pool, envelope } = this.#request;
    const inline = this.#inline;
    const openedAt = this.#parts.clock.now();
    this.#id = ids.add(this.#call);
    this.#sent = { pool, id: worker, taken, openedAt };
    this.#attempt = attemptOf(envelope);
    this.#window ||= windows.open();
    const size = this.#body instanceof Uint8Array ? this.#body.length : null;
    const head: OpenHead = {
      envelope,
      acceptBy: openedAt + acceptMs,
      window: this.#window,
      bodyToCome: inline ? 0 : size,
      ...(this.#attempt && { attempt: this.#attempt.id }),
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
