import { answerCharacters, type GenerateEvent, type Usage } from '@model-gateway/canonical';

/** The first verbatim pieces whose characters are counted. To find the texts costs time, so of those after them one in `step` is. */
const firstPieces = 16;
/** A prime, so that pieces which alternate are counted alike. */
const step = 17;

/** The part of a stream that was passed on, from which its usage is estimated if its worker is lost. */
export class PassedOn {
  /** The usage that the upstream reported at the beginning. */
  usage: Usage | null = null;
  /** Characters of translated events. */
  #translated = 0;
  #pieces = 0;
  /** Characters in the counted verbatim pieces with a text, and the bytes of these. */
  #counted = 0;
  #bytes = 0;
  /** Bytes of the pieces that are not counted. */
  #rest = 0;

  add(events: readonly GenerateEvent[]): void {
    for (const event of events) {
      if (event.type === 'part-delta') this.#translated += event.text.length;
      else if (event.type === 'verbatim') this.#pass(event.bytes);
      else if (event.type === 'start') this.usage = event.usage ?? null;
    }
  }

  get characters(): number {
    const rest = this.#rest === 0 ? 0 : (this.#rest * this.#counted) / this.#bytes;
    return Math.round(this.#translated + this.#counted + rest);
  }

  #pass(bytes: Uint8Array): void {
    const piece = ++this.#pieces;
    if (piece > firstPieces && piece % step !== 0 && this.#counted > 0) {
      this.#rest += bytes.length;
      return;
    }
    const characters = answerCharacters(bytes);
    if (characters === 0) return;
    this.#counted += characters;
    this.#bytes += bytes.length;
  }
}
