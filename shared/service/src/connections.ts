import type { Server, Socket } from 'node:net';
import type { ConnectionLimits } from './connection-limits.ts';
import { gauge, type Registry } from './metrics/index.ts';
import type { RefusedConnections } from './refused-connections.ts';
import { type Address, clientPart, parseAddress, type TrustedProxies } from './request-headers.ts';

/** Counts a port's open connections, per client address and in total, and refuses those over a limit. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #proxies: TrustedProxies;
  readonly #refused: RefusedConnections;
  readonly #ofAddress = new Map<string, number>();
  #total = 0;

  /** Connections from `proxies` count only in the total, since many clients share them. */
  constructor(limits: ConnectionLimits, proxies: TrustedProxies, refused: RefusedConnections) {
    this.#limits = limits;
    this.#proxies = proxies;
    this.#refused = refused;
  }

  get total(): number {
    return this.#total;
  }

  /** Makes `server` handle only admitted connections. Call it before other code adds listeners. */
  guard(server: Server, isTls: boolean): void {
    const serve = server.listeners('connection');
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (this.#admit(socket, isTls)) for (const listener of serve) listener.call(server, socket);
    });
  }

  measure(metrics: Registry): void {
    gauge(metrics, 'gateway_connections', () => this.total);
  }

  /** True if a connection is admitted. It then counts until it closes, whatever its protocol. */
  #admit(socket: Socket, isTls: boolean): boolean {
    const peer = parseAddress(socket.remoteAddress ?? '');
    // The client has already disconnected.
    if (!peer) {
      socket.destroy();
      return false;
    }
    if (this.#total >= this.#limits.total) {
      this.#refused.refuse(socket, 'total', clientPart(peer), isTls);
      return false;
    }
    const address = this.#counted(peer);
    const open = address === undefined ? 0 : (this.#ofAddress.get(address) ?? 0);
    if (address !== undefined && open >= this.#limits.perAddress) {
      this.#refused.refuse(socket, 'address', address, isTls);
      return false;
    }
    this.#total++;
    if (address !== undefined) this.#ofAddress.set(address, open + 1);
    socket.once('close', () => this.#release(address));
    return true;
  }

  /** Returns the address that a peer's connections count for; undefined if they are not limited. */
  #counted(peer: Address): string | undefined {
    return this.#limits.perAddress === 0 || this.#proxies.has(peer) ? undefined : clientPart(peer);
  }

  #release(address: string | undefined): void {
    this.#total--;
    if (address === undefined) return;
    const open = (this.#ofAddress.get(address) as number) - 1;
    if (open > 0) this.#ofAddress.set(address, open);
    else this.#ofAddress.delete(address);
  }
}
