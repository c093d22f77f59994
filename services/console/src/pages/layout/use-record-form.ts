import { type UseFormReturnType, useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { fieldMessages, toProblem } from '../problem.ts';
import { randomKey } from './random-key.ts';
import { inside, type Messages, type SettingProps } from './setting-props.ts';

/** The parts of a form's request besides its values. */
interface Sending<Values> {
  /** The values of the record as the form was filled with them. */
  before: Values;
  /** The ETag that the form was filled by; undefined for a new record, and to save over the change of somebody else. */
  ifMatch: string | undefined;
  /** Stays the same while the values do, so that a request whose answer was lost can be sent again. */
  idempotencyKey: string;
}

/** The state of a form. What is typed stays until it is saved, or given up. */
export interface RecordForm<Values, Saved = unknown> {
  values: Values;
  /** Changes some values. The messages about them go. */
  change(part: Partial<Values>): void;
  /** Returns the properties of the field for a value. */
  setting<Name extends keyof Values & string>(name: Name): SettingProps<Values[Name]>;
  /** The gateway's messages by the paths of the fields. */
  errors: Messages;
  /** The reason why the last attempt to save failed; null if it did not, or if the message at the name says it. */
  error: unknown;
  /** True if each message of the gateway is about a value of the form, and so at its field. */
  saysWhere: boolean;
  /** True if somebody else has changed the record since the form was filled. */
  isOutdated: boolean;
  /** True if the values differ from what is saved. */
  changed: boolean;
  /** True if the values are those that were typed before the page was left. */
  restored: boolean;
  saving: boolean;
  /** The response to what was saved last. */
  saved: Saved | undefined;
  isSaved: boolean;
  save(): void;
  /** Saves over the change of somebody else. */
  overwrite(): void;
  /** Gives up what was typed, and loads the record as it is now. */
  reload(): void;
  reset(): void;
}

const resends = 2;

/**
 * Returns the state of a form for a record. A change is sent with the ETag that the form was filled by, so it never undoes what somebody
 * else has changed meanwhile. The gateway checks the values, and its messages are shown at the fields.
 */
export function useRecordForm<Values extends object, Saved>({
  initial,
  etag,
  submit,
  onSaved,
  reload,
  isTaken,
  isIdempotent = false,
  draft,
  warns = true,
}: {
  /** The values of the record, or those that a new one begins with. */
  initial: Values;
  /** The ETag of a record; absent for a new one. */
  etag?: string | null;
  submit(values: Values, sending: Sending<Values>): Promise<Saved>;
  onSaved?(saved: Saved): unknown;
  /** Reads the record again. */
  reload?(): Promise<unknown>;
  /** The message at the name of a new record if another one has it. */
  isTaken?: string;
  /** True if a request is sent again when its answer was lost; it must have the key. */
  isIdempotent?: boolean;
  /** Names what the tab keeps of the form while the page is left. Absent for a form with secrets. */
  draft?: string;
  /** False if the page may be left without a warning. */
  warns?: boolean;
}): RecordForm<Values, Saved> {
  const [base, setBase] = useState({ initial, etag });
  const memory = useDraft<Values>(draft && `${draft} ${JSON.stringify(initial)}`);
  const form = useForm<Values>({
    initialValues: memory.restored ? { ...initial, ...memory.restored } : initial,
    onValuesChange: memory.keep,
  });
  const { values } = form;
  const changed = !isSame(values, base.initial);
  const keyOf = useIdempotencyKey();
  const fill = (filled: typeof base) => {
    setBase(filled);
    form.setInitialValues(filled.initial);
    form.reset();
    memory.forget();
  };
  const saving = useMutation({
    mutationFn: ({ typed, over }: { typed: Values; over: boolean }) =>
      submit(typed, {
        before: base.initial,
        ifMatch: over ? undefined : (base.etag ?? undefined),
        idempotencyKey: keyOf(typed),
      }),
    retry: (times, error) => isIdempotent && times < resends && toProblem(error).facts.code === 'unreachable',
    onSuccess: async (saved, { typed }) => {
      if (etag !== undefined) setBase({ ...base, initial: typed });
      memory.forget();
      await onSaved?.(saved);
    },
    onError: error => form.setErrors(isTaken && isConflict(error) ? { name: isTaken } : fieldMessages(error)),
  });
  // What is read again takes the place of the base, unless it would undo the change of somebody else that this form also has.
  useEffect(() => {
    if (etag === base.etag) return;
    if (!changed) fill({ initial, etag });
    else if (isSame(initial, base.initial)) setBase({ initial, etag });
  });
  useWarnBeforeLeaving(warns && changed && !saving.isPending);
  const reset = () => {
    fill(base);
    if (saving.isError) saving.reset();
  };
  return {
    values,
    ...fieldsOf(form),
    errors: form.errors,
    error: isTaken && isConflict(saving.error) ? null : saving.error,
    saysWhere: isAbout(values, form.errors),
    isOutdated: etag !== undefined && isConflict(saving.error),
    changed,
    restored: memory.restored !== undefined && changed,
    saving: saving.isPending,
    saved: saving.data,
    isSaved: saving.isSuccess,
    save: () => saving.mutate({ typed: values, over: false }),
    overwrite: () => saving.mutate({ typed: values, over: true }),
    reload: () => {
      reset();
      void reload?.();
    },
    reset,
  };
}

/** Returns how the fields of a form change its values. */
function fieldsOf<Values extends object>(
  form: UseFormReturnType<Values>,
): Pick<RecordForm<Values>, 'change' | 'setting'> {
  const change = (part: Partial<Values>) => {
    for (const [name, value] of Object.entries(part)) {
      form.setFieldValue(name as string, value as never);
      form.setErrors(errors =>
        Object.fromEntries(Object.entries(errors).filter(([path]) => !inside(path, [name]))),
      );
    }
  };
  return {
    change,
    setting: name => ({
      value: form.values[name],
      onChange: value => change({ [name]: value } as unknown as Partial<Values>),
      path: [name],
      errors: form.errors,
    }),
  };
}

/** Returns the fields that differ, with the values that they have after; null for what is not set any more. */
export function changesOf<Values extends object>(before: Values, after: Values): Partial<Values> {
  const old = new Map<string, unknown>(Object.entries(before));
  const textOf = (value: unknown) => JSON.stringify(value ?? null);
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) =>
      textOf(value) === textOf(old.get(name)) ? [] : [[name, value ?? null]],
    ),
  ) as Partial<Values>;
}

/** Asks the browser to warn the user who closes the tab while something typed is not saved. */
export function useWarnBeforeLeaving(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [unsaved]);
}

/** True if a condition of the request does not hold: somebody else has changed the record, or has made one with its name. */
function isConflict(error: unknown): boolean {
  return toProblem(error).facts.status === 412;
}

/** True if there are messages, and each is about one of the values. */
function isAbout(values: object, errors: Messages): boolean {
  const paths = Object.keys(errors);
  return paths.length > 0 && paths.every(path => Object.keys(values).some(name => inside(path, [name])));
}

function isSame(one: object, other: object): boolean {
  return Object.keys(changesOf(one, other)).length + Object.keys(changesOf(other, one)).length === 0;
}

function useIdempotencyKey(): (values: object) => string {
  const last = useRef({ text: '', key: '' });
  return values => {
    const text = JSON.stringify(values);
    if (last.current.text !== text) last.current = { text, key: randomKey() };
    return last.current.key;
  };
}

const prefix = 'model-gateway.draft.';

/** Keeps what is typed in the tab's session storage. `key` names the form and what it was filled with; nothing is kept without it. */
function useDraft<Values extends object>(key: string | undefined) {
  const [state] = useState(() => ({
    key: key && prefix + key,
    restored: key === undefined ? undefined : read<Values>(prefix + key),
  }));
  const [{ keep, forget }] = useState(() => ({
    keep: (values: Values) => write(state.key, JSON.stringify(values)),
    forget: () => write(state.key, undefined),
  }));
  return { restored: state.restored, keep, forget };
}

function read<Values extends object>(key: string): Values | undefined {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null');
    return typeof kept === 'object' && kept !== null ? (kept as Values) : undefined;
  } catch {
    return undefined;
  }
}

function write(key: string | undefined, text: string | undefined): void {
  if (key === undefined) return;
  try {
    if (text === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, text);
  } catch {
    // Without storage, the draft lasts as long as the page.
  }
}
