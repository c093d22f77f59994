import {
  isClientNotice,
  type RealtimeClientEvent,
  type RealtimeEvent,
  type RealtimeSessionObject,
  realtimeResponseSettings,
} from '@model-gateway/formats';
import { copyOf } from '@model-gateway/formats/realtime';
import { bytesOf } from './audio-format.ts';
import { check, invalid } from './check.ts';
import { audioBytes, type Item } from './item.ts';
import { Items } from './items.ts';
import { Listener } from './listener.ts';
import type { Models } from './models.ts';
import { readItem } from './new-item.ts';
import { type ClientObject, parseClientObject, readClientObject } from './parse-client-event.ts';
import { renderError } from './render-failure.ts';
import { inputOf } from './response-input.ts';
import { Responses } from './responses.ts';
import { SessionMemory } from './session-memory.ts';
import { type Abilities, firstSettings, responseSettings, updatedSettings } from './settings.ts';
import { Transcripts } from './transcripts.ts';
import { truncate } from './truncate.ts';

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
  /** The memory of the session; not counted if absent. */
  memory?: SessionMemory;
  /** Separates the steps of a large message. */
  turn(): Promise<void>;
  /** Resolves when the client has taken its events. */
  ready(): Promise<void>;
  /** @throws GatewayError if an event of so many bytes has no room */
  checkEvent?(bytes: number): void;
  /** Translates a client's event to the current protocol. */
  translate?(event: Record<string, unknown>): Record<string, unknown>;
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
  readonly #items: Items;
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
    const { models, context, newId, prepared, memory = new SessionMemory() } = options;
    this.#items = new Items(memory);
    const first = firstSettings({ ...options, id: newId('sess') });
    // Same id as in the `conversation.created` that beta clients get with the session.
    this.#conversationId = first.id.replace(/^sess_/, 'conv_');
    this.#settings = prepared
      ? updatedSettings(first, { type: 'realtime', ...prepared }, { ...options, spoken: false })
      : first;
    const emit = (event: RealtimeEvent) => this.#emit(event);
    this.#transcripts = new Transcripts({
      models,
      memory,
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
      memory,
      newId: () => newId('item'),
      emit,
      onTurn: (itemId, audio) => void this.#try(() => this.#addTurn(itemId, audio)),
      interrupt: () => this.#responses.active?.end({ type: 'cancelled', reason: 'turn_detected' }),
      answer: () => this.#answer(),
      nextStep: () => this.#nextStep(),
    });
  }

  /** Emits the session's first event. */
  begin(): void {
    this.#emit({ type: 'session.created', session: this.#settings });
  }

  /** Handles a client's message; errors are emitted, never thrown. Returns a promise for one that is handled in steps. */
  receive(data: Uint8Array): Promise<void> | undefined {
    const parsed = parseClientObject(data, this.#options.turn);
    return parsed instanceof Promise ? parsed.then(object => this.#take(object)) : this.#take(parsed);
  }

  /** Stops everything, since the client is gone. */
  end(): void {
    this.#over.abort();
    this.#responses.endAll({ type: 'cancelled', reason: 'client_cancelled' });
  }

  #take(object: ClientObject): Promise<void> | undefined {
    if (this.#over.signal.aborted || (object && isClientNotice(object))) return undefined;
    const read = readClientObject(object, this.#options.translate);
    return this.#try(() => this.#handle(read.event()), read.eventId);
  }

  /** Returns a promise for an event that is handled in steps. */
  #handle(event: RealtimeClientEvent): unknown {
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

  #try(action: () => unknown, eventId: string | null = null): Promise<void> | undefined {
    const refuse = (thrown: unknown) => this.#emit(renderError(thrown, eventId));
    try {
      const going = action();
      return going instanceof Promise ? going.catch(refuse) : undefined;
    } catch (thrown) {
      refuse(thrown);
      return undefined;
    }
  }

  /** Resolves when the next step of a large message may run; with false once the session is over. */
  async #nextStep(): Promise<boolean> {
    const { turn, ready } = this.#options;
    await turn();
    await ready();
    return !this.#over.signal.aborted;
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
    const decoded = this.#audioOf(audio);
    this.#options.checkEvent?.(this.#items.sizeOf(item));
    this.#items.check(item, previous);
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
    // Base64 has four characters for three bytes.
    this.#options.checkEvent?.(this.#items.sizeOf(item) / 2 + (audioBytes(item) * 4) / 3);
    const object = copyOf(item);
    const content = object.type === 'message' ? object.content : [];
    for (const [at, { bytes }] of item.audio ?? []) {
      const part = content[at];
      if (part?.type === 'input_audio') part.audio = bytes.toString('base64');
    }
    this.#emit({ type: 'conversation.item.retrieved', item: object });
  }

  #truncate({
    item_id,
    content_index,
    audio_end_ms,
  }: Extract<RealtimeClientEvent, { type: 'conversation.item.truncate' }>): void {
    const item = this.#items.get(item_id, 'item_id');
    truncate(item, content_index, audio_end_ms);
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
    void this.#try(() => this.#respond({}));
  }

  #respond(given: unknown): void {
    const request = check(realtimeResponseSettings, given, 'response');
    const { conversation, input, metadata } = request;
    const inConversation = conversation !== 'none';
    if (inConversation && !['auto', this.#conversationId].includes(conversation ?? 'auto'))
      throw invalid('response.conversation', "Invalid 'response.conversation': expected 'auto' or 'none'.");
    this.#responses.check(inConversation);
    const settings = responseSettings(this.#settings, request, this.#options);
    const items = input ? inputOf(input, this.#items, this.#options.newId) : this.#items.all();
    if (inConversation) this.#turnWaits = false;
    this.#responses.start(inConversation, settings, items, metadata);
  }

  #emit(event: RealtimeEvent): void {
    this.#options.emit({ event_id: this.#options.newId('event'), ...event });
  }
}
