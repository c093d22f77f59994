import { Autocomplete, Button, NumberInput, Select, Textarea, TextInput } from '@mantine/core';
import { voices } from '../voices.ts';
import { byHand, type Draft } from './draft.ts';

/** The settings of a session. Those of an open one can be changed. */
export function Settings({
  draft,
  change,
  onUpdate,
}: {
  draft: Draft;
  change(part: Partial<Draft>): void;
  /** Sends the settings to the open session; undefined if there is none. */
  onUpdate: (() => void) | undefined;
}) {
  return (
    <>
      <Textarea
        label="Instructions"
        placeholder="Not sent"
        autosize
        minRows={2}
        maxRows={8}
        value={draft.instructions}
        onChange={event => change({ instructions: event.currentTarget.value })}
      />
      <Select
        label="Answers"
        placeholder="Model default"
        clearable
        data={[
          { value: 'text', label: 'Text' },
          { value: 'audio', label: 'Audio' },
        ]}
        value={draft.output}
        onChange={output => change({ output })}
      />
      <Select
        label="Turn detection"
        description="By hand, you say when your turn ends."
        placeholder="Model default"
        clearable
        data={[
          { value: byHand, label: 'By hand' },
          { value: 'server_vad', label: 'By silence (server_vad)' },
          { value: 'semantic_vad', label: 'By meaning (semantic_vad)' },
        ]}
        value={draft.turns}
        onChange={turns => change({ turns })}
      />
      <Autocomplete
        label="Voice"
        description="Fixed once audio was sent."
        placeholder="Model default"
        data={voices}
        value={draft.voice}
        onChange={voice => change({ voice })}
      />
      <NumberInput
        label="Speed"
        description="From 0.25 to 1.5, between turns."
        placeholder="Model default"
        min={0.25}
        max={1.5}
        step={0.25}
        clampBehavior="strict"
        value={draft.speed ?? ''}
        onChange={value => change({ speed: typeof value === 'number' ? value : null })}
      />
      <TextInput
        label="Transcription model"
        description="Writes down what you say. Sessions that the gateway holds have their own."
        placeholder="Not sent"
        value={draft.transcription}
        onChange={event => change({ transcription: event.currentTarget.value })}
      />
      {onUpdate && (
        <Button variant="default" onClick={onUpdate}>
          Update the session
        </Button>
      )}
    </>
  );
}
