import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Suspense } from 'react';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { Loading } from './layout/states.tsx';
import { pages } from './pages.ts';
import { Account } from './session/account.tsx';
import { SignIn } from './session/sign-in.tsx';
import { NotFound } from './shell/not-found.tsx';
import { Shell } from './shell/shell.tsx';
import { cssVariables, styleNonce, theme } from './shell/theme.ts';
import { TokenProvider } from './token/token-context.tsx';

const queries = new QueryClient();

/** The console: the providers that every page needs, and the routes. */
export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={styleNonce}
    >
      <Notifications transitionDuration={0} />
      <QueryClientProvider client={queries}>
        <TokenProvider>
          <BrowserRouter basename="/console">
            <Routes>
              <Route element={<Shell />}>
                <Route index element={<Navigate to="/playground" replace />} />
                {pages.map(({ path, Component }) => (
                  // A page has routes of its own below its path, such as one record's.
                  <Route
                    key={path}
                    path={`${path}/*`}
                    element={
                      <Suspense fallback={<Loading />}>
                        <Component />
                      </Suspense>
                    }
                  />
                ))}
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
