import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Attack, asking, list, must } from './attack.ts';
import type { AttackedGateway } from './gateway.ts';
import { call, post, type Sent } from './send.ts';

const text = (bytes: number) => 'lorem ipsum '.repeat(Math.ceil(bytes / 12)).slice(0, bytes);
const said = (bytes: number) => `{"type":"message","role":"user","content":"${text(bytes)}"}`;

/** Small requests that make the gateway write, read or hold far more than they are. */
export const uncounted: Attack[] = [
  {
    name: '20 realtime responses of 10,000 references to 11 MB',
    async run(gateway, attacker) {
      const session = await openSession(attacker);
      session.create('a', 11_000_000);
      await session.seen('conversation.item.done', 1);
      const input = Array(10_000).fill({ type: 'item_reference', id: 'a' });
      for (let i = 0; i < 20; i++)
        session.send({ type: 'response.create', response: { conversation: 'none', input } });
      await session.seen('"code":"input_too_large"', 20);
      session.socket.terminate();
      await answersStill(gateway);
    },
  },
  {
    name: '900 items of 11 MB that are retrieved and not read',
    async run(_gateway, attacker) {
      const session = await openSession(attacker);
      session.create('a', 11_000_000);
      await session.seen('conversation.item.done', 1);
      const line = (session.socket as unknown as { _socket: Socket })._socket;
      line.pause();
      line.cork();
      for (let i = 0; i < 900; i++) session.send({ type: 'conversation.item.retrieve', item_id: 'a' });
      line.uncork();
      await pause(3_000);
      session.socket.terminate();
    },
  },
  stored('100 references to 3 MB, 20 times at once', 3_000_000, async (attacker, id) => {
    const item = `{"type":"item_reference","id":"msg_${id.replace('resp_', '')}_in0"}`;
    const body = (count: number) => `{"model":"m","store":false,"input":[${list(count, item)}]}`;
    must('too many', await post(attacker, '/v1/responses', body(2_000)), 400);
    const sent = Array.from({ length: 20 }, () => post(attacker, '/v1/responses', body(100)));
    for (const answer of await Promise.all(sent)) must('references', answer, 413, 429, 503);
  }),
  stored('60 reads of 6 MB at once', 6_000_000, async (attacker, id) => {
    const path = `/v1/responses/${id}/input_items?limit=1`;
    const sent = Array.from({ length: 60 }, () => call('GET', attacker, path));
    for (const answer of await Promise.all(sent)) must('a read', answer, 200, 429, 503);
  }),
  {
    name: 'a conversation that grows, and 60 reads of it at once',
    async run(gateway, { baseUrl }) {
      const attacker = { baseUrl, token: await gateway.token(`talker-${Date.now()}`) };
      const made = await post(attacker, '/v1/conversations', '{}');
      const path = `/v1/conversations/${JSON.parse(made.text).id}`;
      let added = made;
      for (let i = 0; i < 40 && added.status === 200; i++)
        added = await post(attacker, `${path}/items`, `{"items":[${said(1_000_000)}]}`);
      must('the last items', added, 413, 429);
      const sent = Array.from({ length: 60 }, () => call('GET', attacker, `${path}/items?limit=1&order=asc`));
      for (const answer of await Promise.all(sent)) must('a read', answer, 200, 429, 503);
      must('removed', await call('DELETE', attacker, path), 200);
    },
  },
  {
    name: 'a member who makes 300 tokens with as many scopes as may be',
    async run(gateway, { baseUrl }) {
      const member = await memberOf(gateway, `member-${Date.now()}`);
      const make = async (models: string[]) =>
        post(
          { baseUrl, token: '' },
          '/api/v1/tokens',
          JSON.stringify({ ...member.wanted, models }),
          member.headers,
        );
      const names = (count: number) => Array.from({ length: count }, (_, i) => 'm'.repeat(194) + i);
      must('60 KB of scopes', await make(names(300)), 400, 413, 429);
      const statuses: number[] = [];
      for (let i = 0; i < 300; i += 10)
        for (const answer of await Promise.all(Array.from({ length: 10 }, () => make(names(35)))))
          statuses.push(answer.status);
      const issued = statuses.filter(status => status === 201).length;
      if (issued !== 100 || statuses.some(status => status !== 201 && status !== 429))
        throw new Error(`${issued} tokens were made: ${[...new Set(statuses)]}`);
    },
  },
  {
    name: 'a form of as many large fields as may be, and one of more',
    async run(_gateway, attacker) {
      const headers = { 'content-type': 'multipart/form-data; boundary=b' };
      const part = (head: string, value: string) =>
        `--b\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${value}\r\n`;
      const form = (count: number) =>
        [
          part('"model"', 'm'),
          ...Array.from({ length: count }, (_, i) => part(`"f${i}"`, 'z'.repeat(80_000))),
          part('"file"; filename="a.wav"', 'RIFF'),
          '--b--\r\n',
        ].join('');
      const send = (count: number) => post(attacker, '/v1/audio/transcriptions', form(count), headers);
      must('as many as may be', await send(75), 200, 502);
      must('too many', await send(190), 400);
    },
  },
];

/** An attack on a response that a new project has stored, which is deleted after it. */
function stored(name: string, bytes: number, run: (attacker: Sent, id: string) => Promise<void>): Attack {
  return {
    name,
    async run(gateway, { baseUrl }) {
      const attacker = { baseUrl, token: await gateway.token(`storer-${Date.now()}`) };
      const made = await post(attacker, '/v1/responses', `{"model":"m","input":[${said(bytes)}]}`);
      must('a stored response', made, 200);
      const { id } = JSON.parse(made.text) as { id: string };
      await run(attacker, id);
      must('deleted', await call('DELETE', attacker, `/v1/responses/${id}`), 200);
    },
  };
}

/** Opens a realtime session of a text model, which the gateway holds itself. */
async function openSession({ baseUrl, token }: Sent) {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/realtime?model=m`, {
    headers: { authorization: `Bearer ${token}` },
  });
  let heard = '';
  socket.on('message', data => {
    heard += String(data).slice(0, 2_000);
  });
  socket.on('error', () => {});
  const send = (event: object) => socket.send(JSON.stringify(event));
  const session = {
    socket,
    send,
    create: (id: string, bytes: number) =>
      send({
        type: 'conversation.item.create',
        item: { id, type: 'message', role: 'user', content: [{ type: 'input_text', text: text(bytes) }] },
      }),
    /** Waits until a text was received so many times. */
    async seen(wanted: string, times: number) {
      for (const late = Date.now() + 60_000; Date.now() < late; await pause(20))
        if (heard.split(wanted).length > times) return;
      throw new Error(`${wanted} was not received: ${heard.slice(-500)}`);
    },
  };
  await session.seen('session.created', 1);
  return session;
}

/** A request of another project is answered. */
async function answersStill(gateway: AttackedGateway): Promise<void> {
  const { baseUrl } = gateway.ready;
  const other = { baseUrl, token: await gateway.token('other') };
  must('another project', await post(other, '/v1/chat/completions', asking('m')), 200);
}

/** Makes a member of a project of its own, and signs in. */
async function memberOf({ ready }: AttackedGateway, name: string) {
  const admin = { baseUrl: ready.baseUrl, token: ready.adminToken };
  const password = 'a password of the tests';
  must('project', await call('PUT', admin, `/api/v1/projects/${name}`, '{}'), 200, 201);
  must('user', await call('PUT', admin, `/api/v1/users/${name}`, '{}'), 200, 201);
  must('password', await post(admin, `/api/v1/users/${name}/password`, JSON.stringify({ password })), 200);
  const role = await call('PUT', admin, `/api/v1/projects/${name}/members/${name}`, '{"role":"member"}');
  must('role', role, 200, 201);
  const asked = JSON.stringify({ user: name, password });
  const signedIn = await post({ ...admin, token: '' }, '/api/v1/session', asked);
  must('sign-in', signedIn, 201);
  const [cookie = ''] = signedIn.headers['set-cookie']?.[0]?.split(';') ?? [];
  return { wanted: { name: 'one', project: name }, headers: { cookie, 'x-gateway-csrf': '1' } };
}
