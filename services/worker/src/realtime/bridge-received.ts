import type { Message } from '@model-gateway/bus';
import { type Edit, memberText, spliceTopLevel } from '@model-gateway/canonical';
import { type Redacted, redact } from '../redact.ts';
import { isObject, readObject } from './read-object.ts';

/** What of an upstream's event the gateway changes, or learns from; everything else is passed on unread. */
const looked =
  /"(?:(?:transcription_)?session\.(?:created|updated)|response\.(?:created|done)|error|[\w.]{1,80}\.failed)"/;

export interface ReceivedOptions {
  /** The model as the client calls it. */
  model: string;
  /** When the gateway ends the session, in seconds since 1970. */
  expiresAt: number;
  /** Whose texts are shown to the client. */
  upstream: Redacted;
  /** The `event_id` of the update that makes the session the prepared one, where there is one. */
  preparing: string | undefined;
  /** Is told of each response that begins or ends. */
  onResponse(type: 'response.created' | 'response.done', response: Record<string, unknown>): void;
}

/** An upstream's events as the client gets them: the model by the client's name, and no secret in an error. */
export class Received {
  readonly #options: ReceivedOptions;
  #preparing: string | undefined;
  #created: Message | undefined;

  constructor(options: ReceivedOptions) {
    this.#options = options;
    this.#preparing = options.preparing;
  }

  /** What a message becomes: mostly one, itself. */
  read(message: Message): Message[] {
    if (!message.text) return [message];
    const data = Buffer.from(message.data.buffer, message.data.byteOffset, message.data.length);
    if (!looked.test(data.toString('latin1'))) return [message];
    const event = readObject(data);
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

  /** The session that a client secret prepared is the one that it begins with: the upstream's own is not shown. */
  #session(data: Buffer, type: string): Message[] {
    const { model, expiresAt } = this.#options;
    const earlier: Edit = current =>
      current === undefined ? null : String(Math.min(Number(current) || expiresAt, expiresAt));
    const shown = edited(data, 'session', [
      ['model', current => (current === undefined ? null : JSON.stringify(model))],
      ['expires_at', earlier],
      ['client_secret', null],
    ]);
    if (this.#preparing === undefined) return [textMessage(shown)];
    if (type === 'session.created') {
      this.#created = textMessage(shown);
      return [];
    }
    this.#preparing = undefined;
    return [textMessage(spliceTopLevel(shown, new Map([['type', '"session.created"']])))];
  }

  #response(
    data: Buffer,
    event: Record<string, unknown>,
    type: 'response.created' | 'response.done',
  ): Message {
    const { response } = event;
    if (!isObject(response)) return textMessage(data);
    this.#options.onResponse(type, response);
    const edits: [string, Edit][] = [];
    if ('model' in response) edits.push(['model', JSON.stringify(this.#options.model)]);
    const details = response.status_details;
    if (isObject(details) && isObject(details.error))
      edits.push(['status_details', JSON.stringify({ ...details, error: this.#redacted(details.error) })]);
    return textMessage(edits.length > 0 ? edited(data, 'response', edits) : data);
  }

  #error(data: Buffer, event: Record<string, unknown>): Message[] {
    const told = this.#failure(data, event);
    const { error } = event;
    if (this.#preparing === undefined || !isObject(error) || error.event_id !== this.#preparing)
      return [told];
    this.#preparing = undefined;
    return this.#created ? [this.#created, told] : [told];
  }

  /** An event that tells of an error, without what only the gateway may know. */
  #failure(data: Buffer, { error }: Record<string, unknown> = {}): Message {
    if (!isObject(error)) return textMessage(data);
    return textMessage(spliceTopLevel(data, new Map([['error', JSON.stringify(this.#redacted(error))]])));
  }

  #redacted(error: Record<string, unknown>): unknown {
    return JSON.parse(JSON.stringify(error), (key, value) =>
      typeof value === 'string' && key !== 'event_id' ? redact(value, this.#options.upstream) : value,
    );
  }
}

/** An event with some members of one of its objects changed. */
function edited(data: Buffer, field: string, edits: [string, Edit][]): Buffer {
  const inner = memberText(data, field);
  if (!inner?.startsWith('{')) return data;
  const changed = spliceTopLevel(Buffer.from(inner), new Map(edits)).toString();
  return spliceTopLevel(data, new Map([[field, changed]]));
}

function textMessage(data: Buffer): Message {
  return { data, text: true };
}
