import type { IncomingMessage } from 'node:http';
import { type Envelope, GatewayError, toGatewayError } from '@model-gateway/canonical';
import {
  type Admission,
  type Connection,
  type CountSocket,
  type IngressDeps,
  type ResourceEndpoint,
  type SocketEndpoint,
  sessionTargets,
} from '@model-gateway/ingress';
import type { Secrets } from '../client-secrets/secrets.ts';
import { renderError, upgradeRequired } from '../render-error.ts';
import { type CallerIdentity, credential, readCallerIdentity, speaksBeta } from './caller-identity.ts';
import { ClientSession, type SessionLimits } from './client-session.ts';
import type { Sessions } from './sessions.ts';
import { SocketPump } from './socket-pump.ts';

const socketPath = '/v1/realtime';

interface SocketParts {
  parts: Pick<IngressDeps, 'access' | 'catalog' | 'caller' | 'clientAddress' | 'held' | 'observer'>;
  secrets: Secrets;
  sessions: Sessions;
  limits: SessionLimits;
}

/** `/v1/realtime` over a WebSocket. */
export function realtimeSocket(
  parts: SocketParts,
  options: Pick<SocketEndpoint, 'messageBytes' | 'origins'>,
): SocketEndpoint {
  return {
    ...options,
    path: socketPath,
    protocol: 'realtime',
    renderError,
    admit: (request, requestId, count, signal) => new Opening(parts, requestId).admit(request, count, signal),
  };
}

/** The admission of one client. */
class Opening {
  readonly #parts: SocketParts;
  readonly #requestId: string;
  readonly #startedAt = performance.now();
  #identity: CallerIdentity | undefined;
  /** The model's name in the catalog; the client's text would create unbounded metric labels. */
  #model = '';
  #client: string | undefined;
  #release = () => {};

  constructor(parts: SocketParts, requestId: string) {
    this.#parts = parts;
    this.#requestId = requestId;
    parts.parts.observer.began();
  }

  async admit(request: IncomingMessage, count: CountSocket, signal: AbortSignal): Promise<Admission> {
    const { parts, secrets, sessions } = this.#parts;
    this.#client = parts.clientAddress(request);
    try {
      this.#identity = await readCallerIdentity(request, parts, secrets, count);
      this.#release = sessions.reserve();
      return await this.#open(this.#identity, request, signal);
    } catch (thrown) {
      const error = toGatewayError(thrown);
      this.#over(renderError(error).status, error);
      throw error;
    }
  }

  async #open(identity: CallerIdentity, request: IncomingMessage, signal: AbortSignal): Promise<Admission> {
    const { parts, limits } = this.#parts;
    const { caller, catalog } = parts;
    const envelope = this.#envelope(identity, request);
    const routes = sessionTargets(catalog, identity.model);
    this.#model = catalog.model(identity.model)?.model.name ?? '';
    const { prepared } = identity;
    const { queueMs } = limits;
    const line = await SocketPump.open({ caller, envelope, routes, queueMs, prepared }, signal);
    return {
      token: identity.token,
      tokenHash: identity.tokenHash,
      serve: connection => this.#serve(connection, line, envelope.endsAt),
      abandon: () => {
        line.session.cancel();
        this.#over(499);
      },
    };
  }

  #envelope({ token, model }: CallerIdentity, request: IncomingMessage) {
    return {
      requestId: this.#requestId,
      operation: 'realtime',
      format: 'realtime',
      ...(speaksBeta(request) && { variant: 'beta' }),
      model,
      stream: true,
      endsAt: Date.now() + this.#parts.limits.lastsMs,
      token: { id: token.id, project: token.project },
      headers: {},
    } satisfies Omit<Envelope, 'targets' | 'textLength'>;
  }

  #serve(connection: Connection, line: SocketPump, endsAt: number): (reason: GatewayError) => void {
    const { sessions, parts } = this.#parts;
    const waiting = parts.held.share(connection.token.id);
    const session: ClientSession = new ClientSession(connection, line, waiting, endsAt, error => {
      sessions.delete(session);
      this.#over(101, error);
    });
    sessions.add(session);
    this.#release();
    session.begin();
    return reason => session.end(reason);
  }

  #over(status: number, error?: GatewayError): void {
    this.#release();
    const { token } = this.#identity ?? {};
    this.#parts.parts.observer.ended({
      requestId: this.#requestId,
      endpoint: socketPath,
      model: this.#model,
      status,
      startedAt: this.#startedAt,
      client: this.#client,
      ...(token && { tokenId: token.id }),
      ...(error && { error }),
    });
  }
}

/** `GET /v1/realtime` without an upgrade to WebSocket. */
export const withoutUpgrade: ResourceEndpoint = {
  method: 'GET',
  path: '/v1/realtime',
  credential,
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
