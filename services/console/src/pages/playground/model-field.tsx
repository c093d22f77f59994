import { Autocomplete } from '@mantine/core';
import { isUsable, type ModelNames } from '../token/check-token.ts';

interface Props {
  models: ModelNames;
  value: string;
  onChange(model: string): void;
  disabled: boolean;
}

/** A field to choose a model by name. If a pattern allows it, a name that is not in the list can be typed. */
export function ModelField({ models, value, onChange, disabled }: Props) {
  const { names, patterns } = models;
  return (
    <Autocomplete
      label="Model"
      description={patterns.length > 0 ? `Or any name like ${patterns.join(', ')}` : undefined}
      placeholder="Search models"
      data={names}
      value={value}
      onChange={onChange}
      disabled={disabled}
      limit={200}
      maxDropdownHeight={320}
      selectFirstOptionOnChange={false}
      onFocus={event => event.currentTarget.select()}
      error={
        !disabled && value !== '' && !isUsable(value, models)
          ? 'The token may not use this model.'
          : undefined
      }
      filter={({ options, search }) => (names.includes(search) ? options : narrowed(options, search))}
    />
  );
}

/** Filters the options by the words of the search text. A chosen name does not filter. */
function narrowed<Option extends object>(options: Option[], search: string): Option[] {
  const words = search.toLowerCase().split(/\s+/);
  return options.filter(
    option => 'value' in option && words.every(word => String(option.value).toLowerCase().includes(word)),
  );
}
