import { isUtf8 } from 'node:buffer';
import type { GatewayError } from '@model-gateway/canonical';
import { isClientNotice } from '@model-gateway/formats';
import { invalid, responsesFormat } from '@model-gateway/formats/responses';
import { ambiguousKey, isJsonObject, parseInSteps, scanJson, type Turn } from '@model-gateway/json';

/** The maximum length of a lane's name, in characters. */
export const laneCharacters = 256;
const lanePattern = new RegExp(`^[A-Za-z0-9_.-]{1,${laneCharacters}}$`);

/** A parsed message of a client. */
export interface SocketMessage {
  type: 'response.create' | 'response.steer' | 'notice';
  /** The lane that the message belongs to: its `stream_id`. */
  lane: string | undefined;
  fields: Record<string, unknown>;
}

/** A message that cannot be answered. */
interface RefusedMessage extends Pick<SocketMessage, 'lane'> {
  error: GatewayError;
}

/**
 * Parses a message; a large one in steps.
 * @throws GatewayError of kind `invalid-request` for one whose lane cannot be read
 */
export async function parseMessage(data: Buffer, turn: Turn): Promise<SocketMessage | RefusedMessage> {
  const fields = await readObject(data, turn);
  const { type, stream_id: lane } = fields;
  if (isClientNotice(fields)) return { type: 'notice', lane: undefined, fields };
  if (lane != null && !(typeof lane === 'string' && lanePattern.test(lane)))
    throw invalid(
      'stream_id',
      `Invalid 'stream_id': expected 1 to ${laneCharacters} letters, digits, _, . or -.`,
    );
  if (type === 'response.create' || type === 'response.steer')
    return { type, lane: lane ?? undefined, fields };
  const error = invalid('type', "Invalid value for 'type': expected 'response.create'.");
  return { lane: lane ?? undefined, error };
}

async function readObject(data: Buffer, turn: Turn): Promise<Record<string, unknown>> {
  const wrong = (why: string) => invalid(null, `The message ${why}.`, 'invalid_json');
  if (!isUtf8(data)) throw wrong('is not valid UTF-8');
  const text = data.toString();
  await turn();
  const { exceeded, keys } = scanJson(text);
  if (exceeded) throw invalid(exceeded.member ?? null, `The message ${exceeded.words}.`);
  await turn();
  let value: unknown;
  try {
    value = await parseInSteps(text, turn);
  } catch {
    throw wrong('is not valid JSON');
  }
  if (!isJsonObject(value)) throw wrong('must be a JSON object');
  const ambiguous = ambiguousKey(keys, responsesFormat.fields);
  if (ambiguous) throw invalid(ambiguous.key, `The message ${ambiguous.words}.`);
  return value;
}
