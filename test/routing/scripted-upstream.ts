import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An error that an upstream answers with. */
export interface ScriptedError {
  status: number;
  headers?: Record<string, string>;
  /** The `error` of the body. */
  error?: Record<string, unknown>;
}

/** The answer of an upstream to a request. */
export type Script =
  /** `reason` is its finish reason; `stop` if absent. */
  | { does: 'answer'; after?: Promise<void>; reason?: string }
  | ({ does: 'fail' } & ScriptedError)
  /** Never answers. */
  | { does: 'hang' }
  /** Sends a part of the answer, then closes the connection. */
  | { does: 'cut' };

const answering: Script = { does: 'answer' };
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const common = { id: 'chatcmpl-1', created: 1, model: 'm' };

/** An upstream in the chat format that answers as it is told, and counts its requests. */
export class ScriptedUpstream {
  readonly #server: Server;
  requests = 0;
  /** Requests whose client closed the connection before the answer. */
  left = 0;
  /** Chooses the script of each request. */
  next: () => Script = () => answering;

  constructor() {
    this.#server = createServer((request, response) => {
      this.requests++;
      const pieces: Buffer[] = [];
      request.on('data', piece => pieces.push(piece));
      request.on('end', () => {
        const { stream } = JSON.parse(Buffer.concat(pieces).toString());
        void this.#respond(this.next(), stream === true, response);
      });
      response.on('close', () => {
        if (!response.writableFinished) this.left++;
      });
    }).listen(0, '127.0.0.1');
  }

  /** The base URL, as a provider of the kind openai-compatible has it. */
  async url(): Promise<string> {
    if (!this.#server.listening) await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async #respond(script: Script, stream: boolean, response: ServerResponse): Promise<void> {
    if (script.does === 'hang') return;
    if (script.does === 'fail') {
      const { status, headers, error = { message: 'The script asks for it.' } } = script;
      const body = JSON.stringify({ error });
      return void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    }
    if (script.does === 'answer') await script.after;
    const { reason = 'stop' } = script.does === 'answer' ? script : {};
    const pieces = stream ? streamed(reason) : whole(reason);
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
    if (script.does === 'answer') return void response.end(pieces.join(''));
    response.write(pieces[0], () => response.destroy());
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

const message = { role: 'assistant', content: 'Hello' };

function whole(finish_reason: string): string[] {
  const choice = { index: 0, message, finish_reason };
  const text = JSON.stringify({ ...common, object: 'chat.completion', choices: [choice], usage });
  return [text.slice(0, 20), text.slice(20)];
}

function streamed(finish_reason: string): string[] {
  const chunks = [
    { choices: [{ index: 0, delta: message, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage },
  ];
  return [
    ...chunks.map(
      chunk => `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...chunk })}\n\n`,
    ),
    'data: [DONE]\n\n',
  ];
}
