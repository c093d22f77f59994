import { exceededBound, GatewayError, memberText, spliceTopLevel } from '@model-gateway/canonical';
import type { IncomingRequest } from '@model-gateway/ingress';
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

/** A request that refers to nothing any more. */
export interface Expanded {
  body: Body;
  text: Buffer;
  /** What came before it, if anything did. */
  history?: History;
  /** The items that it brings itself, joined by commas. */
  own: string;
}

/** What the gateway answers for is not asked of the upstream. */
const ours = ['previous_response_id', 'conversation', 'background'];

/** The request with the turns before it, for whoever counts or answers. @throws GatewayError for what is not there */
export async function expand(
  { store, bodyBytes }: Pick<ResponseServices, 'store' | 'bodyBytes'>,
  body: Body,
  { text, token: { project } }: Pick<IncomingRequest, 'text' | 'token'>,
  local?: LocalTurns,
): Promise<Expanded> {
  const given = ownItems(text);
  const spelled = withSummaries(given);
  const own = hasReferences(body.input) ? await withReferences(store, project, spelled, local) : spelled;
  if (!goesOn(body) && own === given) return { body, text, own };
  // What is put together below would hide what is wrong with it.
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
  const rest = Object.fromEntries(Object.entries(body).filter(([key]) => !ours.includes(key)));
  const expanded = spliceTopLevel(text, new Map([['input', input]]));
  return { body: { ...rest, input: items }, text: expanded, own, ...(history && { history }) };
}

/** The items that come with a request; a text is a message of the user. */
export function ownItems(text: Buffer): string {
  const input = memberText(text, 'input') ?? 'null';
  if (input.startsWith('[')) return inner(input);
  return input.startsWith('"') ? `{"type":"message","role":"user","content":${input}}` : '';
}

function goesOn({ previous_response_id: previous, conversation }: Body): boolean {
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
