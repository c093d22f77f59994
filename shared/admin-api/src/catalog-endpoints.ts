import {
  adopted,
  adoption,
  appliedCatalog,
  applyQuery,
  catalogDocument,
  catalogTest,
  catalogTestResult,
} from './catalog.ts';
import type { Endpoint } from './endpoint.ts';
import { entriesQuery } from './entry.ts';
import { modelInfo, modelList, modelSettings } from './model.ts';
import { priceList, priceQuery } from './model-prices.ts';
import { providerInfo, providerList, providerSettings } from './provider.ts';
import { settingList } from './setting-list.ts';

/** The largest provider or model, and the largest catalog, in bytes. */
const largestEntry = 256 * 1024;
const largestCatalog = 4 * 1024 * 1024;

/** The endpoints for the catalog: providers, models and prices; and for the settings of control. */
export const catalogEndpoints = {
  listProviders: {
    method: 'get',
    path: '/api/v1/providers',
    summary: 'List the providers in force, without secrets: those of gateway.yaml, then those of the API',
    bearer: 'admin',
    query: entriesQuery,
    status: 200,
    response: providerList,
  },
  showProvider: {
    method: 'get',
    path: '/api/v1/providers/{name}',
    summary: 'Show a provider without its secrets',
    bearer: 'admin',
    conditional: true,
    status: 200,
    response: providerInfo,
  },
  setProvider: {
    method: 'put',
    path: '/api/v1/providers/{name}',
    summary: 'Set all settings of a provider, which is created if its name is new',
    bearer: 'admin',
    body: providerSettings,
    largestBody: largestEntry,
    conditional: true,
    status: 200,
    response: providerInfo,
  },
  deleteProvider: {
    method: 'delete',
    path: '/api/v1/providers/{name}',
    summary: 'Delete a provider that no model uses',
    bearer: 'admin',
    conditional: true,
    status: 204,
  },
  testProvider: {
    method: 'post',
    path: '/api/v1/providers/{name}/test',
    summary: 'Test a provider: a worker sends it a tiny request',
    bearer: 'admin',
    body: catalogTest,
    status: 200,
    response: catalogTestResult,
  },
  listCatalogModels: {
    method: 'get',
    path: '/api/v1/models',
    summary: 'List the models in force: those of gateway.yaml, then those of the API',
    bearer: 'admin',
    query: entriesQuery,
    status: 200,
    response: modelList,
  },
  showCatalogModel: {
    method: 'get',
    path: '/api/v1/models/{name}',
    summary: 'Show a model',
    bearer: 'admin',
    conditional: true,
    status: 200,
    response: modelInfo,
  },
  setModel: {
    method: 'put',
    path: '/api/v1/models/{name}',
    summary: 'Set all settings of a model, which is created if its name is new',
    bearer: 'admin',
    body: modelSettings,
    largestBody: largestEntry,
    conditional: true,
    status: 200,
    response: modelInfo,
  },
  deleteModel: {
    method: 'delete',
    path: '/api/v1/models/{name}',
    summary: 'Delete a model that no other model names as a fallback',
    bearer: 'admin',
    conditional: true,
    status: 204,
  },
  testModel: {
    method: 'post',
    path: '/api/v1/models/{name}/test',
    summary: 'Test a model: a worker sends each of its targets a tiny request',
    bearer: 'admin',
    body: catalogTest,
    status: 200,
    response: catalogTestResult,
  },
  showPrices: {
    method: 'get',
    path: '/api/v1/prices',
    summary: 'Show the prices of the models at their targets, and where each is stated',
    bearer: 'admin',
    query: priceQuery,
    status: 200,
    response: priceList,
  },
  showCatalog: {
    method: 'get',
    path: '/api/v1/catalog',
    summary: 'Show everything in force in the form of gateway.yaml, without secrets',
    bearer: 'admin',
    status: 200,
    response: catalogDocument,
  },
  applyCatalog: {
    method: 'put',
    path: '/api/v1/catalog',
    summary:
      "Make the API's entries equal to a document in the form of gateway.yaml, or show the differences",
    bearer: 'admin',
    query: applyQuery,
    body: catalogDocument,
    largestBody: largestCatalog,
    status: 200,
    response: appliedCatalog,
  },
  adoptEntry: {
    method: 'post',
    path: '/api/v1/catalog/adopt',
    summary: 'Move a provider, a model, a project or a user of gateway.yaml to the database, as it is',
    bearer: 'admin',
    body: adoption,
    status: 200,
    response: adopted,
  },
  showSettings: {
    method: 'get',
    path: '/api/v1/settings',
    summary: 'Show the settings of control, without secrets',
    bearer: 'admin',
    status: 200,
    response: settingList,
  },
} as const satisfies Record<string, Endpoint>;
