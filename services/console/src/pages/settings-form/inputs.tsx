import {
  Autocomplete,
  type AutocompleteProps,
  NumberInput,
  type NumberInputProps,
  Switch,
  type SwitchProps,
  TagsInput,
  type TagsInputProps,
  TextInput,
  type TextInputProps,
} from '@mantine/core';
import { useResource } from '../layout/reading.ts';
import { messageAt, messageIn, type SettingProps } from '../layout/setting-props.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

type Field<Value, Props> = SettingProps<Value> & Omit<Props, keyof SettingProps<Value> | 'error'>;

const asTyped = { spellCheck: false, autoCapitalize: 'off' } as const;

/** A field for a text. An empty one is not set, unless it is required. `trims` removes spaces around it when the field is left. */
export function TextSetting<Value extends string | null | undefined>({
  value,
  onChange,
  path,
  errors,
  trims = true,
  ...field
}: Field<Value, TextInputProps> & { trims?: boolean }) {
  const take = (text: string) => onChange((text === '' && !field.required ? undefined : text) as Value);
  return (
    <TextInput
      {...asTyped}
      {...field}
      value={value ?? ''}
      onChange={event => take(event.currentTarget.value)}
      onBlur={() => trims && value && value !== value.trim() && take(value.trim())}
      error={messageIn(errors, path)}
    />
  );
}

/** A field for the name of a new record. */
export function NameSetting({
  onlyName = true,
  ...props
}: Field<string, TextInputProps> & { onlyName?: boolean }) {
  return <TextSetting label="Name" required {...(onlyName && { 'data-autofocus': true })} {...props} />;
}

/** A field for a number. An empty one is not set. */
export function NumberSetting({
  value,
  onChange,
  path,
  errors,
  ...field
}: Field<number | null | undefined, NumberInputProps>) {
  return (
    <NumberInput
      hideControls
      thousandSeparator=","
      {...field}
      value={value ?? ''}
      onChange={typed => onChange(typed === '' ? undefined : Number(typed))}
      error={messageAt(errors, path)}
    />
  );
}

/** A switch. `usual` is what holds if it is not set, and is not sent. */
export function SwitchSetting({
  value,
  onChange,
  path,
  errors,
  usual,
  ...field
}: Field<boolean | null | undefined, SwitchProps> & { usual: boolean }) {
  return (
    <Switch
      {...field}
      checked={value ?? usual}
      onChange={event => onChange(event.currentTarget.checked === usual ? null : !usual)}
      error={messageAt(errors, path)}
    />
  );
}

/** A field for a list of texts, with a comma between two of them. An empty one is not set. */
export function ListSetting({
  value,
  onChange,
  path,
  errors,
  ...field
}: Field<string[] | null | undefined, TagsInputProps>) {
  return (
    <TagsInput
      acceptValueOnBlur
      limit={mostShown}
      {...field}
      value={value ?? []}
      onChange={texts => {
        const split = texts.flatMap(text => text.split(',')).map(text => text.trim());
        onChange(split.length > 0 ? split.filter(Boolean) : undefined);
      }}
      error={messageIn(errors, path)}
    />
  );
}

const mostShown = 50;

/** A field for the name of one model, or for a pattern with one `*`. The names of the catalog are suggested. */
export function ModelNameInput(props: Omit<AutocompleteProps, 'data'>) {
  const names = useModelNames();
  return (
    <Autocomplete placeholder="gpt-* or a name" limit={mostShown} {...asTyped} {...props} data={names} />
  );
}

/** Reads the names of the models in the catalog, as far as the user may see them. They are suggestions: other names can be typed. */
export function useModelNames(): string[] {
  const { session } = useSession();
  const { value } = useResource('listCatalogModels', {
    query: { limit: '1000' },
    enabled: may(session, 'listCatalogModels'),
    staleTime: 60_000,
  });
  return value?.data.map(({ name }) => name) ?? [];
}
