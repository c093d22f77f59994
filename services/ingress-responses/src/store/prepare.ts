import { GatewayError } from '@model-gateway/canonical';
import { invalid, storedId } from '@model-gateway/formats/responses';
import type { IncomingRequest, PreparedRequest, ResponseSink } from '@model-gateway/ingress';
import { type Edit, memberText } from '@model-gateway/json';
import { type LogRoom, RevisionConflictError } from '@model-gateway/store';
import { submit } from '../background/submit.ts';
import { addToConversation, conversationId } from './conversations.ts';
import { expand } from './expand.ts';
import type { History, LocalTurns } from './history.ts';
import { foreignItems } from './references.ts';
import type { ResponseServices } from './response-services.ts';
import { Rewriter } from './rewriter.ts';
import { unkept } from './store-errors.ts';
import { type AnswerRecorder, NumberedSink, StoredResponseSink } from './stored-response-sink.ts';
import { holdTurn, type Turn } from './turn.ts';

type Body = Record<string, unknown>;

/**
 * Resolves a request's references, and has its response stored unless the client or the project disables
 * that.
 */
export async function prepare(
  services: ResponseServices,
  body: Body,
  incoming: IncomingRequest,
  requestId: string,
  local?: LocalTurns,
): Promise<PreparedRequest> {
  const { project } = incoming.token;
  const stored = body.store !== false && services.keeps(project);
  if (stored) await services.store.checkRoom(project, { events: body.stream === true });
  const { history, itemsBefore, own, ...request } = await expand(services, body, incoming, local);
  if (!stored) refuseUnstored(body);
  if (!stored && !history && !local) return { ...request, through: to => new NumberedSink(to) };
  const turn = turnOf(body, {
    id: storedId(requestId),
    at: services.store.clock.now(),
    own,
    history,
    itemsBefore,
    stored,
  });
  const previous = typeof body.previous_response_id === 'string' ? body.previous_response_id : null;
  if (body.background === true) {
    const waiting = { ...request, body: { ...request.body, background: null } };
    return submit(services, waiting, incoming, { requestId, previous, turn });
  }
  const fields = fieldsOf(turn, previous, stored);
  const through = (to: ResponseSink) => {
    const recorder = stored ? storing(services, project, turn, () => incoming.share()) : passing(turn, local);
    holdTurn(incoming.share(), turn, to);
    return new StoredResponseSink(to, { rewriter: new Rewriter(fields), fields, recorder });
  };
  return { ...request, through };
}

function refuseUnstored({ background, conversation }: Body): void {
  if (background === true)
    throw invalid('background', "Invalid 'background': a background response must be stored.");
  if (conversationId(conversation) !== undefined)
    throw invalid('conversation', "Invalid 'conversation': a response in a conversation must be stored.");
}

interface TurnInput {
  id: string;
  /** In milliseconds since 1970. */
  at: number;
  own: string;
  history: History | undefined;
  itemsBefore: number | undefined;
  stored: boolean;
}

function turnOf(
  body: Body,
  { id, at, own, history, itemsBefore, stored }: TurnInput,
): Omit<Turn, 'response'> {
  const conversation = conversationId(body.conversation);
  const meta = {
    id,
    at,
    before: history?.before ?? [],
    stream: body.stream === true,
    ...(itemsBefore !== undefined && { itemsBefore }),
    ...(conversation !== undefined && { conversation }),
  };
  // Turns that only this connection knows must be stored with the turn.
  const whole = history && (history.whole || (stored && history.local));
  return { meta, base: whole ? history.items : '', input: own };
}

/** Returns the fields of a response that the upstream does not know. */
function fieldsOf(
  { meta: { id, conversation } }: Omit<Turn, 'response'>,
  previous: string | null,
  stored: boolean,
): Map<string, Edit> {
  const fields = new Map<string, Edit>([['previous_response_id', JSON.stringify(previous)]]);
  if (conversation !== undefined) fields.set('conversation', JSON.stringify({ id: conversation }));
  return stored ? fields.set('id', JSON.stringify(id)).set('store', 'true') : fields;
}

/** The time over which events are joined into one write, in milliseconds. The client has them already. */
const joinMs = 50;

/** Stores a turn, and its events as they arrive. `room`: that of the events that wait. */
export function storing(
  { store, writing, failed }: ResponseServices,
  project: string,
  turn: Omit<Turn, 'response'>,
  room: () => LogRoom,
): AnswerRecorder {
  const { id, stream } = turn.meta;
  const events = stream ? store.writer(project, id, { joinMs }) : undefined;
  if (events) events.room = room();
  return {
    events: (text, last) => events?.add(text, last),
    async settle(response) {
      const put = Promise.all([
        store.put(project, { ...turn, response }, 0),
        store.putItems(project, foreignItems(response), id),
        addToConversation(store, project, { ...turn, response }),
      ]);
      writing(put);
      const written = events?.flush();
      if (events) writing(put.finally(() => events.flush()));
      try {
        await put;
        await written;
      } catch (error) {
        if (error instanceof RevisionConflictError) throw deleted();
        failed(error);
        const { kind, message, details } = unkept(error);
        const text = `The response was generated, but its storage was not confirmed. ${message}`;
        throw new GatewayError(kind, text, details);
      }
    },
  };
}

function deleted(): GatewayError {
  return new GatewayError('not-found', 'The response was deleted before it ended.');
}

/** Stores a turn in `local` under the upstream's id, or not at all. */
export function passing(turn: Omit<Turn, 'response'>, local: LocalTurns | undefined): AnswerRecorder {
  return {
    events() {},
    async settle(response) {
      const id: string = JSON.parse(memberText(Buffer.from(response), 'id') ?? '""');
      local?.set(id, { ...turn, meta: { ...turn.meta, id }, response });
    },
  };
}
