import { Autocomplete, Button, TextInput } from '@mantine/core';
import { ChoiceSetting, NumberSetting, TextSetting } from '../operation/setting-fields.tsx';
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
      <TextSetting
        label="Instructions"
        maxRows={8}
        value={draft.instructions}
        onChange={instructions => change({ instructions })}
      />
      <ChoiceSetting
        label="Answers"
        data={[
          { value: 'text', label: 'Text' },
          { value: 'audio', label: 'Audio' },
        ]}
        value={draft.output}
        onChange={output => change({ output })}
      />
      <ChoiceSetting
        label="Turn detection"
        description="By hand, you say when your turn ends."
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
      <NumberSetting
        label="Speed"
        description="From 0.25 to 1.5, between turns."
        min={0.25}
        max={1.5}
        step={0.25}
        value={draft.speed}
        onChange={speed => change({ speed })}
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
