import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  connectionLimits,
  connectionsPartOfFiles,
  idleConnectionMs,
  mostLingering,
  processSettings,
  readSettings,
  refusalAnswer,
  refusalLingerMs,
  tlsHandshakeMs,
} from '@model-gateway/service';
import type { Bound, Section } from '../bound.ts';
import type { Settings } from '../settings.ts';
import { toldAs } from '../told.ts';
import { count, part, time } from '../written.ts';

const edge = resolve(import.meta.dirname, '../../../../deploy/edge');

export function connections(settings: Settings): Section {
  const limits = connectionLimits(readSettings(processSettings, {}), Number.POSITIVE_INFINITY);
  return {
    title: 'Connections',
    intro:
      'Connections of [trusted proxies](operations.md#the-clients-address) do not count for their address. The errors have a shape that clients of all formats read, because the path is not known yet.',
    bounds: [
      {
        what: 'Open connections of one client address (IPv6: of one /64)',
        limit: `${count(limits.perAddress)}; 0 means no limit`,
        setting: settings.name('GATEWAY_ADDRESS_CONNECTIONS'),
        told: answer(refusalAnswer('address', limits)),
      },
      {
        what: 'Open connections of a process',
        limit: `${count(limits.total)}, or ${part(connectionsPartOfFiles)} of the files that the process may open if that is less`,
        setting: settings.name('GATEWAY_CONNECTIONS'),
        told: answer(refusalAnswer('total', limits)),
      },
      {
        what: 'Refused connections that get an answer at the same time',
        limit: `${count(mostLingering)}, for ${time(refusalLingerMs)} each`,
        told: 'others are closed without an answer, and so is every refused connection over TLS',
      },
      {
        what: 'Time for a TLS handshake',
        limit: time(tlsHandshakeMs),
        told: 'the connection is closed',
      },
      {
        what: 'Time between two requests of a connection',
        limit: time(idleConnectionMs),
        told: 'the connection is closed',
      },
      ...atTheEdge(settings),
    ],
  };
}

/** The limits of HAProxy in front of the containers. */
function atTheEdge(settings: Settings): Bound[] {
  const config = readFileSync(resolve(edge, 'haproxy.cfg'), 'utf8');
  const start = readFileSync(resolve(edge, 'start.sh'), 'utf8');
  const timeout = (name: string) => found(config, new RegExp(`^ +timeout ${name} (\\S+)$`, 'm'));
  const usual = (name: string) => Number(found(start, new RegExp(`\\{${name}:-(\\d+)\\}`)));
  const denied = (status: number) => {
    const line = new RegExp(`deny status ${status} .* retry-after (\\d+) .* string '(.*)' if over`);
    const [, seconds, body] = line.exec(config) ?? [];
    return toldAs({ status, body: JSON.parse(body as string), retryAfterMs: Number(seconds) * 1_000 });
  };
  return [
    {
      what: 'At the edge of [Compose](compose.md): open connections of one client address',
      limit: count(usual('GATEWAY_ADDRESS_CONNECTIONS')),
      setting: settings.name('GATEWAY_ADDRESS_CONNECTIONS'),
      told: denied(429),
    },
    {
      what: 'At the edge: open connections',
      limit: count(usual('GATEWAY_CONNECTIONS')),
      setting: settings.name('GATEWAY_CONNECTIONS'),
      told: denied(503),
    },
    {
      what: 'At the edge: time to send the headers',
      limit: seconds(timeout('http-request')),
      told: '408; the connection is closed',
    },
    {
      what: 'At the edge: time between two requests',
      limit: seconds(timeout('http-keep-alive')),
      told: 'the connection is closed',
    },
    {
      what: 'At the edge: silence of a client or of an answer, and of a WebSocket',
      limit: `${seconds(timeout('client'))}, ${seconds(timeout('tunnel'))}`,
      told: 'the connection is closed; an answer that has not begun is a 504',
    },
  ];
}

function found(text: string, pattern: RegExp): string {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(`nothing is like ${pattern}`);
  return value;
}

/** A timeout of HAProxy. */
function seconds(text: string): string {
  return text.replace(/^(\d+)([smh])$/, (_, number, unit) => `${number} ${unit === 'm' ? 'min' : unit}`);
}

/** A response as sent on the wire. */
function answer(bytes: Buffer): string {
  const [head = '', body = ''] = bytes.toString().split('\r\n\r\n');
  return toldAs({
    status: Number(found(head, /^HTTP\/1.1 (\d+)/)),
    body: JSON.parse(body),
    retryAfterMs: Number(found(head, /retry-after: (\d+)/)) * 1_000,
  });
}
