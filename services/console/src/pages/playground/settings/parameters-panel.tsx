import { NumberInput, Select, Stack, TagsInput } from '@mantine/core';
import { efforts, type ParameterName, type Settings } from '../conversation/settings.ts';
import { type Bounds, sentSettings, setNames, type WireFormat } from '../formats/format.ts';

export interface SettingsProps {
  format: WireFormat;
  settings: Settings;
  onChange(settings: Settings): void;
}

/** The parameters of a request. One without a value is not sent; one that the format does not have is marked. */
export function ParametersPanel({ format, settings, onChange }: SettingsProps) {
  const sent = sentSettings(format, settings);
  const left = setNames(settings).filter(name => !(name in sent));
  const note = (name: ParameterName) => noteOf(format, name, settings, left);
  const change = (changed: Partial<Settings>) => onChange({ ...settings, ...changed });
  return (
    <Stack gap="sm">
      {numberNames.map(name => (
        <NumberField key={name} name={name} note={note(name)} {...{ format, settings, change }} />
      ))}
      <TagsInput
        size="xs"
        label={parameterLabels.stop}
        description={note('stop')}
        placeholder={settings.stop.length === 0 ? 'Type one and press Enter' : ''}
        value={settings.stop}
        onChange={stop => change({ stop })}
        error={tooMany(settings.stop, format.parameters.stop)}
        splitChars={[]}
        clearable
      />
      <Select
        size="xs"
        label={parameterLabels.effort}
        description={note('effort')}
        placeholder="Model default"
        data={efforts}
        value={settings.effort ?? null}
        onChange={effort => change({ effort: (effort as Settings['effort']) ?? undefined })}
        clearable
      />
      <Select
        size="xs"
        label={parameterLabels.parallelToolCalls}
        description={note('parallelToolCalls')}
        placeholder="Model default"
        data={['Allowed', 'One at a time']}
        value={settings.parallelToolCalls === undefined ? null : parallel[String(settings.parallelToolCalls)]}
        onChange={chosen =>
          change({ parallelToolCalls: chosen === null ? undefined : chosen === parallel.true })
        }
        clearable
      />
    </Stack>
  );
}

const parallel: Record<string, string> = { true: 'Allowed', false: 'One at a time' };

interface NumberFieldProps {
  name: NumberName;
  note: string | undefined;
  format: WireFormat;
  settings: Settings;
  change(changed: Partial<Settings>): void;
}

function NumberField({ name, note, format, settings, change }: NumberFieldProps) {
  const { min, max, step = 1 } = format.parameters[name] ?? {};
  const whole = !/^(temperature|topP|.*Penalty)$/.test(name);
  const value = settings[name];
  return (
    <NumberInput
      size="xs"
      label={parameterLabels[name]}
      description={note}
      placeholder="Model default"
      min={min}
      max={max}
      step={step}
      allowDecimal={!whole}
      clampBehavior="none"
      value={value ?? ''}
      onChange={typed => change({ [name]: typed === '' ? undefined : Number(typed) })}
      error={
        name in sentSettings(format, settings) && value !== undefined
          ? outOfBounds(value, { min, max })
          : undefined
      }
    />
  );
}

function noteOf(
  { label, parameters, name: formatName }: WireFormat,
  name: ParameterName,
  settings: Settings,
  left: readonly ParameterName[],
): string | undefined {
  if (left.includes(name)) {
    const { values } = parameters[name] ?? {};
    return values
      ? `Not sent: ${label} supports only ${values.join(', ')}.`
      : `Not sent: ${label} does not support this parameter.`;
  }
  if (name === 'maxTokens' && formatName === 'messages' && settings.maxTokens === undefined)
    return 'Messages requires a limit: 4096 is sent, beside the reasoning budget.';
  return undefined;
}

function outOfBounds(value: number, { min, max }: Pick<Bounds, 'min' | 'max'>): string | undefined {
  if (min !== undefined && max !== undefined && (value < min || value > max))
    return `This format takes ${min} to ${max}.`;
  return min !== undefined && value < min ? `This format takes ${min} or more.` : undefined;
}

function tooMany(stop: readonly string[], bounds: Bounds | undefined): string | undefined {
  const most = bounds?.most ?? Number.POSITIVE_INFINITY;
  return stop.length > most ? `This format takes at most ${most}.` : undefined;
}

/** The labels of the parameters, in the order in which they are shown. */
const parameterLabels: Record<ParameterName, string> = {
  temperature: 'Temperature',
  topP: 'Top p',
  topK: 'Top k',
  maxTokens: 'Max output tokens',
  stop: 'Stop sequences',
  seed: 'Seed',
  presencePenalty: 'Presence penalty',
  frequencyPenalty: 'Frequency penalty',
  effort: 'Reasoning effort',
  reasoningBudget: 'Reasoning budget, in tokens',
  parallelToolCalls: 'Parallel tool calls',
};

/** The parameters that are numbers. */
const numberNames = [
  'temperature',
  'topP',
  'topK',
  'maxTokens',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'reasoningBudget',
] as const satisfies ParameterName[];
type NumberName = (typeof numberNames)[number];
