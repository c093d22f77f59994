import { setImmediate } from 'node:timers/promises';
import type { GenerateEvent } from '@model-gateway/canonical';
import { jsonStep, parseInSteps } from '@model-gateway/json';
import { type Frame, FrameFlag, FrameKind, readHead } from './frame.ts';

/** The most bytes of one batch of events, over all its pieces. */
export const maxBatch = 64 * 1024 * 1024;

/** Thrown for a response with missing or invalid frames. */
class DamagedAnswer extends Error {}

/** Decodes the frames of one response into events, and detects missing frames. */
export class AnswerReader {
  #seq = 0;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #weight = 0;

  /** Bytes of credit that the last events used, over all their pieces. */
  get weight(): number {
    return this.#weight;
  }

  /** Reads the last events in steps; set if they are large. To be called once. @throws DamagedAnswer */
  readLast: (() => Promise<GenerateEvent[]>) | undefined;

  /** Returns the events that a frame completes, without those that `readLast` reads. @throws DamagedAnswer */
  read(frame: Frame): GenerateEvent[] {
    this.#weight = this.#held + frame.head.length + frame.bytes.length;
    if (frame.seq !== this.#seq++)
      throw new DamagedAnswer(`received frame ${frame.seq} instead of ${this.#seq - 1}`);
    switch (frame.kind) {
      case FrameKind.verbatim:
        return [verbatim(frame)];
      case FrameKind.events:
        return this.#events(frame);
      default:
        return [];
    }
  }

  #events(frame: Frame): GenerateEvent[] {
    if (this.#pieces.length === 0 && !(frame.flags & FrameFlag.more)) return readHead(frame);
    this.#held += frame.head.length;
    if (this.#held > maxBatch)
      throw new DamagedAnswer(`a batch of events is larger than ${maxBatch / 2 ** 20} MiB`);
    this.#pieces.push(frame.head);
    if (frame.flags & FrameFlag.more) return [];
    const pieces = this.#pieces;
    const large = this.#held > jsonStep && (frame.flags & FrameFlag.last) !== 0;
    this.#pieces = [];
    this.#held = 0;
    if (!large) return JSON.parse(Buffer.concat(pieces).toString('utf8'));
    this.readLast = () => readInSteps(pieces);
    return [];
  }
}

async function readInSteps(pieces: Uint8Array[]): Promise<GenerateEvent[]> {
  await nextStep();
  const whole = Buffer.concat(pieces);
  await nextStep();
  const text = whole.toString('utf8');
  await nextStep();
  try {
    return (await parseInSteps(text, nextStep)) as GenerateEvent[];
  } catch (cause) {
    throw new DamagedAnswer('a batch of events is not valid JSON', { cause });
  }
}

function verbatim(frame: Frame): GenerateEvent {
  return {
    type: 'verbatim',
    bytes: frame.bytes,
    ...(frame.head.length > 0 && { whole: readHead(frame) }),
    ...(frame.flags & FrameFlag.more && { partial: true }),
    ...(frame.flags & FrameFlag.text && { text: true }),
  };
}

let last: Promise<unknown> = Promise.resolve();

/** Resolves in a later event-loop turn; over all responses, one step runs per turn. */
async function nextStep(): Promise<void> {
  last = last.then(() => setImmediate());
  await last;
}
