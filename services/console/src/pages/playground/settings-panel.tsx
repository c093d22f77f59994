import { Button, Collapse, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type ChangeEvent, useId } from 'react';

interface Props {
  settings: Settings;
  onChange(settings: Settings): void;
}

export function SettingsPanel({ settings, onChange }: Props) {
  const [opened, { toggle }] = useDisclosure();
  const id = useId();
  return (
    <div>
      <Button
        variant="default"
        size="compact-sm"
        onClick={toggle}
        aria-expanded={opened}
        aria-controls={id}
        rightSection={<span aria-hidden>{opened ? '▴' : '▾'}</span>}
      >
        Settings
      </Button>
      <Collapse expanded={opened} transitionDuration={0} id={id}>
        <Stack gap="sm" pt="sm">
          <Textarea
            label="System prompt"
            autosize
            minRows={2}
            maxRows={8}
            value={settings.system}
            onChange={event => onChange({ ...settings, system: event.currentTarget.value })}
          />
          <TextInput
            type="number"
            label="Temperature"
            placeholder="Model default"
            min={0}
            max={2}
            step={0.1}
            value={settings.temperature ?? ''}
            onChange={event => onChange({ ...settings, temperature: numberOf(event) })}
          />
          <TextInput
            type="number"
            label="Maximum output tokens"
            placeholder="Model default"
            min={1}
            value={settings.maxTokens ?? ''}
            onChange={event => onChange({ ...settings, maxTokens: numberOf(event) })}
          />
        </Stack>
      </Collapse>
    </div>
  );
}

function numberOf({ currentTarget: { valueAsNumber } }: ChangeEvent<HTMLInputElement>): number | undefined {
  return Number.isNaN(valueAsNumber) ? undefined : valueAsNumber;
}

/** The settings that are sent with every question. Settings without a value are omitted. */
interface Settings {
  system: string;
  temperature: number | undefined;
  /** The most output tokens. */
  maxTokens: number | undefined;
}

export const noSettings: Settings = { system: '', temperature: undefined, maxTokens: undefined };
