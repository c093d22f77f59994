import { Session } from '@model-gateway/bus';
import { GatewayError, type Route } from '@model-gateway/canonical';
import { type Deliverable, deliver, type IngressDeps, type RunningEntry } from '@model-gateway/ingress';

interface BridgeRequest {
  /** What administrators see of the session. */
  entry: RunningEntry;
  envelope: Deliverable['envelope'];
  routes: readonly Route[];
  /** Latest end of the session, in milliseconds since 1970. */
  endsAt: number;
  /** The initial `session` object. */
  prepared: Record<string, unknown> | undefined;
}

interface BridgeDeps extends Pick<IngressDeps, 'held' | 'caller' | 'health'> {
  /** The longest wait for a worker with room, in milliseconds. */
  queueMs: number;
}

/** Opens a session at the first upstream that accepts it. @throws GatewayError */
export async function openBridge(
  { entry, envelope, routes, endsAt, prepared }: BridgeRequest,
  { held, caller, health, queueMs }: BridgeDeps,
  signal: AbortSignal,
): Promise<Session> {
  const first = prepared && { data: Buffer.from(JSON.stringify(prepared)), text: true };
  const session = new Session(first);
  const verbatim = { body: session.body, textLength: first?.data.length ?? 0 };
  const admitted = { share: held.share(envelope.token.id), endForRevocation() {} };
  const request = { admitted, entry, envelope, routes, endsAt, bodies: { verbatim } };
  void deliver(request, { caller, health, queueMs }, call => session.connect(call));
  const leave = () => session.cancel(signal.reason instanceof GatewayError ? signal.reason : undefined);
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  try {
    await session.opened;
    return session;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
