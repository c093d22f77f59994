import { lazy } from 'react';
import type { ConsolePage } from '../shell/navigation.tsx';

/** The pages in the order of the navigation. Each is loaded when it is first opened. */
export const pages: readonly ConsolePage[] = [
  {
    path: '/playground',
    label: 'Playground',
    group: 'Use',
    Component: lazy(() =>
      import('../playground/playground-tabs.tsx').then(page => ({ default: page.PlaygroundTabs })),
    ),
  },
  {
    path: '/tokens',
    label: 'Tokens',
    group: 'Use',
    reads: 'listTokens',
    Component: lazy(() => import('../tokens/tokens.tsx').then(page => ({ default: page.Tokens }))),
  },
  {
    path: '/usage',
    label: 'Usage',
    group: 'Watch',
    reads: 'totalUsage',
    Component: lazy(() => import('../usage/usage.tsx').then(page => ({ default: page.Usage }))),
  },
  {
    path: '/budgets',
    label: 'Budgets',
    group: 'Watch',
    reads: 'listProjects',
    Component: lazy(() => import('../budgets/budgets.tsx').then(page => ({ default: page.Budgets }))),
  },
  {
    path: '/requests',
    label: 'Requests',
    group: 'Watch',
    reads: 'listUsage',
    Component: lazy(() => import('../requests/requests.tsx').then(page => ({ default: page.Requests }))),
  },
  {
    path: '/audit',
    label: 'Audit log',
    group: 'Watch',
    reads: 'listAudit',
    Component: lazy(() => import('../audit/audit.tsx').then(page => ({ default: page.Audit }))),
  },
  {
    path: '/models',
    label: 'Models',
    group: 'Manage',
    reads: 'listCatalogModels',
    Component: lazy(() => import('../models/models.tsx').then(page => ({ default: page.Models }))),
  },
  {
    path: '/providers',
    label: 'Providers',
    group: 'Manage',
    reads: 'listProviders',
    Component: lazy(() => import('../providers/providers.tsx').then(page => ({ default: page.Providers }))),
  },
  {
    path: '/projects',
    label: 'Projects',
    group: 'Manage',
    reads: 'listProjects',
    Component: lazy(() => import('../projects/projects.tsx').then(page => ({ default: page.Projects }))),
  },
  {
    path: '/users',
    label: 'Users',
    group: 'Manage',
    reads: 'listUsers',
    Component: lazy(() => import('../users/users.tsx').then(page => ({ default: page.Users }))),
  },
  {
    path: '/accounts',
    label: 'Service accounts',
    group: 'Manage',
    reads: 'listAccounts',
    Component: lazy(() => import('../accounts/accounts.tsx').then(page => ({ default: page.Accounts }))),
  },
  {
    path: '/settings',
    label: 'Settings',
    group: 'Manage',
    reads: 'showSettings',
    Component: lazy(() => import('../settings/settings.tsx').then(page => ({ default: page.Settings }))),
  },
];
