import { setTimeout as sleep } from 'node:timers/promises';
import { type Message, weightOf } from '@model-gateway/bus';
import { anotherMayHelp, GatewayError, type TargetRef, toGatewayError } from '@model-gateway/canonical';
import { timeoutsFor } from '@model-gateway/catalog';
import type { WebSocket } from 'ws';
import type { AnswerParts } from '../answer.ts';
import { AttemptRecord } from '../attempt-record.ts';
import { redact } from '../redact.ts';
import type { Place } from '../upstreams.ts';
import { type Dialled, dial, messageOf, relayedClose } from './bridge-dial.ts';
import { Received } from './bridge-received.ts';
import { toUpstream } from './bridge-sent.ts';
import { ResponseRecords } from './bridge-usage.ts';
import type { RealtimeSession } from './session.ts';

/** The longest that an upstream may take to open a session, in milliseconds. */
export const maxDialMs = 20_000;
/** How often it is seen whether the upstream is still there. */
const pingMs = 20_000;
/** More than this, that the upstream has not taken, is a reason to wait. */
const highWater = 256 * 1024;
/** The longest that an upstream may take to say goodbye. */
const goodbyeMs = 1_000;
/** The update that makes a session the prepared one. */
const preparing = 'event_gateway_prepare';

/** Holds a session at the first upstream that opens one, event for event both ways. Resolves when it is over. */
export async function serveBridge(
  session: RealtimeSession,
  targets: readonly TargetRef[],
  parts: AnswerParts,
): Promise<void> {
  let error: GatewayError | undefined;
  for (const target of targets) {
    try {
      const place = parts.upstreams.place(target.provider);
      const dialled = await dialRecorded(session, place, target, parts);
      return await new Bridge(session, place, target, dialled, parts).run();
    } catch (thrown) {
      if (session.started) throw thrown;
      error = toGatewayError(thrown);
      const { requestId, model } = session.envelope;
      const { kind, message, cause, details } = error;
      const line = { requestId, model, target, kind, error: message, err: cause, ...details };
      parts.log.warn(line, 'session not opened');
      if (session.signal.aborted || !anotherMayHelp(error)) break;
    }
  }
  session.fail(error ?? new GatewayError('upstream', 'The model has no upstream.'));
}

/** An upstream that opens no session is an attempt that failed; in one that it opens, each response is an attempt. */
async function dialRecorded(
  session: RealtimeSession,
  place: Place,
  { provider, model }: TargetRef,
  { usage }: AnswerParts,
): Promise<Dialled> {
  const { envelope, signal } = session;
  const record = new AttemptRecord(usage, { envelope, provider, model });
  const waitMs = Math.min(timeoutsFor(session.model, 'realtime').firstToken, maxDialMs);
  try {
    return await dial(place, model, waitMs, signal);
  } catch (thrown) {
    const { kind } = toGatewayError(thrown);
    record.end({ outcome: kind === 'cancelled' ? 'cancelled' : 'failed', error: kind, usage: null });
    throw thrown;
  }
}

class Bridge {
  readonly #session: RealtimeSession;
  readonly #place: Place;
  readonly #socket: WebSocket;
  readonly #heard: Message[];
  readonly #names: { client: string; upstream: string };
  readonly #records: ResponseRecords;
  readonly #received: Received;
  readonly #line: Dialled['line'];
  readonly #closed = Promise.withResolvers<void>();
  #taken: PromiseWithResolvers<void> | undefined;
  #untaken = 0;
  #waits = false;
  #alive = true;
  #read = 0;
  #left = false;

  constructor(
    session: RealtimeSession,
    place: Place,
    target: TargetRef,
    { socket, line, heard }: Dialled,
    { usage }: AnswerParts,
  ) {
    this.#session = session;
    this.#place = place;
    this.#socket = socket;
    this.#line = line;
    this.#heard = heard;
    this.#names = { client: session.envelope.model, upstream: target.model };
    this.#records = new ResponseRecords(session, usage, target);
    this.#received = new Received({
      model: session.envelope.model,
      expiresAt: Math.floor(session.expiresAt / 1_000),
      upstream: place,
      preparing: session.prepared && preparing,
      onResponse: (type, response) => this.#records.read(type, response),
    });
  }

  async run(): Promise<void> {
    const socket = this.#socket;
    const session = this.#session;
    session.start();
    const ping = setInterval(() => this.#ping(), pingMs);
    session.signal.addEventListener('abort', this.#leave, { once: true });
    socket.on('message', (data, isBinary) => this.#receive(messageOf(data, isBinary)));
    socket.on('pong', () => {
      this.#alive = true;
    });
    // What went wrong is told by the close that follows.
    socket.on('error', () => {});
    socket.on('close', (code, reason) => this.#close(code, reason.toString()));
    if (session.signal.aborted) this.#leave();
    this.#prepare();
    for (const message of this.#heard.splice(0)) this.#receive(message);
    if (!this.#waits) socket.resume();
    const sending = this.#send().catch(thrown => session.fail(toGatewayError(thrown)));
    await this.#closed.promise;
    clearInterval(ping);
    session.signal.removeEventListener('abort', this.#leave);
    await Promise.race([sending, sleep(goodbyeMs)]);
  }

  #prepare(): void {
    const { prepared } = this.#session;
    if (!prepared) return;
    const { model: _, ...session } = prepared;
    const update = { type: 'session.update', event_id: preparing, session: { type: 'realtime', ...session } };
    this.#socket.send(JSON.stringify(update));
  }

  /** Sends on what the client sends, as fast as the upstream takes it. */
  async #send(): Promise<void> {
    for await (const message of this.#session.messages()) {
      const sent = toUpstream(message, this.#names);
      if ('refuse' in sent) await this.#session.send(sent.refuse);
      else await this.#put(sent.pass);
      if (this.#socket.readyState !== this.#socket.OPEN) return;
    }
    // The client has closed.
    this.#leave();
  }

  /** Resolves when the upstream has taken enough for another. */
  #put(message: Message): Promise<void> | void {
    const weight = weightOf(message);
    this.#untaken += weight;
    this.#socket.send(message.data, { binary: !message.text }, () => {
      this.#untaken -= weight;
      if (this.#untaken <= highWater) this.#taken?.resolve();
    });
    if (this.#untaken <= highWater) return;
    this.#taken = Promise.withResolvers();
    return this.#taken.promise;
  }

  /** Gives the client what the upstream sends, and has that wait while the client takes too little. */
  #receive(message: Message): void {
    this.#alive = true;
    this.#records.heard(message.data);
    let more = true;
    for (const shown of this.#received.read(message)) more = this.#session.offer(shown);
    if (!more && !this.#waits) void this.#wait();
  }

  async #wait(): Promise<void> {
    this.#waits = true;
    this.#socket.pause();
    await this.#session.drained;
    this.#waits = false;
    this.#alive = true;
    this.#socket.resume();
  }

  /** One that has to wait cannot be heard to live; one that sends a large message answers after it. */
  #ping(): void {
    if (this.#waits) return;
    const { bytesRead } = this.#line;
    if (!this.#alive && bytesRead === this.#read) return this.#socket.terminate();
    this.#read = bytesRead;
    this.#alive = false;
    this.#socket.ping();
  }

  /** Nobody waits any more at the client's side. */
  readonly #leave = () => {
    this.#left = true;
    this.#socket.resume();
    this.#socket.close(1000);
    setTimeout(() => this.#socket.terminate(), goodbyeMs).unref();
  };

  #close(code: number, reason: string): void {
    const session = this.#session;
    const cut = relayedClose(code, redact(reason, this.#place));
    this.#records.close(this.#left ? { outcome: 'cancelled' } : { outcome: 'failed', error: 'upstream' });
    if (cut) session.finish(cut);
    else session.fail(new GatewayError('upstream', 'The upstream broke off the session.'));
    this.#taken?.resolve();
    this.#closed.resolve();
  }
}
