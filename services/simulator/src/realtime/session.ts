import { noUsage } from '@model-gateway/canonical';
import { copyOf, renderTranscriptUsage } from '@model-gateway/formats/realtime';
import { transcriptOf } from '../audio/transcript.ts';
import { toApiError } from '../common/api-error.ts';
import { readJson } from '../common/body.ts';
import { badRequest, validated } from '../common/openai-error.ts';
import type { Traffic } from '../common/traffic.ts';
import { isSchema } from '../responder/json-value.ts';
import type { Responder } from '../responder/responder.ts';
import { tokensOf } from '../responder/tokens.ts';
import type { ClientSocket } from './client-socket.ts';
import {
  audioTokens,
  bytesPerMs,
  Conversation,
  type Heard,
  type Item,
  itemOf,
  promptFor,
} from './conversation.ts';
import type { SessionFault } from './fault.ts';
import { Response } from './render-response.ts';
import { type ClientEvent, clientEvent, mergeSettings, type SessionSettings, session } from './request.ts';

export const sessionMs = 3_600_000;
const minCommitMs = 100;

interface SessionOptions {
  /** Unique within this process. */
  id: string;
  model: string;
  client: ClientSocket;
  responder: Responder;
  traffic: Traffic;
  fault: SessionFault | null;
}

type Fields = Record<string, unknown>;
type Event<Type extends ClientEvent['type']> = Extract<ClientEvent, { type: Type }>;

export class Session {
  readonly #options: SessionOptions;
  readonly #client: ClientSocket;
  readonly #conversation = new Conversation();
  readonly #expiresAt: number;
  /** The settings that the client sent. `#settings` has the defaults, too. */
  #sentSettings: Fields = { type: 'realtime' };
  #settings: SessionSettings = session.parse(this.#sentSettings);
  #active: Response | undefined;
  #activeEnded: Promise<void> | undefined;
  /** The length of the audio that is not committed. */
  #audioMs = 0;
  #count = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#expiresAt = Math.floor((options.traffic.clock.now() + sessionMs) / 1_000);
    this.#client.event('session.created', { session: this.#object });
    if (options.fault?.name === 'deaf') this.#client.stopReading();
  }

  /** Handles an event of the client. An invalid event is answered with an error event. */
  read(text: string): void {
    let eventId: string | null = null;
    try {
      const body = readJson(text);
      if (isSchema(body) && typeof body.event_id === 'string') eventId = body.event_id;
      this.#handle(validated(clientEvent, body), body as Fields);
    } catch (thrown) {
      this.#sendError(thrown, eventId);
    }
  }

  readBytes(): void {
    this.#sendError(badRequest('Binary messages are not supported.', 'invalid_event'), null);
  }

  /** Cancels the response when the client has left. */
  left(): void {
    this.#active?.cancel();
  }

  /** Resolves when no response is in progress. */
  async idle(): Promise<void> {
    await this.#activeEnded;
  }

  /** `body` is the event before defaults were added. */
  #handle(event: ClientEvent, body: Fields): void {
    switch (event.type) {
      case 'session.update':
        return this.#update(event, body.session as Fields);
      case 'conversation.item.create':
        return this.#create(event);
      case 'conversation.item.retrieve': {
        const item = this.#conversation.find(event.item_id, 'retrieve');
        return this.#client.event('conversation.item.retrieved', { item: copyOf(item) });
      }
      case 'conversation.item.delete':
        this.#conversation.remove(this.#conversation.find(event.item_id, 'delete'));
        return this.#client.event('conversation.item.deleted', { item_id: event.item_id });
      case 'input_audio_buffer.append':
        this.#audioMs += Buffer.byteLength(event.audio, 'base64') / bytesPerMs;
        return;
      case 'input_audio_buffer.commit':
        return this.#commit();
      case 'input_audio_buffer.clear':
        this.#audioMs = 0;
        return this.#client.event('input_audio_buffer.cleared', {});
      case 'response.create':
        return this.#respond((body.response as Fields | null) ?? {}, event.response?.metadata ?? null);
      case 'response.cancel':
        return this.#cancel(event);
    }
  }

  #update({ session: { model } }: Event<'session.update'>, sent: Fields): void {
    const fixed = this.#options.model;
    if (model !== undefined && model !== fixed)
      throw badRequest(`The model of the session must be '${fixed}'.`, 'invalid_value', 'session.model');
    this.#sentSettings = mergeSettings(this.#sentSettings, sent);
    this.#settings = session.parse(this.#sentSettings);
    this.#client.event('session.updated', { session: this.#object });
  }

  #create(event: Event<'conversation.item.create'>): void {
    const item = itemOf(event.item, this.#newId('item'), heardIn);
    const { object } = item;
    if (object.type === 'function_call_output' && !this.#conversation.hasCall(object.call_id))
      throw badRequest(`Tool call ID '${object.call_id}' not found.`, 'invalid_tool_call_id', 'item.call_id');
    this.#add(item);
  }

  #commit(): void {
    const ms = this.#audioMs;
    const reason = `Expected at least ${minCommitMs}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`;
    if (ms < minCommitMs)
      throw badRequest(
        `Error committing input audio buffer: buffer too small. ${reason}`,
        'input_audio_buffer_commit_empty',
      );
    this.#audioMs = 0;
    const id = this.#newId('item');
    const heard = heardIn(ms * bytesPerMs);
    const part = { type: 'input_audio' as const, transcript: null as string | null };
    const previous_item_id = this.#conversation.last?.object.id ?? null;
    this.#client.event('input_audio_buffer.committed', { previous_item_id, item_id: id });
    const head = { id, object: 'realtime.item', status: 'completed' } as const;
    this.#add({ object: { ...head, type: 'message', role: 'user', content: [part] }, heard: [heard] });
    const { transcription } = this.#settings.audio.input;
    if (transcription && this.#transcribe(id, heard, transcription.model ?? ''))
      part.transcript = heard.words;
  }

  /** Sends the transcript of a part. A model whose name begins with `fault-` fails. Returns true if it was sent. */
  #transcribe(item_id: string, { words, ms }: Heard, model: string): boolean {
    const event = (name: string, fields: object) =>
      this.#client.event(`conversation.item.input_audio_transcription.${name}`, {
        item_id,
        content_index: 0,
        ...fields,
      });
    const error = {
      type: 'server_error',
      code: 'server_error',
      message: 'Transcription failed.',
      param: null,
    };
    const fails = model.startsWith('fault-');
    if (fails) event('failed', { error });
    else {
      const [input, output] = [audioTokens(ms), tokensOf(words).length];
      const usage = renderTranscriptUsage({ ...noUsage, input, audioInput: input, output }, 0);
      event('delta', { delta: words });
      event('completed', { transcript: words, usage });
    }
    return !fails;
  }

  #add(item: Item): void {
    const fields = { previous_item_id: this.#conversation.add(item), item: copyOf(item) };
    this.#client.event('conversation.item.added', fields);
    this.#client.event('conversation.item.done', fields);
  }

  #respond(sent: Fields, metadata: Record<string, string> | null): void {
    const { id, model } = this.#options;
    if (this.#active)
      throw badRequest(
        `Conversation already has an active response in progress: ${this.#active.id}.`,
        'conversation_already_has_active_response',
      );
    const { metadata: _metadata, conversation: _conversation, ...settings } = sent;
    const merged = session.parse(mergeSettings(this.#sentSettings, settings));
    this.#active = new Response({
      ...this.#options,
      clock: this.#options.traffic.clock,
      id: this.#newId('resp'),
      conversationId: `conv_${id}`,
      conversation: this.#conversation,
      newItemId: () => this.#newId('item'),
      input: promptFor(model, this.#conversation.items, merged),
      metadata,
      settings: merged,
    });
    this.#activeEnded = this.#run(this.#active);
  }

  /** Runs a response and counts it. An internal error ends the session. */
  async #run(response: Response): Promise<void> {
    const count = this.#options.traffic.trackResponse();
    try {
      count(await response.run());
    } catch {
      this.#client.close(1011, 'internal error');
      count({ status: 'faulty', usage: { input: 0, output: 0 } });
    }
    this.#active = undefined;
  }

  #cancel({ response_id: id }: Event<'response.cancel'>): void {
    if (this.#active && (id ?? this.#active.id) === this.#active.id) return this.#active.cancel();
    throw badRequest('Cancellation failed: no active response found', 'response_cancel_not_active');
  }

  #sendError(thrown: unknown, eventId: string | null): void {
    const { status, code, message, param } = toApiError(thrown);
    const type = status < 500 ? 'invalid_request_error' : 'server_error';
    this.#client.error({ type, code, message, param, event_id: eventId });
  }

  #newId(prefix: 'item' | 'resp'): string {
    return `${prefix}_${this.#options.id}_${(++this.#count).toString(16)}`;
  }

  get #object() {
    const { id, model } = this.#options;
    const named = { object: 'realtime.session', id: `sess_${id}`, expires_at: this.#expiresAt };
    return { ...named, ...this.#settings, model };
  }
}

function heardIn(bytes: number): Heard {
  const ms = bytes / bytesPerMs;
  return { ms, words: transcriptOf(ms / 1_000).text };
}
