import { faultOf, unknownModel } from '../common/fault.ts';
import type { ClientSocket } from './client-socket.ts';

/** A fault of a session, from the name of its model. */
export interface SessionFault {
  name: string;
  /** Set if the upgrade is refused. */
  refusal: { status: number; retryAfterS: number | null } | null;
  /** The close code. */
  code: number;
}

/** Faults in the middle of a response. */
const middle: Record<string, (client: ClientSocket, fault: SessionFault) => void> = {
  stall: client => {
    client.silent = true;
  },
  reset: client => void client.reset(),
  truncate: client => client.close(1000),
  close: (client, { code }) => closeWith(client, code),
  malformed: client => client.send('{"type":"response.output_text.delta","delta":"Hal'),
  frame: client => client.sendInvalidFrame(),
  binary: client => client.send(Buffer.alloc(1_000, 7)),
};
/** Faults that the session and its responses handle. */
const others = 'hang reset-first slow bytes line u2028 deaf error-first error no-end 200-error'.split(' ');
/** Faults whose responses count as completed. */
const good = new Set(['slow', 'bytes', 'line', 'u2028', 'binary', 'deaf']);

const defaultCode = 1011;
const reasons: Record<number, string> = {
  1001: 'Your session hit the maximum duration of 60 minutes.',
  1011: 'internal error',
  4000: 'server_error.server_error',
};

/** Reads the fault from the part of a model's name after its last `/`; null if there is none. @throws ApiError */
export function sessionFault(model: string): SessionFault | null {
  const [, rest] = /^fault-(.*)$/s.exec(model.slice(model.lastIndexOf('/') + 1)) ?? [];
  if (rest === undefined) return null;
  const names = [...Object.keys(middle), ...others].toSorted((one, other) => other.length - one.length);
  const name = names.find(one => rest === one || rest.startsWith(`${one}-`));
  const code = Number(/^close-(\d{4})(?:-|$)/.exec(rest)?.[1] ?? defaultCode);
  const canBeSent = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || code >= 3000;
  if (name && canBeSent && code < 5000) return { name, refusal: null, code };
  const fault = name ? null : faultOf(model);
  if (fault?.kind === 'error') return { name: 'refusal', refusal: fault, code };
  throw unknownModel(model);
}

export function isGood(fault: SessionFault | null): boolean {
  return !fault || good.has(fault.name);
}

export function applyFault(fault: SessionFault | null, client: ClientSocket): void {
  if (fault) middle[fault.name]?.(client, fault);
}

/** Closes a session as the vendor does. Code 1001 follows an error event. */
function closeWith(client: ClientSocket, code: number): void {
  const message = reasons[code] ?? '';
  if (code === 1001) client.error({ type: 'invalid_request_error', code: 'session_expired', message });
  client.close(code, message);
}
