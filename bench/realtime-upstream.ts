import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer } from 'ws';

// A realtime API in its own process, which answers each event with one of the same length and id.
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', socket => {
  const session = { type: 'realtime', object: 'realtime.session', id: 'sess_1', model: 'gpt-realtime' };
  socket.send(JSON.stringify({ type: 'session.created', event_id: 'event_1', session }));
  socket.on('error', () => {});
  socket.on('message', data => {
    const { event_id, text } = JSON.parse(String(data));
    const ids = { response_id: 'resp_1', item_id: 'item_1', output_index: 0, content_index: 0 };
    socket.send(JSON.stringify({ type: 'response.output_text.delta', event_id, ...ids, delta: text }));
  });
});
await once(server, 'listening');
process.on('disconnect', () => process.exit(0));
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
