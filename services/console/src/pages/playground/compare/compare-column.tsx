import { Button, Group, Text } from '@mantine/core';
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef } from 'react';
import { isUsable, type ModelNames } from '../../token/check-token.ts';
import { ModelField } from '../../token/model-field.tsx';
import { type AskOptions, useConversation } from '../ask/use-conversation.ts';
import { AnswerView } from '../chat/answer-view.tsx';
import { useFollowing } from '../chat/use-following.ts';
import { noConversation } from '../conversation/conversation.ts';
import { textOf } from '../conversation/part.ts';
import type { Answer } from '../conversation/turn.ts';
import { FormatField } from '../settings/format-field.tsx';
import type { ColumnChoice } from './columns.ts';
import classes from './compare.module.css';

/** Acts of all columns at once. */
export interface ColumnHandle {
  ask(text: string): void;
  stop(): void;
  clear(): void;
}

interface Props {
  ref: Ref<ColumnHandle>;
  /** The place of the column, from 1. */
  number: number;
  choice: ColumnChoice;
  models: ModelNames;
  options: AskOptions;
  onChoose(choice: ColumnChoice): void;
  onRunning(running: boolean): void;
  /** Absent if no column may be removed. */
  onRemove: (() => void) | undefined;
}

/** A conversation with one model in one format, beside others. Its answers stream, fail and are tried again on their own. */
export function CompareColumn({
  ref,
  number,
  choice,
  models,
  options,
  onChoose,
  onRunning,
  onRemove,
}: Props) {
  const chat = useConversation();
  const { path, running } = chat;
  const asked = { ...options, ...choice };
  const usable = isUsable(choice.model, models);
  const log = useFollowing(path);
  const current = useRef({ chat, asked });
  current.current = { chat, asked };
  useImperativeHandle(ref, () => ({
    ask(text) {
      if (usable) chat.send([{ type: 'text', text }], asked);
    },
    stop: chat.stop,
    clear: () => chat.replace(noConversation),
  }));
  useEffect(() => {
    onRunning(running);
    return () => onRunning(false);
  }, [running, onRunning]);
  const retry = useCallback(
    (answer: Answer) => current.current.chat.retry(answer, current.current.asked),
    [],
  );
  return (
    <section className={classes.column} aria-label={`Column ${number}: ${choice.model}`}>
      <div className={classes.choice}>
        <ModelField
          narrow
          label={`Model ${number}`}
          models={models}
          value={choice.model}
          onChange={model => onChoose({ ...choice, model })}
          disabled={models.names.length === 0 && models.patterns.length === 0}
        />
        <FormatField
          label={`Format ${number}`}
          value={choice.format}
          onChange={format => onChoose({ ...choice, format })}
        />
        <Group gap="xs" justify="flex-end" className={classes.buttons as string}>
          {running && (
            <Button size="compact-xs" color="red" variant="light" onClick={chat.stop}>
              Stop
            </Button>
          )}
          {onRemove && (
            <Button size="compact-xs" variant="default" onClick={onRemove}>
              Remove
            </Button>
          )}
        </Group>
      </div>
      <div
        ref={log}
        className={classes.log}
        role="log"
        aria-label={`Answers of column ${number}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus is needed to scroll with the keyboard
        tabIndex={0}
      >
        {path.length === 0 && (
          <Text size="sm" c="dimmed">
            {usable ? 'The answer appears here.' : 'Choose a model that the token may use.'}
          </Text>
        )}
        {path.map(turn =>
          turn.role === 'user' ? (
            <p key={turn.id} className={classes.question}>
              {textOf(turn.parts)}
            </p>
          ) : (
            <AnswerView
              key={turn.id}
              answer={turn}
              siblings={alone}
              onChoose={chat.choose}
              onRetry={!running && usable ? retry : undefined}
              onInspect={undefined}
            />
          ),
        )}
      </div>
    </section>
  );
}

const alone: readonly number[] = [];
