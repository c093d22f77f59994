import type { Charged, Overspent, Settlement, Slot } from '@model-gateway/access';
import type { Call } from '@model-gateway/bus';
import { billedExtras, type GenerateEvent, outputIn, type Route, type Usage } from '@model-gateway/canonical';
import type { Catalog } from '@model-gateway/catalog';
import type { Clock, Timer } from '@model-gateway/clock';
import { AnswerText } from './answer-text.ts';
import type { CostedRequest } from './estimate-cost.ts';
import { type Prices, quantitiesOf } from './prices.ts';

/** Average bytes per token of ordinary text, and how many times as many a token of some text has. */
const bytesPerToken = 4;
const longText = 2;

/** The output that is reserved beyond what a stream has: a part of it, and some tokens. */
const growth = 1.1;
const spareTokens = 20;

/** Interval at which it is seen whether a stream is silent, in milliseconds. */
const lookMs = 2_000;

/** The output that a stream may have without showing it, such as reasoning. */
export interface Unseen {
  clock: Pick<Clock, 'setInterval' | 'clearInterval'>;
  /** The tokens that streams of the model usually do not show; undefined if that is not known. */
  usual: number | undefined;
  /** The most output tokens that the request asks for; infinite if it sets no maximum. */
  stated: number;
  /** The most output tokens of the answer. */
  most(): number;
  /** Returns the cost of an answer with so many output tokens at the dearest target, in US dollars. */
  costOf(output: number): number;
}

export interface CostOptions {
  request: CostedRequest;
  /** The models that may take it over: those of the catalog with a price. */
  fallbackModels: Pick<Catalog, 'model'>;
  prices: Prices;
  budgets: readonly Charged[];
  /** The amount that it asked for, in US dollars, and the output tokens which that covers. */
  amount: number;
  covered: number;
  /** True if the reservation grows with the stream. */
  grows: boolean;
  /** Absent for an answer that does not grow while it is silent. */
  unseen?: Unseen | undefined;
  /** Called with the budget of which nothing is left once the answer has outgrown what was reserved. */
  overspent(over: Overspent): void;
}

/** The attempt whose answer the client gets. */
interface AnsweringAttempt {
  route: Route;
  call?: Pick<Call, 'attempts'>;
}

/** The place that a request with a budget holds. */
export type CostSlot = Pick<Slot, 'raise' | 'decision'>;

/** The cost of a request with a budget while it runs. */
export class RunningCost {
  readonly #options: CostOptions;
  readonly #place: CostSlot;
  /** In US dollars. */
  #reserved: number;
  /** Output tokens that are known to cost no more than is reserved. */
  #covered: number;
  /** Bytes of the answer's text. */
  #bytes = 0;
  #text: AnswerText | undefined;
  /** Bytes of the text at the last look, and the time in which none came, in milliseconds. */
  #seen = 0;
  #silentMs = 0;
  readonly #looking: Timer | undefined;
  /** The most output tokens of the answer, once they matter. */
  #most: number | undefined;
  #attempt: AnsweringAttempt | undefined;
  /** True if the client left it, or its workers were lost: it is charged, though its usage is not known. */
  #isLeft = false;

  constructor(options: CostOptions, place: CostSlot) {
    const { reserved } = place.decision;
    this.#options = options;
    this.#place = place;
    this.#reserved = reserved ?? options.amount;
    this.#covered = reserved === undefined ? options.covered : 0;
    this.#looking = options.unseen?.clock.setInterval(() => this.#look(), lookMs).unref();
  }

  get fallbackModels(): CostOptions['fallbackModels'] {
    return this.#options.fallbackModels;
  }

  /** Takes note of a part of the answer and of the attempt that made it, and reserves more once it has more output than is reserved. */
  answered(attempt: AnsweringAttempt, events: readonly GenerateEvent[]): void {
    this.#attempt = attempt;
    if (!this.#options.grows) return;
    for (const event of events) {
      if (event.type === 'part-delta') this.#bytes += Buffer.byteLength(event.text);
      else if (event.type === 'verbatim') {
        this.#text ??= new AnswerText(attempt.route.format);
        this.#bytes += this.#text.add(event.bytes, event.partial);
      }
    }
    this.#grow();
  }

  /** Reserves more for a stream that is silent: it may be reasoning. */
  #look(): void {
    if (this.#bytes === this.#seen) this.#silentMs += lookMs;
    this.#seen = this.#bytes;
    this.#grow();
  }

  #grow(): void {
    const shown = Math.ceil(this.#bytes / bytesPerToken);
    const { unseen } = this.#options;
    const usual = unseen && this.#bytes > 0 ? (unseen.usual ?? 0) : 0;
    const hidden = Math.max(usual, outputIn(this.#silentMs));
    // The text of few tokens may be long. An answer that is much longer does not obey its maximum.
    const stated = unseen && shown <= longText * unseen.stated ? unseen.stated : Number.POSITIVE_INFINITY;
    const text = Math.min(shown, stated);
    if (text + hidden <= this.#covered) return;
    if (hidden > 0) this.#most ??= unseen?.most();
    const output = Math.max(text, Math.min(this.#most ?? text, text + hidden));
    if (output <= this.#covered) return;
    const spare = Math.ceil(output * growth) + spareTokens;
    this.#raise(Math.max(output, Math.min(spare, this.#most ?? stated)));
  }

  /** Takes note of the attempt that runs when the client leaves, or when no other one follows the loss of its worker. */
  left(attempt: AnsweringAttempt): void {
    this.#attempt = attempt;
    this.#isLeft = true;
  }

  /** Returns the cost of the ended request. Its reservation stays until the ledger has it if the usage is unknown. */
  settlement(usage: Usage | undefined): Settlement | undefined {
    const { budgets, unseen } = this.#options;
    unseen?.clock.clearInterval(this.#looking);
    const attempts = this.#attempt?.call?.attempts ?? [];
    if (attempts.length === 0) return undefined;
    const charged = { budgets: budgets.map(({ key, from }) => ({ key, from })), attempts };
    if (!usage || this.#isLeft) return { ...charged, cost: this.#reserved, estimated: true };
    return { ...charged, cost: this.#costOf(quantitiesOf(usage)) ?? 0 };
  }

  #raise(output: number): void {
    const { quantities } = this.#options.request;
    this.#covered = output;
    const amount =
      (this.#attempt ? this.#costOf({ ...quantities, output }) : this.#options.unseen?.costOf(output)) ?? 0;
    if (amount <= this.#reserved) return;
    this.#reserved = amount;
    void this.#place.raise?.(amount).then(over => over && this.#options.overspent(over));
  }

  #costOf(quantities: CostedRequest['quantities']): number | undefined {
    const { request, prices } = this.#options;
    if (!this.#attempt) return undefined;
    const { route } = this.#attempt;
    const { provider, model: upstreamModel, fallback } = route;
    const { project, model, operation } = request;
    const { extras } = request.quantities;
    return prices.costOf({
      ...(extras && billedExtras(extras, route)),
      ...quantities,
      project,
      model,
      fallback,
      provider,
      upstreamModel,
      operation,
      at: prices.now(),
    });
  }
}
