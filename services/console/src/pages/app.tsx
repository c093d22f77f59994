import { MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { BrowserRouter, Navigate, Route, Routes } from 'react-router';
import { Playground } from './playground/playground.tsx';
import { Account } from './session/account.tsx';
import { SignIn } from './session/sign-in.tsx';
import { NotFound, Shell } from './shell/shell.tsx';
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
      <QueryClientProvider client={queries}>
        <TokenProvider>
          <BrowserRouter basename="/console">
            <Routes>
              <Route element={<Shell />}>
                <Route index element={<Navigate to="/playground" replace />} />
                <Route path="playground" element={<Playground />} />
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
