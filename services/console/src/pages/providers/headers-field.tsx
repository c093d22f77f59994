import { Button, Fieldset, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { randomKey } from '../layout/use-idempotency-key.ts';
import { RemoveButton } from '../settings-form/remove-button.tsx';
import { messageAt, type SettingProps } from '../settings-form/setting-props.ts';
import classes from '../settings-form/settings-form.module.css';
import type { HeaderDraft } from './provider-draft.ts';

/** Fields for the headers that are sent with each request to a provider. Stored values are never shown. */
export function HeadersField({ value, onChange, path, errors }: SettingProps<HeaderDraft[]>) {
  const change = (key: string, part: Partial<HeaderDraft>) =>
    onChange(value.map(header => (header.key === key ? { ...header, ...part } : header)));
  const add = () => onChange([...value, { key: randomKey(), name: '', value: '', stored: false }]);
  return (
    <Fieldset legend="Headers">
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Sent with each request. Their values are sealed as secrets are.
        </Text>
        {value.map(({ key, name, value: text, stored }, place) => (
          <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              aria-label={`Name of header ${place + 1}`}
              placeholder="x-team"
              className={classes.grow}
              value={name}
              disabled={stored}
              onChange={event => change(key, { name: event.currentTarget.value })}
              error={messageAt(errors, path, name.trim())}
              spellCheck={false}
            />
            <PasswordInput
              aria-label={`Value of header ${place + 1}`}
              placeholder={stored ? 'stored' : ''}
              className={classes.grow}
              value={text}
              autoComplete="off"
              onChange={event => change(key, { value: event.currentTarget.value, stored: false })}
              visibilityToggleButtonProps={{
                'aria-label': 'Show or hide the value',
                'aria-hidden': false,
                tabIndex: 0,
              }}
            />
            <RemoveButton
              label={`Remove the header ${name || place + 1}`}
              onClick={() => onChange(value.filter(header => header.key !== key))}
            />
          </Group>
        ))}
        <Button variant="default" size="xs" className={classes.start} onClick={add}>
          Add a header
        </Button>
      </Stack>
    </Fieldset>
  );
}
