import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { UpgradeListener } from '@model-gateway/service';
import { WebSocketServer } from 'ws';
import { errorBody, openai } from '../chat/format.ts';
import { ApiError, toApiError } from '../common/api-error.ts';
import { bearer } from '../common/body.ts';
import { failure } from '../common/fault.ts';
import { invalidKey } from '../common/guarded.ts';
import { missing } from '../common/openai-error.ts';
import type { Traffic } from '../common/traffic.ts';
import { resetSocket } from '../common/write-paced.ts';
import { paceOf } from '../responder/pace.ts';
import { Responder } from '../responder/responder.ts';
import { ClientSocket } from './client-socket.ts';
import { type SessionFault, sessionFault } from './fault.ts';
import { Session, sessionMs } from './session.ts';

/** OpenAI's path, and that of Azure. */
const paths: readonly string[] = ['/v1/realtime', '/openai/v1/realtime'];
const subprotocol = 'realtime';
const keyProtocol = 'openai-insecure-api-key.';
const betaProtocol = 'openai-beta.realtime-v1';
/** More than base64 of the 15 MiB that an event may have. */
const maxPayload = 24 * 1024 * 1024;

/** OpenAI's realtime sessions, over WebSockets. */
export class Realtime {
  readonly #traffic: Traffic;
  readonly #responder = new Responder();
  readonly #open = new Map<Session, ClientSocket>();
  /** Connections whose upgrade is delayed. */
  readonly #held = new Set<Duplex>();
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload,
    perMessageDeflate: false,
    handleProtocols: offered => offered.has(subprotocol) && subprotocol,
  });

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  readonly upgrade: UpgradeListener = (request, socket, head) => {
    const requestId = this.#traffic.countRequest();
    socket.on('error', () => socket.destroy());
    this.#admit(request, socket, head, requestId).catch(thrown =>
      sendError(socket, toApiError(thrown), requestId),
    );
  };

  /** Ends each session after its response. */
  async drain(): Promise<void> {
    await Promise.all(
      [...this.#open].map(async ([session, client]) => {
        await session.idle();
        client.close(1001, 'the simulator stops');
        await client.closed();
      }),
    );
  }

  /** Closes all connections immediately. */
  close(): void {
    for (const client of this.#open.values()) client.terminate();
    for (const socket of this.#held) socket.destroy();
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer, requestId: string): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://simulator');
    const recorded = this.#traffic.record({ method, originalUrl: url, headers }, '');
    if (!paths.includes(pathname))
      throw new ApiError(404, `Invalid URL (${method} ${pathname})`, 'unknown_url');
    if (keyOf(request) === 'invalid') throw invalidKey();
    const model = searchParams.get('model');
    if (!model) throw missing('model');
    const fault = sessionFault(model);
    if (fault?.refusal) throw failure(openai, fault.refusal.status, fault.refusal.retryAfterS);
    if (fault?.name === 'reset-first') return resetSocket(socket as Socket);
    if (fault?.name === 'hang') await this.#hold(sessionMs, socket);
    if (fault?.name === 'slow') await this.#hold(paceOf(model).firstMs, socket);
    if (socket.destroyed) return;
    const id = requestId.slice('req_'.length);
    this.#server.handleUpgrade(request, socket, head, opened => {
      const client = new ClientSocket(opened, socket as Socket, id, fault?.name === 'bytes');
      const error = earlyError(request, fault);
      if (error) {
        client.error(error);
        return client.close(4000, `${error.type}.${error.code}`);
      }
      const ended = this.#traffic.trackSession();
      const session = new Session({
        id,
        model,
        fault,
        client,
        responder: this.#responder,
        traffic: this.#traffic,
      });
      this.#open.set(session, client);
      const { clock } = this.#traffic;
      const expiry = clock.setTimeout(() => client.close(1001, 'session expired'), sessionMs).unref();
      opened.on('message', (data, isBinary) => {
        if (isBinary) return session.readBytes();
        this.#traffic.recordMore(recorded, `${data}\n`);
        session.read(String(data));
      });
      // The library answers a protocol error with a close code.
      opened.on('error', () => {});
      opened.on('close', () => {
        clock.clearTimeout(expiry);
        this.#open.delete(session);
        session.left();
        ended(!client.ended);
      });
    });
  }

  async #hold(ms: number, socket: Duplex): Promise<void> {
    this.#held.add(socket);
    // The end is only noticed if the socket is read.
    socket.resume().once('end', () => socket.destroy());
    const closed = new AbortController();
    socket.once('close', () => closed.abort());
    await this.#traffic.clock.sleep(ms, closed).catch(() => {});
    this.#held.delete(socket);
    if (socket.destroyed)
      this.#traffic.trackResponse()({ status: 'cancelled', usage: { input: 0, output: 0 } });
  }
}

/** An error that ends a session before its first event. */
function earlyError({ headers }: IncomingMessage, fault: SessionFault | null) {
  const isBeta = headers['openai-beta'] === 'realtime=v1' || protocolsOf(headers).includes(betaProtocol);
  if (isBeta)
    return {
      type: 'invalid_request_error',
      code: 'beta_api_shape_disabled',
      message: 'The Realtime Beta API is no longer supported. Please use /v1/realtime for the GA API.',
    };
  if (fault?.name !== '200-error') return null;
  return { type: 'server_error', code: 'server_error', message: failure(openai, 500).message };
}

function keyOf({ headers }: IncomingMessage): string | undefined {
  const offered = protocolsOf(headers).find(name => name.startsWith(keyProtocol));
  return bearer(headers) ?? headers['api-key']?.toString() ?? offered?.slice(keyProtocol.length);
}

function protocolsOf(headers: IncomingMessage['headers']): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());
}

function sendError(socket: Duplex, error: ApiError, requestId: string): void {
  const text = JSON.stringify(errorBody(error));
  const retry = error.retryAfterS === null ? '' : `retry-after: ${error.retryAfterS}\r\n`;
  const type = `content-type: application/json\r\nx-request-id: ${requestId}\r\n${retry}`;
  const length = `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n`;
  socket.end(`HTTP/1.1 ${error.status} Refused\r\n${type}${length}\r\n${text}`);
}
