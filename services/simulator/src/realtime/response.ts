import { marked } from '../faults/mark.ts';
import type { Answer, Thought } from '../mind/answer.ts';
import type { Mind } from '../mind/mind.ts';
import type { Stats } from '../traffic.ts';
import { shown } from './conversation.ts';
import { isGood, type SessionFault, strike } from './fault.ts';
import type { Line } from './line.ts';
import type { Asked } from './prompt.ts';
import type { SessionSettings } from './settings.ts';
import { usageOf } from './usage.ts';
import { voiced } from './voice.ts';
import { type Sound, Writer, type WriterOptions } from './writer.ts';

export type CancelReason = 'turn_detected' | 'client_cancelled';

export interface ResponseOptions extends Pick<WriterOptions, 'conversation' | 'newItemId'> {
  id: string;
  conversationId: string | null;
  line: Line;
  asked: Asked;
  settings: SessionSettings;
  metadata: Record<string, string> | null;
  fault: SessionFault | null;
  mind: Mind;
}

/** How a response ended, and what it cost, if that counts. */
export interface Ended {
  how: 'good' | 'cancelled' | 'spoilt';
  usage: Stats['usage'];
}

type Status = 'in_progress' | 'completed' | 'cancelled' | 'incomplete' | 'failed';

const someTokens = 5;
const longDelta = 'x'.repeat(3 * 1024 * 1024);
const overload = {
  type: 'server_error',
  code: 'server_is_overloaded',
  message: "The model's name asks for a failure.",
};

/** One answer of the model, written at its pace. */
export class Response {
  readonly id: string;
  readonly #options: ResponseOptions;
  readonly #writer: Writer;
  readonly #spoken: boolean;
  #cancelled: CancelReason | null = null;
  #wake = () => {};
  #tokens = 0;
  #audioMs = 0;

  constructor(options: ResponseOptions) {
    this.id = options.id;
    this.#options = options;
    this.#spoken = options.settings.output_modalities[0] === 'audio';
    const { line, conversation, newItemId, id: responseId } = options;
    this.#writer = new Writer({ line, conversation, newItemId, responseId, spoken: this.#spoken });
  }

  cancel(reason: CancelReason): void {
    this.#cancelled ??= reason;
    this.#wake();
  }

  /** Resolves when it is at its end, or its client is gone. */
  async run(): Promise<Ended> {
    const { line, mind, asked, fault } = this.#options;
    const plain = mind.answer(asked.prompt);
    const answer = fault?.name === 'u2028' ? marked(plain, 'u2028') : plain;
    this.#event('response.created', 'in_progress', null);
    const [thought] = answer.thoughts;
    if (fault?.name === 'error-first' || !thought) return this.#fail(answer);
    await this.#write(thought, answer);
    if (fault?.name === 'stall') await line.gone();
    const { input_tokens: input, output_tokens: output } = this.#usage(answer);
    const usage = { input, output };
    if (!line.open) return { how: line.ended ? 'spoilt' : 'cancelled', usage };
    if (fault?.name === 'error') return this.#fail(answer);
    this.#writer.end(this.#cancelled || thought.finish === 'length' ? 'incomplete' : 'completed');
    if (fault?.name !== 'no-end') this.#done(thought, answer);
    return { how: this.#cancelled ? 'cancelled' : isGood(fault) ? 'good' : 'spoilt', usage };
  }

  async #write({ steps }: Thought, { pace }: Answer): Promise<void> {
    const { line, fault, settings } = this.#options;
    const words = steps.filter(({ kind }) => kind === 'text' || kind === 'refusal') as { text: string }[];
    const sounds = this.#spoken
      ? voiced(
          words.map(({ text }) => text),
          settings.audio.output,
        )
      : null;
    const next = () => sounds?.next().value ?? null;
    let due = performance.now() + pace.firstMs;
    await this.#until(due);
    for (const step of steps) {
      due += pace.intervalMs;
      if (pace.intervalMs > 0) await this.#until(due);
      await line.drained();
      if (this.#cancelled || !line.open || line.silent) return;
      if (step.kind === 'text' || step.kind === 'refusal') this.#say(step.text, next());
      if (step.kind === 'call') this.#writer.call(step.call);
      if (step.kind === 'input') this.#writer.argue(step.text);
      if (++this.#tokens === someTokens) this.#strike();
      if (this.#tokens === someTokens && fault?.name === 'error') return;
    }
    if (this.#tokens < someTokens) this.#strike();
    if (words.length > 0) for (let sound = next(); sound; sound = next()) this.#say('', sound);
  }

  #say(token: string, sound: Sound | null): void {
    this.#audioMs += sound?.ms ?? 0;
    this.#writer.say(token, sound);
  }

  #strike(): void {
    const { fault, line } = this.#options;
    if (fault?.name === 'line') this.#writer.say(longDelta, null, { passing: true });
    strike(fault, line);
  }

  #done({ finish }: Thought, answer: Answer): void {
    const usage = this.#usage(answer);
    if (this.#cancelled)
      this.#event('response.done', 'cancelled', { type: 'cancelled', reason: this.#cancelled }, usage);
    else if (finish === 'length' || finish === 'blocked') {
      const reason = finish === 'length' ? 'max_output_tokens' : 'content_filter';
      this.#event('response.done', 'incomplete', { type: 'incomplete', reason }, usage);
    } else this.#event('response.done', 'completed', null, usage);
    const limits = [
      { name: 'requests', limit: 10_000, remaining: 9_999, reset_seconds: 0.006 },
      { name: 'tokens', limit: 4_000_000, remaining: 4_000_000 - usage.total_tokens, reset_seconds: 0.01 },
    ];
    this.#options.line.event('rate_limits.updated', { rate_limits: limits });
  }

  #fail(answer: Answer): Ended {
    const { line } = this.#options;
    this.#writer.end('incomplete');
    line.event('error', { error: { ...overload, param: null, event_id: null } });
    this.#event('response.done', 'failed', { type: 'failed', error: overload }, this.#usage(answer));
    return { how: 'spoilt', usage: { input: 0, output: 0 } };
  }

  #event(type: string, status: Status, details: object | null, usage: object | null = null): void {
    const { id, conversationId, line, metadata, settings } = this.#options;
    const { format, voice } = settings.audio.output;
    const response = {
      object: 'realtime.response',
      id,
      status,
      status_details: details,
      output: this.#writer.output.map(item => shown(item)),
      conversation_id: conversationId,
      output_modalities: settings.output_modalities,
      max_output_tokens: settings.max_output_tokens,
      audio: { output: { format, voice } },
      usage,
      metadata,
    };
    line.event(type, { response });
  }

  #usage(answer: Answer) {
    return usageOf(this.#options.asked, answer, { tokens: this.#tokens, audioMs: this.#audioMs });
  }

  /** Until a time of `performance.now()`, or until it is cancelled. */
  #until(due: number): Promise<void> {
    const ms = due - performance.now();
    if (ms <= 0 || this.#cancelled) return Promise.resolve();
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
