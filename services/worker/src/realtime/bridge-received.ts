import type { Message } from '@model-gateway/bus';
import { GatewayError } from '@model-gateway/canonical';
import { type Edit, isJsonObject, memberText, parseJsonObject, spliceTopLevel } from '@model-gateway/json';
import { type Redacted, redact } from '../redact.ts';

/** The largest event that the gateway changes or reads, in bytes. */
export const maxInspected = 4 * 1024 * 1024;
/** Bytes in which larger messages name their type. */
const headBytes = 4_096;
/** Events that the gateway changes or reads; all others are passed on unparsed. */
const inspected =
  /"(?:(?:transcription_)?session\.(?:created|updated)|response\.(?:created|done)|error|[\w.]{1,80}\.failed)"/;

interface ReceivedOptions {
  /** The client's name of the model. */
  model: string;
  /** End of the session, in seconds since 1970. */
  expiresAt: number;
  /** The upstream whose secrets are redacted. */
  upstream: Redacted;
  /** The `event_id` of the `session.update` that applies the prepared session, if any. */
  preparing: string | undefined;
  /** Called when a response begins or ends. */
  onResponse(type: 'response.created' | 'response.done', response: Record<string, unknown>): void;
}

/** Converts an upstream's events for the client: the model gets the client's name, errors are redacted. */
export class Received {
  readonly #options: ReceivedOptions;
  #preparing: string | undefined;
  #created: Message | undefined;

  constructor(options: ReceivedOptions) {
    this.#options = options;
    this.#preparing = options.preparing;
  }

  /**
   * Returns the messages to send for one received, usually the same one.
   * @throws GatewayError of kind `upstream` for an event that is too large to be read
   */
  read(message: Message): Message[] {
    if (!message.text) return [message];
    const data = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.length);
    const isLarge = data.length > maxInspected;
    if (!inspected.test(data.toString('latin1', 0, isLarge ? headBytes : data.length))) return [message];
    if (isLarge) throw tooLarge();
    const event = parseJsonObject(data);
    switch (event?.type) {
      case 'session.created':
      case 'session.updated':
      case 'transcription_session.created':
      case 'transcription_session.updated':
        return this.#session(data, event.type);
      case 'response.created':
      case 'response.done':
        return [this.#response(data, event, event.type)];
      case 'error':
        return this.#error(data, event);
      default:
        return [/\.failed$/.test(String(event?.type)) ? this.#failure(data, event) : message];
    }
  }

  /** Holds back the upstream's own `session.created`, so that a prepared session is the first one sent. */
  #session(data: Buffer, type: string): Message[] {
    const { model, expiresAt } = this.#options;
    const earlier: Edit = current =>
      current === undefined ? null : String(Math.min(Number(current) || expiresAt, expiresAt));
    const forClient = edited(data, 'session', [
      ['model', current => (current === undefined ? null : JSON.stringify(model))],
      ['expires_at', earlier],
      ['client_secret', null],
    ]);
    if (this.#preparing === undefined) return [textMessage(forClient)];
    if (type === 'session.created') {
      this.#created = textMessage(forClient);
      return [];
    }
    this.#preparing = undefined;
    return [textMessage(spliceTopLevel(forClient, new Map([['type', '"session.created"']])))];
  }

  #response(
    data: Buffer,
    event: Record<string, unknown>,
    type: 'response.created' | 'response.done',
  ): Message {
    const { response } = event;
    if (!isJsonObject(response)) return textMessage(data);
    this.#options.onResponse(type, response);
    const edits: [string, Edit][] = [];
    if ('model' in response) edits.push(['model', JSON.stringify(this.#options.model)]);
    const details = response.status_details;
    if (isJsonObject(details) && isJsonObject(details.error))
      edits.push(['status_details', JSON.stringify({ ...details, error: this.#redacted(details.error) })]);
    return textMessage(edits.length > 0 ? edited(data, 'response', edits) : data);
  }

  #error(data: Buffer, event: Record<string, unknown>): Message[] {
    const failure = this.#failure(data, event);
    const { error } = event;
    if (this.#preparing === undefined || !isJsonObject(error) || error.event_id !== this.#preparing)
      return [failure];
    this.#preparing = undefined;
    return this.#created ? [this.#created, failure] : [failure];
  }

  /** Redacts the error of an event. */
  #failure(data: Buffer, { error }: Record<string, unknown> = {}): Message {
    if (!isJsonObject(error)) return textMessage(data);
    return textMessage(spliceTopLevel(data, new Map([['error', JSON.stringify(this.#redacted(error))]])));
  }

  #redacted(error: Record<string, unknown>): unknown {
    return JSON.parse(JSON.stringify(error), (key, value) =>
      typeof value === 'string' && key !== 'event_id' ? redact(value, this.#options.upstream) : value,
    );
  }
}

function tooLarge(): GatewayError {
  const most = maxInspected / (1024 * 1024);
  return new GatewayError('upstream', `The upstream sent an event that is larger than ${most} MiB.`);
}

/** Changes members of one object in an event. */
function edited(data: Buffer, field: string, edits: [string, Edit][]): Buffer {
  const inner = memberText(data, field);
  if (!inner?.startsWith('{')) return data;
  const changed = spliceTopLevel(Buffer.from(inner), new Map(edits)).toString();
  return spliceTopLevel(data, new Map([[field, changed]]));
}

function textMessage(data: Buffer): Message {
  return { data, text: true };
}
