import type { Command } from './command.ts';
import { text } from './command.ts';
import { loggingOf, loggingText } from './logging-option.ts';
import { answerOf, numberOf } from './option-values.ts';
import { settingCommands } from './setting-commands.ts';
import { budgetOf, budgetText, limitsOf, limitsText, managerText } from './setting-values.ts';

const budget = text(
  'BUDGET',
  'US dollars a day, week, month or in total, such as 100/month; with 100/month,streams-go-on running streams do not end once it is spent',
);
const yesOrNo = { choices: ['yes', 'no'] } as const;

const projectCommands = settingCommands({
  noun: 'project',
  names: 'projects',
  endpoints: { list: 'listProjects', show: 'showProject', set: 'setProject', remove: 'deleteProject' },
  about: {
    list: 'List the projects, with the settings in force',
    show: 'Show a project, with the settings in force',
    remove: 'Delete a project',
  },
  options: {
    limits: text('LIMITS', 'such as requestsPerMinute=100,tokensPerMinute=200000,concurrency=10'),
    budget,
    'allow-unpriced': text('ANSWER', 'models without a price may be used though there is a budget', yesOrNo),
    weight: text('NUMBER', 'share of busy workers, beside those of other projects'),
    'store-responses': text('ANSWER', 'its responses are stored', yesOrNo),
    'store-errors': text('ANSWER', 'the messages of its failed attempts are stored', yesOrNo),
    logging: text(
      'LOGGING',
      'stores the texts of requests and answers, such as sample=0.1,redact=email+phone,retentionDays=7,maxBytes=20000',
    ),
  },
  change: (values, before) => ({
    limits: limitsOf(values.limits, before?.limits),
    budget: budgetOf(values.budget),
    allowUnpriced: answerOf(values['allow-unpriced']),
    weight: numberOf('weight', values.weight),
    storeResponses: answerOf(values['store-responses']),
    storeErrors: answerOf(values['store-errors']),
    logging: loggingOf(values.logging, before?.logging),
  }),
  head: [
    ...['NAME', 'LIMITS', 'BUDGET', 'UNPRICED', 'WEIGHT', 'STORES RESPONSES', 'STORES ERRORS'],
    ...['LOGGING', 'MANAGED BY'],
  ],
  row: ({ name, limits, budget, allowUnpriced, weight, storeResponses, storeErrors, logging, ...owned }) => [
    name,
    limitsText(limits),
    budgetText(budget),
    allowUnpriced ? 'yes' : 'no',
    weight ?? 1,
    storeResponses === false ? 'no' : 'yes',
    storeErrors === false ? 'no' : 'yes',
    loggingText(logging),
    managerText(owned),
  ],
});

const userCommands = settingCommands({
  noun: 'user',
  names: 'users',
  endpoints: { list: 'listUsers', show: 'showUser', set: 'setUser', remove: 'deleteUser' },
  about: {
    list: 'List the users, with the settings in force',
    show: 'Show a user, with the settings in force',
    remove: 'Delete a user',
  },
  options: { budget },
  change: values => ({ budget: budgetOf(values.budget) }),
  head: ['NAME', 'EMAIL', 'ROLE', 'PROJECTS', 'SIGN-IN', 'BUDGET', 'MANAGED BY'],
  row: ({ name, login, projects, budget, ...owned }) => [
    name,
    login?.email ?? '-',
    login?.role ?? '-',
    projects.map(({ project, role }) => `${project}:${role}`).join(',') || '-',
    login ? (login.disabled ? 'disabled' : 'enabled') : '-',
    budgetText(budget),
    managerText(owned),
  ],
});

export const groupCommands: readonly Command[] = [...projectCommands, ...userCommands];
