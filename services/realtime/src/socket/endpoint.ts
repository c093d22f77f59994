import type { IncomingMessage } from 'node:http';
import { GatewayError, toGatewayError } from '@model-gateway/canonical';
import {
  type Admission,
  beginTrace,
  type Connection,
  type CountSocket,
  type Deliverable,
  envelopeToken,
  findModel,
  type IngressDeps,
  limitResponse,
  limitSession,
  planSession,
  type ResourceEndpoint,
  RunningEntry,
  responseLimits,
  type SocketEndpoint,
  type TokenSession,
} from '@model-gateway/ingress';
import type { Secrets } from '../client-secrets/secrets.ts';
import type { ModelDeps } from '../emulation/model-calls.ts';
import { inBeta } from './beta-session.ts';
import { openBridge } from './bridge.ts';
import { type CallerIdentity, protocolSecret, readCallerIdentity, speaksBeta } from './caller-identity.ts';
import { ClientSession, type SessionLimits } from './client-session.ts';
import { EmulatedSession } from './emulated-session.ts';
import { LimitedSession } from './limited-session.ts';
import { renderError, upgradeRequired } from './render-error.ts';
import type { SessionPeer } from './session-peer.ts';
import type { Sessions } from './sessions.ts';

const socketPath = '/v1/realtime';
/** Bytes of a request for each token of its prompt, on average. */
const bytesPerToken = 4;

interface SocketParts {
  deps: Pick<
    IngressDeps,
    | 'access'
    | 'catalog'
    | 'caller'
    | 'clientAddress'
    | 'clock'
    | 'health'
    | 'held'
    | 'limiter'
    | 'observer'
    | 'outputs'
    | 'prices'
    | 'running'
    | 'traces'
  >;
  secrets: Secrets;
  sessions: Sessions;
  limits: SessionLimits;
}

/** `/v1/realtime` over a WebSocket. */
export function realtimeSocket(
  parts: SocketParts,
  options: Pick<SocketEndpoint, 'messageBytes' | 'messagesPerSecond' | 'origins'>,
): SocketEndpoint {
  return {
    ...options,
    path: socketPath,
    protocol: 'realtime',
    renderError,
    admit: (request, requestId, count, signal) =>
      new Opening(parts, requestId, request).admit(request, count, signal),
  };
}

/** The admission of one client. */
class Opening {
  readonly #parts: SocketParts;
  readonly #requestId: string;
  readonly #entry: RunningEntry;
  /** Aborts, with the error, when an administrator ends the session before it is open. */
  readonly #ended = new AbortController();
  #identity: CallerIdentity | undefined;
  /** The model's name in the catalog; the client's text would create unbounded metric labels. */
  #model = '';
  #release = () => {};
  /** Ends the session's place in the limits. */
  #endSlot = () => {};
  /** Ends the session because a budget is spent. */
  #end: (reason: GatewayError) => void = () => {};
  /** Ends the session because an administrator asks for it. */
  #endSession: (reason: GatewayError) => void = reason => this.#ended.abort(reason);

  constructor(parts: SocketParts, requestId: string, { headers, socket }: IncomingMessage) {
    const { running, observer, traces, clientAddress } = parts.deps;
    const client = clientAddress({ headers, socket });
    const place = { path: socketPath, format: 'realtime' };
    this.#parts = parts;
    this.#requestId = requestId;
    this.#entry = new RunningEntry(running, requestId, place, client);
    this.#entry.trace = beginTrace(traces, {
      requestId,
      endpoint: { method: 'GET', ...place },
      headers,
      client,
    });
    observer.began();
  }

  async admit(request: IncomingMessage, count: CountSocket, left: AbortSignal): Promise<Admission> {
    const { deps, secrets, sessions } = this.#parts;
    try {
      this.#identity = await readCallerIdentity(request, deps, secrets, count);
      this.#show(this.#identity);
      this.#release = sessions.reserve();
      return await this.#open(this.#identity, request, AbortSignal.any([left, this.#ended.signal]));
    } catch (thrown) {
      const error = toGatewayError(thrown);
      this.#over(renderError(error).status, error);
      throw error;
    }
  }

  /** Shows the session to administrators, who may end it. */
  #show({ token, model }: CallerIdentity): void {
    const entry = this.#entry;
    entry.token = token;
    entry.parsed({ type: 'realtime', model, stream: true });
    entry.work = { end: reason => this.#endSession(reason) };
    this.#parts.deps.running.add(entry);
  }

  async #open(identity: CallerIdentity, request: IncomingMessage, signal: AbortSignal): Promise<Admission> {
    const { deps, limits } = this.#parts;
    const endsAt = deps.clock.now() + limits.lastsMs;
    const peer = await this.#serving(identity, endsAt, speaksBeta(request), signal);
    return {
      token: identity.token,
      tokenHash: identity.tokenHash,
      serve: connection => this.#serve(connection, peer, endsAt),
      abandon: () => {
        peer.cancel();
        this.#over(499);
      },
    };
  }

  /** Opens the session at an upstream with a realtime API or, if the model has none, in this process. */
  async #serving(
    identity: CallerIdentity,
    endsAt: number,
    beta: boolean,
    signal: AbortSignal,
  ): Promise<SessionPeer> {
    const { deps, limits } = this.#parts;
    const { queueMs } = limits;
    const { prepared } = identity;
    const envelope = this.#envelope(identity);
    const found = findModel(deps.catalog, identity.model, identity.token, 'model');
    this.#model = found.model.name;
    const limited: TokenSession = {
      token: identity.token,
      model: identity.model,
      found,
      end: reason => this.#end(reason),
    };
    this.#endSlot = await limitSession(deps, limited);
    this.#ended.signal.throwIfAborted();
    const routes = planSession(found, deps);
    if (routes.length > 0) {
      const bridge = { entry: this.#entry, envelope, routes, endsAt, prepared };
      const responses = responseLimits(deps, limited);
      const bridged = new LimitedSession(await openBridge(bridge, { ...deps, queueMs }, signal), responses);
      return beta ? inBeta(bridged) : bridged;
    }
    const takeSlot: ModelDeps['takeSlot'] = (bytes, end) =>
      limitResponse(deps, { ...limited, end }, Math.ceil(bytes / bytesPerToken));
    const session = { model: found.model, envelope, endsAt, prepared, beta };
    return new EmulatedSession(session, { ...deps, queueMs, takeSlot, entry: this.#entry });
  }

  #envelope({ token, model }: CallerIdentity): Deliverable['envelope'] {
    const requestId = this.#requestId;
    const { access, catalog } = this.#parts.deps;
    return {
      requestId,
      operation: 'realtime',
      format: 'realtime',
      model,
      stream: true,
      token: envelopeToken(token, { access, catalog, requestId }),
      headers: {},
    };
  }

  #serve(connection: Connection, peer: SessionPeer, endsAt: number): (reason: GatewayError) => void {
    const { sessions, deps } = this.#parts;
    const session: ClientSession = new ClientSession(connection, peer, endsAt, deps.clock, error => {
      sessions.delete(session);
      this.#over(101, error);
    });
    sessions.add(session);
    const end = (reason: GatewayError) => session.end(reason);
    this.#end = end;
    this.#endSession = end;
    this.#entry.opened();
    this.#release();
    session.begin();
    return end;
  }

  #over(status: number, error?: GatewayError): void {
    this.#release();
    this.#endSlot();
    const { token } = this.#identity ?? {};
    const { startedAt, client } = this.#entry;
    const { running, observer } = this.#parts.deps;
    running.remove(this.#entry, status, error);
    observer.ended({
      requestId: this.#requestId,
      endpoint: socketPath,
      model: this.#model,
      status,
      startedAt,
      client,
      ...(token && { tokenId: token.id, project: token.project }),
      ...(error && { error }),
      entry: this.#entry,
    });
    this.#entry.endTrace(status, error?.kind);
  }
}

/** `GET /v1/realtime` without an upgrade to WebSocket. */
export const withoutUpgrade: ResourceEndpoint = {
  method: 'GET',
  format: 'realtime',
  path: '/v1/realtime',
  secretOf: protocolSecret,
  renderError,
  async answer(_request, sink) {
    sink.setHeader('upgrade', 'websocket');
    throw new GatewayError(
      'invalid-request',
      'Realtime sessions require a WebSocket: send an upgrade request.',
      {
        code: upgradeRequired,
      },
    );
  },
};
