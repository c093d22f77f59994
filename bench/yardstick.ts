// The least that a gateway in Node can cost: it passes the bytes of a request and of its response on. It has no
// authentication, no validation, no bus and no records. Figures that are divided by its CPU in the same run can be
// compared between machines.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Dispatcher, Pool } from 'undici';

const upstream = new Pool(process.env.UPSTREAM_URL as string, { connections: 1_024 });

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  forward(request, Buffer.concat(pieces), response);
}).listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}` });
});
process.on('disconnect', () => process.exit(0));

function forward({ url = '/', headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const { authorization, 'content-type': type, 'anthropic-version': version } = headers;
  const sent = {
    ...(authorization && { authorization }),
    ...(type && { 'content-type': type }),
    ...(version && { 'anthropic-version': version }),
  };
  let controller: Dispatcher.DispatchController | undefined;
  response.on('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('the client has left'));
  });
  upstream.dispatch(
    { path: url, method: 'POST', headers: sent, body },
    {
      onRequestStart(started) {
        controller = started;
      },
      onResponseStart(_controller, status, { 'content-type': type }) {
        response.writeHead(status, { 'content-type': String(type) });
      },
      onResponseData(reading, piece) {
        if (response.write(piece)) return;
        reading.pause();
        response.once('drain', () => reading.resume());
      },
      onResponseEnd() {
        response.end();
      },
      onResponseError() {
        response.destroy();
      },
    },
  );
}
