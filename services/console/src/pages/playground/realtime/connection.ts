import { z } from 'zod/mini';
import { Problem } from '../../problem.ts';
import { jsonRequest, send } from '../operation/request.ts';

/** The longest wait for a client secret, and for the session to open. */
const openingMs = 30_000;

const secretAnswer = z.object({ value: z.string() });

/** The events of a connection, in the order in which they happen. */
interface ConnectionEvents {
  onOpen(): void;
  onMessage(text: string): void;
  /** Called once, unless the connection was closed by `close`. */
  onClose(code: number, reason: string): void;
}

/**
 * Makes a client secret for a session. The refusal of a token, a model or a limit can be read here, while a browser cannot read that
 * of a WebSocket; and the token stays out of the handshake. @throws Problem if the gateway refuses
 */
export async function makeSecret(
  token: string,
  session: Record<string, unknown>,
  signal: AbortSignal,
): Promise<string> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(openingMs)]);
  const response = await send(token, jsonRequest('/v1/realtime/client_secrets', { session }), limited);
  const { data } = secretAnswer.safeParse(await response.json().catch(() => undefined));
  if (!data) throw new Problem('The gateway sent an invalid response.', { code: 'not_a_stream' });
  return data.value;
}

/** A WebSocket of a realtime session. */
export class Connection {
  readonly #socket: WebSocket;
  #closed = false;

  constructor(secret: string, model: string, { onOpen, onMessage, onClose }: ConnectionEvents) {
    const url = new URL(`/v1/realtime?model=${encodeURIComponent(model)}`, window.location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    this.#socket = new WebSocket(url, ['realtime', `openai-insecure-api-key.${secret}`]);
    const late = setTimeout(() => {
      this.close();
      onClose(1006, `the session was not open after ${openingMs / 1_000} s`);
    }, openingMs);
    this.#socket.onopen = () => {
      clearTimeout(late);
      onOpen();
    };
    this.#socket.onmessage = ({ data }) => onMessage(String(data));
    this.#socket.onclose = ({ code, reason }) => {
      clearTimeout(late);
      if (!this.#closed) onClose(code, reason);
    };
  }

  /** Bytes that wait to be sent. */
  get waiting(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  close(): void {
    this.#closed = true;
    this.#socket.close(1000);
  }
}
