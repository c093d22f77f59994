import { useEffect, useRef, useState } from 'react';
import { resumed } from '../conversation/reduce.ts';
import { keep, readKept } from './database.ts';
import { ownTab } from './own-tab.ts';
import { nothingSaved, parseKept, type Saved } from './saved.ts';

export interface Opened {
  id: string;
  saved: Saved;
}

let opening: Promise<Opened> | undefined;

/** Opens the conversation that this tab had before a reload; undefined while it is read. */
export function useOpened(): Opened | undefined {
  const [opened, setOpened] = useState<Opened>();
  useEffect(() => {
    let left = false;
    opening ??= open();
    void opening.then(found => !left && setOpened(found));
    return () => {
      left = true;
      // The next visit of the page reads what was kept until then.
      opening = undefined;
    };
  }, []);
  return opened;
}

async function open(): Promise<Opened> {
  const { from, id } = await ownTab();
  const kept = from === undefined ? undefined : parseKept(await readKept(from));
  const saved = kept ?? nothingSaved;
  return { id, saved: { ...saved, conversation: resumed(saved.conversation) } };
}

/** The time between two writes while the conversation changes, in milliseconds. */
const writeMs = 500;

/** Keeps a conversation whenever it changes, and at once when an answer ends. Returns false while the browser refuses to keep it. */
export function useKept(id: string, saved: Saved, running: boolean): boolean {
  const [works, setWorks] = useState(true);
  const latest = useRef(saved);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const dirty = useRef(false);
  const ran = useRef(false);
  useEffect(() => {
    if (latest.current === saved) return;
    latest.current = saved;
    dirty.current = true;
    const write = () => {
      clearTimeout(timer.current);
      timer.current = undefined;
      dirty.current = false;
      keep(id, latest.current).then(
        () => setWorks(true),
        () => setWorks(false),
      );
    };
    if (ran.current && !running) write();
    else timer.current ??= setTimeout(write, writeMs);
    ran.current = running;
  }, [id, saved, running]);
  useEffect(() => {
    const flush = () => {
      if (dirty.current) void keep(id, latest.current).catch(() => {});
      dirty.current = false;
    };
    window.addEventListener('pagehide', flush);
    return () => {
      window.removeEventListener('pagehide', flush);
      clearTimeout(timer.current);
      timer.current = undefined;
      flush();
    };
  }, [id]);
  return works;
}
