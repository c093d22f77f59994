import type { Clock } from '@model-gateway/clock';
import type { RealtimeStatusDetails, RealtimeUsage } from '@model-gateway/formats';
import { tone } from '../audio/sound.ts';
import { msPerCharacter, msPerOutputToken } from '../audio/speech.ts';
import { marked } from '../faults/stream-faults.ts';
import type { Answer, Reply } from '../responder/answer.ts';
import type { Responder } from '../responder/responder.ts';
import type { ResponseEnd } from '../traffic.ts';
import { bytesPerMs, objectOf, type RealtimePrompt } from './conversation.ts';
import { applyFault, isGood, type SessionFault } from './fault.ts';
import { ItemWriter, type ItemWriterOptions } from './item-writer.ts';
import type { SessionSettings } from './request.ts';

interface ResponseOptions extends Omit<ItemWriterOptions, 'responseId' | 'spoken'> {
  id: string;
  conversationId: string;
  input: RealtimePrompt;
  settings: SessionSettings;
  metadata: Record<string, string> | null;
  fault: SessionFault | null;
  responder: Responder;
  clock: Clock;
}

/** Faults occur after this number of tokens. */
const tokensBeforeFault = 5;
const longDelta = 'x'.repeat(3 * 1024 * 1024);
const overload = {
  type: 'server_error',
  code: 'server_is_overloaded',
  message: 'The name of the model requests a failure.',
};

/** One answer of the model, written at its pace. */
export class Response {
  readonly id: string;
  readonly #options: ResponseOptions;
  readonly #writer: ItemWriter;
  readonly #spoken: boolean;
  readonly #cancelling = new AbortController();
  #tokens = 0;
  #audioMs = 0;

  constructor(options: ResponseOptions) {
    this.id = options.id;
    this.#options = options;
    this.#spoken = options.settings.output_modalities[0] === 'audio';
    this.#writer = new ItemWriter({ ...options, responseId: options.id, spoken: this.#spoken });
  }

  cancel(): void {
    this.#cancelling.abort();
  }

  get #cancelled(): boolean {
    return this.#cancelling.signal.aborted;
  }

  /** Resolves when the response has ended or the client has left. */
  async run(): Promise<ResponseEnd> {
    const { client, responder, input, fault } = this.#options;
    const plain = responder.answer(input.prompt);
    const answer = fault?.name === 'u2028' ? marked(plain, 'u2028') : plain;
    this.#event('response.created', null, null);
    const [reply] = answer.replies as [Reply];
    if (fault?.name === 'error-first') return this.#fail(answer);
    await this.#write(reply, answer);
    if (fault?.name === 'stall') await client.closed();
    const { input_tokens, output_tokens } = this.#usage(answer);
    const usage = { input: input_tokens, output: output_tokens };
    if (!client.open) return { status: client.ended ? 'faulty' : 'cancelled', usage };
    if (fault?.name === 'error') return this.#fail(answer);
    this.#writer.end(this.#cancelled || reply.finish === 'length' ? 'incomplete' : 'completed');
    if (fault?.name !== 'no-end') this.#done(reply, answer);
    return { status: this.#cancelled ? 'cancelled' : isGood(fault) ? 'completed' : 'faulty', usage };
  }

  async #write({ steps }: Reply, { pace }: Answer): Promise<void> {
    const { client, fault, clock } = this.#options;
    let due = clock.monotonic() + pace.firstMs;
    await this.#until(due);
    for (const step of steps) {
      due += pace.intervalMs;
      if (pace.intervalMs > 0) await this.#until(due);
      await client.drained();
      if (this.#cancelled || !client.open || client.silent) return;
      if (step.kind === 'text' || step.kind === 'refusal') this.#writeText(step.text);
      if (step.kind === 'call') this.#writer.call(step.call);
      if (step.kind === 'input') this.#writer.addArguments(step.text);
      if (++this.#tokens === tokensBeforeFault) this.#fault();
      if (this.#tokens === tokensBeforeFault && fault?.name === 'error') return;
    }
    if (this.#tokens < tokensBeforeFault) this.#fault();
  }

  #writeText(token: string): void {
    const { speed } = this.#options.settings.audio.output;
    const audio = this.#spoken ? tone(([...token].length * msPerCharacter) / speed) : null;
    this.#audioMs += (audio?.length ?? 0) / bytesPerMs;
    this.#writer.write(token, audio);
  }

  #fault(): void {
    const { fault, client } = this.#options;
    if (fault?.name === 'line') this.#writer.writeDelta(longDelta);
    applyFault(fault, client);
  }

  #done({ finish }: Reply, answer: Answer): void {
    const usage = this.#usage(answer);
    this.#event('response.done', this.#details(finish), usage);
    const limits = [
      { name: 'requests', limit: 10_000, remaining: 9_999, reset_seconds: 0.006 },
      { name: 'tokens', limit: 4_000_000, remaining: 4_000_000 - usage.total_tokens, reset_seconds: 0.01 },
    ];
    this.#options.client.event('rate_limits.updated', { rate_limits: limits });
  }

  #details(finish: Reply['finish']): RealtimeStatusDetails {
    if (this.#cancelled) return { type: 'cancelled', reason: 'client_cancelled' };
    if (finish === 'length') return { type: 'incomplete', reason: 'max_output_tokens' };
    return finish === 'blocked' ? { type: 'incomplete', reason: 'content_filter' } : { type: 'completed' };
  }

  #fail(answer: Answer): ResponseEnd {
    this.#writer.end('incomplete');
    this.#options.client.error(overload);
    this.#event('response.done', { type: 'failed', error: overload }, this.#usage(answer));
    return { status: 'faulty', usage: { input: 0, output: 0 } };
  }

  #event(type: string, details: RealtimeStatusDetails | null, usage: RealtimeUsage | null): void {
    const { id, conversationId, client, metadata, settings } = this.#options;
    const { format, voice } = settings.audio.output;
    const response = {
      object: 'realtime.response',
      id,
      status: details?.type ?? 'in_progress',
      status_details: details?.type === 'completed' ? null : details,
      output: this.#writer.output.map(objectOf),
      conversation_id: conversationId,
      output_modalities: settings.output_modalities,
      max_output_tokens: settings.max_output_tokens,
      audio: { output: { format, voice } },
      usage,
      metadata,
    };
    client.event(type, { response });
  }

  #usage({ usage: { input, cachedInput: cached_tokens } }: Answer): RealtimeUsage {
    const { audioTokens } = this.#options.input;
    const audio = Math.ceil(this.#audioMs / msPerOutputToken);
    const cached_tokens_details = { text_tokens: cached_tokens, audio_tokens: 0, image_tokens: 0 };
    const input_token_details = { text_tokens: input, audio_tokens: audioTokens, image_tokens: 0 };
    return {
      total_tokens: input + audioTokens + this.#tokens + audio,
      input_tokens: input + audioTokens,
      output_tokens: this.#tokens + audio,
      input_token_details: { ...input_token_details, cached_tokens, cached_tokens_details },
      output_token_details: { text_tokens: this.#tokens, audio_tokens: audio },
    };
  }

  /** Waits until a time of the monotonic clock, or until the response is cancelled. */
  async #until(due: number): Promise<void> {
    const { clock } = this.#options;
    const ms = due - clock.monotonic();
    if (ms > 0) await clock.sleep(ms, this.#cancelling).catch(() => {});
  }
}
