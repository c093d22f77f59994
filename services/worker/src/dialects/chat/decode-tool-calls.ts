import { GatewayError, type GenerateEvent, type Signature } from '@model-gateway/canonical';
import { ObjectEnd } from '@model-gateway/json';
import type { ChatToolCallDelta } from '@model-gateway/wire';
import { parseObject } from '../read-json.ts';
import { inventedCallId } from '../tool-names.ts';

/** The most tool calls of one answer. Models make a few at once. */
export const maxToolCalls = 1_000;

interface Call {
  /** The number of calls that began before it. */
  number: number;
  /** The upstream's id, or an empty string. */
  id: string;
  /** True if a call before it has the same id. */
  repeats: boolean;
  index: number | undefined;
  name: string;
  custom: boolean;
  /** The argument fragments so far. */
  text: string;
  end: ObjectEnd;
  /** True if the arguments are a whole object; undefined until they end as one. */
  complete?: boolean;
  signature?: Signature;
  /** The index of its part; undefined until the name is known. */
  part?: number;
  ended: boolean;
}

export interface CallOptions {
  /** Returns the next part's index. */
  nextPart(): number;
  /** Maps a tool name sent upstream to the client's name. */
  toolName(wire: string): string;
  /** Unique to the request; seeds the ids that the upstream leaves out. */
  seed: string;
  /** True if the client's format has no signature on calls: it is also sent in an empty reasoning part before the call. */
  signedBefore?: boolean;
}

/**
 * Assembles fragments of tool calls. Upstreams repeat ids and names in each fragment or never, send index 0 for all
 * calls or no index, send a call in one piece, and may continue an earlier call after a later one started.
 */
export class ToolCalls {
  readonly #options: CallOptions;
  /** The calls that have not ended, in order. */
  readonly #open = new Set<Call>();
  readonly #byId = new Map<string, Call[]>();
  readonly #byIndex = new Map<number, Call>();
  #count = 0;
  #last: Call | undefined;

  constructor(options: CallOptions) {
    this.#options = options;
  }

  get any(): boolean {
    return this.#count > 0;
  }

  add(delta: ChatToolCallDelta): GenerateEvent[] {
    const text = argumentsOf(delta);
    const found = this.#find(delta, text);
    const call = found ?? this.#begin(delta);
    const signature = delta.extra_content?.google?.thought_signature;
    if (signature) call.signature = { format: 'generate-content', value: signature };
    const complete = found ? [] : this.#endComplete(call);
    const events = [...complete, ...this.#startPart(call, delta)];
    if (text === '') return events;
    if (call.ended) {
      if (text.trim() === '') return events;
      throw new GatewayError('upstream', 'The upstream sent more arguments for a tool call that had ended.');
    }
    call.text += text;
    call.end.add(text);
    if (call.part !== undefined) events.push({ type: 'part-delta', index: call.part, text });
    return events;
  }

  /** Ends every call, in order. */
  endAll(): GenerateEvent[] {
    return [...this.#open].flatMap(call => this.#end(call));
  }

  /** Finds the call of a fragment by its id; without one by its index; without both the last call. Undefined for a new call. */
  #find({ id, index, function: fn, custom }: ChatToolCallDelta, text: string): Call | undefined {
    const name = fn?.name || custom?.name;
    if (id) return this.#byId.get(id)?.find(call => isSame(call, index, name));
    const call = typeof index === 'number' ? this.#byIndex.get(index) : this.#last;
    if (!call?.name || !name) return call;
    const another = name !== call.name || (text !== '' && isComplete(call));
    return another ? undefined : call;
  }

  /** @throws GatewayError for one call too many */
  #begin({ id, index, type, custom }: ChatToolCallDelta): Call {
    if (this.#count === maxToolCalls)
      throw new GatewayError(
        'upstream',
        `The upstream sent more than ${maxToolCalls} tool calls in one answer.`,
      );
    const others = id ? this.#byId.get(id) : undefined;
    const call: Call = {
      number: this.#count++,
      id: id || '',
      repeats: others !== undefined,
      index: index ?? undefined,
      name: '',
      custom: type === 'custom' || Boolean(custom),
      text: '',
      end: new ObjectEnd(),
      ended: false,
    };
    this.#last = call;
    this.#open.add(call);
    if (others) others.push(call);
    else if (id) this.#byId.set(id, [call]);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    return call;
  }

  /** Ends the calls whose JSON is complete, so that clients need not wait for the end of the response. */
  #endComplete(next: Call): GenerateEvent[] {
    const ended: GenerateEvent[] = [];
    for (const call of this.#open) if (call !== next && isComplete(call)) ended.push(...this.#end(call));
    return ended;
  }

  #end(call: Call): GenerateEvent[] {
    if (call.part === undefined)
      throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
    call.ended = true;
    this.#open.delete(call);
    const { part: index, signature } = call;
    return [{ type: 'part-end', index, ...(signature && { signature }) }];
  }

  /** Starts the part once the name is known, with the arguments received before it. */
  #startPart(call: Call, { function: fn, custom }: ChatToolCallDelta): GenerateEvent[] {
    const name = fn?.name || custom?.name;
    if (call.part !== undefined || !name) return [];
    call.name = name;
    const before = this.#options.signedBefore ? this.#signaturePart(call) : [];
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

  #signaturePart({ signature }: Call): GenerateEvent[] {
    if (!signature) return [];
    const index = this.#options.nextPart();
    return [
      { type: 'part-start', index, part: { type: 'reasoning' } },
      { type: 'part-end', index, signature },
    ];
  }

  /** Returns the upstream's id, or a new id if it is missing or already used. */
  #idOf({ id, number, repeats }: Call): string {
    return id && !repeats ? id : inventedCallId(this.#options.seed, number);
  }
}

/** True if a fragment with a call's id belongs to it. Some upstreams send the same id for several calls. */
function isSame(call: Call, index: number | null | undefined, name: string | null | undefined): boolean {
  const sameIndex = typeof index !== 'number' || call.index === undefined || call.index === index;
  return sameIndex && (!name || !call.name || call.name === name);
}

/** True if the arguments of a call are a whole object. They are parsed once, where an object ends. */
function isComplete(call: Call): boolean {
  if (call.custom || !call.end.reached) return false;
  call.complete ??= parseObject(call.text) !== undefined;
  return call.complete;
}

/** Returns the arguments as text; some upstreams send an object. */
function argumentsOf({ function: fn, custom }: ChatToolCallDelta): string {
  const value = custom ? custom.input : fn?.arguments;
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
