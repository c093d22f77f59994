import { useCallback, useEffect, useRef, useState } from 'react';
import { type Hearing, RealtimeSession } from './session.ts';
import { noSession, type SessionState } from './session-state.ts';

/** The session of the tab. */
export interface TabSession {
  state: SessionState;
  hearing: Hearing;
  /** The session that is open or was; undefined before the first. */
  session: RealtimeSession | undefined;
  open(token: string, model: string, settings: Record<string, unknown>): void;
}

/** Holds one session at a time. Leaving the tab closes it, and the microphone. */
export function useSession(): TabSession {
  const session = useRef<RealtimeSession>(undefined);
  const [shown, show] = useState<{ state: SessionState; hearing: Hearing }>({
    state: noSession,
    hearing: { state: 'off' },
  });
  const frame = useRef(0);
  useEffect(
    () => () => {
      session.current?.close();
      session.current = undefined;
      cancelAnimationFrame(frame.current);
    },
    [],
  );
  const open = useCallback((token: string, model: string, settings: Record<string, unknown>) => {
    session.current?.close();
    // A session has more events than the screen has frames.
    const made = new RealtimeSession(() => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        if (session.current === made) show({ state: made.state, hearing: made.hearing });
      });
    });
    session.current = made;
    made.open(token, model, settings);
  }, []);
  return { ...shown, session: session.current, open };
}
