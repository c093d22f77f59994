import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { Attack } from './attack.ts';

/** The messages of the upstream of a realtime session, its model, and the number of sessions. */
const lies: [name: string, model: string, sessions: number][] = [
  ['empty messages without end', 'empty', 4],
  ['small events without end', 'small', 4],
  ['pings without end', 'pings', 4],
  ['events of 31 MB without end', 'large', 2],
  ['errors of 31 MB', 'errors', 4],
  ['messages of 31 MB that do not end', 'halves', 20],
  ['messages in fragments of a byte', 'fragments', 4],
  ['responses without end', 'responses', 4],
  ['responses with ids of 3 MB', 'ids', 2],
  ['values of wrong types', 'types', 4],
  ['no close', 'silent', 20],
];

/** Realtime sessions at an upstream that lies. The attacker is one of its clients. */
export const lyingSessions: Attack[] = lies.map(([name, model, sessions]) => ({
  name: `${sessions} realtime sessions whose upstream sends ${name}`,
  async run(_gateway, { baseUrl, token }) {
    const url = `${baseUrl.replace('http', 'ws')}/v1/realtime?model=lies/${model}`;
    let answered = 0;
    const sockets = Array.from({ length: sessions }, () => {
      const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });
      socket.on('error', () => {});
      socket.on('open', () => answered++);
      // Of an upstream that breaks the protocol at once.
      socket.on('unexpected-response', (_request, response) => {
        if (response.resume().statusCode === 502) answered++;
      });
      return socket;
    });
    await pause(4_000);
    for (const socket of sockets) socket.terminate();
    if (answered < sessions) throw new Error(`${answered} of ${sessions} sessions were opened or refused`);
  },
}));
