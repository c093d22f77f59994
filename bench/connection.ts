import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Answer, AnswerReader } from './answer-reader.ts';

const silenceMs = 60_000;

interface Waiting {
  reader: AnswerReader;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

/**
 * A kept-alive connection with one request at a time and little overhead, because the load runs on the
 * measured machine. It reads the responses of the gateway's servers, not all of HTTP.
 */
export class Connection {
  readonly #socket: Socket;
  #waiting: Waiting | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket.setNoDelay().setTimeout(silenceMs);
    socket.on('data', data => this.#read(data));
    socket.on('timeout', () => socket.destroy(new Error(`the server was silent for ${silenceMs / 1_000} s`)));
    socket.on('error', error => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('the server closed the connection')));
  }

  /** `origin` is `http://host:port`. */
  static async open(origin: string): Promise<Connection> {
    const { hostname, port } = new URL(origin);
    const socket = connect({ host: hostname, port: Number(port) });
    await once(socket, 'connect');
    return new Connection(socket);
  }

  /** Sends a request's bytes, and resolves with the complete response. */
  send(request: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { reader: new AnswerReader(), resolve, reject };
      if (this.#socket.destroyed) reject(new Error('the connection is closed'));
      else this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #read(data: Buffer): void {
    const waiting = this.#waiting;
    if (!waiting) {
      this.#socket.destroy();
      return;
    }
    try {
      const answer = waiting.reader.take(data, performance.now());
      if (!answer) return;
      this.#waiting = undefined;
      waiting.resolve(answer);
    } catch (error) {
      waiting.reject(error as Error);
    }
  }
}
