import type { EndpointName } from '@model-gateway/admin-api';

/** Actions of the audit log in words, with the subject left out. Other actions are shown by their names. */
const words: Partial<Record<EndpointName | 'applyFile' | 'createFirstAdmin' | 'createFirstToken', string>> = {
  createToken: 'created a token',
  changeToken: 'changed a token',
  rotateToken: 'rotated a token',
  revokeToken: 'revoked a token',
  setProject: 'saved a project',
  deleteProject: 'deleted a project',
  setUser: 'saved a user',
  deleteUser: 'deleted a user',
  changeLogin: 'changed a login',
  removeLogin: 'removed a login',
  resetPassword: 'reset a password',
  changePassword: 'changed own password',
  setMember: 'added a member',
  removeMember: 'removed a member',
  createAccount: 'created a service account',
  rotateAccount: 'rotated a service account',
  revokeAccount: 'revoked a service account',
  signIn: 'signed in',
  signOut: 'signed out',
  showRequest: 'read a logged request',
  deleteRequest: 'deleted a logged request',
  endRunning: 'ended a request',
  finishOidc: 'signed in with single sign-on',
  finishCommandSignIn: 'signed in by the command',
  createFirstAdmin: 'created the first admin',
  createFirstToken: 'created the first token',
  setProvider: 'saved a provider',
  deleteProvider: 'deleted a provider',
  testProvider: 'tested a provider',
  testModel: 'tested a model',
  setModel: 'saved a model',
  deleteModel: 'deleted a model',
  applyCatalog: 'applied a catalog',
  applyFile: 'applied gateway.yaml',
  adoptEntry: 'moved it to the database',
};

/** The names of the known actions, for a filter. */
export const knownActions = Object.keys(words);

/** Describes an action after its actor, such as `created a token`. */
export function actionInWords(action: string): string {
  return (words as Record<string, string | undefined>)[action] ?? action;
}
