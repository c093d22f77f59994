import {
  Autocomplete,
  type AutocompleteProps,
  type ComboboxItem,
  MultiSelect,
  NumberInput,
  SegmentedControl,
  Select,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type ComponentType, createElement } from 'react';
import { Disclosure } from './disclosure.tsx';
import { TextList } from './text-list.tsx';

/** The text that is typed into a tab, and the function that changes a part of it. */
export interface DraftProps<Draft> {
  draft: Draft;
  change(part: Partial<Draft>): void;
}

/** The names of the fields of a draft that hold values of a type. */
type NamesOf<Draft, Value> = {
  [Name in keyof Draft & string]: Draft[Name] extends Value ? Name : never;
}[keyof Draft & string];

/** Values to choose from, each with a label of its own or as its label. */
type Choices = readonly (string | { value: string; label: string })[];

/** A field of a draft, by the kind of its input. A value that is null or empty is not sent. */
export type Field<Draft> = {
  label: string;
  description?: string;
  placeholder?: string;
  error?: string | undefined;
  disabled?: boolean;
  /** True for a setting that stands under `More settings`. */
  rare?: boolean;
} & (
  | { type: 'line' | 'switch'; name: NamesOf<Draft, string | boolean> }
  | { type: 'text'; name: NamesOf<Draft, string>; minRows?: number; maxRows?: number; maxLength?: number }
  /** A list of texts, each in a field; `noun` is the name of one. */
  | { type: 'texts'; name: NamesOf<Draft, string[]>; noun: string }
  | { type: 'number'; name: NamesOf<Draft, number | null>; min: number; max?: number; step?: number }
  | { type: 'choice'; name: NamesOf<Draft, string | null>; data: Choices }
  | { type: 'several'; name: NamesOf<Draft, string[]>; data: Choices }
  /** A text with values that are offered; others can be typed. */
  | { type: 'suggestion'; name: NamesOf<Draft, string>; data: string[] }
  /** One of few values; `narrow` if the field is no wider than they are. */
  | { type: 'either'; name: NamesOf<Draft, string>; data: Choices; narrow?: boolean }
  | { type: 'own'; Input: ComponentType<DraftProps<Draft>> }
);

/** The fields of a draft; those that are rare are closed until somebody opens them or one has a value. */
export function Fields<Draft>({ fields, ...form }: { fields: readonly Field<Draft>[] } & DraftProps<Draft>) {
  const rare = fields.filter(field => field.rare);
  const inputs = (shown: readonly Field<Draft>[]) =>
    shown.map(field => <FieldInput key={field.label} field={field} {...form} />);
  const isSet = (field: Field<Draft>) => 'name' in field && form.draft[field.name] !== null;
  return (
    <>
      {inputs(fields.filter(field => !field.rare))}
      {rare.length > 0 && (
        <Disclosure label="More settings" open={rare.some(isSet)}>
          {inputs(rare)}
        </Disclosure>
      )}
    </>
  );
}

function FieldInput<Draft>({ field, draft, change }: { field: Field<Draft> } & DraftProps<Draft>) {
  if (field.type === 'own') return createElement(field.Input, { draft, change });
  const { type, name, rare: _, ...props } = field;
  const value: unknown = draft[name];
  const onChange = (next: unknown) => change({ [name]: next } as Partial<Draft>);
  return inputs[type]({ ...props, value, onChange } as never);
}

interface Bound<Value> {
  label: string;
  value: Value;
  onChange(value: Value): void;
}

/** The input of each kind of field. */
const inputs = {
  line: ({ onChange, ...props }: Bound<string>) => (
    <TextInput {...props} onChange={event => onChange(event.currentTarget.value)} />
  ),
  switch: ({ value, onChange, ...props }: Bound<boolean>) => (
    <Switch {...props} checked={value} onChange={event => onChange(event.currentTarget.checked)} />
  ),
  text: ({ onChange, ...props }: Bound<string>) => (
    <Textarea
      autosize
      minRows={2}
      maxRows={6}
      {...props}
      onChange={event => onChange(event.currentTarget.value)}
    />
  ),
  texts: ({ label, value, ...props }: Bound<string[]> & { noun: string }) => (
    <TextList legend={label} texts={value} {...props} />
  ),
  number: ({ value, onChange, ...props }: Bound<number | null> & { step?: number }) => (
    <NumberInput
      placeholder="Model default"
      clampBehavior="strict"
      allowDecimal={props.step !== undefined}
      {...props}
      value={value ?? ''}
      onChange={typed => onChange(typeof typed === 'number' ? typed : null)}
    />
  ),
  choice: ({ value, data, ...props }: Bound<string | null> & { data: Choices }) => {
    const isOffered = data.some(choice => (typeof choice === 'string' ? choice : choice.value) === value);
    return (
      <Select placeholder="Model default" clearable data={data} value={isOffered ? value : null} {...props} />
    );
  },
  several: (props: Bound<string[]> & { data: Choices }) => <MultiSelect {...props} />,
  suggestion: (props: Bound<string> & { data: string[] }) => <Autocomplete filter={narrowed} {...props} />,
  either: ({ label, value, onChange, data, narrow }: Bound<string> & { data: Choices; narrow?: boolean }) => (
    <SegmentedControl
      aria-label={label}
      // It hides what overflows, so a column would press it flat.
      style={{ flexShrink: 0, ...(narrow && { alignSelf: 'flex-start' }) }}
      data={[...data]}
      value={value}
      onChange={onChange}
    />
  ),
};

/** Filters the values by what is typed. A chosen value does not filter. */
const narrowed: AutocompleteProps['filter'] = ({ options, search }) => {
  const all = options as ComboboxItem[];
  const isChosen = all.some(({ value }) => value === search);
  return isChosen ? all : all.filter(({ value }) => value.includes(search.trim().toLowerCase()));
};

/** Voices that are offered; the name of any other can be typed. */
export const voices = [
  ...['alloy', 'ash', 'ballad', 'cedar', 'coral', 'echo', 'fable', 'marin', 'nova', 'onyx', 'sage'],
  ...['shimmer', 'verse'],
];
