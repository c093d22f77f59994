import type { IncomingMessage } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Message } from '@model-gateway/bus';
import { type FinishEvent, GatewayError, toGatewayError } from '@model-gateway/canonical';
import type { Clock, Timer } from '@model-gateway/clock';
import { answerFailure, decodeFailure } from '@model-gateway/formats/upstream';
import { parseJsonObject } from '@model-gateway/json';
import type { Connection } from '@model-gateway/providers';
import { type RawData, WebSocket } from 'ws';
import { type Redacted, redactError } from '../redact.ts';
import { explained } from '../upstream-response.ts';
import { type Address, splitUrl } from '../upstreams.ts';

/** The most bytes of an HTTP error body that are read. */
export const maxRefusal = 64 * 1024;
/** The largest message accepted from an upstream, in bytes. */
export const maxMessage = 32 * 1024 * 1024;
/** Time to wait for a first event, which may be an error, after the connection opened. */
const settleMs = 1_000;

/** A paused socket to an upstream, and the messages received so far. */
export interface Dialled {
  socket: WebSocket;
  /** The underlying connection. */
  line: Pick<Socket, 'bytesRead' | 'on'>;
  received: Message[];
  /** The secrets of the upstream, which its texts may repeat. */
  secrets: Redacted;
}

interface DialOptions {
  /** The longest wait for the upstream to open the session, in milliseconds. */
  waitMs: number;
  clock: Clock;
  /** The agent of upstreams without a way of their own. */
  agent: HttpsAgent | undefined;
}

/**
 * Opens a session at an upstream. The client's headers are not passed on.
 * @throws GatewayError if the upstream cannot be reached, refuses, or sends an error as its first event
 */
export async function dial(
  address: Address,
  model: string,
  { waitMs, clock, agent: usualAgent }: DialOptions,
  signal: AbortSignal,
): Promise<Dialled> {
  const { provider, connection } = address;
  const url = connection.url(`/realtime?model=${encodeURIComponent(model)}`, model);
  const unsigned = { 'user-agent': 'model-gateway', ...address.headers };
  const signature = await connection.sign({ method: 'GET', url, headers: unsigned, body: undefined });
  const secrets = { origin: splitUrl(url).origin, headers: { ...signature, ...address.headers } };
  try {
    const headers = { ...unsigned, ...secrets.headers };
    const agent = address.via?.agent ?? usualAgent;
    const lookup = address.via?.lookup;
    const request = { url, headers, provider, waitMs, clock, connection, model, agent, lookup };
    const dialled = await open(request, signal);
    return { ...dialled, secrets };
  } catch (thrown) {
    throw redactError(toGatewayError(thrown), secrets);
  }
}

interface Dial extends DialOptions {
  url: string;
  headers: Record<string, string>;
  provider: string;
  connection: Connection;
  model: string;
  lookup: LookupFunction | undefined;
}

function open(
  { url, headers, provider, waitMs, clock, connection, model, agent, lookup }: Dial,
  signal: AbortSignal,
): Promise<Omit<Dialled, 'secrets'>> {
  const upstream = { provider };
  const socket = new WebSocket(url.replace(/^http/, 'ws'), {
    headers,
    handshakeTimeout: waitMs,
    maxPayload: maxMessage,
    perMessageDeflate: false,
    // One message a turn, however many arrive at once.
    allowSynchronousEvents: false,
    // Without TLS, only a proxy needs an agent, and Node's sends an upgrade to no proxy.
    ...(url.startsWith('https:') && agent && { agent }),
    ...(lookup && { lookup }),
  });
  const received: Message[] = [];
  return new Promise((resolve, reject) => {
    const leave = () => fail(new GatewayError('cancelled', 'The client left.'));
    const fail = (error: GatewayError) => {
      end();
      reject(error);
      socket.on('error', () => {});
      socket.terminate();
    };
    const stand = () => {
      end();
      socket.pause();
      resolve({ socket, line: line as Dialled['line'], received });
    };
    const end = () => {
      clock.clearTimeout(settle);
      signal.removeEventListener('abort', leave);
      socket.removeAllListeners();
    };
    let settle: Timer | undefined;
    let line: Dialled['line'] | undefined;
    signal.addEventListener('abort', leave);
    socket.on('upgrade', response => {
      line = response.socket;
    });
    socket.on('unexpected-response', (_request, response) => {
      void readRefusal(response, provider, { connection, model, clock }).then(fail);
    });
    socket.on('error', cause => fail(unreached(cause, upstream)));
    socket.on('close', (_code, reason) => fail(refusedByClosing(reason.toString(), provider)));
    socket.on('open', () => {
      settle = clock.setTimeout(stand, settleMs);
    });
    socket.on('message', (data, isBinary) => {
      const message = messageOf(data, isBinary);
      const failure = received.length === 0 && failureIn(message, provider);
      if (failure) return fail(failure);
      received.push(message);
      // Messages of the same read are emitted despite the pause.
      socket.pause();
      setImmediate(stand);
    });
    if (signal.aborted) leave();
  });
}

/** Returns a received message in one piece. */
export function messageOf(data: RawData, isBinary: boolean): Message {
  return { data: Array.isArray(data) ? Buffer.concat(data) : (data as Buffer), text: !isBinary };
}

function unreached(cause: Error, upstream: { provider: string }): GatewayError {
  return cause.message === 'Opening handshake has timed out'
    ? new GatewayError('timeout', 'The upstream did not open the session in time.', { upstream }, { cause })
    : new GatewayError('upstream', 'The upstream could not be reached.', { upstream }, { cause });
}

async function readRefusal(
  response: IncomingMessage,
  provider: string,
  { connection, model, clock }: Pick<Dial, 'connection' | 'model' | 'clock'>,
): Promise<GatewayError> {
  const chunks: Buffer[] = [];
  let size = 0;
  const { statusCode: status = 500, headers } = response;
  response.setTimeout(settleMs, () => response.destroy());
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxRefusal) break;
    }
  } catch {
    // The part received is enough.
  }
  const dated = { date: new Date(clock.now()).toUTCString(), ...headers };
  const body = Buffer.concat(chunks);
  const failure = decodeFailure({ provider, status, headers: dated, body });
  return explained(failure, connection, { status, model, body });
}

/** Returns the error in an upstream's first event: some accept a connection only to refuse it. */
function failureIn({ data, text }: Message, provider: string): GatewayError | undefined {
  if (!text) return undefined;
  const event = parseJsonObject(data);
  return event?.type === 'error' ? from(event.error, provider) : undefined;
}

/** Returns the error of a close before any event; the reason may hold a code, as `type.code`. */
function refusedByClosing(reason: string, provider: string): GatewayError {
  const code = /^[\w]+\.(\w+)$/.exec(reason)?.[1];
  return from(code ? { code, message: reason } : { message: 'The upstream closed the session.' }, provider);
}

function from(error: unknown, provider: string): GatewayError {
  const { kind, message, details } = answerFailure(error);
  return new GatewayError(kind, message, { ...details, upstream: { provider } });
}

/** The largest close reason, in bytes (RFC 6455). */
const maxReason = 123;

/** Returns the close to send to the client; undefined without a valid close frame. */
export function relayedClose(code: number, reason: string): FinishEvent['closed'] {
  const sent = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || isPrivate(code);
  if (sent) return { code, reason: shortened(reason) };
  // A close frame without a code.
  return code === 1005 ? { code: 1011, reason: '' } : undefined;
}

function isPrivate(code: number): boolean {
  return code >= 3000 && code <= 4999;
}

/** Truncates a text to fit a close frame. */
function shortened(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxReason) return text;
  return bytes.toString('utf8', 0, maxReason).replace(/\uFFFD$/, '');
}
