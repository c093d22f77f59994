import type { ToolCallPart } from '@model-gateway/canonical';

/** The calls of the model's last turn that wait for their results. */
export class OpenCalls {
  readonly #waiting: ToolCallPart[];

  constructor(calls: readonly ToolCallPart[]) {
    this.#waiting = [...calls];
  }

  /** The id of the call that a result answers: that with its id, else the first of its name; undefined if none waits. */
  answer(id: string | null | undefined, name: string): string | undefined {
    const byId = id ? this.#waiting.findIndex(call => call.id === id) : -1;
    const at = byId >= 0 ? byId : this.#waiting.findIndex(call => call.name === name);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.id;
  }
}
