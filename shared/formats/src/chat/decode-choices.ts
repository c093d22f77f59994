import type { Ending, FinishReason, GenerateEvent, StartEvent, Usage } from '@model-gateway/canonical';
import { finishReason, laterReason } from '../upstream/finish-reason.ts';
import type { ChatChunk } from './answer.ts';
import { type AnswerOptions, AnswerParts } from './decode-parts.ts';

export interface ChoicesOptions extends AnswerOptions {
  stop: readonly string[];
  /** Number of requested choices; 1 if absent. */
  choices?: number;
}

/** The state of one choice. */
interface Choice {
  parts: AnswerParts;
  raw: string | null;
  stopSequence?: string;
}

/** Turns the deltas of each choice into events. */
export class AnswerChoices {
  readonly #options: ChoicesOptions;
  readonly #stop: ReadonlySet<string>;
  readonly #choices = new Map<number, Choice>();
  /** Held back until the response has a part, so that a retry at another upstream stays possible. */
  #start: StartEvent | undefined;
  #started = false;

  constructor(options: ChoicesOptions) {
    this.#options = options;
    this.#stop = new Set(options.stop);
  }

  /** True if a choice was requested; some upstreams send more. */
  has(choice: number): boolean {
    return choice < (this.#options.choices ?? 1);
  }

  add({ id, model, choices }: ChatChunk): GenerateEvent[] {
    // Chunks without choices, such as Azure's prompt filter results, have an empty id and model.
    if (choices?.length) this.#start ??= { type: 'start', id: id ?? '', model: model ?? '' };
    const events: GenerateEvent[] = [];
    for (const { index, delta, finish_reason: raw, stop_reason: stop } of choices ?? []) {
      const number = index ?? 0;
      if (!this.has(number)) continue;
      const choice = this.#choice(number);
      if (delta) for (const event of ofChoice(number, choice.parts.add(delta))) events.push(event);
      if (!raw) continue;
      choice.raw = laterReason(choice.raw, raw);
      if (typeof stop === 'string' && this.#stop.has(stop)) choice.stopSequence = stop;
    }
    return events.length > 0 ? this.#begin(events) : events;
  }

  /**
   * Ends every choice and the response. `otherwise` is the reason of choices that have none.
   * @throws GatewayError for a tool call without a name
   */
  end(usage: Usage | null, otherwise = reasonless(usage)): GenerateEvent[] {
    const { parts, ...first } = this.#choice(0);
    const events: GenerateEvent[] = [];
    for (const [number, choice] of this.#choices) {
      for (const event of ofChoice(number, choice.parts.end())) events.push(event);
      if (number > 0) events.push({ type: 'choice-end', choice: number, ...ending(choice, otherwise) });
    }
    return this.#begin([...events, { type: 'finish', ...ending({ parts, ...first }, otherwise), usage }]);
  }

  #choice(number: number): Choice {
    const found = this.#choices.get(number);
    if (found) return found;
    const { seed } = this.#options;
    const parts = new AnswerParts({ ...this.#options, seed: number === 0 ? seed : `${seed}.${number}` });
    const choice: Choice = { parts, raw: null };
    this.#choices.set(number, choice);
    return choice;
  }

  /** Puts the start event before the first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#started) return events;
    this.#started = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function ofChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}

/** Derives the finish reason. Tool calls replace an ordinary end, and a refusal that or an unknown reason. */
function ending({ parts, raw, stopSequence }: Choice, otherwise: FinishReason): Ending {
  const reason = raw ? finishReason(raw) : otherwise;
  const ordinary = !raw || reason === 'stop' || reason === 'stop-sequence';
  if (ordinary && parts.called) return { reason: 'tool-calls', raw };
  if ((ordinary || reason === 'other') && parts.refused) return { reason: 'refusal', raw };
  return ordinary && stopSequence ? { reason: 'stop-sequence', raw, stopSequence } : { reason, raw };
}

/**
 * Returns the reason of a response that ended without one. Its usage, which comes last, tells that it is whole. The end mark alone does not:
 * some relays also send it after a response that was cut off.
 */
export function reasonless(usage: Usage | null): FinishReason {
  return usage ? 'stop' : 'length';
}

/** Returns the text of a chunk that tells nothing else; undefined for any other chunk. */
export function onlyText({ usage, choices }: ChatChunk): unknown {
  const [choice, ...others] = choices ?? [];
  if (!choice || others.length > 0 || usage || choice.finish_reason) return undefined;
  const { content, reasoning_content, tool_calls } = choice.delta ?? {};
  return reasoning_content || tool_calls ? undefined : content;
}
