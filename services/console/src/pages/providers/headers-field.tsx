import { Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { randomKey } from '../layout/random-key.ts';
import { AddButton } from '../settings-form/add-button.tsx';
import { RemoveButton } from '../settings-form/remove-button.tsx';
import { messageIn, type SettingProps } from '../settings-form/setting-props.ts';
import classes from '../settings-form/settings-form.module.css';
import type { HeaderDraft } from './provider-draft.ts';
import { newSecret } from './secret-draft.ts';
import { SecretField } from './secret-field.tsx';

/** Fields for the headers that are sent with each request to a provider. Stored values are never shown. */
export function HeadersField({ value, onChange, path, errors }: SettingProps<HeaderDraft[]>) {
  const change = (key: string, part: Partial<HeaderDraft>) =>
    onChange(value.map(header => (header.key === key ? { ...header, ...part } : header)));
  const add = () => onChange([...value, { key: randomKey(), name: '', secret: newSecret }]);
  return (
    <Fieldset legend="Headers">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          Sent with each request. Their values are sealed as secrets are.
        </Text>
        {value.map(({ key, name, secret }, place) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read with both legends
          <div key={key} role="group" aria-label={`Header ${place + 1}`} className={classes.entry}>
            <Group gap="xs" align="flex-end" wrap="nowrap">
              <TextInput
                label="Name"
                placeholder="x-team"
                className={classes.grow}
                value={name}
                disabled={secret.stored}
                onChange={event => change(key, { name: event.currentTarget.value })}
                spellCheck={false}
                autoCapitalize="off"
              />
              <RemoveButton
                label={`Remove the header ${name || place + 1}`}
                onClick={() => onChange(value.filter(header => header.key !== key))}
              />
            </Group>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
              <SecretField
                label="Value"
                value={secret}
                onChange={typed => change(key, { secret: typed })}
                error={messageIn(errors, path, name.trim())}
              />
            </SimpleGrid>
          </div>
        ))}
        <AddButton onClick={add}>Add a header</AddButton>
      </Stack>
    </Fieldset>
  );
}
