import type { Mind } from '../mind/mind.ts';
import { complaint, wrong } from '../openai-complaint.ts';
import { Refusal, toRefusal } from '../refusal.ts';
import type { Traffic } from '../traffic.ts';
import { bytesAMs } from './audio-format.ts';
import { Conversation, type Item, itemOf, shown } from './conversation.ts';
import { Ear } from './ear.ts';
import type { SessionFault } from './fault.ts';
import type { Line } from './line.ts';
import { promptOf } from './prompt.ts';
import { type ClientEvent, clientEvent, type ResponseSettings } from './request.ts';
import { type Ended, Response } from './response.ts';
import { forResponse, initialSettings, type SessionSettings, updated } from './settings.ts';

const sessionMs = 3_600_000;
const mostResponses = 100;

export interface SessionOptions {
  /** Unique within this process. */
  id: string;
  model: string;
  line: Line;
  mind: Mind;
  traffic: Traffic;
  fault: SessionFault | null;
}

type Event<Type extends ClientEvent['type']> = Extract<ClientEvent, { type: Type }>;

/** One client's session: its settings, its conversation, the audio that it sends and the responses under way. */
export class Session {
  readonly #options: SessionOptions;
  readonly #line: Line;
  readonly #conversation = new Conversation();
  readonly #ear: Ear;
  readonly #responses = new Map<string, { response: Response; ended: Promise<void> }>();
  readonly #expiresAt = Math.floor((Date.now() + sessionMs) / 1_000);
  #settings: SessionSettings = initialSettings();
  /** The response that writes to the conversation. */
  #active: Response | undefined;
  #count = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#line = options.line;
    this.#ear = new Ear({
      line: options.line,
      input: () => this.#settings.audio.input,
      newItemId: () => this.#newId('item'),
      lastItemId: () => this.#conversation.last?.id ?? null,
      add: item => this.#add(item),
      onTurn: kind => this.#turn(kind),
    });
    this.#line.event('session.created', { session: this.#shown });
    if (options.fault?.name === 'deaf') this.#line.deafen();
  }

  /** Reads what a client says; whatever is wrong with it is answered by an error event. */
  read(text: string): void {
    let eventId: string | null = null;
    try {
      const body = parsed(text);
      eventId = idIn(body);
      const { data, error } = clientEvent.safeParse(body);
      if (!data) throw complaint(body, error);
      this.#take(data);
    } catch (thrown) {
      this.#refuse(thrown, eventId);
    }
  }

  readBytes(): void {
    this.#refuse(wrong('Binary messages are not supported.', 'invalid_event', null), null);
  }

  /** The client is gone. */
  left(): void {
    for (const { response } of this.#responses.values()) response.cancel('client_cancelled');
  }

  /** Resolves when no response is under way. */
  async quiet(): Promise<void> {
    await Promise.all([...this.#responses.values()].map(({ ended }) => ended));
  }

  #take(event: ClientEvent): void {
    switch (event.type) {
      case 'session.update':
        return this.#update(event);
      case 'conversation.item.create':
        return this.#create(event);
      case 'conversation.item.retrieve': {
        const item = this.#conversation.find(event.item_id, 'retrieve');
        return this.#line.event('conversation.item.retrieved', { item: shown(item, true) });
      }
      case 'conversation.item.truncate':
        return this.#truncate(event);
      case 'conversation.item.delete':
        this.#conversation.remove(this.#conversation.find(event.item_id, 'delete'));
        return this.#line.event('conversation.item.deleted', { item_id: event.item_id });
      case 'input_audio_buffer.append':
        return this.#ear.append(event.audio);
      case 'input_audio_buffer.commit':
        return this.#ear.commit();
      case 'input_audio_buffer.clear':
        return this.#ear.clear();
      case 'response.create':
        return this.#respond(event.response ?? {});
      case 'response.cancel':
        return this.#cancel(event);
    }
  }

  #update({ session }: Event<'session.update'>): void {
    const { model } = this.#options;
    if (session.model !== undefined && session.model !== model)
      throw wrong(
        `The model of a session cannot be changed: it is '${model}'.`,
        'invalid_value',
        'session.model',
      );
    const parts = this.#conversation.items.flatMap(({ content }) => content ?? []);
    const hasSpoken = parts.some(({ type }) => type === 'output_audio');
    this.#settings = updated(this.#settings, session, hasSpoken);
    this.#line.event('session.updated', { session: this.#shown });
  }

  #create({ item: given, previous_item_id: after }: Event<'conversation.item.create'>): void {
    const item = itemOf(given, this.#newId('item'), audio => this.#ear.heard(audio));
    if (item.type === 'function_call_output' && !this.#hasCalled(item.call_id))
      throw wrong(
        `Tool call ID '${item.call_id}' not found in conversation.`,
        'invalid_tool_call_id',
        'item.call_id',
      );
    this.#add(item, after);
  }

  #hasCalled(id: string | undefined): boolean {
    return this.#conversation.items.some(item => item.type === 'function_call' && item.call_id === id);
  }

  #truncate({ item_id, content_index, audio_end_ms }: Event<'conversation.item.truncate'>): void {
    const item = this.#conversation.find(item_id, 'truncate');
    const part = item.content?.[content_index];
    if (part?.type !== 'output_audio')
      throw wrong('Only model output audio messages can be truncated.', 'invalid_value', 'item_id');
    const { audioMs = 0, audio } = part;
    if (audio_end_ms > audioMs)
      throw wrong(
        `Audio content of ${audioMs}ms is already shorter than ${audio_end_ms}ms.`,
        'invalid_value',
        'audio_end_ms',
      );
    const bytes = audio_end_ms * bytesAMs(this.#settings.audio.output.format);
    const kept = { ...(audio && { audio: audio.subarray(0, bytes) }), audioMs: audio_end_ms };
    item.content?.splice(content_index, 1, { type: 'output_audio', ...kept });
    this.#line.event('conversation.item.truncated', { item_id, content_index, audio_end_ms });
  }

  #turn(kind: 'started' | 'stopped'): void {
    const detection = this.#settings.audio.input.turn_detection;
    if (kind === 'started' && detection?.interrupt_response) this.#active?.cancel('turn_detected');
    if (kind === 'stopped' && detection?.create_response)
      void this.#untilFree().then(() => this.#respondSafely());
  }

  #add(item: Item, after?: string | null): void {
    const previous_item_id = this.#conversation.add(item, after);
    const fields = { previous_item_id, item: shown(item) };
    this.#line.event('conversation.item.added', fields);
    this.#line.event('conversation.item.done', fields);
  }

  #respond(given: ResponseSettings): void {
    const { mind, line, model, fault, traffic } = this.#options;
    const apart = given.conversation === 'none';
    if (!apart && this.#active)
      throw wrong(
        `Conversation already has an active response in progress: ${this.#active.id}. Wait until the response is finished before creating a new one.`,
        'conversation_already_has_active_response',
        null,
      );
    if (this.#responses.size >= mostResponses)
      throw new Refusal(429, 'Too many responses at once.', 'rate_limit_exceeded');
    const settings = forResponse(this.#settings, given);
    const response = new Response({
      id: this.#newId('resp'),
      conversationId: apart ? null : `conv_${this.#options.id}`,
      conversation: apart ? null : this.#conversation,
      newItemId: () => this.#newId('item'),
      asked: promptOf(model, this.#itemsFor(given), settings),
      metadata: given.metadata ?? null,
      ...{ line, settings, fault, mind },
    });
    if (!apart) this.#active = response;
    const count = traffic.answers();
    const ended = runSafely(response, line).then(({ how, usage }) => {
      if (this.#active === response) this.#active = undefined;
      this.#responses.delete(response.id);
      count(how, usage);
    });
    this.#responses.set(response.id, { response, ended });
  }

  #itemsFor({ input }: ResponseSettings): readonly Item[] {
    if (!input) return this.#conversation.items;
    return input.map(given =>
      given.type === 'item_reference'
        ? this.#conversation.find(given.id, 'reference')
        : itemOf(given, this.#newId('item'), audio => this.#ear.heard(audio)),
    );
  }

  #cancel({ response_id: id }: Event<'response.cancel'>): void {
    const response = id ? this.#responses.get(id)?.response : this.#active;
    if (!response)
      throw wrong('Cancellation failed: no active response found', 'response_cancel_not_active', null);
    response.cancel('client_cancelled');
  }

  /** Until a response that was interrupted has said so. */
  async #untilFree(): Promise<void> {
    if (this.#active) await this.#responses.get(this.#active.id)?.ended;
  }

  #respondSafely(): void {
    if (!this.#line.open) return;
    try {
      this.#respond({});
    } catch (thrown) {
      this.#refuse(thrown, null);
    }
  }

  #refuse(thrown: unknown, eventId: string | null): void {
    const { status, code, message, param } = toRefusal(thrown);
    const type = status < 500 ? 'invalid_request_error' : 'server_error';
    this.#line.event('error', { error: { type, code, message, param, event_id: eventId } });
  }

  #newId(prefix: 'item' | 'resp'): string {
    return `${prefix}_${this.#options.id}_${(++this.#count).toString(16)}`;
  }

  get #shown() {
    const { id, model } = this.#options;
    const named = { type: 'realtime', object: 'realtime.session', id: `sess_${id}`, model };
    return { ...named, expires_at: this.#expiresAt, ...this.#settings };
  }
}

/** What fails by a mistake of the simulator's own ends the session. */
function runSafely(response: Response, line: Line): Promise<Ended> {
  return response.run().catch((): Ended => {
    line.close(1011, 'internal error');
    return { how: 'spoilt', usage: { input: 0, output: 0 } };
  });
}

/** @throws Refusal */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong('The message is not valid JSON.', 'invalid_event', null);
  }
}

function idIn(body: unknown): string | null {
  const id = typeof body === 'object' && body !== null && Reflect.get(body, 'event_id');
  return typeof id === 'string' ? id : null;
}
