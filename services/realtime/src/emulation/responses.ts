import type { RealtimeEvent, RealtimeResponseSettings, RealtimeStatusDetails } from '@model-gateway/formats';
import { newResponse, type OutputSink, ResponseWriter } from '@model-gateway/formats/realtime';
import { jsonWeight } from '@model-gateway/json';
import { AudioWriter, bytesPerMs } from './audio-format.ts';
import { invalid } from './check.ts';
import type { Item } from './item.ts';
import type { Items } from './items.ts';
import type { Models } from './models.ts';
import { Running } from './running.ts';
import type { ResponseSettings } from './settings.ts';
import { Speaker, spokenIn } from './speaker.ts';
import type { Transcripts } from './transcripts.ts';

/** The most responses of one session in progress. */
export const maxRunning = 8;

export interface ResponsesOptions {
  conversationId: string;
  items: Items;
  transcripts: Transcripts;
  models: Models;
  /** Context window of the model, in tokens; undefined if unknown. */
  context: number | undefined;
  newId(prefix: string): string;
  emit(event: RealtimeEvent): void;
  /** Called when a response of the conversation is over. */
  ended(): void;
}

/** Responses of a session in progress: one of the conversation, and others outside of it. */
export class Responses {
  readonly #options: ResponsesOptions;
  readonly #running = new Set<Running>();
  #spoken = false;

  constructor(options: ResponsesOptions) {
    this.#options = options;
  }

  /** True if the session has sent audio. */
  get spoken(): boolean {
    return this.#spoken;
  }

  /** The conversation's response in progress. */
  get active(): Running | undefined {
    return [...this.#running].find(({ inConversation }) => inConversation);
  }

  /** @throws GatewayError of kind `invalid-request` if no further response can begin */
  check(inConversation: boolean): void {
    const { active } = this;
    if (inConversation && active)
      throw invalid(
        null,
        `Conversation already has an active response in progress: ${active.id}. Wait until the response is finished before creating a new one.`,
        'conversation_already_has_active_response',
      );
    if (this.#running.size >= maxRunning)
      throw invalid(null, `At most ${maxRunning} responses can be in progress.`, 'too_many_responses');
    if (inConversation) this.#options.items.checkRoom();
  }

  /** Starts a response to the items. */
  start(
    inConversation: boolean,
    settings: ResponseSettings,
    items: Item[],
    metadata: RealtimeResponseSettings['metadata'],
  ): void {
    const { models, newId, context, transcripts, conversationId } = this.#options;
    const abort = new AbortController();
    const id = newId('resp');
    const speaker = this.#speaker(settings, abort.signal, thrown => running.fail(thrown));
    const response = newResponse(id, inConversation ? conversationId : null, settings, metadata ?? null);
    const running = new Running({
      id,
      inConversation,
      settings,
      writer: new ResponseWriter(response, this.#sink(inConversation, settings, speaker)),
      speaker,
      abort,
      models,
      ended: () => this.#ended(running),
    });
    this.#running.add(running);
    const fitting = itemsThatFit(items, settings, context);
    void running.run(fitting, transcripts.written(fitting));
  }

  /** Cancels a response and returns it. @throws GatewayError of kind `invalid-request` if there is none */
  cancel(id: string | undefined): Running {
    const running = id === undefined ? this.active : [...this.#running].find(each => each.id === id);
    if (!running)
      throw invalid(
        id === undefined ? null : 'response_id',
        'Cancellation failed: no active response found.',
        'response_cancel_not_active',
      );
    running.end({ type: 'cancelled', reason: 'client_cancelled' });
    return running;
  }

  endAll(details: RealtimeStatusDetails): void {
    for (const running of [...this.#running]) running.end(details);
  }

  #ended(running: Running): void {
    this.#running.delete(running);
    // Runs after the response's last event is emitted.
    if (running.inConversation) queueMicrotask(() => this.#options.ended());
  }

  #speaker(
    { audio, output_modalities }: ResponseSettings,
    signal: AbortSignal,
    onFailure: (thrown: unknown) => void,
  ): Speaker | undefined {
    if (output_modalities[0] !== 'audio') return undefined;
    const { models } = this.#options;
    const { voice, speed } = audio;
    const named = typeof voice === 'string' ? voice : { id: voice.id };
    return new Speaker(
      async (text, onAudio) => models.speak?.({ text, voice: named, speed }, signal, onAudio),
      onFailure,
    );
  }

  #sink(inConversation: boolean, { audio }: ResponseSettings, speaker: Speaker | undefined): OutputSink {
    const { items, newId, emit } = this.#options;
    return {
      emit,
      newId: () => newId('item'),
      ...(inConversation && { add: (item: Item) => items.insert(item) }),
      finished: item => items.measure(item),
      ...(speaker && {
        speak: (item, send) =>
          spokenIn(item, speaker, () => {
            const writer = new AudioWriter(audio.format);
            return bytes => {
              this.#spoken = true;
              const written = writer.write(bytes);
              const delta = written.toString('base64');
              if (delta !== '') send(delta);
              return written.length / bytesPerMs(audio.format);
            };
          }),
      }),
    };
  }
}

/** Average characters per token of ordinary text, and the estimated tokens of an image. */
const charactersPerToken = 4;
const imageTokens = 1_000;
/** Tokens reserved for an answer without `max_output_tokens`. */
const answerTokens = 4_096;

/** Returns the latest items that fit the context and the `truncation`; all if the context is unknown. */
function itemsThatFit(
  items: readonly Item[],
  { truncation, instructions, max_output_tokens }: ResponseSettings,
  context: number | undefined,
): readonly Item[] {
  if (context === undefined || truncation === 'disabled') return items;
  const answer = max_output_tokens === 'inf' ? Math.min(answerTokens, context / 2) : max_output_tokens;
  const limited = typeof truncation === 'object' ? truncation.token_limits?.post_instructions : undefined;
  const room = Math.min(
    context - answer - instructions.length / charactersPerToken,
    limited ?? Number.POSITIVE_INFINITY,
  );
  const sizes = items.map(tokensOf);
  const all = sizes.reduce((sum, size) => sum + size, 0);
  if (all <= room) return items;
  let over = all - room * (typeof truncation === 'object' ? truncation.retention_ratio : 1);
  // The last item is always sent, since it is to be answered.
  const from = sizes.slice(0, -1).findIndex(size => {
    if (over <= 0) return true;
    over -= size;
    return false;
  });
  return items.slice(from < 0 ? -1 : from);
}

function tokensOf({ object }: Item): number {
  if (object.type !== 'message') return jsonWeight(object) / charactersPerToken;
  return object.content.reduce((sum, part) => {
    if (part.type === 'input_image') return sum + imageTokens;
    const text = 'text' in part ? part.text : part.transcript;
    return sum + (text?.length ?? 0) / charactersPerToken;
  }, 4);
}
