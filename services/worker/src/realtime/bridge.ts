import { randomUUIDv7 } from 'node:crypto';
import { type Message, weightOf } from '@model-gateway/bus';
import { endedByOf, GatewayError, type Route, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { WebSocket } from 'ws';
import type { AnswerReservation } from '../answer-budget.ts';
import type { AnswerDeps } from '../answer-deps.ts';
import { AttemptRecord } from '../attempt-record.ts';
import { type Redacted, redact } from '../redact.ts';
import { beginningOf } from '../upstream-words.ts';
import type { Address } from '../upstreams.ts';
import { type Dialled, dial, messageOf, relayedClose } from './bridge-dial.ts';
import { Received } from './bridge-received.ts';
import { toUpstream } from './bridge-sent.ts';
import { EachSecond, ResponseRecords } from './bridge-usage.ts';
import type { RealtimeSession } from './session.ts';

/** Timeout for an upstream to open a session, in milliseconds. */
export const maxDialMs = 20_000;
/** Interval of pings to the upstream. */
const pingMs = 20_000;
/** Unsent bytes above which reading from the client pauses. */
const highWater = 256 * 1024;
/** The most messages of an upstream that are read in a second. */
export const mostMessages = 2_000;
/** Bytes of an incomplete message that count for no budget. */
const uncounted = 256 * 1024;
/** Time for the closing handshake. */
const goodbyeMs = 1_000;
/** `event_id` of the `session.update` that applies the prepared session. */
const preparing = 'event_gateway_prepare';

/** Opens a session at the upstream of a route, and relays events. Resolves when it is over. @throws GatewayError */
export async function serveBridge(session: RealtimeSession, route: Route, deps: AnswerDeps): Promise<void> {
  const address = await deps.upstreams.address(route);
  const dialled = await dialRecorded(session, address, route, deps);
  await new Bridge(session, route, dialled, deps).run();
}

/** Opens a session; a failure is recorded as an attempt. In an open session each response is an attempt. */
async function dialRecorded(
  session: RealtimeSession,
  address: Address,
  { provider, model, timeouts }: Route,
  { usage, agent, catalog, clock }: AnswerDeps,
): Promise<Dialled> {
  const { envelope, signal } = session;
  const record = new AttemptRecord(usage, { id: randomUUIDv7(), envelope, provider, model }, clock);
  try {
    const waitMs = Math.min(timeouts.firstToken, maxDialMs);
    return await dial(address, model, { waitMs, clock, agent }, signal);
  } catch (thrown) {
    const { kind, message, details } = toGatewayError(thrown);
    const ended = { error: kind, endedBy: endedByOf(signal), usage: null };
    const upstreamMessage = catalog.storesErrors(envelope.token.project) ? beginningOf(message) : undefined;
    const words = { upstreamStatus: details.upstream?.status, upstreamMessage };
    record.end(
      kind === 'cancelled' ? { outcome: kind, ...ended } : { outcome: 'failed', ...ended, ...words },
    );
    throw thrown;
  }
}

class Bridge {
  readonly #session: RealtimeSession;
  readonly #clock: Clock;
  readonly #faults: AnswerDeps['faults'];
  readonly #secrets: Redacted;
  readonly #socket: WebSocket;
  readonly #early: Message[];
  readonly #names: { client: string; upstream: string };
  readonly #records: ResponseRecords;
  readonly #received: Received;
  readonly #line: Dialled['line'];
  readonly #rate: EachSecond;
  readonly #memory: AnswerReservation | undefined;
  readonly #closed = Promise.withResolvers<void>();
  #sent: PromiseWithResolvers<void> | undefined;
  #unsent = 0;
  #paused = false;
  #alive = true;
  #read = 0;
  /** Bytes that arrived since the last whole message. */
  #incomplete = 0;
  #left = false;

  constructor(
    session: RealtimeSession,
    route: Route,
    { socket, line, received, secrets }: Dialled,
    { usage, traces, catalog, clock, faults, answers }: AnswerDeps,
  ) {
    this.#session = session;
    this.#clock = clock;
    this.#faults = faults;
    this.#secrets = secrets;
    this.#socket = socket;
    this.#line = line;
    this.#rate = new EachSecond(mostMessages, clock);
    this.#memory = answers?.open({ provider: route.provider, token: session.envelope.token.id });
    this.#early = received;
    this.#names = { client: session.envelope.model, upstream: route.model };
    const traced = { tracing: traces?.tracing, catalog };
    this.#records = new ResponseRecords(session, usage, route, traced, clock);
    this.#received = new Received({
      model: session.envelope.model,
      expiresAt: Math.floor(session.expiresAt / 1_000),
      upstream: secrets,
      preparing: session.prepared && preparing,
      onResponse: (type, response) => this.#records.read(type, response),
    });
  }

  async run(): Promise<void> {
    const socket = this.#socket;
    const session = this.#session;
    session.start();
    const ping = this.#clock.setInterval(() => this.#ping(), pingMs);
    session.signal.addEventListener('abort', this.#leave, { once: true });
    socket.on('message', (data, isBinary) => this.#guarded(() => this.#receive(messageOf(data, isBinary))));
    this.#line.on('data', ({ length }) => this.#guarded(() => this.#arrive(length)));
    socket.on('pong', () => {
      this.#alive = true;
    });
    // `close` follows every error.
    socket.on('error', () => {});
    socket.on('close', (code, reason) => {
      this.#guarded(() => this.#close(code, reason.toString()));
      this.#closed.resolve();
    });
    if (session.signal.aborted) this.#leave();
    this.#prepare();
    this.#guarded(() => {
      for (const message of this.#early.splice(0)) this.#receive(message);
    });
    if (!this.#paused) socket.resume();
    const sending = this.#send().catch(thrown => session.fail(toGatewayError(thrown)));
    await this.#closed.promise;
    this.#memory?.release();
    this.#clock.clearInterval(ping);
    session.signal.removeEventListener('abort', this.#leave);
    await Promise.race([sending, this.#clock.sleep(goodbyeMs)]);
  }

  #prepare(): void {
    const { prepared } = this.#session;
    if (!prepared) return;
    const { model: _, ...session } = prepared;
    const update = { type: 'session.update', event_id: preparing, session: { type: 'realtime', ...session } };
    const text = JSON.stringify(update);
    this.#records.sent(Buffer.from(text));
    this.#socket.send(text);
  }

  /** Passes on the client's messages at the upstream's pace. */
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

  /** Sends a message; resolves when the next one can be sent. */
  #put(message: Message): Promise<void> | void {
    const weight = weightOf(message);
    this.#unsent += weight;
    this.#records.sent(message.data);
    this.#socket.send(message.data, { binary: !message.text }, () => {
      this.#unsent -= weight;
      if (this.#unsent <= highWater) this.#sent?.resolve();
    });
    if (this.#unsent <= highWater) return;
    this.#sent = Promise.withResolvers();
    return this.#sent.promise;
  }

  /** Passes on an upstream's message, and pauses reading while the client is slow. */
  #receive(message: Message): void {
    this.#alive = true;
    if (this.#incomplete > uncounted) this.#memory?.hold(0);
    this.#incomplete = 0;
    this.#records.received(message.data);
    let more = true;
    for (const each of this.#received.read(message)) more = this.#session.offer(each);
    const restMs = this.#rate.count();
    // What was read already comes despite the pause. Events of a real session are too large for so many.
    if (this.#rate.counted > 2 * mostMessages)
      throw new GatewayError('upstream', 'The upstream sent too many messages in a second.');
    if ((!more || restMs > 0) && !this.#paused) void this.#pause(restMs);
  }

  /** Counts a message that is still incomplete. */
  #arrive(bytes: number): void {
    this.#incomplete += bytes;
    if (this.#incomplete > uncounted) this.#memory?.hold(this.#incomplete);
  }

  async #pause(restMs: number): Promise<void> {
    this.#paused = true;
    this.#socket.pause();
    if (restMs > 0) await this.#clock.sleep(restMs, { ref: false });
    await this.#session.drained;
    this.#paused = false;
    this.#alive = true;
    this.#socket.resume();
  }

  /** Closes a dead connection. A paused one cannot answer; bytes of a large message show that it is alive. */
  #ping(): void {
    if (this.#paused) return;
    const { bytesRead } = this.#line;
    if (!this.#alive && bytesRead === this.#read) return this.#socket.terminate();
    this.#read = bytesRead;
    this.#alive = false;
    this.#socket.ping();
  }

  /** Closes the upstream when the client is gone. */
  readonly #leave = () => {
    this.#left = true;
    this.#socket.resume();
    this.#socket.close(1000);
    this.#clock.setTimeout(() => this.#socket.terminate(), goodbyeMs).unref();
  };

  #close(code: number, reason: string): void {
    const session = this.#session;
    const close = relayedClose(code, redact(reason, this.#secrets));
    this.#records.close(
      this.#left
        ? { outcome: 'cancelled', endedBy: endedByOf(session.signal) }
        : { outcome: 'failed', error: 'upstream' },
    );
    if (close) session.finish(close);
    else session.fail(new GatewayError('upstream', 'The upstream closed the connection mid-session.'));
    this.#sent?.resolve();
  }

  /** Runs a step of the session; what it throws ends this session alone. */
  #guarded(step: () => void): void {
    try {
      step();
    } catch (thrown) {
      this.#faults?.report('session', thrown);
      this.#session.fail(toGatewayError(thrown));
      this.#socket.terminate();
    }
  }
}
