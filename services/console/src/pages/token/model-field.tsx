import { Autocomplete, type ComboboxItem, Text } from '@mantine/core';
import { factsOf, isUsable, type ModelNames } from './check-token.ts';
import classes from './model-field.module.css';
import { modelText } from './model-text.ts';

interface Props {
  models: ModelNames;
  value: string;
  onChange(model: string): void;
  disabled: boolean;
  label?: string;
  /** True where there is no room for the names that may be typed. */
  narrow?: boolean;
}

/**
 * A field to choose a model by its name or provider, with context length and price. If a pattern allows it, a name that is not in the
 * list can be typed.
 */
export function ModelField({ models, value, onChange, disabled, label = 'Model', narrow }: Props) {
  const { names, patterns } = models;
  const chosen = factsOf(value, models);
  const textOf = (name: string) => {
    const model = models.facts.get(name);
    return model ? modelText(model) : '';
  };
  return (
    <Autocomplete
      label={label}
      description={patterns.length > 0 && !narrow ? `Or any name like ${patterns.join(', ')}` : undefined}
      placeholder="Search models"
      data={names}
      value={value}
      onChange={onChange}
      disabled={disabled}
      limit={200}
      maxDropdownHeight={360}
      comboboxProps={{ width: 'max-content', position: 'bottom-start', withinPortal: true }}
      classNames={{ dropdown: classes.dropdown }}
      selectFirstOptionOnChange={false}
      onFocus={event => event.currentTarget.select()}
      error={
        !disabled && value !== '' && !isUsable(value, models)
          ? 'The token may not use this model.'
          : undefined
      }
      inputWrapperOrder={['label', 'description', 'input', 'error']}
      renderOption={({ option }) => <Option name={option.value} text={textOf(option.value)} />}
      filter={({ options, search }) => {
        if (names.includes(search)) return options;
        return narrowed(options as ComboboxItem[], search, textOf);
      }}
      {...(chosen && !disabled && { 'aria-description': modelText(chosen) })}
    />
  );
}

function Option({ name, text }: { name: string; text: string }) {
  return (
    <div>
      <Text size="sm" className={classes.name}>
        {name}
      </Text>
      {text && (
        <Text size="xs" className={classes.facts}>
          {text}
        </Text>
      )}
    </div>
  );
}

/** What is known of the chosen model, in a line. */
export function ModelFacts({ models, value }: { models: ModelNames; value: string }) {
  const chosen = isUsable(value, models) ? factsOf(value, models) : undefined;
  const text = chosen ? modelText(chosen) : '';
  if (!text) return null;
  return (
    <Text size="xs" c="dimmed">
      {text}
    </Text>
  );
}

/** Filters the options by the words of the search text, which may be of the name or the facts. A chosen name does not filter. */
function narrowed(options: ComboboxItem[], search: string, textOf: (name: string) => string): ComboboxItem[] {
  const words = search.toLowerCase().split(/\s+/);
  return options.filter(({ value }) => {
    const text = `${value} ${textOf(value)}`.toLowerCase();
    return words.every(word => text.includes(word));
  });
}
