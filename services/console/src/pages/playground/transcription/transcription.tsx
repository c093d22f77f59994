import { Stack } from '@mantine/core';
import { useState } from 'react';
import { costOf } from '../runs/cost.ts';
import { codeRequest, type OperationProps } from '../runs/operation.ts';
import { OperationPage } from '../runs/operation-page.tsx';
import { hintFor, RunButtons } from '../runs/run-buttons.tsx';
import { RunView } from '../runs/run-view.tsx';
import { useDraft } from '../runs/use-draft.ts';
import { useModel } from '../runs/use-model.ts';
import { useRun } from '../runs/use-run.ts';
import { readTranscript } from './read-transcript.ts';
import { type Draft, requestOf } from './request.ts';
import { Settings } from './settings.tsx';
import { SoundField } from './sound-field.tsx';
import type { Transcript } from './transcript.ts';
import { TranscriptView } from './transcript-view.tsx';

const empty: Draft = {
  task: 'transcribe',
  language: '',
  prompt: '',
  format: null,
  timestamps: [],
  temperature: null,
  streamed: false,
};

/** The tab for transcription: a file or a recording, and what is said in it, also in English. */
export function Transcription({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<Draft>('transcription', empty);
  const [file, setFile] = useState<File | null>(null);
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Transcript>();
  const hint = hintFor(blocked, model, !file && 'Choose a file, or record one.');
  const send = () => {
    if (file) start(secret, model.name, requestOf(model.name, draft, file), readTranscript);
  };
  const { usage, duration, language } = run?.result ?? {};
  const seconds = usage?.seconds ?? duration ?? undefined;
  const used = {
    ...{ input: usage?.input_tokens, output: usage?.output_tokens, seconds },
    audioInput: usage?.input_token_details?.audio_tokens ?? undefined,
  };
  // The code of a translation has no format of its own.
  const hasCode = run?.request.path === '/v1/audio/transcriptions';
  return (
    <OperationPage
      title="Transcription"
      about="Turn speech into text, also into English."
      {...{ models, blocked, model }}
      settings={<Settings draft={draft} change={change} />}
    >
      <form
        onSubmit={event => {
          event.preventDefault();
          if (!hint && !running) send();
        }}
      >
        <Stack>
          <SoundField file={file} onChange={setFile} />
          <RunButtons
            label={draft.task === 'translate' ? 'Translate' : 'Transcribe'}
            running={running}
            hint={hint}
            onStop={stop}
          />
        </Stack>
      </form>
      {run && (
        <RunView
          run={run}
          label="Transcript"
          figures={[
            language ?? undefined,
            used.input !== undefined && `${used.input.toLocaleString()} tokens in`,
            used.output !== undefined && `${used.output.toLocaleString()} out`,
            seconds !== undefined && `${seconds.toFixed(1)} s of sound`,
          ]}
          cost={costOf(used, model.price)}
          code={
            hasCode ? { request: codeRequest('transcriptions', run.request, run.model), secret } : undefined
          }
        >
          {run.result && <TranscriptView transcript={run.result} />}
        </RunView>
      )}
    </OperationPage>
  );
}
