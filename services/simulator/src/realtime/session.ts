import type { RealtimeTranscriptUsage } from '@model-gateway/wire';
import { ApiError, toApiError } from '../api-error.ts';
import { transcriptOf } from '../audio/transcript.ts';
import { readJson } from '../body.ts';
import { badRequest, validated } from '../openai-error.ts';
import type { Responder } from '../responder/responder.ts';
import { tokensOf } from '../responder/tokens.ts';
import type { Traffic } from '../traffic.ts';
import type { ClientSocket } from './client-socket.ts';
import {
  audioTokens,
  bytesPerMs,
  Conversation,
  type Item,
  itemOf,
  type Part,
  promptOf,
  shown,
} from './conversation.ts';
import type { SessionFault } from './fault.ts';
import {
  type ClientEvent,
  clientEvent,
  isFields,
  mergeSettings,
  type ResponseSettings,
  type SessionSettings,
  session,
} from './request.ts';
import { type Ended, Response } from './response.ts';

const sessionMs = 3_600_000;
const maxResponses = 100;
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

type Event<Type extends ClientEvent['type']> = Extract<ClientEvent, { type: Type }>;

export class Session {
  readonly #options: SessionOptions;
  readonly #client: ClientSocket;
  readonly #conversation = new Conversation();
  readonly #responses = new Map<string, { response: Response; ended: Promise<void> }>();
  readonly #expiresAt = Math.floor((Date.now() + sessionMs) / 1_000);
  /** The settings as the client gave them; `#settings` has the defaults of the others. */
  #given: Record<string, unknown> = { type: 'realtime' };
  #settings: SessionSettings = session.parse(this.#given);
  /** The response that writes to the conversation. */
  #active: Response | undefined;
  /** The length of the audio that is not committed. */
  #audioMs = 0;
  #count = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#client = options.client;
    this.#client.event('session.created', { session: this.#shown });
    if (options.fault?.name === 'deaf') this.#client.stopReading();
  }

  /** Handles an event of the client. An invalid one is answered with an error event. */
  read(text: string): void {
    let eventId: string | null = null;
    try {
      const body = readJson(text);
      if (isFields(body) && typeof body.event_id === 'string') eventId = body.event_id;
      const data = validated(clientEvent, body);
      this.#handle(data, body as Record<string, unknown>);
    } catch (thrown) {
      this.#sendError(thrown, eventId);
    }
  }

  readBytes(): void {
    this.#sendError(badRequest('Binary messages are not supported.', 'invalid_event', null), null);
  }

  /** Cancels the responses of a client that has left. */
  left(): void {
    for (const { response } of this.#responses.values()) response.cancel();
  }

  /** Resolves when no response is in progress. */
  async idle(): Promise<void> {
    await Promise.all([...this.#responses.values()].map(({ ended }) => ended));
  }

  /** `body` is the event before defaults were added. */
  #handle(event: ClientEvent, body: Record<string, unknown>): void {
    switch (event.type) {
      case 'session.update':
        return this.#update(event, isFields(body.session) ? body.session : {});
      case 'conversation.item.create':
        return this.#create(event);
      case 'conversation.item.retrieve': {
        const item = this.#conversation.find(event.item_id, 'retrieve');
        return this.#client.event('conversation.item.retrieved', { item: shown(item) });
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
        return this.#respond(event.response ?? {}, isFields(body.response) ? body.response : {});
      case 'response.cancel':
        return this.#cancel(event);
    }
  }

  #update({ session: { model } }: Event<'session.update'>, given: Record<string, unknown>): void {
    if (model !== undefined && model !== this.#options.model)
      throw badRequest(
        `The model of a session cannot be changed: it is '${this.#options.model}'.`,
        'invalid_value',
        'session.model',
      );
    this.#given = mergeSettings(this.#given, given);
    this.#settings = session.parse(this.#given);
    this.#client.event('session.updated', { session: this.#shown });
  }

  #create({ item: given }: Event<'conversation.item.create'>): void {
    const item = itemOf(given, this.#newId('item'), hear);
    const calls = this.#conversation.items.filter(({ type }) => type === 'function_call');
    if (item.type === 'function_call_output' && !calls.some(call => call.call_id === item.call_id))
      throw badRequest(
        `Tool call ID '${item.call_id}' not found in conversation.`,
        'invalid_tool_call_id',
        'item.call_id',
      );
    this.#add(item);
  }

  #commit(): void {
    const ms = this.#audioMs;
    if (ms < minCommitMs)
      throw badRequest(
        `Error committing input audio buffer: buffer too small. Expected at least ${minCommitMs}ms of audio, but buffer only has ${ms.toFixed(2)}ms of audio.`,
        'input_audio_buffer_commit_empty',
        null,
      );
    this.#audioMs = 0;
    const id = this.#newId('item');
    const part: Part = { type: 'input_audio', transcript: null, ...hear(ms * bytesPerMs) };
    const previous_item_id = this.#conversation.last?.id ?? null;
    this.#client.event('input_audio_buffer.committed', { previous_item_id, item_id: id });
    this.#add({ id, type: 'message', status: 'completed', role: 'user', content: [part] });
    const { transcription } = this.#settings.audio.input;
    if (transcription) this.#transcribe(id, part, transcription.model ?? '');
  }

  /** Sends the transcript of a part. A model whose name begins with `fault-` fails. */
  #transcribe(item_id: string, part: Part, model: string): void {
    const { spoken = '', audioMs = 0 } = part;
    const event = (name: string, fields: object) =>
      this.#client.event(`conversation.item.input_audio_transcription.${name}`, {
        item_id,
        content_index: 0,
        ...fields,
      });
    if (model.startsWith('fault-')) {
      const message = `Input transcription failed for item '${item_id}'.`;
      return event('failed', { error: { type: 'server_error', code: 'server_error', message, param: null } });
    }
    part.transcript = spoken;
    event('delta', { delta: spoken });
    event('completed', { transcript: spoken, usage: transcriptUsage(audioMs, tokensOf(spoken).length) });
  }

  #add(item: Item): void {
    const fields = { previous_item_id: this.#conversation.add(item), item: shown(item) };
    this.#client.event('conversation.item.added', fields);
    this.#client.event('conversation.item.done', fields);
  }

  #respond(
    request: Pick<ResponseSettings, 'conversation' | 'metadata'>,
    given: Record<string, unknown>,
  ): void {
    const { client, model, traffic } = this.#options;
    const apart = request.conversation === 'none';
    if (!apart && this.#active)
      throw badRequest(
        `Conversation already has an active response in progress: ${this.#active.id}. Wait until the response is finished before creating a new one.`,
        'conversation_already_has_active_response',
        null,
      );
    if (this.#responses.size >= maxResponses)
      throw new ApiError(429, 'Too many responses at once.', 'rate_limit_exceeded');
    const { metadata: _metadata, conversation: _conversation, ...own } = given;
    const settings = session.parse(mergeSettings(this.#given, own));
    const response = new Response({
      ...this.#options,
      id: this.#newId('resp'),
      conversationId: apart ? null : `conv_${this.#options.id}`,
      conversation: apart ? null : this.#conversation,
      newItemId: () => this.#newId('item'),
      asked: promptOf(model, this.#conversation.items, settings),
      metadata: request.metadata ?? null,
      settings,
    });
    if (!apart) this.#active = response;
    const ended = runSafely(response, client, traffic.trackResponse()).then(() => {
      if (this.#active === response) this.#active = undefined;
      this.#responses.delete(response.id);
    });
    this.#responses.set(response.id, { response, ended });
  }

  #cancel({ response_id: id }: Event<'response.cancel'>): void {
    const response = id ? this.#responses.get(id)?.response : this.#active;
    if (response) return response.cancel();
    throw badRequest('Cancellation failed: no active response found', 'response_cancel_not_active', null);
  }

  #sendError(thrown: unknown, eventId: string | null): void {
    const { status, code, message, param } = toApiError(thrown);
    const type = status < 500 ? 'invalid_request_error' : 'server_error';
    this.#client.event('error', { error: { type, code, message, param, event_id: eventId } });
  }

  #newId(prefix: 'item' | 'resp'): string {
    return `${prefix}_${this.#options.id}_${(++this.#count).toString(16)}`;
  }

  get #shown() {
    const { id, model } = this.#options;
    const named = { object: 'realtime.session', id: `sess_${id}`, expires_at: this.#expiresAt };
    return { ...named, ...this.#settings, model };
  }
}

/** The length of audio and the words in it. */
function hear(bytes: number): Partial<Part> {
  const audioMs = bytes / bytesPerMs;
  return { audioMs, spoken: transcriptOf(audioMs / 1_000).text };
}

/** Runs a response and counts it. An error of the simulator itself ends the session. */
async function runSafely(
  response: Response,
  client: ClientSocket,
  count: (how: Ended['how'], usage: Ended['usage']) => void,
): Promise<void> {
  try {
    const { how, usage } = await response.run();
    count(how, usage);
  } catch {
    client.close(1011, 'internal error');
    count('faulty', { input: 0, output: 0 });
  }
}

/** The usage of a transcript of audio of a length. */
function transcriptUsage(ms: number, words: number): RealtimeTranscriptUsage {
  const audio = audioTokens(ms);
  return {
    type: 'tokens',
    total_tokens: audio + words,
    input_tokens: audio,
    input_token_details: { text_tokens: 0, audio_tokens: audio },
    output_tokens: words,
  };
}
