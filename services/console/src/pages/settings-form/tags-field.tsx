import { Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { randomKey } from '../layout/random-key.ts';
import { AddButton } from './add-button.tsx';
import { repeatedNames } from './limits-draft.ts';
import { RemoveButton } from './remove-button.tsx';
import { messageAt, type SettingProps } from './setting-props.ts';
import classes from './settings-form.module.css';
import type { TagsDraft } from './tags-draft.ts';

/** Fields for tags: texts by name, by which usage is filtered and summed. */
export function TagsField({ value, onChange, path, errors, disabled }: SettingProps<TagsDraft>) {
  const repeated = repeatedNames(value.map(({ name }) => name.trim()));
  const change = (place: number, tag: Partial<TagsDraft[number]>) =>
    onChange(value.map((old, index) => (index === place ? { ...old, ...tag } : old)));
  const add = () => onChange([...value, { key: randomKey(), name: '', value: '' }]);
  return (
    <Fieldset legend="Tags" disabled={disabled ?? false}>
      <Stack gap="xs">
        <Text size="sm" c="dimmed">
          Usage is filtered and summed by them.
        </Text>
        {value.map(({ key, name, value: text }, place) => (
          <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
            <TextInput
              aria-label={`Name of tag ${place + 1}`}
              placeholder="team"
              className={classes.grow}
              value={name}
              onChange={event => change(place, { name: event.currentTarget.value })}
              error={repeated.has(name.trim()) ? 'Another tag has the same name.' : undefined}
            />
            <TextInput
              aria-label={`Value of tag ${place + 1}`}
              placeholder="search"
              className={classes.grow}
              value={text}
              onChange={event => change(place, { value: event.currentTarget.value })}
              error={messageAt(errors, path, name.trim())}
            />
            <RemoveButton
              label={`Remove the tag ${name || place + 1}`}
              onClick={() => onChange(value.filter((_, index) => index !== place))}
            />
          </Group>
        ))}
        <AddButton problem={messageAt(errors, path)} onClick={add}>
          Add a tag
        </AddButton>
      </Stack>
    </Fieldset>
  );
}
