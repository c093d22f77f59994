import { GatewayError } from '@model-gateway/canonical';
import { checkBody, invalid } from '@model-gateway/formats/responses';
import type { IncomingRequest } from '@model-gateway/ingress';
import { exceededBound, memberText, spliceTopLevel } from '@model-gateway/json';
import { type ItemText, joinItems, splitItems, unnamed } from '../items/item-text.ts';
import { RequestReads } from '../reads/reads.ts';
import { conversationId, readConversation, readConversationItems } from './conversations.ts';
import {
  checkOutputs,
  type History,
  type LocalTurns,
  readHistory,
  sinceCompaction,
  tooLong,
  withSummaries,
} from './history.ts';
import { hasReferences, withReferences } from './references.ts';
import type { ResponseServices } from './response-services.ts';
import type { Store } from './store.ts';
import { inner, joined } from './turn.ts';

type Body = Record<string, unknown>;

/** A request whose references are resolved. */
interface Expanded {
  body: Body;
  text: Buffer;
  /** The conversation before the request, if there is one. */
  history?: History;
  /** The bytes of its items since the last compaction. */
  itemsBefore?: number;
  /** The request's input items, joined by commas. */
  own: string;
}

/** The fields that the gateway handles. They are not sent to the upstream. */
const gatewayFields = ['previous_response_id', 'conversation', 'background'];

/** The services that resolve references. */
type ExpandServices = Pick<ResponseServices, 'store' | 'places' | 'bodyBytes'>;

/**
 * Adds the conversation before a request to its input.
 * @throws GatewayError if a reference cannot be resolved
 */
export async function expand(
  services: ExpandServices,
  body: Body,
  incoming: Pick<IncomingRequest, 'text' | 'token' | 'share' | 'signal'>,
  local?: LocalTurns,
): Promise<Expanded> {
  const { text } = incoming;
  const received = ownItems(text);
  const isContinued = continuesConversation(body);
  const refers = hasReferences(body.input);
  const items = withSummaries(received);
  if (!isContinued && !refers && items === received) return { body, text, own: items };
  // The body is checked first: the input that is assembled below would hide its errors.
  checkBody(body);
  const { share, signal, token } = incoming;
  const most = services.bodyBytes;
  // What is read is held until the request's text, which the ingress counts, has taken its place.
  const reads = new RequestReads(services.places, {
    ...{ tokenId: token.id, share: share(), signal: isContinued || refers ? signal() : undefined },
    bodyBytes: most,
  });
  try {
    const store = services.store.through(reads);
    const own = refers ? await withReferences(store, token.project, items, { local, most }) : items;
    const history = await historyOf(store, token.project, body, { local, most });
    return await joinHistory(body, text, { own, history, most, next: bytes => reads.turn(bytes) });
  } finally {
    reads.release();
  }
}

interface ToJoin {
  own: string;
  history: History | undefined;
  /** The most bytes of both. */
  most: number;
  /** Resolves when the next step over so many bytes may run. */
  next(bytes: number): Promise<void>;
}

/** Puts a history before a request's own items. @throws GatewayError if the input is then too large */
async function joinHistory(
  body: Body,
  text: Buffer,
  { own: sent, history, most, next }: ToJoin,
): Promise<Expanded> {
  await next(history?.items.length ?? 0);
  const before = history ? sinceCompaction(unnamed(history.items)) : '';
  if (before.length + sent.length > most) throw tooLong(most);
  await next(before.length);
  const own = history && mayRepeat(sent) ? withoutRepeated(sent, history.items) : sent;
  const all = joined([before, own]);
  await next(all.length);
  const input = `[${history ? withoutCutCalls(all) : all}]`;
  await next(input.length);
  const exceeded = exceededBound(input);
  if (exceeded)
    throw new GatewayError('too-large', `The conversation is too long to be continued: it ${exceeded}.`);
  await next(input.length);
  const items = JSON.parse(input) as Body[];
  await next(input.length);
  if (history) checkOutputs(items);
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !gatewayFields.includes(key)));
  const expanded = spliceTopLevel(text, new Map([['input', input]]));
  const found = history && { history, itemsBefore: Buffer.byteLength(before) };
  return { body: { ...rest, input: items }, text: expanded, own, ...found };
}

/** Returns a request's input items, joined by commas. A text becomes a user message. */
export function ownItems(text: Buffer): string {
  const input = memberText(text, 'input') ?? 'null';
  if (input.startsWith('[')) return inner(input);
  return input.startsWith('"') ? `{"type":"message","role":"user","content":${input}}` : '';
}

function continuesConversation({ previous_response_id: previous, conversation }: Body): boolean {
  return typeof previous === 'string' || conversationId(conversation) !== undefined;
}

async function historyOf(
  store: Store,
  project: string,
  { previous_response_id: previous, conversation }: Body,
  options: { local: LocalTurns | undefined; most: number },
): Promise<History | undefined> {
  if (previous != null && conversation != null)
    throw invalid(
      'previous_response_id',
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
      'mutually_exclusive_parameters',
    );
  if (typeof previous === 'string') return readHistory(store, project, previous, options);
  const id = conversationId(conversation);
  if (id === undefined) return undefined;
  const found = await readConversation(store, project, id);
  return readConversationItems(store, project, found.conversation);
}

/** True if some of a request's own items, joined by commas, may be in its history. */
export function mayRepeat(own: string): boolean {
  return own.includes('"id"') || own.includes('_call"');
}

/**
 * Returns a request's own items without those of its history that the client sent again, as it does that adds a response's output to
 * its next request. Both lists are joined by commas.
 */
export function withoutRepeated(own: string, history: string): string {
  const sent = splitItems(own);
  if (sent.every(item => namesOf(item).length === 0)) return own;
  const known = new Map<string, ItemText>();
  for (const item of splitItems(history)) for (const name of namesOf(item)) known.set(name, item);
  const kept = sent.filter(item => !namesOf(item).some(name => isAgain(item, known.get(name))));
  return kept.length === sent.length ? own : joinItems(kept);
}

/** Returns the names by which an item is known: its id, and the id of its call. */
function namesOf({ id, type, callId }: ItemText): string[] {
  const isCall = callId !== undefined && type.endsWith('_call');
  return [
    ...(id === undefined || type === 'item_reference' ? [] : [id]),
    ...(isCall ? [`${type} ${callId}`] : []),
  ];
}

/** True if an item is one that the history has. Of those that the client makes, and of calls without an id, the content must be equal. */
function isAgain(item: ItemText, known: ItemText | undefined): boolean {
  if (!known || item.type !== known.type || item.role !== known.role) return false;
  const isModels = item.id === known.id && item.id !== undefined && isMadeByModel(item);
  return isModels || contentOf(item) === contentOf(known);
}

function isMadeByModel({ type, role }: ItemText): boolean {
  return type === 'message' ? role === 'assistant' : !type.endsWith('_output');
}

function contentOf({ text }: ItemText): string {
  const { call_id, name, arguments: json, input, output, content } = JSON.parse(text);
  return JSON.stringify([call_id, name, json, input, output, content]);
}

/**
 * Returns a conversation without the calls that were cut off and have no result, and the reasoning before them: no upstream takes
 * them, and the client cannot take them back.
 */
export function withoutCutCalls(items: string): string {
  if (!items.includes('"incomplete"')) return items;
  const all = splitItems(items);
  const answered = new Set(
    all.map(({ type, callId }) => (type.endsWith('_call_output') ? callId : undefined)),
  );
  const kept: ItemText[] = [];
  for (const item of all) {
    if (item.callId === undefined || answered.has(item.callId) || !isCut(item)) kept.push(item);
    else while (kept.at(-1)?.type === 'reasoning') kept.pop();
  }
  return kept.length === all.length ? items : joinItems(kept);
}

function isCut({ text, type }: ItemText): boolean {
  return type.endsWith('_call') && text.includes('"incomplete"') && JSON.parse(text).status === 'incomplete';
}
