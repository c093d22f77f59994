import { Suspense, useEffect, useRef } from 'react';
import { NavLink, Route, Routes, useLocation } from 'react-router';
import { Loading } from '../layout/states.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { modelNames } from '../token/check-token.ts';
import { type TokenState, useToken } from '../token/token-context.tsx';
import type { Blocked } from './operation/operation.ts';
import { operations, type PlaygroundOperation } from './operations.ts';
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
  const lacking: Blocked | undefined = none
    ? { by: 'models', reason: `No model of this token can ${does}.` }
    : undefined;
  return <Component secret={secret} models={models} blocked={refusal(token) ?? lacking} />;
}

/** Returns the reason why nothing can be sent with this token, whatever the model. */
function refusal({ checking, problem, check }: TokenState): Blocked | undefined {
  if (checking) return { by: 'token', reason: 'Checking the token…' };
  if (problem) return { by: 'token', reason: 'The token could not be checked.' };
  if (!check || check.state === 'refused') return { by: 'token', reason: 'Paste a valid token to begin.' };
  return undefined;
}
