import { GatewayError, type GenerateEvent, type Signature } from '@model-gateway/canonical';
import { ObjectEnd } from '@model-gateway/json';
import { AnswerIds, type AnswerIdsOptions } from '../upstream/call-ids.ts';
import { malformed } from '../upstream/malformed.ts';
import { parseObject } from '../upstream/read-json.ts';
import type { ChatToolCallDelta } from './answer.ts';

/** The most tool calls of one answer. Models make a few at once. */
export const maxToolCalls = 1_000;

interface Call {
  /** The upstream's id, or an empty string. */
  id: string;
  index: number | undefined;
  /** The name so far. */
  name: string;
  custom: boolean;
  /** The argument fragments so far. */
  text: string;
  end: ObjectEnd;
  /** True if the arguments are a whole object; undefined until they end as one. */
  complete?: boolean;
  /** An empty object that is not sent yet: some upstreams begin with one, and the arguments follow. */
  unsent: string;
  /** True if the empty object was no text: only a placeholder. */
  placeholder: boolean;
  signature?: Signature;
  /** The index of its part; undefined until the name is whole. */
  part?: number;
  ended: boolean;
}

export interface AnswerOptions extends AnswerIdsOptions {
  /** Maps a tool name sent upstream to the client's name. */
  toolName(wire: string): string;
  /** True for the name of a tool at the upstream. If absent, any name may be one. */
  isTool?(wire: string): boolean;
  /** True if the client's format has no signature on calls: it is also sent in an empty reasoning part before the call. */
  signedBefore?: boolean;
}

interface CallOptions extends AnswerOptions {
  /** Returns the next part's index. */
  nextPart(): number;
}

/**
 * Assembles fragments of tool calls. Upstreams repeat ids and names in each fragment or never, change the id of a call, send index 0 for
 * all calls or no index, send a call in one piece or once more at its end, and may continue an earlier call after a later one started.
 */
export class ToolCalls {
  readonly #options: CallOptions;
  readonly #ids: AnswerIds;
  /** The calls that have not ended, in order. */
  readonly #open = new Set<Call>();
  readonly #byId = new Map<string, Call[]>();
  readonly #byIndex = new Map<number, Call>();
  #count = 0;
  #last: Call | undefined;

  constructor(options: CallOptions) {
    this.#options = options;
    this.#ids = new AnswerIds(options);
  }

  get any(): boolean {
    return this.#count > 0;
  }

  add(delta: ChatToolCallDelta): GenerateEvent[] {
    const given = argumentsOf(delta);
    const known = this.#find(delta, given);
    const isPlaceholder = given !== '' && isEmptyObject(delta);
    const text = isPlaceholder && known?.text ? '' : given;
    const before = known && beginsAnother(known, text) ? known : undefined;
    const found = before ? undefined : known;
    const call = found ?? this.#begin(delta);
    if (isPlaceholder && text !== '') call.placeholder = true;
    const signature = delta.extra_content?.google?.thought_signature;
    if (signature) call.signature = { format: 'generate-content', value: signature };
    const complete = found ? [] : this.endComplete(call);
    const events = [...complete, ...this.#named(call, nameIn(delta) || before?.name || '', text)];
    if (text === '' || isAgain(call, text)) return events;
    if (call.ended)
      throw new GatewayError('upstream', 'The upstream sent more arguments for a tool call that had ended.');
    if (call.unsent) restart(call);
    if (call.text === '' && text.trim() === emptyObject && !call.custom) call.unsent = text;
    call.text += text;
    call.end.add(text);
    if (call.part !== undefined && !call.unsent) events.push({ type: 'part-delta', index: call.part, text });
    return events;
  }

  /** Ends every call, in order. */
  endAll(): GenerateEvent[] {
    return [...this.#open].flatMap(call => this.#end(call));
  }

  /** Finds the call of a fragment by its id; without a known one by its index; without both the last call. Undefined for a new call. */
  #find(delta: ChatToolCallDelta, text: string): Call | undefined {
    const { index } = delta;
    const id = idIn(delta);
    const name = nameIn(delta);
    const last = typeof index === 'number' ? this.#byIndex.get(index) : this.#last;
    if (id) {
      const known = this.#byId.get(id)?.findLast(call => isSame(call, index, name));
      if (known) return known;
      // Some upstreams change the id of a call that goes on.
      if (!last || name || isComplete(last)) return undefined;
      this.#remember(id, last);
      return last;
    }
    if (!last?.name || !name) return last;
    if (last.part === undefined && !this.#options.isTool?.(name)) return last;
    const another = name !== last.name || (text !== '' && (isComplete(last) || last.placeholder));
    return another ? undefined : last;
  }

  /** @throws GatewayError for one call too many */
  #begin(delta: ChatToolCallDelta): Call {
    const { index, type, custom } = delta;
    if (this.#count === maxToolCalls)
      throw new GatewayError(
        'upstream',
        `The upstream sent more than ${maxToolCalls} tool calls in one answer.`,
      );
    this.#count++;
    const id = idIn(delta);
    const call: Call = {
      id,
      index: index ?? undefined,
      name: '',
      custom: type === 'custom' || Boolean(custom),
      text: '',
      end: new ObjectEnd(),
      unsent: '',
      placeholder: false,
      ended: false,
    };
    this.#last = call;
    this.#open.add(call);
    if (id) this.#remember(id, call);
    if (call.index !== undefined) this.#byIndex.set(call.index, call);
    return call;
  }

  #remember(id: string, call: Call): void {
    const others = this.#byId.get(id);
    if (others) others.push(call);
    else this.#byId.set(id, [call]);
  }

  /**
   * Ends the calls whose JSON is complete, so that clients need not wait for the end of the response. The others, and the call that
   * begins, go on.
   */
  endComplete(next?: Call): GenerateEvent[] {
    const events: GenerateEvent[] = [];
    for (const call of this.#open) {
      if (call === next) continue;
      // What follows comes after it.
      if (call.part === undefined && call.name) events.push(...this.#startPart(call));
      if (isComplete(call)) events.push(...this.#end(call));
    }
    return events;
  }

  #end(call: Call): GenerateEvent[] {
    if (!call.name) throw new GatewayError('upstream', 'The upstream sent a tool call without a name.');
    const events = call.part === undefined ? this.#startPart(call) : [];
    call.ended = true;
    this.#open.delete(call);
    const { part: index = 0, signature, unsent: text } = call;
    if (text) events.push({ type: 'part-delta', index, text });
    events.push({ type: 'part-end', index, ...(signature && { signature }) });
    return events;
  }

  /** Adds a name, or a piece of one, to a call. Starts its part once the name is whole: it is that of a tool, or arguments follow. */
  #named(call: Call, name: string, text: string): GenerateEvent[] {
    if (call.part !== undefined) return [];
    if (name !== call.name) call.name += name;
    if (!call.name) return [];
    const { isTool } = this.#options;
    const isPiece = isTool && !isTool(call.name) && call.text === '' && text === '';
    return isPiece ? [] : this.#startPart(call);
  }

  /** Starts the part, with the arguments received before the name. */
  #startPart(call: Call): GenerateEvent[] {
    const before = this.#options.signedBefore ? this.#signaturePart(call) : [];
    call.part = this.#options.nextPart();
    const id = this.#ids.of(call.id);
    const start = { type: 'tool-call' as const, id, name: this.#options.toolName(call.name) };
    const part = call.custom ? { ...start, custom: true } : start;
    const begin: GenerateEvent = { type: 'part-start', index: call.part, part };
    const isSent = call.text !== '' && !call.unsent;
    const rest: GenerateEvent[] = isSent ? [{ type: 'part-delta', index: call.part, text: call.text }] : [];
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
}

/** True if a fragment with a call's id belongs to it. Some upstreams send the same id for several calls. */
function isSame(call: Call, index: number | null | undefined, name: string | null | undefined): boolean {
  const sameIndex = typeof index !== 'number' || call.index === undefined || call.index === index;
  return sameIndex && (!name || call.part === undefined || call.name === name);
}

/** True if the arguments of a call are a whole object. They are parsed once, where an object ends. */
function isComplete(call: Call): boolean {
  if (call.custom || call.placeholder || !call.end.reached) return false;
  call.complete ??= parseObject(call.text) !== undefined;
  return call.complete;
}

const emptyObject = '{}';

/** True if a text of a call with a whole object is the object of another call. */
function beginsAnother(call: Call, text: string): boolean {
  return isComplete(call) && !call.unsent && text.trimStart().startsWith('{') && !isAgain(call, text);
}

/** True for a text that adds nothing to the whole object of a call: the object once more, or white space. */
function isAgain(call: Call, text: string): boolean {
  if (!call.ended && !isComplete(call) && !call.unsent) return false;
  const more = text.trim();
  return more === '' || more === call.text.trim();
}

/** Forgets the empty object with which a call began. */
function restart(call: Call): void {
  call.text = '';
  call.end = new ObjectEnd();
  delete call.complete;
  call.unsent = '';
  call.placeholder = false;
}

/** Returns the id in a fragment; empty if it is missing or blank. */
function idIn({ id }: ChatToolCallDelta): string {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && text.trim() !== '' ? text : '';
}

function nameIn({ function: fn, custom }: ChatToolCallDelta): string {
  const name = fn?.name || custom?.name;
  return typeof name === 'string' ? name : '';
}

/** True if the arguments are an empty object in place of text. */
function isEmptyObject({ function: fn }: ChatToolCallDelta): boolean {
  const value = fn?.arguments;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Returns the arguments as text; some upstreams send an object, or an empty list for one. @throws GatewayError for any other type */
function argumentsOf({ function: fn, custom }: ChatToolCallDelta): string {
  const value: unknown = custom ? custom.input : fn?.arguments;
  if (typeof value === 'string') return value;
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object' || (Array.isArray(value) && value.length > 0))
    throw malformed('event', 'the arguments of a tool call are neither a text nor an object');
  return JSON.stringify(value);
}
