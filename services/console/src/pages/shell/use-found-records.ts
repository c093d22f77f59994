import type { RoleEndpoint } from '@model-gateway/admin-api';
import { useQueries } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { api, ofUser } from '../api.ts';
import { may } from '../session/may.ts';
import { useSession } from '../session/use-session.ts';

/** An entry of the palette. */
export interface PaletteEntry {
  label: string;
  description?: string | undefined;
  run(): void;
}

/** Entries of one kind, with the label of the kind. */
export interface PaletteGroup {
  label: string;
  entries: PaletteEntry[];
}

interface Found {
  name: string;
  /** The path of the record's page. */
  to: string;
  description?: string;
}

/** A kind of records that are searched by name. */
interface Search {
  label: string;
  reads: RoleEndpoint;
  find(name: string, signal: AbortSignal): Promise<Found[]>;
}

const mostFound = 6;
const limit = String(mostFound);
const mostEntries = '1000';

const searches: readonly Search[] = [
  {
    label: 'Tokens',
    reads: 'listTokens',
    async find(name, signal) {
      const { data } = await api.call('listTokens', { query: { name, limit }, signal });
      return data.map(token => ({
        name: token.name,
        to: `/tokens/${encodeURIComponent(token.id)}`,
        description: `${token.prefix}… in ${token.project}`,
      }));
    },
  },
  {
    label: 'Projects',
    reads: 'listProjects',
    async find(name, signal) {
      const { data } = await api.call('listProjects', { query: { name, limit }, signal });
      return data.map(project => found(project.name, '/projects'));
    },
  },
  {
    label: 'Users',
    reads: 'listUsers',
    async find(name, signal) {
      const { data } = await api.call('listUsers', { query: { name, limit }, signal });
      return data.map(user => found(user.name, '/users'));
    },
  },
  {
    label: 'Models',
    reads: 'listCatalogModels',
    async find(name, signal) {
      const { data } = await api.call('listCatalogModels', { query: { limit: mostEntries }, signal });
      return named(data, name).map(model => found(model.name, '/models'));
    },
  },
  {
    label: 'Providers',
    reads: 'listProviders',
    async find(name, signal) {
      const { data } = await api.call('listProviders', { query: { limit: mostEntries }, signal });
      return named(data, name).map(provider => found(provider.name, '/providers'));
    },
  },
];

/** The records that the user may see and whose names have a text, in upper or lower case. A kind that cannot be read is left out. */
export function useFoundRecords(text: string): { groups: PaletteGroup[]; searching: boolean } {
  const { session } = useSession();
  const navigate = useNavigate();
  const allowed = searches.filter(({ reads }) => may(session, reads));
  const answers = useQueries({
    queries: allowed.map(({ label, find }) => ({
      queryKey: [ofUser, 'found', label, text],
      queryFn: ({ signal }: { signal: AbortSignal }) => find(text, signal),
      enabled: text !== '',
      staleTime: 30_000,
    })),
  });
  const groups = allowed.map(({ label }, place) => ({
    label,
    entries: (answers[place]?.data ?? []).map(({ name, to, description }) => ({
      label: name,
      description,
      run: () => void navigate(to),
    })),
  }));
  return { groups, searching: answers.some(({ isFetching }) => isFetching) };
}

function found(name: string, page: string): Found {
  return { name, to: `${page}/${encodeURIComponent(name)}` };
}

/** The first entries whose names have a text: the lists of the catalog have no filter by name. */
function named<Item extends { name: string }>(items: readonly Item[], text: string): Item[] {
  return items.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase())).slice(0, mostFound);
}
