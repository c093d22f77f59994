import { type RealtimeSessionObject, realtimeAppendLimit, realtimeClientEvent } from '@model-gateway/formats';
import { EventWriter, maxEvent } from '../../../../services/realtime/src/emulation/event-writer.ts';
import {
  InputBuffer,
  maxBuffered,
  minCommitMs,
} from '../../../../services/realtime/src/emulation/input-buffer.ts';
import { Items, maxAudio, maxBytes } from '../../../../services/realtime/src/emulation/items.ts';
import {
  maxRequest,
  maxSpeech,
  tooLargeRequest,
} from '../../../../services/realtime/src/emulation/model-calls.ts';
import { readClientEvent } from '../../../../services/realtime/src/emulation/parse-client-event.ts';
import { renderFailure } from '../../../../services/realtime/src/emulation/render-failure.ts';
import {
  maxRunning,
  Responses,
  type ResponsesOptions,
} from '../../../../services/realtime/src/emulation/responses.ts';
import { SessionMemory } from '../../../../services/realtime/src/emulation/session-memory.ts';
import {
  firstSettings,
  maxSettings,
  responseSettings,
  updatedSettings,
} from '../../../../services/realtime/src/emulation/settings.ts';
import {
  maxAsked,
  maxWaiting,
  recordingBytes,
  Transcripts,
} from '../../../../services/realtime/src/emulation/transcripts.ts';
import { maxAnswer } from '../../../../shared/formats/src/realtime/render-response.ts';
import type { Bound } from '../bound.ts';
import { boundOf } from '../field-ranges.ts';
import type { Settings } from '../settings.ts';
import { refusal } from '../told.ts';
import { count, size, time } from '../written.ts';

const pcm = { type: 'audio/pcm', rate: 24_000 } as const;

/** Bounds of emulated sessions. */
export async function emulated(settings: Settings): Promise<Bound[]> {
  const eventId = boundOf(realtimeClientEvent, {
    type: 'input_audio_buffer.clear',
    event_id: 'x'.repeat(10_000),
  });
  return [
    {
      what: 'Items of a conversation in memory',
      limit: size(maxBytes),
      told: await event(() => new Items().checkRoom(maxBytes + 1)),
    },
    {
      what: "Items of one response's `input` in memory, each as often as it is named",
      limit: size(maxBytes),
      told: await event(() => new Items().checkInput(maxBytes + 1)),
    },
    {
      what: 'Request of one response, as JSON',
      limit: size(maxRequest),
      told: `\`response.done\`, failed, with ${failedResponse()}`,
    },
    {
      what: 'One event of a session',
      limit: size(maxEvent),
      told: await event(() => new EventWriter({} as never).check(maxEvent + 1)),
    },
    {
      what: 'Memory of a session: items and audio, from 64 KiB on; requests and large events while they are written',
      limit: "the token's share of bodies",
      setting: settings.name('GATEWAY_TOKEN_BODY_BUDGET'),
      told: 'an `error` event with the code `rate_limit_exceeded`, or `response.done`, failed, with it; the oldest audio of the conversation is deleted first',
    },
    {
      what: 'Text, calls and reasoning of one answer',
      limit: `${count(maxAnswer)} characters`,
      told: '`response.done`, failed, with `server_error`',
    },
    {
      what: '`event_id`',
      limit: `${count(eventId)} characters`,
      told: await event(() => readClientEvent(withId('x'.repeat(eventId + 1))).event()),
    },
    {
      what: 'Responses in progress, one of the conversation among them',
      limit: count(maxRunning),
      told: await event(tooManyResponses),
    },
    {
      what: 'Settings of a session or of a response, as JSON',
      limit: `${count(maxSettings)} characters`,
      told: await event(() =>
        updatedSettings(
          first(),
          { type: 'realtime', instructions: 'x'.repeat(maxSettings) },
          { ...abilities, spoken: false },
        ),
      ),
    },
    ...(await ofAudio()),
  ];
}

async function ofAudio(): Promise<Bound[]> {
  return [
    {
      what: "The user's audio in a conversation",
      limit: size(maxAudio),
      told: 'nothing: the oldest audio is deleted, its transcript stays',
    },
    {
      what: 'Audio that is not committed',
      limit: size(maxBuffered),
      told: await event(() => new InputBuffer(pcm, null).append(Buffer.alloc(maxBuffered + 1))),
    },
    {
      what: 'Audio that is committed',
      limit: `at least ${time(minCommitMs)}`,
      told: await event(() => new InputBuffer(pcm, null).commit()),
    },
    {
      what: 'Base64 of one `input_audio_buffer.append`',
      limit: `${count(realtimeAppendLimit)} characters`,
      told: await event(() => readClientEvent(tooLongAppend()).event()),
    },
    {
      what: `Audio that waits for its transcript, with ${size(recordingBytes)} more for each recording, of which ${count(maxAsked)} are with the model at once`,
      limit: size(maxWaiting),
      told: `a \`….failed\` event: ${await failedTranscript()}`,
    },
    {
      what: 'Audio of one spoken sentence',
      limit: size(maxSpeech),
      told: 'the rest of the sentence is left out',
    },
  ];
}

/** An error that does not end the session. */
async function event(fail: () => unknown): Promise<string> {
  return `an \`error\` event, as ${await refusal(fail)}`;
}

const abilities = { speech: false, transcription: undefined };

function first(): RealtimeSessionObject {
  return firstSettings({ id: 'sess_1', model: 'm', expiresAt: 0, voice: undefined, ...abilities });
}

function withId(id: string): Buffer {
  return Buffer.from(JSON.stringify({ type: 'input_audio_buffer.clear', event_id: id }));
}

function tooLongAppend(): Buffer {
  const audio = 'A'.repeat(realtimeAppendLimit + 1);
  return Buffer.from(JSON.stringify({ type: 'input_audio_buffer.append', audio }));
}

function failedResponse(): string {
  const { code, message } = renderFailure(tooLargeRequest());
  return `\`${code}\`: ${message}`;
}

async function failedTranscript(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const transcripts = new Transcripts({
    models: {} as never,
    memory: new SessionMemory(),
    signal: new AbortController().signal,
    settings: () => null,
    emit: event => resolve((event as { error: { code: string; message: string } }).error as never),
    changed: () => {},
  });
  const item = { object: { id: 'item_1', type: 'message', role: 'user', content: [] } } as never;
  transcripts.write(item, new Map([[0, { bytes: Buffer.alloc(maxWaiting + 1), format: pcm }]]));
  const { code, message } = (await promise) as unknown as { code: string; message: string };
  return `\`${code}\`: ${message}`;
}

/** Begins responses that no model answers. */
function tooManyResponses(): void {
  const never = () => new Promise<never>(() => {});
  const models = new Proxy({}, { get: () => never });
  const options = {
    conversationId: 'conv_1',
    items: new Items(),
    transcripts: { written: never },
    models,
    context: undefined,
    newId: (prefix: string) => `${prefix}_1`,
    emit: () => {},
    ended: () => {},
  };
  const responses = new Responses(options as unknown as ResponsesOptions);
  for (;;) {
    responses.check(false);
    responses.start(false, responseSettings(first(), {}, abilities), [], null);
  }
}
