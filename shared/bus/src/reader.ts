import { setImmediate } from 'node:timers/promises';
import { type GenerateEvent, jsonStep, parseInSteps } from '@model-gateway/canonical';
import { type Frame, FrameFlag, FrameKind, readHead } from './frame.ts';

/** The most bytes that the pieces of one batch of events may add up to. */
export const maxBatch = 64 * 1024 * 1024;

/** A frame that cannot follow the ones before it: some were lost, or the sender is at fault. */
export class DamagedAnswer extends Error {}

/** Turns the frames of one answer back into its events, and notices one that is missing. */
export class AnswerReader {
  #seq = 0;
  #pieces: Uint8Array[] = [];
  #held = 0;
  #weight = 0;

  /** What the events that were read last took of the window: all of their pieces. */
  get weight(): number {
    return this.#weight;
  }

  /** Set once the last events came and are so large that they are read in steps; to be called once. @throws DamagedAnswer */
  readLast: (() => Promise<GenerateEvent[]>) | undefined;

  /** The events that a frame completes; none of those that are read by `readLast`. @throws DamagedAnswer */
  read(frame: Frame): GenerateEvent[] {
    this.#weight = this.#held + frame.head.length + frame.bytes.length;
    if (frame.seq !== this.#seq++)
      throw new DamagedAnswer(`frame ${frame.seq} came in place of ${this.#seq - 1}`);
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
    if (this.#held > maxBatch) throw new DamagedAnswer('a batch of events is too large');
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
    throw new DamagedAnswer('a batch of events is no JSON', { cause });
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

/** Resolves in a later turn of the event loop: one step of all that wait runs in a turn. */
async function nextStep(): Promise<void> {
  last = last.then(() => setImmediate());
  await last;
}
