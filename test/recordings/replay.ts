import { listen } from '@model-gateway/service';
import { clients } from '../conformance/grid/clients/index.ts';
import { send } from '../conformance/grid/clients/send.ts';
import type { Reading } from '../conformance/grid/got.ts';
import { type Format, formats, providersAt } from '../stack/formats.ts';
import { type Stack, startStack } from '../stack/stack.ts';
import type { Recording } from './recording.ts';

/** A gateway whose upstream answers as recorded: the model's name ends with the place of the recording. */
export interface Replay {
  /** Asks by a client of the format, as the recording was asked: streamed or whole. */
  ask(client: Format, at: number): Promise<Answer>;
  stop(): Promise<void>;
}

/** The parts of an answer that are the same for a client of each format. */
export interface Answer {
  status: number;
  text: string;
  calls: { name: string; args: unknown }[];
  finish: Reading['finish'];
  usage: { input: number; output: number } | null;
}

export const isStream = ({ mediaType }: Recording) => mediaType.startsWith('text/event-stream');

/** Reads a recorded answer as a client of its own format does. @throws Error if such a client cannot read it */
export function readOf(recording: Recording): Answer {
  const client = clients[recording.format];
  const body = isStream(recording) ? client.assemble(recording.body) : JSON.parse(recording.body);
  return answerOf({ status: recording.status, ...client.read(body) });
}

export async function startReplay(recordings: readonly Recording[]): Promise<Replay> {
  const upstream = await listen(
    async (request, response) => {
      let text = '';
      for await (const piece of request) text += piece;
      const [, at] = /replay-(\d+)/.exec(`${request.url} ${text}`) ?? [];
      const recording = recordings[Number(at)];
      if (!recording) return void response.writeHead(404).end();
      response.writeHead(recording.status, { 'content-type': recording.mediaType }).end(recording.body);
    },
    '127.0.0.1',
    0,
  );
  const stack: Stack = await startStack({
    catalog: {
      providers: providersAt(upstream.url),
      models: formats.map(format => ({ name: `${format}/*`, targets: [{ provider: format, model: '*' }] })),
    },
  });
  const { url, token } = stack;
  return {
    async ask(client, at) {
      const recording = recordings[at] as Recording;
      const model = `${recording.format}/replay-${at}`;
      const question = { url, token, format: client, model, stream: isStream(recording) };
      return answerOf(await send(question, { turns: [{ role: 'user', content: [{ text: 'Hi' }] }] }));
    },
    async stop() {
      await stack.stop();
      await upstream.close();
    },
  };
}

function answerOf({ status, text, calls, finish, usage }: Reading & { status: number }): Answer {
  return {
    status,
    text,
    calls: calls.map(({ name, args }) => ({ name, args })),
    finish,
    usage: usage && { input: usage.input, output: usage.output },
  };
}
