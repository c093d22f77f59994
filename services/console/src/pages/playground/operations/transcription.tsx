import { Group, Table, Text, Title } from '@mantine/core';
import { Copy } from '../../layout/code-block.tsx';
import type { Field } from '../operation/fields.tsx';
import type { Operation, OperationProps } from '../operation/operation.ts';
import { OperationTab } from '../operation/operation-page.tsx';
import { cutOff, isEventStream, readEvents, readJson, readText } from '../operation/read-answer.ts';
import { ResultSection } from '../operation/run-view.tsx';
import type { Reading } from '../operation/use-run.ts';
import { SoundField } from './sound-field.tsx';
import {
  type Draft,
  formatsOf,
  heard,
  requestOf,
  type Transcript,
  timeText,
  transcriptAnswer,
  transcriptEvent,
} from './transcript.ts';

const empty: Draft = {
  ...{ task: 'transcribe', language: '', prompt: '', format: null, timestamps: [] },
  ...{ temperature: null, streamed: false, file: null },
};

const operation: Operation<Draft, Transcript> = {
  title: 'Transcription',
  about: 'Transcribe speech, or translate it to English.',
  ...{ format: 'transcriptions', path: '/v1/audio/transcriptions', answer: 'Transcript' },
  ...{ empty, files: ['file'] },
  fields: () => [{ type: 'own', label: 'File', Input: SoundField }],
  settings,
  verb: ({ task }) => (task === 'translate' ? 'Translate' : 'Transcribe'),
  missing: ({ file }) => !file && 'Choose a file, or record one.',
  request: requestOf,
  read: () => readTranscript,
  used: ({ usage, duration }) => ({
    ...{ input: usage?.input_tokens, output: usage?.output_tokens },
    audioInput: usage?.input_token_details?.audio_tokens ?? undefined,
    seconds: usage?.seconds ?? duration ?? undefined,
  }),
  facts: ({ language }) => [language],
  show: transcript => <TranscriptView transcript={transcript} />,
};

/** The tab for transcription: a file or a recording, and what is said in it, also in English. */
export function Transcription(props: OperationProps) {
  return <OperationTab operation={operation} {...props} />;
}

/** The settings of a task: a translation has no language, timestamps or stream. */
function settings({ task, format }: Draft): Field<Draft>[] {
  const transcribes = task === 'transcribe';
  const all: (Field<Draft> | false)[] = [
    {
      ...{ type: 'either', name: 'task', label: 'Task' },
      data: [
        { value: 'transcribe', label: 'Transcribe' },
        { value: 'translate', label: 'Translate to English' },
      ],
    },
    transcribes && {
      ...{ type: 'line', name: 'language', label: 'Language', placeholder: 'Not sent' },
      description: 'The code of the spoken language, such as en or de.',
    },
    {
      ...{ type: 'text', name: 'prompt', label: 'Prompt', placeholder: 'Not sent' },
      description: 'Words and names that occur, or the text before.',
    },
    {
      ...{ type: 'choice', name: 'format', label: 'Format', data: formatsOf(task) },
      description: 'Segments and words are in verbose_json, speakers in diarized_json.',
    },
    transcribes && {
      ...{ type: 'several', name: 'timestamps', label: 'Timestamps', disabled: format !== 'verbose_json' },
      description: 'Sent with the format verbose_json.',
      data: [
        { value: 'segment', label: 'Segments' },
        { value: 'word', label: 'Words' },
      ],
    },
    {
      ...{ type: 'number', name: 'temperature', label: 'Temperature', description: 'From 0 to 1.' },
      ...{ min: 0, max: 1, step: 0.1 },
    },
    transcribes && { type: 'switch', name: 'streamed', label: 'Stream' },
  ];
  return all.filter(field => field !== false);
}

/** Reads a transcript: JSON, a text such as subtitles, or events. @throws Problem if it is cut off */
async function readTranscript(reading: Reading<Transcript>): Promise<Transcript> {
  const { response, show } = reading;
  if (!isEventStream(response)) {
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return isJson ? readJson(reading, transcriptAnswer) : { text: await readText(reading) };
  }
  let transcript: Transcript = { text: '' };
  let done = false;
  for await (const event of readEvents(reading, transcriptEvent)) {
    transcript = heard(transcript, event);
    done ||= event.type === 'transcript.text.done';
    show(transcript);
  }
  if (!done) throw cutOff();
  return transcript;
}

interface Row {
  start: number;
  end: number;
  text: string;
  speaker?: string | null | undefined;
}

/** A transcript: its text, and its segments and words with their times. */
function TranscriptView({ transcript: { text, segments, words } }: { transcript: Transcript }) {
  return (
    <>
      <section aria-label="Text">
        <Group justify="space-between">
          <Title order={2} size="h5">
            Text
          </Title>
          <Copy text={text} label="Copy text" />
        </Group>
        <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>
      </section>
      {segments && segments.length > 0 && <Times label="Segments" rows={segments} />}
      {words && words.length > 0 && (
        <Times label="Words" rows={words.map(({ word, ...times }) => ({ ...times, text: word }))} />
      )}
    </>
  );
}

/** The most rows that are shown; the raw answer has more. */
const maxRows = 500;

function Times({ label, rows }: { label: string; rows: readonly Row[] }) {
  const hasSpeakers = rows.some(({ speaker }) => speaker);
  return (
    <ResultSection title={label}>
      <Table.ScrollContainer
        minWidth={320}
        maxHeight={360}
        scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}
      >
        <Table aria-label={label} verticalSpacing={4}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Start</Table.Th>
              <Table.Th>End</Table.Th>
              {hasSpeakers && <Table.Th>Speaker</Table.Th>}
              <Table.Th>Text</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, maxRows).map(({ start, end, text, speaker }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are only added at the end
              <Table.Tr key={at}>
                <Table.Td>{timeText(start)}</Table.Td>
                <Table.Td>{timeText(end)}</Table.Td>
                {hasSpeakers && <Table.Td>{speaker}</Table.Td>}
                <Table.Td>{text.trim()}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {rows.length > maxRows && <Text size="sm">… and {rows.length - maxRows} more</Text>}
    </ResultSection>
  );
}
