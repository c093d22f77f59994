import { type Edit, spliceTopLevel, toGatewayError } from '@model-gateway/canonical';
import { type Connection, type Endpoint, type Ingress, renderChatError } from '@model-gateway/ingress';
import { invalid } from '../invalid.ts';
import { LocalStore } from './local-store.ts';
import { parseMessage } from './parse.ts';
import { renderWarmUp } from './render.ts';
import { SocketOutlet } from './socket-outlet.ts';

/** How long one connection may be open. */
const connectionMs = 60 * 60_000;
/** Lanes of one connection, and messages that wait in all of them. */
const maxLanes = 32;
const maxWaiting = 64;

/** One client's WebSocket: requests of one lane are answered one after the other, lanes side by side. */
export class Conversation {
  readonly #connection: Connection;
  readonly #ingress: Ingress;
  readonly #endpoint: Endpoint;
  readonly #local = new LocalStore();
  readonly #lanes = new Map<string, Promise<void>>();
  #waiting = 0;

  constructor(connection: Connection, ingress: Ingress, endpointOf: (local: LocalStore) => Endpoint) {
    this.#connection = connection;
    this.#ingress = ingress;
    this.#endpoint = endpointOf(this.#local);
    connection.onMessage(data => this.#read(data));
    const timer = setTimeout(() => this.#tooLong(), connectionMs).unref();
    connection.onClose(() => clearTimeout(timer));
  }

  #read(data: Buffer): void {
    let lane: string | undefined;
    try {
      const message = parseMessage(data);
      lane = message.lane;
      if (message.type === 'response.steer') return this.#refuseSteering(message.fields, lane);
      const key = lane ?? '';
      if (this.#waiting >= maxWaiting || (!this.#lanes.has(key) && this.#lanes.size >= maxLanes))
        throw invalid('stream_id', 'Too many requests wait on this connection.', 'too_many_requests');
      this.#waiting++;
      const before = this.#lanes.get(key) ?? Promise.resolve();
      const run = before
        .then(() => this.#create(data, message.fields, lane))
        .catch(thrown => this.#refuse(thrown, lane))
        .finally(() => {
          this.#waiting--;
          if (this.#lanes.get(key) === run) this.#lanes.delete(key);
        });
      this.#lanes.set(key, run);
    } catch (thrown) {
      this.#refuse(thrown, lane);
    }
  }

  async #create(data: Buffer, fields: Record<string, unknown>, lane: string | undefined): Promise<void> {
    if (!this.#connection.open) return;
    if (fields.generate === false) return this.#warmUp(data, fields, lane);
    const status = await this.#ask(requestText(data), lane);
    const previous = fields.previous_response_id;
    // Who goes on from what failed starts anew.
    if (status >= 400 && typeof previous === 'string') this.#local.delete(previous);
  }

  #ask(text: Buffer, lane: string | undefined): Promise<number> {
    const { tokenHash, headers, url } = this.#connection;
    return new Promise(resolve => {
      const outlet = new SocketOutlet(this.#connection, lane, resolve);
      void this.#ingress.ask(this.#endpoint, { tokenHash, headers, url, text }, outlet);
    });
  }

  /** Remembers what the next request goes on from, and asks no model. */
  #warmUp(data: Buffer, fields: Record<string, unknown>, lane: string | undefined): void {
    const { turn, events } = renderWarmUp(requestText(data), fields);
    this.#local.set(turn.meta.id, turn);
    const outlet = new SocketOutlet(this.#connection, lane, () => {});
    outlet.end(events);
  }

  #refuseSteering({ previous_response_id: id }: Record<string, unknown>, lane: string | undefined): void {
    const error = { code: 'steering_not_supported', message: 'A response that runs cannot be steered here.' };
    const about = { type: 'response.steer.failed', previous_response_id: id, error };
    this.#connection.send(JSON.stringify({ ...(lane && { stream_id: lane }), ...about }));
  }

  #refuse(thrown: unknown, lane: string | undefined): void {
    const { status, body } = renderChatError(toGatewayError(thrown));
    const told = { type: 'error', status, ...(body as object) };
    this.#connection.send(JSON.stringify({ ...(lane && { stream_id: lane }), ...told }));
  }

  #tooLong(): void {
    const code = 'websocket_connection_limit_reached';
    const message = 'The connection was open for 60 minutes: open another one.';
    const error = { type: 'invalid_request_error', code, message, param: null };
    this.#connection.send(JSON.stringify({ type: 'error', status: 400, error }));
    this.#connection.close(1000, code);
  }
}

/** What the message asks for, as a request over HTTP would: always as a stream. */
function requestText(data: Buffer): Buffer {
  const removed = ['type', 'stream_id', 'generate', 'background', 'stream_options'];
  const edits = new Map<string, Edit>(removed.map(field => [field, null]));
  return spliceTopLevel(data, edits.set('stream', 'true'));
}
