import {
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { redactedKinds } from '@model-gateway/admin-api';
import { randomKey } from '../layout/random-key.ts';
import { AddButton } from '../settings-form/add-button.tsx';
import { RemoveButton } from '../settings-form/remove-button.tsx';
import { messageAt, type SettingProps } from '../settings-form/setting-props.ts';
import type { LoggingDraft } from './project-draft.ts';

/** Fields for the request logging of a project. */
export function LoggingField(props: SettingProps<LoggingDraft>) {
  const { value, onChange, disabled } = props;
  return (
    <Fieldset legend="Request logging" disabled={disabled ?? false}>
      <Stack gap="sm">
        <Switch
          label="Store the texts of requests and answers"
          description="Admins and managers of the project can read them; each reading is in the audit log."
          checked={value.on}
          onChange={event => onChange({ ...value, on: event.currentTarget.checked })}
        />
        {value.on && (
          <>
            <Amounts {...props} />
            <MultiSelect
              label="Redact"
              description="Replaced by a mark before a text is stored. Secrets are always redacted."
              data={[...redactedKinds]}
              value={value.kinds}
              onChange={kinds => onChange({ ...value, kinds })}
            />
            <Patterns {...props} />
          </>
        )}
      </Stack>
    </Fieldset>
  );
}

function Amounts({ value, onChange, path, errors }: SettingProps<LoggingDraft>) {
  const number = (typed: string | number) => (typed === '' ? '' : Number(typed));
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs">
      <NumberInput
        label="Share of requests"
        suffix=" %"
        value={value.sample}
        onChange={sample => onChange({ ...value, sample: number(sample) })}
        error={messageAt(errors, path, 'sample')}
        hideControls
      />
      <NumberInput
        label="Days that they are kept"
        placeholder="30"
        value={value.retentionDays}
        onChange={days => onChange({ ...value, retentionDays: number(days) })}
        error={messageAt(errors, path, 'retentionDays')}
        hideControls
      />
      <NumberInput
        label="Most bytes of each text"
        placeholder="65,536"
        thousandSeparator=","
        value={value.maxBytes}
        onChange={bytes => onChange({ ...value, maxBytes: number(bytes) })}
        error={messageAt(errors, path, 'maxBytes')}
        hideControls
      />
    </SimpleGrid>
  );
}

function Patterns({ value, onChange, path, errors }: SettingProps<LoggingDraft>) {
  const { patterns, kinds } = value;
  const change = (place: number, part: { name?: string; pattern?: string }) =>
    onChange({
      ...value,
      patterns: patterns.map((old, index) => (index === place ? { ...old, ...part } : old)),
    });
  return (
    <>
      {patterns.map(({ key, name, pattern }, place) => {
        // The gateway has the kinds and the patterns in one list, the kinds first.
        const at = [path, 'redact', kinds.length + place] as const;
        return (
          <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              label="Name"
              w={140}
              value={name}
              onChange={event => change(place, { name: event.currentTarget.value })}
              error={messageAt(errors, ...at, 'name') ?? messageAt(errors, ...at)}
            />
            <TextInput
              label="Regular expression"
              style={{ flex: 1, minWidth: 0 }}
              spellCheck={false}
              value={pattern}
              onChange={event => change(place, { pattern: event.currentTarget.value })}
              error={messageAt(errors, ...at, 'pattern')}
            />
            <RemoveButton
              label={`Remove the expression ${name || place + 1}`}
              onClick={() => onChange({ ...value, patterns: patterns.filter((_, index) => index !== place) })}
            />
          </Group>
        );
      })}
      <AddButton
        onClick={() =>
          onChange({ ...value, patterns: [...patterns, { key: randomKey(), name: '', pattern: '' }] })
        }
      >
        Redact by an expression
      </AddButton>
    </>
  );
}
