import type { GatewayError } from '@model-gateway/canonical';

/** A response that is being written. */
interface OpenAnswer {
  check(now: number): void;
  fail(error: GatewayError): void;
}

/** The responses that a process is writing, each checked once a second until it is closed. */
export class OpenAnswers {
  readonly #answers = new Set<OpenAnswer>();
  readonly #timer = setInterval(() => this.#check(), 1_000).unref();

  add(answer: OpenAnswer): void {
    this.#answers.add(answer);
  }

  delete(answer: OpenAnswer): void {
    this.#answers.delete(answer);
  }

  /** Ends all responses with an error, for a shutdown. */
  close(error: GatewayError): void {
    clearInterval(this.#timer);
    for (const answer of this.#answers) answer.fail(error);
  }

  #check(): void {
    const now = Date.now();
    for (const answer of this.#answers) answer.check(now);
  }
}
