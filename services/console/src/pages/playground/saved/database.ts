import { textOf } from '../conversation/part.ts';
import type { Saved } from './saved.ts';

const name = 'model-gateway.playground';
const stores = ['conversations', 'titles'] as const;
type Store = (typeof stores)[number];
/** The conversations that are kept; the oldest are deleted. */
const most = 30;

/** A conversation that is kept: `at` is when it was written, in milliseconds. */
export interface Title {
  id: string;
  at: number;
  /** The beginning of the first question. */
  title: string;
}

/** Reads a conversation; undefined if there is none, or if the browser keeps no database. */
export async function readKept(id: string): Promise<unknown> {
  const row = await ask<{ saved: unknown } | undefined>('conversations', 'readonly', rows =>
    rows.get(id),
  ).catch(() => undefined);
  return row?.saved;
}

/** Lists the conversations that are kept, the last one first. @throws Error if the browser keeps no database */
export async function listKept(): Promise<Title[]> {
  const titles = await ask<Title[]>('titles', 'readonly', rows => rows.getAll());
  return titles.toSorted((one, other) => other.at - one.at);
}

/** Writes a conversation, and deletes the oldest if there are too many. @throws Error if the browser refuses */
export async function keep(id: string, saved: Saved): Promise<void> {
  await ask('conversations', 'readwrite', rows => rows.put({ id, saved }));
  const [first] = saved.conversation.turns;
  // One that is empty is kept for a reload of its tab, but is no conversation to open.
  if (!first) return;
  const title = textOf(first.parts).trim().slice(0, 80) || 'Files';
  await ask('titles', 'readwrite', rows => rows.put({ id, at: Date.now(), title } satisfies Title));
  for (const { id } of (await listKept()).slice(most)) await forget(id);
}

/** Deletes a conversation. */
export async function forget(id: string): Promise<void> {
  for (const store of stores) await ask(store, 'readwrite', rows => rows.delete(id));
}

let opening: Promise<IDBDatabase> | undefined;
let connected: IDBDatabase | undefined;

function database(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const opened = indexedDB.open(name, 1);
    opened.onupgradeneeded = () => {
      for (const store of stores) opened.result.createObjectStore(store, { keyPath: 'id' });
    };
    opened.onsuccess = () => {
      connected = opened.result;
      resolve(connected);
    };
    opened.onerror = () => reject(opened.error);
  });
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

async function ask<Result>(
  store: Store,
  mode: IDBTransactionMode,
  request: (rows: IDBObjectStore) => IDBRequest,
): Promise<Result> {
  // Once connected, the request is made at once: a page that is left does not wait.
  const rows = (connected ?? (await database())).transaction(store, mode).objectStore(store);
  return new Promise<Result>((resolve, reject) => {
    const asked = request(rows);
    asked.onsuccess = () => resolve(asked.result as Result);
    asked.onerror = () => reject(asked.error);
  });
}
