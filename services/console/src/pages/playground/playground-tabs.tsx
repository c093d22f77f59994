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

function Operation({ needs, label, Component }: PlaygroundOperation) {
  const token = useToken();
  const { secret, check } = token;
  const models = modelNames(check, needs);
  const none = models.names.length === 0 && models.patterns.length === 0 && !models.open;
  const reason = refusal(token);
  const lacking: Blocked | undefined = none
    ? { by: 'models', reason: `No model of this token supports ${label.toLowerCase()}.` }
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
  Component: ComponentType<OperationProps>;
}

/** The tabs in their order. Each is loaded when it is first opened. */
export const operations: readonly PlaygroundOperation[] = [
  {
    path: 'embeddings',
    label: 'Embeddings',
    needs: ['embed'],
    Component: lazy(() => import('./operations/embeddings.tsx').then(tab => ({ default: tab.Embeddings }))),
  },
  {
    path: 'rerank',
    label: 'Rerank',
    needs: ['rerank'],
    Component: lazy(() => import('./operations/rerank.tsx').then(tab => ({ default: tab.Rerank }))),
  },
  {
    path: 'moderations',
    label: 'Moderations',
    needs: ['moderate'],
    Component: lazy(() => import('./operations/moderations.tsx').then(tab => ({ default: tab.Moderations }))),
  },
  {
    path: 'images',
    label: 'Images',
    needs: ['image'],
    Component: lazy(() => import('./operations/images.tsx').then(tab => ({ default: tab.Images }))),
  },
  {
    path: 'speech',
    label: 'Speech',
    needs: ['speech'],
    Component: lazy(() => import('./operations/speech.tsx').then(tab => ({ default: tab.Speech }))),
  },
  {
    path: 'transcription',
    label: 'Transcription',
    needs: ['transcribe'],
    Component: lazy(() =>
      import('./operations/transcription.tsx').then(tab => ({ default: tab.Transcription })),
    ),
  },
  {
    path: 'realtime',
    label: 'Realtime',
    needs: ['realtime', 'generate'],
    Component: lazy(() => import('./realtime/realtime.tsx').then(tab => ({ default: tab.Realtime }))),
  },
];
