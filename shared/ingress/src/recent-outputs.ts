/** The number of answers of a model that are remembered. */
const remembered = 100;
/** The most models that are remembered. */
const mostModels = 1_000;
/** Output tokens of an answer while nothing is known of its model. */
const unknown = 1_000;

/** The sizes of recent answers by model, to estimate those of requests that set no maximum. */
export class RecentOutputs {
  readonly #outputs = new Map<string, number[]>();

  /** Records the output tokens of an answer. */
  add(model: string, tokens: number): void {
    const outputs = this.#outputs.get(model) ?? [];
    outputs.push(tokens);
    if (outputs.length > remembered) outputs.shift();
    this.#outputs.delete(model);
    this.#outputs.set(model, outputs);
    const [oldest] = this.#outputs.keys();
    if (this.#outputs.size > mostModels && oldest !== undefined) this.#outputs.delete(oldest);
  }

  /** Returns the number of output tokens that 95 % of a model's recent answers do not exceed. */
  usual(model: string): number {
    const outputs = this.#outputs.get(model)?.toSorted((a, b) => a - b) ?? [];
    return outputs[Math.ceil(outputs.length * 0.95) - 1] ?? unknown;
  }
}
