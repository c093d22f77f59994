import { Anchor, Stack, Text } from '@mantine/core';
import { z } from 'zod/mini';
import { voices } from '../operation/fields.tsx';
import type { Operation, OperationProps } from '../operation/operation.ts';
import { OperationTab } from '../operation/operation-page.tsx';
import { cutOff, isEventStream, readBytes, readEvents } from '../operation/read-answer.ts';
import { jsonRequest } from '../operation/request.ts';
import type { Reading } from '../operation/use-run.ts';
import { Sound } from './sound.ts';

interface Draft {
  text: string;
  voice: string;
  instructions: string;
  speed: number | null;
  format: string | null;
  stream: string | null;
}

const empty: Draft = { text: '', voice: 'alloy', instructions: '', speed: null, format: null, stream: null };
const maxCharacters = 4096;

const operation: Operation<Draft, Spoken> = {
  title: 'Speech',
  about: 'Turn text into speech.',
  ...{ format: 'speech', path: '/v1/audio/speech', answer: 'Speech', empty },
  fields: ({ text }) => [
    {
      ...{ type: 'text', name: 'text', label: 'Text', minRows: 4, maxRows: 14 },
      description: `${[...text].length.toLocaleString()} of ${maxCharacters.toLocaleString()} characters`,
    },
  ],
  settings: () => [
    {
      ...{ type: 'suggestion', name: 'voice', label: 'Voice', data: voices },
      description: 'Choose one, or type the name of another.',
    },
    {
      ...{ type: 'text', name: 'instructions', label: 'Instructions', placeholder: 'Not sent' },
      description: 'The style of the speech. Not every model takes them.',
    },
    {
      ...{ type: 'number', name: 'speed', label: 'Speed', description: 'From 0.25 to 4.' },
      ...{ min: 0.25, max: 4, step: 0.25 },
    },
    {
      ...{ type: 'choice', name: 'format', label: 'Format' },
      data: ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'],
    },
    {
      ...{ type: 'choice', name: 'stream', label: 'Stream format', placeholder: 'Audio' },
      description: 'Events include the token usage.',
      data: [
        { value: 'audio', label: 'Audio' },
        { value: 'sse', label: 'Events' },
      ],
    },
  ],
  verb: () => 'Speak',
  missing: ({ text, voice, instructions }) => {
    if (text.trim() === '') return 'Write a text.';
    if ([...text].length > maxCharacters) return `Shorten the text to ${maxCharacters} characters.`;
    if (voice.trim() === '') return 'Choose a voice.';
    return instructions.length > maxCharacters && `Shorten the instructions to ${maxCharacters} characters.`;
  },
  request: (model, { text, voice, instructions, speed, format, stream }) =>
    jsonRequest('/v1/audio/speech', {
      ...{ model, input: text, voice: voice.trim(), instructions, speed },
      ...{ response_format: format, stream_format: stream },
    }),
  read:
    ({ text, format }) =>
    reading =>
      readSpeech(reading, { text, format: format ?? 'mp3' }),
  used: ({ usage, characters }) => usage ?? { characters },
  facts: ({ usage, characters, bytes }) => [
    usage && `${characters.toLocaleString()} characters`,
    `${bytes.toLocaleString()} bytes`,
  ],
  show: speech => <Player speech={speech} />,
};

/** The tab for speech: a text, and the text as it is spoken. */
export function Speech(props: OperationProps) {
  return <OperationTab operation={operation} {...props} />;
}

/** A speech as far as it arrived. */
interface Spoken {
  characters: number;
  format: string;
  bytes: number;
  /** The address to play it; undefined until it can be played. */
  playUrl?: string | undefined;
  /** The address to download it; undefined until it is complete. */
  downloadUrl?: string;
  usage?: { input: number; output: number };
}

const speechEvent = z.object({
  type: z.string(),
  audio: z.optional(z.string()),
  usage: z.nullish(z.object({ input_tokens: z.number(), output_tokens: z.number() })),
});

/** Reads a speech, as audio or as events that hold it. @throws Problem if it is cut off */
async function readSpeech(
  reading: Reading<Spoken>,
  { text, format }: { text: string; format: string },
): Promise<Spoken> {
  const { response, raw, show, whenGone } = reading;
  const events = isEventStream(response);
  const type = response.headers.get('content-type') ?? '';
  const sound = new Sound(events ? typeOf(format) : type);
  whenGone(() => sound.free());
  let speech: Spoken = { characters: [...text].length, format, bytes: 0 };
  const push = (piece: Uint8Array<ArrayBuffer>) => {
    sound.push(piece);
    speech = { ...speech, bytes: sound.bytes, playUrl: sound.streamUrl };
    show(speech);
  };
  if (events) {
    let done = false;
    for await (const { type, audio, usage } of readEvents(reading, speechEvent)) {
      if (audio) push(bytesOf(audio));
      if (usage) speech = { ...speech, usage: { input: usage.input_tokens, output: usage.output_tokens } };
      done ||= type === 'speech.audio.done';
    }
    if (!done) throw cutOff();
  } else
    for await (const piece of readBytes(response)) {
      raw(`(${piece.length.toLocaleString()} bytes of audio)`);
      push(piece);
    }
  return { ...speech, ...sound.end() };
}

const types: Record<string, string> = { mp3: 'audio/mpeg', opus: 'audio/ogg' };

/** Returns the media type of a format of speech. */
function typeOf(format: string): string {
  return types[format] ?? `audio/${format}`;
}

/** Decodes base64. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
}

/** A speech to play, while it arrives where the browser can do that, and to download when it is complete. */
function Player({ speech: { playUrl, downloadUrl, format } }: { speech: Spoken }) {
  return (
    <Stack gap="xs">
      {playUrl ? (
        // biome-ignore lint/a11y/useMediaCaption: the text that is spoken stands above
        <audio key={playUrl} src={playUrl} controls autoPlay aria-label="Speech" style={{ width: '100%' }} />
      ) : (
        <Text size="sm" c="dimmed">
          This format can be played once it is complete.
        </Text>
      )}
      {downloadUrl && (
        <Anchor href={downloadUrl} download={`speech.${format}`} size="sm">
          Download
        </Anchor>
      )}
    </Stack>
  );
}
