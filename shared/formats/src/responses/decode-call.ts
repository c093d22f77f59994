import { GatewayError, type GenerateEvent } from '@model-gateway/canonical';
import { wellFormed } from '../upstream/malformed.ts';
import { Flow, type NextPart } from './flow.ts';
import {
  type ResponsesUpstreamCall,
  type ResponsesUpstreamItem,
  responsesUpstreamCall,
} from './upstream-answer.ts';
import type { ResponsesStreamEvent } from './upstream-events.ts';

export interface CallOptions {
  nextPart: NextPart;
  /** Returns the client's name of a tool. */
  toolName(wire: string): string;
  /** Returns the upstream's call id, or a generated one if it is missing or taken. */
  idOf(upstreamId: string | null | undefined): string;
}

/** A call of a client tool. It begins once its id and name are known. */
export class CallItem {
  readonly #options: CallOptions;
  #flow: Flow | undefined;
  /** Arguments received before the name. */
  #early = '';

  constructor(options: CallOptions) {
    this.#options = options;
  }

  added(item: ResponsesUpstreamItem): GenerateEvent[] {
    const call = wellFormed(responsesUpstreamCall, item);
    return call.name && call.call_id ? this.#begin(call, call.call_id, call.name) : [];
  }

  take(event: ResponsesStreamEvent): GenerateEvent[] {
    switch (event.type) {
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#add(event.delta);
      case 'response.function_call_arguments.done':
        return this.#whole(event.arguments);
      case 'response.custom_tool_call_input.done':
        return this.#whole(event.input);
      default:
        return [];
    }
  }

  /** @throws GatewayError for a call without a name */
  done(item: ResponsesUpstreamItem): GenerateEvent[] {
    const call = wellFormed(responsesUpstreamCall, item);
    const begun = this.#flow ? [] : this.#begin(call, call.call_id || call.id, call.name || nameless());
    const text = call.type === 'function_call' ? call.arguments : call.input;
    return [...begun, ...this.#whole(text ?? ''), ...this.stop()];
  }

  /** @throws GatewayError for a call without a name */
  stop(): GenerateEvent[] {
    return this.#flow ? this.#flow.end() : nameless();
  }

  #begin(
    { type }: ResponsesUpstreamCall,
    upstreamId: string | null | undefined,
    name: string,
  ): GenerateEvent[] {
    const { toolName, nextPart, idOf } = this.#options;
    const custom = type === 'custom_tool_call';
    const called = { id: idOf(upstreamId), name: toolName(name) };
    const part = { type: 'tool-call' as const, ...called, ...(custom && { custom }) };
    this.#flow = new Flow(part, nextPart);
    return [...this.#flow.begin(), ...this.#flow.add(this.#early)];
  }

  #add(text: string): GenerateEvent[] {
    if (this.#flow) return this.#flow.add(text);
    this.#early += text;
    return [];
  }

  #whole(text: string): GenerateEvent[] {
    return this.#add(text.slice(this.#flow?.length ?? this.#early.length));
  }
}

function nameless(): never {
  throw new GatewayError('upstream', 'The upstream called a tool without a name.');
}
