import { Fieldset, Group, SegmentedControl, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ProviderSettings } from '@model-gateway/admin-api';
import { useState } from 'react';
import { messageAt, messageIn, part, type SettingProps } from '../layout/setting-props.ts';
import { NumberSetting, TextSetting } from '../settings-form/inputs.tsx';
import { AddButton, RemoveButton, useList } from '../settings-form/rows.tsx';
import classes from '../settings-form/settings-form.module.css';
import type { Secret } from './kept-keys.ts';
import { SecretField } from './secret-field.tsx';

type Key = NonNullable<ProviderSettings['apiKeys']>[number];
type Count = 'none' | 'one' | 'several';

const newKey: Key = { key: { value: '' } };

/** The fields for the API keys of a provider: none, one, or several with names and weights. */
export function KeysField({
  only,
  several,
  onChange,
}: {
  only: SettingProps<ProviderSettings['apiKey']>;
  several: SettingProps<ProviderSettings['apiKeys']>;
  onChange(keys: Pick<ProviderSettings, 'apiKey' | 'apiKeys'>): void;
}) {
  const { errors = {} } = only;
  // The keys after the first stay here while only one is chosen.
  const [left, setLeft] = useState<Key[]>([]);
  const count: Count = several.value ? 'several' : only.value ? 'one' : 'none';
  const choose = (chosen: Count) => {
    const [first, ...others] = several.value ?? left;
    const keys = [{ ...(first ?? newKey), ...(only.value && { key: only.value }) }, ...others];
    setLeft(keys);
    onChange({
      apiKey: chosen === 'one' ? keys[0]?.key : undefined,
      apiKeys: chosen === 'several' ? [...keys, ...(keys.length < 2 ? [newKey] : [])] : undefined,
    });
  };
  return (
    <Fieldset legend="API keys">
      <Stack gap="sm">
        <SegmentedControl
          aria-label="Number of API keys"
          className={classes.start}
          data={[
            { value: 'none', label: 'None' },
            { value: 'one', label: 'One' },
            { value: 'several', label: 'Several' },
          ]}
          value={count}
          onChange={choose}
          transitionDuration={0}
        />
        {count === 'one' && (
          <SecretField
            label="Source"
            value={only.value ?? undefined}
            onChange={only.onChange}
            error={messageIn(errors, only.path)}
          />
        )}
        {count === 'one' && left.length > 1 && (
          <Text size="sm">Only the first key, {left[0]?.name ?? '1'}, is kept.</Text>
        )}
        {several.value && <SeveralKeys {...several} value={several.value} />}
      </Stack>
    </Fieldset>
  );
}

function SeveralKeys({
  value,
  onChange,
  path,
  errors,
}: Omit<SettingProps<ProviderSettings['apiKeys']>, 'value'> & { value: Key[] }) {
  const { rows, add } = useList(value, onChange);
  return (
    <>
      <Text size="sm" c="dimmed">
        The first key of a request is drawn by weight. A key that is refused or used up rests, and the next
        one is tried.
      </Text>
      {rows.map(({ key, item, change, remove }, place) => (
        <KeyFields
          key={key}
          value={item}
          place={place}
          onChange={change}
          path={[...path, place]}
          {...(errors && { errors })}
          onRemove={remove}
        />
      ))}
      <AddButton problem={messageAt(errors, path)} onClick={() => add(newKey)}>
        Add a key
      </AddButton>
    </>
  );
}

function KeyFields({ place, onRemove, ...props }: SettingProps<Key> & { place: number; onRemove(): void }) {
  const { value, onChange, path, errors } = props;
  const whole = { ...props, onChange: (changed: Key | null | undefined) => changed && onChange(changed) };
  const title = `API key ${place + 1}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset in a fieldset would be read with both legends
    <div role="group" aria-label={title} className={classes.entry}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <RemoveButton label={`Remove the API key ${value.name || place + 1}`} onClick={onRemove} />
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
        <TextSetting
          {...part(whole, 'name')}
          label="Name"
          description="Shown with the state of the key."
          placeholder={String(place + 1)}
        />
        <NumberSetting
          {...part(whole, 'weight')}
          label="Weight"
          description="Its share of requests, relative to the other keys."
          placeholder="1"
        />
        <SecretField
          label="Source"
          value={value.key}
          onChange={(key: Secret | undefined) => key && onChange({ ...value, key })}
          error={messageIn(errors, [...path, 'key'])}
        />
      </SimpleGrid>
    </div>
  );
}
