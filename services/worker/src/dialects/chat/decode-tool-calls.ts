import { GatewayError, type GenerateEvent, type Signature } from '@model-gateway/canonical';
import type { ChatToolCallDelta } from '@model-gateway/wire';
import { parseObject } from '../read-json.ts';
import { inventedCallId } from '../tool-names.ts';

interface Call {
  /** The upstream's own; empty where it gave none. */
  id: string;
  index: number | undefined;
  name: string;
  custom: boolean;
  /** All fragments so far. */
  text: string;
  signature?: Signature;
  /** Its part's index; undefined until it has a name. */
  part?: number;
  ended: boolean;
}

export interface CallOptions {
  /** The next part's index. */
  nextPart(): number;
  /** The client's name of a tool. */
  toolName(wire: string): string;
  /** What is unique about the request, for ids that the upstream leaves out. */
  seed: string;
  /** The client's format has no place for a signature in a call: reasoning just before it, without text, is its place. */
  signedBefore?: boolean;
}

/**
 * Puts fragments of tool calls together. Upstreams repeat ids and names in each fragment or never, count all calls
 * as 0 or not at all, send a call in one piece, and may go on with an earlier call after a later one began.
 */
export class ToolCalls {
  readonly #options: CallOptions;
  readonly #calls: Call[] = [];
  readonly #byIndex = new Map<number, Call>();

  constructor(options: CallOptions) {
    this.#options = options;
  }

  get any(): boolean {
    return this.#calls.length > 0;
  }

  add(delta: ChatToolCallDelta): GenerateEvent[] {
    const text = argumentsOf(delta);
    const found = this.#find(delta, text);
    const call = found ?? this.#begin(delta);
    const proof = delta.extra_content?.google?.thought_signature;
    if (proof) call.signature = { format: 'generate-content', value: proof };
    const complete = found ? [] : this.#endComplete(call);
    const events = [...complete, ...this.#name(call, delta)];
    if (text === '') return events;
    if (call.ended) {
      if (text.trim() === '') return events;
      throw new GatewayError('upstream', 'The upstream went on with a tool call that had ended.');
    }
    call.text += text;
    if (call.part !== undefined) events.push({ type: 'part-delta', index: call.part, text });
    return events;
  }

  /** Ends every call, in order. */
  endAll(): GenerateEvent[] {
    return this.#calls.flatMap(call => end(call));
  }

  /** By its id where the fragment has one, else by its index, else the last one; undefined for a new call. */
  #find({ id, index, function: fn, custom }: ChatToolCallDelta, text: string): Call | undefined {
    const name = fn?.name || custom?.name;
    if (id) return this.#calls.find(call => call.id === id && isSame(call, index, name));
    const call = typeof index === 'number' ? this.#byIndex.get(index) : this.#calls.at(-1);
    if (!call?.name || !name) return call;
    const another = name !== call.name || (text !== '' && isComplete(call));
    return another ? undefined : call;
  }

  #begin({ id, index, type, custom }: ChatToolCallDelta): Call {
    const call: Call = {
      id: id || '',
      index: index ?? undefined,
      name: '',
      custom: type === 'custom' || Boolean(custom),
      text: '',
      ended: false,
    };
    this.#calls.push(call);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    return call;
  }

  /** Calls whose JSON is all there have nothing to come, so whoever waits for their end need wait no longer. */
  #endComplete(next: Call): GenerateEvent[] {
    return this.#calls.flatMap(call => (call !== next && !call.ended && isComplete(call) ? end(call) : []));
  }

  /** A part begins once the call has a name, with what came before it. */
  #name(call: Call, { function: fn, custom }: ChatToolCallDelta): GenerateEvent[] {
    const name = fn?.name || custom?.name;
    if (call.part !== undefined || !name) return [];
    call.name = name;
    const before = this.#options.signedBefore ? this.#proof(call) : [];
    call.part = this.#options.nextPart();
    const id = this.#idOf(call);
    const start = { type: 'tool-call' as const, id, name: this.#options.toolName(name) };
    const part = call.custom ? { ...start, custom: true } : start;
    const begin: GenerateEvent = { type: 'part-start', index: call.part, part };
    const rest: GenerateEvent[] = call.text
      ? [{ type: 'part-delta', index: call.part, text: call.text }]
      : [];
    return [...before, begin, ...rest];
  }

  #proof({ signature }: Call): GenerateEvent[] {
    if (!signature) return [];
    const index = this.#options.nextPart();
    return [
      { type: 'part-start', index, part: { type: 'reasoning' } },
      { type: 'part-end', index, signature },
    ];
  }

  /** The upstream's own id, unless it has none or has given it before. */
  #idOf(call: Call): string {
    const number = this.#calls.indexOf(call);
    const taken = this.#calls.slice(0, number).some(({ id }) => id === call.id);
    return call.id && !taken ? call.id : inventedCallId(this.#options.seed, number);
  }
}

/** Whether a fragment with a call's id belongs to it: some upstreams give several calls one id. */
function isSame(call: Call, index: number | null | undefined, name: string | null | undefined): boolean {
  const sameIndex = typeof index !== 'number' || call.index === undefined || call.index === index;
  return sameIndex && (!name || !call.name || call.name === name);
}

function end(call: Call): GenerateEvent[] {
  if (call.ended) return [];
  if (call.part === undefined)
    throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
  call.ended = true;
  const { part: index, signature } = call;
  return [{ type: 'part-end', index, ...(signature && { signature }) }];
}

function isComplete({ text, custom }: Call): boolean {
  return !custom && text.trimEnd().endsWith('}') && parseObject(text) !== undefined;
}

/** Arguments are text; some upstreams send the object itself. */
function argumentsOf({ function: fn, custom }: ChatToolCallDelta): string {
  const given = custom ? custom.input : fn?.arguments;
  if (typeof given === 'string') return given;
  return given === undefined || given === null ? '' : JSON.stringify(given);
}
