import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import { renderChatError } from '@model-gateway/formats/client';
import { invalid, responsesFormat } from '@model-gateway/formats/responses';
import {
  type Connection,
  type Endpoint,
  type Ingress,
  identifySecret,
  messageOverhead,
  type Reservation,
  type SocketEndpoint,
  secretsOf,
} from '@model-gateway/ingress';
import { type Edit, spliceTopLevel } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import { responses } from '../endpoints/create.ts';
import type { ResponseServices } from '../store/response-services.ts';
import { LocalStore, reservingLocal } from './local-store.ts';
import { parseMessage, type SocketMessage } from './parse-message.ts';
import { renderWarmUp } from './render-warm-up.ts';
import { SocketSink } from './socket-sink.ts';

/** Limits of a connection: its longest time, in milliseconds, and the most messages that are read in a second. */
interface ConnectionLimits {
  connectionMs: number;
  messagesPerSecond: number;
}

/** `/v1/responses` over a WebSocket. */
export function webSocket(
  services: ResponseServices,
  ingress: Ingress,
  { connectionMs, messagesPerSecond }: ConnectionLimits,
): SocketEndpoint {
  const { bodyBytes: messageBytes } = services;
  const endpointOf = (local: Parameters<typeof responses>[1]) => responses(services, local);
  const options = { ingress, endpointOf, connectionMs, waitingBytes: messageBytes };
  return {
    path: '/v1/responses',
    messageBytes,
    messagesPerSecond,
    renderError: responsesFormat.renderError,
    async admit(request, _requestId, count) {
      const { parts } = ingress;
      const use = { endpoint: responsesFormat.format, client: parts.clientAddress(request) };
      const identified = identifySecret(parts, secretsOf(request), use);
      count(identified.token);
      return { ...identified, serve };
    },
  };

  function serve(connection: Connection) {
    new Conversation({ connection, ...options });
    return (error: GatewayError) => {
      const { status, body } = renderChatError(error);
      connection.send(JSON.stringify({ type: 'error', status, ...(body as object) }));
      const { code, reason } = closeFor(error);
      connection.close(code, reason);
    };
  }
}

/**
 * Returns the close code after an error. Clients reconnect later after 1013: too many connections were open.
 */
function closeFor({ kind, details }: GatewayError): { code: number; reason: string } {
  if (kind === 'rate-limited' || kind === 'overloaded') return { code: 1013, reason: kind };
  return { code: 1008, reason: kind === 'timeout' ? (details.code ?? kind) : 'token' };
}

/** The maximum number of busy lanes of one connection. */
export const maxLanes = 32;
/** The maximum number of requests that wait or run in all lanes of one connection. */
export const maxWaiting = 64;
/** The time that running requests have to finish after the connection's time limit, in milliseconds. */
export const graceMs = 10 * 60_000;

interface ConversationOptions {
  connection: Connection;
  ingress: Ingress;
  endpointOf(local: LocalStore): Endpoint;
  /** The time limit of the connection, in milliseconds. */
  connectionMs: number;
  /** The maximum total size of waiting messages, in bytes. */
  waitingBytes: number;
}

/**
 * The WebSocket of one client. Requests of the same lane run one after the other; lanes run in parallel. A refusal waits for the
 * requests before it in its lane: clients take an error for that of the response that they read.
 */
export class Conversation {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #ingress: Ingress;
  readonly #endpoint: Endpoint;
  readonly #local: LocalStore;
  readonly #lanes = new Map<string, Promise<void>>();
  readonly #waitingBytes: number;
  #waiting = 0;
  #bytes = 0;
  /** The number of refusals that wait. */
  #refusals = 0;
  /** True once the connection accepts no more requests. */
  #over = false;

  constructor({ connection, ingress, endpointOf, connectionMs, waitingBytes }: ConversationOptions) {
    this.#connection = connection;
    this.#ingress = ingress;
    const { clock } = ingress.parts;
    this.#clock = clock;
    this.#local = new LocalStore(ingress.parts.held, connection.token.id);
    this.#endpoint = reservingLocal(endpointOf(this.#local), this.#local);
    this.#waitingBytes = waitingBytes;
    connection.onMessage({
      handle: (data, _text, held) => this.#read(data, held),
      refuse: error => this.#refuseUnread(error),
    });
    const timer = clock.setTimeout(() => this.#reachLimit(), connectionMs).unref();
    connection.onClose(() => {
      clock.clearTimeout(timer);
      this.#local.clear();
    });
  }

  async #read(data: Buffer, held: Reservation): Promise<void> {
    let lane: string | undefined;
    try {
      const message = await parseMessage(data, () => nextTurn(data.length, this.#connection.token.id));
      lane = message.lane;
      if ('error' in message) throw message.error;
      if (message.type === 'notice') return;
      if (message.type === 'response.steer') return this.#refuseSteering(message.fields, lane);
      this.#enqueue(data, message, held);
    } catch (thrown) {
      const told = this.#refuseInTurn(thrown, lane);
      // No further message is read from a client whose refusals pile up.
      if (this.#refusals >= maxWaiting) await told;
    }
  }

  #enqueue(data: Buffer, { fields, lane }: SocketMessage, held: Reservation): void {
    const key = lane ?? '';
    if (this.#over) throw limitReached();
    if (this.#waiting >= maxWaiting)
      throw tooMany(`${maxWaiting} requests wait or run on this connection, which is the most.`);
    if (!this.#lanes.has(key) && this.#lanes.size >= maxLanes)
      throw tooMany(`${maxLanes} lanes of this connection are busy, which is the most.`);
    if (this.#bytes > 0 && this.#bytes + data.length > this.#waitingBytes)
      throw tooMany('The requests waiting on this connection are too large.');
    held.release();
    const waits = this.#ingress.parts.held.share(this.#connection.token.id);
    waits.take(data.length + messageOverhead);
    this.#waiting++;
    this.#bytes += data.length;
    // All that was parsed is kept for a warm-up alone.
    const warmUp = fields.generate === false ? fields : undefined;
    const previous = fields.previous_response_id;
    const before = this.#lanes.get(key) ?? Promise.resolve();
    const run = before
      .then(async () => {
        await nextTurn(data.length, this.#connection.token.id);
        if (!this.#connection.open) return;
        if (warmUp) return this.#warmUp(data, warmUp, lane);
        // From here on, the ingress counts the bytes as those of a request.
        waits.release();
        await this.#create(data, previous, lane);
      })
      .catch(thrown => this.#refuse(thrown, lane))
      .finally(() => {
        waits.release();
        this.#waiting--;
        this.#bytes -= data.length;
        if (this.#lanes.get(key) === run) this.#lanes.delete(key);
        if (this.#over && this.#waiting === 0) this.#end();
      });
    this.#lanes.set(key, run);
  }

  async #create(data: Buffer, previous: unknown, lane: string | undefined): Promise<void> {
    const status = await this.#ask(requestText(data), lane);
    // After a failed request the client must start a new chain.
    if (status >= 400 && typeof previous === 'string') this.#local.delete(previous);
  }

  #ask(text: Buffer, lane: string | undefined): Promise<number> {
    const { tokenHash, headers, url, client } = this.#connection;
    return new Promise(resolve => {
      const sink = new SocketSink(this.#connection, lane, resolve);
      void this.#ingress.ask(this.#endpoint, { tokenHash, headers, url, client, text }, sink);
    });
  }

  /** Stores the turn that the next request continues, without calling a model. */
  #warmUp(data: Buffer, fields: Record<string, unknown>, lane: string | undefined): void {
    const { turn, events } = renderWarmUp(requestText(data), fields, this.#clock.now());
    this.#local.set(turn.meta.id, turn);
    const sink = new SocketSink(this.#connection, lane, () => {});
    sink.end(events);
  }

  #refuseSteering({ previous_response_id: id }: Record<string, unknown>, lane: string | undefined): void {
    const error = {
      code: 'steering_not_supported',
      message: 'Steering a running response is not supported.',
    };
    const about = { type: 'response.steer.failed', previous_response_id: id, error };
    this.#connection.send(JSON.stringify({ ...(lane && { stream_id: lane }), ...about }));
  }

  /** Refuses a message that was not read; closes the connection of a client that goes on sending such messages. */
  #refuseUnread(error: GatewayError): void {
    if (this.#refusals < maxWaiting) void this.#refuseInTurn(error, undefined);
    else this.#connection.close(1013, error.kind);
  }

  /** Refuses a message once the requests before it in its lane have ended. */
  async #refuseInTurn(thrown: unknown, lane: string | undefined): Promise<void> {
    const key = lane ?? '';
    const before = this.#lanes.get(key);
    if (!before) return this.#refuse(thrown, lane);
    this.#refusals++;
    const run = before.then(() => {
      this.#refusals--;
      this.#refuse(thrown, lane);
      if (this.#lanes.get(key) === run) this.#lanes.delete(key);
    });
    this.#lanes.set(key, run);
    await run;
  }

  #refuse(thrown: unknown, lane: string | undefined): void {
    const { status, body } = renderChatError(toGatewayError(thrown));
    const event = { type: 'error', status, ...(body as object) };
    this.#connection.send(JSON.stringify({ ...(lane && { stream_id: lane }), ...event }));
  }

  /** Refuses new requests, and closes the connection when the running ones have ended. */
  #reachLimit(): void {
    this.#over = true;
    if (this.#waiting === 0) return this.#end();
    const timer = this.#clock.setTimeout(() => this.#end(), graceMs).unref();
    this.#connection.onClose(() => this.#clock.clearTimeout(timer));
  }

  /** Closes the connection with a code on which clients reconnect. */
  #end(): void {
    if (!this.#connection.open) return;
    this.#refuse(limitReached(), undefined);
    this.#connection.close(1001, limitCode);
  }
}

const limitCode = 'websocket_connection_limit_reached';

function tooMany(message: string): GatewayError {
  return new GatewayError('rate-limited', message, { code: 'too_many_requests' });
}

function limitReached(): GatewayError {
  return invalid(null, 'The connection has reached its time limit: open a new one.', limitCode);
}

/** Converts a message to the body of an HTTP request, which always streams. */
function requestText(data: Buffer): Buffer {
  const removed = ['type', 'stream_id', 'generate', 'background', 'stream_options'];
  const edits = new Map<string, Edit>(removed.map(field => [field, null]));
  return spliceTopLevel(data, edits.set('stream', 'true'));
}
