import type { ChoiceEndEvent, Ending, GenerateEvent, StartEvent, Usage } from '@model-gateway/canonical';
import { finishReason, throwIfFailed } from '../upstream/finish-reason.ts';
import { Parts, type PartsOptions } from './decode-parts.ts';
import { unspecified } from './finish.ts';
import type { GenerateContentUpstreamAnswer } from './upstream-answer.ts';
import { readUsage } from './usage.ts';

export interface CandidatesOptions extends PartsOptions {
  /** The number of candidates requested. */
  choices: number;
}

/** Turns chunks into events, candidate by candidate. */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #candidates = new Map<number, Parts>();
  /** Held back until the response has a part, so that failover stays possible until then. */
  #start: StartEvent | undefined;
  #begun = false;

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** @throws GatewayError for a malformed part */
  add({
    candidates,
    responseId,
    modelVersion,
    usageMetadata,
  }: GenerateContentUpstreamAnswer): GenerateEvent[] {
    this.#start ??= {
      type: 'start',
      id: responseId ?? '',
      model: modelVersion ?? '',
      ...(usageMetadata && { usage: readUsage(usageMetadata) }),
    };
    const events = (candidates ?? []).flatMap(({ index, content, groundingMetadata: grounding }) => {
      const number = index ?? 0;
      if (number >= this.#options.choices) return [];
      const parts = this.#parts(number);
      const partEvents = (content?.parts ?? []).flatMap(part => parts.add(part));
      if (grounding) parts.ground(grounding);
      return withChoice(number, partEvents);
    });
    return events.length > 0 ? this.#begin(events) : events;
  }

  /** Ends the candidates and the response. */
  end(endings: Endings, usage: Usage | null): GenerateEvent[] {
    const first = endings.of(0);
    const events = [...this.#candidates].flatMap(([choice, parts]) => {
      const end: ChoiceEndEvent[] = choice > 0 ? [{ type: 'choice-end', choice, ...endings.of(choice) }] : [];
      return [...withChoice(choice, parts.end()), ...end];
    });
    return this.#begin([...events, { type: 'finish', ...first, usage }]);
  }

  #parts(number: number): Parts {
    const found = this.#candidates.get(number);
    if (found) return found;
    const { seed } = this.#options;
    const parts = new Parts({ ...this.#options, seed: number === 0 ? seed : `${seed}.${number}` });
    this.#candidates.set(number, parts);
    return parts;
  }

  /** Puts the start event before the first part. */
  #begin(events: GenerateEvent[]): GenerateEvent[] {
    if (this.#begun) return events;
    this.#begun = true;
    return [this.#start ?? { type: 'start', id: '', model: '' }, ...events];
  }
}

function withChoice(choice: number, events: GenerateEvent[]): GenerateEvent[] {
  return choice === 0 ? events : events.map(event => ({ ...event, choice }) as GenerateEvent);
}

/** Tracks which candidates have begun and ended, over all chunks of a response. */
export class Endings {
  readonly #begun = new Set<number>();
  /** Candidates that called a function: the format has no finish reason for that. */
  readonly #called = new Set<number>();
  readonly #ends = new Map<number, Ending>();
  #blocked: Ending | undefined;

  /** @throws GatewayError for a candidate that failed */
  note({ candidates, promptFeedback }: GenerateContentUpstreamAnswer): void {
    for (const { index, content, finishReason: raw, finishMessage } of candidates ?? []) {
      const number = index ?? 0;
      this.#begun.add(number);
      if (content?.parts?.some(({ functionCall }) => functionCall)) this.#called.add(number);
      if (!raw || unspecified.test(raw)) continue;
      throwIfFailed(raw);
      this.#ends.set(number, ending(raw, finishMessage));
    }
    const { blockReason: raw, blockReasonMessage: explanation } = promptFeedback ?? {};
    if (raw && !unspecified.test(raw))
      this.#blocked = { reason: 'content-filter', raw, ...(explanation && { explanation }) };
  }

  /** True if every candidate has ended and there are as many as expected, or if the prompt is blocked, at the start or later. */
  isComplete(expected: number): boolean {
    if (this.#blocked) return true;
    return this.#begun.size > 0 && this.#ends.size === this.#begun.size && this.#ends.size >= expected;
  }

  /** Returns how a candidate ended. A normal stop with calls becomes `tool-calls`. */
  of(candidate: number): Ending {
    const end = this.#ends.get(candidate) ?? this.#blocked ?? { reason: 'stop', raw: null };
    return end.reason === 'stop' && this.#called.has(candidate) ? { ...end, reason: 'tool-calls' } : end;
  }
}

function ending(raw: string, message: string | null | undefined): Ending {
  const reason = finishReason(raw);
  return { reason, raw, ...(reason === 'content-filter' && message && { explanation: message }) };
}
