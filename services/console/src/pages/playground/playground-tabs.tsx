import { type ComponentType, lazy, Suspense, useEffect, useRef } from 'react';
import { NavLink, Route, Routes, useLocation } from 'react-router';
import { Loading } from '../layout/states.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { modelNames } from '../token/check-token.ts';
import { useToken } from '../token/token-context.tsx';
import { type Blocked, type OperationProps, refusal } from './operation/operation.ts';
import { Playground } from './playground.tsx';
import classes from './playground-tabs.module.css';

/** The Playground: the chat, and a tab for each other operation. The tab is in the path. */
export function PlaygroundTabs() {
  const tabs = useShownTab();
  return (
    <div className={classes.page}>
      <nav ref={tabs} className={classes.tabs} aria-label="Operations">
        <Tab to="/playground" label="Chat" />
        {operations.map(({ path, label }) => (
          <Tab key={path} to={`/playground/${path}`} label={label} />
        ))}
      </nav>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route index element={<Playground />} />
          {operations.map(operation => (
            <Route key={operation.path} path={operation.path} element={<Operation {...operation} />} />
          ))}
          <Route path="*" element={<NotFound />} />
        </Routes>
      </Suspense>
    </div>
  );
}

/** Scrolls the bar so that the tab that is open is seen, where not all fit. */
function useShownTab() {
  const bar = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect runs when another tab is opened
  useEffect(() => {
    const { current } = bar;
    const tab = current?.querySelector<HTMLElement>('[aria-current=page]');
    if (current && tab) current.scrollLeft = tab.offsetLeft - (current.clientWidth - tab.offsetWidth) / 2;
  }, [pathname]);
  return bar;
}

function Tab({ to, label }: { to: string; label: string }) {
  return (
    <NavLink to={to} end className={classes.tab as string}>
      {label}
    </NavLink>
  );
}

function Operation({ needs, does, Component }: PlaygroundOperation) {
  const token = useToken();
  const { secret, check } = token;
  const models = modelNames(check, needs);
  const none = models.names.length === 0 && models.patterns.length === 0 && !models.open;
  const reason = refusal(token);
  const lacking: Blocked | undefined = none
    ? { by: 'models', reason: `No model of this token can ${does}.` }
    : undefined;
  return <Component secret={secret} models={models} blocked={reason ? { by: 'token', reason } : lacking} />;
}

/** A tab of the Playground beside the chat: one operation of the data plane. */
interface PlaygroundOperation {
  /** The path below `/playground`. */
  path: string;
  label: string;
  /** The operations of which a model must support one, as `GET /api/v1/token` names them. */
  needs: readonly string[];
  /** The kind of models that can do it, as a sentence ends with it: `No model can …`. */
  does: string;
  Component: ComponentType<OperationProps>;
}

/** The tabs in their order. Each is loaded when it is first opened. */
export const operations: readonly PlaygroundOperation[] = [
  {
    path: 'embeddings',
    label: 'Embeddings',
    needs: ['embed'],
    does: 'make embeddings',
    Component: lazy(() => import('./operations/embeddings.tsx').then(tab => ({ default: tab.Embeddings }))),
  },
  {
    path: 'rerank',
    label: 'Rerank',
    needs: ['rerank'],
    does: 'rank documents',
    Component: lazy(() => import('./operations/rerank.tsx').then(tab => ({ default: tab.Rerank }))),
  },
  {
    path: 'moderations',
    label: 'Moderations',
    needs: ['moderate'],
    does: 'moderate',
    Component: lazy(() => import('./operations/moderations.tsx').then(tab => ({ default: tab.Moderations }))),
  },
  {
    path: 'images',
    label: 'Images',
    needs: ['image'],
    does: 'make images',
    Component: lazy(() => import('./operations/images.tsx').then(tab => ({ default: tab.Images }))),
  },
  {
    path: 'speech',
    label: 'Speech',
    needs: ['speech'],
    does: 'speak',
    Component: lazy(() => import('./operations/speech.tsx').then(tab => ({ default: tab.Speech }))),
  },
  {
    path: 'transcription',
    label: 'Transcription',
    needs: ['transcribe'],
    does: 'transcribe sound',
    Component: lazy(() =>
      import('./operations/transcription.tsx').then(tab => ({ default: tab.Transcription })),
    ),
  },
  {
    path: 'realtime',
    label: 'Realtime',
    needs: ['realtime', 'generate'],
    does: 'hold a session',
    Component: lazy(() => import('./realtime/realtime.tsx').then(tab => ({ default: tab.Realtime }))),
  },
];
