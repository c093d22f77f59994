import type { Saved } from './saved.ts';

const name = 'model-gateway.playground';
const store = 'conversations';
/** The conversations that are kept; the oldest are deleted. */
const most = 30;

/** A conversation in the browser's database; `at` is when it was written, in milliseconds. */
interface Row {
  id: string;
  at: number;
  saved: unknown;
}

/** Reads a conversation; undefined if there is none, or if the browser keeps no database. */
export async function readKept(id: string): Promise<unknown> {
  const row = await request<Row | undefined>('readonly', rows => rows.get(id)).catch(() => undefined);
  return row?.saved;
}

/** Writes a conversation, and deletes the oldest if there are too many. @throws Error if the browser refuses */
export async function keep(id: string, saved: Saved): Promise<void> {
  const row: Row = { id, at: Date.now(), saved };
  await request('readwrite', rows => rows.put(row));
  const keys = await request<IDBValidKey[]>('readonly', rows => rows.index('at').getAllKeys());
  for (const key of keys.slice(0, Math.max(0, keys.length - most))) {
    await request('readwrite', rows => rows.delete(key));
  }
}

let opening: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const opened = indexedDB.open(name, 1);
    opened.onupgradeneeded = () =>
      opened.result.createObjectStore(store, { keyPath: 'id' }).createIndex('at', 'at');
    opened.onsuccess = () => resolve(opened.result);
    opened.onerror = () => reject(opened.error);
  });
  opening.catch(() => {
    opening = undefined;
  });
  return opening;
}

async function request<Result>(
  mode: IDBTransactionMode,
  ask: (rows: IDBObjectStore) => IDBRequest,
): Promise<Result> {
  const rows = (await database()).transaction(store, mode).objectStore(store);
  return new Promise<Result>((resolve, reject) => {
    const asked = ask(rows);
    asked.onsuccess = () => resolve(asked.result as Result);
    asked.onerror = () => reject(asked.error);
  });
}
