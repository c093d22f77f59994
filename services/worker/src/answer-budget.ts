import { type GatewayError, overloaded } from '@model-gateway/canonical';

/** Divisors of the budget that give the shares of one provider and of one token. */
export const answerParts = { provider: 2, token: 4 } as const;

/** Whose answer it is. */
interface Holder {
  provider: string;
  token: string;
}

/** Memory that one answer holds. */
export interface AnswerReservation {
  /** Sets the bytes that the answer holds. @throws GatewayError of kind `overloaded` if they exceed the budget or a share */
  hold(bytes: number): void;
  release(): void;
}

/** Bounds the bytes of upstreams' answers that a worker holds until they can be passed on, in total, by provider and by token. */
export class AnswerBudget {
  readonly #bytes: number;
  #held = 0;
  readonly #byProvider = new Map<string, number>();
  readonly #byToken = new Map<string, number>();

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get held(): number {
    return this.#held;
  }

  open(holder: Holder): AnswerReservation {
    let own = 0;
    return {
      hold: bytes => {
        if (bytes === own) return;
        if (bytes > own) this.#check(holder, bytes - own, own);
        this.#add(holder, bytes - own);
        own = bytes;
      },
      release: () => {
        if (own > 0) this.#add(holder, -own);
        own = 0;
      },
    };
  }

  /** One answer of a provider or a token that holds nothing else may exceed the share: its size has a bound of its own. */
  #check({ provider, token }: Holder, more: number, own: number): void {
    if (this.#held + more > this.#bytes)
      throw full(
        `The gateway holds ${megabytes(this.#bytes)} of upstreams' answers, which is the most.`,
        true,
      );
    const ofProvider = this.#byProvider.get(provider) ?? 0;
    const providerShare = this.#bytes / answerParts.provider;
    if (ofProvider > own && ofProvider + more > providerShare)
      throw full(
        `The gateway holds ${megabytes(providerShare)} of this upstream's answers, which is the most.`,
      );
    const ofToken = this.#byToken.get(token) ?? 0;
    const tokenShare = this.#bytes / answerParts.token;
    if (ofToken > own && ofToken + more > tokenShare)
      throw full(
        `The gateway holds ${megabytes(tokenShare)} of answers to this token, which is the most.`,
        true,
      );
  }

  #add({ provider, token }: Holder, bytes: number): void {
    this.#held += bytes;
    addTo(this.#byProvider, provider, bytes);
    addTo(this.#byToken, token, bytes);
  }
}

function addTo(sums: Map<string, number>, key: string, bytes: number): void {
  const sum = (sums.get(key) ?? 0) + bytes;
  if (sum > 0) sums.set(key, sum);
  else sums.delete(key);
}

/** Formats bytes for an error message. */
function megabytes(bytes: number): string {
  return `${Math.round(bytes / 100_000) / 10} MB`;
}

/** `GATEWAY_ANSWER_BUDGET` changes the bound. `share`: true if the upstream is not the reason. */
function full(what: string, share = false): GatewayError {
  const details = { retryAfterMs: 1_000, fault: 'GATEWAY_ANSWER_BUDGET', ...(share && { share }) };
  return overloaded('answer_memory_full', `${what} Retry later.`, details);
}
