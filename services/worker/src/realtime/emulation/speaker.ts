/** Says a text; `heard` gets the audio as it comes. Rejects if it cannot be said. */
export type Say = (text: string, heard: (audio: Buffer) => void) => Promise<void>;

/** Speaks one piece after the other, in the order in which they are given. */
export class Speaker {
  readonly #say: Say;
  readonly #failed: (thrown: unknown) => void;
  #last: Promise<void> = Promise.resolve();
  #over = false;

  /** `failed` is told once, and nothing is said after it. */
  constructor(say: Say, failed: (thrown: unknown) => void) {
    this.#say = say;
    this.#failed = failed;
  }

  say(text: string, heard: (audio: Buffer) => void): void {
    this.#last = this.#last.then(async () => {
      if (this.#over) return;
      try {
        await this.#say(text, audio => {
          if (!this.#over) heard(audio);
        });
      } catch (thrown) {
        if (!this.#over) this.#failed(thrown);
        this.#over = true;
      }
    });
  }

  /** Says nothing more. */
  stop(): void {
    this.#over = true;
  }

  /** Resolves when all is said. */
  done(): Promise<void> {
    return this.#last;
  }
}
