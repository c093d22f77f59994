import { GatewayError, type ToolCallPart } from '@model-gateway/canonical';

/** The calls of the last turn that wait for their results. */
export class OpenCalls {
  readonly #names = new Map<string, string>();
  #path = '';

  /** `path` is the message that holds the call. */
  add({ id, name }: ToolCallPart, path: string): void {
    this.#names.set(id, name);
    this.#path = path;
  }

  /** The id itself. @throws GatewayError naming the field `param` if no call waits under the id */
  answer(id: string, param: string): string {
    if (this.#names.delete(id)) return id;
    const message = `Invalid '${param}': no tool call before it with the id '${id}' waits for a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /** The id of a call by its function's name, as the old form has it. */
  answerName(name: string, param: string): string {
    const id = [...this.#names].find(([, open]) => open === name)?.[0];
    if (id !== undefined) return this.answer(id, param);
    const message = `Invalid '${param}': no function call '${name}' before it waits for a result.`;
    throw new GatewayError('invalid-request', message, { param, code: 'invalid_value' });
  }

  /** The run of results is over. @throws GatewayError naming the ids of calls that have none */
  refuseAny(): void {
    if (this.#names.size === 0) return;
    const ids = [...this.#names.keys()].join(', ');
    const message = `An assistant message with tool calls must be followed by a tool message for each of them. No message answers: ${ids}.`;
    throw new GatewayError('invalid-request', message, { param: this.#path, code: 'invalid_value' });
  }
}
