import type { Speech } from '@model-gateway/formats/realtime';
import type { Item } from './item.ts';

/** Speaks a text; `onAudio` gets the audio as it arrives. Rejects if the text cannot be spoken. */
export type Say = (text: string, onAudio: (audio: Buffer) => void) => Promise<void>;

/** Speaks texts one after the other, in order. */
export class Speaker {
  readonly #say: Say;
  readonly #onFailure: (thrown: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #over = false;

  /** `onFailure` is called at most once; nothing is spoken after it. */
  constructor(say: Say, onFailure: (thrown: unknown) => void) {
    this.#say = say;
    this.#onFailure = onFailure;
  }

  say(text: string, onAudio: (audio: Buffer) => void): void {
    this.#last = this.#last.then(async () => {
      if (this.#over) return;
      try {
        await this.#say(text, audio => {
          if (!this.#over) onAudio(audio);
        });
      } catch (thrown) {
        if (!this.#over) this.#onFailure(thrown);
        this.#over = true;
      }
    });
  }

  /** Stops speaking. */
  stop(): void {
    this.#over = true;
  }

  /** Resolves when all texts are spoken. */
  done(): Promise<void> {
    return this.#last;
  }
}

/** Speaks a message sentence by sentence. `voice` returns a writer of one sentence's audio, which returns the milliseconds that it sent. */
export function spokenIn(item: Item, speaker: Speaker, voice: () => (audio: Buffer) => number): Speech {
  const sentences = new Sentences();
  const spoken: NonNullable<Item['spoken']> = [];
  item.spoken = spoken;
  const speak = (text: string) => {
    if (text.trim() === '') return;
    const piece = { text, ms: 0 };
    const write = voice();
    speaker.say(text, audio => {
      const ms = write(audio);
      if (ms === 0) return;
      if (piece.ms === 0) spoken.push(piece);
      piece.ms += ms;
    });
  };
  return {
    add: text => sentences.add(text).forEach(speak),
    end: () => speak(sentences.rest()),
  };
}

/** The shortest and the longest text, in characters, that is spoken at once. */
const least = 12;
const most = 400;
/** The end of a sentence, with closing quotes. */
const end = /[.!?…]["'”’)\]]*\s|[。！？]|\n/g;

/** Cuts a streamed text into sentences, so that one can be spoken while the next is written. */
export class Sentences {
  #text = '';

  /** Adds text and returns the sentences that are now complete. */
  add(text: string): string[] {
    this.#text += text;
    const whole: string[] = [];
    for (let at = this.#end(); at > 0; at = this.#end()) {
      whole.push(this.#text.slice(0, at));
      this.#text = this.#text.slice(at);
    }
    return whole;
  }

  /** Returns the remaining text. */
  rest(): string {
    const rest = this.#text;
    this.#text = '';
    return rest;
  }

  #end(): number {
    for (const { index, 0: mark } of this.#text.slice(0, most + 1).matchAll(end)) {
      const at = index + mark.length;
      if (at >= least && at <= most) return at;
    }
    if (this.#text.length <= most) return 0;
    const space = this.#text.lastIndexOf(' ', most);
    return space > least ? space + 1 : most;
  }
}
