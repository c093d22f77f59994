import { GatewayError } from '@model-gateway/canonical';
import type { IncomingRequest } from '@model-gateway/ingress';
import { exceededBound, memberText, spliceTopLevel } from '@model-gateway/json';
import { nextTurn } from '@model-gateway/service';
import { invalid } from '../format/invalid.ts';
import { checkBody } from '../format/parse-body.ts';
import { conversationId, readConversation } from './conversations.ts';
import {
  checkOutputs,
  type History,
  type LocalTurns,
  readHistory,
  sinceCompaction,
  withSummaries,
} from './history.ts';
import { unnamed } from './items.ts';
import { hasReferences, withReferences } from './references.ts';
import type { ResponseServices } from './response-services.ts';
import { inner, joined } from './turn.ts';

type Body = Record<string, unknown>;

/** A request whose references are resolved. */
interface Expanded {
  body: Body;
  text: Buffer;
  /** The conversation before the request, if there is one. */
  history?: History;
  /** The request's input items, joined by commas. */
  own: string;
}

/** The fields that the gateway handles. They are not sent to the upstream. */
const gatewayFields = ['previous_response_id', 'conversation', 'background'];

/**
 * Adds the conversation before a request to its input.
 * @throws GatewayError if a reference cannot be resolved
 */
export async function expand(
  { store, bodyBytes }: Pick<ResponseServices, 'store' | 'bodyBytes'>,
  body: Body,
  { text, token: { project } }: Pick<IncomingRequest, 'text' | 'token'>,
  local?: LocalTurns,
): Promise<Expanded> {
  const received = ownItems(text);
  const expandedItems = withSummaries(received);
  const own = hasReferences(body.input)
    ? await withReferences(store, project, expandedItems, local)
    : expandedItems;
  if (!continuesConversation(body) && own === received) return { body, text, own };
  // The body is checked first: the input that is assembled below would hide its errors.
  checkBody(body);
  const history = await historyOf(store, project, body, local);
  const before = history ? sinceCompaction(unnamed(history.items)) : '';
  const input = `[${joined([before, own])}]`;
  if (input.length > bodyBytes)
    throw new GatewayError('too-large', 'The conversation is too long to be continued.');
  const exceeded = exceededBound(input);
  if (exceeded)
    throw new GatewayError('too-large', `The conversation is too long to be continued: it ${exceeded}.`);
  await nextTurn(input.length);
  const items = JSON.parse(input) as Body[];
  await nextTurn(input.length);
  if (history) checkOutputs(items);
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !gatewayFields.includes(key)));
  const expanded = spliceTopLevel(text, new Map([['input', input]]));
  return { body: { ...rest, input: items }, text: expanded, own, ...(history && { history }) };
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
  store: ResponseServices['store'],
  project: string,
  { previous_response_id: previous, conversation }: Body,
  local: LocalTurns | undefined,
): Promise<History | undefined> {
  if (previous != null && conversation != null)
    throw invalid(
      'previous_response_id',
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
      'mutually_exclusive_parameters',
    );
  if (typeof previous === 'string') return readHistory(store, project, previous, local);
  const id = conversationId(conversation);
  return id === undefined ? undefined : (await readConversation(store, project, id)).history;
}
