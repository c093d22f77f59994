import {
  NumberInput,
  type NumberInputProps,
  Select,
  type SelectProps,
  Textarea,
  type TextareaProps,
} from '@mantine/core';

/** The properties of a field for a setting that may have no value: it is not sent then. */
type Setting<Props, Value> = Omit<Props, 'value' | 'onChange'> & {
  value: Value;
  onChange(value: Value): void;
};

/** A field for a number; null if there is none. */
export function NumberSetting({ value, onChange, ...field }: Setting<NumberInputProps, number | null>) {
  return (
    <NumberInput
      placeholder="Model default"
      clampBehavior="strict"
      value={value ?? ''}
      onChange={typed => onChange(typeof typed === 'number' ? typed : null)}
      {...field}
    />
  );
}

/** A field for one of several values; null if none is chosen. */
export function ChoiceSetting({ value, onChange, ...field }: Setting<SelectProps, string | null>) {
  return <Select placeholder="Model default" clearable value={value} onChange={onChange} {...field} />;
}

/** A field for a text of several lines; the empty text is not sent. */
export function TextSetting({ onChange, ...field }: Setting<TextareaProps, string>) {
  return (
    <Textarea
      placeholder="Not sent"
      autosize
      minRows={2}
      maxRows={6}
      onChange={event => onChange(event.currentTarget.value)}
      {...field}
    />
  );
}
