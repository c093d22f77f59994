import { samplesPerSecond } from './pcm.ts';

/** Audio of an item that was not heard to its end. */
interface Unheard {
  itemId: string;
  contentIndex: number;
  /** The part of it that was heard, in milliseconds. */
  heardMs: number;
}

/** The most audio that waits to be played, in seconds; 96 KB of memory each. */
const mostWaiting = 300;
/** The time before the first piece, in seconds, in which more can arrive. */
const leadTime = 0.06;

interface Piece {
  itemId: string;
  contentIndex: number;
  from: number;
  seconds: number;
  source: AudioBufferSourceNode;
}

/** Plays pieces of audio one after the other without gaps. */
export class Player {
  readonly #context = new AudioContext({ sampleRate: samplesPerSecond });
  /** The pieces that are not yet heard to their end, in their order. */
  readonly #pieces: Piece[] = [];
  /** The heard part of the item whose piece was the last to be heard to its end. */
  #heard = { itemId: '', seconds: 0 };
  #end = 0;

  /** Plays samples after those before. Returns false if too much audio waits, and drops them. */
  push(itemId: string, contentIndex: number, samples: Float32Array<ArrayBuffer>): boolean {
    const context = this.#context;
    const now = context.currentTime;
    if (this.#end - now > mostWaiting) return false;
    if (samples.length === 0) return true;
    const seconds = samples.length / samplesPerSecond;
    const buffer = context.createBuffer(1, samples.length, samplesPerSecond);
    buffer.copyToChannel(samples, 0);
    const source = context.createBufferSource();
    source.buffer = buffer;
    source.connect(context.destination);
    const from = Math.max(this.#end, now + leadTime);
    source.start(from);
    this.#end = from + seconds;
    this.#settle(now);
    this.#pieces.push({ itemId, contentIndex, from, seconds, source });
    return true;
  }

  /** Stops playing, and returns the items that were not heard to their end. */
  stop(): Unheard[] {
    const now = this.#context.currentTime;
    this.#settle(now);
    const items = new Map<string, Unheard>();
    for (const { itemId, contentIndex, from, seconds, source } of this.#pieces.splice(0)) {
      source.stop();
      source.disconnect();
      const before = this.#heard.itemId === itemId ? this.#heard.seconds : 0;
      const item = items.get(itemId) ?? { itemId, contentIndex, heardMs: before * 1_000 };
      item.heardMs += Math.max(0, Math.min(now - from, seconds)) * 1_000;
      items.set(itemId, item);
    }
    this.#end = 0;
    return [...items.values()].map(item => ({ ...item, heardMs: Math.floor(item.heardMs) }));
  }

  close(): void {
    this.stop();
    this.#context.close().catch(() => {});
  }

  /** Browsers start audio only after the user did something. */
  resume(): void {
    this.#context.resume().catch(() => {});
  }

  /** Forgets the pieces that were heard, but for how long they were. */
  #settle(now: number): void {
    for (let piece = this.#pieces[0]; piece && piece.from + piece.seconds <= now; piece = this.#pieces[0]) {
      const { itemId, seconds } = piece;
      const before = this.#heard.itemId === itemId ? this.#heard.seconds : 0;
      this.#heard = { itemId, seconds: before + seconds };
      this.#pieces.shift();
    }
  }
}
