import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import type { Sent } from './send.ts';

/** The time for which a flood lasts. */
const floodMs = 5_000;

const floods: [path: string, sockets: number, message: string][] = [
  ['/v1/responses', 2, '{"type":"x"}'],
  ['/v1/responses', 10, `{"type":"${'x'.repeat(60)}"}`],
  ['/v1/realtime?model=m', 2, '{"type":"session.update","session":{"type":"realtime"}}'],
  ['/v1/realtime?model=m', 10, '{"type":"x"}'],
  ['/v1/realtime?model=m', 2, ''],
];

/** WebSockets with small messages, as fast as the sockets take them. */
export const smallMessages: Attack[] = floods.map(([path, sockets, message]) => ({
  name: `${sockets} sockets of ${path} with messages of ${message.length} bytes`,
  async run(_gateway, attacker) {
    const lines = await Promise.all(Array.from({ length: sockets }, () => openLine(attacker, path)));
    const batch = Buffer.concat(Array(3_000).fill(frame(message)));
    for (const line of lines) {
      const write = () => {
        while (!line.destroyed && line.write(batch));
      };
      line.on('drain', write);
      write();
    }
    await pause(floodMs);
    for (const line of lines) line.destroy();
  },
}));

/** Opens a WebSocket over a raw socket, which reads what comes. */
async function openLine({ baseUrl, token }: Sent, path: string): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const line = connect(Number(port), hostname);
  line.on('error', () => {});
  const lines = [
    ...[`GET ${path} HTTP/1.1`, 'host: gateway', 'connection: upgrade', 'upgrade: websocket'],
    ...['sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==', 'sec-websocket-version: 13'],
    `authorization: Bearer ${token}`,
  ];
  line.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    line.once('data', data =>
      String(data).startsWith('HTTP/1.1 101') ? resolve() : reject(new Error(String(data).slice(0, 300))),
    );
    line.once('close', () => reject(new Error('the socket was closed')));
  });
  line.resume();
  return line;
}

/** A text frame masked by zeros. */
function frame(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, 0x80 | text.length]), Buffer.alloc(4), Buffer.from(text)]);
}
