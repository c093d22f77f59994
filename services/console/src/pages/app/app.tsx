import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { Home } from '../home/home.tsx';
import { Guard } from '../session/guard.tsx';
import { watchSession } from '../session/use-session.ts';
import { watchConnection } from '../shell/connection.ts';
import { NotFound } from '../shell/not-found.tsx';
import { makeQueries } from '../shell/queries.ts';
import { Shell } from '../shell/shell.tsx';
import { cssVariables, styleNonce, theme } from '../shell/theme.ts';
import { TokenProvider } from '../token/token-context.tsx';
import { pages } from './pages.ts';

const queries = makeQueries();
// What is told before it is loaded is shown then.
const Notifications = lazy(() =>
  import('./notifications.tsx').then(shown => ({ default: shown.Notifications })),
);
const Account = lazy(() => import('../session/account.tsx').then(page => ({ default: page.Account })));
const SignIn = lazy(() => import('../session/sign-in.tsx').then(page => ({ default: page.SignIn })));
const FirstStart = lazy(() => import('../home/first-start.tsx').then(page => ({ default: page.FirstStart })));

/** The console: the providers that every page needs, and the routes. */
export function App() {
  useEffect(() => watchConnection(queries), []);
  useEffect(() => watchSession(queries), []);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Suspense fallback={null}>
        <Notifications />
      </Suspense>
      <QueryClientProvider client={queries}>
        <TokenProvider>
          <BrowserRouter basename="/console">
            <Routes>
              <Route element={<Shell pages={pages} />}>
                <Route index element={<Navigate to="/home" replace />} />
                <Route path="home" element={<Home />} />
                {pages.map(({ path, label, reads, Component }) => (
                  // A page has routes of its own below its path, such as one record's.
                  <Route
                    key={path}
                    path={`${path}/*`}
                    element={
                      <Guard reads={reads} label={label}>
                        <Component />
                      </Guard>
                    }
                  />
                ))}
                <Route path="start" element={<FirstStart />} />
                <Route path="sign-in" element={<SignIn />} />
                <Route path="account" element={<Account />} />
                <Route path="*" element={<NotFound />} />
              </Route>
            </Routes>
          </BrowserRouter>
        </TokenProvider>
      </QueryClientProvider>
    </MantineProvider>
  );
}
