import { lookup } from 'node:dns/promises';
import { type AddressInfo, BoundSocket } from 'node:net';
import { explainPort } from '../setup/port.mjs';
import { Problem } from './problem.ts';

/** The file descriptor of an inherited port: the first after standard input, output, error and the IPC channel. */
const inheritedFd = 4;

interface Address {
  host: string;
  port: number;
  reusePort?: boolean;
}

/** The descriptors and variables with which a front listens on the port. */
interface PortOfFront {
  /** Descriptors that it inherits after that of the IPC channel. */
  inherited: number[];
  env: NodeJS.ProcessEnv;
}

/**
 * The port for clients. The launcher holds it for as long as it runs, and accepts no connections.
 *
 * One front inherits the socket: while it is restarted, connections wait for it. Several fronts have a socket each, and
 * the system spreads connections over them. Fronts that share one socket would not get equal parts: the first that
 * wakes takes all that have arrived.
 */
export class ClientPort implements Disposable {
  /** The number of fronts that are to listen on the port. */
  readonly fronts: number;
  readonly #socket: BoundSocket;

  private constructor(socket: BoundSocket, fronts: number) {
    this.#socket = socket;
    this.fronts = fronts;
  }

  /**
   * Binds the port, for one front where the system cannot spread connections.
   * @throws Problem if the port cannot be bound
   */
  static async bind(
    host: string,
    port: number,
    fronts: number,
    newSocket = (address: Address) => new BoundSocket(address),
  ): Promise<ClientPort> {
    try {
      const { address } = await lookup(host);
      const shared = fronts > 1 ? bindShared({ host: address, port }, newSocket) : undefined;
      return shared ? new ClientPort(shared, fronts) : new ClientPort(newSocket({ host: address, port }), 1);
    } catch (error) {
      throw new Problem(explainPort(host, port, error as NodeJS.ErrnoException), { cause: error });
    }
  }

  get port(): number {
    return addressOf(this.#socket).port;
  }

  get ofFront(): PortOfFront {
    if (this.fronts === 1) {
      return { inherited: [this.#socket.fd()], env: { LISTEN_FD: String(inheritedFd) } };
    }
    const { address, port } = addressOf(this.#socket);
    return { inherited: [], env: { HOST: address, PORT: String(port), REUSE_PORT: '1' } };
  }

  [Symbol.dispose](): void {
    this.#socket[Symbol.dispose]();
  }
}

/** Binds a port that several processes may listen on; undefined if the system does not spread connections over them. */
function bindShared(address: Address, newSocket: (address: Address) => BoundSocket): BoundSocket | undefined {
  let bound: BoundSocket;
  try {
    bound = newSocket({ ...address, reusePort: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTSUP') return;
    throw error;
  }
  try {
    // Fails if the fronts of another gateway listen on the port, which they share, too.
    newSocket({ ...address, port: addressOf(bound).port }).close();
    return bound;
  } catch (error) {
    bound.close();
    throw error;
  }
}

function addressOf(socket: BoundSocket): AddressInfo {
  return socket.address() as AddressInfo;
}
