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
