import { NativeSelect } from '@mantine/core';
import { type FormatName, formatNames } from '../conversation/part.ts';
import { formats } from '../formats/formats.ts';

/** A field for the wire format of the next request. The same conversation goes on in any of them. */
export function FormatField({
  value,
  onChange,
  label = 'Wire format',
}: {
  value: FormatName;
  onChange(format: FormatName): void;
  label?: string;
}) {
  return (
    <NativeSelect
      label={label}
      data={formatNames.map(name => ({ value: name, label: formats[name].label }))}
      value={value}
      onChange={event => onChange(event.currentTarget.value as FormatName)}
    />
  );
}
