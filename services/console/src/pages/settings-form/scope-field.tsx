import { MultiSelect, SegmentedControl, Stack, TagsInput, Text } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { type Messages, messageAt, type SettingProps } from '../layout/setting-props.ts';
import { useModelNames } from './inputs.tsx';
import classes from './settings-form.module.css';

interface ScopeProps extends SettingProps<string[] | null> {
  /** The question that the field answers, such as `Models`. */
  label: string;
  /** The choice that restricts nothing, such as `All models`. */
  every: string;
  description: ReactNode;
  /** The only values to choose from; without it, any text may be typed. */
  choices?: readonly string[];
  suggestions?: readonly string[];
  placeholder?: string;
}

/** A field for a list that restricts: null is everything, and an empty list is nothing. */
export function ScopeField({ label, every, value, onChange, path, errors, disabled, ...list }: ScopeProps) {
  const id = useId();
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600} id={id}>
        {label}
      </Text>
      <SegmentedControl
        className={classes.start}
        size="xs"
        aria-labelledby={id}
        disabled={disabled ?? false}
        data={[
          { value: 'every', label: every },
          { value: 'only', label: 'Selected' },
        ]}
        value={value === null ? 'every' : 'only'}
        onChange={chosen => onChange(chosen === 'every' ? null : [])}
        transitionDuration={0}
      />
      {value !== null && (
        <List
          {...list}
          label={label}
          value={value}
          onChange={texts => onChange(list.choices?.filter(choice => texts.includes(choice)) ?? texts)}
          error={errorOf(errors, path, value)}
        />
      )}
    </Stack>
  );
}

function List({
  label,
  value,
  onChange,
  description,
  choices,
  suggestions = [],
  placeholder,
  error,
}: {
  value: string[];
  onChange(value: string[]): void;
  error: ReactNode;
} & Pick<ScopeProps, 'label' | 'description' | 'choices' | 'suggestions' | 'placeholder'>) {
  const nothing = value.length === 0 ? ' An empty list allows nothing.' : '';
  const shared = {
    'aria-label': label,
    description: (
      <>
        {description}
        {nothing}
      </>
    ),
    value,
    onChange,
    error,
    ...(value.length === 0 && placeholder && { placeholder }),
  };
  if (choices) return <MultiSelect {...shared} data={[...choices]} searchable hidePickedOptions />;
  return (
    <TagsInput {...shared} data={[...suggestions]} limit={50} splitChars={[',', ' ']} acceptValueOnBlur />
  );
}

/** A list's message, or that of its first invalid entry. */
function errorOf(errors: Messages | undefined, path: ScopeProps['path'], value: string[]): ReactNode {
  const place = value.findIndex((_, index) => messageAt(errors, [...path, index]));
  if (place < 0) return messageAt(errors, path);
  return (
    <>
      {value[place]}: {messageAt(errors, [...path, place])}
    </>
  );
}

/** A field for the models that may be used: names, and patterns with one `*`. */
export function ModelScopeField(props: SettingProps<string[] | null>) {
  const names = useModelNames();
  return (
    <ScopeField
      {...props}
      label="Models"
      every="All models"
      description="Model names, each with at most one *, such as gpt-*."
      suggestions={names}
      placeholder="gpt-*, claude-*"
    />
  );
}
