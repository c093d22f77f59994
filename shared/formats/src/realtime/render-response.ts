import {
  type FinishReason,
  GatewayError,
  type GenerateEvent,
  noUsage,
  type PartStart,
  type ReasoningPart,
  type Usage,
} from '@model-gateway/canonical';
import { incompleteReasons } from '../responses/finish.ts';
import {
  type RealtimeResponseObject,
  type RealtimeStatusDetails,
  type RealtimeTranscriptUsage,
  type RealtimeUsage,
  realtimeVoiceName,
} from './events.ts';
import type { Hidden } from './parse-items.ts';
import { copyOf, OutputCall, OutputMessage, type OutputSink } from './render-output.ts';
import type { RealtimeAudioFormat, RealtimeVoice } from './session.ts';

type Output = OutputMessage | OutputCall;

/** The most characters of one answer's texts, calls and reasoning. */
export const maxAnswer = 8 * 1024 * 1024;

/** Converts an answer's events to those of a response. Reasoning is stored with the item after it. */
export class ResponseWriter {
  readonly #response: RealtimeResponseObject;
  readonly #sink: OutputSink;
  readonly #outputs: Output[] = [];
  /** Outputs by the index of the part in the answer. */
  readonly #parts = new Map<number, Output | ReasoningPart>();
  readonly #ended = new Set<Output>();
  #reasoning: ReasoningPart[] = [];
  #refused = false;
  #characters = 0;
  #usage: Usage | null = null;

  constructor(response: RealtimeResponseObject, sink: OutputSink) {
    this.#response = response;
    this.#sink = sink;
    sink.emit({ type: 'response.created', response: { ...response } });
  }

  /**
   * Handles an event of the answer; after the last one returns how the response ends.
   * @throws GatewayError of kind `upstream` if the answer is too long
   */
  add(event: GenerateEvent): RealtimeStatusDetails | undefined {
    switch (event.type) {
      case 'start':
        return undefined;
      case 'part-start':
        if (!event.choice) this.#begin(event.index, event.part);
        return undefined;
      case 'part-delta': {
        this.#characters += event.text.length;
        if (this.#characters > maxAnswer) throw tooLong();
        const part = event.choice ? undefined : this.#parts.get(event.index);
        if (part && 'add' in part) part.add(event.text);
        else if (part) part.text += event.text;
        return undefined;
      }
      case 'part-end': {
        const part = event.choice ? undefined : this.#parts.get(event.index);
        if (part && 'item' in part) this.#end(part, event.signature && { signature: event.signature });
        else if (part && event.signature) part.signature = event.signature;
        return undefined;
      }
      case 'finish':
        this.#usage = event.usage;
        return this.#finish(event.reason);
      case 'choice-end':
      case 'result':
      case 'verbatim':
      case 'audio':
      case 'error':
        return undefined;
    }
  }

  /** Closes open items and emits `response.done`. `usage` is used if the answer reported none. */
  close(details: RealtimeStatusDetails, usage: Usage | null = null): void {
    const response = this.#response;
    const last = this.#outputs.at(-1);
    for (const output of this.#outputs) {
      const whole = details.type === 'completed' || (details.type === 'incomplete' && output !== last);
      output.close(whole ? 'completed' : 'incomplete');
    }
    response.status = details.type;
    response.status_details = details.type === 'completed' ? null : details;
    response.output = this.#outputs.map(({ item }) => copyOf(item));
    response.usage = renderUsage(this.#usage ?? usage);
    this.#sink.emit({ type: 'response.done', response: { ...response } });
  }

  #begin(index: number, part: PartStart): void {
    switch (part.type) {
      case 'refusal':
        this.#refused = true;
        this.#parts.set(index, this.#message());
        return;
      case 'text':
        this.#parts.set(index, this.#message());
        return;
      case 'tool-call':
        this.#closeEnded();
        this.#parts.set(
          index,
          this.#put(new OutputCall(this.#sink, this.#response.id, this.#outputs.length, part)),
        );
        return;
      case 'reasoning': {
        const reasoning: ReasoningPart = { ...part, type: 'reasoning', text: '' };
        this.#reasoning.push(reasoning);
        this.#parts.set(index, reasoning);
        return;
      }
      // The protocol has no events for these.
      case 'media':
      case 'opaque':
        return;
    }
  }

  /** Returns the open message, since adjacent texts are one message, or a new one. */
  #message(): OutputMessage {
    const last = this.#outputs.at(-1);
    if (last instanceof OutputMessage && !last.closed) return last;
    this.#closeEnded();
    return this.#put(new OutputMessage(this.#sink, this.#response.id, this.#outputs.length));
  }

  #put<T extends Output>(output: T): T {
    if (this.#reasoning.length > 0) output.item.hidden = { reasoning: this.#reasoning };
    this.#reasoning = [];
    this.#outputs.push(output);
    return output;
  }

  #end(output: Output, hidden: Hidden | undefined): void {
    this.#ended.add(output);
    if (hidden) output.item.hidden = { ...output.item.hidden, ...hidden };
  }

  /** Completes outputs that ended before the next one began; a spoken one closes after its audio. */
  #closeEnded(): void {
    for (const output of this.#ended) this.#complete(output);
    this.#ended.clear();
  }

  #complete(output: Output): void {
    if (output instanceof OutputMessage) output.written();
    if (!(output instanceof OutputMessage && output.spoken)) output.close('completed');
  }

  #finish(reason: FinishReason): RealtimeStatusDetails {
    const why = this.#refused ? 'content_filter' : incompleteReasons[reason];
    const last = this.#outputs.at(-1);
    for (const output of this.#outputs) if (output !== last || !why) this.#complete(output);
    if (last instanceof OutputMessage) last.written();
    return why ? { type: 'incomplete', reason: why } : { type: 'completed' };
  }
}

/** The settings of a response that it repeats. */
interface SpokenSettings extends Pick<RealtimeResponseObject, 'output_modalities' | 'max_output_tokens'> {
  audio: { format: RealtimeAudioFormat; voice: RealtimeVoice };
}

/** Returns a response that has just begun. */
export function newResponse(
  id: string,
  conversationId: string | null,
  { output_modalities, max_output_tokens, audio }: SpokenSettings,
  metadata: Record<string, string> | null,
): RealtimeResponseObject {
  const { format, voice } = audio;
  return {
    id,
    object: 'realtime.response',
    conversation_id: conversationId,
    status: 'in_progress',
    status_details: null,
    output: [],
    output_modalities,
    max_output_tokens,
    audio: { output: { format, voice: realtimeVoiceName(voice) } },
    metadata,
    usage: null,
  };
}

function tooLong(): GatewayError {
  return new GatewayError('upstream', `The model's answer is longer than ${maxAnswer} characters.`);
}

/** Renders usage with every field, since clients require them. */
export function renderUsage(usage: Usage | null): RealtimeUsage {
  const { input, cachedInput, audioInput, imageInput, output, audioOutput } = usage ?? noUsage;
  return {
    total_tokens: input + output,
    input_tokens: input,
    output_tokens: output,
    input_token_details: {
      text_tokens: Math.max(0, input - audioInput - imageInput),
      audio_tokens: audioInput,
      image_tokens: imageInput,
      cached_tokens: cachedInput,
      cached_tokens_details: { text_tokens: cachedInput, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: Math.max(0, output - audioOutput), audio_tokens: audioOutput },
  };
}

/** Renders tokens, or the seconds of the audio if no tokens were reported. */
export function renderTranscriptUsage(usage: Usage | null, seconds: number): RealtimeTranscriptUsage {
  if (!usage || usage.input + usage.output === 0)
    return { type: 'duration', seconds: usage?.units?.seconds ?? seconds };
  const { input, audioInput, output } = usage;
  return {
    type: 'tokens',
    total_tokens: input + output,
    input_tokens: input,
    input_token_details: { text_tokens: Math.max(0, input - audioInput), audio_tokens: audioInput },
    output_tokens: output,
  };
}
