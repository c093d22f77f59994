import { useState } from 'react';
import { costOf } from '../cost.ts';
import { hintFor } from '../operation/hint.ts';
import { codeRequest, type OperationProps } from '../operation/operation.ts';
import { OperationForm } from '../operation/operation-form.tsx';
import { OperationPage } from '../operation/operation-page.tsx';
import { RunView } from '../operation/run-view.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { useRun } from '../operation/use-run.ts';
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
      <OperationForm
        label={draft.task === 'translate' ? 'Translate' : 'Transcribe'}
        running={running}
        hint={hint}
        onSend={send}
        onStop={stop}
      >
        <SoundField file={file} onChange={setFile} />
      </OperationForm>
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
