import {
  type Ending,
  type FinishEvent,
  GatewayError,
  type GenerateEvent,
  type PartStart,
  type StartEvent,
  type Usage,
} from '@model-gateway/canonical';
import { malformed, twoAnswers } from '@model-gateway/formats/upstream';

/** The most choices of an answer, more than any format lets a client ask for. */
const maxChoices = 1_024;

/** The most tokens of a byte that was sent or received. */
const mostPerByte = 10;
/** The most tokens beside those: of what the provider adds or stores, and of hidden reasoning. */
const mostUnseen = 10_000_000;

const counts = [
  'input',
  'cachedInput',
  'cacheWrite5m',
  'cacheWrite1h',
  'audioInput',
  'imageInput',
  'output',
  'reasoning',
  'audioOutput',
] as const satisfies readonly (keyof Usage)[];

/**
 * Checks the types and the order of an answer's events, whatever decoded them: everything that reads them afterwards, in the worker and
 * in the ingress, relies on both.
 */
export class CheckedAnswer {
  /** Bytes of the request. */
  sent = 0;
  /** The usage that the upstream reported, though the request cannot have had it. */
  impossible: Usage | undefined;
  #start: StartEvent | undefined;
  /** The parts that each choice has begun. */
  readonly #parts: number[] = [];
  /** Bytes or characters of the answer. */
  #received = 0;

  /** Returns the events. An event whose meaning is clear though it has a wrong type is mended. @throws GatewayError of kind `upstream` */
  check(events: readonly GenerateEvent[]): readonly GenerateEvent[] {
    let mended: GenerateEvent[] | undefined;
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as GenerateEvent;
      const checked = this.#checked(event);
      if (checked === event) mended?.push(event);
      else {
        mended ??= events.slice(0, i);
        if (checked) mended.push(checked);
      }
    }
    return mended ?? events;
  }

  /** Returns the event, or one that takes its place; undefined if it is left out. */
  #checked(event: GenerateEvent): GenerateEvent | undefined {
    switch (event.type) {
      case 'start':
        return this.#started(event);
      case 'part-start':
        return this.#partStarted(event);
      case 'part-delta':
        this.#expectPart(event);
        if (typeof event.text !== 'string') throw malformed('event', 'the text of a part is not a string');
        this.#received += event.text.length;
        return event;
      case 'part-end':
        this.#expectPart(event);
        return event;
      case 'choice-end':
        if (event.choice === 0 || !isIndex(event.choice, maxChoices))
          throw malformed('event', 'choice: is not an index');
        return mendedEnding(event);
      case 'finish':
        return this.#finished(withCounts(mendedEnding(event)));
      case 'verbatim':
      case 'audio':
        this.#received += event.bytes.length;
        return event;
      case 'result':
      case 'error':
        return event;
    }
  }

  /**
   * Leaves out a usage that the request cannot have had, which is then estimated.
   * @throws GatewayError for an answer without content that was cut for a reason of its own: it is none
   */
  #finished(event: FinishEvent): FinishEvent {
    const { usage, reason, raw } = event;
    if (reason === 'other' && this.#parts.length === 0 && this.#received === 0)
      throw new GatewayError(
        'upstream',
        `The upstream sent an empty response with the finish reason ${raw}.`,
      );
    if (this.possible(usage) === usage) return event;
    this.impossible = usage ?? undefined;
    return { ...event, usage: null };
  }

  /** Returns a usage that was reported; null if the request cannot have had it. */
  possible(usage: Usage | null): Usage | null {
    if (!usage) return null;
    const mostInput = mostUnseen + mostPerByte * this.sent;
    const mostOutput = mostUnseen + mostPerByte * this.#received;
    return usage.input <= mostInput && usage.output <= mostOutput ? usage : null;
  }

  #started(event: StartEvent): StartEvent | undefined {
    const { id, model } = event;
    let start = isText(id) && isText(model) ? event : { ...event, id: textOf(id), model: textOf(model) };
    if (start.usage && !this.possible(start.usage))
      start = { type: 'start', id: start.id, model: start.model };
    // Some servers repeat the first event of an answer. Without an id, one that comes later may be of another answer.
    const isAgain = this.#start?.id === start.id && (start.id !== '' || this.#parts.length === 0);
    if (isAgain) return undefined;
    if (this.#start) throw twoAnswers();
    this.#start = start;
    // Whoever reads it would drop what came before.
    return this.#parts.length > 0 ? undefined : start;
  }

  #partStarted(event: Extract<GenerateEvent, { type: 'part-start' }>): GenerateEvent {
    const { choice = 0, index, part } = event;
    if (!isIndex(choice, maxChoices)) throw malformed('event', 'choice: is not an index');
    const begun = this.#parts[choice] ?? 0;
    if (index !== begun) throw malformed('event', `part ${index} begins where part ${begun} is due`);
    this.#parts[choice] = begun + 1;
    return hasTexts(part) ? event : { ...event, part: mendedCall(part) };
  }

  #expectPart({ choice = 0, index }: { choice?: number; index: number }): void {
    if (!(Number.isInteger(index) && index >= 0 && index < (this.#parts[choice] ?? 0)))
      throw malformed('event', `part ${index} goes on before it has begun`);
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** Returns a name or an id as text: some servers send numbers. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

function isIndex(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < most;
}

function hasTexts(part: PartStart): boolean {
  return part.type !== 'tool-call' || (isText(part.id) && isText(part.name));
}

function mendedCall(part: PartStart): PartStart {
  if (part.type !== 'tool-call') return part;
  const name = textOf(part.name);
  if (name === '') throw malformed('event', 'the name of a tool call is not a string');
  return { ...part, id: textOf(part.id), name };
}

/** Returns the end with the upstream's own words as texts. */
function mendedEnding<E extends Ending>(end: E): E {
  const { raw, stopSequence, explanation } = end;
  const areTexts =
    (raw === null || isText(raw)) && isTextOrAbsent(stopSequence) && isTextOrAbsent(explanation);
  if (areTexts) return end;
  const { stopSequence: _, explanation: __, ...rest } = end;
  return {
    ...rest,
    raw: raw === null ? null : textOf(raw),
    ...(isText(stopSequence) && { stopSequence }),
    ...(isText(explanation) && { explanation }),
  } as E;
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || isText(value);
}

/** Returns the event with 0 for a count that is no number. */
function withCounts<E extends { usage: Usage | null }>(event: E): E {
  const { usage } = event;
  if (!usage || counts.every(count => isCount(usage[count]))) return event;
  const mended: Usage = { ...usage };
  for (const count of counts) if (!isCount(usage[count])) mended[count] = 0;
  return { ...event, usage: mended };
}

function isCount(value: unknown): boolean {
  return Number.isFinite(value) && (value as number) >= 0;
}
