import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An upstream with scripted behaviour that reports disconnected clients. */
export interface ScriptedUpstream {
  /** Its URL without `/v1`. */
  url: string;
  /** Resolves when the next response is closed before its end. */
  left(): Promise<void>;
  /** Request bodies, unchanged. */
  bodies: string[];
  close(): void;
}

export type Script = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;

export async function startUpstream(script: Script): Promise<ScriptedUpstream> {
  let leave = Promise.withResolvers<void>();
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    bodies.push(body);
    response.on('close', () => {
      if (response.writableFinished) return;
      leave.resolve();
      leave = Promise.withResolvers();
    });
    await script(response, request);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    left: () => leave.promise,
    bodies,
    close: () => server.close().closeAllConnections(),
  };
}

/** A chunk of a chat stream. */
export function chunk(content: string, finishReason: string | null = null): string {
  const choice = { index: 0, delta: content ? { content } : {}, finish_reason: finishReason };
  const data = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [choice] };
  return `data: ${JSON.stringify(data)}\n\n`;
}

export const done = 'data: [DONE]\n\n';

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}
