import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, renameSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, type RequestListener, request } from 'node:http';
import { request as httpsRequest, type Server } from 'node:https';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { ManualClock } from '@model-gateway/clock/testing';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { Certificate } from './certificate.ts';
import { ConfigError } from './config.ts';
import { type Listening, listen } from './listen.ts';
import type { UpgradeListener } from './service.ts';
import { selfSigned } from './testing/self-signed.ts';

const files = selfSigned();
afterAll(() => files[Symbol.dispose]());
const ca = readFileSync(files.cert);
const clock = new ManualClock();
let listening: Listening | undefined;
let child: ChildProcess | undefined;
afterEach(async () => {
  await listening?.close();
  listening = undefined;
  child?.kill('SIGKILL');
});

async function serve(handler: RequestListener, upgrade?: UpgradeListener): Promise<URL> {
  const certificate = new Certificate(files);
  listening = await listen(handler, '127.0.0.1', 0, { upgrade, certificate, clock });
  return new URL(listening.url);
}

async function answerTo(asking: ClientRequest): Promise<IncomingMessage> {
  asking.end();
  const [answer] = await once(asking, 'response');
  return answer;
}

async function handshake(url: URL, options = {}): Promise<TLSSocket> {
  const socket = connect({ port: Number(url.port), host: url.hostname, ca, ...options });
  await once(socket, 'secureConnect');
  return socket;
}

describe('a port with a certificate', () => {
  test('negotiates HTTP/1.1, and no TLS below 1.2', async () => {
    const url = await serve((_incoming, answer) => answer.end());
    const socket = await handshake(url, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
    expect(socket.getProtocol()).toBe('TLSv1.3');
    socket.destroy();
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(handshake(url, old)).rejects.toThrow(/alert|protocol/);
  });

  test('rejects a client without TLS', async () => {
    const url = await serve((_incoming, answer) => answer.end());
    const asking = request({ host: url.hostname, port: url.port });
    await expect(answerTo(asking)).rejects.toThrow();
  });

  test('hands over only connections that request a WebSocket', async () => {
    const url = await serve(
      (_incoming, answer) => answer.end('plain'),
      (incoming, socket) => {
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${incoming.headers.upgrade}\r\n\r\n`,
        );
        socket.pipe(socket);
      },
    );
    const upgradeRequest = (upgrade: string) =>
      httpsRequest(url, { ca, headers: { connection: 'upgrade', upgrade } });
    expect(await text(await answerTo(upgradeRequest('h2c')))).toBe('plain');
    const asking = upgradeRequest('websocket');
    asking.end();
    const [, socket] = await once(asking, 'upgrade');
    socket.write('echo');
    expect(String((await once(socket, 'data'))[0])).toBe('echo');
    socket.destroy();
  });

  test('streams each chunk as it is written, and completes running responses in a drain', async () => {
    let go = () => {};
    const url = await serve((_incoming, answer) => {
      answer.write('one');
      go = () => answer.end('two');
    });
    const answer = await answerTo(httpsRequest(url, { ca }));
    expect(String((await once(answer, 'data'))[0])).toBe('one');
    let drained = false;
    const draining = listening?.drain().then(() => {
      drained = true;
    });
    await clock.advance(60_000);
    expect(drained).toBe(false);
    go();
    expect(await text(answer)).toBe('two');
    await draining;
  });

  test('closes despite a connection that never began its handshake', async () => {
    const url = await serve((_incoming, answer) => answer.end());
    const silent = connectTcp(Number(url.port), url.hostname);
    await once(silent, 'connect');
    silent.on('error', () => {});
    await vi.waitFor(async () => {
      const { promise, resolve } = Promise.withResolvers<number>();
      listening?.server.getConnections((_error, count) => resolve(count));
      expect(await promise).toBe(1);
    });
    const errors: unknown[] = [];
    listening?.server.on('tlsClientError', ({ code }: NodeJS.ErrnoException) => errors.push(code));
    await listening?.close();
    expect(errors).not.toContain('ERR_TLS_HANDSHAKE_TIMEOUT');
  });
});

/** Replaces a file by a copy of another one at once, so that nobody reads a part of it. */
function replace(file: string, by: string): void {
  copyFileSync(by, `${file}.new`);
  renameSync(`${file}.new`, file);
}

describe('changed certificate files', () => {
  test('are used for new connections, while old ones stay', async () => {
    using current = selfSigned();
    using next = selfSigned('next');
    const certificate = new Certificate(current);
    listening = await listen((_, answer) => answer.end('here'), '127.0.0.1', 0, { certificate });
    const reports: (string | null)[] = [];
    certificate.follow(listening.server as Server, problem => reports.push(problem), clock);
    const reported = (count: number) => clock.advanceUntil(() => reports.length === count);
    const url = new URL(listening.url);
    const nameOf = async () => {
      const socket = await handshake(url, { rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return { name: subject.CN, alpn: socket.alpnProtocol };
    };
    expect(await nameOf()).toEqual({ name: 'localhost', alpn: 'http/1.1' });
    const old = await handshake(url, { rejectUnauthorized: false });
    replace(current.cert, next.cert);
    await reported(1);
    expect(reports).toEqual([expect.stringMatching(/key values mismatch/)]);
    expect(await nameOf()).toMatchObject({ name: 'localhost' });
    replace(current.key, next.key);
    await reported(2);
    expect(await nameOf()).toEqual({ name: 'next', alpn: 'http/1.1' });
    expect(reports).toEqual([expect.any(String), null]);
    old.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    expect(await text(old)).toMatch(/here$/);
  });
});

describe('TLS settings', () => {
  test.each([
    [{ cert: '/nowhere', key: files.key }, /^GATEWAY_TLS_CERT: \/nowhere cannot be read: ENOENT$/],
    [{ cert: files.cert, key: '/nowhere' }, /^GATEWAY_TLS_KEY: \/nowhere cannot be read: ENOENT$/],
    [{ cert: files.key, key: files.cert }, /^GATEWAY_TLS_CERT, GATEWAY_TLS_KEY: cannot be used: /],
  ])('are rejected for the unusable files %j', (named, message) => {
    expect(() => new Certificate(named)).toThrow(ConfigError);
    expect(() => new Certificate(named)).toThrow(message);
  });

  const start = (env: Record<string, string>) => {
    const program = fileURLToPath(new URL('testing/hello.ts', import.meta.url));
    child = fork(program, { silent: true, env: { PATH: process.env.PATH, LOG_LEVEL: 'silent', ...env } });
    return child;
  };

  test("enable TLS on a process's public port, and not on its operator's port", async () => {
    const process = start({ GATEWAY_TLS_CERT: files.cert, GATEWAY_TLS_KEY: files.key });
    const [{ url, opsUrl }] = await once(process, 'message');
    expect(await text(await answerTo(httpsRequest(url, { ca })))).toBe('hello');
    expect((await fetch(`${opsUrl}/healthz`)).status).toBe(200);
    process.kill('SIGTERM');
    expect(await once(process, 'exit')).toEqual([0, null]);
  });

  test.each([
    ['GATEWAY_TLS_CERT', 'GATEWAY_TLS_KEY'],
    ['GATEWAY_TLS_KEY', 'GATEWAY_TLS_CERT'],
  ])('stop a process from starting with only %s', async (set, missing) => {
    const process = start({ [set]: files.cert });
    const output = text(process.stderr as NonNullable<ChildProcess['stderr']>);
    expect(await once(process, 'exit')).toEqual([1, null]);
    expect(await output).toBe(`hello: ${missing}: is required if ${set} is set\n`);
  });
});
