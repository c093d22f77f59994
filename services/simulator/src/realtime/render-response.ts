import { noUsage, type Usage } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';
import type { RealtimeEvent, RealtimeStatusDetails } from '@model-gateway/formats';
import { newResponse, type OutputSink, ResponseWriter } from '@model-gateway/formats/realtime';
import { tone } from '../audio/sound.ts';
import { msPerCharacter, msPerOutputToken } from '../audio/speech.ts';
import { marked } from '../common/stream-faults.ts';
import type { ResponseEnd } from '../common/traffic.ts';
import type { Answer, Reply } from '../responder/answer.ts';
import { ReplyEvents } from '../responder/events.ts';
import type { Pace } from '../responder/pace.ts';
import type { Responder } from '../responder/responder.ts';
import type { ClientSocket } from './client-socket.ts';
import { bytesPerMs, type Conversation, type RealtimePrompt } from './conversation.ts';
import { applyFault, isGood, type SessionFault } from './fault.ts';
import type { SessionSettings } from './request.ts';

interface ResponseOptions {
  id: string;
  conversationId: string;
  client: ClientSocket;
  conversation: Conversation;
  newItemId(): string;
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
  readonly #cancelling = new AbortController();
  #lastDelta: RealtimeEvent | undefined;
  #tokens = 0;
  #audioMs = 0;

  constructor(options: ResponseOptions) {
    this.id = options.id;
    this.#options = options;
  }

  cancel(): void {
    this.#cancelling.abort();
  }

  get #cancelled(): boolean {
    return this.#cancelling.signal.aborted;
  }

  /** Resolves when the response has ended or the client has left. */
  async run(): Promise<ResponseEnd> {
    const { id, conversationId, client, responder, input, fault, settings, metadata } = this.#options;
    const plain = responder.answer(input.prompt);
    const answer = fault?.name === 'u2028' ? marked(plain, 'u2028') : plain;
    const { output } = settings.audio;
    const begun = newResponse(id, conversationId, { ...settings, audio: output }, metadata);
    const writer = new ResponseWriter(begun, this.#sink());
    const reply = new ReplyEvents(answer.replies[0] as Reply, 0, { callPrefix: 'call_' });
    if (fault?.name === 'error-first') return this.#fail(writer, answer);
    await this.#write(reply, writer, answer.pace);
    if (fault?.name === 'stall') await client.closed();
    const usage = this.#usage(answer);
    if (!client.open) return { status: client.ended ? 'faulty' : 'cancelled', usage };
    if (fault?.name === 'error') return this.#fail(writer, answer);
    const details = this.#cancelled
      ? ({ type: 'cancelled', reason: 'client_cancelled' } as const)
      : reply.closing(usage).reduce<RealtimeStatusDetails>((before, event) => writer.add(event) ?? before, {
          type: 'completed',
        });
    writer.close(details, usage);
    if (fault?.name !== 'no-end') this.#sendLimits(usage);
    return { status: this.#cancelled ? 'cancelled' : isGood(fault) ? 'completed' : 'faulty', usage };
  }

  #sink(): OutputSink {
    const { client, conversation, fault, settings, newItemId } = this.#options;
    const { speed } = settings.audio.output;
    return {
      newId: newItemId,
      add: item => conversation.add(item),
      finished: () => {},
      emit: event => {
        if (event.type === 'response.done' && fault?.name === 'no-end') return;
        // A client may have deleted the item from the conversation.
        if (event.type === 'conversation.item.done' && !conversation.has(event.item.id)) return;
        if (event.type.endsWith('.delta')) this.#lastDelta = event;
        client.event(event.type, event);
      },
      ...(settings.output_modalities[0] === 'audio' && {
        speak: (_item, send) => ({
          add: token => {
            const audio = tone(([...token].length * msPerCharacter) / speed);
            this.#audioMs += audio.length / bytesPerMs;
            send(audio.toString('base64'));
          },
          end: () => {},
        }),
      }),
    };
  }

  async #write(reply: ReplyEvents, writer: ResponseWriter, pace: Pace): Promise<void> {
    const { client, fault, clock } = this.#options;
    let due = clock.monotonic() + pace.firstMs;
    await this.#until(due);
    for (let token = 0; token < reply.tokens; token++) {
      due += pace.intervalMs;
      if (pace.intervalMs > 0) await this.#until(due);
      await client.drained();
      if (this.#cancelled || !client.open || client.silent) return;
      for (const event of [...(token === 0 ? reply.opening() : []), ...reply.next()]) writer.add(event);
      if (++this.#tokens === tokensBeforeFault) this.#fault();
      if (this.#tokens === tokensBeforeFault && fault?.name === 'error') return;
    }
    if (this.#tokens < tokensBeforeFault) this.#fault();
  }

  #fault(): void {
    const { fault, client } = this.#options;
    const last = this.#lastDelta;
    if (fault?.name === 'line' && last) client.event(last.type, { ...last, delta: longDelta });
    applyFault(fault, client);
  }

  #sendLimits({ input, output }: Usage): void {
    const remaining = 4_000_000 - input - output;
    const limits = [
      { name: 'requests', limit: 10_000, remaining: 9_999, reset_seconds: 0.006 },
      { name: 'tokens', limit: 4_000_000, remaining, reset_seconds: 0.01 },
    ];
    this.#options.client.event('rate_limits.updated', { rate_limits: limits });
  }

  #fail(writer: ResponseWriter, answer: Answer): ResponseEnd {
    this.#options.client.error(overload);
    writer.close({ type: 'failed', error: overload }, this.#usage(answer));
    return { status: 'faulty', usage: { input: 0, output: 0 } };
  }

  #usage({ usage: { input, cachedInput } }: Answer): Usage {
    const audioInput = this.#options.input.audioTokens;
    const audioOutput = Math.ceil(this.#audioMs / msPerOutputToken);
    return {
      ...{ ...noUsage, cachedInput, audioInput, audioOutput },
      ...{ input: input + audioInput, output: this.#tokens + audioOutput },
    };
  }

  /** Waits until a time of the monotonic clock, or until the response is cancelled. */
  async #until(due: number): Promise<void> {
    const { clock } = this.#options;
    const ms = due - clock.monotonic();
    if (ms > 0) await clock.sleep(ms, this.#cancelling).catch(() => {});
  }
}
