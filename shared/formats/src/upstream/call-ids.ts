import type { GenerateRequest, Message, ToolResultPart } from '@model-gateway/canonical';
import { refuse } from './request-body.ts';
import { inventedCallId } from './tools.ts';

/** Gives the calls of a conversation ids of their own, by order of appearance. */
class UniqueIds {
  readonly #used = new Set<string>();
  /** The number that the next call with an id gets. */
  readonly #next = new Map<string, number>();

  /** Returns the id, with a number behind it if an earlier call has it. */
  of(id: string): string {
    let number = this.#next.get(id) ?? 2;
    let unique = id;
    while (this.#used.has(unique)) unique = `${id}_${number++}`;
    if (unique !== id) this.#next.set(id, number);
    this.#used.add(unique);
    return unique;
  }
}

/** Calls of one turn that have the same id. */
interface SameId<Result> {
  /** The ids of their own. */
  ids: string[];
  results: Result[];
}

/** A result of one call for another of the same turn and id, which has none. */
interface SharedResult<Result> {
  callId: string;
  result: Result;
}

/** Pairs the calls of a conversation, which get ids of their own, with their results, turn by turn. */
export class CallPairs<Result> {
  readonly #ids = new UniqueIds();
  /** The calls of the last turn, by the id that the client gave them. */
  readonly #open = new Map<string, SameId<Result>>();

  /** Returns the id of a call. */
  call(id: string): string {
    const own = this.#ids.of(id);
    const same = this.#open.get(id);
    if (same) same.ids.push(own);
    else this.#open.set(id, { ids: [own], results: [] });
    return own;
  }

  /** Returns the id of the call that a result answers; undefined if no call of the last turn with its id needs one. */
  result(id: string, result: Result): string | undefined {
    const same = this.#open.get(id);
    const own = same?.ids[same.results.length];
    if (own !== undefined) same?.results.push(result);
    return own;
  }

  /** Ends the turn. Returns the ids whose calls have no result, and the results that several calls share. */
  end(): { unanswered: string[]; shared: SharedResult<Result>[] } {
    const unanswered: string[] = [];
    const shared: SharedResult<Result>[] = [];
    for (const [id, { ids, results }] of this.#open) {
      const result = results.at(-1);
      if (result === undefined) unanswered.push(id);
      else for (const callId of ids.slice(results.length)) shared.push({ callId, result });
    }
    this.#open.clear();
    return { unanswered, shared };
  }
}

export interface AnswerIdsOptions {
  /** Unique to the answer; seeds the ids that are made. */
  seed: string;
  /** The conversation before the answer. */
  history?: readonly Message[];
  /** Makes an id from a seed and a number. */
  invent?: (seed: string, number: number) => string;
}

/** Makes the ids of an answer's calls, which no other call of the answer or of its conversation has: results refer to them. */
export class AnswerIds {
  readonly #options: AnswerIdsOptions;
  /** The ids that are taken; undefined until the answer has a call. */
  #taken: Set<string> | undefined;
  #count = 0;

  constructor(options: AnswerIdsOptions) {
    this.#options = options;
  }

  /** Returns the upstream's id, or a new one if it is missing, blank or taken. */
  of(upstreamId: string | null | undefined): string {
    const { seed, history = [], invent = inventedCallId } = this.#options;
    this.#taken ??= new Set(callIdsIn(history));
    const number = this.#count++;
    const isFree = upstreamId?.trim() && !this.#taken.has(upstreamId);
    const id = isFree && upstreamId ? upstreamId : invent(seed, number);
    this.#taken.add(id);
    return id;
  }
}

function* callIdsIn(messages: readonly Message[]): Generator<string> {
  for (const { role, content } of messages)
    if (role === 'assistant') for (const part of content) if (part.type === 'tool-call') yield part.id;
}

/** Returns the conversation of a request as far as {@link AnswerIds} reads it. */
export function onlyCalls({ messages }: Pick<GenerateRequest, 'messages'>): Message[] {
  return messages.flatMap(({ role, content }): Message[] => {
    if (role !== 'assistant') return [];
    const calls = content.flatMap(part =>
      part.type === 'tool-call' ? [{ type: part.type, id: part.id, name: '', arguments: '' }] : [],
    );
    return calls.length > 0 ? [{ role, content: calls }] : [];
  });
}

type Turn<Role extends Message['role']> = Extract<Message, { role: Role }>;

/**
 * Returns a conversation in which each call has an id of its own: where ids repeat, calls are renamed by order of appearance, and
 * results take the ids of their calls. A call that lacks a result of its own, while another of the same turn and id has one, gets
 * that one.
 * @throws GatewayError unless every call has a result before the next turn, and every result has a call
 */
export function paired(messages: readonly Message[]): Message[] {
  const pairs = new CallPairs<ToolResultPart>();
  const sent: Message[] = [];
  let answering = false;
  for (const message of messages) {
    const asks = message.role === 'assistant';
    if (asks && answering) endTurn(pairs, sent);
    answering = !asks;
    if (message.role === 'assistant') sent.push(asked(message, pairs));
    else sent.push(message.role === 'tool' ? answered(message, pairs) : message);
  }
  endTurn(pairs, sent);
  return sent;
}

function asked(message: Turn<'assistant'>, pairs: CallPairs<ToolResultPart>): Message {
  let renamed = false;
  const content = message.content.map(part => {
    if (part.type !== 'tool-call') return part;
    const id = pairs.call(part.id);
    if (id === part.id) return part;
    renamed = true;
    return { ...part, id };
  });
  return renamed ? { ...message, content } : message;
}

function answered(message: Turn<'tool'>, pairs: CallPairs<ToolResultPart>): Message {
  let renamed = false;
  const content = message.content.map(result => {
    const callId = pairs.result(result.callId, result);
    if (callId === undefined)
      return refuse(
        'messages',
        `The tool result '${result.callId}' has no matching tool call in the previous turn.`,
      );
    if (callId === result.callId) return result;
    renamed = true;
    return { ...result, callId };
  });
  return renamed ? { ...message, content } : message;
}

/** Adds the results that calls of the last turn share. @throws GatewayError for a call without a result */
function endTurn(pairs: CallPairs<ToolResultPart>, sent: Message[]): void {
  const { unanswered, shared } = pairs.end();
  const ids = unanswered.map(id => `'${id}'`).join(', ');
  if (ids !== '') refuse('messages', `These tool calls have no result in the next turn: ${ids}.`);
  if (shared.length === 0) return;
  const at = sent.findLastIndex(({ role }) => role === 'tool');
  const more = shared.map(({ callId, result }) => ({ ...result, callId }));
  sent[at] = { role: 'tool', content: [...(sent[at] as Turn<'tool'>).content, ...more] };
}
