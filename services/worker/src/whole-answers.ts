import type { GatewayError } from '@model-gateway/canonical';
import type { Clock } from '@model-gateway/clock';

/** The time for which a model is not asked for a stream again, in milliseconds. */
const rememberMs = 3_600_000;
/** The most models that are remembered. The one that is known for longest is forgotten first. */
const most = 1_000;

type Target = { provider: string; model: string };

/** The models that refuse to stream though they answer, as OpenAI does for an organization that is not verified. */
export class WholeAnswers {
  readonly #until = new Map<string, number>();
  readonly #clock: Pick<Clock, 'now'>;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  has(target: Target): boolean {
    const until = this.#until.get(keyOf(target));
    return until !== undefined && until > this.#clock.now();
  }

  add(target: Target): void {
    const key = keyOf(target);
    this.#until.delete(key);
    this.#until.set(key, this.#clock.now() + rememberMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > most && oldest !== undefined) this.#until.delete(oldest);
  }
}

/** True if an upstream refuses a request because it asks for a stream, by naming the field. */
export function refusesStream({ kind, details }: GatewayError): boolean {
  return kind === 'invalid-request' && (details.param === 'stream' || details.param === 'stream_options');
}

function keyOf({ provider, model }: Target): string {
  return JSON.stringify([provider, model]);
}
