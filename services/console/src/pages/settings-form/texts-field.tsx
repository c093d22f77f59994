import { Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { messageAt, type SettingProps } from '../layout/setting-props.ts';
import { AddButton, RemoveButton, repeatedName, useEntries } from './rows.tsx';
import classes from './settings-form.module.css';

/** Fields for texts by name, such as the tags of a token. `noun` names one of them. */
export function TextsField({
  value,
  onChange,
  path,
  errors,
  disabled,
  legend,
  noun,
  about,
  example: [exampleName, exampleValue],
}: SettingProps<Record<string, string>> & {
  legend: string;
  noun: string;
  about: string;
  example: readonly [name: string, value: string];
}) {
  const { rows, add } = useEntries(value, onChange);
  return (
    <Fieldset legend={legend} disabled={disabled ?? false}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        {rows.map(({ key, name, value: text, isRepeated, change, remove }, place) => (
          <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              aria-label={`Name of ${noun} ${place + 1}`}
              placeholder={exampleName}
              className={classes.grow}
              value={name}
              onChange={event => change({ name: event.currentTarget.value })}
              error={isRepeated ? repeatedName : undefined}
            />
            <TextInput
              aria-label={`Value of ${noun} ${place + 1}`}
              placeholder={exampleValue}
              className={classes.grow}
              value={text}
              onChange={event => change({ value: event.currentTarget.value })}
              onBlur={() => text !== text.trim() && change({ value: text.trim() })}
              error={messageAt(errors, [...path, name.trim()])}
            />
            <RemoveButton label={`Remove the ${noun} ${name || place + 1}`} onClick={remove} />
          </Group>
        ))}
        <AddButton problem={messageAt(errors, path)} onClick={() => add('')}>
          Add {noun === 'option' ? 'an' : 'a'} {noun}
        </AddButton>
      </Stack>
    </Fieldset>
  );
}
