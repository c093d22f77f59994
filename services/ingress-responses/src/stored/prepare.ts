import type { WorkQueue } from '@model-gateway/bus';
import { type Edit, GatewayError, memberText, spliceTopLevel } from '@model-gateway/canonical';
import type { Asked, Outlet, PreparedRequest } from '@model-gateway/ingress';
import { submit } from '../background/submit.ts';
import { storedId } from '../ids.ts';
import { invalid } from '../invalid.ts';
import { withSummaries } from './compaction.ts';
import { addEntry, conversationId, readConversation } from './conversations.ts';
import { checkOutputs, type History, type LocalTurns, readHistory } from './history.ts';
import { type Keeper, StoredOutlet } from './outlet.ts';
import { foreignItems, hasReferences, withReferences } from './references.ts';
import { Rewriter } from './rewriter.ts';
import { away, type Store } from './store.ts';
import { inner, joined, type Turn, type TurnMeta } from './turn.ts';

/** What requests that refer to others, or are kept, need of the service. */
export interface Shelf {
  store: Store;
  /** What is answered in the background. */
  queue: Pick<WorkQueue, 'add'>;
  /** The largest request with its history, in bytes. */
  bodyBytes: number;
  /** Whether a project's responses are kept. */
  keeps(project: string): boolean;
  /** Has the process wait for what is being written, and tells of what could not be. */
  writing(work: Promise<unknown>): void;
  failed(error: unknown): void;
}

/** The client has these events: they are kept for one who comes again. */
const joinMs = 50;

type Body = Record<string, unknown>;

/** What is kept is not there any more once it is asked of the upstream. */
const ours = ['previous_response_id', 'conversation', 'background'];

/** The request with the turns before it, for whoever counts or answers. */
export async function expand(
  { store, bodyBytes }: Pick<Shelf, 'store' | 'bodyBytes'>,
  body: Body,
  { text, token }: Pick<Asked, 'text' | 'token'>,
  local?: LocalTurns,
): Promise<{
  body: Body;
  text: Buffer;
  history?: History;
  own: string;
}> {
  const given = ownItems(text);
  const spelled = withSummaries(given);
  const own = hasReferences(body.input)
    ? await withReferences(store, token.project, spelled, local)
    : spelled;
  const previous = body.previous_response_id;
  if (previous != null && body.conversation != null)
    throw invalid(
      'previous_response_id',
      "Mutually exclusive parameters: 'previous_response_id' and 'conversation'.",
      'mutually_exclusive_parameters',
    );
  const conversation = conversationId(body.conversation);
  if (typeof previous !== 'string' && conversation === undefined && own === given) return { body, text, own };
  const history =
    typeof previous === 'string'
      ? await readHistory(store, token.project, previous, local)
      : conversation !== undefined
        ? (await readConversation(store, token.project, conversation)).history
        : undefined;
  const input = `[${joined([history?.items ?? '', own])}]`;
  if (input.length > bodyBytes)
    throw new GatewayError('too-large', 'The conversation is too long to be continued.');
  const items = JSON.parse(input) as Body[];
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

/** Looks up what a request refers to, and has its answer kept unless it is not to be. */
export async function prepare(
  shelf: Shelf,
  body: Body,
  asked: Asked,
  requestId: string,
  local?: LocalTurns,
): Promise<PreparedRequest> {
  const { project } = asked.token;
  const stored = body.store !== false && shelf.keeps(project);
  if (stored && shelf.store.problem) throw away(shelf.store.problem);
  const expanded = await expand(shelf, body, asked, local);
  const { history, own } = expanded;
  const request = { body: expanded.body, text: expanded.text };
  if (body.background === true && !stored)
    throw invalid('background', "Invalid 'background': a response in the background has to be stored.");
  const conversation = conversationId(body.conversation);
  if (conversation !== undefined && !stored)
    throw invalid('conversation', "Invalid 'conversation': what is added to one has to be stored.");
  if (!stored && !history && !local) return request;
  const previous = typeof body.previous_response_id === 'string' ? body.previous_response_id : null;
  const fields = new Map<string, Edit>([['previous_response_id', JSON.stringify(previous)]]);
  const id = storedId(requestId);
  if (conversation !== undefined) fields.set('conversation', JSON.stringify({ id: conversation }));
  if (stored) fields.set('id', JSON.stringify(id)).set('store', 'true');
  const meta: TurnMeta = {
    id,
    at: Date.now(),
    before: history?.before ?? [],
    stream: body.stream === true,
    ...(conversation !== undefined && { conversation }),
  };
  const turn = { meta, base: history?.whole ? history.items : '', input: own };
  if (body.background === true)
    return submit(shelf, { ...request, body: { ...request.body, background: null } }, asked, {
      requestId,
      previous,
      turn,
    });
  const through = (to: Outlet) => {
    const keeper = stored ? keeperOf(shelf, project, turn) : passing(turn, local);
    return new StoredOutlet(to, { rewriter: new Rewriter(fields), fields, keeper });
  };
  return { ...request, through };
}

/** Keeps the turn, and its events as they come. */
function keeperOf({ store, writing, failed }: Shelf, project: string, turn: Omit<Turn, 'response'>): Keeper {
  const { id, stream } = turn.meta;
  const events = stream ? store.writer(project, id, { joinMs }) : undefined;
  return {
    events: (text, last) => events?.add(text, last),
    async settle(response) {
      const put = Promise.all([
        store.put(project, { ...turn, response }),
        store.putItems(project, foreignItems(response), id),
        turn.meta.conversation && addEntry(store, project, turn.meta.conversation, { ...turn, response }),
      ]);
      writing(put);
      const written = events?.flush();
      if (events) writing(put.finally(() => events.flush()));
      try {
        await put;
        await written;
        return true;
      } catch (error) {
        failed(error);
        return false;
      }
    },
  };
}

/** Keeps nothing, or the turn in this process alone, under the id that its upstream gave. */
function passing(turn: Omit<Turn, 'response'>, local: LocalTurns | undefined): Keeper {
  return {
    events() {},
    async settle(response) {
      const id: string = JSON.parse(memberText(Buffer.from(response), 'id') ?? '""');
      local?.set(id, { ...turn, meta: { ...turn.meta, id }, response });
      return true;
    },
  };
}
