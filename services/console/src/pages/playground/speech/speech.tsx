import { Autocomplete, Textarea } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { costOf } from '../cost.ts';
import { hintFor } from '../operation/hint.ts';
import { codeRequest, jsonRequest, type OperationProps } from '../operation/operation.ts';
import { OperationForm } from '../operation/operation-form.tsx';
import { OperationPage } from '../operation/operation-page.tsx';
import { RunView } from '../operation/run-view.tsx';
import { ChoiceSetting, NumberSetting, TextSetting } from '../operation/setting-fields.tsx';
import { useDraft } from '../operation/use-draft.ts';
import { useModel } from '../operation/use-model.ts';
import { useRun } from '../operation/use-run.ts';
import { voices } from '../voices.ts';
import { Player } from './player.tsx';
import { readSpeech, type Speech as Spoken } from './read-speech.ts';
import type { Sound } from './sound.ts';

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

/** The tab for speech: a text, and the text as it is spoken. */
export function Speech({ secret, models, blocked }: OperationProps) {
  const [draft, change] = useDraft<Draft>('speech', empty);
  const model = useModel(models);
  const { run, running, start, stop } = useRun<Spoken>();
  const sound = useRef<Sound>(undefined);
  useEffect(() => () => sound.current?.free(), []);
  const hint = hintFor(blocked, model, missingOf(draft));
  const send = () => {
    sound.current?.free();
    const { text, format } = draft;
    start(secret, model.name, requestOf(model.name, draft), reading =>
      readSpeech(reading, { text, format: format ?? 'mp3' }, made => {
        sound.current = made;
      }),
    );
  };
  const { usage, characters, bytes } = run?.result ?? {};
  const used = usage ? { input: usage.input, output: usage.output } : { characters };
  return (
    <OperationPage
      title="Speech"
      about="Have a text spoken."
      {...{ models, blocked, model }}
      settings={<Settings draft={draft} change={change} />}
    >
      <OperationForm label="Speak" running={running} hint={hint} onSend={send} onStop={stop}>
        <Textarea
          label="Text"
          description={`${[...draft.text].length.toLocaleString()} of ${maxCharacters.toLocaleString()} characters`}
          autosize
          minRows={4}
          maxRows={14}
          value={draft.text}
          onChange={event => change({ text: event.currentTarget.value })}
        />
      </OperationForm>
      {run && (
        <RunView
          run={run}
          label="Speech"
          figures={[
            usage && `${usage.input.toLocaleString()} tokens in, ${usage.output.toLocaleString()} out`,
            characters !== undefined && `${characters.toLocaleString()} characters`,
            bytes !== undefined && `${bytes.toLocaleString()} bytes`,
          ]}
          cost={costOf(used, model.price)}
          code={{ request: codeRequest('speech', run.request, run.model), secret }}
        >
          {run.result && <Player speech={run.result} />}
        </RunView>
      )}
    </OperationPage>
  );
}

function missingOf({ text, voice, instructions }: Draft): string | undefined {
  if (text.trim() === '') return 'Write a text.';
  if ([...text].length > maxCharacters) return `Shorten the text to ${maxCharacters} characters.`;
  if (voice.trim() === '') return 'Choose a voice.';
  if (instructions.length > maxCharacters) return `Shorten the instructions to ${maxCharacters} characters.`;
  return undefined;
}

function requestOf(model: string, { text, voice, instructions, speed, format, stream }: Draft) {
  return jsonRequest('/v1/audio/speech', {
    ...{ model, input: text, voice: voice.trim(), instructions },
    ...{
      speed: speed ?? undefined,
      response_format: format ?? undefined,
      stream_format: stream ?? undefined,
    },
  });
}

function Settings({ draft, change }: { draft: Draft; change(part: Partial<Draft>): void }) {
  return (
    <>
      <Autocomplete
        label="Voice"
        description="Choose one, or type the name of another."
        data={voices}
        value={draft.voice}
        onChange={voice => change({ voice })}
      />
      <TextSetting
        label="Instructions"
        description="The style of the speech. Not every model takes them."
        value={draft.instructions}
        onChange={instructions => change({ instructions })}
      />
      <NumberSetting
        label="Speed"
        description="From 0.25 to 4."
        min={0.25}
        max={4}
        step={0.25}
        value={draft.speed}
        onChange={speed => change({ speed })}
      />
      <ChoiceSetting
        label="Format"
        data={['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']}
        value={draft.format}
        onChange={format => change({ format })}
      />
      <ChoiceSetting
        label="Sent as"
        description="Events also tell the tokens."
        placeholder="Audio"
        data={[
          { value: 'audio', label: 'Audio' },
          { value: 'sse', label: 'Events' },
        ]}
        value={draft.stream}
        onChange={stream => change({ stream })}
      />
    </>
  );
}
