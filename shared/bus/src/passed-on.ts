import { answerCharacters, type GenerateEvent, type Usage, type WireFormat } from '@model-gateway/canonical';
import { type Clock, systemClock } from '@model-gateway/clock';

/** The first verbatim pieces whose characters are counted. To find the texts costs time, so of those after them one in `step` is. */
const firstPieces = 16;
/** A prime, so that pieces which alternate are counted alike. */
const step = 17;

/** The part of a stream that was passed on, from which its usage is estimated if its worker is lost. */
export class PassedOn {
  /** The usage that the upstream reported at the beginning. */
  usage: Usage | null = null;
  /** The time of the first text, or of the end if none came, in milliseconds since 1970; undefined before both. */
  silentUntil: number | undefined;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #format: WireFormat | undefined;
  /** Characters of translated events. */
  #translated = 0;
  #pieces = 0;
  /** Characters in the counted verbatim pieces with a text, and the bytes of these. */
  #counted = 0;
  #bytes = 0;
  /** Bytes of the pieces that are not counted. */
  #rest = 0;

  /** `format`: that of verbatim events. */
  constructor(clock: Pick<Clock, 'now'> = systemClock, format?: WireFormat) {
    this.#clock = clock;
    this.#format = format;
  }

  add(events: readonly GenerateEvent[]): void {
    for (const event of events) {
      if (event.type === 'part-delta') this.#translated += event.text.length;
      else if (event.type === 'verbatim') this.#pass(event.bytes);
      else if (event.type === 'start') this.usage = event.usage ?? null;
    }
    if (this.silentUntil === undefined && this.characters > 0) this.end();
  }

  end(): void {
    this.silentUntil ??= this.#clock.now();
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
    const characters = answerCharacters(bytes, this.#format);
    if (characters === 0) return;
    this.#counted += characters;
    this.#bytes += bytes.length;
  }
}
