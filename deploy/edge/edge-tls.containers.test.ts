import { copyFileSync } from 'node:fs';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { type Listening, listen } from '@model-gateway/service';
import { selfSigned } from '@model-gateway/service/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Edge, startEdge, whyNoEdge } from './testing/start-edge.ts';

const name = 'the edge with a certificate';

describe.skipIf(whyNoEdge)(whyNoEdge ? `${name} (skipped: ${whyNoEdge})` : name, () => {
  const current = selfSigned();
  const next = selfSigned('next');
  let service: Listening;
  let edge: Edge;

  beforeAll(async () => {
    service = await listen((_, response) => response.end('answered'), '127.0.0.1', 0);
    edge = await startEdge(Number(new URL(service.url).port), {
      GATEWAY_TLS_CERT: current.cert,
      GATEWAY_TLS_KEY: current.key,
    });
    await vi.waitFor(async () => expect(await subject()).toBe('localhost'));
  });
  afterAll(async () => {
    edge?.process.kill();
    await service?.close();
    current[Symbol.dispose]();
    next[Symbol.dispose]();
  });

  const options = () => ({ host: '127.0.0.1', port: edge.port, rejectUnauthorized: false });

  /** Returns the subject of the edge's certificate. */
  async function subject(): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(options(), () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      }).on('error', reject);
    });
  }

  test('forwards requests, and reports its readiness on the operator port without TLS', async () => {
    const answer = await new Promise<string>((resolve, reject) => {
      get({ ...options(), path: '/v1/models' }, response => resolve(text(response))).on('error', reject);
    });
    expect(answer).toBe('answered');
    const ready = await fetch(`http://127.0.0.1:${edge.operatorPort}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', problems: [] }]);
  });

  test('uses a renewed certificate without a restart', async () => {
    const { pid } = edge.process;
    copyFileSync(next.key, current.key);
    copyFileSync(next.cert, current.cert);
    await vi.waitFor(async () => expect(await subject()).toBe('next'), { timeout: 30_000, interval: 500 });
    expect([edge.process.pid, edge.process.exitCode]).toEqual([pid, null]);
  });
});
