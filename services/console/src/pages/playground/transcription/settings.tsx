import { MultiSelect, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { ChoiceSetting, NumberSetting, TextSetting } from '../operation/setting-fields.tsx';
import { type Draft, formatsOf } from './request.ts';

interface SettingsProps {
  draft: Draft;
  change(part: Partial<Draft>): void;
}

/** The settings of a transcription; those that a translation does not have are left out for one. */
export function Settings({ draft, change }: SettingsProps) {
  const transcribes = draft.task === 'transcribe';
  return (
    <>
      <TaskField draft={draft} change={change} />
      {transcribes && (
        <TextInput
          label="Language"
          description="The code of the spoken language, such as en or de."
          placeholder="Not sent"
          value={draft.language}
          onChange={event => change({ language: event.currentTarget.value })}
        />
      )}
      <TextSetting
        label="Prompt"
        description="Words and names that occur, or the text before."
        value={draft.prompt}
        onChange={prompt => change({ prompt })}
      />
      <ChoiceSetting
        label="Format"
        description="Segments and words are in verbose_json, speakers in diarized_json."
        data={formatsOf(draft.task)}
        value={draft.format}
        onChange={format => change({ format })}
      />
      {transcribes && (
        <MultiSelect
          label="Timestamps"
          description="Sent with the format verbose_json."
          disabled={draft.format !== 'verbose_json'}
          data={[
            { value: 'segment', label: 'Segments' },
            { value: 'word', label: 'Words' },
          ]}
          value={draft.timestamps}
          onChange={timestamps => change({ timestamps })}
        />
      )}
      <NumberSetting
        label="Temperature"
        description="From 0 to 1."
        min={0}
        max={1}
        step={0.1}
        value={draft.temperature}
        onChange={temperature => change({ temperature })}
      />
      {transcribes && (
        <Switch
          label="Streamed"
          checked={draft.streamed}
          onChange={event => change({ streamed: event.currentTarget.checked })}
        />
      )}
    </>
  );
}

function TaskField({ draft, change }: SettingsProps) {
  /** Changes the task, and leaves out a format that it does not have. */
  const choose = (task: Draft['task']) => {
    const format = formatsOf(task).includes(draft.format ?? '') ? draft.format : null;
    change({ task, format });
  };
  return (
    <SegmentedControl
      aria-label="Task"
      // It hides what overflows, so the column would press it flat.
      style={{ flexShrink: 0 }}
      data={[
        { value: 'transcribe', label: 'Transcribe' },
        { value: 'translate', label: 'Into English' },
      ]}
      value={draft.task}
      onChange={value => choose(value as Draft['task'])}
    />
  );
}
