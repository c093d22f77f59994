import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Stack, type StackOptions, startStack } from '../stack/stack.ts';

export type AudioScript = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A gateway with one upstream that runs a script for each model. */
export interface ScriptedAudio {
  stack: Stack;
  /** Requests speech from a model. */
  speak(model: string, fields?: object, init?: RequestInit): Promise<Response>;
  /** Sends a form, with a small file by default. */
  transcribe(
    model: string,
    fields?: Record<string, string>,
    file?: Blob,
    init?: RequestInit,
  ): Promise<Response>;
  stop(): Promise<void>;
}

/** No test waits until they end, except the one of an upstream that is `silent`. */
const patient = { firstToken: '60s', idle: '60s', total: '120s' };
export const silentMs = 3_000;

/** A model for each script, and one for each pair in `failovers`: `first>second`. */
export async function startScriptedAudio(
  scripts: Record<string, AudioScript>,
  failovers: string[] = [],
  options: Partial<StackOptions> = {},
): Promise<ScriptedAudio> {
  const server = createServer((request, response) => {
    const name = decodeURIComponent(request.url?.split('/')[1] ?? '');
    request.on('error', () => {});
    void scripts[name]?.(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const providers = Object.keys(scripts).map(name => ({
    name,
    kind: 'openai-compatible',
    baseUrl: `${url}/${name}/v1`,
  }));
  const models = [...Object.keys(scripts), ...failovers].map(name => ({
    name,
    targets: name.split('>').map(provider => ({ provider, model: 'up' })),
    timeouts: name === 'silent' ? { ...patient, firstToken: `${silentMs}ms` } : patient,
  }));
  const stack = await startStack({ ...options, catalog: { providers, models } });
  const authorization = `Bearer ${stack.token}`;
  return {
    stack,
    speak: (model, fields = {}, init = {}) =>
      fetch(`${stack.url}/v1/audio/speech`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ model, input: 'Hi 👋', voice: 'alloy', ...fields }),
        ...init,
      }),
    transcribe(model, fields = {}, file = new Blob(['RIFF']), init = {}) {
      const form = new FormData();
      form.set('model', model);
      form.set('file', file, 'a.wav');
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      const to = `${stack.url}/v1/audio/transcriptions`;
      return fetch(to, { method: 'POST', headers: { authorization }, body: form, ...init });
    },
    async stop() {
      await stack.stop();
      server.close().closeAllConnections();
    },
  };
}

/** The number of uploads that this process has on disk. */
export function openUploads(): string[] {
  const paths = readdirSync('/proc/self/fd').map(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return paths.filter(path => path.includes('gateway-upload-'));
}

/** Reads a request to its end. */
export async function readAll(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await request.toArray());
}
