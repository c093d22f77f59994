import { Button, Group, Text, Textarea } from '@mantine/core';
import { useSessionStorage } from '@mantine/hooks';
import { type KeyboardEvent, useRef, useState } from 'react';
import { usePageQuery } from '../../layout/use-page-query.ts';
import type { ModelNames } from '../../token/check-token.ts';
import { useRefreshAfter } from '../../token/use-refresh-after.ts';
import type { AskOptions } from '../ask/use-conversation.ts';
import {
  type ColumnChoice,
  columnsIn,
  fewestColumns,
  firstColumns,
  mostColumns,
  withColumns,
} from './columns.ts';
import classes from './compare.module.css';
import { type ColumnHandle, CompareColumn } from './compare-column.tsx';

interface Column extends ColumnChoice {
  key: number;
}

/** Asks two to four models, or formats of one, the same question, and shows their answers side by side. */
export function ComparePanel({
  options,
  models,
  hint,
}: {
  options: AskOptions;
  models: ModelNames;
  /** The reason why nothing can be sent. */
  hint: string | undefined;
}) {
  const { columns, choose, add, remove } = useColumns(models, options);
  const handles = useRef(new Map<number, ColumnHandle>());
  const { running, onRunning } = useRunning();
  useRefreshAfter(running);
  const each = (act: (handle: ColumnHandle) => void) => {
    for (const handle of handles.current.values()) act(handle);
  };
  return (
    <div className={classes.compare}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard */}
      <section className={classes.columns} aria-label="Columns, scrollable" tabIndex={0}>
        {columns.map(({ key, ...choice }, place) => (
          <CompareColumn
            key={key}
            ref={handle => {
              if (handle) handles.current.set(key, handle);
              return () => {
                handles.current.delete(key);
              };
            }}
            number={place + 1}
            choice={choice}
            models={models}
            options={options}
            onChoose={next => choose(key, next)}
            onRunning={onRunning(key)}
            onRemove={columns.length > fewestColumns ? () => remove(key) : undefined}
          />
        ))}
      </section>
      <CompareComposer
        running={running}
        hint={hint}
        onAsk={text => each(handle => handle.ask(text))}
        onStop={() => each(handle => handle.stop())}
        onClear={() => each(handle => handle.clear())}
        onAdd={columns.length < mostColumns ? add : undefined}
      />
    </div>
  );
}

/** The columns, which the address holds once they are changed. */
function useColumns(models: ModelNames, { model, format }: AskOptions) {
  const [query, setQuery] = usePageQuery();
  const lastKey = useRef(0);
  const keyed = (choices: ColumnChoice[]): Column[] =>
    choices.map(choice => ({ ...choice, key: ++lastKey.current }));
  const [changed, setChanged] = useState<Column[] | undefined>(() => {
    const found = columnsIn(query);
    return found.length > 0 ? keyed(found) : undefined;
  });
  // Until a column is changed, they follow the model that is chosen beside them.
  const columns =
    changed ??
    firstColumns(models.names, { model, format }).map((choice, at) => ({ ...choice, key: -1 - at }));
  const change = (next: Column[]) => {
    setChanged(next);
    setQuery(old => withColumns(old, next));
  };
  return {
    columns,
    choose: (key: number, choice: ColumnChoice) =>
      change(columns.map(column => (column.key === key ? { ...choice, key } : column))),
    remove: (key: number) => change(columns.filter(column => column.key !== key)),
    add() {
      const unused = models.names.find(name => columns.every(column => column.model !== name));
      change([...columns, ...keyed([{ model: unused ?? model, format }])]);
    },
  };
}

/** True if any column runs, from what each of them reports. */
function useRunning() {
  const [keys, setKeys] = useState<ReadonlySet<number>>(new Set());
  const reports = useRef(new Map<number, (running: boolean) => void>());
  const onRunning = (key: number) => {
    const known = reports.current.get(key);
    if (known) return known;
    const report = (running: boolean) =>
      setKeys(old => {
        if (old.has(key) === running) return old;
        const next = new Set(old);
        if (running) next.add(key);
        else next.delete(key);
        return next;
      });
    reports.current.set(key, report);
    return report;
  };
  return { running: keys.size > 0, onRunning };
}

interface ComposerProps {
  running: boolean;
  hint: string | undefined;
  onAsk(text: string): void;
  onStop(): void;
  onClear(): void;
  /** Absent if there are as many columns as there may be. */
  onAdd: (() => void) | undefined;
}

function CompareComposer({ running, hint, onAsk, onStop, onClear, onAdd }: ComposerProps) {
  const [text, setText] = useSessionStorage({ key: 'model-gateway.compare.draft', defaultValue: '' });
  const sendable = !running && !hint && text.trim() !== '';
  const send = () => {
    if (!sendable) return;
    onAsk(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={classes.composer}
      onSubmit={event => {
        event.preventDefault();
        send();
      }}
    >
      <Textarea
        aria-label="Message to all"
        placeholder={hint ?? 'Write a message to all of them'}
        autosize
        minRows={2}
        maxRows={8}
        value={text}
        onChange={event => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={onAdd} disabled={!onAdd}>
            Add a column
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            System prompt, tools and parameters are those of the chat.
          </Text>
        </Group>
        <Group gap="xs" ml="auto">
          <Button variant="subtle" onClick={onClear}>
            Clear
          </Button>
          {running ? (
            <Button key="stop" color="red" onClick={onStop}>
              Stop all
            </Button>
          ) : (
            <Button key="send" type="submit" disabled={!sendable}>
              Send to all
            </Button>
          )}
        </Group>
      </Group>
    </form>
  );
}
