import {
  type RealtimeClientEvent,
  type RealtimeEvent,
  type RealtimeSessionObject,
  realtimeItemReference,
  realtimeResponseSettings,
} from '@model-gateway/wire';
import { bytesOf } from './audio-format.ts';
import { check, invalid } from './check.ts';
import { type Item, sizeOf, spokenMs } from './item.ts';
import { Items } from './items.ts';
import { Listener } from './listener.ts';
import type { Models } from './models.ts';
import { readItem } from './new-item.ts';
import { readClientEvent } from './parse-client-event.ts';
import { renderError } from './render-failure.ts';
import { copyOf } from './response-output.ts';
import { Responses } from './responses.ts';
import { type Abilities, firstSettings, responseSettings, updatedSettings } from './settings.ts';
import { Transcripts } from './transcripts.ts';

export interface EmulationOptions extends Abilities {
  /** The client's name of the model. */
  model: string;
  /** In seconds since 1970. */
  expiresAt: number;
  /** Default voice, if the client sets none. */
  voice: string | undefined;
  /** Context window of the model, in tokens; undefined if unknown. */
  context: number | undefined;
  /** Initial settings: a `session` as in `session.update`. */
  prepared?: Record<string, unknown> | undefined;
  models: Models;
  /** Returns a new id with a prefix such as `item` or `resp`. */
  newId(prefix: string): string;
  emit(event: RealtimeEvent & { event_id: string }): void;
}

/**
 * Emulates a realtime session with models that have no realtime API: takes client events, calls models and
 * emits session events. Uses neither sockets nor the clock.
 */
export class Emulation {
  readonly #options: EmulationOptions;
  readonly #conversationId: string;
  readonly #items = new Items();
  readonly #over = new AbortController();
  readonly #transcripts: Transcripts;
  readonly #listener: Listener;
  readonly #responses: Responses;
  #settings: RealtimeSessionObject;
  /** True if the user spoke during a response; the next response answers it. */
  #turnWaits = false;

  /** @throws GatewayError of kind `invalid-request` if `prepared` is invalid */
  constructor(options: EmulationOptions) {
    this.#options = options;
    const { models, context, newId, prepared } = options;
    const first = firstSettings({ ...options, id: newId('sess') });
    // Same id as in the `conversation.created` that beta clients get with the session.
    this.#conversationId = first.id.replace(/^sess_/, 'conv_');
    this.#settings = prepared
      ? updatedSettings(first, { type: 'realtime', ...prepared }, { ...options, spoken: false })
      : first;
    const emit = (event: RealtimeEvent) => this.#emit(event);
    this.#transcripts = new Transcripts({
      models,
      signal: this.#over.signal,
      settings: () => this.#settings.audio.input.transcription,
      emit,
      changed: item => this.#items.measure(item),
    });
    this.#responses = new Responses({
      conversationId: this.#conversationId,
      items: this.#items,
      transcripts: this.#transcripts,
      models,
      context,
      newId,
      emit,
      ended: () => this.#takeTurn(),
    });
    this.#listener = new Listener(this.#settings.audio.input, {
      newId: () => newId('item'),
      emit,
      onTurn: (itemId, audio) => this.#try(() => this.#addTurn(itemId, audio)),
      interrupt: () => this.#responses.active?.end({ type: 'cancelled', reason: 'turn_detected' }),
      answer: () => this.#answer(),
    });
  }

  /** Emits the session's first event. */
  begin(): void {
    this.#emit({ type: 'session.created', session: this.#settings });
  }

  /** Handles a client's message; errors are emitted, never thrown. */
  receive(data: Uint8Array): void {
    const read = readClientEvent(data);
    this.#try(() => this.#handle(read.event()), read.eventId);
  }

  /** Stops everything, since the client is gone. */
  end(): void {
    this.#over.abort();
    this.#responses.endAll({ type: 'cancelled', reason: 'client_cancelled' });
  }

  #handle(event: RealtimeClientEvent): void {
    switch (event.type) {
      case 'session.update':
        return this.#update(event.session);
      case 'conversation.item.create':
        return this.#createItem(event.item, event.previous_item_id ?? undefined);
      case 'conversation.item.retrieve':
        return this.#retrieve(this.#items.get(event.item_id, 'item_id'));
      case 'conversation.item.truncate':
        return this.#truncate(event);
      case 'conversation.item.delete':
        return this.#delete(event.item_id);
      case 'input_audio_buffer.append':
        this.#checkTranscription('audio');
        return this.#listener.append(bytesOf(event.audio, 'audio'));
      case 'input_audio_buffer.commit':
        this.#items.checkRoom();
        return this.#listener.commit();
      case 'input_audio_buffer.clear':
        return this.#listener.clear();
      case 'output_audio_buffer.clear':
        throw invalid('type', 'Only sessions over WebRTC have an output audio buffer.');
      case 'response.create':
        return this.#respond(event.response ?? {});
      case 'response.cancel':
        if (this.#responses.cancel(event.response_id ?? undefined).inConversation) this.#turnWaits = false;
        return;
    }
  }

  #try(action: () => void, eventId: string | null = null): void {
    try {
      action();
    } catch (thrown) {
      this.#emit(renderError(thrown, eventId));
    }
  }

  #update(given: unknown): void {
    const { spoken } = this.#responses;
    const settings = updatedSettings(this.#settings, given, { ...this.#options, spoken });
    this.#listener.configure(settings.audio.input);
    this.#settings = settings;
    this.#emit({ type: 'session.updated', session: settings });
  }

  #createItem(given: unknown, previous: string | undefined): void {
    const { item, audio } = readItem(given, 'item', this.#options.newId);
    const { object } = item;
    if (object.type === 'function_call_output' && !this.#items.hasCall(object.call_id))
      throw invalid('item.call_id', `There is no function call '${object.call_id}'.`, 'item_not_found');
    this.#items.check(item, previous);
    const decoded = this.#audioOf(audio);
    this.#emitAdded(item, this.#items.insert(item, previous));
    if (decoded.size > 0) this.#transcribe(item, decoded);
  }

  #emitAdded(item: Item, previous: string | null): void {
    const event = { previous_item_id: previous, item: copyOf(item) };
    this.#emit({ type: 'conversation.item.added', ...event });
    this.#emit({ type: 'conversation.item.done', ...event });
  }

  /** @throws GatewayError of kind `invalid-request` without a transcription model */
  #audioOf(audio: Map<number, string>): NonNullable<Item['audio']> {
    const { format } = this.#settings.audio.input;
    const decoded = [...audio].map(([at, base64]) => {
      const param = `item.content[${at}].audio`;
      this.#checkTranscription(param);
      return [at, { bytes: bytesOf(base64, param), format }] as const;
    });
    return new Map(decoded);
  }

  #checkTranscription(param: string): void {
    if (!this.#options.transcription)
      throw invalid(param, `The model '${this.#options.model}' does not support audio input: send text.`);
  }

  #transcribe(item: Item, decoded: NonNullable<Item['audio']>): void {
    this.#items.keepAudio(item, decoded);
    this.#transcripts.write(item, decoded);
  }

  #retrieve(item: Item): void {
    const object = copyOf(item);
    const content = object.type === 'message' ? object.content : [];
    for (const [at, { bytes }] of item.audio ?? []) {
      const part = content[at];
      if (part?.type === 'input_audio') part.audio = bytes.toString('base64');
    }
    this.#emit({ type: 'conversation.item.retrieved', item: object });
  }

  #truncate(event: Extract<RealtimeClientEvent, { type: 'conversation.item.truncate' }>): void {
    const { item_id, content_index, audio_end_ms } = event;
    const item = this.#items.get(item_id, 'item_id');
    if (!item.spoken) throw invalid('item_id', 'Only items with output audio can be truncated.');
    if (content_index !== 0) throw invalid('content_index', "Invalid 'content_index': expected 0.");
    const ms = spokenMs(item);
    if (audio_end_ms > ms) {
      const message = `Audio content of ${Math.floor(ms)}ms is already shorter than ${audio_end_ms}ms`;
      throw invalid('audio_end_ms', message);
    }
    item.heardMs = audio_end_ms;
    const { object } = item;
    if (object.type === 'message' && object.content.length > 0) object.content = [{ type: 'output_audio' }];
    this.#items.measure(item);
    this.#emit({ type: 'conversation.item.truncated', item_id, content_index, audio_end_ms });
  }

  #delete(id: string): void {
    this.#items.remove(this.#items.get(id, 'item_id'));
    this.#emit({ type: 'conversation.item.deleted', item_id: id });
  }

  /** Adds an item for the user's turn. */
  #addTurn(id: string, bytes: Buffer): void {
    this.#items.checkRoom();
    const content = [{ type: 'input_audio' as const, transcript: null }];
    const head = { id, object: 'realtime.item', status: 'completed' } as const;
    const item: Item = { object: { ...head, type: 'message', role: 'user', content } };
    const { format } = this.#settings.audio.input;
    const previous = this.#items.insert(item);
    this.#emit({ type: 'input_audio_buffer.committed', previous_item_id: previous, item_id: id });
    this.#emitAdded(item, previous);
    this.#transcribe(item, new Map([[0, { bytes, format }]]));
  }

  /** Responds to the user's turn, after the active response if there is one. */
  #answer(): void {
    this.#turnWaits = true;
    this.#takeTurn();
  }

  #takeTurn(): void {
    if (!this.#turnWaits || this.#responses.active || this.#over.signal.aborted) return;
    this.#turnWaits = false;
    this.#try(() => this.#respond({}));
  }

  #respond(given: unknown): void {
    const request = check(realtimeResponseSettings, given, 'response');
    const { conversation, input, metadata } = request;
    const inConversation = conversation !== 'none';
    if (inConversation && !['auto', this.#conversationId].includes(conversation ?? 'auto'))
      throw invalid('response.conversation', "Invalid 'response.conversation': expected 'auto' or 'none'.");
    this.#responses.check(inConversation);
    const settings = responseSettings(this.#settings, request, this.#options);
    const items = input ? this.#inputOf(input) : this.#items.all();
    if (inConversation) this.#turnWaits = false;
    this.#responses.start(inConversation, settings, items, metadata);
  }

  /** Returns the input items: references to the conversation, or items for this response alone. */
  #inputOf(input: readonly Record<string, unknown>[]): Item[] {
    let size = 0;
    return input.map((given, i) => {
      const path = `response.input[${i}]`;
      if (given.type === 'item_reference')
        return this.#items.get(check(realtimeItemReference, given, path).id, `${path}.id`);
      const { item, audio } = readItem(given, path, this.#options.newId);
      if (audio.size > 0)
        throw invalid(path, 'Audio is not supported here: reference a conversation item by its id.');
      size += sizeOf(item);
      this.#items.checkRoom(size);
      return item;
    });
  }

  #emit(event: RealtimeEvent): void {
    this.#options.emit({ event_id: this.#options.newId('event'), ...event });
  }
}
