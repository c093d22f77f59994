import type { Edit } from '@model-gateway/canonical';
import type { IncomingRequest, PreparedRequest, Reservation, ResponseSink } from '@model-gateway/ingress';
import { submit } from '../background/submit.ts';
import { storedId } from '../format/ids.ts';
import { invalid } from '../format/invalid.ts';
import { conversationId } from './conversations.ts';
import { expand } from './expand.ts';
import type { History, LocalTurns } from './history.ts';
import { passing, storing } from './recorders.ts';
import type { ResponseServices } from './response-services.ts';
import { Rewriter } from './rewriter.ts';
import { StoredResponseSink } from './stored-response-sink.ts';
import type { Turn } from './turn.ts';

type Body = Record<string, unknown>;

/** Looks up what a request refers to, and has its answer kept unless it is not to be. */
export async function prepare(
  shelf: ResponseServices,
  body: Body,
  asked: IncomingRequest,
  requestId: string,
  local?: LocalTurns,
): Promise<PreparedRequest> {
  const { project } = asked.token;
  const stored = body.store !== false && shelf.keeps(project);
  if (stored) await shelf.store.checkRoom(project, { events: body.stream === true });
  const { history, own, ...request } = await expand(shelf, body, asked, local);
  if (!stored) refuseUnstored(body);
  if (!stored && !history && !local) return request;
  const turn = turnOf(body, { id: storedId(requestId), own, history, stored });
  const previous = typeof body.previous_response_id === 'string' ? body.previous_response_id : null;
  if (body.background === true) {
    const waiting = { ...request, body: { ...request.body, background: null } };
    return submit(shelf, waiting, asked, { requestId, previous, turn });
  }
  const fields = fieldsOf(turn, previous, stored);
  const through = (to: ResponseSink) => {
    const keeper = stored ? storing(shelf, project, turn) : passing(turn, local);
    holdTurn(asked.share(), turn, to);
    return new StoredResponseSink(to, { rewriter: new Rewriter(fields), fields, keeper });
  };
  return { ...request, through };
}

function refuseUnstored({ background, conversation }: Body): void {
  if (background === true)
    throw invalid('background', "Invalid 'background': a response in the background has to be stored.");
  if (conversationId(conversation) !== undefined)
    throw invalid('conversation', "Invalid 'conversation': what is added to one has to be stored.");
}

interface About {
  id: string;
  own: string;
  history: History | undefined;
  stored: boolean;
}

function turnOf(body: Body, { id, own, history, stored }: About): Omit<Turn, 'response'> {
  const conversation = conversationId(body.conversation);
  const meta = {
    id,
    at: Date.now(),
    before: history?.before ?? [],
    stream: body.stream === true,
    ...(conversation !== undefined && { conversation }),
  };
  // What this connection alone knows would be missed elsewhere.
  const whole = history && (history.whole || (stored && history.local));
  return { meta, base: whole ? history.items : '', input: own };
}

/** What an answer says of itself that its upstream does not know. */
function fieldsOf(
  { meta: { id, conversation } }: Omit<Turn, 'response'>,
  previous: string | null,
  stored: boolean,
): Map<string, Edit> {
  const fields = new Map<string, Edit>([['previous_response_id', JSON.stringify(previous)]]);
  if (conversation !== undefined) fields.set('conversation', JSON.stringify({ id: conversation }));
  return stored ? fields.set('id', JSON.stringify(id)).set('store', 'true') : fields;
}

/** The texts that a turn holds until it is kept, in bytes. */
function sizeOf({ meta, base, input }: Omit<Turn, 'response'>): number {
  const texts = [base, input, meta.background?.request ?? ''];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** Counts a turn until its answer is over, or the returned function is called. @throws GatewayError where too much is held already */
export function holdTurn(share: Reservation, turn: Omit<Turn, 'response'>, to: ResponseSink): () => void {
  if (!to.destroyed) share.take(sizeOf(turn));
  to.on('close', () => share.release());
  return () => share.release();
}
