import { Fieldset, Group, MultiSelect, NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core';
import { type LoggingSettings, redactedKinds } from '@model-gateway/admin-api';
import { useState } from 'react';
import { messageAt, part, type SettingProps } from '../layout/setting-props.ts';
import { NumberSetting, TextSetting } from '../settings-form/inputs.tsx';
import { AddButton, RemoveButton, useList } from '../settings-form/rows.tsx';

type Redaction = NonNullable<LoggingSettings['redact']>[number];
type Pattern = Exclude<Redaction, string>;

/** Fields for the request logging of a project; null while it is off. */
export function LoggingField({
  value,
  disabled,
  ...field
}: SettingProps<LoggingSettings | null | undefined>) {
  // What was set before it was switched off.
  const [before, setBefore] = useState<LoggingSettings>({ sample: 1 });
  const { onChange } = field;
  return (
    <Fieldset legend="Request logging" disabled={disabled ?? false}>
      <Stack gap="sm">
        <Switch
          label="Store the texts of requests and responses"
          description="Admins and managers of the project can read them. Each access is in the audit log."
          checked={Boolean(value)}
          onChange={event => {
            if (value) setBefore(value);
            onChange(event.currentTarget.checked ? before : null);
          }}
        />
        {value && <OnFields {...field} value={value} />}
      </Stack>
    </Fieldset>
  );
}

function OnFields({
  value,
  onChange,
  path,
  errors,
}: Omit<SettingProps<LoggingSettings | null | undefined>, 'value'> & { value: LoggingSettings }) {
  const { sample, redact = [] } = value;
  const kinds = redact.filter(entry => typeof entry === 'string');
  const patterns = redact.filter(entry => typeof entry !== 'string');
  const field = { value, onChange, path, ...(errors && { errors }) };
  // The gateway has the kinds and the patterns in one list. Here, the kinds are the first.
  const setRedact = (list: readonly Redaction[]) =>
    part(field, 'redact').onChange(list.length > 0 ? [...list] : undefined);
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
        <NumberInput
          label="Sample rate"
          suffix=" %"
          value={rounded(sample * 100)}
          onChange={percent => onChange({ ...value, sample: rounded(Number(percent) / 100) })}
          error={messageAt(errors, [...path, 'sample'])}
          hideControls
        />
        <NumberSetting {...part(field, 'retentionDays')} label="Retention (days)" placeholder="30" />
        <NumberSetting {...part(field, 'maxBytes')} label="Max bytes per text" placeholder="65,536" />
      </SimpleGrid>
      <MultiSelect
        label="Redact"
        description="Replaced before a text is stored. Secrets are always redacted."
        data={[...redactedKinds]}
        value={kinds}
        onChange={chosen => setRedact([...(chosen as Redaction[]), ...patterns])}
      />
      <Patterns
        value={patterns}
        onChange={changed => setRedact([...kinds, ...changed])}
        path={[...path, 'redact']}
        {...(errors && { errors })}
        before={kinds.length}
      />
    </>
  );
}

/** `before` is the number of entries in the list that come before the patterns. */
function Patterns({ value, onChange, path, errors, before }: SettingProps<Pattern[]> & { before: number }) {
  const { rows, add } = useList(value, onChange);
  return (
    <>
      {rows.map(({ key, item, change, remove }, place) => {
        const at = [...path, before + place];
        return (
          <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
            <TextSetting
              label="Name"
              w={140}
              required
              value={item.name}
              onChange={name => change({ ...item, name })}
              path={messageAt(errors, at) ? at : [...at, 'name']}
              {...(errors && { errors })}
            />
            <TextSetting
              label="Regular expression"
              trims={false}
              style={{ flex: 1, minWidth: 0 }}
              required
              value={item.pattern}
              onChange={pattern => change({ ...item, pattern })}
              path={[...at, 'pattern']}
              {...(errors && { errors })}
            />
            <RemoveButton label={`Remove the expression ${item.name || place + 1}`} onClick={remove} />
          </Group>
        );
      })}
      <AddButton onClick={() => add({ name: '', pattern: '' })}>Add a regular expression</AddButton>
    </>
  );
}

/** Removes what is left of a binary fraction, as in 7.000000000000001. */
function rounded(value: number): number {
  return Number(value.toFixed(9));
}
